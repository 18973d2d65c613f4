/* Looks at files and tells of them; their content is not read. */
#pragma once

#include "request.h"

/* What is not as it was in the last look, and what was changed from a time on. */
void walk_changed(const struct request *request);
/* What is at `path`, and all below it. */
void walk_below(const char *path);
