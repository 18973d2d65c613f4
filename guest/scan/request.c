#include "request.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"

#define LOOK_BYTES 12
#define AHEAD_BYTES 16

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

static bool is_length(uint8_t kind, size_t length)
{
	if (kind == SCAN_LOOK)
		return length == LOOK_BYTES;
	if (kind == SCAN_AHEAD)
		return length == AHEAD_BYTES;
	return length <= REQUEST_BODY_MAX && (kind != SCAN_SEEN || length % SEEN_BYTES == 0);
}

static void read_seen(struct request *request, const uint8_t *body, size_t length)
{
	request->seen_count = length / SEEN_BYTES;
	for (size_t at = 0; at < request->seen_count; at++, body += SEEN_BYTES) {
		request->seen[at].ino = little_endian(body, 8);
		request->seen[at].changed_ns = little_endian(body + 8, 8);
	}
}

bool request_next(struct request *request)
{
	if (!fill(REQUEST_HEADER_BYTES))
		return false;
	size_t length = little_endian(buffer + start, 2);
	request->kind = buffer[start + 2];
	if (!is_length(buffer[start + 2], length)) {
		errno = 0;
		refuse(FAILED_OTHERWISE, "a request of %zu bytes", length);
	}
	if (!fill(REQUEST_HEADER_BYTES + length))
		return false;
	const uint8_t *body = buffer + start + REQUEST_HEADER_BYTES;
	if (request->kind == SCAN_LOOK) {
		request->changed_from.tv_sec = (time_t)little_endian(body, 8);
		request->changed_from.tv_nsec = (long)little_endian(body + 8, 4);
	} else if (request->kind == SCAN_SEEN) {
		read_seen(request, body, length);
	} else if (request->kind == SCAN_AHEAD) {
		request->files = (uint32_t)little_endian(body, 4);
		request->milliseconds = (uint32_t)little_endian(body + 4, 4);
		request->bytes = little_endian(body + 8, 8);
	} else {
		memcpy(request->path, body, length);
		request->path[length] = 0;
	}
	start += REQUEST_HEADER_BYTES + length;
	return true;
}
