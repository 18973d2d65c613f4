/* What the launcher does while the jail runs: nothing, unless the bridge dies first. */
#pragma once

#include <sys/types.h>

#include "spec.h"

/*
 * Waits for PID 1 of the jail. When the other end of `bridge` is closed before, ends the jail, frozen
 * or not, and removes its control groups: nobody else is left to do it. Answers an exit code.
 */
int keep_custody(pid_t pid, int bridge, const struct jail_spec *spec);
