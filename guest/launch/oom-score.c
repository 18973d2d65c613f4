#include "oom-score.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* OOM_DISABLE of linux/oom.h. */
#define NEVER "-17"

void oom_score_spare(pid_t pid)
{
	char path[64];
	/*
	 * By the older of the two files: what a privileged process writes to oom_score_adj is also the least that the
	 * children of `pid` could set themselves, and nobody would be left to end (__set_oom_adj() in fs/proc/base.c).
	 */
	snprintf(path, sizeof path, "/proc/%d/oom_adj", (int)pid);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	ssize_t written = write(fd, NEVER, strlen(NEVER));
	(void)written;
	close(fd);
}
