/* Reads symbolic links without touching the times at which they were read. */
#pragma once

#include <sys/types.h>

/*
 * As readlinkat(2), of `name` in the directory that is open as `fd` and has the path `directory` in the
 * folder. Where this host lets nobody mount, reading changes the link's time of access.
 */
ssize_t links_read(int fd, const char *directory, const char *name, char *target, size_t size);
