/*
 * Numbers that host and init share. The prose is protocol/SPEC.md, "Init protocol" (rules IP-1 …);
 * the other side is protocol/init/frame-header.ts, and test/fixtures/init-frames.json binds both.
 */
#pragma once

#include <stdint.h>

#define PROTOCOL_VERSION 1u

/* A multiple of eight, so that bodies can be aligned: see outbox.h. */
#define HEADER_BYTES 16u
#define BODY_MAX 65536u
#define NONCE_BYTES 16u
#define MARKER_BYTES 16u

/* Stdin that a host may send ahead of the process; the output window is the host's to choose. */
#define STDIN_WINDOW 65536u
#define STREAMS_MAX 256

/* No byte below 0x80, so it can neither begin inside a header nor end in one (IP-4). */
extern const uint8_t resync_marker[MARKER_BYTES];

enum host_frame {
	HOST_HELLO = 0x01,
	HOST_MOUNT,
	HOST_UNMOUNT,
	HOST_EXEC,
	HOST_STDIN,
	HOST_STDIN_EOF,
	HOST_SIGNAL,
	HOST_RESIZE,
	HOST_CREDIT,
	HOST_CLOSE,
	HOST_SET_CLOCK,
	HOST_ADD_ENTROPY,
	HOST_SYNC,
	HOST_DROP_CACHES,
	HOST_SET_HOSTNAME,
	HOST_LIST,
	HOST_PING,
	HOST_SHUTDOWN,
	HOST_CONNECT,
};

enum init_frame {
	INIT_HELLO = 0x20,
	INIT_ATTACHED,
	INIT_STARTED,
	INIT_STDOUT,
	INIT_STDERR,
	INIT_EXIT,
	INIT_CREDIT,
	INIT_OK,
	INIT_ERROR,
	INIT_PONG,
	INIT_PROCESSES,
	INIT_LOG,
	INIT_STATUS,
};

enum capability {
	CAN_PTY = 1 << 0,
	/* MOUNT and UNMOUNT, processes in that root, and the choice between user and root. */
	CAN_MOUNT = 1 << 1,
	/* SET_CLOCK, ADD_ENTROPY, SET_HOSTNAME and DROP_CACHES: the kernel is this machine's own. */
	CAN_SET_SYSTEM = 1 << 2,
	/* EXEC_STATUS. */
	CAN_STATUS = 1 << 3,
};

enum exec_flag {
	EXEC_PTY = 1 << 0,
	EXEC_STDIN = 1 << 1,
	EXEC_ROOT = 1 << 2,
	/* Of no EXEC: the process is the connection that a CONNECT asked for, and runs no program. */
	EXEC_CONNECT = 1 << 3,
	/* Descriptor 3 of the process is a pipe of its own (IP-19). Not with a terminal. */
	EXEC_STATUS = 1 << 4,
};

enum mount_flag {
	/* A tmpfs on /tmp, outside of every snapshot. */
	MOUNT_TMP = 1 << 0,
};

/* What is at fault when the process of an EXEC cannot start. */
enum start_subject {
	START_OF_NEITHER = 0,
	START_OF_PROGRAM = 1,
	START_IN_DIRECTORY = 2,
};

enum exit_reason {
	EXIT_EXITED = 0,
	EXIT_SIGNALLED = 1,
	/* SIGNAL with KILL, CLOSE or SHUTDOWN ended it. */
	EXIT_KILLED = 2,
	/* UNMOUNT ended it. */
	EXIT_CHECKOUT = 3,
};
