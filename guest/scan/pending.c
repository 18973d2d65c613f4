#include "pending.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* The last one first: a walk in depth has the fewest of them. */
static struct directory *stack;
static size_t waiting, taken_count;

struct directory *directory_new(struct directory *parent, const char *name, bool is_whole)
{
	size_t length = strlen(name);
	struct directory *directory = malloc(sizeof *directory + length + 1);
	if (!directory)
		refuse(FAILED_OTHERWISE, "no memory for directories");
	size_t above = parent && parent->path_length ? parent->path_length + 1 : 0;
	*directory = (struct directory){
		.parent = parent, .users = 1, .is_whole = is_whole, .path_length = above + length, .name_length = length };
	memcpy(directory->name, name, length + 1);
	if (parent)
		parent->users++;
	return directory;
}

void directory_path(const struct directory *directory, char *path)
{
	path[directory->path_length] = 0;
	for (; directory; directory = directory->parent) {
		size_t at = directory->path_length - directory->name_length;
		memcpy(path + at, directory->name, directory->name_length);
		if (at > 0)
			path[at - 1] = '/';
	}
}

void directory_release(struct directory *directory)
{
	while (directory && --directory->users == 0) {
		struct directory *parent = directory->parent;
		free(directory);
		directory = parent;
	}
}

static void add(struct directory *list)
{
	while (list) {
		struct directory *next = list->next;
		list->next = stack;
		stack = list;
		list = next;
		waiting++;
	}
}

void pending_begin(struct directory *list)
{
	pthread_mutex_lock(&lock);
	add(list);
	pthread_mutex_unlock(&lock);
}

struct directory *pending_take(void)
{
	pthread_mutex_lock(&lock);
	while (!stack && taken_count > 0)
		pthread_cond_wait(&changed, &lock);
	struct directory *directory = stack;
	if (directory) {
		stack = directory->next;
		waiting--;
		taken_count++;
	}
	pthread_mutex_unlock(&lock);
	return directory;
}

size_t pending_give(struct directory *taken, struct directory *list)
{
	pthread_mutex_lock(&lock);
	add(list);
	directory_release(taken);
	taken_count--;
	size_t count = waiting;
	/* Those that wait have something to read now, or nothing ever. */
	if (list || taken_count == 0)
		pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return count;
}
