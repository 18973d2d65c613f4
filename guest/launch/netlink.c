#include "netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fail.h"

static void *add(struct netlink_request *request, const void *bytes, size_t size)
{
	size_t padded = NLMSG_ALIGN(size);
	errno = E2BIG;
	if (padded > sizeof request->bytes - request->length)
		fail("Cannot set up the network");
	void *at = request->bytes + request->length;
	if (size)
		memcpy(at, bytes, size);
	request->length += padded;
	struct nlmsghdr *message = (struct nlmsghdr *)(request->bytes + request->message);
	message->nlmsg_len = (uint32_t)(request->length - request->message);
	return at;
}

void netlink_begin(struct netlink_request *request, uint16_t type, uint16_t flags, const void *head, size_t size)
{
	struct nlmsghdr header = { .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | flags };
	request->message = request->length;
	add(request, &header, sizeof header);
	add(request, head, size);
}

void netlink_put(struct netlink_request *request, uint16_t type, const void *value, size_t size)
{
	struct nlattr header = { .nla_len = (uint16_t)(NLA_HDRLEN + size), .nla_type = type };
	add(request, &header, sizeof header);
	add(request, value, size);
}

void netlink_put_text(struct netlink_request *request, uint16_t type, const char *text)
{
	netlink_put(request, type, text, strlen(text) + 1);
}

void netlink_put_big(struct netlink_request *request, uint16_t type, uint32_t value)
{
	uint32_t big = htonl(value);
	netlink_put(request, type, &big, sizeof big);
}

size_t netlink_open(struct netlink_request *request, uint16_t type)
{
	size_t attribute = request->length;
	netlink_put(request, type | NLA_F_NESTED, NULL, 0);
	return attribute;
}

void netlink_close(struct netlink_request *request, size_t attribute)
{
	struct nlattr *header = (struct nlattr *)(request->bytes + attribute);
	header->nla_len = (uint16_t)(request->length - attribute);
}

void netlink_ask(const struct netlink_request *request, int family, const char *what)
{
	_Alignas(struct nlmsghdr) unsigned char answer[8192];
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, family);
	if (fd < 0 || send(fd, request->bytes, request->length, 0) < 0)
		fail("Cannot set up the network: %s", what);
	/* The kernel has answered before it takes the next thing. */
	ssize_t length = recv(fd, answer, sizeof answer, MSG_DONTWAIT);
	if (length < 0)
		fail("Cannot set up the network: %s", what);
	size_t left = (size_t)length;
	for (struct nlmsghdr *at = (struct nlmsghdr *)answer; NLMSG_OK(at, left); at = NLMSG_NEXT(at, left)) {
		const struct nlmsgerr *error = NLMSG_DATA(at);
		errno = at->nlmsg_type == NLMSG_ERROR ? -error->error : EPROTO;
		if (errno)
			fail("Cannot set up the network: %s", what);
	}
	close(fd);
}
