/* What the relay does: relay.h. */
#pragma once

#define RELAY_FLOWS_MAX 1024

struct relay {
	/* Listens in the jail's network. */
	int streams;
	/* UDP, likewise. */
	int questions;
	const char *key;
	/* Connections at a time; more wait. */
	unsigned flow_max;
};

_Noreturn void relay_run(const struct relay *relay);
