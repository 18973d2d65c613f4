#include "workspace.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../init/loop.h"
#include "copy-tree.h"
#include "credentials.h"
#include "entries.h"
#include "path.h"
#include "place.h"
#include "report.h"
#include "signals.h"
#include "tool.h"

#define ARGUMENTS_MAX 32
/* SHA-1 and SHA-256. */
#define ID_LENGTH 40
#define LONG_ID_LENGTH 64

/* A clone on its way. */
struct clone {
	const struct settings *settings;
	const struct identity *user;
	struct place place;
	/* Beside its place: the name, and the path for git, which goes there as the agent's user. */
	char name[NAME_MAX + 16];
	char staging[PATH_MAX + 16];
	int64_t deadline;
};

static struct named staging_of(const struct clone *clone)
{
	return (struct named){ clone->place.parent, clone->name };
}

/* Ends the program, and leaves nothing of the clone. */
static _Noreturn void give_up(const struct clone *clone, const char *why)
{
	const struct settings *settings = clone->settings;
	int error = remove_tree(staging_of(clone));
	if (error)
		note("cannot delete %s: %s", clone->staging, strerror(error));
	if (signals_end()) {
		note("ended while WORKSPACE_REPOSITORY was being cloned");
		_exit(128 + signals_end());
	}
	fail("Cannot clone WORKSPACE_REPOSITORY (%s) to %s: %s", settings->repository, settings->workspace, why);
}

/*
 * Nothing of a repository is run: no hooks (an empty template, and no other place for them), no submodules, no
 * transport but the one that was asked for, and no filter that fetches from where the repository says.
 */
static void set_environment(const void *context)
{
	const struct clone *clone = context;
	static const char *const removed[] = { "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_TEMPLATE_DIR",
					       "GIT_CONFIG_COUNT" };
	for (size_t index = 0; index < sizeof removed / sizeof *removed; index++)
		unsetenv(removed[index]);
	setenv("HOME", clone->user->home, 1);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	setenv("GIT_ALLOW_PROTOCOL", clone->settings->protocol, 1);
	setenv("GIT_TERMINAL_PROMPT", "0", 1);
	setenv("GIT_LFS_SKIP_SMUDGE", "1", 1);
	setenv("GIT_SSH_COMMAND", "ssh -oBatchMode=yes", 0);
	credentials_give(clone->settings->repository);
}

static int run_git(const struct clone *clone, const char *const *arguments, char *output, size_t size)
{
	static const char *const always[] = { "git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c",
					      "submodule.recurse=false", "-c", "advice.detachedHead=false",
					      /* Nothing goes on beside the agent, with what this process knows. */
					      "-c", "gc.auto=0", "-c", "maintenance.auto=false" };
	/* The server that is led to would get the password, as git goes on there. */
	static const char *const with_password[] = { "-c", "http.followRedirects=false" };
	const char *all[ARGUMENTS_MAX] = { 0 };
	size_t count = sizeof always / sizeof *always;
	memcpy(all, always, sizeof always);
	if (clone->settings->credentials) {
		memcpy(all + count, with_password, sizeof with_password);
		count += sizeof with_password / sizeof *with_password;
	}
	while (*arguments && count + 1 < ARGUMENTS_MAX)
		all[count++] = *arguments++;
	struct tool tool = { .arguments = all,	.user = clone->user, .set_environment = set_environment, .context = clone,
			     .output = output,	.size = size,	     .fd = STDERR_FILENO };
	return tool_run(&tool, clone->deadline);
}

static void git(const struct clone *clone, const char *what, const char *const *arguments)
{
	int code = run_git(clone, arguments, NULL, 0);
	if (code == TOOL_NOT_FOUND)
		give_up(clone, "there is no git in this container; install it");
	if (code == TOOL_TIMED_OUT)
		give_up(clone, "it takes longer than WORKSPACE_TIMEOUT allows");
	if (code != 0)
		give_up(clone, what);
}

static bool is_id(const char *text)
{
	size_t length = strlen(text);
	for (size_t index = 0; index < length; index++) {
		if (!isxdigit((unsigned char)text[index]))
			return false;
	}
	return length == ID_LENGTH || length == LONG_ID_LENGTH;
}

static bool has_reference(const struct clone *clone, const char *below, const char *name)
{
	char reference[PATH_MAX];
	path_write(reference, "%s/%s", below, name);
	const char *const arguments[] = { "-C", clone->staging, "show-ref", "--verify", "--quiet", reference, NULL };
	return run_git(clone, arguments, NULL, 0) == 0;
}

