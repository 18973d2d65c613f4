/* The filter of system calls (seccomp(2)) that everything in a jail lives under. */
#pragma once

#include <stdbool.h>

/*
 * Confines this process and all that it starts, for good. Answers a descriptor on which the kernel
 * asks about i386's socketcall(2), the arguments of which no filter can see: see socket-broker.h.
 * With `nested`, what a user namespace of their own lets processes do is left to it.
 */
int seccomp_confine(bool nested);
