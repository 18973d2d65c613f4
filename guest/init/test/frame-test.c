/*
 * Reads host frames from standard input, one "name hex" a line, decodes them as init does, whole
 * and byte by byte, and prints what it saw; then prints the frames that init sends for fixed
 * values. The caller compares both with test/fixtures/init-frames.json.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec-request.h"
#include "frame.h"
#include "messages.h"
#include "outbox.h"

static size_t unhex(const char *hex, uint8_t *into)
{
	size_t count = 0;
	unsigned byte;
	while (sscanf(hex + 2 * count, "%2x", &byte) == 1)
		into[count++] = (uint8_t)byte;
	return count;
}

static void print_hex(const uint8_t *bytes, size_t count)
{
	for (size_t index = 0; index < count; index++)
		printf("%02x", bytes[index]);
}

static void print_texts(const char *name, const char **texts)
{
	printf(" %s=", name);
	for (size_t index = 0; texts[index]; index++)
		printf("%s%s", index ? "," : "", texts[index]);
}

static void print_exec(const struct frame *frame)
{
	struct exec_request request;
	if (!exec_request_parse(frame, &request)) {
		printf(" malformed");
		return;
	}
	printf(" flags=%u columns=%u rows=%u window=%u cwd=%s", request.flags, request.columns, request.rows,
	       request.window, request.directory);
	print_texts("argv", request.arguments);
	print_texts("env", request.environment);
}

static void print_connect(const struct frame *frame)
{
	struct exec_request request;
	if (connect_request_parse(frame, &request))
		printf(" flags=%u port=%u window=%u", request.flags, request.port, request.window);
	else
		printf(" malformed");
}

static void print_event(enum frame_event event, const struct frame *frame)
{
	if (event == FRAME_RESYNC) {
		printf(" resync");
	} else if (event == FRAME_BAD) {
		printf(" bad");
	} else {
		printf(" type=%u id=%u body=", frame->type, frame->id);
		print_hex(frame->body, frame->length);
		if (frame->type == HOST_EXEC)
			print_exec(frame);
		if (frame->type == HOST_CONNECT)
			print_connect(frame);
	}
}

/* Feeds `count` bytes in pieces of `step`, after a marker that brings the reader in step. */
static void decode(const uint8_t *bytes, size_t count, size_t step)
{
	static struct frame_reader reader;
	struct frame frame;
	enum frame_event event;
	uint8_t *into;
	memset(&reader, 0, sizeof reader);
	frame_reader_space(&reader, &into);
	memcpy(into, resync_marker, MARKER_BYTES);
	frame_reader_added(&reader, MARKER_BYTES);
	if (frame_reader_next(&reader, &frame) != FRAME_RESYNC)
		abort();
	for (size_t at = 0; at < count; at += step) {
		size_t piece = count - at < step ? count - at : step;
		if (frame_reader_space(&reader, &into) < piece)
			abort();
		memcpy(into, bytes + at, piece);
		frame_reader_added(&reader, piece);
		while ((event = frame_reader_next(&reader, &frame)) != FRAME_NONE)
			print_event(event, &frame);
	}
}

static void decode_lines(void)
{
	static char line[4 * BODY_MAX], name[64], hex[4 * BODY_MAX];
	static uint8_t bytes[2 * BODY_MAX];
	while (fgets(line, sizeof line, stdin)) {
		if (sscanf(line, "%63s %262143s", name, hex) != 2)
			abort();
		size_t count = unhex(hex, bytes);
		printf("whole %s", name);
		decode(bytes, count, count);
		printf("\nbytes %s", name);
		decode(bytes, count, 1);
		printf("\n");
	}
}

/* Prints what the outbox holds. */
static void print_sent(const char *name)
{
	uint8_t bytes[4096];
	int ends[2];
	if (pipe(ends) < 0 || outbox_flush(ends[1]) < 0)
		abort();
	ssize_t count = read(ends[0], bytes, sizeof bytes);
	printf("sent %s ", name);
	print_hex(bytes, (size_t)count);
	printf("\n");
	close(ends[0]);
	close(ends[1]);
}

static const uint8_t *counting_from(uint8_t first)
{
	static uint8_t bytes[2][NONCE_BYTES];
	uint8_t *into = bytes[first != 0];
	for (uint8_t index = 0; index < NONCE_BYTES; index++)
		into[index] = (uint8_t)(first + index);
	return into;
}

static void fill_resync(const void *context)
{
	(void)context;
	send_hello(&(struct hello_message){
		.nonce = counting_from(0), .capabilities = 7, .boot_id = counting_from(0x10), .attached = 1 });
	send_attached(&(struct attached_message){ .stream = 9, .pid = 77, .flags = 3, .stdin_credit = 65536 });
}

static void send_frames(void)
{
	outbox_resync(fill_resync, NULL);
	print_sent("resync");
	send_started(7, 4321);
	print_sent("started");
	memcpy(outbox_reserve(5), "hi \xff\n", 5);
	outbox_commit(INIT_STDOUT, 7, 5);
	print_sent("stdout");
	memcpy(outbox_reserve(2), "no", 2);
	outbox_commit(INIT_STDERR, 7, 2);
	print_sent("stderr");
	memcpy(outbox_reserve(2), "0\n", 2);
	outbox_commit(INIT_STATUS, 7, 2);
	print_sent("status");
	send_exit(7, &(struct exit_message){ .code = 3, .user_us = 1500, .system_us = 250, .duration_us = 5000000000,
					     .max_rss_kib = 2048 });
	print_sent("exit");
	send_exit(8, &(struct exit_message){ .signal = 9, .reason = EXIT_CHECKOUT, .duration_us = 1 });
	print_sent("exit-by-checkout");
	send_credit(7, 16384);
	print_sent("credit");
	send_ok(12);
	print_sent("ok");
	send_error(13, 2, "Cannot execute the program");
	print_sent("error");
	send_start_error(15, 2, "Cannot enter it", START_IN_DIRECTORY);
	print_sent("error-of-start");
	send_pong(14);
	print_sent("pong");
	send_log("init is ready");
	print_sent("log");
}

/* A frame that was half written is sent again whole, after the marker. */
static void resend_after_resync(void)
{
	uint8_t before[4096], after[4096];
	int ends[2];
	if (pipe2(ends, O_NONBLOCK) < 0)
		abort();
	/* One page takes a part of the frame only. */
	fcntl(ends[1], F_SETPIPE_SZ, 4096);
	memset(outbox_reserve(5000), 'x', 5000);
	outbox_commit(INIT_STDOUT, 7, 5000);
	outbox_flush(ends[1]);
	ssize_t torn = read(ends[0], before, sizeof before);
	outbox_resync(fill_resync, NULL);
	outbox_flush(ends[1]);
	ssize_t count = read(ends[0], after, sizeof after);
	printf("resent torn=%zd then=%zd ", torn, count);
	print_hex(after, 16 + 60 + 25 + 19);
	printf("\n");
}

int main(void)
{
	decode_lines();
	send_frames();
	resend_after_resync();
	return 0;
}
