#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "../init/loop.h"

static const int taken[] = { SIGCHLD, SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH };

static sigset_t set;
static int end;

void signals_block(void)
{
	sigemptyset(&set);
	for (size_t index = 0; index < sizeof taken / sizeof *taken; index++)
		sigaddset(&set, taken[index]);
	/* Who ignores it, as the program that started this one may, is told of no child. */
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* Giving the terminal to another group would stop this one. */
	signal(SIGTTOU, SIG_IGN);
	signal(SIGTTIN, SIG_IGN);
}

void signals_reset(void)
{
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int signals_take(int64_t deadline_ns)
{
	for (;;) {
		int64_t left = deadline_ns - now_ns();
		if (deadline_ns >= 0 && left < 0)
			left = 0;
		struct timespec wait = { .tv_sec = left / 1000000000, .tv_nsec = left % 1000000000 };
		int number = deadline_ns < 0 ? sigwaitinfo(&set, NULL) : sigtimedwait(&set, NULL, &wait);
		if (number > 0)
			return number;
		if (errno == EAGAIN)
			return 0;
	}
}

static bool asks_for_end(int number)
{
	return number == SIGTERM || number == SIGINT || number == SIGQUIT || number == SIGHUP;
}

void signals_wait_for_child(int64_t deadline_ns)
{
	int number = signals_take(deadline_ns);
	if (!end && asks_for_end(number))
		end = number;
}

int signals_end(void)
{
	return end;
}
