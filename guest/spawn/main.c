/*
 * spawner: starts programs for the bridge, whose own forks take milliseconds, as each copies the page
 * tables of a large process. Has what the bridge passes at its start, and ends with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "callers.h"
#include "control.h"
#include "programs.h"
#include "start.h"

static void serve(const struct request *request)
{
	if (request->kind == SPAWN_START)
		start_program(request);
	else if (request->kind == SPAWN_SIGNAL && request->length == sizeof(uint32_t))
		programs_signal(request->id, *(const int *)request->body);
}

static int open_child_signals(void)
{
	sigset_t children;
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	sigprocmask(SIG_BLOCK, &children, NULL);
	return signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

int main(void)
{
	static struct request request;
	struct signalfd_siginfo signals[16];
	if (fcntl(CONTROL, F_SETFD, FD_CLOEXEC) < 0) {
		fprintf(stderr, "usage: spawner, with a socket as descriptor %d\n", CONTROL);
		return 2;
	}
	close_range(CONTROL + 1, ~0u, 0);
	callers_open();
	struct pollfd ready[] = {
		{ .fd = CONTROL, .events = POLLIN },
		{ .fd = open_child_signals(), .events = POLLIN },
		{ .fd = callers_descriptor(), .events = POLLIN },
	};
	for (;;) {
		if (poll(ready, 3, -1) < 0 && errno != EINTR)
			return 1;
		if (ready[2].revents)
			callers_accept();
		if (ready[1].revents && read(ready[1].fd, signals, sizeof signals) > 0)
			programs_reap();
		if (ready[0].revents) {
			if (!control_read(&request))
				return 0;
			serve(&request);
		}
	}
}
