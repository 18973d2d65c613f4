/*
 * The system calls of programs in a jail, by the numbers of x86-64 and i386. Numbers and not names, as
 * the headers of one architecture do not know the other's (arch/x86/entry/syscalls/ of Linux).
 */
#pragma once

#include <errno.h>

/* Both included. */
struct call_range {
	unsigned first;
	unsigned last;
};

/* Calls that are refused although they lie in the ranges below; -1 where an architecture has none. */
struct denied_call {
	int x86_64;
	int i386;
	/* What it fails with, and what in a jail that may nest; 0 where it does not. */
	int error;
	int error_nested;
};

/* clang-format off */
static const struct denied_call denied_calls[] = {
	/* The kernel itself: modules, kexec, reboot, swap, ports. */
	{ 246, 283, EPERM, EPERM }, /* kexec_load */
	{ 320, -1, EPERM, EPERM }, /* kexec_file_load */
	{ 175, 128, EPERM, EPERM }, /* init_module */
	{ 313, 350, EPERM, EPERM }, /* finit_module */
	{ 176, 129, EPERM, EPERM }, /* delete_module */
	{ 174, 127, EPERM, EPERM }, /* create_module */
	{ 177, 130, EPERM, EPERM }, /* get_kernel_syms */
	{ 178, 167, EPERM, EPERM }, /* query_module */
	{ 169, 88, EPERM, EPERM }, /* reboot */
	{ 167, 87, EPERM, EPERM }, /* swapon */
	{ 168, 115, EPERM, EPERM }, /* swapoff */
	{ 172, 110, EPERM, EPERM }, /* iopl */
	{ 173, 101, EPERM, EPERM }, /* ioperm */
	{ 163, 51, EPERM, EPERM }, /* acct */
	{ 179, 131, EPERM, EPERM }, /* quotactl */
	{ 443, 443, EPERM, EPERM }, /* quotactl_fd */
	{ 180, 169, EPERM, EPERM }, /* nfsservctl */
	{ 103, 103, EPERM, EPERM }, /* syslog */
	{ 153, 111, EPERM, EPERM }, /* vhangup */
	{ 139, 135, EPERM, EPERM }, /* sysfs */
	{ 156, 149, EPERM, EPERM }, /* _sysctl */
	{ 136, 62, EPERM, EPERM }, /* ustat */
	{ 134, 86, EPERM, EPERM }, /* uselib */
	{ 183, 137, EPERM, EPERM }, /* afs_syscall */
	/* Its clocks. */
	{ 164, 79, EPERM, EPERM }, /* settimeofday */
	{ -1, 25, EPERM, EPERM }, /* stime */
	{ 227, 264, EPERM, EPERM }, /* clock_settime */
	{ -1, 404, EPERM, EPERM }, /* clock_settime64 */
	{ 305, 343, EPERM, EPERM }, /* clock_adjtime */
	{ -1, 405, EPERM, EPERM }, /* clock_adjtime64 */
	{ 159, 124, EPERM, EPERM }, /* adjtimex */
	/* Mounts and namespaces (B2 rows 8, 12, 20). */
	{ 165, 21, EPERM, 0 }, /* mount */
	{ -1, 22, EPERM, 0 }, /* umount */
	{ 166, 52, EPERM, 0 }, /* umount2 */
	{ 155, 217, EPERM, 0 }, /* pivot_root */
	{ 429, 429, EPERM, 0 }, /* move_mount */
	{ 428, 428, EPERM, 0 }, /* open_tree */
	{ 467, 467, EPERM, 0 }, /* open_tree_attr */
	{ 430, 430, EPERM, 0 }, /* fsopen */
	{ 432, 432, EPERM, 0 }, /* fsmount */
	{ 431, 431, EPERM, 0 }, /* fsconfig */
	{ 433, 433, EPERM, 0 }, /* fspick */
	{ 442, 442, EPERM, 0 }, /* mount_setattr */
	{ 308, 346, EPERM, 0 }, /* setns */
	{ 272, 310, EPERM, 0 }, /* unshare */
	{ 304, 342, EPERM, EPERM }, /* open_by_handle_at */
	{ 303, 341, EPERM, EPERM }, /* name_to_handle_at */
	/* Keyrings, which no namespace divides (row 11). */
	{ 250, 288, EPERM, EPERM }, /* keyctl */
	{ 248, 286, EPERM, EPERM }, /* add_key */
	{ 249, 287, EPERM, EPERM }, /* request_key */
	/* Wide and often broken (row 13). */
	{ 321, 357, EPERM, EPERM }, /* bpf */
	{ 298, 336, EPERM, EPERM }, /* perf_event_open */
	{ 323, 374, EPERM, EPERM }, /* userfaultfd */
	{ 300, 338, EPERM, EPERM }, /* fanotify_init */
	{ 212, 253, EPERM, EPERM }, /* lookup_dcookie */
	{ 312, 349, EPERM, EPERM }, /* kcmp */
	{ 311, 348, EPERM, EPERM }, /* process_vm_writev */
	{ 154, 123, EPERM, EPERM }, /* modify_ldt */
	{ -1, 166, EPERM, EPERM }, /* vm86 */
	{ -1, 113, EPERM, EPERM }, /* vm86old */
	/* Whose memory lies where is the host's affair. */
	{ 237, 274, EPERM, EPERM }, /* mbind */
	{ 238, 276, EPERM, EPERM }, /* set_mempolicy */
	{ 450, 450, EPERM, EPERM }, /* set_mempolicy_home_node */
	{ 239, 275, EPERM, EPERM }, /* get_mempolicy */
	{ 256, 294, EPERM, EPERM }, /* migrate_pages */
	{ 279, 317, EPERM, EPERM }, /* move_pages */
	/*
	 * Programs do without what they take to be missing (row 14): io_uring goes around every filter,
	 * and the flags of clone3 lie in memory.
	 */
	{ 425, 425, ENOSYS, ENOSYS }, /* io_uring_setup */
	{ 426, 426, ENOSYS, ENOSYS }, /* io_uring_enter */
	{ 427, 427, ENOSYS, ENOSYS }, /* io_uring_register */
	{ 435, 435, ENOSYS, ENOSYS }, /* clone3 */
};

