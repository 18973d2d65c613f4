#include "read-field.h"

#include <stdio.h>

bool read_field(char *field, size_t size)
{
	for (size_t length = 0; length < size; length++) {
		int next = getchar();
		if (next == EOF)
			return false;
		field[length] = (char)next;
		if (next == 0)
			return true;
	}
	return false;
}
