/* Collecting the dead, and making them so. */
#pragma once

#include <sys/types.h>

/* Collects every child that has died, ours or adopted (I-6), and tells streams and tasks. */
void reap_children(void);

/* SIGKILL to every process of a session, background jobs included. */
void kill_session(pid_t session);

/*
 * SIGKILL to everything but init, until nothing is left or `timeout_ms` is over. Blocks that long
 * at most, and nobody is left to notice. Answers 0 or -ETIMEDOUT.
 */
int kill_everything(int timeout_ms);

/* One signal to every process group that init started (agent), or to all processes (PID 1). */
void signal_everything(int signal);
