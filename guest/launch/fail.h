/* A start that fails ends here: closed, and with words that reach the bridge's log. */
#pragma once

/* Says on standard error what cannot be done and, from errno unless that is 0, why; then exits. */
__attribute__((format(printf, 1, 2))) _Noreturn void fail(const char *format, ...);
