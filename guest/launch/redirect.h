/*
 * Where the connections of a jail go: every address is taken for one of its own (AnyIP), and what is not for its
 * loopback is led to two sockets of ours there. Nothing is ever sent by an interface.
 */
#pragma once

/* Ports of the sockets on 127.0.0.1: above those that the kernel gives out by itself. */
#define RELAY_PORT 61111

/*
 * In the jail's network, by who may still change it: from here on TCP to all but 127.0.0.0/8, and UDP to port 53 of
 * any address, arrive at RELAY_PORT. Fails where the kernel has no nf_tables.
 */
void redirect_all(void);
