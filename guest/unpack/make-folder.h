#pragma once

/* Makes the folder that is to be filled, where none is there: on ext4 in a part of the disk where files are made quickly. */
void make_folder(const char *path);
