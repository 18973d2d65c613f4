/* Limits that the kernel holds folders to, for the bridge: project quotas of ext4 and XFS, quota groups of btrfs. */
#pragma once

/*
 * Answers requests on standard input until it ends. One is a letter, an argument and a path, each with a NUL at its
 * end; the answer is a line with the error number, 0 when it is done, and a number of bytes:
 *   p ID P         what is made in the folder P from now on, and P itself, is of the project ID
 *   l "ID BYTES" P the project ID may take BYTES of the file system of P; 0 is no limit
 *   u ID P         answers what the project ID takes of the file system of P
 *   b BYTES P      the subvolume P may refer to BYTES; 0 is no limit
 *   r "" P         answers what the subvolume P refers to
 * A request that is none ends it. Answers an exit code.
 */
int disk_quota_serve(void);
