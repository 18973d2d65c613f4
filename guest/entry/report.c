#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define TEXT_MAX 4096

/* In one write, as others share the descriptor. */
static void say(const char *format, va_list arguments)
{
	char text[TEXT_MAX];
	vsnprintf(text, sizeof text, format, arguments);
	dprintf(STDERR_FILENO, "coppice-init: %s\n", text);
}

void note(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
}

_Noreturn void fail(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
	_exit(EXIT_ENTRY);
}
