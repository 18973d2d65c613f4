/* What a process is to be: the EXEC frame, taken apart in place, or the CONNECT frame. */
#pragma once

#include "frame.h"

#define EXEC_TEXTS_MAX 2048

struct exec_request {
	/* enum exec_flag */
	uint8_t flags;
	uint16_t columns;
	uint16_t rows;
	/* Bytes of output that the host takes before it grants more. */
	uint32_t window;
	/* With EXEC_CONNECT, instead of what follows. */
	uint16_t port;
	/* Empty: the user's home. */
	const char *directory;
	/* Null-terminated; texts point into the frame. */
	const char **arguments;
	const char **environment;
};

/* False when the frame is malformed or has no argv[0]. The lists are static: one request at a time. */
bool exec_request_parse(const struct frame *frame, struct exec_request *request);
/* The same of a CONNECT frame: false when it is malformed or names no port. */
bool connect_request_parse(const struct frame *frame, struct exec_request *request);
