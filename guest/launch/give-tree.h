/* Gives files to another owner. */
#pragma once

#include <sys/types.h>

/*
 * All of a directory, itself included, with the modes that it has: a change of owners takes set-id bits away
 * (chown(2)), and they are put back. Follows no link. Nothing may write there meanwhile. Fails, or does it.
 */
void give_tree(int directory, uid_t id);
