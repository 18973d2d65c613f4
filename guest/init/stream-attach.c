#include <stdbool.h>

#include "messages.h"
#include "stream-table.h"
#include "stream.h"

static bool is_attached(const struct stream *stream)
{
	return stream->id != 0 && (stream->state == STREAM_RUNNING || stream->state == STREAM_DRAINING);
}

uint32_t streams_count(void)
{
	uint32_t count = 0;
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++)
		count += is_attached(stream);
	return count;
}

void streams_attach(void)
{
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (!is_attached(stream))
			continue;
		stream->credit = 0;
		send_attached(&(struct attached_message){
			.stream = stream->id,
			.pid = stream->pid,
			.flags = stream->flags,
			.stdin_credit = input_queue_renew(&stream->queue),
		});
	}
}
