/* The program that the container is for (I-6). */
#pragma once

#include "../init/identity.h"

/* Starts it as `user`, with the terminal if there is one, in `directory`. Answers its id. */
pid_t agent_start(char **arguments, const struct identity *user, const char *directory);
/*
 * Passes signals on and collects orphans until it has ended; then ends what it has left, which SIGTERM does in
 * `grace_ms` or SIGKILL after that. Answers its exit code (128 + signal).
 */
int agent_supervise(pid_t agent, int grace_ms);
