#include "directories.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A power of two. */
#define BUCKETS 16384u

static struct directory *buckets[BUCKETS];
uint32_t directory_count;

static struct directory **bucket_of(int watch)
{
	return &buckets[(unsigned)watch & (BUCKETS - 1)];
}

struct directory *directory_find(int watch)
{
	for (struct directory *directory = *bucket_of(watch); directory; directory = directory->next) {
		if (directory->watch == watch)
			return directory;
	}
	return NULL;
}

struct directory *directory_find_in(int parent, const char *name)
{
	for (unsigned at = 0; at < BUCKETS; at++) {
		for (struct directory *directory = buckets[at]; directory; directory = directory->next) {
			if (directory->parent == parent && strcmp(directory->name, name) == 0)
				return directory;
		}
	}
	return NULL;
}

struct directory *directory_put(int watch, struct root *root, int parent, const char *name)
{
	char *copy = strdup(name);
	struct directory *directory = directory_find(watch);
	if (!directory && copy) {
		directory = calloc(1, sizeof *directory);
		if (directory) {
			directory->watch = watch;
			directory->root = root;
			directory->next = *bucket_of(watch);
			*bucket_of(watch) = directory;
			root->watches++;
			directory_count++;
		}
	}
	if (!directory || !copy) {
		free(copy);
		return NULL;
	}
	free(directory->name);
	directory->parent = parent;
	directory->name = copy;
	return directory;
}

void directory_remove(struct directory *directory)
{
	struct directory **at = bucket_of(directory->watch);
	while (*at != directory)
		at = &(*at)->next;
	*at = directory->next;
	directory->root->watches--;
	directory_count--;
	free(directory->name);
	free(directory);
}

void directories_remove(const struct root *root, void (*each)(int watch))
{
	for (unsigned at = 0; at < BUCKETS; at++) {
		for (struct directory *directory = buckets[at], *next; directory; directory = next) {
			next = directory->next;
			if (directory->root != root)
				continue;
			each(directory->watch);
			directory_remove(directory);
		}
	}
}

/* Whether it is `top` or below. One that was moved while others were may seem to lie within itself: no path has more steps. */
static bool is_below(const struct directory *directory, const struct directory *top)
{
	for (unsigned steps = 0; directory && steps < PATH_MAX / 2; steps++) {
		if (directory == top)
			return true;
		directory = directory_find(directory->parent);
	}
	return false;
}

void directories_remove_below(const struct directory *top, void (*each)(int watch))
{
	/* First all are found: one whose parent is removed is below nothing. */
	for (unsigned at = 0; at < BUCKETS; at++) {
		for (struct directory *directory = buckets[at]; directory; directory = directory->next)
			directory->is_marked = is_below(directory, top);
	}
	for (unsigned at = 0; at < BUCKETS; at++) {
		for (struct directory *directory = buckets[at], *next; directory; directory = next) {
			next = directory->next;
			if (!directory->is_marked)
				continue;
			each(directory->watch);
			directory_remove(directory);
		}
	}
}

/* From its end to its beginning: each directory knows the one above. */
bool directory_path(const struct directory *directory, char *path)
{
	char reversed[PATH_MAX];
	size_t start = sizeof reversed - 1;
	reversed[start] = 0;
	/* A directory that was moved while others were may seem to lie within itself: each step takes room. */
	while (directory->parent != 0) {
		size_t length = strlen(directory->name);
		if (length + 1 > start)
			return false;
		start -= length;
		memcpy(reversed + start, directory->name, length);
		reversed[--start] = '/';
		directory = directory_find(directory->parent);
		if (!directory)
			return false;
	}
	memcpy(path, reversed + start, sizeof reversed - start);
	return true;
}
