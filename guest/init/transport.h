/* The one byte stream between host and init: reads frames from it, empties the outbox into it. */
#pragma once

/* Takes over a descriptor that was passed in; its end is the end of this init, unless another host may come (next-host.h). */
void transport_adopt(int fd);
/* Opens the machine's port, and again whenever it is lost. */
void transport_connect(void);
/* Call before each turn of the loop. How long it may sleep, or -1. */
int transport_turn(void);
/* Hands over what can be handed over without waiting long. */
void transport_finish(void);
