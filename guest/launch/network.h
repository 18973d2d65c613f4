/* The network of a jail, from inside: it has two sockets, which redirect.h leads to and the relay takes over (relay.h). */
#pragma once

/* In the jail, by who may still change its network: sets it up, and sends its sockets. */
void network_open(int inside);

/* In the jail, behind its walls: whether the bridge answers, by the way that all of its connections take. Fails otherwise. */
void network_test(void);
