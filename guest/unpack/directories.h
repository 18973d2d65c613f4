/*
 * Directories that are being filled. What is made in a directory changes its time, and a mode may keep an ordinary user
 * from making it: a directory gets its metadata when all that is in it is there.
 */
#pragma once

#include "entry.h"

/* Makes a directory where none is there. */
void directory_begin(const struct entry *entry);

/* Finishes those that `path` is not in. */
void directories_leave(const char *path);

/* Finishes all. */
void directories_end(void);
