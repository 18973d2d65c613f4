/* Whom the kernel ends when memory runs out (proc_pid_oom_score_adj(5)). */
#pragma once

#include <sys/types.h>

/*
 * Keeps PID 1 of a jail, in whose place nobody comes, from being ended: what it starts is (containment.h). Only who has
 * CAP_SYS_RESOURCE on the host may; without, processes of the jail are still ended before it unless they ask otherwise.
 */
void oom_score_spare(pid_t pid);
