/* A session's own home and workspace, at the same paths (I-4). */
#pragma once

#include "settings.h"

/*
 * Puts back what an earlier start of this container, ended at any instant, has moved aside for a copy. Ends the program
 * where a session that runs has done so.
 */
void session_restore(const struct settings *settings, const char *path);
/* Takes the session, which one container at a time has. */
void session_open(const struct settings *settings);
/* Whether it has its own copy of what is kept under `name`: it goes on from that, whatever is at the path. */
bool session_has(const char *name);
/*
 * Puts the session's copy, made at its first start and kept under `name`, where a folder is: it is mounted there where mounting
 * is allowed, else the path becomes a link to it.
 */
void session_cover(const struct settings *settings, const char *name, const char *given);
