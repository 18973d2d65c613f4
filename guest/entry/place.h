/* Paths that an agent may have had its hands in, walked so that no link of its making is followed. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "../init/identity.h"

/* A name in a folder that is held open, so that what is done there is done there, whatever becomes of the path. */
struct place {
	/* O_PATH; closed by place_close. */
	int parent;
	char name[NAME_MAX + 1];
	/* Without links, for messages and for programs that want a path. */
	char path[PATH_MAX];
	/* No folder down to `parent` can be changed by the agent. */
	bool is_ours;
};

/* What `place_find` does at a name that is not there, or at a link at the end. */
enum {
	PLACE_FOLLOW = 1,
	PLACE_MAKE_PARENTS = 2,
};

/* Whom folders are kept from. Where this process is that user, or not root, links lead it nowhere it could not go. */
void place_set_agent(const struct identity *agent);
/*
 * Walks from the root. A link is followed where root made it and the agent could not have replaced it; any other
 * is ELOOP. What the name stands for may be missing. Answers 0 or an errno; then nothing is open.
 */
int place_find(const char *path, int flags, struct place *place);
void place_close(struct place *place);
/* Opens the folder that a place names, to read it; no link. Answers a descriptor or -1. */
int place_open(const struct place *place);
/* Whether something has that name: a link counts, wherever it leads. */
bool place_is_there(const struct place *place);
/* Whether the agent cannot change what an open folder has. */
bool place_is_kept(int folder);
/* An errno of `place_find` in words. */
const char *place_error(int error);
