/* Who comes when the host of an agent is gone: nobody, unless there is a door. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* `door` is a listening socket, on which another host may come for `wait_ms` after one was lost. */
void next_host_expect(int door, uint32_t wait_ms);
bool next_host_may_come(void);
/* Opens the door: `arrived` gets the byte stream of the first who comes, and the door is closed again. */
void next_host_await(void (*arrived)(int fd));
/* How long the loop may sleep, or -1. Ends the program when nobody has come in time. */
int next_host_turn(void);
