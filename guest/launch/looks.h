/* What a jail's own test looks at, whatever its walls are made of. */
#pragma once

#include <stdbool.h>

/* Fails, naming what was found, unless `holds`. */
void stands(bool holds, const char *wall);
/* Whether a system call was answered with that error. */
bool refused(long result, int error);
/* An abstract socket that is there before any wall is, as those of strangers are. */
int leave_outsider(void);
bool is_reachable(int listener);
/* Overlay's sign for "removed", in /run, which is ours: the one device that anybody may make (mknod(2)). */
bool can_make_device(void);
