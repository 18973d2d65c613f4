#include "reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "tell.h"

static bool is_later(const struct statx_timestamp *time, const struct timespec *than)
{
	return time->tv_sec > than->tv_sec || (time->tv_sec == than->tv_sec && time->tv_nsec >= than->tv_nsec);
}

static void flush_seen(struct reader *reader)
{
	if (reader->seen_count > 0)
		seen_add(reader->seen, reader->seen_count);
	reader->seen_count = 0;
}

static bool is_new(struct reader *reader, const struct statx *stat)
{
	struct walk *walk = reader->walk;
	if (atomic_fetch_add(&walk->files, 1) >= folder.files_max) {
		errno = 0;
		refuse(FAILED_BY_LIMIT, "there are more than %u files", folder.files_max);
	}
	if (walk->is_list)
		return true;
	/* Another device has the same numbers for other files. */
	if (stat->stx_dev_major != folder.device[0] || stat->stx_dev_minor != folder.device[1])
		return true;
	/* Wraps for times that no clock has; it is only compared with itself. */
	uint64_t changed_ns = (uint64_t)stat->stx_ctime.tv_sec * 1000000000u + stat->stx_ctime.tv_nsec;
	struct seen_file file = { .ino = stat->stx_ino, .changed_ns = changed_ns };
	if (reader->seen_count == SEEN_AT_ONCE)
		flush_seen(reader);
	reader->seen[reader->seen_count++] = file;
	return !seen_before(&file) || is_later(&stat->stx_ctime, &walk->changed_from);
}

/* Has the next frame be taken to be in the directory. */
static void tell_where(struct reader *reader)
{
	answer_make_room(reader->answer, 2);
	if (reader->is_told && reader->told_at == reader->answer->flushes)
		return;
	tell_directory(reader->answer, reader->path, reader->directory->is_whole);
	reader->is_told = true;
	reader->told_at = reader->answer->flushes;
}

static void flush_names(struct reader *reader)
{
	if (reader->names_bytes == 0)
		return;
	tell_where(reader);
	put_bytes(answer_reserve(reader->answer), reader->names, reader->names_bytes);
	answer_commit(reader->answer, FRAME_SAME, reader->names_bytes);
	reader->names_bytes = 0;
}

static void add_name(struct reader *reader, const char *name, uint64_t ino)
{
	size_t length = sizeof ino + strlen(name) + 1;
	if (sizeof reader->names - reader->names_bytes < length)
		flush_names(reader);
	put_bytes(put_u64(reader->names + reader->names_bytes, ino), name, length - sizeof ino);
	reader->names_bytes += length;
}

static void check_path(const struct reader *reader, const char *name)
{
	size_t above = reader->directory->path_length;
	if (above + (above > 0) + strlen(name) <= folder.path_max)
		return;
	errno = 0;
	refuse(FAILED_BY_LIMIT, "the path \"%.200s…\" is longer than Linux opens", reader->path);
}

bool reader_look(struct reader *reader, int fd, const char *name)
{
	struct statx stat;
	check_path(reader, name);
	if (statx(fd, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH, STATX_BASIC_STATS, &stat) < 0) {
		if (errno != ENOENT)
			refuse(FAILED_OTHERWISE, "\"%.200s\" in \"%.200s\"", name, reader->path);
		/* Gone since its name was read, or since somebody asked for it. */
		return false;
	}
	bool is_told = is_new(reader, &stat);
	if (is_told) {
		tell_where(reader);
		struct told_file file = { .directory = fd, .directory_path = reader->path, .name = name };
		tell_file(reader->answer, &file, &stat);
	} else if (reader->directory->is_whole)
		add_name(reader, name, stat.stx_ino);
	if (S_ISDIR(stat.stx_mode) && *name) {
		struct directory *child = directory_new(reader->directory, name, is_told);
		child->next = reader->children;
		reader->children = child;
	}
	return is_told;
}

void reader_enter(struct reader *reader, struct directory *directory)
{
	reader->directory = directory;
	reader->is_told = false;
	reader->children = NULL;
	directory_path(directory, reader->path);
}

struct directory *reader_finish(struct reader *reader)
{
	flush_names(reader);
	flush_seen(reader);
	return reader->children;
}

struct directory *reader_read(struct reader *reader, struct directory *directory)
{
	ssize_t count;
	reader_enter(reader, directory);
	int fd = folder_open_file(reader->path, O_DIRECTORY);
	if (fd < 0)
		refuse(FAILED_OTHERWISE, "\"%.200s\"", reader->path);
	/* Also when nothing is in it. */
	if (directory->is_whole)
		tell_where(reader);
	while ((count = getdents64(fd, reader->entries, sizeof reader->entries)) > 0) {
		for (const char *at = reader->entries; at < reader->entries + count;) {
			const struct dirent64 *entry = (const void *)at;
			if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
				reader_look(reader, fd, entry->d_name);
			at += entry->d_reclen;
		}
	}
	if (count < 0)
		refuse(FAILED_OTHERWISE, "\"%.200s\"", reader->path);
	close(fd);
	return reader_finish(reader);
}
