/* What /proc says and does beyond the jail's own processes. */
#pragma once

/* Makes the kernel's settings in a mounted proc read-only and hides what tells of the host. */
void mask_proc(int proc);
