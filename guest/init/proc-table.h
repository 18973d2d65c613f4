/* The processes that /proc shows. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_entry {
	pid_t pid;
	pid_t parent;
	pid_t session;
	char state;
	uint64_t cpu_us;
	uint64_t rss_bytes;
};

/* Fills `entry` with the next process of an opened /proc that still exists; false at the end. */
bool proc_next(DIR *proc, struct proc_entry *entry);

/* Reads argv as NUL-separated text, at most `size - 1` bytes plus a NUL; answers its length. */
size_t proc_command(pid_t pid, char *into, size_t size);
