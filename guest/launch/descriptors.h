/* The numbers of descriptors that the launcher and the agent are started with. */
#pragma once

/* Descriptors that the bridge passes. */
enum launch_descriptor {
	/* The agent's byte stream: init's protocol. */
	CHANNEL = 3,
	/* A socket, of which one direction brings what spec.h says; when the other closes, the bridge is dead. */
	SPEC,
	/*
	 * When the jail has passed its own test, one byte: the version of Landlock that walls it in, or 0. End of
	 * file before that means that it failed.
	 */
	READY,
};
/* Where the agent finds the filter's questions, see seccomp.h, and where another bridge comes, see meeting.h. */
enum agent_descriptor { QUESTIONS = READY + 1, DOOR };
