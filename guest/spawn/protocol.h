/*
 * What the bridge and the spawner say to each other: frames of u32 kind, u32 id, u32 length and so many
 * bytes, little-endian, on a socket that both have from the start. The bridge gives ids, each once.
 */
#pragma once

/* The socket. When the bridge closes it, the spawner ends; what it has started goes on. */
#define CONTROL 3

/* From the bridge. */
enum spawn_request {
	/*
	 * u32 counts of descriptors, arguments and variables; as many u32 descriptors; as many texts, each with
	 * its NUL. The program gets the connection that was made for each descriptor. They all were made before.
	 */
	SPAWN_START = 1,
	/* u32: a signal for a program that has not ended. */
	SPAWN_SIGNAL = 2,
};

/* From the spawner. */
enum spawn_answer {
	/* Once, first: the abstract name of the socket to connect to. */
	SPAWN_LISTENS = 16,
	/* u32: the process. Its program runs. */
	SPAWN_STARTED = 17,
	/* Text: why there is none. */
	SPAWN_FAILED = 18,
	/* u32: as of waitpid(2). */
	SPAWN_ENDED = 19,
};

/* A connection begins with the id of the request that it is for, and its place among the descriptors. */
struct greeting {
	unsigned id;
	unsigned place;
};

#define FRAME_BODY_MAX 65536
#define DESCRIPTORS_MAX 8
#define TEXTS_MAX 256
/* Connections of requests that have not come, programs that have not ended. */
#define CALLERS_MAX 1024
#define PROGRAMS_MAX 8192
