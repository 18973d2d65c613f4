#include "seen.h"

#include <pthread.h>
#include <stdlib.h>

#include "answer.h"

#define SLOTS_MIN 1024u

/* Open addressing; a power of two of slots, half of them free. */
struct table {
	struct seen_file *slots;
	size_t capacity;
	size_t count;
};

static struct table last, looked;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static struct seen_file *slot_of(const struct table *table, uint64_t ino)
{
	/* Knuth's multiplier, 2^64 / the golden ratio: inodes are numbered in sequence. */
	size_t at = (size_t)(ino * 0x9e3779b97f4a7c15u >> 20);
	for (;; at++) {
		struct seen_file *slot = &table->slots[at & (table->capacity - 1)];
		if (slot->ino == ino || slot->ino == 0)
			return slot;
	}
}

static struct table new_table(size_t capacity)
{
	struct table table = { .slots = calloc(capacity, sizeof *table.slots), .capacity = capacity };
	if (!table.slots)
		refuse(FAILED_OTHERWISE, "no memory for %zu files", capacity);
	return table;
}

static void grow(struct table *table)
{
	struct table larger = new_table(2 * table->capacity);
	for (size_t at = 0; at < table->capacity; at++) {
		if (table->slots[at].ino)
			*slot_of(&larger, table->slots[at].ino) = table->slots[at];
	}
	larger.count = table->count;
	free(table->slots);
	*table = larger;
}

void seen_begin(void)
{
	size_t capacity = looked.capacity > SLOTS_MIN ? looked.capacity : SLOTS_MIN;
	/* What was a large folder once may be a small one now. */
	if (capacity > SLOTS_MIN && looked.count < capacity / 8)
		capacity /= 2;
	free(last.slots);
	last = looked;
	looked = new_table(capacity);
}

void seen_add(const struct seen_file *files, size_t count)
{
	pthread_mutex_lock(&adding);
	if (looked.capacity == 0)
		looked = new_table(SLOTS_MIN);
	for (; count > 0; files++, count--) {
		struct seen_file *slot = slot_of(&looked, files->ino);
		if (slot->ino == 0 && ++looked.count > looked.capacity / 2) {
			grow(&looked);
			slot = slot_of(&looked, files->ino);
		}
		*slot = *files;
	}
	pthread_mutex_unlock(&adding);
}

bool seen_before(const struct seen_file *file)
{
	if (last.count == 0)
		return false;
	const struct seen_file *slot = slot_of(&last, file->ino);
	return slot->ino == file->ino && slot->changed_ns == file->changed_ns;
}
