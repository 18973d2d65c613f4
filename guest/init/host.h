/* What this init is: PID 1 of a machine of its own or of a jail, or an agent beside other people's processes. */
#pragma once

#include <stdbool.h>

#define SYSROOT "/sysroot"

struct host {
	/* Owns every process it sees: kill(-1) and power off are its business. */
	bool is_pid1;
	/* Owns the kernel: mounts, clock, entropy, host name. Processes run in SYSROOT. */
	bool owns_machine;
	/* The launcher made its root and its walls. Processes are the user, without capabilities, or root, with few. */
	bool is_jail;
	/* Owns every process of its user id, and there is no /proc to find them in: kill(-1) is its business. */
	bool owns_id;
	/*
	 * A jail with one id for all. In one that was made without privileges it is root inside and nobody's
	 * outside; in one without namespaces it is a number that only this jail has.
	 */
	bool has_one_id;
	/* Set where terminals are not below the root: the folder with ptmx in it. */
	bool has_terminals;
	int terminals;
};

extern struct host host;
