#include "reap.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host.h"
#include "loop.h"
#include "proc-table.h"

/* A process can fork between being listed and being killed, so go round until nobody is new. */
#define KILL_PASSES 32

static void (*listener)(pid_t pid, int status, const struct rusage *usage);

void reap_set_listener(void (*on_reaped)(pid_t pid, int status, const struct rusage *usage))
{
	listener = on_reaped;
}

/* Answers -ECHILD when there is no child left, dead or alive. */
static int reap(void)
{
	for (;;) {
		int status;
		struct rusage usage;
		pid_t pid = wait4(-1, &status, WNOHANG, &usage);
		if (pid > 0)
			listener(pid, status, &usage);
		else if (pid == 0)
			return 0;
		else if (errno != EINTR)
			return -errno;
	}
}

void reap_children(void)
{
	reap();
}

static int kill_matching(bool (*matches)(const struct proc_entry *, pid_t), pid_t wanted)
{
	int killed = 0;
	DIR *proc = opendir("/proc");
	if (!proc)
		return 0;
	struct proc_entry entry;
	while (proc_next(proc, &entry)) {
		if (entry.state != 'Z' && entry.state != 'X' && matches(&entry, wanted) && kill(entry.pid, SIGKILL) == 0)
			killed++;
	}
	closedir(proc);
	return killed;
}

static bool is_in_session(const struct proc_entry *entry, pid_t session)
{
	return entry->session == session;
}

static bool is_child(const struct proc_entry *entry, pid_t parent)
{
	return entry->parent == parent;
}

void kill_session(pid_t session)
{
	/* Without a /proc, what has made a process group of its own is not found. */
	if (host.owns_id)
		kill(-session, SIGKILL);
	for (int pass = 0; pass < KILL_PASSES; pass++) {
		if (kill_matching(is_in_session, session) == 0)
			break;
	}
}

int kill_everything(int timeout_ms)
{
	int64_t deadline = now_ns() + timeout_ms * 1000000ll;
	for (;;) {
		/* Killing a parent makes init, the subreaper, the parent of its children: next round. */
		if (host.is_pid1 || host.owns_id)
			kill(-1, SIGKILL);
		else
			kill_matching(is_child, getpid());
		if (reap() == -ECHILD)
			return 0;
		if (now_ns() > deadline)
			return -ETIMEDOUT;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
}
