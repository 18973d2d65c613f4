#include "populate.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "home.h"
#include "host.h"
#include "machine-id.h"
#include "protocol.h"

struct mount_point {
	const char *target;
	mode_t mode;
	const char *source;
	const char *type;
	unsigned long flags;
	const char *options;
};

static const struct mount_point mount_points[] = {
	{ "/proc", 0555, "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL },
	{ "/sys", 0555, "sysfs", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, NULL },
	/* Not devtmpfs: that has one instance, and would carry files over a checkout (H-5). */
	{ "/dev", 0755, "tmpfs", "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=755,size=64k" },
	/* "." is init's own /dev/pts: the working directory stays outside while the root moves in. */
	{ "/dev/pts", 0755, ".", NULL, MS_BIND, NULL },
	{ "/dev/shm", 0755, "tmpfs", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777" },
	{ "/run", 0755, "tmpfs", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755" },
};

static const struct mount_point temporary = {
	"/tmp", 01777, "tmpfs", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777"
};

struct device {
	const char *path;
	mode_t mode;
	unsigned major, minor;
};

/* Documentation/admin-guide/devices.txt */
static const struct device devices[] = {
	{ "/dev/null", 0666, 1, 3 },   { "/dev/zero", 0666, 1, 5 },    { "/dev/full", 0666, 1, 7 },
	{ "/dev/random", 0666, 1, 8 }, { "/dev/urandom", 0666, 1, 9 }, { "/dev/tty", 0666, 5, 0 },
};

static const char *const links[][2] = {
	{ "pts/ptmx", "/dev/ptmx" },	      { "/proc/self/fd", "/dev/fd" },
	{ "/proc/self/fd/0", "/dev/stdin" },  { "/proc/self/fd/1", "/dev/stdout" },
	{ "/proc/self/fd/2", "/dev/stderr" },
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int mount_point(const struct mount_point *point, char *what, unsigned size)
{
	if (mkdir(point->target, point->mode) < 0 && errno != EEXIST && errno != EROFS) {
		snprintf(what, size, "Cannot make %s", point->target);
		return errno;
	}
	if (mount(point->source, point->target, point->type, point->flags, point->options) < 0) {
		snprintf(what, size, "Cannot mount %s", point->target);
		return errno;
	}
	return 0;
}

static int make_devices(char *what, unsigned size)
{
	for (size_t index = 0; index < COUNT(devices); index++) {
		const struct device *device = &devices[index];
		if (mknod(device->path, S_IFCHR | device->mode, makedev(device->major, device->minor)) < 0 && errno != EEXIST) {
			snprintf(what, size, "Cannot make %s", device->path);
			return errno;
		}
	}
	for (size_t index = 0; index < COUNT(links); index++) {
		if (symlink(links[index][0], links[index][1]) < 0 && errno != EEXIST) {
			snprintf(what, size, "Cannot make %s", links[index][1]);
			return errno;
		}
	}
	return 0;
}

int populate_root(uint8_t mount_flags, char *what, unsigned size)
{
	umask(0);
	if (chdir("/dev/pts") < 0 || chroot(SYSROOT) < 0) {
		snprintf(what, size, "Cannot enter %s", SYSROOT);
		return errno;
	}
	for (size_t index = 0; index < COUNT(mount_points); index++) {
		int error = mount_point(&mount_points[index], what, size);
		if (error)
			return error;
	}
	int error = mount_flags & MOUNT_TMP ? mount_point(&temporary, what, size) : 0;
	if (!error)
		error = make_devices(what, size);
	if (!error)
		error = home_set_up(what, size);
	if (!error)
		machine_id_lay();
	return error;
}
