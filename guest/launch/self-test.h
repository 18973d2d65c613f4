/* Looks at the walls from inside, before anything runs behind them. */
#pragma once

#include "spec.h"

/* An abstract socket that is there before any wall is, as those of strangers are. Closed by self_test(). */
int leave_outsider(void);
/* Fails, and with it the start, naming the wall that does not stand. */
void self_test(const struct jail_spec *spec, int outsider);
