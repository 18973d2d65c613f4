/* What is in a folder. */
#pragma once

#include <dirent.h>

/* To read an open folder, also O_PATH, from its beginning. Answers NULL with an errno. */
DIR *list_folder(int folder);
/* The next entry but "." and "..", or NULL at the end, or with an errno in `error`. */
struct dirent *next_entry(DIR *entries, int *error);
