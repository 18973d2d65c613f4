/* Signals as messages: all that concern this program are blocked, and taken one at a time. */
#pragma once

#include <stdint.h>

/* From now on they wait to be taken. A PID 1 gets none that it does not wait for (kill(2)). */
void signals_block(void);
/* For a child that will run a program: as a shell would leave them. */
void signals_reset(void);
/* The next one, or 0 when `deadline_ns` (CLOCK_MONOTONIC, -1: none) has passed. */
int signals_take(int64_t deadline_ns);
/*
 * While the container is prepared: waits until something happened to a child, `deadline_ns` at most. What asks for
 * the end is remembered.
 */
void signals_wait_for_child(int64_t deadline_ns);
/* The signal that asked for the end, or 0. */
int signals_end(void);
