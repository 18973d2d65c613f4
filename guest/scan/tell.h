/* The frames that tell what is in directories. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

/* What is told next is in the directory at `path`. With `is_whole` all names of it follow. */
void tell_directory(const char *path, bool is_whole);
/* The file `name` of `directory`; without a name, the directory itself. */
void tell_file(int directory, const char *name, const struct statx *stat);
/* A name of which nothing else is told; may be held back until tell_names_end(). */
void tell_name(const char *name);
void tell_names_end(void);
