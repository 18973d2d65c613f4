#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "folder.h"
#include "pending.h"
#include "reader.h"

/* More gain little: the kernel's locks are in their way. */
#define HELPERS_MAX 3
/* As many directories waiting are worth the start of a thread. */
#define WORTH_HELP 8

static struct walk walk;
static struct reader reader = { .walk = &walk, .answer = &main_answer };

static struct helper {
	pthread_t thread;
	struct reader reader;
	struct answer answer;
} helpers[HELPERS_MAX];

static void *help(void *argument)
{
	struct helper *helper = argument;
	struct directory *directory;
	while ((directory = pending_take()))
		pending_give(directory, reader_read(&helper->reader, directory));
	answer_flush(&helper->answer);
	return NULL;
}

/* Answers how many have started. */
static size_t start_helpers(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t count = 0;
	while (count < HELPERS_MAX && (long)count + 1 < processors) {
		struct helper *helper = &helpers[count];
		helper->reader.walk = &walk;
		helper->reader.answer = &helper->answer;
		/* It goes without, only slower. */
		if (pthread_create(&helper->thread, NULL, help, helper) != 0)
			break;
		count++;
	}
	return count;
}

/* Reads the directories of a list, and all below them. */
static void descend(struct directory *list)
{
	struct directory *directory;
	size_t helping = 0;
	bool is_large = false;
	pending_begin(list);
	while ((directory = pending_take())) {
		size_t waiting = pending_give(directory, reader_read(&reader, directory));
		if (!is_large && waiting >= WORTH_HELP) {
			is_large = true;
			helping = start_helpers();
		}
	}
	while (helping > 0)
		pthread_join(helpers[--helping].thread, NULL);
}

static void begin(bool is_list, const struct timespec *changed_from)
{
	walk.is_list = is_list;
	walk.changed_from = *changed_from;
	walk.files = 0;
}

void walk_changed(const struct request *request)
{
	struct directory *root = directory_new(NULL, "", false);
	begin(false, &request->changed_from);
	seen_begin();
	reader_enter(&reader, root);
	root->is_whole = reader_look(&reader, folder.fd, "");
	reader_finish(&reader);
	descend(root);
	answer_done(0);
}

void walk_below(const char *path)
{
	static char above[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;
	if (length > folder.path_max)
		refuse(FAILED_BY_LIMIT, "\"%.200s…\" is longer than Linux opens", path);
	memcpy(above, path, length);
	above[length] = 0;
	begin(true, &(struct timespec){ 0 });
	struct directory *parent = directory_new(NULL, above, false);
	int fd = folder_open_file(above, O_DIRECTORY);
	if (fd < 0)
		refuse(FAILED_OTHERWISE, "\"%.200s\"", above);
	reader_enter(&reader, parent);
	reader_look(&reader, fd, slash ? slash + 1 : path);
	struct directory *list = reader_finish(&reader);
	close(fd);
	descend(list);
	directory_release(parent);
	answer_done(0);
}
