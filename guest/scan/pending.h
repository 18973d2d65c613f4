/* Directories that are still to be read, shared by the threads that read them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct directory {
	struct directory *parent, *next;
	/* Directories in it that are not yet let go of, and itself. */
	unsigned users;
	/* Whether all names in it are told. */
	bool is_whole;
	size_t path_length;
	size_t name_length;
	char name[];
};

/* `name` in `parent`, which it uses; without a parent, a path. Ends the program where there is no memory. */
struct directory *directory_new(struct directory *parent, const char *name, bool is_whole);
/* Writes its path, with a NUL. */
void directory_path(const struct directory *directory, char *path);

/* Lets go of one that is not pending. */
void directory_release(struct directory *directory);

/* Begins a walk with a list of directories. */
void pending_begin(struct directory *list);
/* The next one to read; waits for those that others read. NULL when all are read. */
struct directory *pending_take(void);
/* Lets go of what was taken, and adds a list of what is in it. Answers how many wait to be read. */
size_t pending_give(struct directory *taken, struct directory *list);
