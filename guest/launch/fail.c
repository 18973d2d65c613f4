#include "fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* As of env(1) and its like: the failure is the launcher's and not that of what it starts. */
#define EXIT_LAUNCHER 125

_Noreturn void fail(const char *format, ...)
{
	int error = errno;
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	/* One write, as two processes share the descriptor. */
	if (error)
		dprintf(STDERR_FILENO, "%s: %s\n", text, strerror(error));
	else
		dprintf(STDERR_FILENO, "%s\n", text);
	_exit(EXIT_LAUNCHER);
}
