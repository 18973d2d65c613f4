/* Connections of the relay to the bridge: relay.h. */
#pragma once

#include <arpa/inet.h>
#include <stdint.h>

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
