/* machine-id(5) of a jail: of this one alone, and never in its root, so never in a fork's (H-7). */
#pragma once

#define MACHINE_ID "/etc/machine-id"

/* Lays a new one over the root's /etc/machine-id, where the image has that file. `run`: its /run, attached. */
void machine_id_lay_over(int root, int run);
