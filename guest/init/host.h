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
	/* A jail made without privileges has one id for all, which is root inside and nobody's outside. */
	bool has_one_id;
};

extern struct host host;
