/* The three system calls of Landlock (landlock(7)), its versions, and the numbers of what its rules are about. */
#pragma once

#include <stdint.h>

/* include/uapi/linux/landlock.h: ours, as the headers of a build may be older than the kernel it runs on. */
#define ACCESS_EXECUTE (UINT64_C(1) << 0)
#define ACCESS_WRITE_FILE (UINT64_C(1) << 1)
#define ACCESS_READ_FILE (UINT64_C(1) << 2)
#define ACCESS_MAKE_CHAR (UINT64_C(1) << 6)
#define ACCESS_MAKE_BLOCK (UINT64_C(1) << 11)
#define ACCESS_REFER (UINT64_C(1) << 13)
#define ACCESS_TRUNCATE (UINT64_C(1) << 14)
#define ACCESS_IOCTL_DEV (UINT64_C(1) << 15)
#define NETWORK_BIND_TCP (UINT64_C(1) << 0)
#define NETWORK_CONNECT_TCP (UINT64_C(1) << 1)
#define SCOPE_ABSTRACT_UNIX_SOCKET (UINT64_C(1) << 0)
#define SCOPE_SIGNAL (UINT64_C(1) << 1)

/* The first that can let files be moved between directories. */
#define LANDLOCK_ABI_FILES 2
/* Versions in which more can be asked for. */
#define ABI_TRUNCATE 3
#define ABI_NETWORK 4
#define ABI_IOCTL_DEV 5
/* The first that tells abstract sockets and processes of others from our own. */
#define LANDLOCK_ABI_SCOPES 6

/* Which version of the interface this kernel has; 0 when it has none that we use. */
int landlock_abi(void);

struct ruleset {
	uint64_t handled_access_fs;
	uint64_t handled_access_net;
	uint64_t scoped;
};

/* Answers a descriptor. Everything here either does what it is asked for or ends the start with fail(). */
int rules_make(const struct ruleset *attributes);
/* Allows `access` to what `fd` is and all below it. `what` is for messages. */
void rules_allow(int rules, int fd, uint64_t access, const char *what);
/* Puts this process and all that it starts under the rules, for good, and closes them. */
void rules_enforce(int rules);
