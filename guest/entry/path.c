#include "path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

void path_write(char *into, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(into, PATH_MAX, format, arguments);
	va_end(arguments);
	if (length < 0 || length >= PATH_MAX)
		fail("A path is too long: %.64s...", into);
}

bool path_is_inside(const char *path, const char *folder)
{
	size_t length = strlen(folder);
	return strncmp(path, folder, length) == 0 && (path[length] == '/' || !path[length]);
}
