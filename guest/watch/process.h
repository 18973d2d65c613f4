/* What a process is called. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCESS_WORDS_MAX 480

/*
 * The program and arguments of a process in a jail with a NUL after each, cut at PROCESS_WORDS_MAX. Answers how many bytes:
 * none of 0, of a process that is gone, of a jail's init, and of the host's processes, whose arguments are no sandbox's
 * business. The process says what they are: nothing in them is to be trusted. `namespace` is the inode of its namespace of
 * processes where there are words: before and after they were read, as its number may be another process's by then.
 */
size_t process_words(pid_t process, char *words, uint32_t *namespace);
