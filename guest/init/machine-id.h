/* machine-id(5) of a machine that goes on from a saved state, as one of many (H-7): never in the tree, so never in a fork's. */
#pragma once

/* Lays a new one over /etc/machine-id, where the image has that file. Call it in the root, with /run mounted. */
void machine_id_lay(void);
/* Makes another of one that was laid: who was restored, or forked, is somebody else. */
void machine_id_renew(void);
