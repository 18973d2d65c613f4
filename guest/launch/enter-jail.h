/* What PID 1 of a jail does between clone(2) and being the agent. */
#pragma once

#include "spec.h"

struct jail {
	struct jail_spec spec;
	/* The files that spec.groups names, opened by who may write to them. */
	int groups[GROUPS_MAX_JOINED];
	/* The launcher, read-only. */
	int program;
	/* Readable when the ids are mapped; hung up when the launcher is dead. */
	int turn;
};

_Noreturn void enter_jail(const struct jail *jail);
