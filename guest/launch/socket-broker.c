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

/* Linux 5.14: gives the descriptor and the answer in one step. */
#ifndef SECCOMP_ADDFD_FLAG_SEND
#define SECCOMP_ADDFD_FLAG_SEND (1UL << 1)
#endif

static struct watch questions = WATCH_CLOSED;

static bool is_allowed(uint32_t family)
{
	return family == AF_UNIX || family == AF_INET || family == AF_INET6;
}

/* The new descriptor of ours, or a negative errno. */
static int open_socket(const struct seccomp_notif *question)
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
	int fd = socket((int)arguments[0], (int)arguments[1] | SOCK_CLOEXEC, (int)arguments[2]);
	if (fd < 0)
		return -errno;
	/* The only other flag, SOCK_NONBLOCK, is the file's and goes along with it. */
	struct seccomp_notif_addfd given = {
		.id = question->id,
		.flags = SECCOMP_ADDFD_FLAG_SEND,
		.srcfd = (uint32_t)fd,
		.newfd_flags = arguments[1] & SOCK_CLOEXEC ? O_CLOEXEC : 0,
	};
	int result = ioctl(questions.fd, SECCOMP_IOCTL_NOTIF_ADDFD, &given);
	int error = errno;
	close(fd);
	return result < 0 ? -error : 0;
}

static void on_question(struct watch *watch, uint32_t events)
{
	(void)events;
	struct seccomp_notif question = { 0 };
	/* ENOENT: who asked is dead. */
	if (ioctl(watch->fd, SECCOMP_IOCTL_NOTIF_RECV, &question) < 0)
		return;
	int error = open_socket(&question);
	struct seccomp_notif_resp answer = { .id = question.id, .error = error };
	if (error)
		ioctl(watch->fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

void socket_broker_open(int fd)
{
	watch_open(&questions, fd, WATCH_MAIN);
	questions.ready = on_question;
	watch_arm(&questions, EPOLLIN);
}
