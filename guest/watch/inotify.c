/* Each directory of each root has a watch: where this process has no right to watch a whole file system. */
#include <errno.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"
#include "directories.h"
#include "pending.h"
#include "share.h"
#include "source.h"
#include "walk.h"
#include "watch-limit.h"

static int queue;

/* The root with most events has filled the queue: it is not to be at the cost of the others. */
static void give_up_busiest(void)
{
	struct root *busiest = NULL;
	for (struct root *root = all_roots; root; root = root->next) {
		if (!root->walking.is_given_up && (!busiest || root->walking.events > busiest->walking.events))
			busiest = root;
	}
	if (busiest)
		share_give_up(busiest, 0, "its files change faster than events can be read");
}

static void take(const struct inotify_event *event)
{
	struct directory *directory = directory_find(event->wd);
	if (!directory)
		return;
	if (event->mask & IN_IGNORED) {
		directory_remove(directory);
		return;
	}
	struct root *root = directory->root;
	root->is_changed = true;
	root->walking.events++;
	/* What comes where it is ignored is known by its leaving only. */
	uint32_t notable = IN_CREATE | IN_MOVED_TO | (root->ignored_length > 0 ? IN_MOVED_FROM : 0);
	bool is_notable = event->mask & IN_ISDIR && event->mask & notable && event->len > 0;
	if (is_notable && share_spend(root, 1) && !pending_note(directory->watch, event->name))
		share_give_up(root, ENOMEM, "a directory cannot be watched");
}

static void begin_batch(void)
{
	static long begun_at;
	if (now_ms() - begun_at < BATCH_MS)
		return;
	begun_at = now_ms();
	for (struct root *root = all_roots; root; root = root->next)
		root->walking.work = root->walking.events = 0;
}

static void read_events(void)
{
	static char buffer[65536] __attribute__((aligned(__alignof__(struct inotify_event))));
	int waiting = 0;
	bool was_lost = false;
	begin_batch();
	ioctl(queue, FIONREAD, &waiting);
	while (waiting > 0) {
		ssize_t count = read(queue, buffer, sizeof buffer);
		if (count <= 0)
			break;
		waiting -= (int)count;
		for (ssize_t at = 0; at < count;) {
			const struct inotify_event *event = (void *)(buffer + at);
			at += (ssize_t)(sizeof *event + event->len);
			if (event->mask & IN_Q_OVERFLOW)
				was_lost = true;
			else
				take(event);
		}
	}
	if (was_lost) {
		roots_changed();
		give_up_busiest();
	}
	walk_pending(was_lost);
}

int inotify_source(struct source *source, uint32_t watches_max)
{
	queue = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (queue < 0)
		return -1;
	uint32_t most = watch_limit(watches_max);
	walk_begin(queue, most);
	*source = (struct source){
		.kind = SOURCE_INOTIFY,
		.watches_max = most,
		.add = walk_root,
		.remove = share_drop,
		.read = read_events,
		.retry = walk_retry,
	};
	return queue;
}
