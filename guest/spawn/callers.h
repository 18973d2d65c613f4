/* Connections that the bridge has made for programs to come. */
#pragma once

#include <stdint.h>

/* Opens the socket that they come to and tells its name. Exits where it cannot. */
void callers_open(void);

/* To be polled: readable when somebody has come. */
int callers_descriptor(void);

/* Takes in who has come. Nobody but the bridge is let in. */
void callers_accept(void);

/* Hands out the connection that was made for `place` of request `id`; -1 when there is none. */
int callers_take(uint32_t id, uint32_t place);
