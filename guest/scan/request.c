#include "request.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"

#define LOOK_BYTES 12

static uint8_t buffer[65536];
static size_t start, end;

/* Has `count` unread bytes, fewer than the buffer holds, in one piece. */
static bool fill(size_t count)
{
	if (end - start >= count)
		return true;
	memmove(buffer, buffer + start, end - start);
	end -= start;
	start = 0;
	answer_flush(&main_answer);
	while (end < count) {
		ssize_t added = read(STDIN_FILENO, buffer + end, sizeof buffer - end);
		if (added == 0 || (added < 0 && errno != EINTR))
			return false;
		end += added > 0 ? (size_t)added : 0;
	}
	return true;
}

static uint64_t little_endian(const uint8_t *bytes, size_t count)
{
	uint64_t value = 0;
	while (count-- > 0)
		value = value << 8 | bytes[count];
	return value;
}

bool request_next(struct request *request)
{
	if (!fill(REQUEST_HEADER_BYTES))
		return false;
	size_t length = little_endian(buffer + start, 2);
	request->kind = buffer[start + 2];
	bool is_look = request->kind == SCAN_LOOK;
	if (is_look ? length != LOOK_BYTES : length > REQUEST_BODY_MAX) {
		errno = 0;
		refuse(FAILED_OTHERWISE, "a request of %zu bytes", length);
	}
	if (!fill(REQUEST_HEADER_BYTES + length))
		return false;
	const uint8_t *body = buffer + start + REQUEST_HEADER_BYTES;
	if (is_look) {
		request->changed_from.tv_sec = (time_t)little_endian(body, 8);
		request->changed_from.tv_nsec = (long)little_endian(body + 8, 4);
	} else {
		memcpy(request->path, body, length);
		request->path[length] = 0;
	}
	start += REQUEST_HEADER_BYTES + length;
	return true;
}
