/* The folders that are watched, and what is to be told of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where each directory has a watch of its own: what the watches of one root cost the others. */
struct walking {
	/* Directories that were visited, and events, in this batch. */
	uint32_t work;
	uint32_t events;
	/* Directories may be elsewhere than noted: all are to be visited. */
	bool is_stale;
	/* Not watched. It is tried again at `retry_at_ms`; `retry_after_ms` is how long it was given up for. */
	bool is_given_up;
	long retry_at_ms;
	long retry_after_ms;
	long watched_since_ms;
};

struct root {
	uint32_t number;
	char *path;
	/* Directories below that are left alone, with a NUL after each. */
	char *ignored;
	size_t ignored_length;
	/* Something happened that was not told of yet; the process that did it last, or 0. */
	bool is_changed;
	pid_t process;
	/* Watches of its own: how many there are, and how many the bridge knows of. */
	uint32_t watches;
	uint32_t told_watches;
	struct walking walking;
	struct root *next;
};

extern struct root *all_roots;

/* `path` is absolute; symbolic links in it are resolved. What is `ignored` has a NUL after each. Answers NULL with errno. */
struct root *root_add(uint32_t number, const char *path, const char *ignored, size_t ignored_length);
/* Whether a directory at `path` below the root, which begins with a slash, is left alone. */
bool root_ignores(const struct root *root, const char *path);
/* Whether some directory that is left alone is at `path` or below. */
bool root_ignores_below(const struct root *root, const char *path);
struct root *root_find(uint32_t number);
/* The root that the resolved absolute path lies in, if any. */
struct root *root_above(const char *path);
void root_remove(struct root *root);
/* Events were lost: anything may have changed. */
void roots_changed(void);
/* Tells what was not told yet. */
void root_tell(struct root *root);
