/* Frames on their way to the bridge. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

/* Where one thread gathers frames. They are written together, so those of two threads do not mix. */
struct answer {
	size_t filled;
	/* How often it was written. */
	unsigned flushes;
	uint8_t bytes[4 * (FRAME_HEADER_BYTES + FRAME_BODY_MAX)];
};

/* That of the main thread. */
extern struct answer main_answer;

/* Has room for `frames` frames, which then are written together; no more than 4. */
void answer_make_room(struct answer *answer, size_t frames);
/* Where the body of the next frame goes, FRAME_BODY_MAX bytes. */
uint8_t *answer_reserve(struct answer *answer);
/* Turns `length` bytes that were written at answer_reserve() into a frame. */
void answer_commit(struct answer *answer, enum scan_frame kind, size_t length);
void answer_flush(struct answer *answer);
/* Keeps what the main thread answers in memory from now on. */
void answer_keep(void);
/* The bytes that are kept. */
size_t answer_kept(void);
/* Keeps the first `bytes` of them only. */
void answer_cut(size_t bytes);
/* Answers `count`, and what was kept. */
void answer_release(uint64_t count);
/* Ends the answer to a request. */
void answer_done(uint64_t value);

/* Tells the bridge what cannot be done and, from errno unless that is 0, why; then exits. */
__attribute__((format(printf, 2, 3))) _Noreturn void refuse(enum scan_failure failure, const char *format, ...);

/* Little-endian fields; each answers where the next one goes. */
uint8_t *put_u32(uint8_t *at, uint32_t value);
uint8_t *put_u64(uint8_t *at, uint64_t value);
uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t count);
