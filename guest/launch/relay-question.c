#include "relay-question.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "relay-connect.h"

bool question_begin(struct question *question, int socket, const char *key)
{
	struct relay_header header = { .kind = RELAY_QUESTION };
	unsigned char bytes[QUESTION_BYTES + 1];
	socklen_t length = sizeof question->from;
	ssize_t count = recvfrom(socket, bytes, sizeof bytes, 0, (struct sockaddr *)&question->from, &length);
	if (count <= 0 || count > QUESTION_BYTES)
		return false;
	memcpy(header.key, key, sizeof header.key);
	question->length = 0;
	question->bridge = relay_connect(&header);
	if (question->bridge < 0)
		return false;
	/* A new connection takes as much at once. */
	if (send(question->bridge, bytes, (size_t)count, MSG_NOSIGNAL) == count && shutdown(question->bridge, SHUT_WR) == 0)
		return true;
	close(question->bridge);
	return false;
}

bool question_move(struct question *question, int socket)
{
	size_t room = sizeof question->answer - question->length;
	ssize_t count = recv(question->bridge, question->answer + question->length, room, 0);
	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	question->length += count > 0 ? (size_t)count : 0;
	if (count > 0 && question->length <= ANSWER_BYTES)
		return true;
	if (count == 0 && question->length > 0)
		sendto(socket, question->answer, question->length, 0, (struct sockaddr *)&question->from,
		       sizeof question->from);
	close(question->bridge);
	return false;
}
