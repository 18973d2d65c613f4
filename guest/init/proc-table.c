#include "proc-table.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ssize_t read_proc_file(pid_t pid, const char *name, char *into, size_t size)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t count = read(fd, into, size - 1);
	close(fd);
	into[count > 0 ? count : 0] = 0;
	return count;
}

/* proc(5), /proc/pid/stat. The name in parentheses may itself hold spaces and parentheses. */
static bool parse_stat(const char *text, struct proc_entry *entry)
{
	const char *after_name = strrchr(text, ')');
	if (!after_name)
		return false;
	int parent, group, session;
	unsigned long user, system;
	long rss;
	int fields = sscanf(after_name + 1, " %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %*u %*u %ld",
			    &entry->state, &parent, &group, &session, &user, &system, &rss);
	if (fields != 7)
		return false;
	entry->parent = parent;
	entry->session = session;
	entry->cpu_us = (uint64_t)(user + system) * 1000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	entry->rss_bytes = (uint64_t)rss * (uint64_t)sysconf(_SC_PAGESIZE);
	return true;
}

bool proc_next(DIR *proc, struct proc_entry *entry)
{
	struct dirent *item;
	while ((item = readdir(proc))) {
		char text[1024];
		char *rest;
		long pid = strtol(item->d_name, &rest, 10);
		if (*rest || pid <= 0)
			continue;
		entry->pid = (pid_t)pid;
		if (read_proc_file(entry->pid, "stat", text, sizeof text) > 0 && parse_stat(text, entry))
			return true;
	}
	return false;
}

size_t proc_command(pid_t pid, char *into, size_t size)
{
	ssize_t count = read_proc_file(pid, "cmdline", into, size);
	return count > 0 ? (size_t)count : 0;
}
