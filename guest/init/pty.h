/* Pseudo-terminals. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Opens a pair, both close-on-exec, the master non-blocking. Answers 0 or an errno. */
int pty_open(int *master, int *slave);
void pty_resize(int master, uint16_t columns, uint16_t rows);
/* The process group in the foreground, or -1. */
pid_t pty_foreground(int master);
