/* Standard input between host and process: a bounded ring, and the credit that keeps it so. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct input_queue {
	/* STDIN_WINDOW bytes, or NULL for a process without standard input. */
	uint8_t *bytes;
	uint32_t start;
	uint32_t used;
	/* Taken by the process, not yet told to the host. */
	uint32_t unreported;
	/* The host has nothing more to say. */
	bool ended;
	/* The process no longer reads: what comes is dropped, and credited so that nobody waits. */
	bool deaf;
};

/* Answers 0 or ENOMEM. */
int input_queue_open(struct input_queue *queue);
void input_queue_close(struct input_queue *queue);

/* False, and nothing added, when the bytes exceed what was granted. */
bool input_queue_add(struct input_queue *queue, const uint8_t *bytes, uint32_t length);
void input_queue_end(struct input_queue *queue);

/* Writes what `fd` takes. Answers the credit to grant now: 0 until a fair amount has come together. */
uint32_t input_queue_write(struct input_queue *queue, int fd);
bool input_queue_is_waiting(const struct input_queue *queue);
/* Ended, and all of it written. */
bool input_queue_is_over(const struct input_queue *queue);

/* The credit to start with after a resync. */
uint32_t input_queue_renew(struct input_queue *queue);