static void take_commit(const struct clone *clone, const char *commit)
{
	char object[NAME_MAX], found[LONG_ID_LENGTH + 8];
	snprintf(object, sizeof object, "%s^{commit}", commit);
	/* The beginning of an id could be that of another commit tomorrow. */
	if (!is_id(commit) && !has_reference(clone, "refs/remotes/origin", commit) && !has_reference(clone, "refs/tags", commit))
		give_up(clone, "WORKSPACE_COMMIT is no whole commit id, and no branch or tag of it");
	/* One that no branch leads to; servers may refuse it. */
	if (is_id(commit) && run_git(clone, (const char *[]){ "-C", clone->staging, "cat-file", "-e", object, NULL }, NULL, 0) != 0)
		git(clone, "the commit of WORKSPACE_COMMIT is not in it",
		    (const char *[]){ "-C", clone->staging, "fetch", "--quiet", "--no-tags", "origin", commit, NULL });
	git(clone, "WORKSPACE_COMMIT is no commit, branch or tag of it",
	    (const char *[]){ "-C", clone->staging, "checkout", "--quiet", commit, "--", NULL });
	int code = run_git(clone, (const char *[]){ "-C", clone->staging, "rev-parse", "--verify", "HEAD", NULL }, found,
			   sizeof found);
	if (code != 0 || (is_id(commit) && strcasecmp(found, commit) != 0))
		give_up(clone, "what was checked out is not WORKSPACE_COMMIT");
}

static void clone_repository(const struct clone *clone)
{
	const struct settings *settings = clone->settings;
	const char *arguments[ARGUMENTS_MAX] = { "clone", "--quiet", "--template=", "--no-recurse-submodules" };
	size_t count = 4;
	if (settings->commit)
		arguments[count++] = "--no-checkout";
	/* Shares no files with it. The path was given by who runs the container, whoever owns it. */
	if (*settings->repository == '/') {
		arguments[count++] = "--no-local";
		arguments[count++] = "--upload-pack";
		arguments[count++] = "git -c 'safe.directory=*' upload-pack";
	}
	arguments[count++] = "--";
	arguments[count++] = settings->repository;
	arguments[count] = clone->staging;
	git(clone,
	    settings->credentials ? "git failed, see above; with WORKSPACE_CREDENTIALS no redirect is followed: set the URL "
				    "that it leads to" :
				    "git failed, see above",
	    arguments);
	if (settings->commit)
		take_commit(clone, settings->commit);
}

static int give(const struct clone *clone)
{
	int fd = openat(clone->place.parent, clone->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int error = fd < 0 || (geteuid() == 0 && fchown(fd, clone->user->uid, clone->user->gid) < 0) ? errno : 0;
	if (fd >= 0)
		close(fd);
	return error;
}

/* Beside its place, with the user as its owner. */
static void make_staging(struct clone *clone)
{
	const struct place *place = &clone->place;
	const char *slash = strrchr(place->path, '/');
	snprintf(clone->name, sizeof clone->name, ".%s.coppice-new", place->name);
	snprintf(clone->staging, sizeof clone->staging, "%.*s/%s", (int)(slash - place->path), place->path, clone->name);
	int error = remove_tree(staging_of(clone));
	if (!error && mkdirat(place->parent, clone->name, 0755) < 0)
		error = errno;
	if (!error)
		error = give(clone);
	if (error)
		fail("Cannot make a folder beside WORKSPACE_PATH (%s): %s; set it to one below a folder that this user may write to",
		     place->path, strerror(error));
}

/* An empty folder is none: images have one to mount a volume at. */
static bool is_present(const struct place *place)
{
	int fd = place_open(place), error = 0;
	if (fd < 0)
		return errno != ENOENT;
	DIR *entries = list_folder(fd);
	bool has_some = !entries || next_entry(entries, &error) || error;
	if (entries)
		closedir(entries);
	close(fd);
	return has_some;
}

static bool is_mount(const struct place *place)
{
	struct statx status;
	return statx(place->parent, place->name, AT_SYMLINK_NOFOLLOW, 0, &status) == 0 &&
	       status.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

static void clone_with_password(struct clone *clone)
{
	const struct settings *settings = clone->settings;
	clone->deadline = now_ns() + settings->clone_timeout_ms * 1000000ll;
	if (settings->credentials)
		credentials_read(settings->credentials);
	clone_repository(clone);
	credentials_forget();
}

static void begin_at(struct clone *clone, bool is_cloned)
{
	const struct place *place = &clone->place;
	if (is_present(place) || (!is_cloned && place_is_there(place)))
		return;
	if (is_mount(place))
		fail("WORKSPACE_PATH (%s) is an empty volume, into which a clone cannot be moved in one step: set WORKSPACE_PATH "
		     "to a folder in it, as %s/work",
		     place->path, place->path);
	make_staging(clone);
	if (is_cloned)
		clone_with_password(clone);
	int error = move_into_place(staging_of(clone), (struct named){ place->parent, place->name });
	if (error)
		give_up(clone, strerror(error));
}

void workspace_begin(const struct settings *settings, const struct identity *user, bool is_kept)
{
	struct clone clone = { .settings = settings, .user = user };
	if (!settings->repository && !settings->session && !settings->has_workspace)
		return;
	int error = place_find(settings->workspace, PLACE_FOLLOW, &clone.place);
	if (error)
		fail("Cannot use WORKSPACE_PATH (%s): %s; set it to one below a folder that this user may write to",
		     settings->workspace, place_error(error));
	begin_at(&clone, settings->repository && !is_kept);
	place_close(&clone.place);
}
