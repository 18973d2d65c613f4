#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "fail.h"
#include "network.h"

/* For documents (RFC 5737), so nobody's; the bridge answers for it. */
#define TEST_ADDRESS 0xcb007101
#define TEST_PORT 7
#define TEST_SECONDS 10

void network_test(void)
{
	const struct sockaddr_in target = {
		.sin_family = AF_INET,
		.sin_port = htons(TEST_PORT),
		.sin_addr = { htonl(TEST_ADDRESS) },
	};
	const struct timeval patience = { .tv_sec = TEST_SECONDS };
	char answer;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) < 0 ||
	    connect(fd, (const struct sockaddr *)&target, sizeof target) < 0)
		fail("Cannot start the jail: its connections are not redirected");
	ssize_t count = recv(fd, &answer, 1, 0);
	errno = count == 0 ? ECONNRESET : errno;
	if (count != 1)
		fail("Cannot start the jail: nobody answers in its network");
	close(fd);
}
