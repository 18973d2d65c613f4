/*
 * watch FOLDER WATCHES_MAX: tells the bridge in which of the folders that it names, all on the file system of FOLDER,
 * something has changed. Ends when the bridge does. What it tells is no more than a reason to look.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"
#include "clock.h"
#include "request.h"
#include "source.h"

static struct source source;

static int open_source(char **arguments)
{
	int queue = fanotify_source(&source, arguments[1]);
	if (queue >= 0) {
		tell_open(SOURCE_FANOTIFY, 0, "");
		return queue;
	}
	char why[256];
	snprintf(why, sizeof why, "no fanotify: %s", strerror(errno));
	queue = inotify_source(&source, (uint32_t)strtoul(arguments[2], NULL, 10));
	if (queue < 0) {
		size_t length = strlen(why);
		snprintf(why + length, sizeof why - length, "; no inotify: %s", strerror(errno));
	}
	tell_open(queue < 0 ? SOURCE_NONE : SOURCE_INOTIFY, source.watches_max, why);
	return queue;
}

static void remove_root(struct root *root)
{
	source.remove(root);
	root_remove(root);
}

static void add_root(const struct request *request)
{
	/* What follows the NUL of the path has one after each: the last is request_take()'s own. */
	size_t length = strlen(request->path);
	size_t ignored = request->path_length > length ? request->path_length - length : 0;
	struct root *root = root_add(request->root, request->path, request->path + length + 1, ignored);
	if (!root) {
		tell_failed(request->root, "the folder");
		return;
	}
	if (!source.add(root))
		return;
	root->told_watches = root->watches;
	tell_watched(root->number, root->watches);
}

static void tell_all(void)
{
	for (struct root *root = all_roots; root; root = root->next)
		root_tell(root);
}

/* What other roots were read of is told with it, or it would wait for their next change. */
static void drain_root(const struct request *request)
{
	source.read();
	tell_all();
	tell_drained(request->root);
}

static void serve(const struct request *request)
{
	struct root *root = root_find(request->root);
	if (request->kind == WATCH_ADD && !root)
		add_root(request);
	else if (request->kind == WATCH_REMOVE && root)
		remove_root(root);
	else if (request->kind == WATCH_DRAIN)
		drain_root(request);
}

/* For how long to wait: until the end of the batch, or until something is to be tried again. */
static int wait_ms(long batch_left)
{
	long retry = source.retry ? source.retry() : -1;
	if (batch_left <= 0)
		return (int)retry;
	return (int)(retry >= 0 && retry < batch_left ? retry : batch_left);
}

int main(int count, char **arguments)
{
	static struct request request;
	if (count != 3) {
		fprintf(stderr, "usage: watch FOLDER WATCHES_MAX\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	struct pollfd waits[] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .events = POLLIN } };
	const int queue = open_source(arguments);
	if (queue < 0)
		return 0;
	for (long read_at = -BATCH_MS;;) {
		/* What comes soon after is read with it, and events of one directory become one in the queue. */
		long left = read_at + BATCH_MS - now_ms();
		waits[1].fd = left > 0 ? -1 : queue;
		if (poll(waits, 2, wait_ms(left)) < 0 && errno != EINTR)
			return 1;
		if (waits[0].revents) {
			if (!request_read())
				return 0;
			while (request_take(&request))
				serve(&request);
		}
		if (waits[1].fd >= 0 && waits[1].revents) {
			source.read();
			read_at = now_ms();
			tell_all();
		}
	}
}
