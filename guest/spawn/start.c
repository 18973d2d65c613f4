#include "start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "callers.h"
#include "programs.h"

/* What is asked for: connections by their place, and where the program finds them. */
struct order {
	uint32_t descriptor_count;
	uint32_t descriptors[DESCRIPTORS_MAX];
	int connections[DESCRIPTORS_MAX];
	char *arguments[TEXTS_MAX + 1];
	char *variables[TEXTS_MAX + 1];
};

static void refuse(uint32_t id, const char *what, int error)
{
	char text[256];
	int length = snprintf(text, sizeof text, "%s%s%s", what, error ? ": " : "", error ? strerror(error) : "");
	control_say(SPAWN_FAILED, id, text, (uint32_t)length);
}

/* The next `count` texts from `at`; answers what follows, NULL when there are not so many. */
static const char *take_texts(char **texts, uint32_t count, const char *at, const char *end)
{
	if (count > TEXTS_MAX)
		return NULL;
	for (uint32_t index = 0; index < count; index++) {
		const char *stop = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
		if (stop == NULL)
			return NULL;
		texts[index] = (char *)at;
		at = stop + 1;
	}
	texts[count] = NULL;
	return at;
}

static bool read_order(const struct request *request, struct order *order)
{
	uint32_t counts[3];
	const char *at = request->body, *end = at + request->length;
	if (request->length < sizeof counts)
		return false;
	memcpy(counts, at, sizeof counts);
	at += sizeof counts;
	order->descriptor_count = counts[0];
	if (counts[0] > DESCRIPTORS_MAX || counts[1] == 0 || (size_t)(end - at) < counts[0] * sizeof(uint32_t))
		return false;
	memcpy(order->descriptors, at, counts[0] * sizeof(uint32_t));
	for (uint32_t index = 0; index < counts[0]; index++) {
		if (order->descriptors[index] >= DESCRIPTORS_MAX)
			return false;
	}
	at = take_texts(order->arguments, counts[1], at + counts[0] * sizeof(uint32_t), end);
	return at != NULL && take_texts(order->variables, counts[2], at, end) == end;
}

static bool take_connections(struct order *order, uint32_t id)
{
	bool has_all = true;
	callers_accept();
	for (uint32_t place = 0; place < order->descriptor_count; place++) {
		order->connections[place] = callers_take(id, place);
		has_all = has_all && order->connections[place] >= 0;
	}
	return has_all;
}

static void close_connections(const struct order *order)
{
	for (uint32_t place = 0; place < order->descriptor_count; place++) {
		if (order->connections[place] >= 0)
			close(order->connections[place]);
	}
}

/* Puts the connections where they belong. First out of the way, as one may lie where another belongs. */
static bool place_descriptors(struct order *order, int nothing)
{
	for (uint32_t place = 0; place < order->descriptor_count; place++) {
		order->connections[place] = fcntl(order->connections[place], F_DUPFD_CLOEXEC, DESCRIPTORS_MAX);
		if (order->connections[place] < 0)
			return false;
	}
	for (int standard = 0; standard < 3; standard++)
		dup2(nothing, standard);
	for (uint32_t place = 0; place < order->descriptor_count; place++) {
		if (dup2(order->connections[place], (int)order->descriptors[place]) < 0)
			return false;
	}
	return true;
}

/* In the child. `failure` is where errno goes; it is closed by the program's start. */
static _Noreturn void become(struct order *order, int failure)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	int error_out = fcntl(failure, F_DUPFD_CLOEXEC, 2 * DESCRIPTORS_MAX);
	int nothing = fcntl(open("/dev/null", O_RDWR | O_CLOEXEC), F_DUPFD_CLOEXEC, 2 * DESCRIPTORS_MAX);
	/* Of what we have, the program gets nothing else: the control socket does not close by exec. */
	close(CONTROL);
	/* By the PATH that it is given, not by ours. */
	environ = order->variables;
	if (nothing >= 0 && place_descriptors(order, nothing) && chdir("/") == 0)
		execvp(order->arguments[0], order->arguments);
	int error = errno;
	if (write(error_out, &error, sizeof error) < 0)
		_exit(126);
	_exit(127);
}

static void run(struct order *order, uint32_t id)
{
	int failure[2], error = 0;
	if (pipe2(failure, O_CLOEXEC) < 0) {
		refuse(id, "Cannot make a pipe", errno);
		return;
	}
	pid_t pid = fork();
	if (pid == 0)
		become(order, failure[1]);
	error = errno;
	close(failure[1]);
	if (pid < 0) {
		refuse(id, "Cannot make a process", error);
	} else if (read(failure[0], &error, sizeof error) == sizeof error) {
		/* It is reaped as nobody's. */
		refuse(id, order->arguments[0], error);
	} else {
		programs_add(id, pid);
		control_say_number(SPAWN_STARTED, id, (uint32_t)pid);
	}
	close(failure[0]);
}

void start_program(const struct request *request)
{
	static struct order order;
	if (!read_order(request, &order)) {
		refuse(request->id, "Cannot read what is to be started", 0);
		return;
	}
	if (!take_connections(&order, request->id))
		refuse(request->id, "A connection to it is missing", 0);
	else if (!programs_have_room())
		refuse(request->id, "Too many programs run", 0);
	else
		run(&order, request->id);
	close_connections(&order);
}
