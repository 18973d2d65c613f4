#include "stream-table.h"

#include <stddef.h>

struct stream streams[STREAMS_MAX];

struct stream *stream_find(uint32_t id)
{
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (id != 0 && stream->id == id && stream->state != STREAM_FREE && stream->state != STREAM_LINGERING)
			return stream;
	}
	return NULL;
}

bool stream_is_alive(const struct stream *stream)
{
	return stream->state == STREAM_STARTING || stream->state == STREAM_RUNNING;
}

void stream_release(struct stream *stream)
{
	watch_close(&stream->launch);
	watch_close(&stream->output);
	watch_close(&stream->errors);
	watch_close(&stream->status);
	watch_close(&stream->input);
	input_queue_close(&stream->queue);
	stream->state = STREAM_FREE;
}

struct stream *stream_allocate(void)
{
	struct stream *lingering = NULL;
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (stream->state == STREAM_FREE)
			return stream;
		if (stream->state == STREAM_LINGERING)
			lingering = stream;
	}
	if (lingering)
		stream_release(lingering);
	return lingering;
}
