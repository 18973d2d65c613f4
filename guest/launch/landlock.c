#include "landlock.h"

#include <fcntl.h>
#include <unistd.h>

#include "landlock-rules.h"

static void allow_beneath(int rules, const char *path, uint64_t access)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	rules_allow(rules, fd, access, path);
	close(fd);
}

int landlock_confine(bool nested)
{
	int abi = landlock_abi();
	/* Rules about nothing are refused. */
	if (abi == 0 || (nested && abi < LANDLOCK_ABI_SCOPES))
		return 0;
	uint64_t devices = ACCESS_MAKE_CHAR | ACCESS_MAKE_BLOCK, ioctl = abi >= ABI_IOCTL_DEV ? ACCESS_IOCTL_DEV : 0;
	int rules = rules_make(&(struct ruleset){
		/* What is not listed stays allowed, and opening a file costs nothing more. */
		.handled_access_fs = nested ? 0 : devices | ACCESS_REFER | ioctl,
		.scoped = abi >= LANDLOCK_ABI_SCOPES ? SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL : 0,
	});
	if (!nested)
		allow_beneath(rules, "/", ACCESS_REFER);
	if (!nested && ioctl)
		allow_beneath(rules, "/dev", ioctl);
	rules_enforce(rules);
	return abi;
}
