#include "answer.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAILURE_TEXT_BYTES 1024

struct answer main_answer;

static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

static void write_all(const uint8_t *bytes, size_t length)
{
	for (size_t at = 0; at < length;) {
		ssize_t count = write(STDOUT_FILENO, bytes + at, length - at);
		/* Whoever asked is gone. */
		if (count < 0 && errno != EINTR)
			_exit(1);
		at += count > 0 ? (size_t)count : 0;
	}
}

void answer_make_room(struct answer *answer, size_t frames)
{
	if (sizeof answer->bytes - answer->filled < frames * (FRAME_HEADER_BYTES + FRAME_BODY_MAX))
		answer_flush(answer);
}

uint8_t *answer_reserve(struct answer *answer)
{
	answer_make_room(answer, 1);
	return answer->bytes + answer->filled + FRAME_HEADER_BYTES;
}

void answer_commit(struct answer *answer, enum scan_frame kind, size_t length)
{
	uint8_t *header = answer->bytes + answer->filled;
	*put_u32(header, (uint32_t)length) = (uint8_t)kind;
	answer->filled += FRAME_HEADER_BYTES + length;
}

static struct {
	bool is_on;
	uint8_t *bytes;
	size_t filled, capacity;
} kept;

/* Of the main thread, while no other answers. */
static void keep(struct answer *answer)
{
	size_t filled = kept.filled + answer->filled;
	if (filled > kept.capacity) {
		size_t capacity = 2 * filled;
		uint8_t *bytes = realloc(kept.bytes, capacity);
		if (!bytes)
			refuse(FAILED_OTHERWISE, "no memory for %zu bytes", capacity);
		kept.bytes = bytes;
		kept.capacity = capacity;
	}
	memcpy(kept.bytes + kept.filled, answer->bytes, answer->filled);
	kept.filled = filled;
}

void answer_flush(struct answer *answer)
{
	if (kept.is_on)
		keep(answer);
	else {
		pthread_mutex_lock(&writing);
		write_all(answer->bytes, answer->filled);
		pthread_mutex_unlock(&writing);
	}
	answer->filled = 0;
	answer->flushes++;
}

void answer_keep(void)
{
	answer_flush(&main_answer);
	kept.is_on = true;
}

size_t answer_kept(void)
{
	return kept.filled + main_answer.filled;
}

void answer_cut(size_t bytes)
{
	answer_flush(&main_answer);
	kept.filled = bytes;
}

void answer_release(uint64_t count)
{
	answer_flush(&main_answer);
	kept.is_on = false;
	answer_done(count);
	answer_flush(&main_answer);
	write_all(kept.bytes, kept.filled);
	free(kept.bytes);
	kept.bytes = NULL;
	kept.filled = kept.capacity = 0;
}

void answer_done(uint64_t value)
{
	uint8_t *body = answer_reserve(&main_answer);
	answer_commit(&main_answer, FRAME_DONE, (size_t)(put_u64(body, value) - body));
}

_Noreturn void refuse(enum scan_failure failure, const char *format, ...)
{
	/* Any thread may refuse, and what others have gathered does not matter any more. */
	static struct answer last;
	int error = errno;
	char text[FAILURE_TEXT_BYTES];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	pthread_mutex_lock(&writing);
	char *body = (char *)answer_reserve(&last);
	*body = (char)failure;
	int length = snprintf(body + 1, 2 * sizeof text, error ? "%s: %s" : "%s", text, strerror(error));
	answer_commit(&last, FRAME_FAILED, 1 + (size_t)length);
	write_all(last.bytes, last.filled);
	_exit(1);
}

uint8_t *put_u32(uint8_t *at, uint32_t value)
{
	for (unsigned shift = 0; shift < 32; shift += 8)
		*at++ = (uint8_t)(value >> shift);
	return at;
}

uint8_t *put_u64(uint8_t *at, uint64_t value)
{
	return put_u32(put_u32(at, (uint32_t)value), (uint32_t)(value >> 32));
}

uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t count)
{
	memcpy(at, bytes, count);
	return at + count;
}
