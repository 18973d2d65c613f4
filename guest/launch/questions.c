#include "questions.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

#include "../init/loop.h"

static struct watch questions = WATCH_CLOSED;
static question_answer *answer;

/* Else the process may have ended, and its id become another's. */
static bool is_there(const struct seccomp_notif *question)
{
	return ioctl(questions.fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &question->id) == 0;
}

int question_read(const struct seccomp_notif *question, uint64_t address, void *into, size_t size)
{
	struct iovec ours = { into, size }, theirs = { (void *)(uintptr_t)address, size };
	if (process_vm_readv((pid_t)question->pid, &ours, 1, &theirs, 1, 0) != (ssize_t)size)
		return -EFAULT;
	return is_there(question) ? 0 : -ESRCH;
}

int question_write(const struct seccomp_notif *question, uint64_t address, void *from, size_t size)
{
	struct iovec ours = { from, size }, theirs = { (void *)(uintptr_t)address, size };
	if (!is_there(question))
		return -ESRCH;
	return process_vm_writev((pid_t)question->pid, &ours, 1, &theirs, 1, 0) == (ssize_t)size ? 0 : -EFAULT;
}

/*
 * Not in one step with the answer (SECCOMP_ADDFD_FLAG_SEND): where we are stopped or frozen amid that, the kernel
 * answers 0 and gives nothing (Linux 5.14 to 6.18, seccomp_notify_addfd()), and the program takes its standard input
 * for the socket. Who is interrupted between the two steps asks again, and keeps a socket that it does not know of.
 */
int question_give(const struct seccomp_notif *question, int fd, uint32_t flags)
{
	struct seccomp_notif_addfd given = { .id = question->id, .srcfd = (uint32_t)fd, .newfd_flags = flags };
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
	int result = answer(&question);
	struct seccomp_notif_resp response = { .id = question.id };
	if (result < 0)
		response.error = result;
	else
		response.val = result;
	ioctl(watch->fd, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

void questions_open(int fd, question_answer *answer_with)
{
	answer = answer_with;
	watch_open(&questions, fd, WATCH_MAIN);
	questions.ready = on_question;
	watch_arm(&questions, EPOLLIN);
}
