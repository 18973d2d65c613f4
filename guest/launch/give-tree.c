#include "give-tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"

/* Far deeper than paths can be (PATH_MAX), and each level has a descriptor open. */
#define DEPTH_MAX 2048
#define SET_ID (S_ISUID | S_ISGID)

static void give_entries(int directory, uid_t id, int depth);

static void give_entry(int directory, const char *name, uid_t id, int depth)
{
	struct stat status;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    fchownat(directory, name, id, id, AT_SYMLINK_NOFOLLOW) < 0)
		fail("Cannot give %s to another owner", name);
	if (S_ISREG(status.st_mode) && status.st_mode & SET_ID && fchmodat(directory, name, status.st_mode & 07777, 0) < 0)
		fail("Cannot keep the mode of %s", name);
	if (!S_ISDIR(status.st_mode))
		return;
	int inside = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (inside < 0)
		fail("Cannot open %s", name);
	give_entries(inside, id, depth + 1);
}

/* Closes `directory`. */
static void give_entries(int directory, uid_t id, int depth)
{
	errno = ELOOP;
	DIR *entries = depth < DEPTH_MAX ? fdopendir(directory) : NULL;
	if (!entries)
		fail("Cannot read a directory of the root");
	struct dirent *entry;
	while ((errno = 0, entry = readdir(entries))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			give_entry(directory, entry->d_name, id, depth);
	}
	if (errno)
		fail("Cannot read a directory of the root");
	closedir(entries);
}

void give_tree(int directory, uid_t id)
{
	if (fchown(directory, id, id) < 0)
		fail("Cannot give the root to another owner");
	int own = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (own < 0)
		fail("Cannot open the root");
	give_entries(own, id, 0);
}
