/* Reads files into memory, so that processes wait for that only and not for the bridge. */
#pragma once

#include "request.h"

/* Takes the requests that belong to it. */
void read_ahead(struct request *request);
