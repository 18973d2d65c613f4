/* Where a machine's byte stream to its host comes from. One implementation per kind of machine. */
#pragma once

/* Opens the stream, non-blocking and close-on-exec. Answers -1 while it is not there (yet). */
int port_open(void);
