/* Who a process is: looked up in the root it will run in, then taken on for good. */
#pragma once

#include <stdbool.h>
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
 * What leaving uid 0 does not: clears the inheritable set too, and everything of a process that stays
 * root. With an empty bounding set nothing comes back (capabilities(7)). Answers 0 or an errno.
 */
int identity_give_up_capabilities(void);
