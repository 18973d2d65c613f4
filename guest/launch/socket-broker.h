/*
 * Answers for i386's socketcall(2). Programs linked with glibc open every socket through it, and its
 * arguments lie in memory: the socket is made here.
 */
#pragma once

#include "questions.h"

#define I386_SOCKETCALL 102

/* The number of the socket for who asked, or a negative errno. */
int answer_socket(const struct seccomp_notif *question);
