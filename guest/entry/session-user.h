/* Whom the agent runs as. */
#pragma once

#include "../init/identity.h"

/* `wanted` is SESSION_USER, a name or a number, or NULL. Ends the program where that cannot be. */
struct identity session_user_find(const char *wanted);
/*
 * Becomes that user for good, for a child only: no capability is kept, nor can a program that it runs give it any.
 * Whoever is that user already only loses them; root that is to stay root keeps what the container has given it.
 */
void session_user_become(const struct identity *identity);
