/* From an exec request to a running program: descriptors, fork, identity, execve; or to a connection. */
#pragma once

#include <sys/types.h>

#include "exec-request.h"
#include "protocol.h"

enum spawn_step {
	SPAWN_JOIN_GROUP,
	SPAWN_CHANGE_ROOT,
	SPAWN_YIELD_MEMORY,
	SPAWN_BECOME_USER,
	SPAWN_CHANGE_DIRECTORY,
	SPAWN_ARGUMENTS,
	SPAWN_EXECUTE,
	SPAWN_CONNECT,
};

/* What the child writes to the report pipe; nothing means that the program runs. */
struct spawn_failure {
	int error;
	enum spawn_step step;
};

/* The descriptors that a child takes: its standard files and, with EXEC_STATUS, the status pipe. */
#define CHILD_FILES 4

struct spawn_files {
	/* Ours: non-blocking, -1 where there is none. With a terminal, input is a duplicate of output. */
	int input, output, errors, status, report;
	/* The child's, by the descriptors that it takes them as, and its end of the report pipe. */
	int child_files[CHILD_FILES], child_report;
};

/* Answers 0, or an errno with nothing left open. */
int spawn_files_open(struct spawn_files *files, const struct exec_request *request);
void spawn_files_close_child_side(struct spawn_files *files);
void spawn_files_close(struct spawn_files *files);

/*
 * Forks a leader of a new session. Answers its pid, or -1 with errno. Fork, not vfork: the child
 * reads the password file of its root, which may sit on a slow disk, and init waits for no disk.
 */
pid_t spawn(const struct exec_request *request, const struct spawn_files *files);

const char *spawn_step_text(enum spawn_step step);
enum start_subject spawn_step_subject(enum spawn_step step);
