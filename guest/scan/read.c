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

static void tell_attribute(int fd, const char *name, const char *path)
{
	size_t length = strlen(name);
	uint8_t *body = answer_reserve(&main_answer);
	*body = (uint8_t)length;
	uint8_t *value = put_bytes(body + 1, name, length);
	ssize_t count = fgetxattr(fd, name, value, XATTR_SIZE_MAX);
	if (count < 0)
		refuse(FAILED_OTHERWISE, "the attribute %s of \"%.200s\"", name, path);
	answer_commit(&main_answer, FRAME_ATTRIBUTE, 1 + length + (size_t)count);
}

static void tell_attributes(int fd, const char *path)
{
	static char names[XATTR_LIST_MAX];
	ssize_t count = flistxattr(fd, names, sizeof names);
	if (count < 0 && errno != EOPNOTSUPP)
		refuse(FAILED_OTHERWISE, "the attributes of \"%.200s\"", path);
	for (const char *name = names; name < names + count; name += strlen(name) + 1) {
		if (is_told(name))
			tell_attribute(fd, name, path);
	}
}

/* Tells the bytes from `at` to `end`. Answers where the file really ends. */
static off_t tell_run(int fd, off_t at, off_t end, const char *path)
{
	while (at < end) {
		uint8_t *body = answer_reserve(&main_answer);
		size_t wanted = end - at < (off_t)DATA_BYTES ? (size_t)(end - at) : DATA_BYTES;
		ssize_t count = pread(fd, put_u64(body, (uint64_t)at), wanted, at);
		if (count < 0)
			refuse(FAILED_OTHERWISE, "\"%.200s\"", path);
		if (count == 0)
			break;
		answer_commit(&main_answer, FRAME_DATA, sizeof(uint64_t) + (size_t)count);
		at += count;
	}
	return at;
}

static void tell_data(int fd, off_t size, const char *path)
{
	/* To ask for the holes of a small file costs more than to read them. */
	if (size <= (off_t)DATA_BYTES) {
		tell_run(fd, 0, size, path);
		return;
	}
	for (off_t at = 0; at < size;) {
		off_t data = lseek(fd, at, SEEK_DATA);
		/* lseek(2): no data from here on. */
		if (data < 0 && errno == ENXIO)
			break;
		off_t hole = data < 0 ? -1 : lseek(fd, data, SEEK_HOLE);
		if (hole <= data)
			refuse(FAILED_OTHERWISE, "the holes of \"%.200s\"", path);
		at = hole < size ? hole : size;
		tell_run(fd, data, at, path);
	}
}

void read_file(const char *path)
{
	struct stat stat;
	int fd = folder_open_file(path, 0);
	if (fd < 0 || fstat(fd, &stat) < 0)
		refuse(FAILED_OTHERWISE, "\"%.200s\"", path);
	errno = 0;
	if (!S_ISREG(stat.st_mode) && !S_ISDIR(stat.st_mode))
		refuse(FAILED_OTHERWISE, "\"%.200s\" is another file now", path);
	tell_attributes(fd, path);
	if (S_ISREG(stat.st_mode))
		tell_data(fd, stat.st_size, path);
	answer_done(S_ISREG(stat.st_mode) ? (uint64_t)stat.st_size : 0);
	close(fd);
}
