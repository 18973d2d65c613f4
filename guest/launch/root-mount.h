/* The privileged half of a jail's root: its layers, with ids of the jail, as one file system. */
#pragma once

#include "spec.h"

/* Where root_mount_make() mounts, in the launcher's own mount namespace: a tmpfs of ours lies over it. */
#define STAGE "/tmp"
#define STAGE_ROOT STAGE "/root"

/* Call it in a mount namespace of its own; nothing of it outlives the namespace. */
void root_mount_make(const struct jail_spec *spec);
