/* Answers LIST. */
#pragma once

#include <stdint.h>

void process_list_send(uint32_t request);
