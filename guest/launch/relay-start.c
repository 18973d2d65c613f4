#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine.h"
#include "fail.h"
#include "relay-loop.h"
#include "relay.h"

/* Where the relay has what it needs. Its errors are the launcher's: while it lives, their reader waits. */
enum relay_descriptor { FOLDER = STDERR_FILENO + 1, STREAMS, QUESTIONS_IN, RELAY_DESCRIPTORS };

struct relay_parts relay_prepare(const struct jail_spec *spec)
{
	int ends[2];
	int folder = open(spec->relay, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		fail("Cannot open %s", spec->relay);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		fail("Cannot make a socket");
	return (struct relay_parts){ ends[0], ends[1], folder };
}

/* Answers false where nobody will send any. */
static bool take_both(int outside, int sockets[2])
{
	char byte;
	struct iovec part = { &byte, 1 };
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(2 * sizeof(int))];
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room };
	ssize_t count;
	while ((count = recvmsg(outside, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	struct cmsghdr *rights = count == 1 ? CMSG_FIRSTHDR(&message) : NULL;
	if (!rights || rights->cmsg_type != SCM_RIGHTS || rights->cmsg_len != CMSG_LEN(2 * sizeof(int)))
		return false;
	memcpy(sockets, CMSG_DATA(rights), 2 * sizeof(int));
	return true;
}

static void place(const int from[RELAY_DESCRIPTORS])
{
	int moved[RELAY_DESCRIPTORS];
	/* First out of the way, as one may lie where another belongs. */
	for (int number = FOLDER; number < RELAY_DESCRIPTORS; number++) {
		moved[number] = fcntl(from[number], F_DUPFD_CLOEXEC, RELAY_DESCRIPTORS);
		if (moved[number] < 0)
			_exit(1);
	}
	for (int number = FOLDER; number < RELAY_DESCRIPTORS; number++)
		dup2(moved[number], number);
	close_range(RELAY_DESCRIPTORS, ~0u, 0);
}

static _Noreturn void become_relay(pid_t launcher, const int from[RELAY_DESCRIPTORS], const struct jail_spec *spec)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != launcher)
		_exit(1);
	place(from);
	/* The folder's own user enters it without a privilege. */
	if (fchdir(FOLDER) < 0)
		fail("Cannot enter %s", spec->relay);
	confine_privileges_alone();
	relay_run(&(struct relay){ STREAMS, QUESTIONS_IN, spec->relay_key, (unsigned)spec->relay_flows,
				   (unsigned)spec->relay_rate });
}

pid_t relay_start(const struct relay_parts *parts, const struct jail_spec *spec)
{
	int from[RELAY_DESCRIPTORS] = { [FOLDER] = parts->folder };
	bool has_both = take_both(parts->outside, &from[STREAMS]);
	pid_t launcher = getpid(), pid = has_both ? fork() : -1;
	if (has_both && pid < 0)
		fail("Cannot start the relay of the jail's network");
	if (pid == 0)
		become_relay(launcher, from, spec);
	for (int number = STREAMS; has_both && number < RELAY_DESCRIPTORS; number++)
		close(from[number]);
	close(parts->folder);
	close(parts->outside);
	return pid;
}
