#include "socket-broker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../init/loop.h"

static struct watch questions = WATCH_CLOSED;

static bool is_allowed(uint32_t family)
{
	return family == AF_UNIX || family == AF_INET || family == AF_INET6;
}

/* A socket as it was asked for and always close-on-exec, or a negative errno. */
static int open_socket(const struct seccomp_notif *question, uint32_t *type)
{
	/* socketcall(2): unsigned long args[3], of 32 bits. */
	uint32_t arguments[3];
	struct iovec ours = { arguments, sizeof arguments };
	struct iovec theirs = { (void *)(uintptr_t)(uint32_t)question->data.args[1], sizeof arguments };
	if (process_vm_readv((pid_t)question->pid, &ours, 1, &theirs, 1, 0) != (ssize_t)sizeof arguments)
		return -EFAULT;
	/* Else the process may have ended, and its id become another's. */
	if (ioctl(questions.fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &question->id) < 0)
		return -ESRCH;
	if (!is_allowed(arguments[0]))
		return -EAFNOSUPPORT;
	*type = arguments[1];
	int fd = socket((int)arguments[0], (int)arguments[1] | SOCK_CLOEXEC, (int)arguments[2]);
	return fd < 0 ? -errno : fd;
}

/*
 * The number of `fd` for who asked, or a negative errno. Not in one step with the answer
 * (SECCOMP_ADDFD_FLAG_SEND): where we are stopped or frozen amid that, the kernel answers 0 and gives
 * nothing (Linux 5.14 to 6.18, seccomp_notify_addfd()), and the program takes its standard input for the
 * socket. Who is interrupted between the two steps asks again, and keeps a socket that it does not know of.
 */
static int give(const struct seccomp_notif *question, int fd, uint32_t type)
{
	/* The only other flag, SOCK_NONBLOCK, is the file's and goes along with it. */
	struct seccomp_notif_addfd given = {
		.id = question->id,
		.srcfd = (uint32_t)fd,
		.newfd_flags = type & SOCK_CLOEXEC ? O_CLOEXEC : 0,
	};
	int theirs = ioctl(questions.fd, SECCOMP_IOCTL_NOTIF_ADDFD, &given);
	return theirs < 0 ? -errno : theirs;
}

static void on_question(struct watch *watch, uint32_t events)
{
	(void)events;
	struct seccomp_notif question = { 0 };
	/* ENOENT: who asked is dead. */
	if (ioctl(watch->fd, SECCOMP_IOCTL_NOTIF_RECV, &question) < 0)
		return;
	uint32_t type;
	int fd = open_socket(&question, &type);
	int result = fd;
	if (fd >= 0) {
		result = give(&question, fd, type);
		close(fd);
	}
	struct seccomp_notif_resp answer = { .id = question.id };
	if (result < 0)
		answer.error = result;
	else
		answer.val = result;
	ioctl(watch->fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

void socket_broker_open(int fd)
{
	watch_open(&questions, fd, WATCH_MAIN);
	questions.ready = on_question;
	watch_arm(&questions, EPOLLIN);
}
