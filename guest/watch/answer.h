/* Frames to the bridge. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

void tell_open(enum watch_source source, uint32_t watches_max, const char *why);
void tell_watched(uint32_t root, uint32_t watches);
/* With the reason of errno. */
__attribute__((format(printf, 2, 3))) void tell_failed(uint32_t root, const char *format, ...);
/* `process` and `namespace` may be 0; `words` has `length` bytes. */
void tell_changed(uint32_t root, uint32_t process, uint32_t namespace, const char *words, size_t length);
void tell_drained(uint32_t root);
