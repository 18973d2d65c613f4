#include "session-user.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "report.h"

/* A line of passwd(5), by name or, where that is NULL, by id. */
struct line {
	char name[33];
	uid_t uid;
	gid_t gid;
};

static bool read_line(char *text, struct line *line)
{
	char *columns[4];
	text[strcspn(text, "\n")] = 0;
	for (size_t index = 0; index < sizeof columns / sizeof *columns; index++) {
		columns[index] = strsep(&text, ":");
		if (!columns[index])
			return false;
	}
	snprintf(line->name, sizeof line->name, "%s", columns[0]);
	line->uid = (uid_t)strtoul(columns[2], NULL, 10);
	line->gid = (gid_t)strtoul(columns[3], NULL, 10);
	return true;
}

static bool find_line(const char *name, uid_t uid, struct line *found)
{
	FILE *file = fopen("/etc/passwd", "re");
	char text[1024];
	bool is_found = false;
	while (file && !is_found && fgets(text, sizeof text, file))
		is_found = read_line(text, found) && (name ? strcmp(found->name, name) == 0 : found->uid == uid);
	if (file)
		fclose(file);
	return is_found;
}

/* Someone whom /etc/passwd does not know, as pods have them. */
static struct identity nameless(uid_t uid, gid_t gid)
{
	struct identity identity = { .uid = uid, .gid = gid, .groups = { gid }, .group_count = 1, .shell = "/bin/sh" };
	const char *home = geteuid() == 0 ? NULL : getenv("HOME");
	snprintf(identity.name, sizeof identity.name, "%u", uid);
	if (home && *home == '/')
		snprintf(identity.home, sizeof identity.home, "%s", home);
	else
		snprintf(identity.home, sizeof identity.home, "/home/%u", uid);
	return identity;
}

static struct identity by_id(uid_t uid, gid_t gid)
{
	struct line line;
	struct identity identity;
	if (!find_line(NULL, uid, &line))
		return nameless(uid, gid);
	identity_find(line.name, &identity);
	identity.uid = uid;
	return identity;
}

/* Answers whether it is a number. */
static bool is_id(const char *text, uid_t *uid)
{
	char *rest;
	errno = 0;
	unsigned long number = strtoul(text, &rest, 10);
	*uid = (uid_t)number;
	return text[0] >= '0' && text[0] <= '9' && !*rest && !errno && number < (uid_t)-1;
}

static struct identity find_wanted(const char *wanted)
{
	struct line line;
	struct identity identity;
	uid_t uid;
	if (is_id(wanted, &uid))
		return by_id(uid, (gid_t)uid);
	if (!find_line(wanted, 0, &line)) {
		/* An image without the file has a root all the same. */
		if (strcmp(wanted, "root") == 0)
			return by_id(0, 0);
		fail("SESSION_USER: there is no user \"%s\" in /etc/passwd; set it to the name or the id of one, or to "
		     "root to keep the agent root",
		     wanted);
	}
	if (line.uid == 0 && strcmp(wanted, "root") != 0)
		fail("SESSION_USER: \"%s\" has the id of root; set it to root if that is meant", wanted);
	identity_find(wanted, &identity);
	return identity;
}

struct identity session_user_find(const char *wanted)
{
	uid_t uid = geteuid();
	struct identity identity = uid == 0 ? find_wanted(wanted ? wanted : DEFAULT_USER) : by_id(uid, getegid());
	if (uid != 0 && wanted && find_wanted(wanted).uid != uid)
		fail("SESSION_USER is \"%s\", and this container begins as the user %u, who cannot become another: start it "
		     "as root, or leave SESSION_USER out",
		     wanted, uid);
	return identity;
}

static void assume(const struct identity *identity)
{
	/* Where that is refused, there is no_new_privs. */
	for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
		prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
	int error = identity_assume(identity);
	if (error)
		fail("Cannot become the user \"%s\": %s; allow the container SETUID and SETGID, start it as that user, or set "
		     "SESSION_USER to root",
		     identity->name, strerror(error));
}

void session_user_become(const struct identity *identity)
{
	if (identity->uid == 0)
		return;
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (geteuid() == 0)
		assume(identity);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || identity_keep_capabilities(0) != 0)
		fail("Cannot give up the capabilities of the container");
}
