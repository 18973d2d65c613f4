#include "agent.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../init/host.h"
#include "../init/loop.h"
#include "../init/proc-table.h"
#include "../init/reap.h"
#include "report.h"
#include "session-user.h"
#include "signals.h"

/* As of shells. */
#define EXIT_CANNOT_EXECUTE 126
#define EXIT_NOT_FOUND 127
/* Of what SIGKILL ends, to be gone. */
#define KILL_TIMEOUT_MS 2000
/* How often to look whether all are gone; the end of a process that is not ours gives no sign. */
#define LOOK_MS 20

static pid_t awaited;
static bool has_ended;
static int ended_status;

static void on_reaped(pid_t pid, int status, const struct rusage *usage)
{
	(void)usage;
	if (pid != awaited)
		return;
	has_ended = true;
	ended_status = status;
}

static _Noreturn void be_agent(char **arguments, const struct identity *user, const char *directory, pid_t parent)
{
	setpgid(0, 0);
	/* What a person types, ^C too, is for the agent's group. */
	if (isatty(STDIN_FILENO))
		tcsetpgrp(STDIN_FILENO, getpgrp());
	signals_reset();
	session_user_become(user);
	/* After the change of users, which takes it back. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_ENTRY);
	if (chdir(directory) < 0) {
		note("cannot enter %s: %s", directory, strerror(errno));
		directory = chdir("/") < 0 ? "." : "/";
	}
	/* Shells take its word for the name of where they are, also where that is a link to a session's copy. */
	setenv("PWD", directory, 1);
	execvp(arguments[0], arguments);
	int code = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE;
	note("Cannot execute %s: %s", arguments[0], strerror(errno));
	_exit(code);
}

pid_t agent_start(char **arguments, const struct identity *user, const char *directory)
{
	setenv("HOME", user->home, 1);
	setenv("USER", user->name, 1);
	setenv("LOGNAME", user->name, 1);
	setenv("SHELL", user->shell, 1);
	reap_set_listener(on_reaped);
	pid_t parent = getpid(), pid = fork();
	if (pid < 0)
		fail("Cannot start a process: %s", strerror(errno));
	if (pid == 0)
		be_agent(arguments, user, directory, parent);
	setpgid(pid, pid);
	awaited = pid;
	return pid;
}

/* Nobody else could wake what ^Z has stopped. */
static void wake(pid_t agent)
{
	siginfo_t info = { 0 };
	if (waitid(P_PID, (id_t)agent, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid == agent && info.si_status != SIGSTOP)
		kill(-agent, SIGCONT);
}

/* To all processes of the container, or to those that are ours. */
static void signal_all(int number)
{
	struct proc_entry entry;
	DIR *proc = host.is_pid1 ? NULL : opendir("/proc");
	if (host.is_pid1)
		kill(-1, number);
	while (proc && proc_next(proc, &entry)) {
		if (entry.parent == getpid())
			kill(entry.pid, number);
	}
	if (proc)
		closedir(proc);
}

static bool nothing_is_left(void)
{
	siginfo_t info;
	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD;
}

static void end_all(int64_t deadline_ns)
{
	signal_all(SIGTERM);
	/* A stopped process would not see it. */
	signal_all(SIGCONT);
	for (reap_children(); !nothing_is_left() && now_ns() < deadline_ns; reap_children())
		signals_take(now_ns() + LOOK_MS * 1000000ll);
	kill_everything(KILL_TIMEOUT_MS);
}

/* Root without the capability KILL may not signal another user. */
static void pass_on(pid_t agent, int number)
{
	int error = kill(-agent, number) < 0 ? errno : 0;
	/* It may have left its group, for others to have the signal alone. */
	if (getpgid(agent) != agent)
		error = kill(agent, number) < 0 ? errno : 0;
	if (error == EPERM)
		note("cannot pass signal %d on to the agent: allow the container KILL", number);
}

int agent_supervise(pid_t agent, int grace_ms)
{
	int64_t deadline = -1;
	while (!has_ended) {
		int number = signals_take(deadline);
		/* Late: it is killed with all the rest, if it can be. */
		if (number == 0)
			break;
		if (number == SIGCHLD) {
			wake(agent);
			reap_children();
		} else {
			pass_on(agent, number);
		}
		if (number == SIGTERM && deadline < 0)
			deadline = now_ns() + grace_ms * 1000000ll;
	}
	end_all(deadline < 0 ? now_ns() + grace_ms * 1000000ll : deadline);
	if (!has_ended)
		return 128 + SIGKILL;
	return WIFEXITED(ended_status) ? WEXITSTATUS(ended_status) : 128 + WTERMSIG(ended_status);
}
