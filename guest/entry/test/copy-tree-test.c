/*
 * Copies or removes a tree while something happens, of which calls of the C library are the occasions:
 *
 *   copy-tree-test copy FROM TO unread      reading a folder fails after its second name
 *   copy-tree-test copy FROM TO VICTIM      what was made is replaced by a link to VICTIM before it gets its owner
 *   copy-tree-test remove TREE unread
 *
 * Prints the errno.
 */
#include "../copy-tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *to;
static const char *victim;
static bool is_unread;

struct dirent *__real_readdir(DIR *entries);
int __real_fchown(int fd, uid_t uid, gid_t gid);
int __real_fchownat(int folder, const char *name, uid_t uid, gid_t gid, int flags);

struct dirent *__wrap_readdir(DIR *entries)
{
	static int count;
	if (is_unread && ++count > 2) {
		errno = EIO;
		return NULL;
	}
	return __real_readdir(entries);
}

static void replace(void)
{
	if (victim && unlink(to) == 0 && symlink(victim, to) < 0)
		perror("symlink");
}

int __wrap_fchown(int fd, uid_t uid, gid_t gid)
{
	replace();
	return __real_fchown(fd, uid, gid);
}

int __wrap_fchownat(int folder, const char *name, uid_t uid, gid_t gid, int flags)
{
	replace();
	return __real_fchownat(folder, name, uid, gid, flags);
}

int main(int count, char **words)
{
	bool copies = count == 5 && strcmp(words[1], "copy") == 0;
	const char *event = words[count - 1];
	is_unread = strcmp(event, "unread") == 0;
	victim = is_unread ? NULL : event;
	to = words[copies ? 3 : 2];
	const struct named tree = { AT_FDCWD, words[2] };
	printf("%d", copies ? copy_tree(tree, (struct named){ AT_FDCWD, to }, NULL) : remove_tree(tree));
	return 0;
}
