#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40

#define FOLDER (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* What is left of a path, on the way. */
struct walk {
	struct place *place;
	int flags;
	int links;
	char rest[PATH_MAX];
};

static const struct identity *agent;

void place_set_agent(const struct identity *identity)
{
	agent = geteuid() == 0 && identity->uid != 0 ? identity : NULL;
}

static bool is_of_agents_group(gid_t gid)
{
	for (size_t index = 0; index < agent->group_count; index++) {
		if (agent->groups[index] == gid)
			return true;
	}
	return agent->gid == gid;
}

bool place_is_kept(int folder)
{
	struct stat status;
	if (!agent)
		return true;
	if (fstat(folder, &status) < 0 || status.st_uid != 0)
		return false;
	/* In a sticky one, names can be added, but those of others not replaced. */
	bool is_shared = status.st_mode & S_IWOTH || (status.st_mode & S_IWGRP && is_of_agents_group(status.st_gid));
	return !is_shared || status.st_mode & S_ISVTX;
}

/* Takes over the descriptor. Answers 0 or an errno. */
static int enter(struct place *place, int folder)
{
	if (folder < 0)
		return errno;
	if (place->parent >= 0)
		close(place->parent);
	place->parent = folder;
	place->is_ours = place->is_ours && place_is_kept(folder);
	return 0;
}

static int enter_root(struct place *place)
{
	place->path[0] = 0;
	return enter(place, open("/", FOLDER));
}

static int append(struct place *place)
{
	size_t length = strlen(place->path);
	int added = snprintf(place->path + length, sizeof place->path - length, "/%s", place->name);
	return (size_t)added >= sizeof place->path - length ? ENAMETOOLONG : 0;
}

static int follow(struct walk *walk, const struct stat *status)
{
	struct place *place = walk->place;
	char target[PATH_MAX], rest[PATH_MAX];
	if (walk->links++ == LINKS_MAX || (agent && (!place->is_ours || status->st_uid != 0)))
		return ELOOP;
	ssize_t length = readlinkat(place->parent, place->name, target, sizeof target - 1);
	if (length < 0)
		return errno;
	target[length] = 0;
	if (snprintf(rest, sizeof rest, "%s/%s", target, walk->rest) >= (int)sizeof rest)
		return ENAMETOOLONG;
	strcpy(walk->rest, rest);
	return *target == '/' ? enter_root(place) : 0;
}

static int go_up(struct place *place)
{
	char *slash = strrchr(place->path, '/');
	if (slash)
		*slash = 0;
	return enter(place, openat(place->parent, "..", FOLDER));
}

/* Takes the first name off what is left. Answers whether there is one. */
static bool take_name(struct walk *walk, int *error)
{
	char *name = walk->rest + strspn(walk->rest, "/");
	size_t length = strcspn(name, "/");
	*error = length > NAME_MAX ? ENAMETOOLONG : 0;
	if (!length || *error)
		return false;
	memcpy(walk->place->name, name, length);
	walk->place->name[length] = 0;
	memmove(walk->rest, name + length, strlen(name + length) + 1);
	return true;
}

/* Sets `is_found` at the end. */
static int step(struct walk *walk, bool *is_found)
{
	struct place *place = walk->place;
	struct stat status;
	bool is_last = walk->rest[strspn(walk->rest, "/")] == 0;
	if (strcmp(place->name, ".") == 0)
		return 0;
	if (strcmp(place->name, "..") == 0)
		return go_up(place);
	if (!is_last && walk->flags & PLACE_MAKE_PARENTS && mkdirat(place->parent, place->name, 0755) < 0 && errno != EEXIST &&
	    errno != EROFS)
		return errno;
	int error = fstatat(place->parent, place->name, &status, AT_SYMLINK_NOFOLLOW) < 0 ? errno : 0;
	if (!error && S_ISLNK(status.st_mode) && (!is_last || walk->flags & PLACE_FOLLOW))
		return follow(walk, &status);
	*is_found = is_last;
	if (is_last)
		return error == ENOENT || !error ? append(place) : error;
	if (!error)
		error = append(place);
	return error ? error : enter(place, openat(place->parent, place->name, FOLDER));
}

int place_find(const char *path, int flags, struct place *place)
{
	struct walk walk = { .place = place, .flags = flags };
	*place = (struct place){ .parent = -1, .is_ours = true };
	bool is_found = false;
	int error = enter_root(place);
	if (snprintf(walk.rest, sizeof walk.rest, "%s", path) >= (int)sizeof walk.rest)
		error = ENAMETOOLONG;
	while (!error && !is_found) {
		/* A path that ends in a folder's "." or ".." names nothing in it. */
		if (take_name(&walk, &error))
			error = step(&walk, &is_found);
		else if (!error)
			error = EINVAL;
	}
	if (error)
		place_close(place);
	return error;
}

void place_close(struct place *place)
{
	if (place->parent >= 0)
		close(place->parent);
	place->parent = -1;
}

int place_open(const struct place *place)
{
	return openat(place->parent, place->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool place_is_there(const struct place *place)
{
	struct stat status;
	return fstatat(place->parent, place->name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

const char *place_error(int error)
{
	return error == ELOOP ? "a link is on the way that root did not make, or that the agent could replace" : strerror(error);
}
