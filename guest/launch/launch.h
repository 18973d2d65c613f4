/* From a request to a running jail. */
#pragma once

/* Starts the jail and stays as its parent: it dies with us, and with its last bridge. Answers an exit code. */
int launch(void);
