#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec-request.h"
#include "input-queue.h"
#include "loop.h"
#include "messages.h"
#include "outbox.h"
#include "pty.h"
#include "reap.h"
#include "spawn.h"

/* An EXIT frame, generously. */
#define EXIT_ROOM 1024

enum stream_state {
	STREAM_FREE,
	/* Forked; whether the program could be executed is not known yet. */
	STREAM_STARTING,
	STREAM_RUNNING,
	/* Reaped; what it wrote is still on its way to the host. */
	STREAM_DRAINING,
	/* EXIT is sent, but a background job holds the pipes: its output is read and dropped. */
	STREAM_LINGERING,
};

struct stream {
	enum stream_state state;
	uint32_t id;
	pid_t pid;
	uint8_t flags;
	enum exit_reason reason;
	/* Bytes of output that the host will take. */
	uint32_t credit;
	/* The host no longer wants the output. */
	bool discard;
	struct watch launch;
	struct watch output;
	struct watch errors;
	struct watch input;
	struct input_queue queue;
	int64_t started_ns;
	int64_t ended_ns;
	int status;
	struct rusage usage;
};

static struct stream streams[STREAMS_MAX];
static unsigned draining;

static struct stream *find(uint32_t id)
{
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (stream->id == id && stream->state != STREAM_FREE && stream->state != STREAM_LINGERING)
			return stream;
	}
	return NULL;
}

static bool is_alive(const struct stream *stream)
{
	return stream->state == STREAM_STARTING || stream->state == STREAM_RUNNING;
}

static void release(struct stream *stream)
{
	watch_close(&stream->launch);
	watch_close(&stream->output);
	watch_close(&stream->errors);
	watch_close(&stream->input);
	input_queue_close(&stream->queue);
	stream->state = STREAM_FREE;
}

/* A free slot; failing that, that of a dead process whose background jobs hold its pipes. */
static struct stream *allocate(void)
{
	struct stream *lingering = NULL;
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (stream->state == STREAM_FREE)
			return stream;
		if (stream->state == STREAM_LINGERING)
			lingering = stream;
	}
	if (lingering)
		release(lingering);
	return lingering;
}

/* ---- output ---- */

enum pumped { PUMPED_SOME, PUMPED_EMPTY, PUMPED_HELD };

/* Moves one chunk from the process to the host. */
static enum pumped pump(struct stream *stream, struct watch *watch)
{
	static uint8_t dropped[OUTPUT_CHUNK];
	if (watch->fd < 0)
		return PUMPED_EMPTY;

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
	if (!stream->discard) {
		outbox_commit(watch == &stream->errors ? INIT_STDERR : INIT_STDOUT, stream->id, (size_t)count);
		stream->credit -= (uint32_t)count;
	}
	return PUMPED_SOME;
}

static void arm_output(struct stream *stream)
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

static void settle(struct stream *stream)
{
	bool drained = is_drained(stream, &stream->output) && is_drained(stream, &stream->errors);
	if (!drained || outbox_room() < EXIT_ROOM)
		return;
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
		release(stream);
	else
		arm_output(stream);
}

static void on_readable(struct stream *stream, struct watch *watch)
{
	pump(stream, watch);
	if (stream->state == STREAM_LINGERING && stream->output.fd < 0 && stream->errors.fd < 0)
		release(stream);
	else if (stream->state == STREAM_DRAINING)
		settle(stream);
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

void streams_settle(void)
{
	if (draining == 0)
		return;
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (stream->state == STREAM_DRAINING)
			settle(stream);
	}
}

void stream_grant(uint32_t id, uint32_t bytes)
{
	struct stream *stream = find(id);
	if (!stream)
		return;
	stream->credit = bytes > UINT32_MAX - stream->credit ? UINT32_MAX : stream->credit + bytes;
	if (stream->state == STREAM_RUNNING)
		arm_output(stream);
	else if (stream->state == STREAM_DRAINING)
		settle(stream);
}

/* ---- input ---- */

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

void stream_input(uint32_t id, const uint8_t *bytes, uint32_t length)
{
	struct stream *stream = find(id);
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
	struct stream *stream = find(id);
	if (!stream || !(stream->flags & EXEC_STDIN))
		return;
	input_queue_end(&stream->queue);
	move_input(stream);
}

/* ---- start ---- */

static void on_launched(struct watch *watch, uint32_t events)
{
	(void)events;
	struct stream *stream = container_of(watch, struct stream, launch);
	struct spawn_failure failure;
	ssize_t count = read(watch->fd, &failure, sizeof failure);
	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (count == sizeof failure) {
		send_error(stream->id, failure.error, spawn_step_text(failure.step));
		release(stream);
		return;
	}
	watch_close(watch);
	stream->state = STREAM_RUNNING;
	send_started(stream->id, stream->pid);
	arm_output(stream);
}

