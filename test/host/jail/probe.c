/*
 * One attempt per run at what a jail must deny: prints "ok", or the name of the errno. Small and
 * static, so that the same file runs outside, as the control, and inside.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <mqueue.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* A mount namespace of its own where that is allowed, so that a control changes nothing. */
static void step_aside(void)
{
	if (unshare(CLONE_NEWNS) == 0)
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static long try_mount_tmpfs(const char *argument)
{
	(void)argument;
	step_aside();
	return mount("none", "/proc", "tmpfs", 0, NULL);
}

static long try_mount_cgroup(const char *argument)
{
	(void)argument;
	step_aside();
	return mount("none", "/proc", "cgroup", 0, "pids");
}

static long try_mount_overlay(const char *argument)
{
	(void)argument;
	step_aside();
	return mount("none", "/proc", "overlay", 0, "lowerdir=/etc:/usr");
}

static long try_new_mount_api(const char *argument)
{
	(void)argument;
	return fsopen("tmpfs", 0);
}

static long try_unshare_user(const char *argument)
{
	(void)argument;
	return unshare(CLONE_NEWUSER);
}

static long try_clone_user(const char *argument)
{
	(void)argument;
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
	if (pid == 0)
		_exit(0);
	return pid;
}

static long try_clone_network(const char *argument)
{
	(void)argument;
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWNET | SIGCHLD, 0, 0, 0, 0);
	if (pid == 0)
		_exit(0);
	return pid;
}

/* An empty request: EINVAL from a kernel that looks at it. */
static long try_clone3(const char *argument)
{
	(void)argument;
	return syscall(SYS_clone3, NULL, 0);
}

/* Any call by its number, with arguments that lie nowhere. */
static long try_call(const char *argument)
{
	return syscall(atol(argument), -1, 0, 0, 0, 0);
}

static long try_keyctl(const char *argument)
{
	(void)argument;
	return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1);
}

static long try_add_key(const char *argument)
{
	(void)argument;
	return syscall(SYS_add_key, "user", "coppice-probe", "x", 1, KEY_SPEC_PROCESS_KEYRING);
}

static long try_bpf(const char *argument)
{
	(void)argument;
	union bpf_attr map = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1 };
	return syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof map);
}

static long try_perf(const char *argument)
{
	(void)argument;
	struct perf_event_attr event = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof event, .config = PERF_COUNT_SW_CPU_CLOCK, .exclude_kernel = 1
	};
	return syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
}

static long try_userfaultfd(const char *argument)
{
	(void)argument;
	return syscall(SYS_userfaultfd, O_CLOEXEC);
}

/* Refused for its flags, EINVAL, by a kernel that looks at them. */
static long try_kexec(const char *argument)
{
	(void)argument;
	return syscall(SYS_kexec_load, 0, 0, NULL, ~0ul);
}

/* EBADF from a kernel that looks at the descriptor. */
static long try_module(const char *argument)
{
	(void)argument;
	return syscall(SYS_finit_module, -1, "", 0);
}

static long try_io_uring(const char *argument)
{
	(void)argument;
	static char parameters[256];
	return syscall(SYS_io_uring_setup, 1, parameters);
}

static long try_inject(const char *argument)
{
	int master, slave;
	if (openpty(&master, &slave, NULL, NULL, NULL) < 0)
		return -1;
	setsid();
	if (ioctl(slave, TIOCSCTTY, 0) < 0)
		return -1;
	char text = '!', select[] = { 2 };
	return *argument == 'l' ? ioctl(slave, TIOCLINUX, select) : ioctl(slave, TIOCSTI, &text);
}

/* Into a terminal that it is given, where it can have no other. */
static long try_inject_own(const char *argument)
{
	char text = '!', select[] = { 2 };
	return *argument == 'l' ? ioctl(0, TIOCLINUX, select) : ioctl(0, TIOCSTI, &text);
}

/* Shared memory that outlives us, unless it is removed. */
static long try_shared_memory(const char *argument)
{
	(void)argument;
	int id = shmget(IPC_PRIVATE, 1, 0600);
	return id < 0 ? id : shmctl(id, IPC_RMID, NULL);
}

static long try_message_queue(const char *argument)
{
	(void)argument;
	mqd_t queue = mq_open("/coppice-probe", O_RDWR | O_CREAT, 0600, NULL);
	return queue < 0 ? queue : mq_unlink("/coppice-probe");
}

static long try_change_root(const char *argument)
{
	return chroot(argument);
}

