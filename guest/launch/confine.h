/* What processes of a jail can never have, given up by PID 1 before there are any. */
#pragma once

#include "spec.h"

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
