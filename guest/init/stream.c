#include "stream.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec-request.h"
#include "messages.h"
#include "pty.h"
#include "reap.h"
#include "spawn.h"
#include "stream-table.h"

static void on_launched(struct watch *watch, uint32_t events)
{
	(void)events;
	struct stream *stream = container_of(watch, struct stream, launch);
	struct spawn_failure failure;
	ssize_t count = read(watch->fd, &failure, sizeof failure);
	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (count == sizeof failure) {
		if (stream->id != 0)
			send_start_error(stream->id, failure.error, spawn_step_text(failure.step),
					 spawn_step_subject(failure.step));
		stream_release(stream);
		return;
	}
	watch_close(watch);
	stream->state = STREAM_RUNNING;
	if (stream->id != 0)
		send_started(stream->id, stream->pid);
	stream_arm_output(stream);
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
	stream_watch_output(stream, &files);
	stream_watch_input(stream, files.input);
	watch_arm(&stream->launch, EPOLLIN);
	return 0;
}

static void begin(uint32_t id, const struct exec_request *request)
{
	if (id == 0 || stream_find(id)) {
		send_error(id, EEXIST, "Cannot start a second process on one stream");
		return;
	}
	struct stream *stream = stream_allocate();
	if (!stream) {
		send_error(id, EAGAIN, "Cannot run more processes at once");
		return;
	}
	*stream = (struct stream){
		.state = STREAM_STARTING,
		.id = id,
		.flags = request->flags,
		.credit = request->window,
		.launch = { .fd = -1, .ready = on_launched },
		.output = WATCH_CLOSED,
		.errors = WATCH_CLOSED,
		.status = WATCH_CLOSED,
		.input = WATCH_CLOSED,
	};
	int error = request->flags & EXEC_STDIN ? input_queue_open(&stream->queue) : 0;
	if (!error)
		error = start(stream, request);
	if (error) {
		send_error(id, error, "Cannot start a process");
		stream_release(stream);
	}
}

void stream_exec(const struct frame *frame)
{
	struct exec_request request;
	if (!exec_request_parse(frame, &request))
		send_error(frame->id, EPROTO, "Cannot read the EXEC frame");
	else if (request.flags & EXEC_PTY && request.flags & EXEC_STATUS)
		send_error(frame->id, EINVAL, "Cannot give a process with a terminal a status descriptor");
	else
		begin(frame->id, &request);
}

void stream_connect(const struct frame *frame)
{
	struct exec_request request;
	if (connect_request_parse(frame, &request))
		begin(frame->id, &request);
	else
		send_error(frame->id, EPROTO, "Cannot read the CONNECT frame");
}

static void kill_stream(struct stream *stream, enum exit_reason reason)
{
	if (stream_is_alive(stream)) {
		stream->reason = reason;
		/* It may not have come as far as setsid(). */
		kill(stream->pid, SIGKILL);
	}
	kill_session(stream->pid);
}

void stream_signal_groups(const struct stream *stream, int signal)
{
	if (kill(-stream->pid, signal) < 0 && stream_is_alive(stream))
		kill(stream->pid, signal);
	/* What a terminal's user means is the job in the foreground, which has a group of its own. */
	if (stream->flags & EXEC_PTY) {
		pid_t foreground = pty_foreground(stream->output.fd);
		if (foreground > 0 && foreground != stream->pid)
			kill(-foreground, signal);
	}
}

void stream_signal(uint32_t id, uint8_t signal)
{
	struct stream *stream = stream_find(id);
	if (!stream)
		return;
	if (signal == SIGKILL)
		kill_stream(stream, EXIT_KILLED);
	else
		stream_signal_groups(stream, signal);
}

void stream_resize(uint32_t id, uint16_t columns, uint16_t rows)
{
	struct stream *stream = stream_find(id);
	if (stream && stream->flags & EXEC_PTY)
		pty_resize(stream->output.fd, columns, rows);
}

void stream_close(uint32_t id)
{
	struct stream *stream = stream_find(id);
	if (!stream)
		return;
	kill_stream(stream, EXIT_KILLED);
	stream_drop_output(stream);
	if (stream->state == STREAM_DRAINING)
		stream_settle(stream);
}

void streams_drop_starting(void)
{
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (stream->state != STREAM_STARTING)
			continue;
		kill_stream(stream, EXIT_KILLED);
		stream_drop_output(stream);
		stream->id = 0;
	}
}

void stream_reaped(pid_t pid, int status, const struct rusage *usage)
{
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (!stream_is_alive(stream) || stream->pid != pid)
			continue;
		if (stream->state == STREAM_STARTING)
			on_launched(&stream->launch, 0);
		if (stream->state != STREAM_RUNNING)
			return;
		stream->ended_ns = now_ns();
		stream->ending = status;
		stream->usage = *usage;
		if (!WIFSIGNALED(status))
			stream->reason = EXIT_EXITED;
		stream_drain(stream);
		return;
	}
}

void streams_abandon(enum exit_reason reason)
{
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (stream->state == STREAM_FREE)
			continue;
		if (stream_is_alive(stream))
			stream->reason = reason;
		stream_drop_output(stream);
	}
}

void streams_signal(int signal)
{
	for (struct stream *stream = streams; stream < streams + STREAMS_MAX; stream++) {
		if (stream_is_alive(stream))
			stream_signal(stream->id, (uint8_t)signal);
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
