/*
 * The way out of a jail that has a network: a child of the launcher, outside of the jail, which takes what arrives
 * at the two sockets of redirect.h and hands it on to the bridge, each connection and each question by a connection
 * of its own. Decides nothing, and looks into nothing.
 */
#pragma once

#include <sys/types.h>

#include "spec.h"

struct relay_parts {
	/* What `network_open` inside sends its sockets by, and `relay_start` takes them from. */
	int inside;
	int outside;
	/* The bridge's. */
	int folder;
};

/* Before the jail is made, and before anything is mounted over where the folder lies. */
struct relay_parts relay_prepare(const struct jail_spec *spec);

/*
 * Takes the sockets when they come, and starts the relay, which dies with this process. Answers its id, or -1
 * where the jail ends before.
 */
pid_t relay_start(const struct relay_parts *parts, const struct jail_spec *spec);
