#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
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

static uint32_t bytes_in(const struct watch *watch)
{
	int count = 0;
	return watch->fd >= 0 && ioctl(watch->fd, FIONREAD, &count) == 0 ? (uint32_t)count : 0;
}

static enum pumped pump(struct stream *stream, struct watch *watch);
static bool is_drained(struct stream *stream, struct watch *watch);

static bool is_forwarded(struct stream *stream, struct watch *watch, const uint32_t *due)
{
	enum pumped pumped = PUMPED_SOME;
	while (*due > 0 && pumped == PUMPED_SOME)
		pumped = pump(stream, watch);
	return *due == 0 || pumped == PUMPED_EMPTY;
}

/*
 * Whether all is forwarded that was written before what is read next. Of what others go on writing, status waits
 * for no more than was there with it.
 */
static bool is_next(struct stream *stream, struct watch *watch)
{
	if (is_end_of_connection(stream, watch))
		return is_drained(stream, &stream->output);
	if (watch != &stream->status)
		return true;
	if (stream->status_due == 0) {
		/* First: what comes between these calls counts as written before, never as written after. */
		stream->status_due = bytes_in(&stream->status);
		stream->output_due = bytes_in(&stream->output);
		stream->errors_due = bytes_in(&stream->errors);
	}
	return is_forwarded(stream, &stream->output, &stream->output_due) &&
	       is_forwarded(stream, &stream->errors, &stream->errors_due);
}

static void note_forwarded(struct stream *stream, const struct watch *watch, uint32_t count)
{
	uint32_t *due = watch == &stream->status ? &stream->status_due :
			watch == &stream->errors ? &stream->errors_due :
						   &stream->output_due;
	*due -= count < *due ? count : *due;
	stream->credit -= count;
}

static enum init_frame frame_of(const struct stream *stream, const struct watch *watch)
{
	if (watch == &stream->status)
		return INIT_STATUS;
	return watch == &stream->errors ? INIT_STDERR : INIT_STDOUT;
}

/* Moves one chunk from the process to the host. */
static enum pumped pump(struct stream *stream, struct watch *watch)
{
	static uint8_t dropped[OUTPUT_CHUNK];
	if (watch->fd < 0)
		return PUMPED_EMPTY;
	if (!stream->discard && !is_next(stream, watch)) {
		if (stream->credit == 0)
			watch_disarm(watch);
		return PUMPED_HELD;
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
		if (watch == &stream->status && stream->status_due > 0 && size > stream->status_due)
			size = stream->status_due;
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
	outbox_commit(frame_of(stream, watch), stream->id, (size_t)count);
	note_forwarded(stream, watch, (uint32_t)count);
	return PUMPED_SOME;
}

void stream_arm_output(struct stream *stream)
{
	watch_arm(&stream->output, EPOLLIN);
	watch_arm(&stream->errors, EPOLLIN);
	watch_arm(&stream->status, EPOLLIN);
}

static bool is_closed(const struct stream *stream)
{
	return stream->output.fd < 0 && stream->errors.fd < 0 && stream->status.fd < 0;
}

static uint64_t microseconds(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_usec;
}

static void report_exit(const struct stream *stream)
{
	bool signalled = WIFSIGNALED(stream->ending);
	send_exit(stream->id, &(struct exit_message){
		.code = signalled ? 0 : (uint8_t)WEXITSTATUS(stream->ending),
		.signal = signalled ? (uint8_t)WTERMSIG(stream->ending) : 0,
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
	bool drained = is_drained(stream, &stream->output) && is_drained(stream, &stream->errors) &&
		       is_drained(stream, &stream->status);
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
	if (is_closed(stream))
		stream_release(stream);
	else
		stream_arm_output(stream);
}

static void on_readable(struct stream *stream, struct watch *watch)
{
	pump(stream, watch);
	if (stream->state == STREAM_LINGERING && is_closed(stream))
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

static void on_status(struct watch *watch, uint32_t events)
{
	(void)events;
	on_readable(container_of(watch, struct stream, status), watch);
}

void stream_watch_output(struct stream *stream, const struct spawn_files *files)
{
	watch_open(&stream->output, files->output, WATCH_OUTPUT);
	watch_open(&stream->errors, files->errors, WATCH_OUTPUT);
	watch_open(&stream->status, files->status, WATCH_OUTPUT);
	stream->output.ready = on_output;
	stream->errors.ready = on_errors;
	stream->status.ready = on_status;
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
