/* A connection to a port of this machine, in a process of its own that runs no program. For a child only. */
#pragma once

#include <stdint.h>

/*
 * Connects to a TCP port of loopback: of IPv4, and where that refuses of IPv6. Answers a socket that does not block, or
 * a negative errno; ETIMEDOUT where nobody accepts in time.
 */
int port_connect(uint16_t port);
/*
 * Carries standard input to the socket and what comes from there to standard output, and passes the end of standard
 * input on. The end of what comes is a byte on standard error, after all of it. Exits with 0 once both have ended, and
 * with 1 where the connection broke.
 */
_Noreturn void port_relay(int socket);
