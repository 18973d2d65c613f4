#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fail.h"
#include "network.h"
#include "redirect.h"

/* Connections that wait until the relay has room for more. */
#define WAITING_MAX 128

static int open_here(int type)
{
	const struct sockaddr_in here = {
		.sin_family = AF_INET,
		.sin_port = htons(RELAY_PORT),
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};
	int fd = socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&here, sizeof here) < 0)
		fail("Cannot make the sockets of the jail's network");
	return fd;
}

static void send_both(int inside, const int sockets[2])
{
	char byte = 0;
	struct iovec part = { &byte, 1 };
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(2 * sizeof(int))] = { 0 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room };
	struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
	*rights = (struct cmsghdr){ .cmsg_len = CMSG_LEN(2 * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(rights), sockets, 2 * sizeof(int));
	if (sendmsg(inside, &message, MSG_NOSIGNAL) != 1)
		fail("Cannot pass on the sockets of the jail's network");
}

void network_open(int inside)
{
	int sockets[] = { open_here(SOCK_STREAM), open_here(SOCK_DGRAM) };
	if (listen(sockets[0], WAITING_MAX) < 0)
		fail("Cannot listen in the jail's network");
	redirect_all();
	send_both(inside, sockets);
	/* A socket stays of the network that it was made in, and nothing inside keeps one. */
	for (int index = 0; index < 2; index++)
		close(sockets[index]);
	close(inside);
}
