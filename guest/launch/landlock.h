/*
 * The wall behind mounts, capabilities and the filter of system calls, by another part of the kernel
 * (landlock(7)). Its rules can only add to what a directory has from those above it, so nothing below
 * "/" can have less than "/": it denies what no jail needs anywhere, and leaves what only some places
 * must not have, such as writing to /proc/sys, to the mounts.
 */
#pragma once

#include <stdbool.h>

/*
 * For this process and all that it starts, for good, as far as the kernel knows how: no mounts of any
 * kind, no device nodes, no ioctl(2) on devices outside /dev, no ptrace(2) of, signals for or abstract
 * sockets of processes that do not live under this wall. Needs no_new_privs.
 * With `nested`, files and mounts are left out: whoever is denied any file may mount nothing, anywhere.
 * Answers the version that now holds, or 0.
 */
int landlock_confine(bool nested);
