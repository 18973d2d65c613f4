/* Looks at the walls of a jail without namespaces from inside, before anything runs behind them. */
#pragma once

#include "spec.h"

/* What was taken along from outside, to try whether it is of any use. */
struct outsiders {
	/* See looks.h. */
	int listener;
	/* The host's root directory, as O_PATH. */
	int root;
};

/* Fails, and with it the start, naming the wall that does not stand. Closes the outsiders. */
void self_test_alone(const struct jail_spec *spec, const struct outsiders *outsiders);
