/* The frames that tell what is in directories. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "answer.h"

/* What is told next is in the directory at `path`. With `is_whole` all names of it are told. */
void tell_directory(struct answer *answer, const char *path, bool is_whole);
/* The file `name` of `directory`; without a name, the directory itself. */
void tell_file(struct answer *answer, int directory, const char *name, const struct statx *stat);
