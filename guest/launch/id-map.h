/* Which ids of the host the ids of a user namespace are (user_namespaces(7)). */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "spec.h"

/* A jail has these many ids. */
#define IDS 65536u

/* Gives the user namespace of `pid` its ids. */
void id_map_write(pid_t pid, const struct jail_spec *spec);
/*
 * Fails where our user, who becomes a jail's root when it has no other, is root of the namespace around
 * ours: that may be the host's.
 */
void id_map_check_own(void);
/* Puts this process, which has no privileges, into a user namespace in which it has them over itself. */
void id_map_become_root(void);
/*
 * A user namespace for idmapped mounts: what is 0 … 65535 on disk is `first_id` … in the mount. The
 * host's root is 65536 there, or overlayfs, which acts as who mounted it, could not make files in its
 * work directory and would silently be read-only.
 */
int id_map_for_mounts(uint32_t first_id);
