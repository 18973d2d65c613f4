#include "landlock-alone.h"

#include <fcntl.h>
#include <unistd.h>

#include "landlock-rules.h"

/* All of the first two versions: the bits below REFER, and itself. */
#define ACCESS_FIRST ((ACCESS_REFER << 1) - 1)

static uint64_t all_access(int abi)
{
	return ACCESS_FIRST | (abi >= ABI_TRUNCATE ? ACCESS_TRUNCATE : 0) | (abi >= ABI_IOCTL_DEV ? ACCESS_IOCTL_DEV : 0);
}

/* A terminal is opened by init, by a name that leads nowhere in the root. */
static void allow_terminals(int rules, int folder, uint64_t ioctl)
{
	uint64_t use = ACCESS_READ_FILE | ACCESS_WRITE_FILE | ioctl;
	static const char *const names[] = { "ptmx", "pts" };
	for (unsigned index = 0; index < sizeof names / sizeof *names; index++) {
		int fd = openat(folder, names[index], O_PATH | O_CLOEXEC);
		rules_allow(rules, fd, use, names[index]);
		close(fd);
	}
}

int landlock_prepare_alone(const struct host_folders *folders)
{
	int abi = landlock_abi();
	uint64_t all = all_access(abi), ioctl = all & ACCESS_IOCTL_DEV;
	int rules = rules_make(&(struct ruleset){
		.handled_access_fs = all,
		.handled_access_net = abi >= ABI_NETWORK ? NETWORK_BIND_TCP | NETWORK_CONNECT_TCP : 0,
		.scoped = abi >= LANDLOCK_ABI_SCOPES ? SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL : 0,
	});
	rules_allow(rules, folders->root, all & ~(ACCESS_MAKE_CHAR | ACCESS_MAKE_BLOCK | ACCESS_IOCTL_DEV), "the root");
	if (ioctl)
		rules_allow(rules, folders->devices, ioctl, "/dev");
	if (folders->terminals >= 0)
		allow_terminals(rules, folders->terminals, ioctl);
	return rules;
}
