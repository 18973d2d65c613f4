#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "confine.h"
#include "custody.h"
#include "descriptors.h"
#include "enter-jail.h"
#include "fail.h"
#include "id-map.h"
#include "launch-alone.h"
#include "meeting.h"
#include "mount-api.h"
#include "oom-score.h"
#include "relay.h"
#include "root-mount.h"
#include "spec.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

#define NAMESPACES (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC)

/*
 * This program from a mount on which it cannot be written, whoever finds it as /proc/1/exe
 * (CVE-2019-5736). By its path, since /proc/self/exe lies in a mount namespace that we have left.
 */
static int open_read_only_self(void)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	if (length < 0)
		fail("Cannot find the launcher");
	path[length] = 0;
	int fd = clone_mount(AT_FDCWD, path, 0);
	struct stat found, running;
	errno = 0;
	if (fstat(fd, &found) < 0 || stat("/proc/self/exe", &running) < 0 || found.st_ino != running.st_ino ||
	    found.st_dev != running.st_dev)
		fail("Cannot start the jail: the launcher was replaced");
	set_attributes(fd, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, "the launcher");
	return fd;
}

/* How long the host has been up is none of a jail's business. Older kernels have no such namespace. */
static void restart_clocks(void)
{
	struct timespec monotonic, boot;
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	if (unshare(CLONE_NEWTIME) < 0)
		return;
	int fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	dprintf(fd, "monotonic -%lld 0\nboottime -%lld 0\n", (long long)monotonic.tv_sec, (long long)boot.tv_sec);
	close(fd);
}

/* The mounts that we began with, and where our paths begin in them. */
struct host_mounts {
	int namespace, root;
};

static struct host_mounts host_mounts_open(void)
{
	return (struct host_mounts){
		.namespace = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC),
		.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC),
	};
}

/*
 * Lets go of the copies of all mounts of the host, which would keep what an operator unmounts busy for as long as the jail lives;
 * the jail has namespaces of its own by now. Not for who is root in a user namespace only: those follow the host's where it
 * shares them (root_mount_make).
 */
static void host_mounts_return(const struct host_mounts *host)
{
	if (setns(host->namespace, CLONE_NEWNS) == 0 && (fchdir(host->root) < 0 || chroot(".") < 0))
		fail("Cannot return to the mounts of the host");
	close(host->namespace);
	close(host->root);
}

static void open_groups(struct jail *jail)
{
	for (unsigned index = 0; index < jail->spec.group_count; index++) {
		jail->groups[index] = open(jail->spec.groups[index], O_WRONLY | O_CLOEXEC);
		if (jail->groups[index] < 0)
			fail("Cannot open the control group %s", jail->spec.groups[index]);
	}
}

int launch(void)
{
	static struct jail jail;
	close_range(READY + 1, ~0u, 0);
	fcntl(SPEC, F_SETFD, FD_CLOEXEC);
	fcntl(READY, F_SETFD, FD_CLOEXEC);
	spec_read(&jail.spec, SPEC);
	open_groups(&jail);
	confine_cores();
	/* What a terminal sends to the bridge's group is not for us: the bridge ends its jails itself. */
	setsid();
	if (jail.spec.ids == IDS_ALONE)
		return launch_alone(&jail);
	struct meeting meeting = { -1, -1 };
	if (jail.spec.meet)
		meeting = meeting_open(jail.spec.meet);
	jail.door = meeting.agent;
	struct relay_parts relay = { -1, -1, -1 };
	if (jail.spec.relay)
		relay = relay_prepare(&jail.spec);
	jail.network = relay.inside;
	if (jail.spec.ids != IDS_OF_HOST)
		id_map_check_own();
	if (jail.spec.ids == IDS_ONE)
		id_map_become_root();
	struct host_mounts host = host_mounts_open();
	if (unshare(CLONE_NEWNS) < 0)
		fail("Cannot make a mount namespace");
	/* Before anything is mounted over where it lies. */
	jail.program = open_read_only_self();
	root_mount_make(&jail.spec);
	restart_clocks();

	int turn[2];
	if (pipe2(turn, O_CLOEXEC) < 0)
		fail("Cannot make a pipe");
	pid_t pid = (pid_t)syscall(SYS_clone, NAMESPACES | SIGCHLD, 0, 0, 0, 0);
	if (pid < 0)
		fail("Cannot make the jail's namespaces");
	if (pid == 0) {
		close(turn[1]);
		close(relay.outside);
		close(relay.folder);
		jail.turn = turn[0];
		enter_jail(&jail);
	}
	host_mounts_return(&host);
	id_map_write(pid, &jail.spec);
	oom_score_spare(pid);
	/* The other end tells the jail that we live, so it stays open. */
	if (write(turn[1], "", 1) != 1)
		fail("Cannot start the jail");
	/* Whose end is PID 1's end. */
	close(CHANNEL);
	close(READY);
	close(meeting.agent);
	close(relay.inside);
	pid_t relay_pid = jail.spec.relay ? relay_start(&relay, &jail.spec) : -1;
	return keep_custody(pid, &(struct custody){ SPEC, meeting.custody, relay_pid, &jail.spec });
}
