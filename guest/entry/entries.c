#include "entries.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

DIR *list_folder(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	if (fd >= 0 && !entries)
		close(fd);
	return entries;
}

struct dirent *next_entry(DIR *entries, int *error)
{
	struct dirent *entry;
	do {
		errno = 0;
		entry = readdir(entries);
	} while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
	*error = entry ? 0 : errno;
	return entry;
}
