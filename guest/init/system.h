/* Settings of a kernel that is this machine's own. Each answers 0 or an errno. */
#pragma once

#include <stdint.h>

/* Once, at start. Failures only cost comfort. */
void system_tune(void);

/* Lets init run before everything else, its children excepted: a fork bomb must not drown it. */
void system_take_precedence(void);

/* Nanoseconds since the Unix epoch. */
int system_set_clock(uint64_t epoch_ns);
/* Mixes in and credits up to 256 bytes, then reseeds, so that forks part at once (H-7). */
int system_add_entropy(const uint8_t *bytes, uint32_t count);
int system_set_host_name(const char *name);
/* Forgets clean pages, names and inodes: after RAM was put back onto files that have changed. */
int system_drop_caches(void);
