/* From a request to a program that runs. */
#pragma once

#include "control.h"

/* Starts what SPAWN_START asks for and answers it. */
void start_program(const struct request *request);
