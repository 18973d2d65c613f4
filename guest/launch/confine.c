#include "confine.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../init/identity.h"
#include "fail.h"

/* What root's processes get, and reading a call's arguments: questions.h. */
#define KEPT (JAIL_ROOT_CAPABILITIES | 1u << CAP_SYS_PTRACE)

static void limit(int resource, rlim_t value)
{
	struct rlimit old;
	/* Never above what we have ourselves. */
	if (getrlimit(resource, &old) < 0)
		fail("Cannot read a resource limit");
	rlim_t most = value < old.rlim_max ? value : old.rlim_max;
	if (setrlimit(resource, &(struct rlimit){ most, most }) < 0)
		fail("Cannot set a resource limit");
}

void confine_cores(void)
{
	setrlimit(RLIMIT_CORE, &(struct rlimit){ NO_CORE, NO_CORE });
}

void confine_resources(const struct jail_spec *spec)
{
	setsid();
	/*
	 * The bridge's keyring is not ours (keyctl(2)); a kernel without keys has nothing to share, and a container
	 * that forbids the call to us, as Docker's do, forbids it to what runs in here as well.
	 */
	bool may_be_forbidden = spec->ids == IDS_ALONE;
	bool has_left = syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) >= 0 || errno == ENOSYS;
	if (!has_left && !(may_be_forbidden && errno == EPERM))
		fail("Cannot leave the session keyring");
	limit(RLIMIT_CORE, NO_CORE);
	limit(RLIMIT_NPROC, spec->processes);
}

static void set_capabilities(uint32_t low, uint32_t high, uint32_t inheritable)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2] = { { low, low, inheritable }, { high, high, 0 } };
	if (syscall(SYS_capset, &header, sets) < 0)
		fail("Cannot give up capabilities");
}

void confine_privileges_alone(void)
{
	set_capabilities(0, 0, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		fail("Cannot set no_new_privs");
}

void confine_privileges(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2];
	if (syscall(SYS_capget, &header, sets) < 0)
		fail("Cannot read capabilities");
	/* Inheritable ones come through execve(2) without the bounding set, but must be set before it is empty. */
	set_capabilities(sets[0].permitted, sets[1].permitted, KEPT);
	for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
		if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
			fail("Cannot empty the capability bounding set");
	}
	set_capabilities(KEPT, 0, KEPT);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		fail("Cannot set no_new_privs");
}
