/* Makes the times of a file tell what programs write to it from now on. */
#pragma once

/*
 * Answers with 1 where that cannot be done: the file may then change without its times telling. Nothing
 * may write to it meanwhile.
 */
void settle_file(const char *path);
