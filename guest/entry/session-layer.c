#include "session-layer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../init/host.h"
#include "copy-tree.h"
#include "data-folder.h"
#include "entries.h"
#include "path.h"
#include "place.h"
#include "report.h"

/* Beside a path that is a link to a copy: the folder that was there. */
#define BASE ".coppice-base"
/*
 * The folder with a session's copies: this and a number that cannot be guessed. All agents are one user, who may pass
 * through it, as a link leads there, but not list the one above.
 */
#define COPIES "copies."
#define NUMBER_BYTES 16

/* That folder. */
static int copies = -1;
static char copies_path[PATH_MAX];

/*
 * Held until the descriptor is closed, which is -1 where it was not taken. Answers an errno; EWOULDBLOCK where somebody
 * else holds it.
 */
static int lock_folder(struct named folder, int *fd)
{
	*fd = openat(folder.folder, folder.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*fd < 0)
		return errno;
	int error = flock(*fd, LOCK_EX | LOCK_NB) < 0 ? errno : 0;
	if (error) {
		close(*fd);
		*fd = -1;
	}
	return error;
}

/* A link of ours, of which the folder that was there is gone. */
static void remove_link(const struct settings *settings, const struct place *place)
{
	char target[PATH_MAX], sessions[PATH_MAX];
	struct place data;
	ssize_t length = readlinkat(place->parent, place->name, target, sizeof target - 1);
	if (length < 0 || place_find(settings->data, PLACE_FOLLOW, &data) != 0)
		return;
	target[length] = 0;
	path_write(sessions, "%s/sessions", data.path);
	if (path_is_inside(target, sessions))
		unlinkat(place->parent, place->name, 0);
	place_close(&data);
}

/* Answers an errno. */
static int move_back(const struct place *place, const char *base)
{
	struct stat status;
	const struct named here = { place->parent, place->name }, aside = { place->parent, base };
	int fd = -1;
	/* Nothing else was ever ours: a file or a link of that name is the agent's. */
	if (fstatat(place->parent, base, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(status.st_mode))
		return remove_tree(aside);
	int error = lock_folder(aside, &fd);
	/* The link, or what was left of a folder that was being deleted when its copy was complete. */
	if (!error)
		error = remove_tree(here);
	if (!error && renameat(place->parent, base, place->parent, place->name) < 0)
		error = errno;
	if (fd >= 0)
		close(fd);
	return error;
}

static void base_name(const struct place *place, char *base)
{
	if (snprintf(base, NAME_MAX + 1, "%s%s", place->name, BASE) > NAME_MAX)
		fail("The name of %s is too long for a session", place->path);
}

void session_restore(const struct settings *settings, const char *path)
{
	struct place place;
	struct stat status;
	char base[NAME_MAX + 1];
	/* What cannot be found is not used either: whoever needs it says so. */
	if (place_find(path, 0, &place) != 0)
		return;
	base_name(&place, base);
	bool has_base = fstatat(place.parent, base, &status, AT_SYMLINK_NOFOLLOW) == 0;
	int error = has_base ? move_back(&place, base) : 0;
	if (error == EWOULDBLOCK)
		fail("A session has a copy at %s in this container, and runs: start programs in it directly, without coppice-init",
		     path);
	if (error)
		fail("Cannot move %s%s back to %s: %s; remove one of them", path, BASE, path, strerror(error));
	remove_link(settings, &place);
	place_close(&place);
}

/* Beside others, as with an init of the container's own, mounts are this program's and its children's, and end with them. */
static void keep_mounts_to_ourselves(void)
{
	if (unshare(CLONE_NEWNS) == 0)
		mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL);
}

/* The one that is there, or a new name. Answers an errno. */
static int find_copies(int session, char *name)
{
	uint8_t number[NUMBER_BYTES];
	int error = 0;
	DIR *entries = list_folder(session);
	if (!entries)
		return errno;
	struct dirent *entry;
	*name = 0;
	while (!*name && (entry = next_entry(entries, &error))) {
		if (strncmp(entry->d_name, COPIES, strlen(COPIES)) == 0)
			strcpy(name, entry->d_name);
	}
	closedir(entries);
	if (*name || error)
		return error;
	if (getrandom(number, sizeof number, 0) != sizeof number)
		return EIO;
	name += sprintf(name, "%s", COPIES);
	for (size_t index = 0; index < sizeof number; index++)
		name += sprintf(name, "%02x", number[index]);
	return 0;
}

/* Answers an errno. The lock is held until this program ends. */
static int open_copies_in(int sessions, const char *id, const char *path)
{
	char name[NAME_MAX + 1];
	int session = data_open_folder(sessions, id), locked;
	int error = session < 0 ? errno : lock_folder((struct named){ sessions, id }, &locked);
	if (!error)
		error = find_copies(session, name);
	if (!error) {
		copies = data_open_folder(session, name);
		error = copies < 0 ? errno : 0;
		path_write(copies_path, "%s/sessions/%s/%s", path, id, name);
	}
	if (session >= 0)
		close(session);
	return error;
}

