#include "input.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "protocol.h"

static uint8_t buffer[4 * (FRAME_HEADER_BYTES + FRAME_BODY_MAX)];
static size_t start, end;

/* Has `count` unread bytes, no more than a frame has, in one piece. */
static void fill(size_t count)
{
	if (end - start >= count)
		return;
	memmove(buffer, buffer + start, end - start);
	end -= start;
	start = 0;
	while (end < count) {
		ssize_t added = read(STDIN_FILENO, buffer + end, sizeof buffer - end);
		if (added < 0 && errno == EINTR)
			continue;
		if (added == 0)
			errno = 0;
		if (added <= 0)
			fail("the files end before their end");
		end += (size_t)added;
	}
}

struct frame next_frame(void)
{
	fill(FRAME_HEADER_BYTES);
	size_t length = little_endian(buffer + start, 4);
	if (length > FRAME_BODY_MAX) {
		errno = 0;
		fail("a frame of %zu bytes", length);
	}
	fill(FRAME_HEADER_BYTES + length);
	const uint8_t *at = buffer + start;
	start += FRAME_HEADER_BYTES + length;
	return (struct frame){ .kind = at[4], .body = at + FRAME_HEADER_BYTES, .length = length };
}

uint64_t little_endian(const uint8_t *bytes, size_t count)
{
	uint64_t value = 0;
	while (count-- > 0)
		value = value << 8 | bytes[count];
	return value;
}
