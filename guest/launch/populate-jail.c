#include "populate-jail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"
#include "lay-machine-id.h"
#include "mount-api.h"
#include "proc-masks.h"
#include "root-mount.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define NOTHING (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)

/* The host's own, bound: a user namespace cannot make devices. Harmless ones, and no more. */
static const char *const devices[] = { "null", "zero", "full", "random", "urandom", "tty" };

static const char *const links[][2] = {
	{ "pts/ptmx", "ptmx" },		 { "/proc/self/fd", "fd" },	    { "/proc/self/fd/0", "stdin" },
	{ "/proc/self/fd/1", "stdout" }, { "/proc/self/fd/2", "stderr" },
};

static void bind_device(int dev, const char *name)
{
	char path[32];
	snprintf(path, sizeof path, "/dev/%s", name);
	int device = clone_mount(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW);
	struct stat status;
	if (fstat(device, &status) < 0 || !S_ISCHR(status.st_mode))
		fail("Cannot use %s: it is no device here", path);
	set_attributes(device, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, path);
	int file = openat(dev, name, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (file < 0)
		fail("Cannot make %s", path);
	attach(device, file, path);
	close(file);
	close(device);
}

/* A file without content takes a KiB of the kernel's memory, which is the jail's and ends with no process. */
#define KIB_PER_FILE 4

/* A tmpfs that processes can fill, with bytes and with names. */
static int new_shared_folder(const char *mode, uint64_t attributes, const struct jail_spec *spec)
{
	char size[32], files[32];
	snprintf(size, sizeof size, "%luk", spec->shared_kib);
	snprintf(files, sizeof files, "%lu", spec->shared_kib / KIB_PER_FILE + 1);
	return new_mount("tmpfs", attributes,
			 (const char *const[]){ "mode", mode, "size", size, "nr_inodes", files, NULL });
}

static void mount_dev(int root, const struct jail_spec *spec)
{
	int point = open_mount_point(root, "dev", 0755);
	int dev = new_mount("tmpfs", NOTHING, (const char *const[]){ "mode", "755", "size", "64k", NULL });
	attach(dev, point, "/dev");
	close(point);
	for (size_t index = 0; index < COUNT(devices); index++)
		bind_device(dev, devices[index]);
	for (size_t index = 0; index < COUNT(links); index++) {
		if (symlinkat(links[index][0], dev, links[index][1]) < 0)
			fail("Cannot make /dev/%s", links[index][1]);
	}
	/* Group tty, where there are groups. */
	const char *const terminals[] = { "ptmxmode", "666", "mode", "620", spec->ids == IDS_ONE ? NULL : "gid", "5", NULL };
	int pts = new_mount("devpts", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, terminals);
	point = open_mount_point(dev, "pts", 0755);
	attach(pts, point, "/dev/pts");
	close(point);
	close(pts);
	int shm = new_shared_folder("1777", NOTHING, spec);
	point = open_mount_point(dev, "shm", 01777);
	attach(shm, point, "/dev/shm");
	close(point);
	close(shm);
	/* Init opens /dev/null and /dev/ptmx: nobody may put a pipe there, on which it would wait for ever. */
	set_attributes(dev, NOTHING | MOUNT_ATTR_RDONLY, "/dev");
	close(dev);
}

/*
 * Empty, rather than what it would tell of the host's hardware. The kernel lets a user namespace mount a
 * proc only where one can be seen that nothing is mounted on (mount_too_revealing() in fs/namespace.c): a
 * jail that may nest has it below here, where another empty directory lies over it.
 */
static void mount_sys(int root, bool nested)
{
	static const char *const empty[] = { "mode", "555", "size", "4k", NULL };
	int point = open_mount_point(root, "sys", 0755);
	if (nested) {
		int under = new_mount("tmpfs", NOTHING, empty);
		int proc_point = open_mount_point(under, "proc", 0555);
		int proc = new_mount("proc", NOTHING, NULL);
		attach(under, point, "/sys");
		attach(proc, proc_point, UNMASKED_PROC);
		close(proc);
		close(proc_point);
		close(under);
	}
	int sys = new_mount("tmpfs", NOTHING | MOUNT_ATTR_RDONLY, empty);
	attach(sys, point, "/sys");
	close(sys);
	close(point);
}

static void mount_all(int root, const struct jail_spec *spec)
{
	int point = open_mount_point(root, "proc", 0555);
	/* The descriptor, and not a path, says that what is masked below is a proc. */
	int proc = new_mount("proc", NOTHING, NULL);
	attach(proc, point, "/proc");
	close(point);
	mask_proc(proc);
	close(proc);
	mount_dev(root, spec);
	mount_sys(root, spec->nested);
	point = open_mount_point(root, "run", 0755);
	int run = new_shared_folder("755", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, spec);
	attach(run, point, "/run");
	close(point);
	machine_id_lay_over(root, run);
	close(run);
}

/* pivot_root(2), "pivot_root(".", ".")": the old root ends up on top of the new one, and goes. */
static void change_root(int root)
{
	if (fchdir(root) < 0 || syscall(SYS_pivot_root, ".", ".") < 0)
		fail("Cannot change the root");
	if (umount2(".", MNT_DETACH) < 0)
		fail("Cannot let go of the host's root");
	if (chdir("/") < 0)
		fail("Cannot enter the root");
}

void populate_jail(const struct jail_spec *spec)
{
	umask(0);
	/* A copy of our own: mounts that came from the more privileged namespace are locked (mount_namespaces(7)). */
	int root = clone_mount(AT_FDCWD, STAGE_ROOT, 0);
	int stage = open(STAGE_ROOT, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (stage < 0)
		fail("Cannot open the root");
	attach(root, stage, "the root");
	close(stage);
	mount_all(root, spec);
	change_root(root);
	close(root);
	umask(022);
}
