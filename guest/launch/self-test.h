/* Looks at the walls from inside, before anything runs behind them. */
#pragma once

#include "spec.h"

/* Fails, and with it the start, naming the wall that does not stand. Closes what leave_outsider() left. */
void self_test(const struct jail_spec *spec, int outsider);
