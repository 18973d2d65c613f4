/* The one thread of init, whatever started it. Set `host` first. */
#pragma once

/* Takes up the byte stream to the host: `fd`, or the port of a machine that is our own. */
void init_open(int fd);
/* Serves it. Never blocks on a client or a disk, and never ends while it is PID 1 of a machine. */
_Noreturn void init_run(void);
