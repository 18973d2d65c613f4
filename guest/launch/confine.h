/* What processes of a jail can never have, given up by PID 1 before there are any. */
#pragma once

#include "spec.h"

/*
 * Of RLIMIT_CORE. With 0 the kernel writes no core to a file, and still starts the host's program where core_pattern
 * is a pipe: only 1 means none at all (do_coredump() in fs/coredump.c). The filter keeps processes from going to 0.
 */
#define NO_CORE 1

/* In the launcher, which may have privileges that the jail has not: raises its own limit to NO_CORE where it can. */
void confine_cores(void);
/* Limits, session and keyring. */
void confine_resources(const struct jail_spec *spec);
/*
 * No new privileges, an empty bounding set, and of the capabilities over the jail's own ids the few
 * that the agent needs to become the user. Its processes get none (identity.h).
 */
void confine_privileges(void);
/*
 * No new privileges, and no capability for anybody. The bounding set stays, as not every container lets root
 * empty it: it only bounds what set-user-ID programs and files with capabilities give, and none gives any.
 */
void confine_privileges_alone(void);
