#include "landlock-rules.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#define CREATE_RULESET_VERSION 1u
#define RULE_PATH_BENEATH 1
#define RESTRICT_SELF_LOG_SAME_EXEC_OFF 1u
#define ABI_LOG 7

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

int rules_make(const struct ruleset *attributes)
{
	/* Fields that an older kernel does not know may follow as long as they are zero. */
	int rules = (int)syscall(SYS_landlock_create_ruleset, attributes, sizeof *attributes, 0);
	if (rules < 0)
		fail("Cannot make Landlock rules");
	return rules;
}

void rules_allow(int rules, int fd, uint64_t access, const char *what)
{
	struct path_beneath rule = { access, fd };
	if (fd < 0 || syscall(SYS_landlock_add_rule, rules, RULE_PATH_BENEATH, &rule, 0) < 0)
		fail("Cannot add a Landlock rule for %s", what);
}

void rules_enforce(int rules)
{
	/* Our own test is denied something at every start: not news for the host's audit log. */
	unsigned flags = landlock_abi() >= ABI_LOG ? RESTRICT_SELF_LOG_SAME_EXEC_OFF : 0;
	if (syscall(SYS_landlock_restrict_self, rules, flags) < 0)
		fail("Cannot confine the jail by Landlock");
	close(rules);
}
