/* Makes the times of a file tell what programs write to it from now on. */
#pragma once

#include <stdbool.h>

/*
 * Answers with one of enum settle_answer: where it is not settled, the file may change without its times telling.
 * Nothing may write to it meanwhile. With `only_little` it is left as it is where much would be written to disk.
 */
void settle_file(const char *path, bool only_little);
/* Answers with 1 where a process has it open for writing, or may have. */
void tell_used(const char *path);
