#include "identity.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host.h"

#define COLUMNS 7

/* Cuts a line at its colons. Answers how many columns it has, at most COLUMNS. */
static size_t split(char *line, char *columns[COLUMNS])
{
	size_t count = 0;
	line[strcspn(line, "\n")] = 0;
	while (count < COLUMNS && line)
		columns[count++] = strsep(&line, ":");
	return count;
}

static void copy(char *into, size_t size, const char *text)
{
	if (*text)
		snprintf(into, size, "%s", text);
}

static void find_user(const char *name, struct identity *identity)
{
	/* Our own few lines rather than getpwnam(): a static libc must not load NSS modules of a guest. */
	FILE *file = fopen("/etc/passwd", "re");
	char line[1024], *columns[COLUMNS];
	while (file && fgets(line, sizeof line, file)) {
		if (split(line, columns) < COLUMNS || strcmp(columns[0], name) != 0)
			continue;
		identity->uid = (uid_t)strtoul(columns[2], NULL, 10);
		identity->gid = (gid_t)strtoul(columns[3], NULL, 10);
		copy(identity->home, sizeof identity->home, columns[5]);
		copy(identity->shell, sizeof identity->shell, columns[6]);
		break;
	}
	if (file)
		fclose(file);
}

static bool is_member(char *members, const char *name)
{
	char *member;
	while ((member = strsep(&members, ","))) {
		if (strcmp(member, name) == 0)
			return true;
	}
	return false;
}

static void find_groups(const char *name, struct identity *identity)
{
	identity->groups[identity->group_count++] = identity->gid;
	FILE *file = fopen("/etc/group", "re");
	char line[4096], *columns[COLUMNS];
	while (file && identity->group_count < GROUPS_MAX && fgets(line, sizeof line, file)) {
		if (split(line, columns) >= 4 && is_member(columns[3], name))
			identity->groups[identity->group_count++] = (gid_t)strtoul(columns[2], NULL, 10);
	}
	if (file)
		fclose(file);
}

void identity_find(const char *name, struct identity *identity)
{
	bool root = strcmp(name, "root") == 0;
	*identity = (struct identity){ .uid = root ? 0 : DEFAULT_UID, .gid = root ? 0 : DEFAULT_UID };
	copy(identity->name, sizeof identity->name, name);
	snprintf(identity->home, sizeof identity->home, root ? "/root" : "/home/%s", name);
	copy(identity->shell, sizeof identity->shell, "/bin/bash");
	find_user(name, identity);
	/* A guest that renames its user to uid 0 has not thereby asked for root. */
	if (!root && identity->uid == 0)
		identity->uid = DEFAULT_UID;
	if (host.has_one_id) {
		identity->uid = geteuid();
		identity->gid = getegid();
	}
	find_groups(name, identity);
}

int identity_assume(const struct identity *identity)
{
	/*
	 * Leaving uid 0 clears the permitted, effective and ambient sets, so no capability is kept
	 * (I-7). In a machine of its own the bounding set stays and no_new_privs is not set, on purpose:
	 * su, passwd, mount and ping of the image are set-user-ID programs and are expected to work. The
	 * wall is the machine.
	 */
	if (setgroups(identity->group_count, identity->groups) < 0)
		return errno;
	if (setresgid(identity->gid, identity->gid, identity->gid) < 0)
		return errno;
	if (setresuid(identity->uid, identity->uid, identity->uid) < 0)
		return errno;
	return 0;
}

int identity_keep_capabilities(uint32_t kept)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2] = { { kept, kept, kept } };
	return syscall(SYS_capset, &header, sets) < 0 ? errno : 0;
}
