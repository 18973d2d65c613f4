/* Reads a directory and tells of what is in it. */
#pragma once

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "answer.h"
#include "pending.h"
#include "seen.h"

/* What readers go by; the same for all of a walk. */
struct walk {
	/* All files are told of, and none noted as seen. */
	bool is_list;
	/* Files that were changed since then are told of. */
	struct timespec changed_from;
	/* How many were looked at. */
	atomic_uint files;
};

#define SEEN_AT_ONCE 512

/* One thread's. */
struct reader {
	struct walk *walk;
	struct answer *answer;
	/* Of the directory that is read. */
	struct directory *directory;
	char path[PATH_MAX];
	/* When the directory was last told, by answer->flushes: what is told in a later write needs it told again. */
	bool is_told;
	unsigned told_at;
	struct directory *children;
	struct seen_file seen[SEEN_AT_ONCE];
	size_t seen_count;
	uint8_t names[FRAME_BODY_MAX];
	size_t names_bytes;
	char entries[65536] __attribute__((aligned(8)));
};

/* The file `name` of the directory that is open as `fd`, or without a name that itself. Answers whether it is told of. */
bool reader_look(struct reader *reader, int fd, const char *name);
/* All that is in a directory. Answers a list of the directories in it. */
struct directory *reader_read(struct reader *reader, struct directory *directory);
/* Starts with a directory of which reader_look() tells single files; ends with reader_finish(). */
void reader_enter(struct reader *reader, struct directory *directory);
struct directory *reader_finish(struct reader *reader);
