/* What the launcher does while the jail runs: nothing, unless its bridge dies. */
#pragma once

#include <sys/types.h>

#include "spec.h"

struct custody {
	/* When the other end of it is closed, the bridge is dead. */
	int bridge;
	/* Where another bridge may come then (meeting.h), or -1. */
	int door;
	/* The relay of its network, which ends with it, or -1. */
	pid_t relay;
	const struct jail_spec *spec;
};

/*
 * Waits for PID 1 of the jail. When its bridge dies before, and no other comes in time, ends the jail,
 * frozen or not, and removes its control groups: nobody else is left to do it. A bridge that came
 * later is told "pid <ours>" when it is let in and "exit <code>" at the end, a line each, and says
 * CUSTODY_END to end the jail, or CUSTODY_SIGNAL and a struct custody_signal. A jail without namespaces also ends by SIGTERM, which is blocked. Answers
 * an exit code when nothing of the jail is left.
 */
int keep_custody(pid_t pid, const struct custody *custody);

#define CUSTODY_END 'e'
#define CUSTODY_SIGNAL 's'
