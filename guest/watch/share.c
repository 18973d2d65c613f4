#include "share.h"

#include <errno.h>
#include <stdio.h>
#include <sys/inotify.h>

#include "answer.h"
#include "clock.h"
#include "directories.h"

static int queue;
static uint32_t most;

void share_begin(int inotify, uint32_t watches_max)
{
	queue = inotify;
	most = watches_max;
}

void unwatch(int watch)
{
	inotify_rm_watch(queue, watch);
}

void share_give_up(struct root *root, int error, const char *why)
{
	struct walking *walking = &root->walking;
	long now = now_ms();
	bool is_first = walking->retry_after_ms == 0 ||
	                (!walking->is_given_up && now - walking->watched_since_ms > RETRY_LONGEST_MS);
	long doubled = walking->retry_after_ms * 2;
	walking->retry_after_ms = is_first ? RETRY_FIRST_MS : doubled < RETRY_LONGEST_MS ? doubled : RETRY_LONGEST_MS;
	walking->retry_at_ms = now + walking->retry_after_ms;
	walking->is_given_up = true;
	directories_remove(root, unwatch);
	root->told_watches = root->watches;
	errno = error;
	tell_failed(root->number, "%s", why);
}

void share_drop(struct root *root)
{
	directories_remove(root, unwatch);
	/* What it had may be what others lacked. */
	for (struct root *other = all_roots; other; other = other->next)
		other->walking.retry_at_ms = 0;
}

bool share_spend(struct root *root, uint32_t count)
{
	if (root->walking.is_given_up)
		return false;
	root->walking.work += count;
	if (root->walking.work <= WORK_MAX)
		return true;
	share_give_up(root, 0, "its directories change faster than they can be watched");
	return false;
}

static struct root *largest_root(void)
{
	struct root *largest = all_roots;
	for (struct root *root = all_roots; root; root = root->next) {
		if (root->watches > largest->watches)
			largest = root;
	}
	return largest;
}

bool has_own_room(struct root *root)
{
	bool is_only = all_roots == root && !root->next;
	uint32_t bound = is_only ? most : most / 2;
	if (root->watches < bound)
		return true;
	char why[96];
	const char *of = is_only ? "all sandboxes together" : "one sandbox beside others";
	snprintf(why, sizeof why, "more than %u directories, which is the limit of %s", bound, of);
	share_give_up(root, 0, why);
	return false;
}

bool make_room(struct root *root, int error)
{
	struct root *largest = largest_root();
	if (largest->watches <= root->watches)
		largest = root;
	char why[96];
	if (error == ENOSPC)
		snprintf(why, sizeof why, "no more inotify watches (fs.inotify.max_user_watches)");
	else
		snprintf(why, sizeof why, "more than %u directories, which is the limit of all sandboxes together", most);
	share_give_up(largest, 0, why);
	return largest != root;
}
