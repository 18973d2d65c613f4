#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../init/loop.h"
#include "place.h"
#include "session-user.h"
#include "signals.h"

static const char *const folders[] = { "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin" };
static const char *const removed[] = { "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT",  "ENV",
				       "BASH_ENV",   "GIT_EXEC_PATH",	"PYTHONPATH" };

static bool is_kept(const char *path)
{
	struct place place;
	if (place_find(path, PLACE_FOLLOW, &place) != 0)
		return false;
	int folder = place_open(&place);
	bool is_kept = folder >= 0 && place.is_ours && place_is_kept(folder);
	if (folder >= 0)
		close(folder);
	place_close(&place);
	return is_kept;
}

static void set_own_environment(void)
{
	char path[128] = "";
	for (size_t index = 0; index < sizeof folders / sizeof *folders; index++) {
		if (!is_kept(folders[index]))
			continue;
		strcat(path, *path ? ":" : "");
		strcat(path, folders[index]);
	}
	setenv("PATH", *path ? path : "/nonexistent", 1);
	for (size_t index = 0; index < sizeof removed / sizeof *removed; index++)
		unsetenv(removed[index]);
}

static _Noreturn void be_tool(const struct tool *tool, int output)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	setpgid(0, 0);
	dup2(nothing, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	if (!tool->output)
		dup2(output, STDERR_FILENO);
	signals_reset();
	set_own_environment();
	if (tool->set_environment)
		tool->set_environment(tool->context);
	if (tool->user)
		session_user_become(tool->user);
	/* After the change of users, which takes it back. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execvp(tool->arguments[0], (char *const *)tool->arguments);
	_exit(TOOL_NOT_FOUND);
}

static pid_t start(const struct tool *tool, int output)
{
	pid_t pid = fork();
	if (pid == 0)
		be_tool(tool, output);
	if (pid > 0)
		setpgid(pid, pid);
	return pid;
}

pid_t tool_start(const struct tool *tool)
{
	return start(tool, tool->fd);
}

/* All that it has said fits into the pipe: it has ended. */
static void take_output(const struct tool *tool, int pipe)
{
	ssize_t length = read(pipe, tool->output, tool->size - 1);
	tool->output[length > 0 ? length : 0] = 0;
	tool->output[strcspn(tool->output, "\n")] = 0;
}

static int wait_for(pid_t pid, int64_t deadline_ns)
{
	int status;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		signals_wait_for_child(deadline_ns);
		bool is_late = now_ns() >= deadline_ns;
		if (!signals_end() && !is_late)
			continue;
		kill(-pid, SIGKILL);
		waitpid(pid, &status, 0);
		return is_late ? TOOL_TIMED_OUT : TOOL_ENDED;
	}
	/* What it has left running would go on in what it has made. */
	kill(-pid, SIGKILL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int tool_run(const struct tool *tool, int64_t deadline_ns)
{
	int pipes[2] = { -1, -1 };
	if (tool->output && pipe2(pipes, O_CLOEXEC | O_NONBLOCK) < 0)
		return 128;
	pid_t pid = start(tool, tool->output ? pipes[1] : tool->fd);
	int code = pid < 0 ? 128 : wait_for(pid, deadline_ns);
	if (tool->output) {
		take_output(tool, pipes[0]);
		close(pipes[0]);
		close(pipes[1]);
	}
	return code;
}
