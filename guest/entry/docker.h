/* A Docker daemon in the container, where there is one and it may run (I-5). */
#pragma once

#include "settings.h"
#include "../init/identity.h"

/* Starts it and waits for its socket. Where it cannot, says why, and goes on without. */
void docker_begin(const struct settings *settings, const struct identity *user);
