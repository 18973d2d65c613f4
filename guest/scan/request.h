/* What the bridge asks for. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "protocol.h"
#include "seen.h"

struct request {
	enum scan_request kind;
	/* Of SCAN_LOOK. */
	struct timespec changed_from;
	/* Of SCAN_SEEN. */
	struct seen_file seen[SEEN_FILES_MAX];
	size_t seen_count;
	/* Of SCAN_AHEAD. */
	uint32_t files, milliseconds;
	uint64_t bytes;
	/* Of the others; valid until the next request is read. */
	char path[REQUEST_BODY_MAX + 1];
};

/* Waits for the next request, with all answers on their way. Answers false when nothing more will be asked. */
bool request_next(struct request *request);
