#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "answer.h"
#include "clock.h"
#include "directories.h"
#include "pending.h"
#include "share.h"

#define EVENTS                                                                                                     \
	(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_ONLYDIR)

/* Directories one in the other, each of which is open while it is walked. */
#define DEPTH_MAX 256
#define PATH_ROOM (PATH_MAX + NAME_MAX + 2)

struct visit {
	struct root *root;
	/* Directories below those that are watched already, too. */
	bool is_deep;
	/* Whether its work counts. */
	bool is_charged;
};

static int queue;
static uint32_t most;

void walk_begin(int inotify, uint32_t watches_max)
{
	queue = inotify;
	most = watches_max;
	share_begin(inotify, watches_max);
}

/* Whether a directory could not be opened because it is not there any more, or is no directory now: its parent has told of that. */
static bool is_gone(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP || error == EXDEV;
}

/* What a sandbox puts in the place of a directory must not lead out of its root. */
static int open_below(int at, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	return (int)syscall(SYS_openat2, at, path, &how, sizeof how);
}

static int add_watch(int folder)
{
	char link[40];
	snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
	return inotify_add_watch(queue, link, EVENTS);
}

/* Answers the watch of an open directory, 0 where it is gone, or -1 when the root was given up. */
static int watch_open(int folder, struct root *root)
{
	for (;;) {
		int watch = add_watch(folder);
		int error = errno;
		if (watch < 0 && is_gone(error))
			return 0;
		if (watch < 0 && error != ENOSPC) {
			share_give_up(root, error, "a directory cannot be watched");
			return -1;
		}
		if (watch >= 0 && directory_find(watch))
			return watch;
		bool has_room = watch >= 0 && directory_count < most;
		if (has_room && has_own_room(root))
			return watch;
		if (watch >= 0)
			inotify_rm_watch(queue, watch);
		if (has_room || !make_room(root, watch < 0 ? ENOSPC : 0))
			return -1;
	}
}

/* What is ignored needs no watch. */
static bool is_ignored(const struct root *root, int parent, const char *name)
{
	char path[PATH_ROOM];
	const struct directory *above = root->ignored_length > 0 ? directory_find(parent) : NULL;
	if (!above || !directory_path(above, path))
		return false;
	strcat(path, "/");
	strcat(path, name);
	return root_ignores(root, path);
}

/* Where a directory with ignored ones in it is moved from or to, others are ignored than before. */
static bool has_ignored(const struct directory *directory)
{
	char path[PATH_ROOM];
	const struct root *root = directory->root;
	return root->ignored_length > 0 && directory_path(directory, path) && root_ignores_below(root, path);
}

/* It may have been watched until it was moved where it is ignored. */
static void forget_below(int folder, struct root *root)
{
	int watch = add_watch(folder);
	struct directory *directory = watch < 0 ? NULL : directory_find(watch);
	if (directory && share_spend(root, root->watches / 16))
		directories_remove_below(directory, unwatch);
	else if (watch >= 0 && !directory)
		inotify_rm_watch(queue, watch);
}

/*
 * Has it watched, and notes where it is. Answers its watch, or 0 where those in it are not to be visited: it was watched
 * before, so each has raised an event.
 */
static int place(int folder, struct visit *visit, int parent, const char *name)
{
	struct stat status;
	struct root *root = visit->root;
	int watch = watch_open(folder, root);
	if (watch <= 0)
		return 0;
	struct directory *directory = directory_find(watch);
	bool is_known = directory != NULL;
	bool had_ignored = directory && has_ignored(directory);
	directory = directory_put(watch, root, parent, name);
	if (!directory || fstat(folder, &status) != 0) {
		share_give_up(root, ENOMEM, "a directory cannot be watched");
		return 0;
	}
	directory->inode = status.st_ino;
	if (had_ignored || has_ignored(directory))
		visit->is_deep = true;
	return is_known && !visit->is_deep ? 0 : watch;
}

/* Watches a directory and those in it. Closes `folder`. */
static void walk(int folder, struct visit visit, int parent, const char *name, unsigned depth)
{
	struct root *root = visit.root;
	int watch = 0;
	if (is_ignored(root, parent, name))
		forget_below(folder, root);
	/* The one that it begins with was counted when it was noted. */
	else if (!visit.is_charged || depth == 0 || share_spend(root, 1))
		watch = place(folder, &visit, parent, name);
	if (watch > 0 && depth == DEPTH_MAX)
		share_give_up(root, ENAMETOOLONG, "a directory cannot be watched");
	DIR *stream = watch > 0 && !root->walking.is_given_up ? fdopendir(folder) : NULL;
	if (!stream) {
		if (watch > 0 && !root->walking.is_given_up)
			share_give_up(root, errno, "a directory cannot be watched");
		close(folder);
		return;
	}
	for (struct dirent *entry; !root->walking.is_given_up && (entry = readdir(stream));) {
		if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN)
			continue;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		int inner = open_below(dirfd(stream), entry->d_name);
		if (inner >= 0)
			walk(inner, visit, watch, entry->d_name, depth + 1);
		else if (!is_gone(errno))
			share_give_up(root, errno, "a directory cannot be watched");
	}
	closedir(stream);
}

