#include "names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"

#define BYTES_MIN 65536u

/* One after the other: bytes of the name, the mark, and how many bytes they were. */
static uint8_t *bytes;
static size_t used, capacity, count;

size_t names_count(void)
{
	return count;
}

void names_push(const char *name, bool mark)
{
	size_t length = strlen(name);
	if (capacity - used < length + 2) {
		capacity = capacity ? 2 * capacity : BYTES_MIN;
		bytes = realloc(bytes, capacity);
		if (!bytes)
			refuse(FAILED_OTHERWISE, "no memory for names of directories");
	}
	uint8_t *end = put_bytes(bytes + used, name, length);
	end[0] = mark;
	end[1] = (uint8_t)length;
	used += length + 2;
	count++;
}

size_t names_pop(char *into, bool *mark)
{
	size_t length = bytes[used - 1];
	*mark = bytes[used - 2] != 0;
	used -= length + 2;
	count--;
	memcpy(into, bytes + used, length);
	into[length] = 0;
	return length;
}
