/* The folder that is scanned, and what bounds that. */
#pragma once

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

struct folder {
	int fd;
	char path[PATH_MAX];
	/* stx_dev_major and stx_dev_minor. */
	uint32_t device[2];
	uint32_t files_max;
	size_t path_max;
};

extern struct folder folder;

/* Opens `path`, which is the bridge's own. What its owner could see is seen, whatever the modes. */
void folder_open(const char *path);
/* Opens another one in its place. */
void folder_go(const char *path);
/*
 * Opens `path` below the folder for reading: no symbolic link is followed, and nothing waits for a
 * fifo or touches times. Answers -1 with errno.
 */
int folder_open_file(const char *path, int flags);
/* The same below `folder_fd`. */
int folder_open_at(int folder_fd, const char *path, int flags);
