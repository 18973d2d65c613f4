/*
 * Frames on their way to the host: one bounded buffer. A frame stays until its last byte is
 * written, so that after a resync the one that was under way is sent again from its beginning.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "protocol.h"

#define OUTBOX_BYTES (320u * 1024)
/*
 * Largest chunk of process output in one frame: what the port takes in one write. With header and
 * chunk multiples of eight, bulk output stays aligned to its pipe's pages: the 32-bit kernel then
 * copies by `rep movsl`, which v86 does at memcpy speed, and otherwise word by word (movsl_is_ok in
 * arch/x86/lib/usercopy_32.c).
 */
#define OUTPUT_CHUNK (32u * 1024 - HEADER_BYTES)
/* Process output is read only while this much is free, host frames while half of it is. */
#define OUTPUT_ROOM (192u * 1024)
#define COMMAND_ROOM (96u * 1024)

size_t outbox_room(void);
bool outbox_is_empty(void);

/* Where the body of the next frame goes; needs HEADER_BYTES + `body_max` of room, else NULL. */
uint8_t *outbox_reserve(size_t body_max);
/* Turns what was written at outbox_reserve() into a frame. */
void outbox_commit(enum init_frame type, uint32_t id, size_t length);

/*
 * Puts the marker and whatever `fill` commits in front of everything that waits, and starts the
 * frame that was half written afresh.
 */
void outbox_resync(void (*fill)(const void *context), const void *context);

/* Drops what waits: nobody is left to have it. */
void outbox_clear(void);

/* Writes what the transport takes now. Answers bytes written, or -errno; -EAGAIN when it is full. */
ssize_t outbox_flush(int fd);

/* Little-endian fields of a body under construction. */
struct writer {
	uint8_t *at;
	const uint8_t *end;
};

void put_u8(struct writer *writer, uint8_t value);
void put_u16(struct writer *writer, uint16_t value);
void put_u32(struct writer *writer, uint32_t value);
void put_u64(struct writer *writer, uint64_t value);
void put_bytes(struct writer *writer, const void *bytes, size_t count);
/* NUL-terminated, cut to `max` bytes (of text). */
void put_text(struct writer *writer, const char *text, size_t max);
