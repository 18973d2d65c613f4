#include "furnish-root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../init/identity.h"
#include "fail.h"
#include "give-tree.h"
#include "mount-api.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Documentation/admin-guide/devices.txt */
static const struct {
	const char *name;
	unsigned major, minor;
} devices[] = {
	{ "null", 1, 3 }, { "zero", 1, 5 }, { "full", 1, 7 }, { "random", 1, 8 }, { "urandom", 1, 9 }, { "tty", 5, 0 },
};

static int open_own(int root, const char *name, mode_t mode)
{
	int point = open_mount_point(root, name, mode);
	int fd = openat(point, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fchown(fd, 0, 0) < 0 || fchmod(fd, mode) < 0)
		fail("Cannot furnish /%s", name);
	close(point);
	return fd;
}

static void make_device(int dev, const char *name, dev_t number)
{
	/* Of the image, where a device was not kept as one. */
	if (unlinkat(dev, name, 0) < 0 && errno != ENOENT)
		fail("Cannot make /dev/%s", name);
	if (mknodat(dev, name, S_IFCHR | 0666, number) < 0)
		fail("Cannot make the device /dev/%s in a root", name);
}

/* EACCES where the file system is mounted without devices (mount(8), nodev). */
static void check_device(int dev, const char *name)
{
	int fd = openat(dev, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		fail("Cannot use devices where roots are kept");
	close(fd);
}

static void furnish_dev(int root, uid_t id)
{
	int dev = open_own(root, "dev", 0755);
	for (size_t index = 0; index < COUNT(devices); index++)
		make_device(dev, devices[index].name, makedev(devices[index].major, devices[index].minor));
	check_device(dev, devices[0].name);
	int shm = open_mount_point(dev, "shm", 01777);
	if (fchownat(shm, "", id, id, AT_EMPTY_PATH) < 0)
		fail("Cannot furnish /dev/shm");
	close(shm);
	close(dev);
}

/* Where the image has such a list; else its id has no name, as with any other number. */
static void name_id(int root, const char *path, const char *line)
{
	int found = open_inside(root, path, 0);
	struct stat status;
	if (found < 0 || fstat(found, &status) < 0 || !S_ISREG(status.st_mode))
		return;
	int fd = openat(root, path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		fail("Cannot name the jail's id in /%s", path);
	close(fd);
	close(found);
}

int furnish_root(const char *text, const char *folder)
{
	char *rest, user[128], group[64];
	unsigned long number = strtoul(text, &rest, 10);
	errno = EINVAL;
	if (*rest || number == 0 || number >= (uid_t)-1)
		fail("Cannot furnish a root for %s", text);
	uid_t id = (uid_t)number;
	umask(0);
	int root = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (root < 0)
		fail("Cannot open %s", folder);
	/* Processes fill it, and not every image has one. */
	close(open_mount_point(root, "run", 0755));
	snprintf(user, sizeof user, "%s:x:%u:%u::/home/%s:/bin/bash\n", DEFAULT_USER, id, id, DEFAULT_USER);
	snprintf(group, sizeof group, "%s:x:%u:\n", DEFAULT_USER, id);
	name_id(root, "etc/passwd", user);
	name_id(root, "etc/group", group);
	give_tree(root, id);
	close(open_own(root, "proc", 0555));
	close(open_own(root, "sys", 0555));
	furnish_dev(root, id);
	close(root);
	return 0;
}
