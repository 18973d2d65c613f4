#include "socket-broker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

static bool is_allowed(uint32_t family)
{
	return family == AF_UNIX || family == AF_INET || family == AF_INET6;
}

int answer_socket(const struct seccomp_notif *question)
{
	/* socketcall(2): unsigned long args[3], of 32 bits. */
	uint32_t arguments[3];
	int error = question_read(question, (uint32_t)question->data.args[1], arguments, sizeof arguments);
	if (error)
		return error;
	if (!is_allowed(arguments[0]))
		return -EAFNOSUPPORT;
	/* As it was asked for, and ours is always close-on-exec. */
	int fd = socket((int)arguments[0], (int)arguments[1] | SOCK_CLOEXEC, (int)arguments[2]);
	if (fd < 0)
		return -errno;
	/* The only other flag, SOCK_NONBLOCK, is the file's and goes along with it. */
	int theirs = question_give(question, fd, arguments[1] & SOCK_CLOEXEC ? O_CLOEXEC : 0);
	close(fd);
	return theirs;
}
