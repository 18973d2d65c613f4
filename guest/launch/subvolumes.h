/* Subvolumes of btrfs for the bridge: an ioctl each, where starting a tool would take longer than its work. */
#pragma once

/*
 * Answers requests on standard input until it ends. One is a letter and two paths, each with a NUL
 * at its end; the answer is the error number as a line of text, 0 when it is done:
 *   c "" P    makes the subvolume P, empty
 *   s F P     makes P with the files that F has now
 *   r F P     the same, read-only
 *   d "" P    deletes P, and lets the kernel free it later
 * A request that is none ends it. Answers an exit code.
 */
int subvolumes_serve(void);
