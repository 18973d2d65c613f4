#include "dispatch.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/random.h>

#include "host.h"
#include "machine-id.h"
#include "messages.h"
#include "mount.h"
#include "outbox.h"
#include "process-list.h"
#include "shutdown.h"
#include "stream.h"
#include "system.h"

/* Linux 5.6: never waits, for a number that need not be secret. */
#ifndef GRND_INSECURE
#define GRND_INSECURE 4
#endif

/* Tells this run of init from any other, a fork of its machine included only until it is asked anew. */
static const uint8_t *boot_id(void)
{
	static uint8_t id[NONCE_BYTES];
	static bool known;
	if (!known)
		known = getrandom(id, sizeof id, GRND_INSECURE) == sizeof id;
	return id;
}

/* After a marker, nothing but HELLO is believed. */
static bool expects_hello;

void dispatch_resync(void)
{
	expects_hello = true;
}

static void announce(const void *nonce)
{
	streams_drop_starting();
	uint32_t capabilities = CAN_PTY | CAN_STATUS;
	if (host.owns_machine)
		capabilities |= CAN_MOUNT | CAN_SET_SYSTEM;
	send_hello(&(struct hello_message){
		.nonce = nonce,
		.capabilities = capabilities,
		.boot_id = boot_id(),
		.attached = streams_count(),
	});
	streams_attach();
}

static void on_hello(const struct frame *frame)
{
	struct body body = body_of(frame);
	const uint8_t *nonce = body_bytes(&body, NONCE_BYTES);
	bool known = false;
	for (uint16_t left = body_u16(&body); left > 0 && !body.bad; left--)
		known |= body_u32(&body) == PROTOCOL_VERSION;
	if (!body_done(&body)) {
		send_error(0, EPROTO, "Cannot read the HELLO frame");
	} else if (!known) {
		send_error(0, EPROTONOSUPPORT, "Cannot speak any of the versions offered");
	} else {
		expects_hello = false;
		outbox_resync(announce, nonce);
	}
}

static void on_stdin(const struct frame *frame)
{
	stream_input(frame->id, frame->body, frame->length);
}

static void on_stdin_end(const struct frame *frame)
{
	stream_end_input(frame->id);
}

static void on_signal(const struct frame *frame)
{
	struct body body = body_of(frame);
	uint8_t number = body_u8(&body);
	if (body_done(&body) && number > 0 && number < NSIG)
		stream_signal(frame->id, number);
}

static void on_resize(const struct frame *frame)
{
	struct body body = body_of(frame);
	uint16_t columns = body_u16(&body);
	uint16_t rows = body_u16(&body);
	if (body_done(&body))
		stream_resize(frame->id, columns, rows);
}

static void on_credit(const struct frame *frame)
{
	struct body body = body_of(frame);
	uint32_t bytes = body_u32(&body);
	if (body_done(&body))
		stream_grant(frame->id, bytes);
}

static void on_close(const struct frame *frame)
{
	stream_close(frame->id);
}

static void answer(uint32_t request, int error, const char *what)
{
	if (error)
		send_error(request, error, what);
	else
		send_ok(request);
}

/* Settings of a kernel that may not be ours. */
static bool owns_machine(const struct frame *frame)
{
	if (!host.owns_machine)
		send_error(frame->id, EOPNOTSUPP, "Cannot change the system: the agent does not own the machine");
	return host.owns_machine;
}

static void on_set_clock(const struct frame *frame)
{
	struct body body = body_of(frame);
	uint64_t epoch_ns = body_u64(&body);
	if (owns_machine(frame))
		answer(frame->id, body_done(&body) ? system_set_clock(epoch_ns) : EPROTO, "Cannot set the clock");
}

static void on_add_entropy(const struct frame *frame)
{
	if (!owns_machine(frame))
		return;
	int error = system_add_entropy(frame->body, frame->length);
	if (!error)
		machine_id_renew();
	answer(frame->id, error, "Cannot add entropy");
}

static void on_drop_caches(const struct frame *frame)
{
	if (owns_machine(frame))
		answer(frame->id, system_drop_caches(), "Cannot drop caches");
}

static void on_set_host_name(const struct frame *frame)
{
	struct body body = body_of(frame);
	const char *name = body_text(&body);
	if (owns_machine(frame))
		answer(frame->id, body_done(&body) ? system_set_host_name(name) : EPROTO, "Cannot set the host name");
}

static void on_list(const struct frame *frame)
{
	process_list_send(frame->id);
}

static void on_ping(const struct frame *frame)
{
	send_pong(frame->id);
}

static void on_shutdown(const struct frame *frame)
{
	struct body body = body_of(frame);
	uint32_t grace_ms = body_u32(&body);
	if (!body_done(&body)) {
		send_error(frame->id, EPROTO, "Cannot read the SHUTDOWN frame");
		return;
	}
	send_ok(frame->id);
	shutdown_begin(SIGTERM, grace_ms);
}

static void (*const handlers[])(const struct frame *frame) = {
	[HOST_HELLO] = on_hello,
	[HOST_MOUNT] = mount_request,
	[HOST_UNMOUNT] = unmount_request,
	[HOST_EXEC] = stream_exec,
	[HOST_STDIN] = on_stdin,
	[HOST_STDIN_EOF] = on_stdin_end,
	[HOST_SIGNAL] = on_signal,
	[HOST_RESIZE] = on_resize,
	[HOST_CREDIT] = on_credit,
	[HOST_CLOSE] = on_close,
	[HOST_SET_CLOCK] = on_set_clock,
	[HOST_ADD_ENTROPY] = on_add_entropy,
	[HOST_SYNC] = sync_request,
	[HOST_DROP_CACHES] = on_drop_caches,
	[HOST_SET_HOSTNAME] = on_set_host_name,
	[HOST_LIST] = on_list,
	[HOST_PING] = on_ping,
	[HOST_SHUTDOWN] = on_shutdown,
	[HOST_CONNECT] = stream_connect,
};

void dispatch_frame(const struct frame *frame)
{
	if (expects_hello && frame->type != HOST_HELLO)
		return;
	size_t known = sizeof handlers / sizeof *handlers;
	if (frame->type < known && handlers[frame->type])
		handlers[frame->type](frame);
	else
		send_error(frame->id, ENOSYS, "Cannot understand this type of frame");
}
