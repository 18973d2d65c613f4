/* The folder that the agent works in, from a repository, on its first start only (I-3). */
#pragma once

#include "settings.h"
#include "../init/identity.h"

/*
 * Clones beside its place, checks the commit, and moves it there in one step. What is there already is left alone. Where
 * a session has its own already (`is_kept`), the server is not asked: an empty folder is enough to put that at.
 */
void workspace_begin(const struct settings *settings, const struct identity *user, bool is_kept);
