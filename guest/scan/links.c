#include "links.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "folder.h"

/* A folder again, as a mount that is read-only and nowhere. Made for its first link: most looks find no new ones. */
static struct {
	pthread_mutex_t lock;
	char path[PATH_MAX];
	/* -1 where this host lets us make none. */
	int fd;
} view = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

static int clone_folder(void)
{
	return (int)syscall(SYS_open_tree, AT_FDCWD, folder.path,
			    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);
}

/*
 * O_NOATIME is for files that are opened, and a link is read without; utimensat(2) would change its
 * ctime. Through a mount that is read-only the kernel writes no times, and a user namespace may make
 * that of any mount, unlike one with `noatime` (mount_setattr(2)).
 */
static void *mount_view(void *unused)
{
	struct mount_attr attributes = { .attr_set = MOUNT_ATTR_RDONLY };
	int fd = clone_folder();
	/* Root of a user namespace mounts in mount namespaces of that one. Only this thread is in it. */
	if (fd < 0 && unshare(CLONE_NEWNS) == 0)
		fd = clone_folder();
	if (fd >= 0 && syscall(SYS_mount_setattr, fd, "", AT_EMPTY_PATH, &attributes, sizeof attributes) < 0) {
		close(fd);
		fd = -1;
	}
	view.fd = fd;
	return unused;
}

static int view_of_folder(void)
{
	pthread_t thread;
	pthread_mutex_lock(&view.lock);
	if (strcmp(view.path, folder.path) != 0) {
		close(view.fd);
		view.fd = -1;
		strcpy(view.path, folder.path);
		if (pthread_create(&thread, NULL, mount_view, NULL) == 0)
			pthread_join(thread, NULL);
	}
	pthread_mutex_unlock(&view.lock);
	return view.fd;
}

ssize_t links_read(int fd, const char *directory, const char *name, char *target, size_t size)
{
	int view_fd = view_of_folder();
	int same = view_fd < 0 ? -1 : folder_open_at(view_fd, directory, O_DIRECTORY);
	ssize_t count = readlinkat(same < 0 ? fd : same, name, target, size);
	if (same >= 0)
		close(same);
	return count;
}
