/* What the parts of a stream share; for stream*.c only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "input-queue.h"
#include "loop.h"
#include "protocol.h"
#include "spawn.h"

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
	/* 0 when its host is gone: nobody is told of it. */
	uint32_t id;
	pid_t pid;
	uint8_t flags;
	enum exit_reason reason;
	/* Bytes of output that the host will take. */
	uint32_t credit;
	/* Bytes of status that are read next, and of the other two that are forwarded before (IP-19). */
	uint32_t status_due, output_due, errors_due;
	/* The host no longer wants the output. */
	bool discard;
	struct watch launch;
	struct watch output;
	struct watch errors;
	struct watch status;
	struct watch input;
	struct input_queue queue;
	int64_t started_ns;
	int64_t ended_ns;
	/* As wait(2) has it. */
	int ending;
	struct rusage usage;
};

extern struct stream streams[STREAMS_MAX];

/* The stream that the host knows by this id, or NULL. */
struct stream *stream_find(uint32_t id);
/* A free slot; failing that, that of a dead process whose background jobs hold its pipes; or NULL. */
struct stream *stream_allocate(void);
void stream_release(struct stream *stream);
bool stream_is_alive(const struct stream *stream);

/* Watches are set up here, where their handlers are. */
void stream_watch_output(struct stream *stream, const struct spawn_files *files);
void stream_watch_input(struct stream *stream, int input);
void stream_arm_output(struct stream *stream);
/* Signals the process group, with a terminal also the one in its foreground. */
void stream_signal_groups(const struct stream *stream, int signal);
/* From now on output is read and dropped. */
void stream_drop_output(struct stream *stream);
/* Begins to drain what a reaped process has left. */
void stream_drain(struct stream *stream);
/* Sends EXIT if all is drained. */
void stream_settle(struct stream *stream);
