#include "copy-tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "entries.h"

/* Each level has two descriptors open. */
#define DEPTH_MAX 200

/* A removal on its way: what is too deep for open descriptors is moved up to the top, and removed from there. */
struct removal {
	int top;
	unsigned moved;
	int depth;
};

static int remove_entry(struct removal *removal, struct named entry);

static int move_up(struct removal *removal, struct named entry)
{
	char name[32];
	for (;;) {
		snprintf(name, sizeof name, ".coppice-%u", removal->moved++);
		if (renameat(entry.folder, entry.name, removal->top, name) == 0)
			return 0;
		if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
			return errno;
	}
}

static int remove_entries(struct removal *removal, int folder)
{
	DIR *entries = list_folder(folder);
	if (!entries)
		return errno;
	int error = 0;
	struct dirent *entry;
	while (!error && (entry = next_entry(entries, &error)))
		error = remove_entry(removal, (struct named){ folder, entry->d_name });
	closedir(entries);
	return error;
}

/* Answers a descriptor, or -1; what is mounted there is not what was to be removed. */
static int open_own(struct named entry)
{
	struct statx status;
	int fd = openat(entry.folder, entry.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && statx(fd, "", AT_EMPTY_PATH, 0, &status) == 0 && status.stx_attributes & STATX_ATTR_MOUNT_ROOT) {
		close(fd);
		errno = EBUSY;
		return -1;
	}
	return fd;
}

static int remove_entry(struct removal *removal, struct named entry)
{
	if (unlinkat(entry.folder, entry.name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR)
		return errno;
	if (removal->depth == DEPTH_MAX)
		return move_up(removal, entry);
	int folder = open_own(entry);
	if (folder < 0)
		return errno;
	removal->depth++;
	int error = remove_entries(removal, folder);
	removal->depth--;
	close(folder);
	return error || unlinkat(entry.folder, entry.name, AT_REMOVEDIR) == 0 ? error : errno;
}

int remove_tree(struct named tree)
{
	if (unlinkat(tree.folder, tree.name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR)
		return errno;
	struct removal removal = { .top = open_own(tree) };
	if (removal.top < 0)
		return errno;
	int error;
	unsigned before;
	do {
		before = removal.moved;
		error = remove_entries(&removal, removal.top);
	} while (!error && removal.moved != before);
	close(removal.top);
	return error || unlinkat(tree.folder, tree.name, AT_REMOVEDIR) == 0 ? error : errno;
}
