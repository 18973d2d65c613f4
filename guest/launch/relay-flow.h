/* One TCP connection of a jail, and the connection to the bridge that it goes on by. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#define FLOW_BUFFER 32768

struct flow_way {
	size_t first;
	size_t last;
	/* Nothing more comes. */
	bool has_ended;
	/* And the other side knows. */
	bool is_shut;
	unsigned char bytes[FLOW_BUFFER];
};

struct flow {
	int jail;
	int bridge;
	struct flow_way out;
	struct flow_way in;
};

/* Goes on with a connection that was accepted; false, and the connection is reset, when the bridge takes none. */
bool flow_begin(struct flow *flow, int jail, const char *key);
/* What to wait for: of the jail, and of the bridge. */
void flow_watch(const struct flow *flow, struct pollfd waits[2]);
/* Moves what can be moved. False when the connection has ended, and is closed. */
bool flow_move(struct flow *flow, const struct pollfd waits[2]);
