/* From a request to a running jail. */
#pragma once

/* Descriptors that the bridge passes. */
enum launch_descriptor {
	/* The agent's byte stream: init's protocol. */
	CHANNEL = 3,
	/* A socket, of which one direction brings what spec.h says; when the other closes, the bridge is dead. */
	SPEC,
	/* When the jail has passed its own test, one byte: what landlock_confine() answered. End of file before that means that it failed. */
	READY,
};
/* Where the agent finds the filter's questions: see seccomp.h. */
#define QUESTIONS 6

/* Starts the jail and stays as its parent: it dies with us, and with the bridge. Answers an exit code. */
int launch(void);
