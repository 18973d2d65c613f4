/* Tells what is in a file. */
#pragma once

#include <stdbool.h>

/*
 * Its extended attributes that are a sandbox's or overlay's own and, of a regular file, its data; last what it is
 * then. Stops early, and answers false, where `is_over` says so.
 */
bool read_file(const char *path, bool (*is_over)(void));
