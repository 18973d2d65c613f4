/* What each frame of the host means. */
#pragma once

#include "frame.h"

void dispatch_frame(const struct frame *frame);
/* The marker was seen: HELLO must come next. */
void dispatch_resync(void);
