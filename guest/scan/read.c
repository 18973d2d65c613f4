#include "read.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "answer.h"
#include "folder.h"

/*
 * Others are the kernel's, such as overlay's note of where a file comes from. Access control lists and
 * properties of btrfs are no part of a tree, but a sandbox may have set them.
 */
static bool is_told(const char *name)
{
	return strncmp(name, "user.", 5) == 0 || strncmp(name, "system.", 7) == 0 || strncmp(name, "btrfs.", 6) == 0 ||
	       strcmp(name, "security.capability") == 0 || strcmp(name, "trusted.overlay.opaque") == 0;
}

/* What keeps a file from being told of: it is no more, or another, or shorter than it was. */
static bool is_changed(void)
{
	return errno == ENODATA || errno == ERANGE || errno == ENXIO;
}

static bool tell_attribute(int fd, const char *name, const char *path)
{
	size_t length = strlen(name);
	uint8_t *body = answer_reserve(&main_answer);
	*body = (uint8_t)length;
	uint8_t *value = put_bytes(body + 1, name, length);
	ssize_t count = fgetxattr(fd, name, value, XATTR_SIZE_MAX);
	if (count < 0 && is_changed())
		return false;
	if (count < 0)
		refuse(FAILED_OTHERWISE, "the attribute %s of \"%.200s\"", name, path);
	answer_commit(&main_answer, FRAME_ATTRIBUTE, 1 + length + (size_t)count);
	return true;
}

/* Answers whether they are all told. */
static bool tell_attributes(int fd, const char *path)
{
	static char names[XATTR_LIST_MAX];
	ssize_t count = flistxattr(fd, names, sizeof names);
	if (count < 0 && errno != EOPNOTSUPP)
		refuse(FAILED_OTHERWISE, "the attributes of \"%.200s\"", path);
	for (const char *name = names; name < names + count; name += strlen(name) + 1) {
		if (is_told(name) && !tell_attribute(fd, name, path))
			return false;
	}
	return true;
}

/* Tells the bytes from `at` to `end`. Answers whether they were there. */
static bool tell_run(int fd, off_t at, off_t end, const char *path, bool (*is_over)(void))
{
	while (at < end) {
		if (is_over())
			return false;
		uint8_t *body = answer_reserve(&main_answer);
		size_t wanted = end - at < (off_t)DATA_BYTES ? (size_t)(end - at) : DATA_BYTES;
		ssize_t count = pread(fd, put_u64(body, (uint64_t)at), wanted, at);
		if (count < 0)
			refuse(FAILED_OTHERWISE, "\"%.200s\"", path);
		if (count == 0)
			return false;
		answer_commit(&main_answer, FRAME_DATA, sizeof(uint64_t) + (size_t)count);
		at += count;
	}
	return true;
}

/* Answers whether all of it is told. */
static bool tell_data(int fd, off_t size, const char *path, bool (*is_over)(void))
{
	/* To ask for the holes of a small file costs more than to read them. */
	if (size <= (off_t)DATA_BYTES)
		return tell_run(fd, 0, size, path, is_over);
	for (off_t at = 0; at < size;) {
		off_t data = lseek(fd, at, SEEK_DATA);
		/* lseek(2): no data from here on. */
		if (data < 0 && errno == ENXIO)
			break;
		off_t hole = data < 0 ? -1 : lseek(fd, data, SEEK_HOLE);
		if (hole < 0 && is_changed())
			return false;
		if (hole <= data)
			refuse(FAILED_OTHERWISE, "the holes of \"%.200s\"", path);
		at = hole < size ? hole : size;
		if (data < at && !tell_run(fd, data, at, path, is_over))
			return false;
	}
	return true;
}

/* Ends what is told of a file that had `size`: with what it is now, where `is_whole`. */
static void tell_end(int fd, off_t size, bool is_whole)
{
	struct statx now = { 0 };
	if (!is_whole || statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &now) < 0)
		now.stx_ino = 0;
	uint8_t *body = answer_reserve(&main_answer);
	uint8_t *at = put_u64(put_u64(body, (uint64_t)size), now.stx_ino);
	at = put_u32(put_u64(at, (uint64_t)now.stx_ctime.tv_sec), now.stx_ctime.tv_nsec);
	answer_commit(&main_answer, FRAME_DONE, (size_t)(at - body));
}

bool read_file(const char *path, bool (*is_over)(void))
{
	struct stat stat;
	off_t size = 0;
	int fd = folder_open_file(path, 0);
	/* Gone, or another file's name, since it was found. */
	if (fd < 0 && errno != ENOENT && errno != ENOTDIR && errno != ELOOP && errno != ENXIO)
		refuse(FAILED_OTHERWISE, "\"%.200s\"", path);
	if (fd >= 0 && fstat(fd, &stat) < 0)
		refuse(FAILED_OTHERWISE, "\"%.200s\"", path);
	bool is_whole = fd >= 0 && (S_ISREG(stat.st_mode) || S_ISDIR(stat.st_mode)) && tell_attributes(fd, path);
	if (is_whole && S_ISREG(stat.st_mode)) {
		is_whole = tell_data(fd, stat.st_size, path, is_over);
		size = stat.st_size;
	}
	tell_end(fd, size, is_whole);
	if (fd >= 0)
		close(fd);
	return !is_over();
}
