#include "task.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "loop.h"
#include "messages.h"

#define TASKS_MAX 8

struct outcome {
	int error;
	char what[160];
};

struct task {
	struct watch report;
	uint32_t request;
	void (*finished)(int error);
};

static struct task tasks[TASKS_MAX] = {
	[0 ... TASKS_MAX - 1] = { .report = WATCH_CLOSED },
};

static void on_report(struct watch *watch, uint32_t events)
{
	(void)events;
	struct task *task = container_of(watch, struct task, report);
	struct outcome outcome;
	ssize_t count = read(watch->fd, &outcome, sizeof outcome);
	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (count != sizeof outcome)
		outcome = (struct outcome){ EINTR, "Cannot finish: killed half-way" };
	watch_close(watch);
	if (task->finished)
		task->finished(outcome.error);
	if (task->request == 0)
		return;
	if (outcome.error)
		send_error(task->request, outcome.error, outcome.what);
	else
		send_ok(task->request);
}

static _Noreturn void run(task_function *function, int report)
{
	struct outcome outcome = { 0 };
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	outcome.error = function(outcome.what, sizeof outcome.what);
	ssize_t written = write(report, &outcome, sizeof outcome);
	(void)written;
	_exit(0);
}

void task_start(uint32_t request, task_function *function, void (*finished)(int error))
{
	struct task *task = tasks;
	while (task < tasks + TASKS_MAX && task->report.fd >= 0)
		task++;
	int ends[2];
	if (task == tasks + TASKS_MAX || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) {
		send_error(request, EAGAIN, "Cannot do more at once");
		return;
	}
	pid_t pid = fork();
	if (pid == 0)
		run(function, ends[1]);
	int error = errno;
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		send_error(request, error, "Cannot fork");
		return;
	}
	watch_open(&task->report, ends[0], WATCH_MAIN);
	task->report.ready = on_report;
	task->request = request;
	task->finished = finished;
	watch_arm(&task->report, EPOLLIN);
}

void tasks_forget(void)
{
	for (struct task *task = tasks; task < tasks + TASKS_MAX; task++)
		task->request = 0;
}
