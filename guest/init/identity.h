/* Who a process is: looked up in the root it will run in, then taken on for good. */
#pragma once

#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DEFAULT_USER "user"
#define DEFAULT_UID 1000
#define GROUPS_MAX 32

struct identity {
	uid_t uid;
	gid_t gid;
	gid_t groups[GROUPS_MAX];
	size_t group_count;
	char name[33];
	char home[256];
	char shell[256];
};

/* Reads /etc/passwd and /etc/group of the current root. Names that are missing get defaults. */
void identity_find(const char *name, struct identity *identity);
/* Gives up root. Answers 0 or an errno. */
int identity_assume(const struct identity *identity);
/*
 * What root of a jail keeps: enough to own files, and to be other users. All of it is about ids that mean
 * nothing outside.
 */
#define JAIL_ROOT_CAPABILITIES                                                                           \
	(1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_FOWNER | 1u << CAP_FSETID | 1u << CAP_KILL | \
	 1u << CAP_SETGID | 1u << CAP_SETUID | 1u << CAP_NET_BIND_SERVICE)

/*
 * Keeps these capabilities and no others, the inheritable ones included: with an empty bounding set,
 * those are what a program that root starts gets (capabilities(7)). Answers 0 or an errno.
 */
int identity_keep_capabilities(uint32_t kept);
