#include "mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host.h"
#include "messages.h"
#include "populate.h"
#include "reap.h"
#include "stream.h"
#include "task.h"

#define KILL_TIMEOUT_MS 2000
#define MOUNTS_MAX 64

static bool mounted;
static uint8_t mount_flags;

static void mount_or_say(const char *type, const char *target, unsigned long flags)
{
	mkdir(target, 0755);
	if (mount(type, target, type, flags, NULL) < 0 && errno != EBUSY)
		fprintf(stderr, "init: cannot mount %s: %s\n", target, strerror(errno));
}

void mount_own(void)
{
	mount_or_say("devtmpfs", "/dev", MS_NOSUID | MS_NOEXEC);
	mount_or_say("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC);
	mount_or_say("sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC);
	/* The only instance: SYSROOT gets it by bind mount, so that init's terminals have names there. */
	mkdir("/dev/pts", 0755);
	mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "gid=5,mode=620,ptmxmode=666");
	mkdir(SYSROOT, 0755);
}

static int populate_task(char *what, unsigned size)
{
	return populate_root(mount_flags, what, size);
}

static void on_populated(int error)
{
	/* Whatever was mounted goes again, so that the host can try once more. */
	if (error)
		while (umount2(SYSROOT, MNT_DETACH) == 0)
			;
	mounted = !error;
}

void mount_request(const struct frame *frame)
{
	struct body body = body_of(frame);
	mount_flags = body_u8(&body);
	const char *tag = body_text(&body);
	const char *options = body_text(&body);
	if (!body_done(&body)) {
		send_error(frame->id, EPROTO, "Cannot read the MOUNT frame");
		return;
	}
	if (!host.owns_machine) {
		send_error(frame->id, EOPNOTSUPP, "Cannot mount: the agent does not own the machine");
		return;
	}
	if (mounted) {
		send_error(frame->id, EBUSY, "Cannot mount: a root is mounted already");
		return;
	}
	/* Here rather than in the task, so that a second MOUNT meets EBUSY. The version and attach of 9P
	 * are answered by the host's server without a disk. */
	if (mount(tag, SYSROOT, "9p", MS_NOATIME, options) < 0) {
		send_error(frame->id, errno, "Cannot mount the 9P tree");
		return;
	}
	mounted = true;
	task_start(frame->id, populate_task, on_populated);
}

/* proc(5), mountinfo: the fifth field is the mount point, spaces as \040, which none of ours has. */
static int list_mounts(char points[MOUNTS_MAX][256])
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	if (!file)
		return 0;
	char line[4096], point[256];
	int count = 0;
	while (count < MOUNTS_MAX && fgets(line, sizeof line, file)) {
		if (sscanf(line, "%*d %*d %*s %*s %255s", point) != 1)
			continue;
		size_t length = strlen(SYSROOT);
		if (strncmp(point, SYSROOT, length) == 0 && (point[length] == 0 || point[length] == '/'))
			strcpy(points[count++], point);
	}
	fclose(file);
	return count;
}

static int unmount_task(char *what, unsigned size)
{
	static char points[MOUNTS_MAX][256];
	int count;
	/* Newest first: what is mounted on something goes before it. Again while there were too many. */
	while ((count = list_mounts(points)) > 0) {
		int removed = 0;
		for (int index = count - 1; index >= 0; index--)
			removed += umount2(points[index], 0) == 0;
		if (removed > 0)
			continue;
		int error = errno;
		snprintf(what, size, "Cannot unmount %s; it is detached", points[0]);
		umount2(SYSROOT, MNT_DETACH);
		return error;
	}
	return 0;
}

static void on_unmounted(int error)
{
	if (error)
		send_log("unmount: %s; the mounts were detached", strerror(error));
	mounted = false;
}

void unmount_request(const struct frame *frame)
{
	if (!host.owns_machine) {
		send_error(frame->id, EOPNOTSUPP, "Cannot unmount: the agent does not own the machine");
		return;
	}
	streams_abandon(EXIT_CHECKOUT);
	if (kill_everything(KILL_TIMEOUT_MS) < 0)
		send_log("unmount: some processes do not die");
	task_start(frame->id, unmount_task, on_unmounted);
}

static int sync_task(char *what, unsigned size)
{
	int fd = open(host.owns_machine ? SYSROOT : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && syncfs(fd) == 0)
		return 0;
	snprintf(what, size, "Cannot write the files back");
	return errno;
}

void sync_request(const struct frame *frame)
{
	/* The host of a jail reads the same page cache: what was written is there. */
	if (host.is_jail) {
		send_ok(frame->id);
		return;
	}
	task_start(frame->id, sync_task, NULL);
}
