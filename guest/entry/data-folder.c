#include "data-folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "place.h"

static int open_kept(int parent, const char *name, bool becomes_sticky)
{
	struct stat status;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || place_is_kept(fd))
		return fd;
	if (becomes_sticky && fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
	    fchmod(fd, (status.st_mode & 07777) | S_ISVTX) == 0 && place_is_kept(fd))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

int data_open(const char *data, char *path)
{
	struct place place;
	int error = place_find(data, PLACE_FOLLOW | PLACE_MAKE_PARENTS, &place);
	if (!error && !place.is_ours)
		error = EPERM;
	if (!error && mkdirat(place.parent, place.name, 0711) < 0 && errno != EEXIST)
		error = errno;
	int fd = error ? -1 : open_kept(place.parent, place.name, true);
	if (!error && fd < 0)
		error = errno;
	strcpy(path, place.path);
	place_close(&place);
	errno = error;
	return fd;
}

int data_open_folder(int parent, const char *name)
{
	if (mkdirat(parent, name, 0711) < 0 && errno != EEXIST)
		return -1;
	return open_kept(parent, name, false);
}
