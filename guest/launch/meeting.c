#include "meeting.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "fail.h"

/* Bridges that were killed while they waited to be let in take up room as well. */
#define WAITING_MAX 8

/* By a descriptor of the folder, as a path has room for 107 bytes (unix(7)). */
static int listen_at(int folder, const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder, name);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, WAITING_MAX) < 0)
		fail("Cannot make a socket for the next bridge");
	return fd;
}

struct meeting meeting_open(const char *path)
{
	int folder = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		fail("Cannot open %s", path);
	mode_t mask = umask(077);
	struct meeting meeting = { listen_at(folder, "agent"), listen_at(folder, "custody") };
	umask(mask);
	close(folder);
	return meeting;
}

static bool has_our_user(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof peer;
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

int meeting_accept(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0 && !has_our_user(fd)) {
		close(fd);
		return -1;
	}
	return fd;
}
