#include "custody.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The dead are taken off a group's list a moment after they have been waited for. */
#define REMOVE_TRIES 1000
#define REMOVE_TRY_NS 1000000

static int wait_for(pid_t pid)
{
	int status;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The path of `name` beside the file by which the group is joined; an empty one is the group itself. */
static void beside(char path[PATH_MAX], const char *join, const char *name)
{
	const char *end = strrchr(join, '/');
	snprintf(path, PATH_MAX, "%.*s%s", end ? (int)(end - join) : 0, join, name);
}

static void set(const char *join, const char *name, const char *value)
{
	char path[PATH_MAX];
	beside(path, join, name);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	/* One of the two names is there, and only in the group that can freeze. */
	if (fd < 0)
		return;
	ssize_t written = write(fd, value, strlen(value));
	(void)written;
	close(fd);
}

static void remove_group(const char *join)
{
	char path[PATH_MAX];
	beside(path, join, "");
	for (int attempt = 0; attempt < REMOVE_TRIES && rmdir(path) < 0 && errno == EBUSY; attempt++)
		nanosleep(&(struct timespec){ .tv_nsec = REMOVE_TRY_NS }, NULL);
}

static void end_jail(pid_t pid, const struct jail_spec *spec)
{
	kill(pid, SIGKILL);
	for (unsigned index = 0; index < spec->group_count; index++) {
		set(spec->groups[index], "/freezer.state", "THAWED");
		set(spec->groups[index], "/cgroup.freeze", "0");
	}
	wait_for(pid);
	for (unsigned index = 0; index < spec->group_count; index++)
		remove_group(spec->groups[index]);
}

int keep_custody(pid_t pid, int bridge, const struct jail_spec *spec)
{
	/* No events asked for: what comes all the same is that both directions are closed, POLLHUP. */
	struct pollfd ends[] = { { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN }, { .fd = bridge } };
	while (poll(ends, 2, -1) < 0 && errno == EINTR)
		;
	if (ends[0].revents == 0 && ends[1].revents != 0) {
		end_jail(pid, spec);
		return 1;
	}
	return wait_for(pid);
}
