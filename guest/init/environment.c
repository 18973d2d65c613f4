#include "environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USER_PATH "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
#define ROOT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

const char *environment_get(const char **environment, const char *name)
{
	size_t length = strlen(name);
	for (; *environment; environment++) {
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	}
	return NULL;
}

static bool add(const char **environment, const char *name, const char *value)
{
	if (!value || environment_get(environment, name))
		return true;
	size_t count = 0;
	while (environment[count])
		count++;
	char *entry;
	if (count + 2 > EXEC_TEXTS_MAX || asprintf(&entry, "%s=%s", name, value) < 0)
		return false;
	environment[count] = entry;
	environment[count + 1] = NULL;
	return true;
}

bool environment_complete(const struct exec_request *request, const struct identity *identity)
{
	const char **environment = request->environment;
	bool root = identity && identity->uid == 0;
	const char *terminal = request->flags & EXEC_PTY ? "xterm-256color" : "dumb";
	return add(environment, "HOME", identity ? identity->home : getenv("HOME")) &&
	       add(environment, "USER", identity ? identity->name : getenv("USER")) &&
	       add(environment, "LOGNAME", identity ? identity->name : getenv("LOGNAME")) &&
	       add(environment, "SHELL", identity ? identity->shell : getenv("SHELL")) &&
	       add(environment, "PATH", root ? ROOT_PATH : USER_PATH) &&
	       /* Of Debian's libc-bin; without its file, and in musl, programs take it for C. */
	       add(environment, "LANG", "C.UTF-8") &&
	       add(environment, "TERM", terminal);
}
