/* The frames that tell what is in directories. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "answer.h"

/* What is told next is in the directory at `path`. With `is_whole` all names of it are told. */
void tell_directory(struct answer *answer, const char *path, bool is_whole);
struct told_file {
	/* Open, and its path in the folder. */
	int directory;
	const char *directory_path;
	/* Empty for the directory itself. */
	const char *name;
};

void tell_file(struct answer *answer, const struct told_file *file, const struct statx *stat);
