/* Files and folders, copied or removed as they are, by descriptors: links lead nowhere, also those put there meanwhile. */
#pragma once

#include "../init/identity.h"

/* A name in an open folder. */
struct named {
	int folder;
	const char *name;
};

/*
 * Copies a file, link or folder to `to`, which is not there: contents (blocks are shared where the file system can,
 * holes stay), modes, times of files, links, and owners, or `owner` for all. Sockets and devices are left out. Answers 0 or an
 * errno; what was copied until then stays.
 */
int copy_tree(struct named from, struct named to, const struct identity *owner);
/*
 * Removes it with all that is in it, however deep; what is mounted there is not entered, and EBUSY. What is not there is
 * no error. Answers 0 or an errno.
 */
int remove_tree(struct named tree);
/* On disk before it gets its name. Answers 0 or an errno. */
int move_into_place(struct named from, struct named to);
