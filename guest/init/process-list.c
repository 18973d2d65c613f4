#include "process-list.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "messages.h"
#include "outbox.h"
#include "proc-table.h"
#include "stream.h"

/* So that the longest list fits one frame. */
#define LISTED_MAX 256
#define COMMAND_MAX 200

/* A kernel thread has no command line; neither has a process that is dead or about to be. */
static bool is_shown(const struct proc_entry *entry, size_t command_length, uint32_t stream)
{
	if (entry->pid == getpid() || command_length == 0)
		return false;
	return host.is_pid1 || stream != 0;
}

static void put_process(struct writer *body, const struct proc_entry *entry, uint32_t stream)
{
	put_u32(body, (uint32_t)entry->pid);
	put_u32(body, (uint32_t)entry->parent);
	put_u32(body, stream);
	put_u64(body, entry->cpu_us);
	put_u64(body, entry->rss_bytes);
}

static void put_command(struct writer *body, const char *command, size_t length)
{
	uint16_t arguments = 0;
	for (const char *at = command; at < command + length; at += strlen(at) + 1)
		arguments++;
	put_u16(body, arguments);
	for (const char *at = command; at < command + length; at += strlen(at) + 1)
		put_text(body, at, COMMAND_MAX);
}

void process_list_send(uint32_t request)
{
	uint8_t *start = outbox_reserve(BODY_MAX);
	DIR *proc = opendir("/proc");
	if (!proc) {
		send_error(request, errno, "Cannot read /proc");
		return;
	}
	/* COMMAND_ROOM is more than that; see messages.c. */
	if (!start) {
		closedir(proc);
		return;
	}
	struct writer body = { start + 3, start + BODY_MAX };
	uint16_t listed = 0;
	bool complete = true;
	struct proc_entry entry;
	while (proc_next(proc, &entry)) {
		char command[COMMAND_MAX];
		size_t length = proc_command(entry.pid, command, sizeof command);
		uint32_t stream = stream_of_session(entry.session);
		if (!is_shown(&entry, length, stream))
			continue;
		complete = listed < LISTED_MAX;
		if (!complete)
			break;
		put_process(&body, &entry, stream);
		put_command(&body, command, length);
		listed++;
	}
	closedir(proc);
	struct writer head = { start, start + 3 };
	put_u8(&head, complete);
	put_u16(&head, listed);
	outbox_commit(INIT_PROCESSES, request, (size_t)(body.at - start));
}
