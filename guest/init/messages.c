#include "messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "outbox.h"

#define SMALL_BODY 256

/*
 * Replies are asked for only while COMMAND_ROOM is free and an exit is held back until it fits, so
 * there is always room; a frame that finds none all the same would be a bug, and is dropped whole
 * rather than torn.
 */
static bool begin(struct writer *writer)
{
	uint8_t *body = outbox_reserve(SMALL_BODY);
	*writer = (struct writer){ body, body + (body ? SMALL_BODY : 0) };
	return body != NULL;
}

static void finish(const struct writer *writer, enum init_frame type, uint32_t id)
{
	outbox_commit(type, id, SMALL_BODY - (size_t)(writer->end - writer->at));
}

void send_hello(const struct hello_message *hello)
{
	struct writer body;
	if (!begin(&body))
		return;
	put_bytes(&body, hello->nonce, NONCE_BYTES);
	put_u32(&body, PROTOCOL_VERSION);
	put_u32(&body, hello->capabilities);
	put_bytes(&body, hello->boot_id, NONCE_BYTES);
	put_u32(&body, hello->attached);
	finish(&body, INIT_HELLO, 0);
}

void send_attached(const struct attached_message *attached)
{
	struct writer body;
	if (!begin(&body))
		return;
	put_u32(&body, (uint32_t)attached->pid);
	put_u8(&body, attached->flags);
	put_u32(&body, attached->stdin_credit);
	finish(&body, INIT_ATTACHED, attached->stream);
}

void send_started(uint32_t stream, pid_t pid)
{
	struct writer body;
	if (!begin(&body))
		return;
	put_u32(&body, (uint32_t)pid);
	put_u32(&body, STDIN_WINDOW);
	finish(&body, INIT_STARTED, stream);
}

void send_exit(uint32_t stream, const struct exit_message *exit)
{
	struct writer body;
	if (!begin(&body))
		return;
	put_u8(&body, exit->code);
	put_u8(&body, exit->signal);
	put_u8(&body, (uint8_t)exit->reason);
	put_u64(&body, exit->user_us);
	put_u64(&body, exit->system_us);
	put_u64(&body, exit->duration_us);
	put_u32(&body, exit->max_rss_kib);
	finish(&body, INIT_EXIT, stream);
}

void send_credit(uint32_t stream, uint32_t bytes)
{
	struct writer body;
	if (!begin(&body))
		return;
	put_u32(&body, bytes);
	finish(&body, INIT_CREDIT, stream);
}

static void send_empty(enum init_frame type, uint32_t id)
{
	struct writer body;
	if (begin(&body))
		finish(&body, type, id);
}

void send_ok(uint32_t request)
{
	send_empty(INIT_OK, request);
}

void send_pong(uint32_t request)
{
	send_empty(INIT_PONG, request);
}

void send_error(uint32_t request, int error, const char *what)
{
	struct writer body;
	if (!begin(&body))
		return;
	put_u32(&body, (uint32_t)error);
	put_text(&body, what, 200);
	finish(&body, INIT_ERROR, request);
}

void send_start_error(uint32_t request, int error, const char *what, enum start_subject subject)
{
	struct writer body;
	if (!begin(&body))
		return;
	put_u32(&body, (uint32_t)error);
	put_text(&body, what, 200);
	put_u8(&body, (uint8_t)subject);
	finish(&body, INIT_ERROR, request);
}

void send_log(const char *format, ...)
{
	char text[200];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);

	struct writer body;
	if (!begin(&body))
		return;
	put_text(&body, text, sizeof text);
	finish(&body, INIT_LOG, 0);
}
