/* A stack of names of directories that are still to be looked at. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

size_t names_count(void);
/* `mark` comes back with the name. */
void names_push(const char *name, bool mark);
/* Takes the last name off and puts it, with a NUL, at `into`. Answers its bytes. */
size_t names_pop(char *into, bool *mark);
