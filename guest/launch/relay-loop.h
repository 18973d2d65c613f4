/* What the relay does: relay.h. */
#pragma once

#define RELAY_FLOWS_MAX 1024
#define RELAY_RATE_MAX 100000

struct relay {
	/* Listens in the jail's network. */
	int streams;
	/* UDP, likewise. */
	int questions;
	const char *key;
	/* Connections at a time; more wait. */
	unsigned flow_max;
	/* Connections and questions that begin in a second; as many as flow_max do in one go after a pause. */
	unsigned per_second;
};

_Noreturn void relay_run(const struct relay *relay);
