/*
 * Makes the root of a jail without namespaces, which is a plain folder, what its one id can live in. Before
 * anything runs in it, and before the bridge looks at it for the first time: nothing of this is a change.
 */
#pragma once

/*
 * Gives everything in `folder` to `id`, but for /dev with the harmless devices, /proc and /sys, which are
 * root's and can only be read. Names the id in /etc/passwd and /etc/group, after whoever else is there. What is
 * in the folder may be hostile: links are not followed, and what is in the way of a directory is a failure.
 * Answers an exit code, or fails.
 */
int furnish_root(const char *id, const char *folder);
