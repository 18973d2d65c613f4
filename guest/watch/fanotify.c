/* All changes of the file system that roots lie on: whose they are is found by the directory's handle. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "source.h"

/*
 * FAN_CLOSE_WRITE: writes through a mapping raise it when that ends at the latest. The names that are asked for below are
 * not used, but without them events do not say in which directory a file was written.
 */
#define EVENTS                                                                                                     \
	(FAN_CREATE | FAN_DELETE | FAN_MOVED_FROM | FAN_MOVED_TO | FAN_MODIFY | FAN_ATTRIB | FAN_CLOSE_WRITE |     \
	 FAN_ONDIR)

/* Directories whose root is known, by a hash of their handle. A power of two. */
#define KNOWN 4096u
#define HANDLE_MAX 40

struct known {
	unsigned length;
	int type;
	unsigned char handle[HANDLE_MAX];
	/* NULL: it lies in none. */
	struct root *root;
	/* What it was found in: see forget(). */
	unsigned generation;
};

static int queue, mount;
/* What was found before is not known any more. */
static unsigned generation = 1;
static struct known known[KNOWN];

static struct known *place_of(const struct file_handle *handle)
{
	if (handle->handle_bytes > HANDLE_MAX)
		return NULL;
	/* FNV-1a. */
	uint32_t hash = 2166136261u;
	for (unsigned at = 0; at < handle->handle_bytes; at++)
		hash = (hash ^ handle->f_handle[at]) * 16777619u;
	return &known[(hash ^ hash >> 16) & (KNOWN - 1)];
}

static bool is_at(const struct known *place, const struct file_handle *handle)
{
	return place->generation == generation && place->length == handle->handle_bytes &&
	       place->type == handle->handle_type && memcmp(place->handle, handle->f_handle, place->length) == 0;
}

/* A directory that is gone by now lay in one that has told of that. */
static struct root *look_up(struct file_handle *handle)
{
	char link[40], path[PATH_MAX];
	int directory = open_by_handle_at(mount, handle, O_PATH | O_CLOEXEC);
	if (directory < 0)
		return NULL;
	snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
	ssize_t length = readlink(link, path, sizeof path - 1);
	close(directory);
	if (length < 0)
		return NULL;
	path[length] = 0;
	struct root *root = root_above(path);
	return root && root_ignores(root, path + strlen(root->path)) ? NULL : root;
}

static struct root *root_of(struct file_handle *handle)
{
	struct known *place = place_of(handle);
	if (place && is_at(place, handle))
		return place->root;
	struct root *root = look_up(handle);
	if (place) {
		place->length = handle->handle_bytes;
		place->type = handle->handle_type;
		memcpy(place->handle, handle->f_handle, place->length);
		place->root = root;
		place->generation = generation;
	}
	return root;
}

static void forget(void)
{
	/* Not 0, which no entry has that was never filled. */
	if (++generation == 0) {
		memset(known, 0, sizeof known);
		generation = 1;
	}
}

static void take(const struct fanotify_event_metadata *event, struct fanotify_event_info_fid *info)
{
	if (event->mask & FAN_Q_OVERFLOW) {
		forget();
		roots_changed();
		return;
	}
	/* With all in it, it may be in another root now, or in none. */
	if (event->mask & FAN_ONDIR && event->mask & (FAN_MOVED_FROM | FAN_MOVED_TO))
		forget();
	if (event->event_len <= event->metadata_len || info->hdr.info_type != FAN_EVENT_INFO_TYPE_DFID_NAME)
		return;
	struct root *root = root_of((struct file_handle *)info->handle);
	if (!root)
		return;
	root->is_changed = true;
	root->process = event->pid;
}

static void read_events(void)
{
	static char buffer[65536] __attribute__((aligned(8)));
	int waiting = 0;
	/* Not until there is no more: others may write all the time. The kernel counts no more than this of each event. */
	ioctl(queue, FIONREAD, &waiting);
	while (waiting > 0) {
		ssize_t count = read(queue, buffer, sizeof buffer);
		if (count <= 0)
			return;
		for (char *at = buffer; at < buffer + count;) {
			/* Where handles are of a multiple of four bytes, not each event lies where its numbers may be read. */
			struct fanotify_event_metadata event;
			memcpy(&event, at, sizeof event);
			take(&event, (void *)(at + event.metadata_len));
			at += event.event_len;
			waiting -= FAN_EVENT_METADATA_LEN;
		}
	}
}

/* A directory that was in none may be in this one. */
static bool add(struct root *root)
{
	(void)root;
	forget();
	return true;
}

static void drop(struct root *root)
{
	(void)root;
	forget();
}

int fanotify_source(struct source *source, const char *folder)
{
	const unsigned flags = FAN_CLASS_NOTIF | FAN_REPORT_DFID_NAME | FAN_NONBLOCK | FAN_CLOEXEC;
	queue = fanotify_init(flags, O_RDONLY | O_LARGEFILE);
	if (queue < 0)
		return -1;
	mount = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* To open a directory by its handle takes a right of its own (CAP_DAC_READ_SEARCH): better to know now. */
	struct {
		struct file_handle handle;
		unsigned char bytes[MAX_HANDLE_SZ];
	} own = { .handle.handle_bytes = MAX_HANDLE_SZ };
	int mount_id, opened = -1;
	if (mount >= 0 && name_to_handle_at(mount, "", &own.handle, &mount_id, AT_EMPTY_PATH) == 0)
		opened = open_by_handle_at(mount, &own.handle, O_PATH | O_CLOEXEC);
	if (opened < 0 || fanotify_mark(queue, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, EVENTS, mount, NULL) < 0) {
		int error = errno;
		close(queue);
		if (mount >= 0)
			close(mount);
		if (opened >= 0)
			close(opened);
		errno = error;
		return -1;
	}
	close(opened);
	*source = (struct source){ .kind = SOURCE_FANOTIFY, .add = add, .remove = drop, .read = read_events };
	return queue;
}
