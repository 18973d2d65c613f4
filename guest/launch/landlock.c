#include "landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"

/* include/uapi/linux/landlock.h: ours, as the headers of a build may be older than the kernel it runs on. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#define CREATE_RULESET_VERSION 1u
#define RULE_PATH_BENEATH 1
#define MAKE_CHAR (UINT64_C(1) << 6)
#define MAKE_BLOCK (UINT64_C(1) << 11)
#define REFER (UINT64_C(1) << 13)
#define IOCTL_DEV (UINT64_C(1) << 15)
#define SCOPE_ABSTRACT_UNIX_SOCKET (UINT64_C(1) << 0)
#define SCOPE_SIGNAL (UINT64_C(1) << 1)
#define RESTRICT_SELF_LOG_SAME_EXEC_OFF 1u

#define ABI_IOCTL_DEV 5
#define ABI_LOG 7

struct ruleset {
	uint64_t handled_access_fs;
	uint64_t handled_access_net;
	uint64_t scoped;
};

struct path_beneath {
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

int landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
	/* ENOSYS: built without it; EOPNOTSUPP: switched off at boot. */
	return abi < LANDLOCK_ABI_FILES ? 0 : (int)abi;
}

static void allow_beneath(int rules, const char *path, uint64_t access)
{
	struct path_beneath rule = { access, open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) };
	if (rule.parent_fd < 0 || syscall(SYS_landlock_add_rule, rules, RULE_PATH_BENEATH, &rule, 0) < 0)
		fail("Cannot add a Landlock rule for %s", path);
	close(rule.parent_fd);
}

int landlock_confine(bool nested)
{
	int abi = landlock_abi();
	/* Rules about nothing are refused. */
	if (abi == 0 || (nested && abi < LANDLOCK_ABI_SCOPES))
		return 0;
	bool has_ioctl = abi >= ABI_IOCTL_DEV;
	struct ruleset attributes = {
		/* What is not listed stays allowed, and opening a file costs nothing more. */
		.handled_access_fs = nested ? 0 : MAKE_CHAR | MAKE_BLOCK | REFER | (has_ioctl ? IOCTL_DEV : 0),
		.scoped = abi >= LANDLOCK_ABI_SCOPES ? SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL : 0,
	};
	/* Fields that an older kernel does not know may follow as long as they are zero. */
	int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
	if (rules < 0)
		fail("Cannot make Landlock rules");
	if (!nested)
		allow_beneath(rules, "/", REFER);
	if (!nested && has_ioctl)
		allow_beneath(rules, "/dev", IOCTL_DEV);
	/* Our own test is denied something at every start: not news for the host's audit log. */
	unsigned flags = abi >= ABI_LOG ? RESTRICT_SELF_LOG_SAME_EXEC_OFF : 0;
	if (syscall(SYS_landlock_restrict_self, rules, flags) < 0)
		fail("Cannot confine the jail by Landlock");
	close(rules);
	return abi;
}
