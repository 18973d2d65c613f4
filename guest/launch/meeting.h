/*
 * Where a bridge that was started again finds a jail that outlived the one before: two sockets in a
 * folder of the bridge's, which only its user may enter. They listen from before the jail is made,
 * and nothing inside has a way to them.
 */
#pragma once

struct meeting {
	/* Listening sockets: for the agent's byte stream, and for custody.h. */
	int agent;
	int custody;
};

/* Makes `agent` and `custody` in `folder`. */
struct meeting meeting_open(const char *folder);
/* Whoever comes next and has our user: its descriptor, or -1. */
int meeting_accept(int listener);
