/* The directories that inotify watches, by the number of their watch. */
#pragma once

#include "roots.h"

struct directory {
	int watch;
	struct root *root;
	/* Of the directory that it is in, or 0 for the root's own; and its name there. */
	int parent;
	char *name;
	/* Its inode: what is now at its path may be another directory. */
	ino_t inode;
	bool is_marked;
	struct directory *next;
};

struct directory *directory_find(int watch);
/* The one that is noted under a name in another, or NULL. Goes through all. */
struct directory *directory_find_in(int parent, const char *name);
/*
 * Notes where a directory is now; replaces what was noted of it. Answers it, or NULL where there is no memory. The
 * inode is not noted.
 */
struct directory *directory_put(int watch, struct root *root, int parent, const char *name);
void directory_remove(struct directory *directory);
/* All of a root are removed, each after `each` was called with its watch. */
void directories_remove(const struct root *root, void (*each)(int watch));
/* The same for a directory and all below it. */
void directories_remove_below(const struct directory *top, void (*each)(int watch));
/* Writes the path below the root. Answers false where it is longer than PATH_MAX, or not known. */
bool directory_path(const struct directory *directory, char *path);
/* How many there are. */
extern uint32_t directory_count;
