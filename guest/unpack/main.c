/*
 * unpack FOLDER: makes the files that the bridge tells of in a folder, which is ours and in which nothing else makes files.
 * Answers by its end: 0 when the folder has all of them, otherwise it says why not.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "directories.h"
#include "entry.h"
#include "fail.h"
#include "folder.h"
#include "input.h"
#include "protocol.h"

/* The regular file whose data comes, until the next entry. */
static struct {
	int fd;
	off_t end;
	struct entry entry;
	uint8_t attributes[FRAME_BODY_MAX];
} file = { .fd = -1 };

static void begin_file(const struct entry *entry, int parent)
{
	file.fd = openat(parent, last_name(entry->path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file.fd < 0)
		fail("\"%.200s\"", entry->path);
	file.end = 0;
	file.entry = *entry;
	memcpy(file.attributes, entry->metadata.attributes, entry->metadata.attributes_bytes);
	file.entry.metadata.attributes = file.attributes;
}

static void write_data(struct frame frame)
{
	off_t at = frame.length < 8 ? -1 : (off_t)little_endian(frame.body, 8);
	if (file.fd < 0 || at < file.end || at > file.entry.size || (off_t)frame.length - 8 > file.entry.size - at) {
		errno = EINVAL;
		fail("data that is not of the file");
	}
	for (const uint8_t *bytes = frame.body + 8; bytes < frame.body + frame.length;) {
		ssize_t count = pwrite(file.fd, bytes, (size_t)(frame.body + frame.length - bytes), at);
		if (count < 0 && errno != EINTR)
			fail("\"%.200s\"", file.entry.path);
		bytes += count > 0 ? count : 0;
		at += count > 0 ? count : 0;
	}
	file.end = at;
}

/* Its metadata comes after its data: to write clears capabilities, and bits of the mode. */
static void end_file(void)
{
	if (file.fd < 0)
		return;
	if (file.end < file.entry.size && ftruncate(file.fd, file.entry.size) < 0)
		fail("\"%.200s\"", file.entry.path);
	set_metadata(file.fd, &file.entry.metadata, file.entry.path);
	if (close(file.fd) < 0)
		fail("\"%.200s\"", file.entry.path);
	file.fd = -1;
}

/* Symbolic links, pipes and devices have no descriptor, no attributes, and, but for links, a mode. */
static void make_special(const struct entry *entry, int parent)
{
	const char *name = last_name(entry->path);
	const struct metadata *metadata = &entry->metadata;
	bool is_link = S_ISLNK(metadata->mode);
	struct timespec times[2] = { metadata->mtime, metadata->mtime };
	int made = is_link ? symlinkat(entry->target, parent, name)
			   : mknodat(parent, name, (metadata->mode & S_IFMT) | 0600, entry->device);
	if (made < 0 || fchownat(parent, name, metadata->uid, metadata->gid, AT_SYMLINK_NOFOLLOW) < 0 ||
	    (!is_link && fchmodat(parent, name, metadata->mode & 07777, 0) < 0) ||
	    utimensat(parent, name, times, AT_SYMLINK_NOFOLLOW) < 0)
		fail("\"%.200s\"", entry->path);
}

static void make_entry(struct frame frame)
{
	static struct entry entry;
	read_entry(&entry, frame);
	directories_leave(entry.path);
	if (S_ISDIR(entry.metadata.mode))
		directory_begin(&entry);
	else if (S_ISREG(entry.metadata.mode))
		begin_file(&entry, folder_parent(entry.path));
	else
		make_special(&entry, folder_parent(entry.path));
}

static void make_link(struct frame frame)
{
	static char path[PATH_MAX], to[PATH_MAX];
	size_t length = frame.length < 2 ? 0 : little_endian(frame.body, 2);
	if (frame.length < 2 + length) {
		errno = EINVAL;
		fail("a link");
	}
	read_path(path, frame.body + 2, length);
	read_path(to, frame.body + 2 + length, frame.length - 2 - length);
	directories_leave(path);
	char *name = (char *)last_name(to);
	int from;
	if (name == to)
		from = folder_open_directory("");
	else {
		name[-1] = 0;
		from = folder_open_directory(to);
	}
	if (linkat(from, name, folder_parent(path), last_name(path), 0) < 0)
		fail("the link \"%.200s\"", path);
	close(from);
}

/* A device 0:0 (kernel docs, overlayfs, "whiteouts and opaque directories"). */
static void make_whiteout(struct frame frame)
{
	static char path[PATH_MAX];
	read_path(path, frame.body, frame.length);
	directories_leave(path);
	if (mknodat(folder_parent(path), last_name(path), S_IFCHR, makedev(0, 0)) < 0)
		fail("the whiteout \"%.200s\"", path);
}

int main(int count, char **arguments)
{
	if (count != 2) {
		fprintf(stderr, "usage: unpack FOLDER\n");
		return 2;
	}
	umask(0);
	folder_open(arguments[1]);
	for (;;) {
		struct frame frame = next_frame();
		if (frame.kind != FRAME_DATA)
			end_file();
		switch (frame.kind) {
		case FRAME_ENTRY:
			make_entry(frame);
			break;
		case FRAME_DATA:
			write_data(frame);
			break;
		case FRAME_LINK:
			make_link(frame);
			break;
		case FRAME_WHITEOUT:
			make_whiteout(frame);
			break;
		case FRAME_END:
			directories_end();
			return 0;
		default:
			errno = 0;
			fail("a frame of kind %u", frame.kind);
		}
	}
}
