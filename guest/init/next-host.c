#include "next-host.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop.h"
#include "shutdown.h"

static struct watch door = WATCH_CLOSED;
static uint32_t patience_ms;
static int64_t deadline;
static void (*on_arrival)(int fd);

/*
 * Whoever is in our pid namespace, or in one below it, has a number here; a host has none (SO_PEERCRED
 * in unix(7) tells the connecting process as we would see it). Its uid says nothing where it is not mapped.
 */
static bool is_from_outside(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof peer;
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.pid == 0;
}

static void on_knock(struct watch *watch, uint32_t events)
{
	(void)events;
	int fd = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return;
	if (!is_from_outside(fd)) {
		close(fd);
		return;
	}
	watch_disarm(watch);
	on_arrival(fd);
}

void next_host_expect(int fd, uint32_t wait_ms)
{
	watch_open(&door, fd, WATCH_MAIN);
	door.ready = on_knock;
	patience_ms = wait_ms;
}

bool next_host_may_come(void)
{
	return door.fd >= 0;
}

void next_host_await(void (*arrived)(int fd))
{
	on_arrival = arrived;
	deadline = now_ns() + patience_ms * 1000000ll;
	watch_arm(&door, EPOLLIN);
}

int next_host_turn(void)
{
	if (!door.armed)
		return -1;
	int64_t left_ns = deadline - now_ns();
	if (left_ns <= 0)
		shutdown_now();
	return (int)(left_ns / 1000000) + 1;
}
