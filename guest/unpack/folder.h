/* The folder that is filled. Everything is opened below its descriptor, and no symbolic link is followed. */
#pragma once

/* Opens `path`, and makes it where it is not there. */
void folder_open(const char *path);

/* A directory in it. Fails where it cannot be opened; the caller's to close. */
int folder_open_directory(const char *path);

/* The directory that a path is in, open up to the next call; the folder itself has none. */
int folder_parent(const char *path);

/* The last name of a path. */
const char *last_name(const char *path);
