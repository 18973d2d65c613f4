#include "pending.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A power of two. */
#define BUCKETS 4096u

static struct pending *list;
static size_t count, room;
/* The first of each hash: its index + 1, or 0. */
static size_t buckets[BUCKETS];

static size_t *bucket_of(int parent, const char *name)
{
	/* FNV-1a. */
	uint32_t hash = 2166136261u ^ (uint32_t)parent;
	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return &buckets[(hash ^ hash >> 16) & (BUCKETS - 1)];
}

bool pending_note(int parent, const char *name)
{
	size_t *first = bucket_of(parent, name);
	for (size_t at = *first; at > 0; at = list[at - 1].next) {
		if (list[at - 1].parent == parent && strcmp(list[at - 1].name, name) == 0)
			return true;
	}
	if (count == room) {
		struct pending *larger = realloc(list, (room + 256) * 2 * sizeof *list);
		if (!larger)
			return false;
		list = larger;
		room = (room + 256) * 2;
	}
	char *copy = strdup(name);
	if (!copy)
		return false;
	list[count] = (struct pending){ .parent = parent, .name = copy, .next = *first };
	*first = ++count;
	return true;
}

struct pending *pending_at(size_t index)
{
	return &list[index];
}

size_t pending_count(void)
{
	return count;
}

void pending_sweep(void)
{
	size_t left = 0;
	memset(buckets, 0, sizeof buckets);
	for (size_t at = 0; at < count; at++) {
		struct pending *pending = &list[at];
		if (pending->is_done || pending->is_old) {
			free(pending->name);
			continue;
		}
		size_t *first = bucket_of(pending->parent, pending->name);
		list[left] = (struct pending){
			.parent = pending->parent,
			.name = pending->name,
			.is_old = true,
			.next = *first,
		};
		*first = ++left;
	}
	count = left;
	if (count == 0) {
		free(list);
		list = NULL;
		room = 0;
	}
}