static int open_copies(const struct settings *settings)
{
	char path[PATH_MAX];
	int data = data_open(settings->data, path);
	int sessions = data < 0 ? -1 : data_open_folder(data, "sessions");
	int error = sessions < 0 ? errno : open_copies_in(sessions, settings->session, path);
	if (sessions >= 0)
		close(sessions);
	if (data >= 0)
		close(data);
	return error;
}

void session_open(const struct settings *settings)
{
	if (!host.is_pid1)
		keep_mounts_to_ourselves();
	int error = open_copies(settings);
	if (error == EWOULDBLOCK)
		fail("The session \"%s\" (SESSION_ID) is in use by another container with this DATA_PATH: end that one, or name "
		     "another session",
		     settings->session);
	if (error == EPERM)
		fail("DATA_PATH (%s), a folder above it or one for sessions in it can be changed by the agent's user: set it to one "
		     "that is root's alone",
		     settings->data);
	if (error)
		fail("Cannot make %s/sessions/%s: %s; set DATA_PATH to a folder on a volume that this user may write to", settings->data,
		     settings->session, place_error(error));
}

bool session_has(const char *name)
{
	struct stat status;
	return fstatat(copies, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A folder of an image's layer, which overlays do not rename. Complete under its new name before the old one goes. */
static int copy_aside(struct named path, struct named base)
{
	char name[NAME_MAX + 8];
	int fd;
	snprintf(name, sizeof name, "%s.new", base.name);
	const struct named staging = { base.folder, name };
	int error = remove_tree(staging);
	if (!error)
		error = copy_tree(path, staging, NULL);
	if (!error)
		error = move_into_place(staging, base);
	if (!error)
		error = lock_folder(base, &fd);
	return error ? error : remove_tree(path);
}

static void link_copy(const struct place *place, const char *name)
{
	char base[NAME_MAX + 1], copy[PATH_MAX];
	int fd;
	base_name(place, base);
	path_write(copy, "%s/%s", copies_path, name);
	const struct named here = { place->parent, place->name }, aside = { place->parent, base };
	int error = lock_folder(here, &fd);
	if (!error && renameat(place->parent, place->name, place->parent, base) < 0)
		error = errno;
	if (error == EXDEV)
		error = copy_aside(here, aside);
	/* Ended before the link: the next start moves it back, once this program no longer has the lock. */
	if (!error && symlinkat(copy, place->parent, place->name) < 0)
		error = errno;
	if (error)
		fail("Cannot put the session's copy at %s: %s; a volume cannot be moved aside: mount it at another path, or allow the "
		     "container to mount (SYS_ADMIN)",
		     place->path, strerror(error));
}

/* Answers an errno. */
static int mount_copy(const struct place *place, const char *name)
{
	int tree = (int)syscall(SYS_open_tree, copies, name, OPEN_TREE_CLONE | O_CLOEXEC | AT_SYMLINK_NOFOLLOW);
	if (tree < 0)
		return errno;
	int error = syscall(SYS_move_mount, tree, "", place->parent, place->name, MOVE_MOUNT_F_EMPTY_PATH) < 0 ? errno : 0;
	close(tree);
	return error;
}

static void make_copy(const struct place *place, const char *name)
{
	char staging_name[NAME_MAX + 1];
	snprintf(staging_name, sizeof staging_name, "%s.new", name);
	const struct named staging = { copies, staging_name };
	int error = remove_tree(staging);
	if (!error)
		error = copy_tree((struct named){ place->parent, place->name }, staging, NULL);
	if (!error)
		error = move_into_place(staging, (struct named){ copies, name });
	if (error)
		fail("Cannot copy %s for the session to %s/%s: %s", place->path, copies_path, name, strerror(error));
}

void session_cover(const struct settings *settings, const char *name, const char *given)
{
	struct place place;
	struct stat status;
	int error = place_find(given, PLACE_FOLLOW, &place);
	if (!error && fstatat(place.parent, place.name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		error = errno;
	if (!error && !S_ISDIR(status.st_mode))
		error = ENOTDIR;
	if (error)
		fail("Cannot use %s for SESSION_ID: %s", given, place_error(error));
	if (path_is_inside(copies_path, place.path))
		fail("DATA_PATH (%s) is inside of %s, which the session covers: set it to a folder elsewhere", settings->data,
		     place.path);
	if (!session_has(name))
		make_copy(&place, name);
	error = mount_copy(&place, name);
	if (error) {
		note("%s is a link to a copy for the session \"%s\", as nothing can be mounted: %s", place.path, settings->session,
		     strerror(error));
		link_copy(&place, name);
	}
	place_close(&place);
}
