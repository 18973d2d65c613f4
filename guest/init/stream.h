/*
 * A stream is one process that the host asked for, with its standard files and its flow control: a program, or a
 * connection to a port of this machine.
 * Slots are fixed; nothing here ever blocks on the process or on the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "frame.h"
#include "protocol.h"

/* Starts a process for an EXEC frame, or answers ERROR. */
void stream_exec(const struct frame *frame);
/* Connects to a port for a CONNECT frame, in a process that is a stream like others, or answers ERROR. */
void stream_connect(const struct frame *frame);

/* Each takes the body of a frame for `stream`; one that is gone is ignored (IP-9). */
void stream_input(uint32_t stream, const uint8_t *bytes, uint32_t length);
void stream_end_input(uint32_t stream);
void stream_signal(uint32_t stream, uint8_t signal);
void stream_resize(uint32_t stream, uint16_t columns, uint16_t rows);
void stream_grant(uint32_t stream, uint32_t bytes);
/* Kills the session and drops its output: the host has lost interest (H-8). */
void stream_close(uint32_t stream);

/* Tells the stream of `pid`, if there is one, that it is dead. */
void stream_reaped(pid_t pid, int status, const struct rusage *usage);
/* Sends what the dead left in their pipes, then EXIT. Call it whenever the outbox has drained. */
void streams_settle(void);

/* Marks all that run as ended by `reason` and drops their output. */
void streams_abandon(enum exit_reason reason);
void streams_signal(int signal);
/* Kills what the host has asked for and was not told of yet: at a HELLO it no longer waits for it (IP-5). */
void streams_drop_starting(void);
/* How many ATTACHED frames streams_attach() sends; it takes back all output credit (IP-5). */
uint32_t streams_count(void);
void streams_attach(void);
/*
 * Their host is gone: SIGHUP for all that run in the foreground, SIGKILL a moment later for what has
 * not ended by it. What was put in the background by something that has ended lives on.
 */
void streams_hang_up(void);
/* How long the loop may sleep until then, or -1. */
int streams_hang_up_turn(void);
/* The stream whose session this is, or 0. */
uint32_t stream_of_session(pid_t session);
