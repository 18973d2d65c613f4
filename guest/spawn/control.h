/* Frames from and to the bridge. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

struct request {
	uint32_t kind;
	uint32_t id;
	uint32_t length;
	/* With a NUL after it. */
	char body[FRAME_BODY_MAX + 1];
};

/* Waits for the next frame, which the bridge writes in one go. False when there is none any more. */
bool control_read(struct request *request);

/* The bridge that does not read is waited for. */
void control_say(uint32_t kind, uint32_t id, const void *body, uint32_t length);
void control_say_number(uint32_t kind, uint32_t id, uint32_t number);
