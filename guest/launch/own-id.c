#include "own-id.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"

#define ROUND_NS 1000000
#define CLEAR_ROUNDS 2000
/* Exit codes of a process that has become the user. */
enum outcome { OUTCOME_YES, OUTCOME_NO, OUTCOME_OTHER_USER };

static void pause_a_round(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = ROUND_NS }, NULL);
}

static pid_t start_as(uid_t id, enum outcome (*act)(int argument), int argument)
{
	pid_t pid = fork();
	/* Others of this host may have all the processes that there can be for a while. */
	for (int round = 0; pid < 0 && errno == EAGAIN && round < CLEAR_ROUNDS; round++) {
		pause_a_round();
		pid = fork();
	}
	if (pid < 0)
		fail("Cannot make a process");
	if (pid == 0)
		_exit(setresgid(id, id, id) < 0 || setresuid(id, id, id) < 0 ? OUTCOME_OTHER_USER : act(argument));
	return pid;
}

/*
 * Whoever else has the id may kill the process that acts as it: that is no answer, and so a "no". It may
 * also be stopped: what does not go on is killed, which the id cannot keep us from.
 */
static bool act_as(uid_t id, enum outcome (*act)(int argument), int argument)
{
	pid_t pid = start_as(id, act, argument);
	int status = 0;
	while (waitpid(pid, &status, WUNTRACED) < 0 ? errno == EINTR : WIFSTOPPED(status)) {
		if (WIFSTOPPED(status))
			kill(pid, SIGKILL);
	}
	errno = EPERM;
	if (WIFEXITED(status) && WEXITSTATUS(status) == OUTCOME_OTHER_USER)
		fail("Cannot become user %u", id);
	return WIFEXITED(status) && WEXITSTATUS(status) == OUTCOME_YES;
}

static enum outcome signal_all(int signal)
{
	/* Answers 0 also where all that there are refuse it. */
	kill(-1, signal);
	return OUTCOME_YES;
}

/* RLIMIT_NPROC counts what a user has (getrlimit(2)): a limit of two lets its only process make one more. */
static enum outcome is_alone(int unused)
{
	(void)unused;
	struct rlimit two = { 2, 2 };
	if (setrlimit(RLIMIT_NPROC, &two) < 0)
		return OUTCOME_NO;
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	return pid > 0 && waitpid(pid, NULL, 0) == pid ? OUTCOME_YES : OUTCOME_NO;
}

void own_id_signal(uid_t id, int signal)
{
	act_as(id, signal_all, signal);
}

bool own_id_is_free(uid_t id)
{
	return act_as(id, is_alone, 0);
}

void own_id_end(uid_t id)
{
	for (;;) {
		own_id_signal(id, SIGKILL);
		pid_t pid;
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0 && errno == ECHILD)
			return;
		pause_a_round();
	}
}

int own_id_clear(const char *text)
{
	char *rest;
	unsigned long id = strtoul(text, &rest, 10);
	errno = EINVAL;
	if (*rest || id == 0 || id >= (uid_t)-1)
		fail("Cannot clear the id %s", text);
	for (int round = 0; round < CLEAR_ROUNDS; round++) {
		if (own_id_is_free((uid_t)id))
			return 0;
		own_id_signal((uid_t)id, SIGKILL);
		pause_a_round();
	}
	errno = EBUSY;
	fail("Cannot clear the id %s", text);
}
