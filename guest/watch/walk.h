/* Has directories watched, within the share of their root (share.h). */
#pragma once

#include "roots.h"

/* Watches by the inotify descriptor `queue`, `most` of all roots together. */
void walk_begin(int queue, uint32_t most);
/* Watches all directories of a root. Answers false where it was given up. */
bool walk_root(struct root *root);
/* What can be done about directories that were noted as new (pending.h). `was_lost`: so were events. */
void walk_pending(bool was_lost);
/* Tries again what is due. Answers in how many milliseconds the next is, or -1. */
long walk_retry(void);
