/* What the environment asks for. docs/reference/container-entrypoint.md has the table. */
#pragma once

#include <stdbool.h>

struct settings {
	/* SESSION_USER, or NULL. */
	const char *user;
	/* HOME_TEMPLATE, or NULL. */
	const char *home_template;
	/* WORKSPACE_PATH, and whether it was set. */
	const char *workspace;
	bool has_workspace;
	/* WORKSPACE_REPOSITORY, and the one protocol of git that it needs; or NULL. */
	const char *repository;
	const char *protocol;
	/* WORKSPACE_CREDENTIALS, or NULL. */
	const char *credentials;
	/* WORKSPACE_COMMIT, or NULL. */
	const char *commit;
	/* SESSION_ID, or NULL. */
	const char *session;
	/* DATA_PATH: sessions and Docker's data are below it. */
	const char *data;
	/* DOCKER=auto */
	bool docker;
	int clone_timeout_ms;
	int docker_timeout_ms;
	int shutdown_timeout_ms;
};

/* Reads and checks all of them; ends the program at one that is wrong, before anything was changed. */
struct settings settings_read(void);
