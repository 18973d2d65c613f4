/*
 * Signals that a later bridge asks the launcher to send: it may not itself where it is in a user namespace beside ours
 * (user_namespaces(7)), as that of an ordinary user with a range of ids is.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* As it comes from the bridge, which runs on the same machine. */
struct custody_signal {
	int32_t pid;
	int32_t signal;
};

/* Sends one to a process inside `jail`, by its number in our pid namespace; to no other, and to none that is gone. */
void custody_signal_send(pid_t jail, const struct custody_signal *signal);
