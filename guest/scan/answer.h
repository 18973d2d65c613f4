/* Frames on their way to the bridge: one buffer, written when it is full or nothing else is asked. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

/* Where the body of the next frame goes, FRAME_BODY_MAX bytes. */
uint8_t *answer_reserve(void);
/* Turns `length` bytes that were written at answer_reserve() into a frame. */
void answer_commit(enum scan_frame kind, size_t length);
void answer_done(uint64_t value);
void answer_flush(void);

/* Tells the bridge what cannot be done and, from errno unless that is 0, why; then exits. */
__attribute__((format(printf, 2, 3))) _Noreturn void refuse(enum scan_failure failure, const char *format, ...);

/* Little-endian fields; each answers where the next one goes. */
uint8_t *put_u32(uint8_t *at, uint32_t value);
uint8_t *put_u64(uint8_t *at, uint64_t value);
uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t count);
