#include "read-field.h"
#include "subvolumes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/btrfs.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define EXIT_MALFORMED 2

static int open_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Cuts `path` in two; false when it is not absolute, or names nothing that btrfs could. */
static bool split(char *path, const char **name)
{
	char *slash = strrchr(path, '/');
	if (path[0] != '/' || slash == path || strlen(slash + 1) > BTRFS_SUBVOL_NAME_MAX || !slash[1])
		return false;
	*slash = 0;
	*name = slash + 1;
	return true;
}

static int create(int parent, const char *name)
{
	struct btrfs_ioctl_vol_args_v2 args = { 0 };
	memcpy(args.name, name, strlen(name));
	return ioctl(parent, BTRFS_IOC_SUBVOL_CREATE_V2, &args);
}

static int snapshot(int parent, const char *name, const char *from, bool read_only)
{
	int source = open_folder(from);
	if (source < 0)
		return -1;
	struct btrfs_ioctl_vol_args_v2 args = { .fd = source, .flags = read_only ? BTRFS_SUBVOL_RDONLY : 0 };
	memcpy(args.name, name, strlen(name));
	int result = ioctl(parent, BTRFS_IOC_SNAP_CREATE_V2, &args);
	int error = errno;
	close(source);
	errno = error;
	return result;
}

/* An ordinary user deletes none that is read-only. */
static int make_writable(int parent, const char *name)
{
	__u64 flags = 0;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int result = fd < 0 ? -1 : ioctl(fd, BTRFS_IOC_SUBVOL_SETFLAGS, &flags);
	close(fd);
	return result;
}

static int delete(int parent, const char *name)
{
	struct btrfs_ioctl_vol_args args = { 0 };
	memcpy(args.name, name, strlen(name));
	if (ioctl(parent, BTRFS_IOC_SNAP_DESTROY, &args) == 0)
		return 0;
	int error = errno;
	if (error == EROFS && make_writable(parent, name) == 0)
		return ioctl(parent, BTRFS_IOC_SNAP_DESTROY, &args);
	errno = error;
	return -1;
}

/* Answers an error number. */
static int do_request(char operation, const char *from, char *path)
{
	const char *name;
	if (!split(path, &name))
		return EINVAL;
	int parent = open_folder(path), result = -1;
	if (parent < 0)
		return errno;
	errno = EINVAL;
	if (operation == 'c')
		result = create(parent, name);
	else if (operation == 's' || operation == 'r')
		result = snapshot(parent, name, from, operation == 'r');
	else if (operation == 'd')
		result = delete(parent, name);
	int error = result < 0 ? errno : 0;
	close(parent);
	return error;
}

int subvolumes_serve(void)
{
	char operation[2], from[PATH_MAX], path[PATH_MAX];
	while (read_field(operation, sizeof operation)) {
		if (!read_field(from, sizeof from) || !read_field(path, sizeof path))
			return EXIT_MALFORMED;
		printf("%d\n", do_request(operation[0], from, path));
		fflush(stdout);
	}
	return feof(stdin) ? 0 : EXIT_MALFORMED;
}
