#include "settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

#define PATH_TEXT_MAX 1024
#define NAME_TEXT_MAX 64
#define REFERENCE_TEXT_MAX 200
#define SECONDS_MAX 86400

/* An empty variable is one that is not set, as in a pod whose value is left out. */
static const char *text(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

/* Letters and digits of ASCII, and what else is named. */
static bool consists_of(const char *value, const char *others)
{
	for (; *value; value++) {
		if (!isalnum((unsigned char)*value) && !strchr(others, *value))
			return false;
	}
	return true;
}

/* Colons, commas and backslashes mean something in the options of a mount. */
static const char *path(const char *name, const char *otherwise)
{
	const char *value = text(name);
	if (!value)
		return otherwise;
	size_t length = strlen(value);
	bool is_plain = value[0] == '/' && length > 1 && length <= PATH_TEXT_MAX && value[length - 1] != '/';
	if (!is_plain || strstr(value, "//") || strstr(value, "/../") || strpbrk(value, ",:\\\n\r\"") ||
	    (length >= 3 && strcmp(value + length - 3, "/..") == 0))
		fail("%s is \"%s\": it has to be an absolute path, without \"..\", \",\", \":\" and a "
		     "slash at its end",
		     name, value);
	return value;
}

static int seconds(const char *name, int otherwise)
{
	const char *value = text(name);
	if (!value)
		return otherwise * 1000;
	char *rest;
	long number = strtol(value, &rest, 10);
	if (*rest || number < 1 || number > SECONDS_MAX)
		fail("%s is \"%s\": it has to be a number of seconds from 1 to %d", name, value, SECONDS_MAX);
	return (int)number * 1000;
}

static const char *session_id(void)
{
	const char *value = text("SESSION_ID");
	if (value && (strlen(value) > NAME_TEXT_MAX || *value == '.' || !consists_of(value, "._-")))
		fail("SESSION_ID is \"%s\": it has to be at most %d letters, digits, \".\", \"_\" and \"-\"", value,
		     NAME_TEXT_MAX);
	return value;
}

static const char *commit(void)
{
	const char *value = text("WORKSPACE_COMMIT");
	if (value && (strlen(value) > REFERENCE_TEXT_MAX || *value == '-' || !consists_of(value, "._-/+") || strstr(value, "..")))
		fail("WORKSPACE_COMMIT is \"%s\": it has to be a whole commit id, a branch or a tag", value);
	return value;
}

/* What is in the URL would be in the workspace's .git/config, for the agent to read. */
static void refuse_password(const char *repository, const char *protocol)
{
	const char *authority = strstr(repository, "://") + 3;
	size_t length = strcspn(authority, "/?#");
	const char *at = memchr(authority, '@', length);
	if (at && (strcmp(protocol, "ssh") != 0 || memchr(authority, ':', (size_t)(at - authority))))
		fail("WORKSPACE_REPOSITORY has a password or a token in it, which the agent could read in .git/config: "
		     "put \"user:password\" into a file that only root may read, and name it in WORKSPACE_CREDENTIALS");
}

static void repository(struct settings *settings)
{
	static const char *const protocols[] = { "https", "http", "ssh" };
	const char *value = text("WORKSPACE_REPOSITORY");
	if (!value)
		return;
	settings->repository = value;
	for (const char *at = value; *at; at++) {
		if (iscntrl((unsigned char)*at))
			fail("WORKSPACE_REPOSITORY has a control character in it");
	}
	if (*value == '/') {
		settings->protocol = "file";
		return;
	}
	for (size_t index = 0; index < sizeof protocols / sizeof *protocols; index++) {
		size_t length = strlen(protocols[index]);
		if (strncmp(value, protocols[index], length) == 0 && strncmp(value + length, "://", 3) == 0)
			settings->protocol = protocols[index];
	}
	if (!settings->protocol)
		fail("WORKSPACE_REPOSITORY is \"%s\": it has to be a URL of https, http or ssh, or an absolute path", value);
	refuse_password(value, settings->protocol);
}

static bool docker(void)
{
	const char *value = text("DOCKER");
	if (!value || strcmp(value, "off") == 0)
		return false;
	if (strcmp(value, "auto") != 0)
		fail("DOCKER is \"%s\": it has to be auto or off", value);
	return true;
}

struct settings settings_read(void)
{
	struct settings settings = {
		.user = text("SESSION_USER"),
		.home_template = path("HOME_TEMPLATE", NULL),
		.workspace = path("WORKSPACE_PATH", "/workspace"),
		.has_workspace = text("WORKSPACE_PATH") != NULL,
		.credentials = path("WORKSPACE_CREDENTIALS", NULL),
		.commit = commit(),
		.session = session_id(),
		.data = path("DATA_PATH", "/var/lib/coppice-init"),
		.docker = docker(),
		.clone_timeout_ms = seconds("WORKSPACE_TIMEOUT", 600),
		.docker_timeout_ms = seconds("DOCKER_TIMEOUT", 30),
		/* Less than the ten seconds that Docker and podman wait by default. */
		.shutdown_timeout_ms = seconds("SHUTDOWN_TIMEOUT", 8),
	};
	repository(&settings);
	if (settings.credentials && (!settings.repository || strncmp(settings.protocol, "http", 4) != 0))
		fail("WORKSPACE_CREDENTIALS is set, and WORKSPACE_REPOSITORY is no URL of https or http");
	if (settings.commit && !settings.repository)
		fail("WORKSPACE_COMMIT is set without WORKSPACE_REPOSITORY: say of which repository it is");
	return settings;
}
