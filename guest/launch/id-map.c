#include "id-map.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail.h"

static void write_setting(pid_t pid, const char *name, const char *text)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fail("Cannot set the %s of a user namespace", name);
	close(fd);
}

void id_map_write(pid_t pid, const struct jail_spec *spec)
{
	char map[64] = "0 0 1";
	if (spec->ids == IDS_OF_HOST)
		snprintf(map, sizeof map, "0 %u %u", spec->first_id, IDS);
	/* A line lies within one of ours, where 0 is our user's own id and the rest come from elsewhere (subuid(5)). */
	if (spec->ids == IDS_OURS)
		snprintf(map, sizeof map, "0 0 1\n1 1 %u", IDS - 1);
	write_setting(pid, "uid_map", map);
	write_setting(pid, "gid_map", map);
}

void id_map_check_own(void)
{
	unsigned long inside, outside, count, uid = geteuid(), found = 0;
	FILE *map = fopen("/proc/self/uid_map", "re");
	while (map && fscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3) {
		if (uid >= inside && uid - inside < count)
			found = outside + uid - inside;
	}
	if (map)
		fclose(map);
	errno = 0;
	if (found == 0)
		fail("Cannot start the jail: its root could be the host's");
}

void id_map_become_root(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	char map[32];
	if (unshare(CLONE_NEWUSER) < 0)
		fail("Cannot make a user namespace");
	write_setting(getpid(), "setgroups", "deny");
	snprintf(map, sizeof map, "0 %u 1", uid);
	write_setting(getpid(), "uid_map", map);
	snprintf(map, sizeof map, "0 %u 1", gid);
	write_setting(getpid(), "gid_map", map);
}

int id_map_for_mounts(uint32_t first_id)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
	if (pid < 0)
		fail("Cannot make a user namespace");
	/* Only holds the namespace until we have a descriptor of it. */
	while (pid == 0)
		pause();
	char text[96];
	snprintf(text, sizeof text, "0 %u %u\n%u 0 1", first_id, IDS, IDS);
	write_setting(pid, "uid_map", text);
	write_setting(pid, "gid_map", text);
	snprintf(text, sizeof text, "/proc/%d/ns/user", (int)pid);
	int fd = open(text, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail("Cannot open a user namespace");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return fd;
}
