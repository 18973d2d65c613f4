/* Collecting the dead, and making them so. */
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

/* `on_reaped` is called for every child that was collected. Set it first. */
void reap_set_listener(void (*on_reaped)(pid_t pid, int status, const struct rusage *usage));

/* Collects every child that has died, ours or adopted (I-6). */
void reap_children(void);

/* SIGKILL to every process of a session, background jobs included. */
void kill_session(pid_t session);

/*
 * SIGKILL to everything but init, until nothing is left or `timeout_ms` is over. Blocks that long
 * at most, and nobody is left to notice. Answers 0 or -ETIMEDOUT.
 */
int kill_everything(int timeout_ms);
