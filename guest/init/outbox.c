#include "outbox.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* `port_fops_write` of Linux, drivers/char/virtio_console.c. */
#define WRITE_MAX (32u * 1024)

/* Output of a process is read straight into its frame, hence one flat buffer rather than a ring. */
_Alignas(8) static uint8_t bytes[OUTBOX_BYTES];
static size_t start;
static size_t end;
/* Of the frame at `start`, how much is written. */
static size_t sent;

size_t outbox_room(void)
{
	return OUTBOX_BYTES - (end - start);
}

bool outbox_is_empty(void)
{
	return start == end;
}

void outbox_clear(void)
{
	start = end = sent = 0;
}

static void compact(void)
{
	memmove(bytes, bytes + start, end - start);
	end -= start;
	start = 0;
}

uint8_t *outbox_reserve(size_t body_max)
{
	size_t needed = HEADER_BYTES + body_max;
	if (outbox_room() < needed)
		return NULL;
	if (OUTBOX_BYTES - end < needed)
		compact();
	return bytes + end + HEADER_BYTES;
}

void outbox_commit(enum init_frame type, uint32_t id, size_t length)
{
	struct writer header = { bytes + end, bytes + end + HEADER_BYTES };
	put_u32(&header, type);
	put_u32(&header, id);
	put_u32(&header, (uint32_t)length);
	put_u32(&header, 0);
	end += HEADER_BYTES + length;
}

static void reverse(size_t from, size_t to)
{
	while (from + 1 < to) {
		uint8_t held = bytes[from];
		bytes[from++] = bytes[--to];
		bytes[to] = held;
	}
}

void outbox_resync(void (*fill)(const void *context), const void *context)
{
	sent = 0;
	compact();
	size_t waiting = end;
	memcpy(bytes + end, resync_marker, MARKER_BYTES);
	end += MARKER_BYTES;
	fill(context);
	/* Rotate what was just appended to the front, in place. */
	reverse(0, waiting);
	reverse(waiting, end);
	reverse(0, end);
}

static size_t size_of(const uint8_t *at)
{
	if (at[0] == resync_marker[0])
		return MARKER_BYTES;
	return HEADER_BYTES + (at[8] | (size_t)at[9] << 8 | (size_t)at[10] << 16);
}

/*
 * How much to write next: whole frames, as many as one buffer of the kernel's virtio port takes. A machine that is
 * saved between two writes has then said all of a frame or nothing.
 */
static size_t next_write(void)
{
	size_t at = start;
	while (at != end && at + size_of(bytes + at) - start - sent <= WRITE_MAX)
		at += size_of(bytes + at);
	return at == start ? WRITE_MAX : at - start - sent;
}

ssize_t outbox_flush(int fd)
{
	ssize_t total = 0;
	while (start != end) {
		ssize_t count = write(fd, bytes + start + sent, next_write());
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -errno;
		total += count;
		sent += (size_t)count;
		while (start != end && sent >= size_of(bytes + start)) {
			size_t first = size_of(bytes + start);
			sent -= first;
			start += first;
		}
	}
	start = end = 0;
	return total;
}

void put_bytes(struct writer *writer, const void *from, size_t count)
{
	if ((size_t)(writer->end - writer->at) < count)
		return;
	memcpy(writer->at, from, count);
	writer->at += count;
}

void put_u8(struct writer *writer, uint8_t value)
{
	put_bytes(writer, &value, 1);
}

void put_u16(struct writer *writer, uint16_t value)
{
	put_bytes(writer, (uint8_t[]){ (uint8_t)value, (uint8_t)(value >> 8) }, 2);
}

void put_u32(struct writer *writer, uint32_t value)
{
	put_u16(writer, (uint16_t)value);
	put_u16(writer, (uint16_t)(value >> 16));
}

void put_u64(struct writer *writer, uint64_t value)
{
	put_u32(writer, (uint32_t)value);
	put_u32(writer, (uint32_t)(value >> 32));
}

void put_text(struct writer *writer, const char *text, size_t max)
{
	size_t length = strnlen(text, max);
	size_t room = (size_t)(writer->end - writer->at);
	if (room == 0)
		return;
	if (length > room - 1)
		length = room - 1;
	put_bytes(writer, text, length);
	put_u8(writer, 0);
}
