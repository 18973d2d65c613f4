/*
 * All processes of a user id that nobody else has. kill(2) with -1 reaches all that its caller may signal, in
 * one step during which none is made: by a process of that id, those and no others.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Sends `signal` to all of them. */
void own_id_signal(uid_t id, int signal);
/* Whether there is none, dead ones that nobody has waited for included. */
bool own_id_is_free(uid_t id);
/* Kills them and collects those that are our children, until we have none. */
void own_id_end(uid_t id);
/* Kills those of an id, by its number as text, whoever's children they are. Answers 0 when none is left, or fails. */
int own_id_clear(const char *id);
