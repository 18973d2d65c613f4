/* A password for git, which neither the workspace nor the agent gets. */
#pragma once

/*
 * Reads `user:password` from the first line of a file, as this user. Ends the program where there is none.
 * `credentials_give` has the programs that this process becomes send it to the server of `url`, and to no other.
 */
void credentials_read(const char *path);
void credentials_give(const char *url);
/* Forgets it. */
void credentials_forget(void);
