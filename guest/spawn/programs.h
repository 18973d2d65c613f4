/* The programs that run. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* One more child is ours to wait for, if `programs_have_room()`. */
void programs_add(uint32_t id, pid_t pid);
int programs_have_room(void);

/* Sends a signal to a program that has not ended; what has is left alone. */
void programs_signal(uint32_t id, int signal);

/* Waits for whoever has ended, and tells the bridge. */
void programs_reap(void);
