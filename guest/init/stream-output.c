#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "messages.h"
#include "outbox.h"
#include "stream-table.h"
#include "stream.h"

/* An EXIT frame, generously. */
#define EXIT_ROOM 1024

/* Streams that wait for credit or room to send their last output. */
static unsigned draining;

enum pumped { PUMPED_SOME, PUMPED_EMPTY, PUMPED_HELD };

/* What a connection has on standard error says that nothing more comes (IP-18). */
static bool is_end_of_connection(const struct stream *stream, const struct watch *watch)
{
	return stream->flags & EXEC_CONNECT && watch == &stream->errors;
}

/* Moves one chunk from the process to the host. */
static enum pumped pump(struct stream *stream, struct watch *watch)
{
	static uint8_t dropped[OUTPUT_CHUNK];
	if (watch->fd < 0)
		return PUMPED_EMPTY;
	/* After all that came before it. */
	if (is_end_of_connection(stream, watch) && !stream->discard) {
		enum pumped before;
		do {
			before = pump(stream, &stream->output);
		} while (before == PUMPED_SOME);
		if (before == PUMPED_HELD) {
			if (stream->credit == 0)
				watch_disarm(watch);
			return PUMPED_HELD;
		}
	}

	uint8_t *into = dropped;
	size_t size = sizeof dropped;
	if (!stream->discard) {
		if (stream->credit == 0) {
			watch_disarm(watch);
			return PUMPED_HELD;
		}
		if (outbox_room() < OUTPUT_ROOM || !(into = outbox_reserve(OUTPUT_CHUNK)))
			return PUMPED_HELD;
		if (size > stream->credit)
			size = stream->credit;
	}
	ssize_t count = read(watch->fd, into, size);
	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return PUMPED_EMPTY;
	/* The master side of a terminal answers EIO when its last slave is closed. */
	if (count <= 0) {
		watch_close(watch);
		return PUMPED_EMPTY;
	}
	if (stream->discard)
		return PUMPED_SOME;
	if (is_end_of_connection(stream, watch)) {
		outbox_commit(INIT_STDOUT, stream->id, 0);
		return PUMPED_SOME;
	}
	outbox_commit(watch == &stream->errors ? INIT_STDERR : INIT_STDOUT, stream->id, (size_t)count);
	stream->credit -= (uint32_t)count;
	return PUMPED_SOME;
}

void stream_arm_output(struct stream *stream)
{
	watch_arm(&stream->output, EPOLLIN);
	watch_arm(&stream->errors, EPOLLIN);
}

static uint64_t microseconds(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_usec;
}

static void report_exit(const struct stream *stream)
{
	bool signalled = WIFSIGNALED(stream->status);
	send_exit(stream->id, &(struct exit_message){
		.code = signalled ? 0 : (uint8_t)WEXITSTATUS(stream->status),
		.signal = signalled ? (uint8_t)WTERMSIG(stream->status) : 0,
		.reason = stream->reason == EXIT_EXITED && signalled ? EXIT_SIGNALLED : stream->reason,
		.user_us = microseconds(stream->usage.ru_utime),
		.system_us = microseconds(stream->usage.ru_stime),
		.duration_us = (uint64_t)(stream->ended_ns - stream->started_ns) / 1000u,
		.max_rss_kib = (uint32_t)stream->usage.ru_maxrss,
	});
}

/* Everything the process itself wrote was in the pipes when it died, so empty means complete. */
static bool is_drained(struct stream *stream, struct watch *watch)
{
	enum pumped pumped;
	do {
		pumped = pump(stream, watch);
	} while (pumped == PUMPED_SOME && !stream->discard);
	return stream->discard || pumped == PUMPED_EMPTY;
}

void stream_settle(struct stream *stream)
{
	bool drained = is_drained(stream, &stream->output) && is_drained(stream, &stream->errors);
	if (!drained || outbox_room() < EXIT_ROOM)
		return;
	if (stream->id != 0)
		report_exit(stream);
	draining--;
	watch_close(&stream->input);
	input_queue_close(&stream->queue);
	/* Closing a terminal hangs up what is left in it, as closing its window would. */
	if (stream->flags & EXEC_PTY)
		watch_close(&stream->output);
	stream->state = STREAM_LINGERING;
	stream->discard = true;
	if (stream->output.fd < 0 && stream->errors.fd < 0)
		stream_release(stream);
	else
		stream_arm_output(stream);
}

static void on_readable(struct stream *stream, struct watch *watch)
{
	pump(stream, watch);
	if (stream->state == STREAM_LINGERING && stream->output.fd < 0 && stream->errors.fd < 0)
		stream_release(stream);
	else if (stream->state == STREAM_DRAINING)
		stream_settle(stream);
}

static void on_output(struct watch *watch, uint32_t events)
{
	(void)events;
	on_readable(container_of(watch, struct stream, output), watch);
}

static void on_errors(struct watch *watch, uint32_t events)
{
	(void)events;
	on_readable(container_of(watch, struct stream, errors), watch);
}

void stream_watch_output(struct stream *stream, int output, int errors)
{
	watch_open(&stream->output, output, WATCH_OUTPUT);
	watch_open(&stream->errors, errors, WATCH_OUTPUT);
	stream->output.ready = on_output;
	stream->errors.ready = on_errors;
}

void stream_drop_output(struct stream *stream)
{
	stream->discard = true;
	stream_arm_output(stream);
}

void stream_drain(struct stream *stream)
{
	stream->state = STREAM_DRAINING;
	draining++;
	stream_settle(stream);
}

void streams_settle(void)
{
	if (draining == 0)
		return;
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (stream->state == STREAM_DRAINING)
			stream_settle(stream);
	}
}

void stream_grant(uint32_t id, uint32_t bytes)
{
	struct stream *stream = stream_find(id);
	if (!stream)
		return;
	stream->credit = bytes > UINT32_MAX - stream->credit ? UINT32_MAX : stream->credit + bytes;
	if (stream->state == STREAM_RUNNING)
		stream_arm_output(stream);
	else if (stream->state == STREAM_DRAINING)
		stream_settle(stream);
}
