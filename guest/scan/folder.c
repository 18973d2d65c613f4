#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "answer.h"

struct folder folder;

static bool write_setting(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool is_written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return is_written;
}

/*
 * An ordinary user's jail writes files that their modes keep from the user, and root inside reads
 * them nevertheless. So do we, as root of a user namespace (user_namespaces(7)) where there may be
 * one; elsewhere such a file is refused when it is read.
 */
static void see_own_files(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	char map[32];
	if (uid == 0 || unshare(CLONE_NEWUSER) < 0)
		return;
	write_setting("/proc/self/setgroups", "deny");
	snprintf(map, sizeof map, "0 %u 1", gid);
	bool is_mapped = write_setting("/proc/self/gid_map", map);
	snprintf(map, sizeof map, "0 %u 1", uid);
	if (!write_setting("/proc/self/uid_map", map) || !is_mapped)
		refuse(FAILED_OTHERWISE, "a user namespace without ids");
}

void folder_open(const char *path)
{
	see_own_files();
	folder.fd = -1;
	folder_go(path);
}

void folder_go(const char *path)
{
	struct statx stat;
	if (strlen(path) >= sizeof folder.path)
		refuse(FAILED_OTHERWISE, "the path of the folder is too long");
	strcpy(folder.path, path);
	close(folder.fd);
	folder.fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder.fd < 0 || statx(folder.fd, "", AT_EMPTY_PATH, STATX_INO, &stat) < 0)
		refuse(FAILED_OTHERWISE, "%s", path);
	folder.device[0] = stat.stx_dev_major;
	folder.device[1] = stat.stx_dev_minor;
}

int folder_open_file(const char *path, int flags)
{
	return folder_open_at(folder.fd, path, flags);
}

int folder_open_at(int folder_fd, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC | O_NOATIME | flags),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	const char *name = *path ? path : ".";
	int fd = (int)syscall(SYS_openat2, folder_fd, name, &how, sizeof how);
	if (fd >= 0 || errno != EPERM)
		return fd;
	/* The file is another's: without rights over it, its time of access is not ours to keep. */
	how.flags &= ~(uint64_t)O_NOATIME;
	return (int)syscall(SYS_openat2, folder_fd, name, &how, sizeof how);
}
