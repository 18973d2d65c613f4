/*
 * A jail without namespaces, for hosts that forbid them, such as a container: its own root by chroot(2), a user
 * id that nothing else has, no capability, the filter of system calls, and Landlock. What a namespace would
 * hide is refused (seccomp.h) or not there: it has no /proc, no network and no terminals of its own.
 */
#pragma once

#include "enter-jail.h"

/* As launch(), with the groups opened. */
int launch_alone(struct jail *jail);
