#include "home.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "identity.h"

#define TEMPLATE "/etc/skel"
/* A template that links into itself through a bind mount would otherwise never end. */
#define DEPTH_MAX 16

struct copy {
	/* Directories that the names below are in. */
	int from;
	int to;
	const struct identity *owner;
	int depth;
};

static int copy_directory(const struct copy *in, const char *name, const char *as);

static int copy_file(const struct copy *in, const char *name, mode_t mode)
{
	int from = openat(in->from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int to = openat(in->to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int error = from < 0 || to < 0 ? errno : 0;
	ssize_t count = 0;
	char buffer[8192];
	while (!error && (count = read(from, buffer, sizeof buffer)) > 0) {
		if (write(to, buffer, (size_t)count) != count)
			error = errno ? errno : ENOSPC;
	}
	/* The owner first: changing it clears set-id bits. */
	if (!error && (count < 0 || fchown(to, in->owner->uid, in->owner->gid) < 0 || fchmod(to, mode) < 0))
		error = errno;
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return error;
}

static int copy_link(const struct copy *in, const char *name)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(in->from, name, target, sizeof target - 1);
	if (length < 0)
		return errno;
	target[length] = 0;
	if (symlinkat(target, in->to, name) < 0)
		return errno;
	if (fchownat(in->to, name, in->owner->uid, in->owner->gid, AT_SYMLINK_NOFOLLOW) < 0)
		return errno;
	return 0;
}

/* Files, directories and symbolic links; a template holds nothing else. */
static int copy_entry(const struct copy *in, const char *name)
{
	struct stat status;
	if (fstatat(in->from, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return errno;
	if (S_ISDIR(status.st_mode))
		return copy_directory(in, name, name);
	if (S_ISLNK(status.st_mode))
		return copy_link(in, name);
	if (S_ISREG(status.st_mode))
		return copy_file(in, name, status.st_mode & 07777);
	return 0;
}

static int copy_entries(const struct copy *in)
{
	DIR *entries = fdopendir(fcntl(in->from, F_DUPFD_CLOEXEC, 3));
	if (!entries)
		return errno;
	int error = 0;
	struct dirent *entry;
	while (!error && (entry = readdir(entries))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			error = copy_entry(in, entry->d_name);
	}
	closedir(entries);
	return error;
}

static int copy_directory(const struct copy *in, const char *name, const char *as)
{
	if (in->depth == DEPTH_MAX)
		return ELOOP;
	struct copy inside = { .to = -1, .owner = in->owner, .depth = in->depth + 1 };
	inside.from = openat(in->from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (inside.from < 0)
		return errno;
	if (mkdirat(in->to, as, 0700) == 0)
		inside.to = openat(in->to, as, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;
	int error = inside.to < 0 || fstat(inside.from, &status) < 0 ? errno : 0;
	if (!error)
		error = copy_entries(&inside);
	if (!error && (fchown(inside.to, in->owner->uid, in->owner->gid) < 0 || fchmod(inside.to, status.st_mode & 07777) < 0))
		error = errno;
	close(inside.from);
	if (inside.to >= 0)
		close(inside.to);
	return error;
}

/* A name that no earlier attempt, cut short, has left behind. */
static int copy_beside(const char *home, const struct identity *owner)
{
	char beside[sizeof owner->home + 16];
	struct copy top = { .from = AT_FDCWD, .to = AT_FDCWD, .owner = owner };
	for (int attempt = 0; attempt < 16; attempt++) {
		snprintf(beside, sizeof beside, "%s.new%d", home, attempt);
		int error = copy_directory(&top, TEMPLATE, beside);
		if (error == EEXIST)
			continue;
		if (!error && rename(beside, home) < 0)
			error = errno;
		return error;
	}
	return EEXIST;
}

int home_set_up(char *what, unsigned size)
{
	struct identity owner;
	struct stat status;
	identity_find(DEFAULT_USER, &owner);
	if (lstat(owner.home, &status) == 0)
		return 0;
	mkdir("/home", 0755);
	int error = copy_beside(owner.home, &owner);
	/* An image without a template still gets a home. */
	if (error == ENOENT && mkdir(owner.home, 0755) == 0 && chown(owner.home, owner.uid, owner.gid) == 0)
		error = 0;
	/* A tree that is read-only has no use for a home, and must stay usable. */
	if (error == EROFS)
		error = 0;
	if (error)
		snprintf(what, size, "Cannot set up the home directory %s", owner.home);
	return error;
}
