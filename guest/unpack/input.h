/* Frames from standard input. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct frame {
	uint8_t kind;
	const uint8_t *body;
	size_t length;
};

/* The next frame, valid up to the next call. Fails where the input ends or is malformed. */
struct frame next_frame(void);

uint64_t little_endian(const uint8_t *bytes, size_t count);
