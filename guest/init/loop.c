#include "loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

static int sets[] = { [WATCH_MAIN] = -1, [WATCH_OUTPUT] = -1 };
static struct watch output_gate = WATCH_CLOSED;

static void dispatch(int set, int timeout_ms)
{
	struct epoll_event events[32];
	int count = epoll_wait(set, events, 32, timeout_ms);
	for (int index = 0; index < count; index++) {
		struct watch *watch = events[index].data.ptr;
		/* An earlier handler of this batch may have closed or disarmed it. */
		if (watch->armed)
			watch->ready(watch, events[index].events);
	}
}

static void on_output(struct watch *watch, uint32_t events)
{
	(void)events;
	dispatch(watch->fd, 0);
}

void loop_open(void)
{
	for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
		sets[set] = epoll_create1(EPOLL_CLOEXEC);
		if (sets[set] < 0) {
			perror("init: epoll_create1");
			exit(1);
		}
	}
	watch_open(&output_gate, sets[WATCH_OUTPUT], WATCH_MAIN);
	output_gate.ready = on_output;
}

void loop_turn(int timeout_ms)
{
	dispatch(sets[WATCH_MAIN], timeout_ms);
}

void loop_admit_output(bool admit)
{
	if (admit)
		watch_arm(&output_gate, EPOLLIN);
	else
		watch_disarm(&output_gate);
}

void watch_open(struct watch *watch, int fd, enum watch_set set)
{
	watch->fd = fd;
	watch->set = set;
	watch->armed = false;
	watch->events = 0;
}

void watch_arm(struct watch *watch, uint32_t events)
{
	if (watch->fd < 0 || (watch->armed && watch->events == events))
		return;
	struct epoll_event event = { .events = events, .data.ptr = watch };
	int operation = watch->armed ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
	if (epoll_ctl(sets[watch->set], operation, watch->fd, &event) < 0) {
		perror("init: epoll_ctl");
		return;
	}
	watch->armed = true;
	watch->events = events;
}

void watch_disarm(struct watch *watch)
{
	if (!watch->armed)
		return;
	epoll_ctl(sets[watch->set], EPOLL_CTL_DEL, watch->fd, NULL);
	watch->armed = false;
}

void watch_close(struct watch *watch)
{
	if (watch->fd < 0)
		return;
	watch_disarm(watch);
	close(watch->fd);
	watch->fd = -1;
}

int64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}
