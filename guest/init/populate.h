/* What a freshly mounted root needs before a process can run in it. */
#pragma once

#include <stdint.h>

/*
 * Enters SYSROOT and mounts /proc, /sys, /dev and the rest from inside, so that whatever links the
 * tree holds, nothing outside of it is reached. For a child only. Answers 0 or an errno.
 */
int populate_root(uint8_t mount_flags, char *what, unsigned size);
