/* What keeps a runaway process from taking the machine with it. */
#pragma once

#include <stdbool.h>

/* Lets init itself hold the descriptors of every process; its children get the old limit back. */
void containment_take_descriptors(void);
void containment_return_descriptors(void);
/* In a child that executes nothing: closes all but its standard files and `kept`, which gets another number. */
void containment_keep_descriptors(int *kept);

/* Prepares the control groups; without them, RLIMIT_NPROC is all there is. */
void containment_open(void);

/* In the child, while still root and in init's own root. Answers 0 or an errno. */
int containment_join(bool root);
/* In the child, before it gives up root. */
void containment_limit(bool root);
/* In the child of an agent: dies with it. */
void containment_follow_parent(void);
/* In the child, in a jail: the kernel ends it before init where memory runs out. Answers 0 or an errno. */
int containment_yield_memory(void);
