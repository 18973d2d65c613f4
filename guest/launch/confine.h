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
