#include "frame.h"

#include <string.h>

const uint8_t resync_marker[MARKER_BYTES] = {
	0xf5, 0xc0, 0x99, 0xb1, 0xce, 0xa7, 0xd2, 0x8e, 0xe3, 0x94, 0xbb, 0x86, 0xda, 0xad, 0xc9, 0xf8,
};

static uint16_t load_u16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static uint32_t load_u32(const uint8_t *at)
{
	return load_u16(at) | (uint32_t)load_u16(at + 2) << 16;
}

size_t frame_reader_space(struct frame_reader *reader, uint8_t **into)
{
	if (reader->start > 0) {
		memmove(reader->bytes, reader->bytes + reader->start, reader->end - reader->start);
		reader->end -= reader->start;
		reader->scanned -= reader->start;
		reader->start = 0;
	}
	*into = reader->bytes + reader->end;
	return sizeof reader->bytes - reader->end;
}

void frame_reader_added(struct frame_reader *reader, size_t count)
{
	reader->end += count;
}

/* The marker's first byte occurs in it once, so a mismatch never hides a match that began earlier. */
static void scan_for_marker(struct frame_reader *reader)
{
	while (!reader->marker_found && reader->scanned < reader->end) {
		const uint8_t *at = reader->bytes + reader->scanned;
		if (reader->matched == 0) {
			const uint8_t *first = memchr(at, resync_marker[0], reader->end - reader->scanned);
			if (!first) {
				reader->scanned = reader->end;
				return;
			}
			reader->scanned += (size_t)(first - at);
			at = first;
		}
		if (*at == resync_marker[reader->matched]) {
			reader->matched++;
			reader->scanned++;
		} else {
			/* Look at this byte again as a possible beginning. */
			reader->matched = 0;
		}
		reader->marker_found = reader->matched == MARKER_BYTES;
	}
}

enum frame_event frame_reader_next(struct frame_reader *reader, struct frame *frame)
{
	scan_for_marker(reader);
	/* What may be the beginning of a marker is nobody's payload yet. */
	size_t limit = reader->scanned - reader->matched;
	const uint8_t *at = reader->bytes + reader->start;
	size_t held = limit - reader->start;

	if (reader->in_step && held >= HEADER_BYTES) {
		uint32_t type = load_u32(at);
		uint32_t length = load_u32(at + 8);
		if (type == 0 || type >= 0x80 || length > BODY_MAX || load_u32(at + 12) != 0) {
			reader->in_step = false;
			return FRAME_BAD;
		}
		if (held >= HEADER_BYTES + length) {
			*frame = (struct frame){ (uint8_t)type, load_u32(at + 4), at + HEADER_BYTES, length };
			reader->start += HEADER_BYTES + length;
			return FRAME_READY;
		}
	}
	if (reader->marker_found) {
		reader->start = reader->scanned;
		reader->matched = 0;
		reader->marker_found = false;
		reader->in_step = true;
		return FRAME_RESYNC;
	}
	if (!reader->in_step)
		reader->start = limit;
	return FRAME_NONE;
}

struct body body_of(const struct frame *frame)
{
	return (struct body){ frame->body, frame->body + frame->length, false };
}

const uint8_t *body_bytes(struct body *body, size_t count)
{
	static const uint8_t nothing[NONCE_BYTES];
	if (body->bad || (size_t)(body->end - body->at) < count) {
		body->bad = true;
		return nothing;
	}
	const uint8_t *at = body->at;
	body->at += count;
	return at;
}

uint8_t body_u8(struct body *body)
{
	return *body_bytes(body, 1);
}

uint16_t body_u16(struct body *body)
{
	return load_u16(body_bytes(body, 2));
}

uint32_t body_u32(struct body *body)
{
	return load_u32(body_bytes(body, 4));
}

uint64_t body_u64(struct body *body)
{
	uint32_t low = body_u32(body);
	return low | (uint64_t)body_u32(body) << 32;
}

const char *body_text(struct body *body)
{
	size_t left = (size_t)(body->end - body->at);
	if (body->bad || !memchr(body->at, 0, left)) {
		body->bad = true;
		return "";
	}
	const char *text = (const char *)body->at;
	body->at += strlen(text) + 1;
	return text;
}

size_t body_text_list(struct body *body, const char **into, size_t max)
{
	size_t count = body_u16(body);
	if (count >= max)
		body->bad = true;
	size_t got = 0;
	while (got < count && !body->bad)
		into[got++] = body_text(body);
	if (body->bad)
		got = 0;
	into[got] = NULL;
	return got;
}

bool body_done(const struct body *body)
{
	return !body->bad && body->at == body->end;
}
