#include "tell.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "links.h"

void tell_directory(struct answer *answer, const char *path, bool is_whole)
{
	uint8_t *body = answer_reserve(answer);
	*body = is_whole ? ENTER_WHOLE : 0;
	answer_commit(answer, FRAME_ENTER, (size_t)(put_bytes(body + 1, path, strlen(path)) - body));
}

static uint8_t *put_time(uint8_t *at, const struct statx_timestamp *time)
{
	return put_u32(put_u64(at, (uint64_t)time->tv_sec), time->tv_nsec);
}

/* As in a tree: 12 bits of major, 20 of minor (linux/kdev_t.h, new_encode_dev). */
static uint32_t device_number(uint32_t major, uint32_t minor)
{
	return (minor & 0xff) | (major & 0xfff) << 8 | (minor & 0xfff00) << 12;
}

void tell_file(struct answer *answer, const struct told_file *file, const struct statx *stat)
{
	size_t length = strlen(file->name);
	uint8_t *body = answer_reserve(answer);
	uint8_t *at = put_u64(put_u64(body, stat->stx_ino), stat->stx_size);
	at = put_time(put_time(at, &stat->stx_mtime), &stat->stx_ctime);
	at = put_u32(put_u32(put_u32(at, stat->stx_mode), stat->stx_uid), stat->stx_gid);
	at = put_u32(put_u32(at, stat->stx_nlink), device_number(stat->stx_rdev_major, stat->stx_rdev_minor));
	*at++ = (uint8_t)length;
	at = put_bytes(at, file->name, length);
	if (S_ISLNK(stat->stx_mode)) {
		ssize_t count = links_read(file->directory, file->directory_path, file->name, (char *)at, PATH_MAX);
		if (count < 0)
			refuse(FAILED_OTHERWISE, "the symlink \"%.200s\"", file->name);
		at += count;
	}
	answer_commit(answer, FRAME_FILE, (size_t)(at - body));
}
