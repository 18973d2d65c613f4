#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>

#include "messages.h"
#include "stream-table.h"
#include "stream.h"

static void move_input(struct stream *stream)
{
	uint32_t consumed = input_queue_write(&stream->queue, stream->input.fd);
	if (consumed > 0)
		send_credit(stream->id, consumed);
	if (input_queue_is_waiting(&stream->queue))
		watch_arm(&stream->input, EPOLLOUT);
	else if (input_queue_is_over(&stream->queue))
		watch_close(&stream->input);
	else
		watch_disarm(&stream->input);
}

static void on_writable(struct watch *watch, uint32_t events)
{
	(void)events;
	move_input(container_of(watch, struct stream, input));
}

void stream_watch_input(struct stream *stream, int input)
{
	watch_open(&stream->input, input, WATCH_MAIN);
	stream->input.ready = on_writable;
}

void stream_input(uint32_t id, const uint8_t *bytes, uint32_t length)
{
	struct stream *stream = stream_find(id);
	if (!stream || !(stream->flags & EXEC_STDIN))
		return;
	if (!input_queue_add(&stream->queue, bytes, length)) {
		send_error(id, ENOBUFS, "Cannot take standard input past its window");
		return;
	}
	move_input(stream);
}

void stream_end_input(uint32_t id)
{
	struct stream *stream = stream_find(id);
	if (!stream || !(stream->flags & EXEC_STDIN))
		return;
	input_queue_end(&stream->queue);
	move_input(stream);
}
