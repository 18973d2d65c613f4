/* Requests that a bridge writes to standard input: fields with a NUL at the end of each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The next field, without its NUL; false at the end of input, and for one that is longer. */
bool read_field(char *field, size_t size);
