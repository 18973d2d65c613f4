#include "entry.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "fail.h"
#include "protocol.h"

static _Noreturn void fail_malformed(void)
{
	errno = 0;
	fail("a frame that is malformed");
}

void read_path(char *to, const uint8_t *bytes, size_t length)
{
	if (length >= PATH_MAX) {
		errno = ENAMETOOLONG;
		fail("a path of %zu bytes", length);
	}
	memcpy(to, bytes, length);
	to[length] = 0;
	if (length == 0)
		return;
	for (const char *name = to;; name++) {
		size_t count = strcspn(name, "/");
		bool is_dots = name[0] == '.' && (count == 1 || (count == 2 && name[1] == '.'));
		if (count == 0 || count > NAME_MAX || is_dots) {
			errno = EINVAL;
			fail("the path \"%.200s\"", to);
		}
		name += count;
		/* A NUL in it is no end. */
		if (name == to + length)
			return;
		if (*name != '/') {
			errno = EINVAL;
			fail("the path \"%.200s\"", to);
		}
	}
}

void read_entry(struct entry *entry, struct frame frame)
{
	if (frame.length < ENTRY_HEADER_BYTES)
		fail_malformed();
	const uint8_t *body = frame.body;
	struct metadata *metadata = &entry->metadata;
	metadata->mode = (mode_t)little_endian(body, 4);
	metadata->uid = (uid_t)little_endian(body + 4, 4);
	metadata->gid = (gid_t)little_endian(body + 8, 4);
	entry->device = makedev((unsigned)little_endian(body + 12, 4), (unsigned)little_endian(body + 16, 4));
	entry->size = (off_t)little_endian(body + 20, 8);
	metadata->mtime.tv_sec = (time_t)little_endian(body + 28, 8);
	metadata->mtime.tv_nsec = (long)little_endian(body + 36, 4);
	size_t path = little_endian(body + 40, 2), target = little_endian(body + 42, 2);
	if (frame.length - ENTRY_HEADER_BYTES < path + target || target >= PATH_MAX || entry->size < 0)
		fail_malformed();
	body += ENTRY_HEADER_BYTES;
	read_path(entry->path, body, path);
	memcpy(entry->target, body + path, target);
	entry->target[target] = 0;
	metadata->attributes = body + path + target;
	metadata->attributes_bytes = frame.length - ENTRY_HEADER_BYTES - path - target;
}

static void set_attributes(int fd, const struct metadata *metadata, const char *path)
{
	const uint8_t *at = metadata->attributes, *end = at + metadata->attributes_bytes;
	while (at < end) {
		char name[UINT8_MAX + 1];
		size_t name_bytes = *at;
		size_t value_bytes = end - at < 3 ? UINT16_MAX : little_endian(at + 1, 2);
		if ((size_t)(end - at) < 3 + name_bytes + value_bytes)
			fail_malformed();
		memcpy(name, at + 3, name_bytes);
		name[name_bytes] = 0;
		at += 3 + name_bytes;
		if (fsetxattr(fd, name, at, value_bytes, 0) < 0)
			fail("the attribute %s of \"%.200s\"", name, path);
		at += value_bytes;
	}
}

void set_metadata(int fd, const struct metadata *metadata, const char *path)
{
	/* A change of owner clears bits of the mode, and capabilities. A mode may keep attributes from being set. */
	if (fchown(fd, metadata->uid, metadata->gid) < 0)
		fail("the owner of \"%.200s\"", path);
	set_attributes(fd, metadata, path);
	if (fchmod(fd, metadata->mode & 07777) < 0)
		fail("the mode of \"%.200s\"", path);
	struct timespec times[2] = { metadata->mtime, metadata->mtime };
	if (futimens(fd, times) < 0)
		fail("the time of \"%.200s\"", path);
}
