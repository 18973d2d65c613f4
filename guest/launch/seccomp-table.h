/*
 * System calls that no program in a jail may make, by the numbers of x86-64 and i386; -1 where there
 * is none. Numbers and not names, as the headers of one architecture do not know the other's
 * (arch/x86/entry/syscalls/ of Linux). It is a list of what is denied, like Docker's in effect: all
 * that it leaves is still bounded by namespaces and by having no capability.
 */
#pragma once

#include <errno.h>

struct denied_call {
	int x86_64;
	int i386;
	int error;
};

/* clang-format off */
static const struct denied_call denied_calls[] = {
	/* The kernel itself: modules, kexec, reboot, swap, ports. */
	{ 246, 283, EPERM }, /* kexec_load */
	{ 320, -1, EPERM }, /* kexec_file_load */
	{ 175, 128, EPERM }, /* init_module */
	{ 313, 350, EPERM }, /* finit_module */
	{ 176, 129, EPERM }, /* delete_module */
	{ 174, 127, EPERM }, /* create_module */
	{ 177, 130, EPERM }, /* get_kernel_syms */
	{ 178, 167, EPERM }, /* query_module */
	{ 169, 88, EPERM }, /* reboot */
	{ 167, 87, EPERM }, /* swapon */
	{ 168, 115, EPERM }, /* swapoff */
	{ 172, 110, EPERM }, /* iopl */
	{ 173, 101, EPERM }, /* ioperm */
	{ 163, 51, EPERM }, /* acct */
	{ 179, 131, EPERM }, /* quotactl */
	{ 443, 443, EPERM }, /* quotactl_fd */
	{ 180, 169, EPERM }, /* nfsservctl */
	{ 103, 103, EPERM }, /* syslog */
	{ 153, 111, EPERM }, /* vhangup */
	{ 139, 135, EPERM }, /* sysfs */
	{ 156, 149, EPERM }, /* _sysctl */
	{ 136, 62, EPERM }, /* ustat */
	{ 134, 86, EPERM }, /* uselib */
	{ 183, 137, EPERM }, /* afs_syscall */
	/* Its clocks. */
	{ 164, 79, EPERM }, /* settimeofday */
	{ -1, 25, EPERM }, /* stime */
	{ 227, 264, EPERM }, /* clock_settime */
	{ -1, 404, EPERM }, /* clock_settime64 */
	{ 305, 343, EPERM }, /* clock_adjtime */
	{ -1, 405, EPERM }, /* clock_adjtime64 */
	{ 159, 124, EPERM }, /* adjtimex */
	/* Mounts and namespaces (B2 rows 8, 12, 20). */
	{ 165, 21, EPERM }, /* mount */
	{ -1, 22, EPERM }, /* umount */
	{ 166, 52, EPERM }, /* umount2 */
	{ 155, 217, EPERM }, /* pivot_root */
	{ 429, 429, EPERM }, /* move_mount */
	{ 428, 428, EPERM }, /* open_tree */
	{ 467, 467, EPERM }, /* open_tree_attr */
	{ 430, 430, EPERM }, /* fsopen */
	{ 432, 432, EPERM }, /* fsmount */
	{ 431, 431, EPERM }, /* fsconfig */
	{ 433, 433, EPERM }, /* fspick */
	{ 442, 442, EPERM }, /* mount_setattr */
	{ 308, 346, EPERM }, /* setns */
	{ 272, 310, EPERM }, /* unshare */
	{ 304, 342, EPERM }, /* open_by_handle_at */
	{ 303, 341, EPERM }, /* name_to_handle_at */
	/* Keyrings, which no namespace divides (row 11). */
	{ 250, 288, EPERM }, /* keyctl */
	{ 248, 286, EPERM }, /* add_key */
	{ 249, 287, EPERM }, /* request_key */
	/* Wide and often broken (row 13). */
	{ 321, 357, EPERM }, /* bpf */
	{ 298, 336, EPERM }, /* perf_event_open */
	{ 323, 374, EPERM }, /* userfaultfd */
	{ 300, 338, EPERM }, /* fanotify_init */
	{ 212, 253, EPERM }, /* lookup_dcookie */
	{ 312, 349, EPERM }, /* kcmp */
	{ 311, 348, EPERM }, /* process_vm_writev */
	{ 154, 123, EPERM }, /* modify_ldt */
	{ -1, 166, EPERM }, /* vm86 */
	{ -1, 113, EPERM }, /* vm86old */
	/* Whose memory lies where is the host's affair. */
	{ 237, 274, EPERM }, /* mbind */
	{ 238, 276, EPERM }, /* set_mempolicy */
	{ 450, 450, EPERM }, /* set_mempolicy_home_node */
	{ 239, 275, EPERM }, /* get_mempolicy */
	{ 256, 294, EPERM }, /* migrate_pages */
	{ 279, 317, EPERM }, /* move_pages */
	/*
	 * Programs do without what they take to be missing (row 14): io_uring goes around every filter,
	 * and the flags of clone3 lie in memory.
	 */
	{ 425, 425, ENOSYS }, /* io_uring_setup */
	{ 426, 426, ENOSYS }, /* io_uring_enter */
	{ 427, 427, ENOSYS }, /* io_uring_register */
	{ 435, 435, ENOSYS }, /* clone3 */
};
/* clang-format on */
