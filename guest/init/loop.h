/*
 * One thread, one epoll. File descriptors that yield process output sit in a second epoll nested in
 * the first, so that all of them can be held back at once when the host is slow.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum watch_set { WATCH_MAIN, WATCH_OUTPUT };

struct watch {
	int fd;
	bool armed;
	enum watch_set set;
	uint32_t events;
	/* May be called once more than asked for: handlers read and write without blocking. */
	void (*ready)(struct watch *watch, uint32_t events);
};

#define WATCH_CLOSED { .fd = -1 }

#define container_of(pointer, type, member) ((type *)(void *)((char *)(pointer) - offsetof(type, member)))

void loop_open(void);
/* Waits up to `timeout_ms` (-1: for ever) and calls what is ready. */
void loop_turn(int timeout_ms);
/* Lets process output in, or leaves it in its pipes. */
void loop_admit_output(bool admit);

void watch_open(struct watch *watch, int fd, enum watch_set set);
void watch_arm(struct watch *watch, uint32_t events);
void watch_disarm(struct watch *watch);
/*
 * Unregisters, then closes. Never close a watched descriptor by hand: a child between fork and
 * exec still refers to the same open file, so epoll would go on reporting it.
 */
void watch_close(struct watch *watch);

/* CLOCK_MONOTONIC */
int64_t now_ns(void);