static long try_become_root(const char *argument)
{
	(void)argument;
	return setresuid(0, 0, 0);
}

/* To nobody, 0: whether one may. */
static long try_signal(const char *argument)
{
	return kill(atoi(argument), 0);
}

/* No descriptor but the usual three. */
static long try_descriptors(const char *argument)
{
	(void)argument;
	for (int fd = 3; fd < 1024; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			return 0;
	}
	errno = EBADF;
	return -1;
}

static long try_read(const char *argument)
{
	return open(argument, O_RDONLY | O_CLOEXEC);
}

static long try_socket(const char *argument)
{
	return socket(atoi(argument), SOCK_RAW, 0) >= 0 ? 0 : socket(atoi(argument), SOCK_SEQPACKET, 0);
}

static long try_abstract(const char *argument)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = strlen(argument);
	memcpy(address.sun_path + 1, argument, length);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	return connect(fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length));
}

/* Asks whoever listens at a path to end a jail (guest/launch/custody.h): ECONNABORTED when it does not listen to us. */
static long try_meet(const char *argument)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	strncpy(address.sun_path, argument, sizeof address.sun_path - 1);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char byte = 'e';
	if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0 || send(fd, &byte, 1, MSG_NOSIGNAL) < 0)
		return -1;
	puts("connected");
	fflush(stdout);
	ssize_t count = recv(fd, &byte, 1, 0);
	errno = ECONNABORTED;
	return count == 1 ? 0 : -1;
}

static long try_ptrace(const char *argument)
{
	return ptrace(PTRACE_SEIZE, atoi(argument), NULL, NULL);
}

static long try_read_memory(const char *argument)
{
	/* The same address in every process of this program, which is linked to a fixed one. */
	static char shared;
	char byte;
	struct iovec ours = { &byte, 1 }, theirs = { &shared, 1 };
	return process_vm_readv(atoi(argument), &ours, 1, &theirs, 1, 0);
}

/* Another process of this program: what try_read_memory() reads. */
static long wait_to_be_read(const char *argument)
{
	(void)argument;
	pause();
	return 0;
}

static long try_node(const char *argument)
{
	const char *path = "/tmp/coppice-probe-node";
	bool block = *argument == 'b';
	long result = mknod(path, (block ? S_IFBLK : S_IFCHR) | 0600, block ? makedev(8, 0) : makedev(1, 1));
	int error = errno;
	unlink(path);
	errno = error;
	return result;
}

/* Overlay's sign for "removed": a device that needs no privilege (mknod(2)). */
static long try_whiteout(const char *argument)
{
	char path[256];
	snprintf(path, sizeof path, "%s/coppice-probe-whiteout", argument);
	long result = mknod(path, S_IFCHR, 0);
	int error = errno;
	unlink(path);
	errno = error;
	return result;
}

/* ENOTTY from a device that was asked. */
static long try_ioctl(const char *argument)
{
	struct termios settings;
	return ioctl(open(argument, O_RDONLY | O_CLOEXEC), TCGETS, &settings);
}

