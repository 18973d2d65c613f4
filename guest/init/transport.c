#include "transport.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "dispatch.h"
#include "frame.h"
#include "loop.h"
#include "messages.h"
#include "next-host.h"
#include "outbox.h"
#include "port.h"
#include "shutdown.h"
#include "stream.h"
#include "task.h"

/* A port without a host stays readable and at its end, so it is looked at now and then. */
#define RETRY_MS 20
#define FINISH_MS 200

static struct watch stream = WATCH_CLOSED;
static struct frame_reader reader;
static bool is_port;
/* The port is not there, or nobody is at its other end. */
static bool is_lost;

static void take_up(int fd);

/* What was for this host is for no other, and its processes are nobody's. */
static void lose_for_good(void)
{
	watch_close(&stream);
	reader = (struct frame_reader){ 0 };
	outbox_clear();
	tasks_forget();
	streams_hang_up();
	loop_admit_output(true);
	next_host_await(take_up);
}

static void lose(void)
{
	is_lost = true;
	if (is_port)
		watch_disarm(&stream);
	else if (next_host_may_come())
		lose_for_good();
	else
		shutdown_now();
}

static void take_frames(void)
{
	struct frame frame;
	while (outbox_room() >= COMMAND_ROOM) {
		switch (frame_reader_next(&reader, &frame)) {
		case FRAME_NONE:
			return;
		case FRAME_READY:
			dispatch_frame(&frame);
			break;
		case FRAME_RESYNC:
			dispatch_resync();
			break;
		case FRAME_BAD:
			send_error(0, EPROTO, "Cannot read a frame header; waiting for a resync");
			break;
		}
	}
}

static void read_some(void)
{
	uint8_t *into;
	size_t space = frame_reader_space(&reader, &into);
	/* Full of frames that wait for room in the outbox: the host waits too. */
	if (space == 0)
		return;
	ssize_t count = read(stream.fd, into, space);
	if (count > 0)
		frame_reader_added(&reader, (size_t)count);
	else if (count == 0 || (errno != EAGAIN && errno != EINTR))
		lose();
}

static void on_ready(struct watch *watch, uint32_t events)
{
	(void)watch;
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		read_some();
}

static void take_up(int fd)
{
	watch_open(&stream, fd, WATCH_MAIN);
	stream.ready = on_ready;
	is_lost = false;
}

void transport_adopt(int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	take_up(fd);
}

void transport_connect(void)
{
	is_port = true;
	int fd = port_open();
	if (fd >= 0) {
		take_up(fd);
		/* Tells a host that waits for the first sign of life; it says HELLO then. */
		send_log("init is ready");
	} else {
		is_lost = true;
	}
}

static void look_for_port(void)
{
	if (stream.fd < 0)
		transport_connect();
	else
		is_lost = false;
}

static int wait_for_host(void)
{
	return is_port ? RETRY_MS : next_host_turn();
}

int transport_turn(void)
{
	if (is_lost && is_port)
		look_for_port();
	if (is_lost)
		return wait_for_host();

	take_frames();
	ssize_t flushed = outbox_flush(stream.fd);
	if (flushed < 0 && flushed != -EAGAIN) {
		lose();
		return wait_for_host();
	}
	/* Room has come: frames that waited for it are not announced by the descriptor. */
	take_frames();
	bool listening = outbox_room() >= COMMAND_ROOM;
	watch_arm(&stream, (listening ? EPOLLIN : 0u) | (outbox_is_empty() ? 0u : (unsigned)EPOLLOUT));
	loop_admit_output(outbox_room() >= OUTPUT_ROOM);
	return -1;
}

void transport_finish(void)
{
	struct pollfd ready = { .fd = stream.fd, .events = POLLOUT };
	int64_t deadline = now_ns() + FINISH_MS * 1000000ll;
	while (stream.fd >= 0 && !outbox_is_empty() && now_ns() < deadline) {
		if (outbox_flush(stream.fd) != -EAGAIN)
			return;
		poll(&ready, 1, FINISH_MS);
	}
}
