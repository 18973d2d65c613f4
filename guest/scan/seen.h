/*
 * What the last look has seen: inodes and their times of change, which no program can set. They are
 * compared for being the same, so a clock that was put back hides nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seen_file {
	/* 0: nothing. */
	uint64_t ino;
	uint64_t changed_ns;
};

/* Begins a look. */
void seen_begin(void);
/* For the next look; by any thread, and before the first look by who knows of an earlier one. */
void seen_add(const struct seen_file *files, size_t count);
/* In the last look. */
bool seen_before(const struct seen_file *file);
