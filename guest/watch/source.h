/* What tells that something has changed: fanotify where it may be had, else inotify. */
#pragma once

#include <stdbool.h>

#include "protocol.h"
#include "roots.h"

struct source {
	enum watch_source kind;
	/* Directories that it can watch one by one, at most; 0 where the kernel watches them all. */
	uint32_t watches_max;
	/* Begins to watch a root of the list. Answers false where it cannot, and has told so: `retry` may do it later. */
	bool (*add)(struct root *root);
	/* Before the root leaves the list. */
	void (*remove)(struct root *root);
	/* Reads what has happened until now, and marks roots as changed. Does not wait. */
	void (*read)(void);
	/* Tries again what could not be watched. Answers in how many milliseconds it is to be called again, or -1. May be NULL. */
	long (*retry)(void);
};

/* Of the file system that has `folder`. Answers the descriptor to wait for, or -1 with errno. */
int fanotify_source(struct source *source, const char *folder);
/* With `watches_max` directories at most of all roots together, or fewer where the kernel has not so many. */
int inotify_source(struct source *source, uint32_t watches_max);
