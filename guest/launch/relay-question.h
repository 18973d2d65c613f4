/* Questions to name servers, each by a connection of its own to the bridge, which answers them. */
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

/* At a time; more wait in the socket, and are dropped by the kernel when that is full. */
#define QUESTIONS_MAX 32
/* RFC 1035 for what is asked, the recommendation for EDNS (RFC 9715) for what is answered. */
#define QUESTION_BYTES 512
#define ANSWER_BYTES 1232

struct question {
	int bridge;
	struct sockaddr_in from;
	size_t length;
	unsigned char answer[ANSWER_BYTES + 1];
};

/* Takes the next question from `socket`; false when there is none, or nobody answers. */
bool question_begin(struct question *question, int socket, const char *key);
/* False when it is over: what was answered in full has gone back by `socket`. */
bool question_move(struct question *question, int socket);
