/* Tells what is in a file. */
#pragma once

/* Its extended attributes that are a sandbox's or overlay's own and, of a regular file, its data. */
void read_file(const char *path);
