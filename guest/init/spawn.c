#include "spawn.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "containment.h"
#include "environment.h"
#include "host.h"
#include "identity.h"
#include "port-relay.h"

/* Everything from here to execute() runs in the child. */

static _Noreturn void fail(int report, enum spawn_step step, int error)
{
	struct spawn_failure failure = { error, step };
	ssize_t written = write(report, &failure, sizeof failure);
	(void)written;
	_exit(127);
}

/* Programs expect default signals; init blocks some and inherits others ignored. */
static void reset_signals(void)
{
	sigset_t none;
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void take_files(const struct exec_request *request, const struct spawn_files *files)
{
	for (int fd = 0; fd < CHILD_FILES; fd++) {
		if (files->child_files[fd] >= 0)
			dup2(files->child_files[fd], fd);
	}
	if (request->flags & EXEC_PTY)
		ioctl(0, TIOCSCTTY, 0);
}

static void enter_root(const struct exec_request *request, int report)
{
	bool root = request->flags & EXEC_ROOT;
	int error = containment_join(root);
	if (error)
		fail(report, SPAWN_JOIN_GROUP, error);
	if (chroot(SYSROOT) < 0 || chdir("/") < 0)
		fail(report, SPAWN_CHANGE_ROOT, errno);
	containment_limit(root);
}

static void become(const struct exec_request *request, struct identity *identity, int report)
{
	/* With one id, all are who has it: root of a namespace, or a user of no name. */
	bool is_root = geteuid() == 0, asks_root = is_root && request->flags & EXEC_ROOT;
	identity_find(asks_root || (is_root && host.has_one_id) ? "root" : DEFAULT_USER, identity);
	if (request->flags & EXEC_PTY && fchown(0, identity->uid, (gid_t)-1) < 0)
		fail(report, SPAWN_BECOME_USER, errno);
	int error = host.has_one_id ? 0 : identity_assume(identity);
	if (!error && host.is_jail)
		error = identity_keep_capabilities(asks_root ? JAIL_ROOT_CAPABILITIES : 0);
	if (error)
		fail(report, SPAWN_BECOME_USER, error);
}

/* Like execvp(3), but with the PATH of the new environment and no fallback to a shell. */
static int execute(const char **arguments, const char **environment)
{
	const char *name = arguments[0];
	if (strchr(name, '/') || !*name) {
		execve(name, (char **)arguments, (char **)environment);
		return errno;
	}
	int error = ENOENT;
	const char *path = environment_get(environment, "PATH");
	while (path && *path) {
		char candidate[PATH_MAX];
		int length = (int)strcspn(path, ":");
		int written = snprintf(candidate, sizeof candidate, "%.*s/%s", length, path, name);
		if (length > 0 && written < PATH_MAX) {
			execve(candidate, (char **)arguments, (char **)environment);
			/* Found but not executable says more than not found further on. */
			if (errno != ENOENT && errno != ENOTDIR)
				error = errno;
			if (error != ENOENT && error != EACCES)
				return error;
		}
		path += length + (path[length] == ':');
	}
	return error;
}

/* Init's memory goes on in this process, so nobody may look into it. */
static _Noreturn void be_connection(const struct exec_request *request, int report)
{
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NAME, "port-relay");
	containment_keep_descriptors(&report);
	int socket = port_connect(request->port);
	if (socket < 0)
		fail(report, SPAWN_CONNECT, -socket);
	/* Says that it is connected, as the report of a program closes when it is executed. */
	close(report);
	port_relay(socket);
}

static _Noreturn void run(const struct exec_request *request, const struct spawn_files *files)
{
	int report = files->child_report;
	setsid();
	reset_signals();
	take_files(request, files);
	umask(022);
	containment_return_descriptors();

	struct identity identity = { 0 };
	bool has_users = host.owns_machine || host.is_jail;
	if (host.owns_machine)
		enter_root(request, report);
	/* Where there is no /proc, all of the jail is one to the kernel: support.md says so. */
	int error = host.is_jail && !host.owns_id ? containment_yield_memory() : 0;
	if (error)
		fail(report, SPAWN_YIELD_MEMORY, error);
	if (has_users)
		become(request, &identity, report);
	else
		containment_follow_parent();
	/* An agent runs everything as itself. */
	if (!has_users && request->flags & EXEC_ROOT && geteuid() != 0)
		fail(report, SPAWN_BECOME_USER, EPERM);

	if (request->flags & EXEC_CONNECT)
		be_connection(request, report);
	if (!environment_complete(request, has_users ? &identity : NULL))
		fail(report, SPAWN_ARGUMENTS, E2BIG);
	const char *directory = *request->directory ? request->directory : environment_get(request->environment, "HOME");
	if (directory && chdir(directory) < 0) {
		/* A home that is not there is no reason to refuse; a directory asked for by name is. */
		if (*request->directory)
			fail(report, SPAWN_CHANGE_DIRECTORY, errno);
		if (chdir("/") < 0)
			fail(report, SPAWN_CHANGE_DIRECTORY, errno);
	}
	fail(report, SPAWN_EXECUTE, execute(request->arguments, request->environment));
}

pid_t spawn(const struct exec_request *request, const struct spawn_files *files)
{
	pid_t pid = fork();
	if (pid == 0)
		run(request, files);
	return pid;
}

const char *spawn_step_text(enum spawn_step step)
{
	switch (step) {
	case SPAWN_JOIN_GROUP:
		return "Cannot join the control group";
	case SPAWN_CHANGE_ROOT:
		return "Cannot enter the root file system";
	case SPAWN_YIELD_MEMORY:
		return "Cannot set the order in which processes end when memory runs out";
	case SPAWN_BECOME_USER:
		return "Cannot become the user";
	case SPAWN_CHANGE_DIRECTORY:
		return "Cannot enter the working directory";
	case SPAWN_ARGUMENTS:
		return "Cannot take that many variables";
	case SPAWN_EXECUTE:
		return "Cannot execute the program";
	case SPAWN_CONNECT:
		return "Cannot connect to the port";
	}
	return "Cannot start";
}

enum start_subject spawn_step_subject(enum spawn_step step)
{
	if (step == SPAWN_EXECUTE)
		return START_OF_PROGRAM;
	return step == SPAWN_CHANGE_DIRECTORY ? START_IN_DIRECTORY : START_OF_NEITHER;
}
