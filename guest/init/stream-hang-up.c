#include <signal.h>
#include <stdbool.h>

#include "stream-table.h"
#include "stream.h"

/* As long as a host gives a terminal's programs (limits.hangupGraceMs). */
#define GRACE_MS 2000

static bool is_waiting;
static int64_t deadline;

static void hang_up(struct stream *stream)
{
	stream->id = 0;
	if (stream_is_alive(stream)) {
		stream_signal_groups(stream, SIGHUP);
		/* A stopped process would not see it. */
		stream_signal_groups(stream, SIGCONT);
	}
	watch_close(&stream->input);
	input_queue_close(&stream->queue);
	stream_drop_output(stream);
	if (stream->state == STREAM_DRAINING)
		stream_settle(stream);
}

void streams_hang_up(void)
{
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (stream->state != STREAM_FREE && stream->state != STREAM_LINGERING)
			hang_up(stream);
	}
	is_waiting = true;
	deadline = now_ns() + GRACE_MS * 1000000ll;
}

int streams_hang_up_turn(void)
{
	if (!is_waiting)
		return -1;
	int64_t left_ns = deadline - now_ns();
	if (left_ns > 0)
		return (int)(left_ns / 1000000) + 1;
	is_waiting = false;
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (stream->id == 0 && stream_is_alive(stream))
			stream_signal_groups(stream, SIGKILL);
	}
	return -1;
}