static long try_create(const char *argument)
{
	return open(argument, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static long try_remove(const char *argument)
{
	return unlink(argument);
}

/* To ids that nothing else has. */
static long try_chown(const char *argument)
{
	return chown(argument, 7, 8);
}

/* Opens and does not write. */
static long try_open(const char *argument)
{
	return open(argument, O_WRONLY | O_CLOEXEC);
}

/* Leaves a process behind that goes on when whoever asked has gone; the argument names it. */
static long leave_running(const char *argument)
{
	(void)argument;
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	setsid();
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	for (;;)
		pause();
}

/* Settings of who started us, given again as they are: init, in a jail. */
static long try_settings(const char *argument)
{
	pid_t parent = getppid();
	struct rlimit files;
	struct sched_param param;
	cpu_set_t processors;
	if (strcmp(argument, "limit") == 0)
		return prlimit(parent, RLIMIT_NOFILE, NULL, &files) < 0 ? -1 : prlimit(parent, RLIMIT_NOFILE, &files, NULL);
	if (strcmp(argument, "processors") == 0)
		return sched_getaffinity(parent, sizeof processors, &processors) < 0 ?
			       -1 :
			       sched_setaffinity(parent, sizeof processors, &processors);
	if (strcmp(argument, "policy") == 0)
		return sched_getparam(parent, &param) < 0 ? -1 : sched_setscheduler(parent, SCHED_BATCH, &param);
	if (strcmp(argument, "parameters") == 0)
		return sched_getparam(parent, &param) < 0 ? -1 : sched_setparam(parent, &param);
	if (strcmp(argument, "priority") == 0)
		return setpriority(PRIO_PROCESS, (id_t)parent, getpriority(PRIO_PROCESS, (id_t)parent));
	if (strcmp(argument, "priority-of-user") == 0)
		return setpriority(PRIO_USER, 0, 0);
	/* ioprio_set(2): of a process, of a user; best effort, the middle. */
	if (strcmp(argument, "disk") == 0)
		return syscall(SYS_ioprio_set, 1, parent, 2 << 13 | 4);
	return syscall(SYS_ioprio_set, 3, 0, 2 << 13 | 4);
}

/* Fills memory that is no process's, as far as it may. */
static long try_fill(const char *argument)
{
	static char bytes[65536];
	int memory = memfd_create("full", 0), ends[2], queue;
	if (strcmp(argument, "memory-file") == 0) {
		while (write(memory, bytes, sizeof bytes) > 0)
			;
	} else if (strcmp(argument, "messages") == 0) {
		/* The type of a message, which comes first. */
		bytes[0] = 1;
		while ((queue = msgget(IPC_PRIVATE, 0600)) >= 0) {
			while (msgsnd(queue, bytes, 8000, IPC_NOWAIT) == 0)
				;
		}
	} else {
		bool is_pipe = strcmp(argument, "pipes") == 0;
		while ((is_pipe ? pipe2(ends, O_NONBLOCK) : socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends)) == 0) {
			while (write(ends[1], bytes, sizeof bytes) > 0)
				;
		}
	}
	return -1;
}

/* Of a file in memory, which any program may make: the filter does not know of files. */
static long try_take_room(const char *argument)
{
	int fd = memfd_create("room", 0);
	struct {
		short type, whence;
		long long start, length;
		int system_id;
		unsigned process;
		int rest[4];
	} room = { .length = 8192 };
	if (fd < 0 || ftruncate(fd, 8192) < 0)
		return -1;
	switch (*argument) {
	case 'a':
		return fallocate(fd, 0, 0, 8192);
	case 'k':
		return fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 65536);
	case 'i':
		return ioctl(fd, 0x40305828, &room);
	case 'l':
		return ioctl(fd, 0x4030582a, &room);
	default:
		return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096);
	}
}

static const struct attempt {
	const char *name;
	long (*run)(const char *argument);
} attempts[] = {
	{ "mount-tmpfs", try_mount_tmpfs },
	{ "mount-cgroup", try_mount_cgroup },
	{ "mount-overlay", try_mount_overlay },
	{ "fsopen", try_new_mount_api },
	{ "unshare-user", try_unshare_user },
	{ "clone-user", try_clone_user },
	{ "clone-network", try_clone_network },
	{ "clone3", try_clone3 },
	{ "call", try_call },
	{ "keyctl", try_keyctl },
	{ "add-key", try_add_key },
	{ "bpf", try_bpf },
	{ "perf", try_perf },
	{ "userfaultfd", try_userfaultfd },
	{ "kexec", try_kexec },
	{ "module", try_module },
	{ "io-uring", try_io_uring },
	{ "inject", try_inject },
	{ "inject-own", try_inject_own },
	{ "shared-memory", try_shared_memory },
	{ "message-queue", try_message_queue },
	{ "change-root", try_change_root },
	{ "become-root", try_become_root },
	{ "signal", try_signal },
	{ "descriptors", try_descriptors },
	{ "read", try_read },
	{ "socket", try_socket },
	{ "abstract", try_abstract },
	{ "meet", try_meet },
	{ "ptrace", try_ptrace },
	{ "read-memory", try_read_memory },
	{ "wait", wait_to_be_read },
	{ "node", try_node },
	{ "whiteout", try_whiteout },
	{ "ioctl", try_ioctl },
	{ "create", try_create },
	{ "remove", try_remove },
	{ "chown", try_chown },
	{ "open", try_open },
	{ "leave-running", leave_running },
	{ "settings", try_settings },
	{ "fill", try_fill },
	{ "take-room", try_take_room },
};

int main(int count, char **arguments)
{
	for (size_t index = 0; count > 1 && index < sizeof attempts / sizeof *attempts; index++) {
		if (strcmp(attempts[index].name, arguments[1]) != 0)
			continue;
		errno = 0;
		long result = attempts[index].run(count > 2 ? arguments[2] : "");
		puts(result >= 0 ? "ok" : strerrorname_np(errno));
		return 0;
	}
	return 2;
}
