#include "control.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define HEADER_BYTES 12

static bool read_all(void *into, size_t count)
{
	for (size_t at = 0; at < count;) {
		ssize_t added = recv(CONTROL, (char *)into + at, count - at, 0);
		if (added == 0 || (added < 0 && errno != EINTR))
			return false;
		at += added > 0 ? (size_t)added : 0;
	}
	return true;
}

bool control_read(struct request *request)
{
	if (!read_all(request, HEADER_BYTES) || request->length > FRAME_BODY_MAX ||
	    !read_all(request->body, request->length))
		return false;
	request->body[request->length] = 0;
	return true;
}

void control_say(uint32_t kind, uint32_t id, const void *body, uint32_t length)
{
	uint32_t header[] = { kind, id, length };
	struct iovec parts[] = { { header, sizeof header }, { (void *)body, length } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	/* A frame is smaller than the socket's buffer, so it goes whole; to a bridge that is gone, nothing does. */
	while (sendmsg(CONTROL, &message, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

void control_say_number(uint32_t kind, uint32_t id, uint32_t number)
{
	control_say(kind, id, &number, sizeof number);
}
