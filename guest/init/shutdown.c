#include "shutdown.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"
#include "loop.h"
#include "reap.h"
#include "stream.h"

#define GRACE_MAX_MS 60000
#define KILL_TIMEOUT_MS 2000
/* How often to look whether all are gone; the end of an adopted process gives no other sign. */
#define LOOK_MS 20

static bool ending;
static int64_t deadline;
static void (*flush)(void);

void shutdown_set_flush(void (*flush_output)(void))
{
	flush = flush_output;
}

/* One signal to every process group that init started (agent), or to all processes (PID 1). */
static void signal_everything(int signal)
{
	if (host.is_pid1 || host.owns_id)
		kill(-1, signal);
	else
		streams_signal(signal);
}

void shutdown_begin(int signal, uint32_t grace_ms)
{
	if (ending)
		return;
	ending = true;
	deadline = now_ns() + (grace_ms < GRACE_MAX_MS ? grace_ms : GRACE_MAX_MS) * 1000000ll;
	signal_everything(signal);
	/* A stopped process would not see it. */
	signal_everything(SIGCONT);
}

static bool nothing_is_left(void)
{
	siginfo_t info;
	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD;
}

int shutdown_turn(void)
{
	if (!ending)
		return -1;
	if (!nothing_is_left() && now_ns() < deadline)
		return LOOK_MS;
	shutdown_now();
}

_Noreturn void shutdown_now(void)
{
	kill_everything(KILL_TIMEOUT_MS);
	flush();
	/* The end of a jail's PID 1 is the end of all that is inside. */
	if (!host.owns_machine)
		exit(0);
	sync();
	reboot(RB_POWER_OFF);
	/* PID 1 of a machine must not end, or the kernel panics. */
	for (;;)
		pause();
}
