/*
 * What the kernel asks about system calls whose arguments lie in memory, where a filter sees nothing
 * (seccomp_unotify(2)). Each is answered from our own copy of them, which nobody can change any more, and never by
 * letting the call go on.
 */
#pragma once

#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/* What the system call of `question` answers: a result, or a negative errno. */
typedef int question_answer(const struct seccomp_notif *question);

/* Serves the questions on `fd` from init's loop, each with what `answer` returns. */
void questions_open(int fd, question_answer *answer);

/* Copies from and to the memory of who asks, who is there before and after. Answer 0 or a negative errno. */
int question_read(const struct seccomp_notif *question, uint64_t address, void *into, size_t size);
int question_write(const struct seccomp_notif *question, uint64_t address, void *from, size_t size);

/* A descriptor of ours as one of who asks; answers its number there, or a negative errno. */
int question_give(const struct seccomp_notif *question, int fd, uint32_t flags);