/* Answers 0 or an errno. */
static int start(struct stream *stream, const struct exec_request *request)
{
	struct spawn_files files;
	int error = spawn_files_open(&files, request);
	if (error)
		return error;
	stream->started_ns = now_ns();
	stream->pid = spawn(request, &files);
	if (stream->pid < 0) {
		error = errno;
		spawn_files_close(&files);
		return error;
	}
	spawn_files_close_child_side(&files);
	watch_open(&stream->launch, files.report, WATCH_MAIN);
	watch_open(&stream->output, files.output, WATCH_OUTPUT);
	watch_open(&stream->errors, files.errors, WATCH_OUTPUT);
	watch_open(&stream->input, files.input, WATCH_MAIN);
	watch_arm(&stream->launch, EPOLLIN);
	return 0;
}

void stream_exec(const struct frame *frame)
{
	struct exec_request request;
	if (!exec_request_parse(frame, &request)) {
		send_error(frame->id, EPROTO, "Cannot read the EXEC frame");
		return;
	}
	if (frame->id == 0 || find(frame->id)) {
		send_error(frame->id, EEXIST, "Cannot start a second process on one stream");
		return;
	}
	struct stream *stream = allocate();
	if (!stream) {
		send_error(frame->id, EAGAIN, "Cannot run more processes at once");
		return;
	}
	*stream = (struct stream){
		.state = STREAM_STARTING,
		.id = frame->id,
		.flags = request.flags,
		.credit = request.window,
		.launch = { .fd = -1, .ready = on_launched },
		.output = { .fd = -1, .ready = on_output },
		.errors = { .fd = -1, .ready = on_errors },
		.input = { .fd = -1, .ready = on_writable },
	};
	int error = request.flags & EXEC_STDIN ? input_queue_open(&stream->queue) : 0;
	if (!error)
		error = start(stream, &request);
	if (error) {
		send_error(frame->id, error, "Cannot start a process");
		release(stream);
	}
}

/* ---- end ---- */

static void kill_stream(struct stream *stream, enum exit_reason reason)
{
	if (is_alive(stream)) {
		stream->reason = reason;
		/* It may not have come as far as setsid(). */
		kill(stream->pid, SIGKILL);
	}
	kill_session(stream->pid);
}

void stream_signal(uint32_t id, uint8_t signal)
{
	struct stream *stream = find(id);
	if (!stream)
		return;
	if (signal == SIGKILL) {
		kill_stream(stream, EXIT_KILLED);
		return;
	}
	if (kill(-stream->pid, signal) < 0 && is_alive(stream))
		kill(stream->pid, signal);
	/* What a terminal's user means is the job in the foreground, which has a group of its own. */
	if (stream->flags & EXEC_PTY) {
		pid_t foreground = pty_foreground(stream->output.fd);
		if (foreground > 0 && foreground != stream->pid)
			kill(-foreground, signal);
	}
}

void stream_resize(uint32_t id, uint16_t columns, uint16_t rows)
{
	struct stream *stream = find(id);
	if (stream && stream->flags & EXEC_PTY)
		pty_resize(stream->output.fd, columns, rows);
}

static void drop_output(struct stream *stream)
{
	stream->discard = true;
	arm_output(stream);
}

void stream_close(uint32_t id)
{
	struct stream *stream = find(id);
	if (!stream)
		return;
	kill_stream(stream, EXIT_KILLED);
	drop_output(stream);
	if (stream->state == STREAM_DRAINING)
		settle(stream);
}

void stream_reaped(pid_t pid, int status, const struct rusage *usage)
{
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (!is_alive(stream) || stream->pid != pid)
			continue;
		if (stream->state == STREAM_STARTING)
			on_launched(&stream->launch, 0);
		if (stream->state != STREAM_RUNNING)
			return;
		stream->ended_ns = now_ns();
		stream->status = status;
		stream->usage = *usage;
		if (!WIFSIGNALED(status))
			stream->reason = EXIT_EXITED;
		stream->state = STREAM_DRAINING;
		draining++;
		settle(stream);
		return;
	}
}

void streams_abandon(enum exit_reason reason)
{
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (stream->state == STREAM_FREE)
			continue;
		if (is_alive(stream))
			stream->reason = reason;
		drop_output(stream);
	}
}

void streams_signal(int signal)
{
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (is_alive(stream))
			stream_signal(stream->id, (uint8_t)signal);
	}
}

static bool is_attached(const struct stream *stream)
{
	return stream->state == STREAM_RUNNING || stream->state == STREAM_DRAINING;
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

uint32_t stream_of_session(pid_t session)
{
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (stream->state != STREAM_FREE && stream->state != STREAM_LINGERING && stream->pid == session)
			return stream->id;
	}
	return 0;
}
