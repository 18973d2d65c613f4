/* A graceful end with a deadline (I-6). */
#pragma once

#include <stdint.h>

/* `flush_output` hands the host what waits for it, before the program or the machine ends. Set it first. */
void shutdown_set_flush(void (*flush_output)(void));

/* Sends `signal` to all, SIGKILL to what is left after `grace_ms`. A second call changes nothing. */
void shutdown_begin(int signal, uint32_t grace_ms);
/* How long the loop may sleep, or -1; ends the program, or the machine, when its time has come. */
int shutdown_turn(void);
/* At once: nobody is there to be graceful for. */
_Noreturn void shutdown_now(void);
