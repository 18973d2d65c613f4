#include "watch-limit.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned long read_number(const char *path, unsigned long otherwise)
{
	char text[32];
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t count = file < 0 ? -1 : read(file, text, sizeof text - 1);
	if (file >= 0)
		close(file);
	if (count <= 0)
		return otherwise;
	text[count] = 0;
	return strtoul(text, NULL, 10);
}

/* Watches of one inotify descriptor, by its /proc/PID/fdinfo: a line each. */
static unsigned long count_watches(int folder, const char *name)
{
	char line[512];
	unsigned long watches = 0;
	int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
	FILE *stream = file < 0 ? NULL : fdopen(file, "r");
	if (!stream)
		return 0;
	while (fgets(line, sizeof line, stream)) {
		if (strncmp(line, "inotify wd:", 11) == 0)
			watches++;
	}
	fclose(stream);
	return watches;
}

static unsigned long watches_of(const char *process)
{
	char path[64], target[32];
	unsigned long watches = 0;
	snprintf(path, sizeof path, "/proc/%.16s/fdinfo", process);
	DIR *information = opendir(path);
	snprintf(path, sizeof path, "/proc/%.16s/fd", process);
	DIR *links = opendir(path);
	for (struct dirent *entry; information && links && (entry = readdir(links));) {
		ssize_t length = readlinkat(dirfd(links), entry->d_name, target, sizeof target - 1);
		target[length < 0 ? 0 : length] = 0;
		if (strcmp(target, "anon_inode:inotify") == 0)
			watches += count_watches(dirfd(information), entry->d_name);
	}
	if (links)
		closedir(links);
	if (information)
		closedir(information);
	return watches;
}

/* Of this user's processes, as far as they are seen from here. */
static unsigned long watches_in_use(void)
{
	struct stat status;
	unsigned long watches = 0;
	DIR *processes = opendir("/proc");
	for (struct dirent *entry; processes && (entry = readdir(processes));) {
		bool is_process = isdigit((unsigned char)entry->d_name[0]);
		if (is_process && fstatat(dirfd(processes), entry->d_name, &status, 0) == 0 && status.st_uid == geteuid())
			watches += watches_of(entry->d_name);
	}
	if (processes)
		closedir(processes);
	return watches;
}

uint32_t watch_limit(uint32_t most)
{
	/* The second is that of our namespace of users; the kernel keeps to the lesser. */
	unsigned long allowed = read_number("/proc/sys/fs/inotify/max_user_watches", 2ul * most);
	unsigned long here = read_number("/proc/sys/user/max_inotify_watches", allowed);
	if (here < allowed)
		allowed = here;
	unsigned long used = watches_in_use();
	unsigned long half = allowed > used ? (allowed - used) / 2 : 0;
	return half < most ? (uint32_t)half : most;
}
