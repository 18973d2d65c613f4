#include "request.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static uint8_t buffer[4 * (REQUEST_HEADER_BYTES + REQUEST_BODY_MAX)];
static size_t start, end;

static uint32_t u16_at(const uint8_t *bytes)
{
	return (uint32_t)(bytes[0] | bytes[1] << 8);
}

bool request_read(void)
{
	memmove(buffer, buffer + start, end - start);
	end -= start;
	start = 0;
	ssize_t count;
	do
		count = read(STDIN_FILENO, buffer + end, sizeof buffer - end);
	while (count < 0 && errno == EINTR);
	if (count <= 0)
		return false;
	end += (size_t)count;
	uint32_t body = end >= 2 ? u16_at(buffer) : 4;
	return body >= 4 && body <= REQUEST_BODY_MAX;
}

bool request_take(struct request *request)
{
	const uint8_t *bytes = buffer + start;
	if (end - start < REQUEST_HEADER_BYTES)
		return false;
	uint32_t body = u16_at(bytes);
	/* request_read() refuses what is of no such size when it gets there. */
	if (body < 4 || body > REQUEST_BODY_MAX || end - start < REQUEST_HEADER_BYTES + body)
		return false;
	request->kind = bytes[2];
	bytes += REQUEST_HEADER_BYTES;
	request->root = u16_at(bytes) | u16_at(bytes + 2) << 16;
	memcpy(request->path, bytes + 4, body - 4);
	request->path_length = body - 4;
	request->path[request->path_length] = 0;
	start += REQUEST_HEADER_BYTES + body;
	return true;
}
