/* The root that processes run in: a 9P tree of the host, mounted, populated, and taken away again. */
#pragma once

#include "frame.h"

/* The file systems that init itself needs. Only as PID 1 of a machine of its own. */
void mount_own(void);

void mount_request(const struct frame *frame);
/* Kills every process, then unmounts all of it (H-5). */
void unmount_request(const struct frame *frame);
void sync_request(const struct frame *frame);
