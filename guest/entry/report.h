/* What a person reads of this program, on standard error. */
#pragma once

/* The container could not be prepared, as of podman and env(1): the failure is not the agent's. */
#define EXIT_ENTRY 125

/* Says something and goes on. */
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);
/* Says why the agent is not started, and ends this process. */
__attribute__((format(printf, 1, 2))) _Noreturn void fail(const char *format, ...);
