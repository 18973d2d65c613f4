/* The unprivileged half of a jail's root: what a program expects to find in it, and the way in. */
#pragma once

#include "spec.h"

/* In a jail that may nest: a proc without masks, where no path leads. */
#define UNMASKED_PROC "/sys/proc"

/*
 * In the jail's namespaces: mounts /proc, /dev and the rest into the root that root_mount_make() has
 * mounted, makes it the root and forgets the host's. Fails when an agent has put anything but a
 * plain directory where one of them goes.
 */
void populate_jail(const struct jail_spec *spec);
