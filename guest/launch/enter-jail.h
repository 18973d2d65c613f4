/* What PID 1 of a jail does between clone(2) and being the agent. */
#pragma once

#include "spec.h"

struct jail {
	struct jail_spec spec;
	/* The files that spec.groups names, opened by who may write to them. */
	int groups[GROUPS_MAX_JOINED];
	/* The launcher, read-only. */
	int program;
	/* A listening socket for the agent's next host, or -1. */
	int door;
	/* Where the sockets of its network go, or -1. */
	int network;
	/* Readable when the ids are mapped; hung up when the launcher is dead. */
	int turn;
};

/* Of the launcher's own child, while it may: every process of the jail is in its control groups from here on. */
void join_groups(const struct jail *jail);
/* In the jail's root: the user's home directory, where it has none. */
void set_up_home(void);

_Noreturn void enter_jail(const struct jail *jail);
