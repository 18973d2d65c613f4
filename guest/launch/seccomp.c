#include "seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/falloc.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"
#include "landlock-rules.h"
#include "seccomp-table.h"
#include "socket-broker.h"

#ifndef __x86_64__
#error "The filter knows the system calls of x86-64 hosts"
#endif

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define PROGRAM_MAX 1024
/* Calls with this bit are those of x32, which nobody uses and few have looked at. */
#define X32_BIT 0x40000000u
/* linux/net.h: the first argument of socketcall(2). */
#define SOCKETCALL_SOCKET 1
#define NAMESPACES \
	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWCGROUP)

struct numbers {
	uint32_t ioctl, clone, unshare, socket, socketpair, personality;
	/* About a process, that of an argument: the first, or of the two that select some the second. */
	uint32_t prlimit64, settings[4], setpriority, ioprio_set;
	uint32_t setrlimit;
	uint32_t fallocate;
};

static const struct numbers x86_64_numbers = {
	16, 56, 272, 41, 53, 135, 302, { 142, 144, 203, 314 }, 141, 251, 160, 285,
};
static const struct numbers i386_numbers = {
	54, 120, 310, 359, 360, 136, 340, { 154, 156, 241, 351 }, 97, 289, 75, 324,
};
/* ioprio_set(2) */
#define IOPRIO_WHO_USER 3

/* socket_families() counts on the order. */
static const uint32_t families[] = { AF_UNIX, AF_INET, AF_INET6 };
/* Linux, 32-bit Linux, either with the version of a 2.6, and the question which it is. */
static const uint32_t personalities[] = { 0, 8, 0x20000, 0x20008, 0xffffffff };
static const uint32_t requests[] = {
	/* Both put characters into the input of a terminal. */
	TIOCSTI,
	TIOCLINUX,
	/* fallocate(2) by other names (linux/falloc.h): FS_IOC_RESVSP, FS_IOC_RESVSP64, FS_IOC_ZERO_RANGE, of 64 and 32 bits. */
	0x40305828,
	0x4030582a,
	0x40305839,
	0x402c5828,
	0x402c582a,
	0x402c5839,
};

static struct sock_filter program[PROGRAM_MAX];
static unsigned short length;

static void emit(struct sock_filter instruction)
{
	errno = E2BIG;
	if (length == PROGRAM_MAX)
		fail("Cannot build the filter of system calls");
	program[length++] = instruction;
}

static void load(size_t offset)
{
	emit((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/* The low half is all that the kernel looks at in the arguments that we ask for, but for pointers. */
static void load_argument(unsigned index)
{
	load(offsetof(struct seccomp_data, args) + index * sizeof(uint64_t));
}

static void load_high_half(unsigned index)
{
	load(offsetof(struct seccomp_data, args) + index * sizeof(uint64_t) + sizeof(uint32_t));
}

static void answer(uint32_t action)
{
	emit((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void unless_equal_skip(uint32_t value, uint8_t count)
{
	emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count));
}

static void answer_if_equal(uint32_t value, uint32_t action)
{
	unless_equal_skip(value, 1);
	answer(action);
}

/* One call's whole answer: `listed` when its argument is one of `values`, else `other`. */
static void judge(uint32_t call, unsigned argument, const uint32_t *values, size_t count, const uint32_t actions[2])
{
	unless_equal_skip(call, (uint8_t)(2 + 2 * count));
	load_argument(argument);
	for (size_t index = 0; index < count; index++)
		answer_if_equal(values[index], actions[0]);
	answer(actions[1]);
}

/* Refuses a call whose first argument has any of `flags`. */
static void judge_flags(uint32_t call, uint32_t flags)
{
	unless_equal_skip(call, 4);
	load_argument(0);
	emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flags, 0, 1));
	answer(SECCOMP_RET_ERRNO | EPERM);
	answer(SECCOMP_RET_ALLOW);
}

static const uint32_t refuse[] = { SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW };
static const uint32_t ask[] = { SECCOMP_RET_USER_NOTIF, SECCOMP_RET_ALLOW };

/* About some processes: the first argument says whether by process, group or user, the second which. */
static void judge_selection(uint32_t call, uint32_t by_user, uint32_t init)
{
	unless_equal_skip(call, 7);
	load_argument(0);
	answer_if_equal(by_user, SECCOMP_RET_ERRNO | EPERM);
	load_argument(1);
	answer_if_equal(init, SECCOMP_RET_ERRNO | EPERM);
	answer(SECCOMP_RET_ALLOW);
}

/* Asks about a new limit of cores (confine.h); reading it is free. */
static void judge_prlimit(uint32_t call, uint32_t init)
{
	unless_equal_skip(call, 11);
	load_argument(0);
	answer_if_equal(init, SECCOMP_RET_ERRNO | EPERM);
	load_argument(1);
	unless_equal_skip(RLIMIT_CORE, 5);
	load_argument(2);
	unless_equal_skip(0, 2);
	load_high_half(2);
	emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
	answer(SECCOMP_RET_USER_NOTIF);
	answer(SECCOMP_RET_ALLOW);
}

/*
 * It takes room on a disk at once, and no write tells whose it is, so whoever holds a disk to its limit where no quota does would
 * be too late. Programs take the answer for a file system that cannot, and write. What gives room back is free.
 */
static void judge_fallocate(uint32_t call)
{
	unless_equal_skip(call, 4);
	load_argument(1);
	emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_COLLAPSE_RANGE, 0, 1));
	answer(SECCOMP_RET_ALLOW);
	answer(SECCOMP_RET_ERRNO | EOPNOTSUPP);
}

