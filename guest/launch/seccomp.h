/* The filter of system calls (seccomp(2)) that everything in a jail lives under. */
#pragma once

#include "spec.h"

/*
 * Confines this process and all that it starts, for good. Answers a descriptor on which the kernel
 * asks about calls the arguments of which no filter can see: see questions.h. What is called from keeps
 * others from init's own settings: it is to be init.
 * With `nested`, what a user namespace of their own lets processes do is left to it. A jail that has no
 * namespaces has no sockets but those between its own processes, and nothing else that a namespace divides.
 */
int seccomp_confine(const struct jail_spec *spec);
