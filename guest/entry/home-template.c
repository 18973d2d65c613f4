#include "home-template.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copy-tree.h"
#include "entries.h"
#include "path.h"
#include "place.h"
#include "report.h"

#define TEMPLATE "/etc/skel"
/* In a home: the template was copied, whatever has become of its files. */
#define MARKER ".coppice-home"
/* What is being copied; an earlier start that was cut short may have left it. */
#define STAGING ".coppice-new"

bool has_home(const struct identity *user)
{
	return strcmp(user->home, "/") != 0 && strcmp(user->home, "/nonexistent") != 0;
}

/* All is done by these, so that what the agent has put there leads nowhere. */
struct home {
	struct place place;
	const struct identity *user;
	/* The template, open to be read, or -1. */
	int template;
};

static int give(int fd, const struct identity *user)
{
	return geteuid() == 0 && fchown(fd, user->uid, user->gid) < 0 ? errno : 0;
}

static int mark(int folder, const struct identity *user)
{
	int fd = openat(folder, MARKER, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	int error = fd < 0 ? errno : give(fd, user);
	if (fd >= 0)
		close(fd);
	return error;
}

static int fill_entry(const struct home *home, int folder, const char *name)
{
	const struct named staging = { folder, STAGING };
	struct stat status;
	/* A template that was a home itself has a mark, which is to come last here. */
	if (strcmp(name, MARKER) == 0 || fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	int error = copy_tree((struct named){ home->template, name }, staging, home->user);
	/* Nothing was copied of a socket, or of a device. */
	if (!error && renameat(folder, STAGING, folder, name) < 0 && errno != ENOENT)
		error = errno;
	return error;
}

/* What the home lacks of the template. */
static int fill(const struct home *home, int folder)
{
	int error = remove_tree((struct named){ folder, STAGING });
	DIR *entries = home->template < 0 ? NULL : list_folder(home->template);
	if (home->template >= 0 && !entries)
		return errno;
	struct dirent *entry;
	while (entries && !error && (entry = next_entry(entries, &error)))
		error = fill_entry(home, folder, entry->d_name);
	if (entries)
		closedir(entries);
	return error ? error : mark(folder, home->user);
}

/* With the mode of the template's folder. */
static int make_in(const struct home *home, int folder)
{
	struct stat status = { .st_mode = 0755 };
	if (home->template >= 0 && fstat(home->template, &status) < 0)
		return errno;
	int error = fill(home, folder);
	if (!error && fchmod(folder, status.st_mode & 07777) < 0)
		error = errno;
	return error ? error : give(folder, home->user);
}

static int make(const struct home *home)
{
	char name[NAME_MAX + sizeof STAGING + 1];
	snprintf(name, sizeof name, "%s%s", home->place.name, STAGING);
	const struct named staging = { home->place.parent, name };
	int error = remove_tree(staging);
	if (!error && mkdirat(staging.folder, name, 0700) < 0)
		error = errno;
	int folder = error ? -1 : openat(staging.folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (!error)
		error = folder < 0 ? errno : make_in(home, folder);
	if (folder >= 0)
		close(folder);
	return error ? error : move_into_place(staging, (struct named){ home->place.parent, home->place.name });
}

/* Answers a descriptor; -1 where the usual one is not there. One that links into itself would never end. */
static int open_template(const char *path, const char *home)
{
	struct place place;
	int error = place_find(path ? path : TEMPLATE, PLACE_FOLLOW, &place);
	int fd = error ? -1 : place_open(&place);
	if (path && fd < 0)
		fail("HOME_TEMPLATE is \"%s\": there is no such folder in this container", path);
	if (path && path_is_inside(home, place.path))
		fail("HOME_TEMPLATE is \"%s\", which the home %s is in: it has to be a folder elsewhere", path, home);
	if (!error)
		place_close(&place);
	return fd;
}

/* Answers an errno. */
static int fill_old(const struct home *home, int folder)
{
	struct stat status;
	/* Whatever has become of its files since. */
	bool is_done = home->template < 0 || fstatat(folder, MARKER, &status, AT_SYMLINK_NOFOLLOW) == 0;
	return is_done ? 0 : fill(home, folder);
}

static int begin_at(struct home *home, bool has_template)
{
	int folder = place_open(&home->place);
	if (folder < 0)
		return errno == ENOENT ? make(home) : errno;
	int error = has_template ? fill_old(home, folder) : 0;
	close(folder);
	return error;
}

void home_begin(const struct settings *settings, const struct identity *user)
{
	const char *template = settings->home_template;
	if (!has_home(user))
		return;
	struct home home = { .user = user };
	int error = place_find(user->home, PLACE_FOLLOW | PLACE_MAKE_PARENTS, &home.place);
	/* Whatever was asked for: root goes to no place that an agent has chosen. */
	if (error == ELOOP)
		fail("Cannot use the home %s of \"%s\": %s", user->home, user->name, place_error(error));
	home.template = open_template(template, error ? user->home : home.place.path);
	if (!error) {
		error = begin_at(&home, template != NULL);
		place_close(&home.place);
	}
	if (home.template >= 0)
		close(home.template);
	if (error == ENOTDIR)
		fail("The home %s of \"%s\" is not a folder", user->home, user->name);
	if (error && template)
		fail("Cannot copy HOME_TEMPLATE to %s: %s", user->home, strerror(error));
	/* Nobody has asked for it: a container that is only read has no use for one. */
	if (error)
		note("there is no home %s for \"%s\", and none can be made: %s", user->home, user->name, strerror(error));
}
