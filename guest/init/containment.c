#include "containment.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "protocol.h"

#define CGROUP "/sys/fs/cgroup"
/*
 * As if half of the memory that there may be was its own (proc_pid_oom_score_adj(5)). Init has the least that the
 * launcher may give it, and does without privileges: then its children can come down to it, but do not begin there.
 */
#define PROCESS_OOM_SCORE "500"
/* A 128 MiB guest is slow long before this; the point is that `kill` and a root shell still start. */
#define PROCESSES_MAX 512
#define PROCESSES_MAX_TEXT "512"
/* Init's own: five for each process, and some. */
#define OPEN_FILES (5 * STREAMS_MAX + 128)

static bool has_groups;
static struct rlimit inherited_files;

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	int error = write(fd, text, strlen(text)) < 0 ? errno : 0;
	close(fd);
	return error;
}

void containment_take_descriptors(void)
{
	getrlimit(RLIMIT_NOFILE, &inherited_files);
	struct rlimit files = inherited_files;
	if (files.rlim_cur < OPEN_FILES && files.rlim_max >= OPEN_FILES) {
		files.rlim_cur = OPEN_FILES;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

void containment_open(void)
{
	if (mount("cgroup", CGROUP, "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		return;
	/* User and root apart, so that a user's fork bomb leaves root able to act. */
	if (write_file(CGROUP "/cgroup.subtree_control", "+pids") != 0)
		return;
	mkdir(CGROUP "/user", 0755);
	mkdir(CGROUP "/root", 0755);
	has_groups = write_file(CGROUP "/user/pids.max", PROCESSES_MAX_TEXT) == 0 &&
		     write_file(CGROUP "/root/pids.max", PROCESSES_MAX_TEXT) == 0;
}

int containment_join(bool root)
{
	if (!has_groups)
		return 0;
	return write_file(root ? CGROUP "/root/cgroup.procs" : CGROUP "/user/cgroup.procs", "0");
}

void containment_limit(bool root)
{
	struct rlimit processes = { PROCESSES_MAX, PROCESSES_MAX };
	if (!root)
		setrlimit(RLIMIT_NPROC, &processes);
}

void containment_return_descriptors(void)
{
	setrlimit(RLIMIT_NOFILE, &inherited_files);
}

void containment_keep_descriptors(int *kept)
{
	int moved = STDERR_FILENO + 1;
	dup2(*kept, moved);
	*kept = moved;
	/* Linux 5.9, which a host need not have. */
	if (syscall(SYS_close_range, moved + 1, ~0u, 0) == 0)
		return;
	for (int fd = moved + 1; fd < OPEN_FILES; fd++)
		close(fd);
}

void containment_follow_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

int containment_yield_memory(void)
{
	int error = write_file("/proc/self/oom_score_adj", PROCESS_OOM_SCORE);
	/* Who started the bridge has allowed no less than something above: more is never refused. */
	return error == EACCES ? write_file("/proc/self/oom_score_adj", "1000") : error;
}