/*
 * What reaches objects of the whole ipc namespace (ipc_namespaces(7)), which outlive whoever made them:
 * refused where that is the host's.
 */
static const struct {
	int x86_64;
	int i386;
} shared_calls[] = {
	{ -1, 117 }, /* ipc */
	{ 29, 395 }, /* shmget */
	{ 30, 397 }, /* shmat */
	{ 31, 396 }, /* shmctl */
	{ 64, 393 }, /* semget */
	{ 65, -1 }, /* semop */
	{ 66, 394 }, /* semctl */
	{ 220, 420 }, /* semtimedop */
	{ 68, 399 }, /* msgget */
	{ 69, 400 }, /* msgsnd */
	{ 70, 401 }, /* msgrcv */
	{ 71, 402 }, /* msgctl */
	{ 240, 277 }, /* mq_open */
	{ 241, 278 }, /* mq_unlink */
};

/*
 * The calls that are allowed where nothing else is said of them: those of Linux 6.1, and of newer ones what
 * the usual programs ask for. All other numbers fail with ENOSYS, which programs take for an older kernel: numbers
 * that were never implemented, and each call that a later kernel adds, until somebody has looked at it. Left out
 * of those since 6.1: statmount, listmount, the calls of Linux security modules, and file_getattr and file_setattr.
 */
static const struct call_range x86_64_calls[] = {
	{ 0, 180 },
	{ 186, 213 }, /* without tuxcall, security and those of STREAMS */
	{ 216, 235 }, /* without the first two of epoll */
	{ 237, 336 }, /* without vserver; the last two are made by breakpoints of the host's tracers */
	{ 424, 449 }, /* pidfd_send_signal to futex_waitv */
	{ 451, 456 }, /* cachestat, fchmodat2, map_shadow_stack, futex_wake to futex_requeue */
	{ 462, 467 }, /* mseal, setxattrat to removexattrat, open_tree_attr */
};

static const struct call_range i386_calls[] = {
	{ 0, 16 },
	{ 18, 30 }, /* without break */
	{ 33, 34 }, /* without stty and gtty */
	{ 36, 43 }, /* without ftime */
	{ 45, 52 }, /* without prof */
	{ 54, 55 }, /* without lock */
	{ 57, 97 }, /* without mpx */
	{ 99, 111 }, /* without profil */
	{ 113, 136 }, /* without idle */
	{ 138, 187 }, /* without afs_syscall */
	{ 190, 221 }, /* without those of STREAMS */
	{ 224, 250 },
	{ 252, 272 },
	{ 274, 284 }, /* without vserver */
	{ 286, 386 },
	{ 393, 423 }, /* those of System V IPC by themselves, and those with times of 64 bits */
	{ 424, 449 },
	{ 451, 456 },
	{ 462, 467 },
};
/* clang-format on */
