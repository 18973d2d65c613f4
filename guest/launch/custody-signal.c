#include "custody-signal.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool read_namespace(pid_t pid, struct stat *namespace)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)pid);
	return stat(path, namespace) == 0;
}

/* Those of the jail are in no namespace of ours: in its own, or in one that was made in it. */
static bool is_outside(pid_t pid)
{
	struct stat ours, theirs;
	return !read_namespace(getpid(), &ours) || !read_namespace(pid, &theirs) ||
	       (ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino);
}

/* proc_pid_stat(5): the parent comes after the state, and that after the name, which may hold anything. */
static pid_t parent_of(pid_t pid)
{
	char path[64], text[512];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
	if (file)
		fclose(file);
	text[length] = 0;
	const char *name = strrchr(text, ')');
	int parent = 0;
	return name && sscanf(name, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* Every process inside descends from PID 1 of the jail, and from nobody else's. */
static bool is_inside(pid_t jail, pid_t pid)
{
	while (pid > 1 && pid != jail && !is_outside(pid))
		pid = parent_of(pid);
	return pid == jail;
}

void custody_signal_send(pid_t jail, const struct custody_signal *signal)
{
	/* Before it is looked at: the number cannot become another's meanwhile. */
	int fd = (int)syscall(SYS_pidfd_open, signal->pid, 0);
	if (fd < 0)
		return;
	if (is_inside(jail, signal->pid))
		syscall(SYS_pidfd_send_signal, fd, signal->signal, NULL, 0);
	close(fd);
}
