/* Bounds of what no process holds: objects of System V IPC stay when all that used them have ended (svipc(7)). */
#pragma once

#include "spec.h"

/*
 * In the jail's ipc namespace, before its /proc/sys is read-only. Older kernels (6.18 is seen) let nobody but the
 * host's root write there; it then has their usual bounds, which are beyond the memory of a jail.
 */
void bound_ipc(const struct jail_spec *spec);
