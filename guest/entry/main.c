/* coppice-init: the entrypoint of an ordinary container. Prepares it as its environment says, and runs an agent. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../init/host.h"
#include "agent.h"
#include "docker.h"
#include "home-template.h"
#include "path.h"
#include "place.h"
#include "session-layer.h"
#include "session-user.h"
#include "settings.h"
#include "signals.h"
#include "workspace.h"

#define EXIT_USAGE 2

static const char usage[] =
	"usage: coppice-init [--] PROGRAM [ARGUMENT...]\n"
	"\n"
	"The entrypoint of a container: prepares a home and a workspace, gives up root and all capabilities, runs the\n"
	"program, passes signals on and collects orphans. Settings are variables:\n"
	"\n"
	"  SESSION_USER          who runs the program, a name or an id (user)\n"
	"  HOME_TEMPLATE         folder that a new home is a copy of (/etc/skel)\n"
	"  WORKSPACE_PATH        where the program works (/workspace)\n"
	"  WORKSPACE_REPOSITORY  URL or path of a git repository to begin it with\n"
	"  WORKSPACE_CREDENTIALS file with user:password for it\n"
	"  WORKSPACE_COMMIT      commit, branch or tag of it\n"
	"  WORKSPACE_TIMEOUT     seconds for the clone (600)\n"
	"  SESSION_ID            keeps changes to home and workspace apart under this name\n"
	"  DATA_PATH             folder for sessions and for Docker's data (/var/lib/coppice-init)\n"
	"  DOCKER                auto starts dockerd where there is one (off)\n"
	"  DOCKER_TIMEOUT        seconds for it to listen (30)\n"
	"  SHUTDOWN_TIMEOUT      seconds from SIGTERM to SIGKILL (8)\n";

/* Without the program's own words, answers where the agent's begin. */
static char **agent_words(int count, char **words)
{
	if (count > 1 && strcmp(words[1], "--help") == 0) {
		fputs(usage, stdout);
		return NULL;
	}
	bool has_mark = count > 1 && strcmp(words[1], "--") == 0;
	return words + (has_mark ? 2 : 1);
}

/* The folder that the container was given, and the workspace where that is nothing but the root. */
static const char *choose_directory(const struct settings *settings, const char *given)
{
	struct stat status;
	bool is_root = strcmp(given, "/") == 0;
	return is_root && stat(settings->workspace, &status) == 0 && S_ISDIR(status.st_mode) ? settings->workspace : given;
}

/* Of home and workspace, one may be in the other: then the outer has all. */
static bool is_outer(const char *path, const char *other)
{
	return !path_is_inside(path, other) || strcmp(path, other) == 0;
}

/* The same at each start, in this container or a new one: a session that has its copies goes on from them. */
static void prepare(const struct settings *settings, const struct identity *user)
{
	bool covers_workspace = settings->session && (!has_home(user) || is_outer(settings->workspace, user->home));
	bool covers_home = settings->session && has_home(user) && !path_is_inside(user->home, settings->workspace);
	session_restore(settings, settings->workspace);
	if (has_home(user))
		session_restore(settings, user->home);
	if (settings->session)
		session_open(settings);
	home_begin(settings, user);
	workspace_begin(settings, user, settings->session && session_has(covers_workspace ? "workspace" : "home"));
	if (covers_workspace)
		session_cover(settings, "workspace", settings->workspace);
	if (covers_home)
		session_cover(settings, "home", user->home);
	if (settings->docker)
		docker_begin(settings, user);
}

int main(int count, char **words)
{
	char given[PATH_MAX];
	char **agent = agent_words(count, words);
	if (!agent)
		return 0;
	if (!*agent || (agent == words + 1 && **agent == '-')) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	/* Before anything is moved or mounted there. */
	if (!getcwd(given, sizeof given))
		strcpy(given, "/");
	host.is_pid1 = getpid() == 1;
	if (!host.is_pid1)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	signals_block();
	struct settings settings = settings_read();
	struct identity user = session_user_find(settings.user);
	place_set_agent(&user);
	prepare(&settings, &user);
	int code = 128 + signals_end();
	if (!signals_end())
		code = agent_supervise(agent_start(agent, &user, choose_directory(&settings, given)), settings.shutdown_timeout_ms);
	return code;
}
