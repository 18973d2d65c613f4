#include "copy-tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "entries.h"

/* Each level has three descriptors open, and the frames of two functions. */
#define DEPTH_MAX 200

struct copy {
	/* Folders that the names are in. */
	int from;
	int to;
	/* NULL: each has the owner that it had. */
	const struct identity *owner;
	int depth;
};

static int copy_entry(const struct copy *in, const char *name, const char *as);

static uid_t owner_of(const struct copy *in, const struct stat *status)
{
	return in->owner ? in->owner->uid : status->st_uid;
}

static gid_t group_of(const struct copy *in, const struct stat *status)
{
	return in->owner ? in->owner->gid : status->st_gid;
}

/* The owner first: changing it clears set-id bits. An ordinary user can give nothing away: all of a copy is its own. */
static int finish(const struct copy *in, int made, const struct stat *status)
{
	const struct timespec times[2] = { status->st_atim, status->st_mtim };
	if (fchown(made, owner_of(in, status), group_of(in, status)) < 0 && geteuid() == 0)
		return errno;
	return fchmod(made, status->st_mode & 07777) < 0 || futimens(made, times) < 0 ? errno : 0;
}

static int copy_range(int from, int to, off_t start, off_t end)
{
	char buffer[65536];
	while (start < end) {
		size_t wanted = end - start < (off_t)sizeof buffer ? (size_t)(end - start) : sizeof buffer;
		ssize_t count = pread(from, buffer, wanted, start);
		if (count == 0)
			return 0;
		ssize_t written = count < 0 ? -1 : pwrite(to, buffer, (size_t)count, start);
		if (written == 0)
			return ENOSPC;
		if (written > 0)
			start += written;
		else if (errno != EINTR)
			return errno;
	}
	return 0;
}

static int copy_contents(int from, int to, off_t size)
{
	if (ioctl(to, FICLONE, from) == 0)
		return 0;
	if (ftruncate(to, size) < 0)
		return errno;
	off_t end = 0;
	for (;;) {
		off_t start = lseek(from, end, SEEK_DATA);
		if (start < 0)
			return errno == ENXIO ? 0 : copy_range(from, to, end, size);
		end = lseek(from, start, SEEK_HOLE);
		int error = copy_range(from, to, start, end < 0 ? size : end);
		if (error || end < 0)
			return error;
	}
}

static int copy_file(const struct copy *in, const char *name, const char *as)
{
	struct stat status;
	/* What has become a pipe meanwhile would be waited for. */
	int from = openat(in->from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (from < 0)
		return errno;
	int to = openat(in->to, as, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int error = to < 0 || fstat(from, &status) < 0 ? errno : 0;
	if (!error && !S_ISREG(status.st_mode))
		error = EAGAIN;
	if (!error)
		error = copy_contents(from, to, status.st_size);
	if (!error)
		error = finish(in, to, &status);
	close(from);
	if (to >= 0)
		close(to);
	return error;
}

static int copy_link(const struct copy *in, const char *name, const char *as, const struct stat *status)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(in->from, name, target, sizeof target - 1);
	if (length < 0)
		return errno;
	target[length] = 0;
	if (symlinkat(target, in->to, as) < 0)
		return errno;
	bool is_given = fchownat(in->to, as, owner_of(in, status), group_of(in, status), AT_SYMLINK_NOFOLLOW) == 0;
	return is_given || geteuid() != 0 ? 0 : errno;
}

static int copy_pipe(const struct copy *in, const char *as, const struct stat *status)
{
	struct stat made;
	if (mkfifoat(in->to, as, 0600) < 0)
		return errno;
	int fd = openat(in->to, as, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int error = fd < 0 || fstat(fd, &made) < 0 ? errno : 0;
	if (!error)
		error = S_ISFIFO(made.st_mode) ? finish(in, fd, status) : EAGAIN;
	if (fd >= 0)
		close(fd);
	return error;
}

static int copy_entries(const struct copy *in)
{
	DIR *entries = list_folder(in->from);
	if (!entries)
		return errno;
	int error = 0;
	struct dirent *entry;
	while (!error && (entry = next_entry(entries, &error)))
		error = copy_entry(in, entry->d_name, entry->d_name);
	closedir(entries);
	return error;
}

static int copy_directory(const struct copy *in, const char *name, const char *as)
{
	struct stat status;
	if (in->depth == DEPTH_MAX)
		return ELOOP;
	struct copy inside = { .from = -1, .to = -1, .owner = in->owner, .depth = in->depth + 1 };
	inside.from = openat(in->from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (inside.from >= 0 && fstat(inside.from, &status) == 0 && mkdirat(in->to, as, 0700) == 0)
		inside.to = openat(in->to, as, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int error = inside.to < 0 ? errno : copy_entries(&inside);
	if (!error)
		error = finish(in, inside.to, &status);
	if (inside.from >= 0)
		close(inside.from);
	if (inside.to >= 0)
		close(inside.to);
	return error;
}

static int copy_entry(const struct copy *in, const char *name, const char *as)
{
	struct stat status;
	if (fstatat(in->from, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return errno;
	if (S_ISDIR(status.st_mode))
		return copy_directory(in, name, as);
	if (S_ISLNK(status.st_mode))
		return copy_link(in, name, as, &status);
	if (S_ISREG(status.st_mode))
		return copy_file(in, name, as);
	return S_ISFIFO(status.st_mode) ? copy_pipe(in, as, &status) : 0;
}

int copy_tree(struct named from, struct named to, const struct identity *owner)
{
	struct copy top = { .from = from.folder, .to = to.folder, .owner = owner };
	return copy_entry(&top, from.name, to.name);
}

int move_into_place(struct named from, struct named to)
{
	int fd = openat(from.folder, from.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno;
	int error = syncfs(fd) < 0 || renameat(from.folder, from.name, to.folder, to.name) < 0 ? errno : 0;
	close(fd);
	return error;
}
