#include "callers.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "control.h"

static struct caller {
	int fd;
	bool is_known;
	struct greeting greeting;
} callers[CALLERS_MAX];
static unsigned caller_count;

static int listener;
static pid_t bridge;

void callers_open(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	socklen_t length = sizeof name;
	bridge = getppid();
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* A name of no bytes has the kernel choose one that is free; it is in no folder, and gone with us. */
	if (listener < 0 || bind(listener, (struct sockaddr *)&name, sizeof name.sun_family) < 0 ||
	    listen(listener, CALLERS_MAX) < 0 || getsockname(listener, (struct sockaddr *)&name, &length) < 0) {
		perror("spawner: cannot listen");
		exit(1);
	}
	uint32_t path_length = (uint32_t)(length - offsetof(struct sockaddr_un, sun_path));
	control_say(SPAWN_LISTENS, 0, name.sun_path, path_length);
}

int callers_descriptor(void)
{
	return listener;
}

/* Everybody on this host can find the name, and connect to it. */
static bool is_bridge(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof peer;
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.pid == bridge && peer.uid == geteuid();
}

/* The bridge may have given up what a connection was for. */
static void drop_gone(void)
{
	for (unsigned index = caller_count; index-- > 0;) {
		struct pollfd end = { .fd = callers[index].fd, .events = POLLRDHUP };
		if (poll(&end, 1, 0) <= 0)
			continue;
		close(callers[index].fd);
		callers[index] = callers[--caller_count];
	}
}

void callers_accept(void)
{
	/* No more than can wait at once: others of this host could come faster than they are turned away. */
	for (unsigned count = 0; count < CALLERS_MAX; count++) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0 && errno != EINTR && errno != ECONNABORTED)
			return;
		if (fd < 0)
			continue;
		if (caller_count == CALLERS_MAX)
			drop_gone();
		if (caller_count == CALLERS_MAX || !is_bridge(fd))
			close(fd);
		else
			callers[caller_count++] = (struct caller){ .fd = fd };
	}
}

static bool is_for(struct caller *caller, uint32_t id, uint32_t place)
{
	struct greeting *greeting = &caller->greeting;
	if (!caller->is_known)
		caller->is_known = recv(caller->fd, greeting, sizeof *greeting, MSG_DONTWAIT) == sizeof *greeting;
	return caller->is_known && greeting->id == id && greeting->place == place;
}

int callers_take(uint32_t id, uint32_t place)
{
	for (unsigned index = 0; index < caller_count; index++) {
		if (!is_for(&callers[index], id, place))
			continue;
		int fd = callers[index].fd;
		callers[index] = callers[--caller_count];
		return fd;
	}
	return -1;
}