static void walk_all(struct visit visit)
{
	struct root *root = visit.root;
	int folder = open(root->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	root->walking.is_stale = false;
	if (folder < 0)
		share_give_up(root, errno, "the folder cannot be watched");
	else
		walk(folder, visit, 0, "", 0);
}

bool walk_root(struct root *root)
{
	root->walking.is_given_up = false;
	root->walking.watched_since_ms = now_ms();
	walk_all((struct visit){ .root = root, .is_deep = true });
	return !root->walking.is_given_up;
}

/* Opens a directory at the path that is known of it. Answers -1 where it is not there: it, or one above, was moved. */
static int open_directory(const struct directory *directory)
{
	char path[PATH_ROOM];
	struct stat status;
	if (!directory_path(directory, path))
		return -1;
	int folder = open(directory->root->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder >= 0 && path[0]) {
		int base = folder;
		folder = open_below(base, path + 1);
		close(base);
	}
	if (folder >= 0 && (fstat(folder, &status) != 0 || status.st_ino != directory->inode)) {
		close(folder);
		return -1;
	}
	return folder;
}

/* Answers false where it is not known yet where the directory is that it is in. */
static bool visit_pending(struct pending *pending)
{
	const struct directory *parent = directory_find(pending->parent);
	if (!parent || parent->root->walking.is_given_up)
		return true;
	struct visit visit = { .root = parent->root, .is_charged = true };
	int above = open_directory(parent);
	if (above < 0)
		return false;
	int folder = open_below(above, pending->name);
	int error = errno;
	close(above);
	if (folder >= 0)
		walk(folder, visit, pending->parent, pending->name, 0);
	else if (!is_gone(error))
		share_give_up(visit.root, error, "a directory cannot be watched");
	pending->is_missing = folder < 0;
	return true;
}

/* What is still noted where it is not was moved where it is ignored. */
static void forget_missing(const struct pending *pending)
{
	const struct directory *parent = directory_find(pending->parent);
	if (!parent || parent->root->ignored_length == 0 || !share_spend(parent->root, directory_count / 16))
		return;
	const struct directory *directory = directory_find_in(pending->parent, pending->name);
	if (directory)
		directories_remove_below(directory, unwatch);
}

/* A directory that is moved makes those findable that have come in it. Answers how many are left. */
static size_t visit_all_pending(void)
{
	size_t left = 0;
	for (size_t at = 0; at < pending_count(); at++) {
		struct pending *pending = pending_at(at);
		if (pending->is_done)
			continue;
		pending->is_done = visit_pending(pending);
		const struct directory *parent = pending->is_done ? NULL : directory_find(pending->parent);
		if (parent && share_spend(parent->root, 1))
			left++;
	}
	return left;
}

void walk_pending(bool was_lost)
{
	for (size_t left = pending_count(), before = left + 1; left > 0 && left < before;) {
		before = left;
		left = visit_all_pending();
	}
	for (size_t at = 0; at < pending_count(); at++) {
		if (pending_at(at)->is_missing)
			forget_missing(pending_at(at));
	}
	/* The event of what was moved meanwhile is in the queue. Where more is moved all the time it takes more than that. */
	for (size_t at = 0; at < pending_count(); at++) {
		const struct pending *pending = pending_at(at);
		struct directory *parent = pending->is_done || !pending->is_old ? NULL : directory_find(pending->parent);
		if (parent)
			parent->root->walking.is_stale = true;
	}
	pending_sweep();
	for (struct root *root = all_roots; root; root = root->next) {
		if (!root->walking.is_given_up && (was_lost || root->walking.is_stale))
			walk_all((struct visit){ .root = root, .is_deep = true, .is_charged = !was_lost });
	}
}

long walk_retry(void)
{
	long next = -1;
	for (struct root *root = all_roots; root; root = root->next) {
		if (!root->walking.is_given_up)
			continue;
		long left = root->walking.retry_at_ms - now_ms();
		if (left <= 0) {
			if (walk_root(root)) {
				root->told_watches = root->watches;
				tell_watched(root->number, root->watches);
				continue;
			}
			left = root->walking.retry_after_ms;
		}
		if (next < 0 || left < next)
			next = left;
	}
	return next;
}
