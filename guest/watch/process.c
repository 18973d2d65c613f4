#include "process.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t read_proc(pid_t process, const char *name, char *text, size_t size)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)process, name);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -1;
	ssize_t count = read(file, text, size);
	close(file);
	return count;
}

/*
 * By NSpid of /proc/PID/status: its numbers in our namespace of processes and in those within. Processes of the host, and
 * those of jails without namespaces, have one; the init of a jail has 1 at the end.
 */
static bool is_program_of_jail(pid_t process)
{
	char status[4096];
	ssize_t count = read_proc(process, "status", status, sizeof status - 1);
	if (count <= 0)
		return false;
	status[count] = 0;
	const char *at = strstr(status, "\nNSpid:");
	if (!at)
		return false;
	long last = 0;
	int numbers = 0;
	at += strlen("\nNSpid:");
	for (char *end; *at == '\t'; at = end, numbers++)
		last = strtol(at, &end, 10);
	return numbers > 1 && last != 1;
}

/* 0 where it is gone, or not for us to see. */
static uint32_t namespace_of(pid_t process)
{
	char path[64];
	struct stat status;
	snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)process);
	return stat(path, &status) == 0 ? (uint32_t)status.st_ino : 0;
}

size_t process_words(pid_t process, char *words, uint32_t *namespace)
{
	uint32_t before = process > 0 ? namespace_of(process) : 0;
	if (before == 0 || !is_program_of_jail(process))
		return 0;
	ssize_t count = read_proc(process, "cmdline", words, PROCESS_WORDS_MAX);
	if (count <= 0 || namespace_of(process) != before)
		return 0;
	*namespace = before;
	return (size_t)count;
}
