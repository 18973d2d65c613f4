#include "mount-api.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"

int open_inside(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(O_PATH | O_NOFOLLOW | O_CLOEXEC | flags),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
	};
	return (int)syscall(SYS_openat2, root, path, &how, sizeof how);
}

int open_mount_point(int root, const char *path, mode_t mode)
{
	int fd = open_inside(root, path, O_DIRECTORY);
	/* One component of a directory that was opened the same way: mkdirat(2) follows nothing there. */
	if (fd < 0 && errno == ENOENT && mkdirat(root, path, mode) == 0)
		fd = open_inside(root, path, O_DIRECTORY);
	if (fd < 0)
		fail("Cannot mount /%s: it is not a plain directory in the root", path);
	return fd;
}

int clone_mount(int directory, const char *path, unsigned flags)
{
	int fd = open_tree(directory, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | flags);
	if (fd < 0)
		fail("Cannot use %s for a mount", *path ? path : "a descriptor");
	return fd;
}

int new_mount(const char *type, uint64_t attributes, const char *const *options)
{
	int context = fsopen(type, FSOPEN_CLOEXEC);
	if (context < 0)
		fail("Cannot make a %s", type);
	for (; options && *options; options += 2) {
		if (fsconfig(context, FSCONFIG_SET_STRING, options[0], options[1], 0) < 0)
			fail("Cannot make a %s with %s=%s", type, options[0], options[1]);
	}
	if (fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		fail("Cannot make a %s", type);
	int fd = fsmount(context, FSMOUNT_CLOEXEC, (unsigned)attributes);
	if (fd < 0)
		fail("Cannot mount a %s", type);
	close(context);
	return fd;
}

void set_attributes(int mount, uint64_t attributes, const char *what)
{
	struct mount_attr attr = { .attr_set = attributes };
	if (mount_setattr(mount, "", AT_EMPTY_PATH, &attr, sizeof attr) < 0)
		fail("Cannot restrict %s", what);
}

void attach(int mount, int mount_point, const char *what)
{
	if (move_mount(mount, "", mount_point, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		fail("Cannot mount %s", what);
}
