#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"
#include "make-folder.h"

static int folder = -1;

/* Of the last entry: the next one mostly is in the same directory. */
static int parent = -1;
static char parent_path[PATH_MAX];

void folder_open(const char *path)
{
	make_folder(path);
	folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		fail("the folder %s", path);
}

int folder_open_directory(const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	int fd = (int)syscall(SYS_openat2, folder, *path ? path : ".", &how, sizeof how);
	if (fd < 0)
		fail("the directory \"%.200s\"", path);
	return fd;
}

int folder_parent(const char *path)
{
	const char *name = last_name(path);
	size_t length = name == path ? 0 : (size_t)(name - path - 1);
	if (*path == 0) {
		errno = EINVAL;
		fail("the folder itself");
	}
	if (parent >= 0 && strlen(parent_path) == length && memcmp(parent_path, path, length) == 0)
		return parent;
	if (parent >= 0)
		close(parent);
	memcpy(parent_path, path, length);
	parent_path[length] = 0;
	parent = folder_open_directory(parent_path);
	return parent;
}

const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}
