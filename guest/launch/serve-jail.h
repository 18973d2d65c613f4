/* Being the agent of a jail: init, in walls that stand. */
#pragma once

#include <stdint.h>

/*
 * Serves CHANNEL, and the filter's questions on `questions`, as what `host` says that we are. When the
 * bridge is gone, waits `wait_ms` for another one to come to DOOR.
 */
_Noreturn void serve_jail(int questions, uint32_t wait_ms);
