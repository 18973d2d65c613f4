/*
 * Answers for i386's socketcall(2). Programs linked with glibc open every socket through it, and its
 * arguments lie in memory, where a filter sees nothing: so the kernel asks us (seccomp_unotify(2)).
 * The socket is made here, from our own copy of the arguments, which nobody can change any more.
 */
#pragma once

/* Serves the questions on `fd` from init's loop. */
void socket_broker_open(int fd);
