/* What one root may take of the watches, and of the time, of all. One that takes more is given up for a while. */
#pragma once

#include "roots.h"

/* Directories that one root may have visited, or noted as new, in a batch. */
#define WORK_MAX 8192u
/* How long a root is given up for: twice as long each time, unless it was watched longer than the longest. */
#define RETRY_FIRST_MS 1000L
#define RETRY_LONGEST_MS 256000L

/* As walk_begin(). */
void share_begin(int queue, uint32_t most);
void unwatch(int watch);
/* Counts work of this batch. Answers false where it was too much: the root is given up. */
bool share_spend(struct root *root, uint32_t count);
/* Watches a root no more, says why (`error`: an errno or 0), and when it is to be tried again. */
void share_give_up(struct root *root, int error, const char *why);
/* Removes its watches. */
void share_drop(struct root *root);
/* Whether it may have one more watch: beside others half of all, so that there is room for those. If not, it was given up. */
bool has_own_room(struct root *root);
/*
 * For one more watch of `root`: the root with most of them gives its own back. Answers whether it was another. `error`: ENOSPC where the
 * kernel has no more.
 */
bool make_room(struct root *root, int error);
