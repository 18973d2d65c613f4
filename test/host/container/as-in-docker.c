/*
 * Runs a program as Docker's defaults do: as PID 1 of its own pid and mount namespaces, with the capabilities
 * and, as far as it matters here, the filter of system calls that its documentation names ("Seccomp security
 * profiles for Docker", "Runtime privilege and Linux capabilities"), and control groups that cannot be written.
 * Of a container's root and network it makes nothing: the files and the loopback are those of who starts it.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define BIT(capability) (UINT64_C(1) << (capability))
#define KEPT                                                                                                     \
	(BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FSETID) | BIT(CAP_FOWNER) | BIT(CAP_MKNOD) |           \
	 BIT(CAP_NET_RAW) | BIT(CAP_SETGID) | BIT(CAP_SETUID) | BIT(CAP_SETFCAP) | BIT(CAP_SETPCAP) |            \
	 BIT(CAP_NET_BIND_SERVICE) | BIT(CAP_SYS_CHROOT) | BIT(CAP_KILL) | BIT(CAP_AUDIT_WRITE))
/* What the profile masks the flags of clone(2) with. */
#define NAMESPACES 0x7e020000u

/* Of x86-64: what its programs could make walls with, or look into others. */
static const uint32_t denied[] = {
	SYS_mount,	SYS_umount2,   SYS_pivot_root,	   SYS_move_mount, SYS_open_tree, SYS_fsopen, SYS_fsmount,
	SYS_fsconfig,	SYS_fspick,    SYS_mount_setattr,  SYS_setns,	   SYS_unshare,	  SYS_keyctl, SYS_add_key,
	SYS_request_key, SYS_bpf,      SYS_perf_event_open, SYS_userfaultfd, SYS_open_by_handle_at, SYS_io_uring_setup,
	SYS_fanotify_init,
};

static void check(long result, const char *what)
{
	if (result >= 0)
		return;
	perror(what);
	exit(125);
}

static void filter(void)
{
	struct sock_filter program[2 * COUNT(denied) + 16];
	unsigned short length = 0;
	program[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
	program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t index = 0; index < COUNT(denied); index++) {
		program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, denied[index], 0, 1);
		program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	}
	program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
	program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
	program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3);
	program[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args));
	program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1);
	program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog code = { length, program };
	/* As Docker does: without no_new_privs, which needs a capability that is given up next. */
	check(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &code), "seccomp");
}

static void give_up_capabilities(void)
{
	for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
		if (!(KEPT & BIT(capability)))
			check(prctl(PR_CAPBSET_DROP, capability, 0, 0, 0), "bounding set");
	}
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	uint32_t low = (uint32_t)KEPT, high = (uint32_t)(KEPT >> 32);
	struct __user_cap_data_struct sets[2] = { { low, low, 0 }, { high, high, 0 } };
	check(syscall(SYS_capset, &header, sets), "capabilities");
}

/* Ends with the parent, also with one that ended before the signal was asked for: it alone holds the other end. */
static void end_with_parent(int parent)
{
	check(prctl(PR_SET_PDEATHSIG, SIGKILL), "parent");
	struct pollfd end = { .fd = parent, .events = POLLIN };
	check(poll(&end, 1, 0), "parent");
	if (end.revents != 0)
		exit(125);
	close(parent);
}

static _Noreturn void run(char **arguments)
{
	check(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "private mounts");
	check(mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL), "/proc");
	check(mount("tmpfs", "/sys/fs/cgroup", "tmpfs", MS_RDONLY, "size=4k"), "/sys/fs/cgroup");
	filter();
	give_up_capabilities();
	execv(arguments[0], arguments);
	check(-1, arguments[0]);
	exit(125);
}

int main(int count, char **arguments)
{
	if (count < 2)
		return 2;
	check(unshare(CLONE_NEWNS | CLONE_NEWPID), "namespaces");
	int ends[2];
	check(pipe(ends), "pipe");
	pid_t pid = fork();
	check(pid, "fork");
	if (pid == 0) {
		close(ends[1]);
		end_with_parent(ends[0]);
		run(arguments + 1);
	}
	close(ends[0]);
	int status = 0;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
