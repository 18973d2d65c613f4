/* What is to be made, as a frame tells it. */
#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "input.h"

struct metadata {
	mode_t mode;
	uid_t uid;
	gid_t gid;
	struct timespec mtime;
	const uint8_t *attributes;
	size_t attributes_bytes;
};

struct entry {
	struct metadata metadata;
	dev_t device;
	off_t size;
	char path[PATH_MAX];
	char target[PATH_MAX];
};

/* The attributes stay in the frame. */
void read_entry(struct entry *entry, struct frame frame);

/* Fails for what is no path below a folder, and for one that Linux does not open. `to` has PATH_MAX bytes. */
void read_path(char *to, const uint8_t *bytes, size_t length);

/* Gives a new file its owner, attributes, mode and time, in this order: each changes those after it. */
void set_metadata(int fd, const struct metadata *metadata, const char *path);
