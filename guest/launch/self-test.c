#include "self-test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "landlock-rules.h"
#include "lay-machine-id.h"
#include "looks.h"
#include "populate-jail.h"

#define SECCOMP_FILTERED 2

/* Ids of the host that ours are; none may be root's. Seen from here, our own ids are those of the map. */
static bool maps_host_root(const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned inside, outside, count;
	bool found = !file;
	while (file && fscanf(file, "%u %u %u", &inside, &outside, &count) == 3)
		found |= outside == 0;
	if (file)
		fclose(file);
	return found;
}

static void test_privileges(const struct jail_spec *spec)
{
	stands(getpid() == 1, "processes of the host");
	/* Without privileges, 0 is only that of the launcher's own namespace. */
	stands(spec->ids != IDS_OF_HOST || (!maps_host_root("/proc/self/uid_map") && !maps_host_root("/proc/self/gid_map")),
	       "the host's root among its users");
	stands(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1, "that set-user-ID programs work");
	stands(prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_FILTERED, "no filter of system calls");
	for (int capability = 0;; capability++) {
		int bound = prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
		if (bound < 0)
			break;
		stands(bound == 0, "a capability that can be regained");
	}
}

static void test_calls(const struct jail_spec *spec)
{
	/* Where they are allowed, the others still need one first. */
	int namespace = spec->nested ? CLONE_NEWNS : CLONE_NEWUSER;
	stands(refused(unshare(namespace), EPERM), spec->nested ? "namespaces allowed" : "user namespaces allowed");
	stands(refused(mount("none", "/", "tmpfs", 0, NULL), EPERM), "mounts allowed");
	stands(refused(syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0), EPERM),
	       "keyrings allowed");
	stands(refused(socket(AF_NETLINK, SOCK_RAW, 0), EAFNOSUPPORT), "netlink sockets allowed");
	stands(refused(syscall(SYS_prlimit64, getpid(), RLIMIT_NOFILE, NULL, NULL), EPERM), "that its init can be limited");
}

static bool is_refused_for_writing(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd < 0;
}

static void test_files(void)
{
	struct statvfs settings;
	/* Both: owners alone protect only as long as nobody here is the host's root. */
	stands(statvfs("/proc/sys", &settings) == 0 && settings.f_flag & ST_RDONLY, "the kernel's settings writable");
	stands(is_refused_for_writing("/proc/sys/kernel/core_pattern"), "core_pattern writable");
	stands(is_refused_for_writing("/proc/sysrq-trigger"), "sysrq-trigger writable");
	stands(is_refused_for_writing("/proc/1/oom_score_adj"), "that its init can be the first to end");
}

/* proc(5), mountinfo: the fifth field is where, the sixth its options, the seventh on are optional. */
static void test_mounts(void)
{
	static const char *const places[] = { "/", "/proc", "/sys", UNMASKED_PROC, "/dev", "/run", MACHINE_ID };
	FILE *file = fopen("/proc/self/mountinfo", "re");
	stands(file != NULL, "no /proc");
	char line[4096], point[256], options[256];
	while (fgets(line, sizeof line, file)) {
		bool known = sscanf(line, "%*d %*d %*s %*s %255s %255s", point, options) == 2;
		bool placed = known && (strncmp(point, "/proc/", 6) == 0 || strncmp(point, "/dev/", 5) == 0);
		for (size_t index = 0; known && index < sizeof places / sizeof *places; index++)
			placed |= strcmp(point, places[index]) == 0;
		stands(placed, "a mount that is not its own");
		stands(strstr(options, "nosuid"), "a mount with set-user-ID programs");
		/* The devices themselves are mounts. */
		stands(strncmp(point, "/dev/", 5) == 0 || strncmp(point, "/proc/", 6) == 0 || strstr(options, "nodev"),
		       "a mount with devices");
	}
	fclose(file);
}

/* proc(5), net/dev: two lines of headings, then a line for each interface. */
static void test_network(void)
{
	FILE *file = fopen("/proc/self/net/dev", "re");
	stands(file != NULL, "no /proc");
	char line[256], name[32];
	for (unsigned number = 0; fgets(line, sizeof line, file); number++) {
		if (number >= 2)
			stands(sscanf(line, " %31[^:]", name) == 1 && strcmp(name, "lo") == 0, "an interface of the host");
	}
	fclose(file);
}

/* Whether it stands is asked of the kernel anew, and not of who put it up. */
static void test_landlock(const struct jail_spec *spec, int outsider)
{
	int abi = landlock_abi();
	if (abi >= LANDLOCK_ABI_FILES && !spec->nested)
		stands(!can_make_device(), "devices that can be made");
	if (abi >= LANDLOCK_ABI_SCOPES)
		stands(!is_reachable(outsider), "sockets of others in reach");
	close(outsider);
}

void self_test(const struct jail_spec *spec, int outsider)
{
	test_privileges(spec);
	test_calls(spec);
	test_files();
	test_mounts();
	test_network();
	test_landlock(spec, outsider);
}
