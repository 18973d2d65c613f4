/* How many watches inotify may have here. */
#pragma once

#include <stdint.h>

/* `most`, but not more than half of what the kernel has left for this user: the other half is for the user's other programs. */
uint32_t watch_limit(uint32_t most);
