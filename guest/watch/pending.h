/* Names of directories that have come or were moved away: to be seen to when all events of a batch have been read, each once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct pending {
	/* The watch of the directory that it is in, and its name there. */
	int parent;
	char *name;
	bool is_done;
	/* There is no directory of that name. */
	bool is_missing;
	/* It was left by an earlier batch. */
	bool is_old;
	/* The next of the same hash: its index + 1, or 0. */
	size_t next;
};

/* Answers false where there is no memory. One that is noted already is not noted again. */
bool pending_note(int parent, const char *name);
struct pending *pending_at(size_t index);
size_t pending_count(void);
/* Forgets those that are done, and those that were old. The others are old then. */
void pending_sweep(void);
