/*
 * Programs of the container that prepare it. They are looked for in the folders of a fixed PATH that are root's alone, and not
 * where the container's PATH leads, which an agent may have written to; no library is loaded from there either.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../init/identity.h"

/* Instead of an exit code: it took too long, or the end of the container was asked for. */
#define TOOL_TIMED_OUT -1
#define TOOL_ENDED -2
/* Exit code, as of shells. */
#define TOOL_NOT_FOUND 127

struct tool {
	const char *const *arguments;
	/* Who runs it; NULL for this user. */
	const struct identity *user;
	/* Changes its environment, in its process. NULL: it has this one's. */
	void (*set_environment)(const void *context);
	const void *context;
	/* Where its output goes: into `output`, cut at `size` and without its last line feed, or, without one, to `fd`. */
	char *output;
	size_t size;
	int fd;
};

/* Starts it in a process group of its own, with no input. It ends with this process. Answers its id, or -1. */
pid_t tool_start(const struct tool *tool);
/* Runs it to its end, with all of its group. Answers its exit code (128 + signal), or one of the above. */
int tool_run(const struct tool *tool, int64_t deadline_ns);
