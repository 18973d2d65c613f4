/* What the bridge asks for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

struct request {
	enum watch_request kind;
	uint32_t root;
	/* Of WATCH_ADD; valid until the next request is taken. */
	char path[REQUEST_BODY_MAX + 1];
	size_t path_length;
};

/* Reads what standard input has. Answers false at its end, and where it is nothing that a bridge says. */
bool request_read(void);
/* The next request of what was read, if all of it is there. */
bool request_take(struct request *request);
