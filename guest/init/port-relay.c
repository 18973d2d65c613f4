#include "port-relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

/* A listener whose queue is full answers nothing, and the kernel would ask it for two minutes. */
#define CONNECT_TIMEOUT_MS 10000
/* What a pipe of Linux holds. */
#define HALF_BYTES 65536

/* One direction. */
struct half {
	int from, to;
	uint8_t bytes[HALF_BYTES];
	size_t start, end;
	/* Nothing more comes. */
	bool ended;
	/* And the other side knows. */
	bool closed;
	void (*close)(int to);
};

static int connect_one(const struct sockaddr *address, socklen_t length)
{
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	int error = connect(fd, address, length) < 0 ? errno : 0;
	if (error == EINPROGRESS) {
		struct pollfd waiting = { .fd = fd, .events = POLLOUT };
		socklen_t size = sizeof error;
		if (poll(&waiting, 1, CONNECT_TIMEOUT_MS) != 1)
			error = ETIMEDOUT;
		else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
			error = errno;
	}
	if (!error)
		return fd;
	close(fd);
	return -error;
}

int port_connect(uint16_t port)
{
	struct sockaddr_in v4 = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int connected = connect_one((const struct sockaddr *)&v4, sizeof v4);
	if (connected != -ECONNREFUSED)
		return connected;
	struct sockaddr_in6 v6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(port),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
	};
	int second = connect_one((const struct sockaddr *)&v6, sizeof v6);
	return second < 0 ? connected : second;
}

static bool must_wait(ssize_t count)
{
	return count < 0 && (errno == EAGAIN || errno == EINTR);
}

/* A connection that was reset, or output that nobody takes. */
static _Noreturn void broken(void)
{
	_exit(1);
}

static void fill(struct half *half)
{
	ssize_t count = read(half->from, half->bytes, sizeof half->bytes);
	if (must_wait(count))
		return;
	if (count < 0)
		broken();
	half->ended = count == 0;
	half->start = 0;
	half->end = (size_t)count;
}

static void drain(struct half *half)
{
	ssize_t count = write(half->to, half->bytes + half->start, half->end - half->start);
	if (must_wait(count))
		return;
	if (count < 0)
		broken();
	half->start += (size_t)count;
}

static bool is_empty(const struct half *half)
{
	return half->start == half->end;
}

/* Moves what can be moved, and passes the end on once everything before it has been. */
static void move(struct half *half, short readable, short writable)
{
	if (is_empty(half) && !half->ended && readable)
		fill(half);
	if (!is_empty(half) && writable)
		drain(half);
	if (!half->ended || !is_empty(half) || half->closed)
		return;
	half->closed = true;
	half->close(half->to);
}

static void close_socket(int fd)
{
	shutdown(fd, SHUT_WR);
}

/* Standard output closes also when this process ends in any other way, so its close would say nothing. */
static void tell_end(int fd)
{
	(void)fd;
	ssize_t written = write(STDERR_FILENO, "", 1);
	(void)written;
}

static struct pollfd poll_of(int fd, short events)
{
	return (struct pollfd){ .fd = events ? fd : -1, .events = events };
}

_Noreturn void port_relay(int socket)
{
	static struct half in = { .from = STDIN_FILENO, .close = close_socket };
	static struct half out = { .to = STDOUT_FILENO, .close = tell_end };
	in.to = socket;
	out.from = socket;
	fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
	fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK);
	signal(SIGPIPE, SIG_IGN);
	while (!in.closed || !out.closed) {
		bool wants_in = is_empty(&in) && !in.ended, wants_out = is_empty(&out) && !out.ended;
		struct pollfd polled[] = {
			poll_of(STDIN_FILENO, wants_in ? POLLIN : 0),
			poll_of(socket, (short)((wants_out ? POLLIN : 0) | (is_empty(&in) ? 0 : POLLOUT))),
			poll_of(STDOUT_FILENO, is_empty(&out) ? 0 : POLLOUT),
		};
		if (poll(polled, sizeof polled / sizeof *polled, -1) < 0)
			continue;
		short at_socket = polled[1].revents;
		move(&in, polled[0].revents, at_socket & (POLLOUT | POLLERR));
		move(&out, at_socket & (POLLIN | POLLHUP | POLLERR), polled[2].revents);
	}
	_exit(0);
}
