/* What the first process of a jail without namespaces does, up to being the agent and as it. */
#pragma once

#include "enter-jail.h"

/* `root` is where it is to live, opened and found to be its id's. */
_Noreturn void enter_alone(const struct jail *jail, int root);
