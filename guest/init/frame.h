/* Cuts the host's byte stream into frames, and finds the resync marker wherever it appears. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

struct frame {
	uint8_t type;
	uint32_t id;
	/* Valid until the next frame_reader_space(). */
	const uint8_t *body;
	uint32_t length;
};

enum frame_event {
	FRAME_NONE,
	FRAME_READY,
	/* The marker was found: whatever was half received is gone. */
	FRAME_RESYNC,
	/* A header that cannot be; everything up to the next marker is dropped. */
	FRAME_BAD,
};

struct frame_reader {
	uint8_t bytes[2 * (HEADER_BYTES + BODY_MAX)];
	size_t start;
	size_t end;
	/* Bytes before this were compared with the marker; `matched` of them may be its beginning. */
	size_t scanned;
	size_t matched;
	bool marker_found;
	/* Nothing is believed before the first marker or after a bad header. */
	bool in_step;
};

/* Where to read to; never zero bytes once frame_reader_next() has answered FRAME_NONE. */
size_t frame_reader_space(struct frame_reader *reader, uint8_t **into);
void frame_reader_added(struct frame_reader *reader, size_t count);
enum frame_event frame_reader_next(struct frame_reader *reader, struct frame *frame);

/* Reads a body front to back; after a short or torn field everything answers zero and `bad` is set. */
struct body {
	const uint8_t *at;
	const uint8_t *end;
	bool bad;
};

struct body body_of(const struct frame *frame);
uint8_t body_u8(struct body *body);
uint16_t body_u16(struct body *body);
uint32_t body_u32(struct body *body);
uint64_t body_u64(struct body *body);
const uint8_t *body_bytes(struct body *body, size_t count);
/* NUL-terminated text, in place. */
const char *body_text(struct body *body);
/* A u16 count and as many texts, followed by a null pointer. More than `max - 1` is bad. */
size_t body_text_list(struct body *body, const char **into, size_t max);
/* Whether everything was there and nothing is left over. */
bool body_done(const struct body *body);
