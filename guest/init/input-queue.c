#include "input-queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "protocol.h"

/* A credit frame per key press would double the traffic of typing. */
#define REPORT_AT (STDIN_WINDOW / 4)

int input_queue_open(struct input_queue *queue)
{
	*queue = (struct input_queue){ .bytes = malloc(STDIN_WINDOW) };
	return queue->bytes ? 0 : ENOMEM;
}

void input_queue_close(struct input_queue *queue)
{
	free(queue->bytes);
	*queue = (struct input_queue){ 0 };
}

bool input_queue_add(struct input_queue *queue, const uint8_t *bytes, uint32_t length)
{
	if (!queue->bytes || queue->ended || length > STDIN_WINDOW - queue->used - queue->unreported)
		return false;
	uint32_t tail = (queue->start + queue->used) % STDIN_WINDOW;
	uint32_t first = length < STDIN_WINDOW - tail ? length : STDIN_WINDOW - tail;
	memcpy(queue->bytes + tail, bytes, first);
	memcpy(queue->bytes, bytes + first, length - first);
	queue->used += length;
	return true;
}

void input_queue_end(struct input_queue *queue)
{
	queue->ended = true;
}

static void consume(struct input_queue *queue, uint32_t count)
{
	queue->start = (queue->start + count) % STDIN_WINDOW;
	queue->used -= count;
	queue->unreported += count;
}

uint32_t input_queue_write(struct input_queue *queue, int fd)
{
	while (queue->used > 0) {
		uint32_t chunk = STDIN_WINDOW - queue->start;
		if (chunk > queue->used)
			chunk = queue->used;
		if (!queue->deaf) {
			ssize_t count = write(fd, queue->bytes + queue->start, chunk);
			if (count < 0 && errno == EINTR)
				continue;
			if (count < 0 && errno == EAGAIN)
				break;
			if (count < 0)
				queue->deaf = true;
			else
				chunk = (uint32_t)count;
		}
		consume(queue, chunk);
	}
	if (queue->unreported < REPORT_AT)
		return 0;
	uint32_t credit = queue->unreported;
	queue->unreported = 0;
	return credit;
}

bool input_queue_is_waiting(const struct input_queue *queue)
{
	return queue->used > 0;
}

bool input_queue_is_over(const struct input_queue *queue)
{
	return queue->ended && queue->used == 0;
}

uint32_t input_queue_renew(struct input_queue *queue)
{
	if (!queue->bytes || queue->ended)
		return 0;
	queue->unreported = 0;
	return STDIN_WINDOW - queue->used;
}
