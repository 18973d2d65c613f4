/* Failure ends the program: what it was filling is the bridge's to remove. */
#pragma once

/* Says what failed, and why if `errno` tells, for the bridge's error. */
_Noreturn __attribute__((format(printf, 1, 2))) void fail(const char *format, ...);
