#include "relay-loop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "relay-flow.h"
#include "relay-question.h"

/* After which a relay that has no descriptor, or has begun too much, looks whether it may go on. */
#define RETRY_MS 20
#define SPARE_DESCRIPTORS 16

enum { STREAMS_AT, QUESTIONS_AT, FIRST_AT };

static struct flow *flows[RELAY_FLOWS_MAX];
static unsigned flow_count;
static struct question questions[QUESTIONS_MAX];
static unsigned question_count;
static struct pollfd waits[FIRST_AT + QUESTIONS_MAX + 2 * RELAY_FLOWS_MAX];

/* Two for each connection, as far as we may. */
static void make_room(const struct relay *relay)
{
	struct rlimit limit;
	rlim_t wanted = 2 * relay->flow_max + QUESTIONS_MAX + SPARE_DESCRIPTORS;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Answers false where there is no descriptor, or no memory, for another. */
static bool accept_stream(const struct relay *relay)
{
	int fd = accept4(relay->streams, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
	struct flow *flow = malloc(sizeof *flow);
	if (flow && flow_begin(flow, fd, relay->key)) {
		flows[flow_count++] = flow;
		return true;
	}
	if (!flow)
		close(fd);
	free(flow);
	return true;
}

static void move_flows(void)
{
	/* From the last on, as one that ends gives its place to the last. */
	for (unsigned index = flow_count; index-- > 0;) {
		if (flow_move(flows[index], &waits[FIRST_AT + question_count + 2 * index]))
			continue;
		free(flows[index]);
		flows[index] = flows[--flow_count];
	}
}

static void move_questions(const struct relay *relay)
{
	unsigned count = question_count;
	for (unsigned index = count; index-- > 0;) {
		if (!waits[FIRST_AT + index].revents || question_move(&questions[index], relay->questions))
			continue;
		questions[index] = questions[--question_count];
	}
}

/* What may begin now, filled up by the clock: who begins more would keep the bridge from all others. */
static double allowance;

static void fill_allowance(const struct relay *relay)
{
	static struct timespec filled;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	double seconds = (double)(now.tv_sec - filled.tv_sec) + (double)(now.tv_nsec - filled.tv_nsec) / 1e9;
	allowance += seconds * relay->per_second;
	if (allowance > relay->flow_max)
		allowance = relay->flow_max;
	filled = now;
}

static unsigned watch(const struct relay *relay, bool is_waiting)
{
	bool has_room = flow_count < relay->flow_max && !is_waiting;
	waits[STREAMS_AT] = (struct pollfd){ .fd = has_room ? relay->streams : -1, .events = POLLIN };
	bool takes = question_count < QUESTIONS_MAX && !is_waiting;
	waits[QUESTIONS_AT] = (struct pollfd){ .fd = takes ? relay->questions : -1, .events = POLLIN };
	unsigned count = FIRST_AT;
	for (unsigned index = 0; index < question_count; index++)
		waits[count++] = (struct pollfd){ .fd = questions[index].bridge, .events = POLLIN };
	for (unsigned index = 0; index < flow_count; index++, count += 2)
		flow_watch(flows[index], &waits[count]);
	return count;
}

/* Answers whether to wait before anything else begins. */
static bool begin(const struct relay *relay)
{
	bool is_waiting = false;
	if (waits[STREAMS_AT].revents) {
		is_waiting = !accept_stream(relay);
		allowance--;
	}
	if (waits[QUESTIONS_AT].revents) {
		if (question_begin(&questions[question_count], relay->questions, relay->key))
			question_count++;
		allowance--;
	}
	return is_waiting;
}

_Noreturn void relay_run(const struct relay *relay)
{
	bool is_waiting = false;
	make_room(relay);
	for (;;) {
		fill_allowance(relay);
		is_waiting = is_waiting || allowance < 1;
		unsigned count = watch(relay, is_waiting);
		int ready = poll(waits, count, is_waiting ? RETRY_MS : -1);
		is_waiting = false;
		if (ready < 0 && errno != EINTR && errno != ENOMEM)
			fail("The relay of the jail's network has failed");
		if (ready <= 0)
			continue;
		/* Those that there are first, at the places where they were waited for. */
		move_flows();
		move_questions(relay);
		is_waiting = begin(relay);
	}
}
