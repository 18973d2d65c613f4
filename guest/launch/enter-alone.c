#include "enter-alone.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../init/host.h"
#include "confine.h"
#include "descriptors.h"
#include "fail.h"
#include "landlock-alone.h"
#include "landlock-rules.h"
#include "looks.h"
#include "seccomp.h"
#include "self-test-alone.h"
#include "serve-jail.h"

static int open_folder(int at, const char *path)
{
	return openat(at, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* -1 where there are none, which is told when one is asked for. */
static int open_terminals(void)
{
	int folder = open_folder(AT_FDCWD, "/dev");
	if (faccessat(folder, "ptmx", F_OK, 0) == 0 && faccessat(folder, "pts", F_OK, 0) == 0)
		return folder;
	close(folder);
	return -1;
}

static void become_nobody_else(const struct jail *jail)
{
	uid_t id = jail->spec.first_id;
	if (setgroups(0, NULL) < 0 || setresgid(id, id, id) < 0 || setresuid(id, id, id) < 0)
		fail("Cannot become user %u", id);
	/* Changing ids has cleared it, so the launcher may have died unnoticed before this. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	struct pollfd launcher = { .fd = jail->turn };
	errno = 0;
	if (poll(&launcher, 1, 0) != 0)
		fail("Cannot start the jail: the launcher is gone");
	close(jail->turn);
}

static void change_root(int root)
{
	if (fchdir(root) < 0 || chroot(".") < 0 || chdir("/") < 0)
		fail("Cannot change the root");
	close(root);
}

_Noreturn void enter_alone(const struct jail *jail, int root)
{
	join_groups(jail);
	confine_resources(&jail->spec);
	struct outsiders outsiders = { leave_outsider(), open_folder(AT_FDCWD, "/") };
	struct host_folders folders = { root, open_folder(root, "dev"), open_terminals() };
	int rules = landlock_prepare_alone(&folders);
	close(folders.devices);
	change_root(root);
	become_nobody_else(jail);
	confine_privileges_alone();
	rules_enforce(rules);
	int questions = seccomp_confine(&jail->spec);
	self_test_alone(&jail->spec, &outsiders);
	host = (struct host){
		.is_jail = true,
		.owns_id = true,
		.has_one_id = true,
		.has_terminals = folders.terminals >= 0,
		.terminals = folders.terminals,
	};
	set_up_home();
	uint8_t landlock = (uint8_t)landlock_abi();
	if (write(READY, &landlock, 1) != 1)
		fail("Cannot tell that the jail is ready");
	close(READY);
	close(SPEC);
	/* Init finds them in /proc otherwise. */
	if (close_range(CHANNEL, ~0u, CLOSE_RANGE_CLOEXEC) < 0)
		fail("Cannot keep descriptors from programs");
	serve_jail(questions, 0);
}
