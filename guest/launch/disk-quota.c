#include "disk-quota.h"
#include "read-field.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>
#include <linux/fs.h>
#include <linux/quota.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXIT_MALFORMED 2

/* Since Linux 5.14, by the same number everywhere. */
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif

static int join_project(int folder, unsigned int id)
{
	struct fsxattr attributes;
	if (ioctl(folder, FS_IOC_FSGETXATTR, &attributes) < 0)
		return -1;
	attributes.fsx_projid = id;
	attributes.fsx_xflags |= FS_XFLAG_PROJINHERIT;
	return ioctl(folder, FS_IOC_FSSETXATTR, &attributes);
}

static int quota_call(int folder, int command, unsigned int id, struct if_dqblk *block)
{
	return (int)syscall(SYS_quotactl_fd, folder, QCMD(command, PRJQUOTA), id, block);
}

static int limit_project(int folder, unsigned int id, unsigned long long bytes)
{
	struct if_dqblk block = { .dqb_valid = QIF_BLIMITS };
	block.dqb_bhardlimit = (bytes + QIF_DQBLKSIZE - 1) / QIF_DQBLKSIZE;
	return quota_call(folder, Q_SETQUOTA, id, &block);
}

static int usage_of_project(int folder, unsigned int id, unsigned long long *bytes)
{
	struct if_dqblk block = { 0 };
	int result = quota_call(folder, Q_GETQUOTA, id, &block);
	*bytes = block.dqb_curspace;
	return result;
}

static int limit_subvolume(int folder, unsigned long long bytes)
{
	/* A quota group of 0 is that of the subvolume; all bits are "no limit". */
	struct btrfs_ioctl_qgroup_limit_args limit = { .lim = { .flags = BTRFS_QGROUP_LIMIT_MAX_RFER } };
	limit.lim.max_rfer = bytes == 0 ? ~0ULL : bytes;
	return ioctl(folder, BTRFS_IOC_QGROUP_LIMIT, &limit);
}

static int usage_of_subvolume(int folder, unsigned long long *bytes)
{
	struct btrfs_ioctl_ino_lookup_args lookup = { .objectid = BTRFS_FIRST_FREE_OBJECTID };
	if (ioctl(folder, BTRFS_IOC_INO_LOOKUP, &lookup) < 0)
		return -1;
	struct btrfs_ioctl_search_args search = { .key = {
		.tree_id = BTRFS_QUOTA_TREE_OBJECTID,
		.min_type = BTRFS_QGROUP_INFO_KEY,
		.max_type = BTRFS_QGROUP_INFO_KEY,
		.min_offset = lookup.treeid,
		.max_offset = lookup.treeid,
		.max_transid = ~0ULL,
		.nr_items = 1,
	} };
	if (ioctl(folder, BTRFS_IOC_TREE_SEARCH, &search) < 0)
		return -1;
	if (search.key.nr_items == 0) {
		errno = ENOTCONN;
		return -1;
	}
	struct btrfs_qgroup_info_item item;
	memcpy(&item, search.buf + sizeof(struct btrfs_ioctl_search_header), sizeof item);
	*bytes = item.rfer;
	return 0;
}

/* Answers an error number. */
static int do_request(char operation, const char *argument, const char *path, unsigned long long *bytes)
{
	char *rest;
	unsigned long long number = strtoull(argument, &rest, 10);
	unsigned long long second = strtoull(rest, &rest, 10);
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), result = -1;
	if (folder < 0)
		return errno;
	errno = EINVAL;
	if (operation == 'p')
		result = join_project(folder, (unsigned int)number);
	else if (operation == 'l')
		result = limit_project(folder, (unsigned int)number, second);
	else if (operation == 'u')
		result = usage_of_project(folder, (unsigned int)number, bytes);
	else if (operation == 'b')
		result = limit_subvolume(folder, number);
	else if (operation == 'r')
		result = usage_of_subvolume(folder, bytes);
	int error = result < 0 ? errno : 0;
	close(folder);
	return error;
}

int disk_quota_serve(void)
{
	char operation[2], argument[64], path[PATH_MAX];
	while (read_field(operation, sizeof operation)) {
		unsigned long long bytes = 0;
		if (!read_field(argument, sizeof argument) || !read_field(path, sizeof path))
			return EXIT_MALFORMED;
		int error = do_request(operation[0], argument, path, &bytes);
		printf("%d %llu\n", error, bytes);
		fflush(stdout);
	}
	return feof(stdin) ? 0 : EXIT_MALFORMED;
}
