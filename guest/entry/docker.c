#include "docker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../init/loop.h"
#include "data-folder.h"
#include "path.h"
#include "report.h"
#include "signals.h"
#include "tool.h"

/* How often to ask whether it listens. */
#define ASK_MS 50

#define SOCKET "/run/docker.sock"
#define LOG "dockerd.log"

/* A socket whose daemon has died refuses. */
static bool listens(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = SOCKET };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool is_there = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
	if (fd >= 0)
		close(fd);
	return is_there;
}

static pid_t start(const char *data, const struct identity *user)
{
	char path[PATH_MAX], folder[PATH_MAX], group[16];
	/* The agent uses the socket; who may do so is root of this container by it. */
	snprintf(group, sizeof group, "%u", user->gid);
	int parent = data_open(data, path);
	int own = parent < 0 ? -1 : data_open_folder(parent, "docker");
	int fd = own < 0 ? -1 : openat(parent, LOG, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	int error = errno;
	if (own >= 0)
		close(own);
	if (parent >= 0)
		close(parent);
	errno = error;
	if (fd < 0)
		return -1;
	path_write(folder, "%s/docker", path);
	const char *arguments[] = { "dockerd", "--data-root", folder, "--host", "unix://" SOCKET, "--group", group, NULL };
	struct tool tool = { .arguments = arguments, .fd = fd };
	pid_t pid = tool_start(&tool);
	close(fd);
	return pid;
}

/* Answers why it does not listen, or NULL. */
static const char *wait_for(pid_t pid, int timeout_ms)
{
	int64_t deadline = now_ns() + timeout_ms * 1000000ll;
	int status;
	while (!listens()) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) && WEXITSTATUS(status) == TOOL_NOT_FOUND ? "there is no dockerd in this container" :
											    "dockerd ended";
		if (signals_end() || now_ns() >= deadline) {
			kill(-pid, SIGKILL);
			waitpid(pid, &status, 0);
			return signals_end() ? "the container ends" : "dockerd does not listen after DOCKER_TIMEOUT";
		}
		signals_wait_for_child(now_ns() + ASK_MS * 1000000ll);
	}
	return NULL;
}

void docker_begin(const struct settings *settings, const struct identity *user)
{
	if (listens())
		return;
	if (geteuid() != 0) {
		note("DOCKER: dockerd is not started, as this container does not begin as root");
		return;
	}
	unlink(SOCKET);
	pid_t pid = start(settings->data, user);
	if (pid < 0) {
		note("DOCKER: going on without Docker: dockerd cannot be started with its data in DATA_PATH (%s): %s", settings->data,
		     strerror(errno));
		return;
	}
	const char *why = wait_for(pid, settings->docker_timeout_ms);
	if (why)
		note("DOCKER: going on without Docker: %s; what it said is in %s/" LOG, why, settings->data);
}
