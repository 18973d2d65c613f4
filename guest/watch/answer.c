#include "answer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint8_t frame[FRAME_HEADER_BYTES + FRAME_BODY_MAX];
static size_t filled;

static void begin(enum watch_frame kind)
{
	frame[2] = (uint8_t)kind;
	filled = FRAME_HEADER_BYTES;
}

static void put_u32(uint32_t value)
{
	for (unsigned shift = 0; shift < 32; shift += 8)
		frame[filled++] = (uint8_t)(value >> shift);
}

static void put_bytes(const void *bytes, size_t count)
{
	size_t room = sizeof frame - filled;
	if (count > room)
		count = room;
	memcpy(frame + filled, bytes, count);
	filled += count;
}

static void end(void)
{
	size_t body = filled - FRAME_HEADER_BYTES;
	frame[0] = (uint8_t)body;
	frame[1] = (uint8_t)(body >> 8);
	for (size_t at = 0; at < filled;) {
		ssize_t count = write(STDOUT_FILENO, frame + at, filled - at);
		/* The bridge is gone. */
		if (count < 0 && errno != EINTR)
			_exit(1);
		at += count > 0 ? (size_t)count : 0;
	}
}

void tell_open(enum watch_source source, uint32_t watches_max, const char *why)
{
	begin(FRAME_OPEN);
	frame[filled++] = (uint8_t)source;
	put_u32(watches_max);
	put_bytes(why, strlen(why));
	end();
}

void tell_watched(uint32_t root, uint32_t watches)
{
	begin(FRAME_WATCHED);
	put_u32(root);
	put_u32(watches);
	end();
}

void tell_failed(uint32_t root, const char *format, ...)
{
	int error = errno;
	char text[FRAME_BODY_MAX];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	begin(FRAME_FAILED);
	put_u32(root);
	put_bytes(text, strlen(text));
	if (error) {
		put_bytes(": ", 2);
		put_bytes(strerror(error), strlen(strerror(error)));
	}
	end();
}

void tell_changed(uint32_t root, uint32_t process, uint32_t namespace, const char *words, size_t length)
{
	begin(FRAME_CHANGED);
	put_u32(root);
	put_u32(process);
	put_u32(namespace);
	put_bytes(words, length);
	end();
}

void tell_drained(uint32_t root)
{
	begin(FRAME_DRAINED);
	put_u32(root);
	end();
}
