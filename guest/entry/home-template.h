/* The home of the agent's user, from a template, on its first start only (I-2). */
#pragma once

#include "settings.h"
#include "../init/identity.h"

/* Whether this user has a folder of its own: daemons have none. */
bool has_home(const struct identity *user);
/*
 * A home that is not there is a copy of HOME_TEMPLATE, or of /etc/skel, complete or absent. One that is there, as an
 * empty volume is, gets from HOME_TEMPLATE what it lacks, once: a file in it says so.
 */
void home_begin(const struct settings *settings, const struct identity *user);
