#include "answer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FAILURE_TEXT_BYTES 1024

static uint8_t buffer[4 * (FRAME_HEADER_BYTES + FRAME_BODY_MAX)];
static size_t filled;

uint8_t *answer_reserve(void)
{
	if (sizeof buffer - filled < FRAME_HEADER_BYTES + FRAME_BODY_MAX)
		answer_flush();
	return buffer + filled + FRAME_HEADER_BYTES;
}

void answer_commit(enum scan_frame kind, size_t length)
{
	uint8_t *header = buffer + filled;
	*put_u32(header, (uint32_t)length) = (uint8_t)kind;
	filled += FRAME_HEADER_BYTES + length;
}

void answer_done(uint64_t value)
{
	uint8_t *body = answer_reserve();
	answer_commit(FRAME_DONE, (size_t)(put_u64(body, value) - body));
}

void answer_flush(void)
{
	for (size_t at = 0; at < filled;) {
		ssize_t count = write(STDOUT_FILENO, buffer + at, filled - at);
		/* Whoever asked is gone. */
		if (count < 0 && errno != EINTR)
			_exit(1);
		at += count > 0 ? (size_t)count : 0;
	}
	filled = 0;
}

_Noreturn void refuse(enum scan_failure failure, const char *format, ...)
{
	int error = errno;
	char text[FAILURE_TEXT_BYTES];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	char *body = (char *)answer_reserve();
	*body = (char)failure;
	int length = snprintf(body + 1, 2 * sizeof text, error ? "%s: %s" : "%s", text, strerror(error));
	answer_commit(FRAME_FAILED, 1 + (size_t)length);
	answer_flush();
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
