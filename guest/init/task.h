/*
 * Work that may wait for a disk, done in a child so that init does not: SYNC, MOUNT, UNMOUNT. The
 * request is answered when the child is done, or dead.
 */
#pragma once

#include <stdint.h>

/* Runs in the child. Answers 0 or an errno, and says in `what` what could not be done. */
typedef int task_function(char *what, unsigned size);

/* `finished` runs in init, before the answer is sent. */
void task_start(uint32_t request, task_function *function, void (*finished)(int error));

/* Answers none of those that are under way: who asked is gone. */
void tasks_forget(void);
