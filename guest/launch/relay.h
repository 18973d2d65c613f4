/*
 * The way out of a jail that has a network: a child of the launcher, outside of the jail, which takes what arrives
 * at the two sockets of redirect.h and hands it on to the bridge, each connection and each question by a connection
 * of its own. Decides nothing, and looks into nothing.
 */
#pragma once

#include <arpa/inet.h>
#include <stdint.h>
#include <sys/types.h>

#include "spec.h"

#define RELAY_KEY_LENGTH 36
/* The bridge's socket, in the folder that spec.relay names. */
#define RELAY_NAME "relay"

enum relay_kind { RELAY_STREAM = 's', RELAY_QUESTION = 'q' };

/* What a connection to the bridge begins with. */
struct relay_header {
	/* Which jail: spec.relay_key. */
	char key[RELAY_KEY_LENGTH];
	uint8_t kind;
	uint8_t unused;
	/* Where a stream was to go; in the byte order of the network. */
	in_port_t port;
	struct in_addr address;
};

/* A connection to the bridge, told what it is for; -1 when nobody is there. */
int relay_connect(const struct relay_header *header);

struct relay_parts {
	/* What `network_open` inside sends its sockets by, and `relay_start` takes them from. */
	int inside;
	int outside;
	/* The bridge's. */
	int folder;
};

/* Before the jail is made, and before anything is mounted over where the folder lies. */
struct relay_parts relay_prepare(const struct jail_spec *spec);

/*
 * Takes the sockets when they come, and starts the relay, which dies with this process. Answers its id, or -1
 * where the jail ends before.
 */
pid_t relay_start(const struct relay_parts *parts, const struct jail_spec *spec);

/* In the jail, by who may still change its network: sets it up, and sends its sockets. */
void network_open(int inside);

/* In the jail, behind its walls: whether the bridge answers, by the way that all of its connections take. Fails otherwise. */
void network_test(void);