/*
 * Init is root's, or of the same id as all: who is may else limit it, slow it down and starve it, and all that it
 * starts begins with its settings. By user is all users, of whom root's processes are init, too.
 */
static void judge_init(const struct numbers *numbers)
{
	uint32_t init = (uint32_t)getpid(), cores[] = { RLIMIT_CORE };
	for (size_t index = 0; index < COUNT(numbers->settings); index++)
		judge(numbers->settings[index], 0, &init, 1, refuse);
	judge_selection(numbers->setpriority, PRIO_USER, init);
	judge_selection(numbers->ioprio_set, IOPRIO_WHO_USER, init);
	judge_prlimit(numbers->prlimit64, init);
	judge(numbers->setrlimit, 0, cores, 1, ask);
}

/*
 * How many of the families there are: the first is that of sockets on this machine, by path or by a name that
 * only a network namespace, or Landlock, keeps from being one of the host's.
 */
static size_t socket_families(const struct jail_spec *spec)
{
	if (spec->ids != IDS_ALONE)
		return COUNT(families);
	return landlock_abi() >= LANDLOCK_ABI_SCOPES ? 1 : 0;
}

static void judge_arguments(const struct numbers *numbers, const struct jail_spec *spec)
{
	static const uint32_t accept[] = { SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO | EPERM };
	static const uint32_t accept_family[] = { SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO | EAFNOSUPPORT };
	judge(numbers->ioctl, 1, requests, COUNT(requests), refuse);
	judge_fallocate(numbers->fallocate);
	judge(numbers->personality, 0, personalities, COUNT(personalities), accept);
	judge(numbers->socket, 0, families, socket_families(spec), accept_family);
	judge(numbers->socketpair, 0, families, COUNT(families), accept_family);
	/*
	 * Who has a network of its own rules over it, and the kernel's packet filters, which that would put in
	 * reach, are what others have escaped by (B2 row 20).
	 */
	uint32_t namespaces = spec->nested ? CLONE_NEWNET : NAMESPACES;
	judge_flags(numbers->clone, namespaces);
	judge_flags(numbers->unshare, namespaces);
	judge_init(numbers);
}

static void refuse_if_equal(int call, const struct denied_call *denied, const struct jail_spec *spec)
{
	int error = spec->nested ? denied->error_nested : denied->error;
	if (call >= 0 && error)
		answer_if_equal((uint32_t)call, SECCOMP_RET_ERRNO | (uint32_t)error);
}

static void refuse_shared(int call, const struct jail_spec *spec)
{
	if (call >= 0 && spec->ids == IDS_ALONE)
		answer_if_equal((uint32_t)call, SECCOMP_RET_ERRNO | ENOSYS);
}

/* The last word about calls that nothing above has judged. */
static void allow_ranges(const struct call_range *ranges, size_t count)
{
	for (size_t index = 0; index < count; index++) {
		emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, ranges[index].first, 0, 2));
		emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, ranges[index].last, 1, 0));
		answer(SECCOMP_RET_ALLOW);
	}
	answer(SECCOMP_RET_ERRNO | ENOSYS);
}

static void judge_i386(const struct jail_spec *spec)
{
	load(offsetof(struct seccomp_data, nr));
	for (size_t index = 0; index < COUNT(denied_calls); index++)
		refuse_if_equal(denied_calls[index].i386, &denied_calls[index], spec);
	for (size_t index = 0; index < COUNT(shared_calls); index++)
		refuse_shared(shared_calls[index].i386, spec);
	static const uint32_t calls[] = { SOCKETCALL_SOCKET };
	judge(I386_SOCKETCALL, 0, calls, COUNT(calls), ask);
	judge_arguments(&i386_numbers, spec);
	allow_ranges(i386_calls, COUNT(i386_calls));
}

static void judge_x86_64(const struct jail_spec *spec)
{
	load(offsetof(struct seccomp_data, nr));
	emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1));
	answer(SECCOMP_RET_ERRNO | ENOSYS);
	for (size_t index = 0; index < COUNT(denied_calls); index++)
		refuse_if_equal(denied_calls[index].x86_64, &denied_calls[index], spec);
	for (size_t index = 0; index < COUNT(shared_calls); index++)
		refuse_shared(shared_calls[index].x86_64, spec);
	judge_arguments(&x86_64_numbers, spec);
	allow_ranges(x86_64_calls, COUNT(x86_64_calls));
}

static void build(const struct jail_spec *spec)
{
	load(offsetof(struct seccomp_data, arch));
	unless_equal_skip(AUDIT_ARCH_X86_64, 1);
	unsigned short jump = length;
	/* Conditional jumps reach 255 instructions, this one any; where to is known below. */
	emit((struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 0));
	unless_equal_skip(AUDIT_ARCH_I386, 1);
	emit((struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 1));
	answer(SECCOMP_RET_KILL_PROCESS);
	judge_i386(spec);
	program[jump].k = (uint32_t)(length - jump - 1);
	judge_x86_64(spec);
}

int seccomp_confine(const struct jail_spec *spec)
{
	build(spec);
	struct sock_fprog filter = { length, program };
	int fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
	if (fd < 0)
		fail("Cannot filter system calls");
	return fd;
}
