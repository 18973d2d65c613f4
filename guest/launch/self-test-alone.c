#include "self-test-alone.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "landlock-rules.h"
#include "looks.h"

#define SECCOMP_FILTERED 2

static void test_identity(const struct jail_spec *spec)
{
	uid_t id = spec->first_id, users[3], groups[3];
	bool is_known = getresuid(&users[0], &users[1], &users[2]) == 0 && getresgid(&groups[0], &groups[1], &groups[2]) == 0;
	for (int index = 0; index < 3; index++)
		stands(is_known && users[index] == id && groups[index] == id, "an id of the host");
	stands(getgroups(0, NULL) == 0, "groups of the host");
	stands(refused(setresuid(0, 0, 0), EPERM) && refused(setresgid(0, 0, 0), EPERM), "the host's root among its users");
	/* The launcher, which is root's. */
	stands(refused(kill(getppid(), 0), EPERM), "signals for processes of the host");
}

static void test_privileges(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2];
	stands(syscall(SYS_capget, &header, sets) == 0, "no word of its capabilities");
	for (int half = 0; half < 2; half++)
		stands((sets[half].effective | sets[half].permitted | sets[half].inheritable) == 0, "a capability");
	stands(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1, "that set-user-ID programs work");
	stands(prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_FILTERED, "no filter of system calls");
}

static void test_calls(void)
{
	stands(refused(unshare(CLONE_NEWUSER), EPERM), "user namespaces allowed");
	stands(refused(mount("none", "/", "tmpfs", 0, NULL), EPERM), "mounts allowed");
	stands(refused(syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0), EPERM),
	       "keyrings allowed");
	stands(refused(syscall(SYS_shmget, IPC_PRIVATE, 1, 0600), ENOSYS), "shared memory of the host");
	stands(refused(syscall(SYS_prlimit64, getpid(), RLIMIT_NOFILE, NULL, NULL), EPERM), "that its init can be limited");
	stands(refused(chroot("/"), EPERM), "that its root can be changed");
}

static void test_sockets(const struct outsiders *outsiders)
{
	static const int families[] = { AF_INET, AF_INET6, AF_NETLINK };
	for (unsigned index = 0; index < sizeof families / sizeof *families; index++)
		stands(refused(socket(families[index], SOCK_DGRAM, 0), EAFNOSUPPORT), "the network of the host");
	if (landlock_abi() >= LANDLOCK_ABI_SCOPES)
		stands(!is_reachable(outsiders->listener), "sockets of others in reach");
	else
		stands(refused(socket(AF_UNIX, SOCK_STREAM, 0), EAFNOSUPPORT), "sockets of others in reach");
}

static void test_files(const struct outsiders *outsiders)
{
	struct stat root, above;
	bool is_known = stat("/", &root) == 0 && stat("/..", &above) == 0;
	stands(is_known && root.st_ino == above.st_ino && root.st_dev == above.st_dev, "a way out of its root");
	/* By a way that it had before, of which a changed root knows nothing. */
	int outside = openat(outsiders->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	stands(refused(outside, EACCES), "files of the host in reach");
	stands(refused(access("/proc/self", F_OK), ENOENT), "processes of the host");
	stands(!can_make_device(), "devices that can be made");
	stands(refused(open("/dev/self-test", O_WRONLY | O_CREAT | O_CLOEXEC, 0600), EACCES), "its devices writable");
}

void self_test_alone(const struct jail_spec *spec, const struct outsiders *outsiders)
{
	test_identity(spec);
	test_privileges();
	test_calls();
	test_sockets(outsiders);
	test_files(outsiders);
	close(outsiders->listener);
	close(outsiders->root);
}
