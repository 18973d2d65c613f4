#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answer.h"
#include "folder.h"
#include "names.h"
#include "seen.h"
#include "tell.h"

/* One walk. A directory is opened by its path, so that depth costs no descriptors. */
struct walk {
	/* Tells of everything, and notes nothing. */
	bool is_list;
	struct timespec changed_from;
	uint32_t files;
	/* Of the directory that is being read. */
	char path[PATH_MAX];
	size_t path_length;
	/* Whether all names of it are told, and whether what is told next is taken to be in it. */
	bool is_whole, is_entered;
};

static bool is_later(const struct statx_timestamp *time, const struct timespec *than)
{
	return time->tv_sec > than->tv_sec ||
	       (time->tv_sec == than->tv_sec && time->tv_nsec >= than->tv_nsec);
}

/* Whether the file is told of. */
static bool is_new(struct walk *walk, const struct statx *stat)
{
	if (++walk->files > folder.files_max) {
		errno = 0;
		refuse(FAILED_BY_LIMIT, "there are more than %u files", folder.files_max);
	}
	if (walk->is_list)
		return true;
	/* Wraps for times that no clock has; it is only compared with itself. */
	uint64_t changed_ns = (uint64_t)stat->stx_ctime.tv_sec * 1000000000u + stat->stx_ctime.tv_nsec;
	bool is_here = stat->stx_dev_major == folder.device[0] && stat->stx_dev_minor == folder.device[1];
	/* Another device has the same numbers for other files. */
	if (is_here)
		seen_add(stat->stx_ino, changed_ns);
	return !is_here || !seen_before(stat->stx_ino, changed_ns) ||
	       is_later(&stat->stx_ctime, &walk->changed_from);
}

static void check_path(const struct walk *walk, const char *name)
{
	size_t slash = walk->path_length > 0;
	if (walk->path_length + slash + strlen(name) <= folder.path_max)
		return;
	errno = 0;
	refuse(FAILED_BY_LIMIT, "the path \"%.200s…\" is longer than Linux opens", walk->path);
}

/* Answers false where there is nothing any more. */
static bool stat_file(int directory, const char *name, struct statx *stat)
{
	int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH;
	if (statx(directory, name, flags, STATX_BASIC_STATS, stat) == 0)
		return true;
	if (errno != ENOENT)
		refuse(FAILED_OTHERWISE, "\"%.200s\"", name);
	return false;
}

/* The file `name` of the directory at walk->path, which is open as `directory`. */
static void look_at(struct walk *walk, int directory, const char *name)
{
	struct statx stat;
	check_path(walk, name);
	if (!stat_file(directory, name, &stat))
		return;
	bool is_told = is_new(walk, &stat);
	if (is_told && !walk->is_entered) {
		tell_directory(walk->path, false);
		walk->is_entered = true;
	}
	if (is_told)
		tell_file(directory, name, &stat);
	else if (walk->is_whole)
		tell_name(name);
	if (S_ISDIR(stat.stx_mode))
		names_push(name, is_told);
}

/* Looks at all that is in the directory at walk->path, and leaves the names of directories on the stack. */
static void read_directory(struct walk *walk, bool is_whole)
{
	static char buffer[65536] __attribute__((aligned(8)));
	ssize_t count;
	int fd = folder_open_file(walk->path, O_DIRECTORY);
	if (fd < 0)
		refuse(FAILED_OTHERWISE, "\"%.200s\"", walk->path);
	walk->is_whole = walk->is_entered = is_whole;
	if (is_whole)
		tell_directory(walk->path, true);
	while ((count = getdents64(fd, buffer, sizeof buffer)) > 0) {
		for (const char *at = buffer; at < buffer + count;) {
			const struct dirent64 *entry = (const void *)at;
			if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
				look_at(walk, fd, entry->d_name);
			at += entry->d_reclen;
		}
	}
	if (count < 0)
		refuse(FAILED_OTHERWISE, "\"%.200s\"", walk->path);
	tell_names_end();
	close(fd);
}

/* Reads the directories on the stack, which are in the one at walk->path, and all below them. */
static void descend(struct walk *walk)
{
	/* The names above `names` are in the directory whose path has `path_length` bytes. */
	static struct { size_t names, path_length; } levels[PATH_MAX / 2 + 2];
	size_t depth = 1;
	levels[0].names = 0;
	levels[0].path_length = walk->path_length;
	while (depth > 0) {
		if (names_count() == levels[depth - 1].names) {
			depth--;
			continue;
		}
		bool is_whole;
		size_t at = levels[depth - 1].path_length;
		if (at > 0)
			walk->path[at++] = '/';
		walk->path_length = at + names_pop(walk->path + at, &is_whole);
		levels[depth].names = names_count();
		levels[depth++].path_length = walk->path_length;
		read_directory(walk, is_whole);
	}
}

void walk_changed(const struct request *request)
{
	static struct walk walk;
	struct statx stat;
	seen_begin();
	walk = (struct walk){ .changed_from = request->changed_from };
	if (!stat_file(folder.fd, "", &stat))
		refuse(FAILED_OTHERWISE, "the folder");
	bool is_told = is_new(&walk, &stat);
	if (is_told)
		tell_file(folder.fd, "", &stat);
	read_directory(&walk, is_told);
	descend(&walk);
	answer_done(0);
}

void walk_below(const char *path)
{
	static struct walk walk;
	const char *slash = strrchr(path, '/');
	walk = (struct walk){ .is_list = true };
	if (slash)
		walk.path_length = (size_t)(slash - path);
	if (walk.path_length > folder.path_max)
		refuse(FAILED_BY_LIMIT, "\"%.200s\" is longer than Linux opens", path);
	memcpy(walk.path, path, walk.path_length);
	int fd = folder_open_file(walk.path, O_DIRECTORY);
	if (fd < 0)
		refuse(FAILED_OTHERWISE, "\"%.200s\"", walk.path);
	look_at(&walk, fd, slash ? slash + 1 : path);
	close(fd);
	descend(&walk);
	answer_done(0);
}
