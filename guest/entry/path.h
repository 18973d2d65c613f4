/* Paths as text. */
#pragma once

#include <limits.h>
#include <stdbool.h>

/* Writes one into PATH_MAX bytes; ends the program where it is longer. */
__attribute__((format(printf, 2, 3))) void path_write(char *into, const char *format, ...);
/* Whether a path is that of a folder or of something in it. */
bool path_is_inside(const char *path, const char *folder);
