/* The environment of a new process. */
#pragma once

#include <stdbool.h>

#include "exec-request.h"
#include "identity.h"

/* The value of `name`, or NULL. */
const char *environment_get(const char **environment, const char *name);

/*
 * Adds what every program expects (HOME USER LOGNAME SHELL PATH LANG TERM) where the host gave nothing,
 * from `identity`, or from init's own environment when it is NULL. False when the list is full.
 */
bool environment_complete(const struct exec_request *request, const struct identity *identity);
