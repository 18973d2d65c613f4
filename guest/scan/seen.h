/*
 * What the last look has seen: inodes and their times of change, which no program can set. They are
 * compared for being the same, so a clock that was put back hides nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Begins a look. */
void seen_begin(void);
/* For the next look. */
void seen_add(uint64_t ino, uint64_t changed_ns);
/* In the last look. */
bool seen_before(uint64_t ino, uint64_t changed_ns);
