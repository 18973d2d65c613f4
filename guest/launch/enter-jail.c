#include "enter-jail.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../init/home.h"
#include "bound-ipc.h"
#include "confine.h"
#include "descriptors.h"
#include "fail.h"
#include "landlock.h"
#include "looks.h"
#include "network.h"
#include "populate-jail.h"
#include "seccomp.h"
#include "self-test.h"

static void become_root_inside(const struct jail *jail)
{
	char byte;
	if (read(jail->turn, &byte, 1) != 1)
		fail("Cannot start the jail: the launcher is gone");
	/* Where setgroups(2) is denied, there are none to give up that would open anything. */
	if (jail->spec.ids != IDS_ONE && setgroups(0, NULL) < 0)
		fail("Cannot give up groups");
	if (setresgid(0, 0, 0) < 0 || setresuid(0, 0, 0) < 0)
		fail("Cannot become the jail's root");
	/* Changing ids has cleared it, so the launcher may have died unnoticed before this. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	struct pollfd launcher = { .fd = jail->turn };
	errno = 0;
	if (poll(&launcher, 1, 0) != 0)
		fail("Cannot start the jail: the launcher is gone");
}

void join_groups(const struct jail *jail)
{
	for (unsigned index = 0; index < jail->spec.group_count; index++) {
		if (write(jail->groups[index], "0", 1) != 1)
			fail("Cannot join the control group %s", jail->spec.groups[index]);
		close(jail->groups[index]);
	}
}

/* What we are in now is the root of what we can see. */
static void hide_groups(void)
{
	if (unshare(CLONE_NEWCGROUP) < 0)
		fail("Cannot make a cgroup namespace");
}

static void raise_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) < 0)
		fail("Cannot raise the loopback interface");
	close(fd);
}

void set_up_home(void)
{
	char what[160] = "Cannot set up the home directory";
	int error = home_set_up(what, sizeof what);
	errno = error;
	if (error)
		fail("%s", what);
}

#define SPARE_MS 30000

/* Out of the way of the numbers that the agent expects. */
static int move_away(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, DOOR + 1);
	if (moved < 0)
		fail("Cannot keep a descriptor");
	return moved;
}

static void put(int fd, int number)
{
	if (dup2(fd, number) < 0)
		fail("Cannot keep a descriptor");
}

static _Noreturn void become_agent(int program, unsigned long wait_ms)
{
	char wait[24];
	snprintf(wait, sizeof wait, "%lu", wait_ms);
	char *arguments[] = { "init", "--agent", wait, NULL };
	char *environment[] = { NULL };
	syscall(SYS_execveat, program, "", arguments, environment, AT_EMPTY_PATH);
	fail("Cannot execute the agent");
}

_Noreturn void enter_jail(const struct jail *jail)
{
	become_root_inside(jail);
	join_groups(jail);
	hide_groups();
	confine_resources(&jail->spec);
	if (sethostname(jail->spec.hostname, strlen(jail->spec.hostname)) < 0)
		fail("Cannot set the host name");
	raise_loopback();
	if (jail->network >= 0)
		network_open(jail->network);
	bound_ipc(&jail->spec);
	populate_jail(&jail->spec);
	/* With one id there is no other user to have a home. */
	if (jail->spec.ids != IDS_ONE)
		set_up_home();
	int outsider = leave_outsider();
	confine_privileges();
	uint8_t landlock = (uint8_t)landlock_confine(jail->spec.nested);
	int questions = seccomp_confine(&jail->spec);
	self_test(&jail->spec, outsider);
	if (jail->spec.relay)
		network_test();
	int program = move_away(jail->program);
	questions = move_away(questions);
	int door = jail->spec.meet ? move_away(jail->door) : -1;
	put(questions, QUESTIONS);
	if (door >= 0)
		put(door, DOOR);
	if (write(READY, &landlock, 1) != 1)
		fail("Cannot tell that the jail is ready");
	/* The launcher decides that no bridge came in time. The agent waits a little longer, for one that was just accepted. */
	become_agent(program, jail->spec.wait_ms ? jail->spec.wait_ms + SPARE_MS : 0);
}
