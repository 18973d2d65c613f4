/* Time that goes on evenly. */
#pragma once

long now_ms(void);
