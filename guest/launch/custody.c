#include "custody.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "custody-signal.h"
#include "fail.h"
#include "meeting.h"
#include "own-id.h"

/* The dead are taken off a group's list a moment after they have been waited for. */
#define REMOVE_TRIES 1000
#define REMOVE_TRY_NS 1000000

static int wait_for(pid_t pid)
{
	int status;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The path of `name` beside the file by which the group is joined; an empty one is the group itself. */
static void beside(char path[PATH_MAX], const char *join, const char *name)
{
	const char *end = strrchr(join, '/');
	snprintf(path, PATH_MAX, "%.*s%s", end ? (int)(end - join) : 0, join, name);
}

static void set(const char *join, const char *name, const char *value)
{
	char path[PATH_MAX];
	beside(path, join, name);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	/* One of the two names is there, and only in the group that can freeze. */
	if (fd < 0)
		return;
	ssize_t written = write(fd, value, strlen(value));
	(void)written;
	close(fd);
}

static void remove_group(const char *join)
{
	char path[PATH_MAX];
	beside(path, join, "");
	for (int attempt = 0; attempt < REMOVE_TRIES && rmdir(path) < 0 && errno == EBUSY; attempt++)
		nanosleep(&(struct timespec){ .tv_nsec = REMOVE_TRY_NS }, NULL);
}

/* Waits for PID 1, which ends all that is in its namespace; without one, nothing but us does. */
static int wait_for_all(pid_t pid, const struct jail_spec *spec)
{
	int code = wait_for(pid);
	if (spec->ids == IDS_ALONE)
		own_id_end(spec->first_id);
	return code;
}

static int end_jail(pid_t pid, const struct jail_spec *spec)
{
	kill(pid, SIGKILL);
	/* All of it, before anything that is frozen runs again. */
	if (spec->ids == IDS_ALONE)
		own_id_signal(spec->first_id, SIGKILL);
	for (unsigned index = 0; index < spec->group_count; index++) {
		set(spec->groups[index], "/freezer.state", "THAWED");
		set(spec->groups[index], "/cgroup.freeze", "0");
	}
	int code = wait_for_all(pid, spec);
	for (unsigned index = 0; index < spec->group_count; index++)
		remove_group(spec->groups[index]);
	return code;
}

enum { JAIL, BRIDGE, DOOR_OF_NEXT, TERMINATION, SOURCES };

struct watched {
	pid_t jail;
	struct pollfd sources[SOURCES];
	/* On the monotonic clock, while there is no bridge. */
	int64_t deadline_ms;
};

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

static bool has_bridge(const struct watched *watched)
{
	return watched->sources[BRIDGE].fd >= 0;
}

/* Answers whether there is anything left to wait for. */
static bool wait_for_any(struct watched *watched)
{
	int64_t left = has_bridge(watched) ? -1 : watched->deadline_ms - now_ms();
	if (!has_bridge(watched) && left <= 0)
		return false;
	for (int source = 0; source < SOURCES; source++)
		watched->sources[source].revents = 0;
	int count = poll(watched->sources, SOURCES, (int)left);
	return count > 0 || has_bridge(watched) || (count < 0 && errno == EINTR);
}

static void say(int bridge, const char *what, int number)
{
	char line[32];
	int length = snprintf(line, sizeof line, "%s %d\n", what, number);
	/* One that is gone is noticed elsewhere. */
	ssize_t sent = send(bridge, line, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT);
	(void)sent;
}

static void lose_bridge(struct watched *watched, const struct custody *custody)
{
	close(watched->sources[BRIDGE].fd);
	watched->sources[BRIDGE].fd = -1;
	watched->sources[DOOR_OF_NEXT].fd = custody->door;
	watched->deadline_ms = now_ms() + (int64_t)custody->spec->wait_ms;
}

static void let_in(struct watched *watched)
{
	int bridge = meeting_accept(watched->sources[DOOR_OF_NEXT].fd);
	if (bridge < 0)
		return;
	watched->sources[BRIDGE] = (struct pollfd){ .fd = bridge, .events = POLLIN };
	watched->sources[DOOR_OF_NEXT].fd = -1;
	say(bridge, "pid", getpid());
}

/* Passes on a signal once all of it is there; a bridge that dies amid it is noticed by its hang-up. */
static void pass_signal(int bridge, pid_t jail)
{
	struct {
		char what;
		struct custody_signal signal;
	} __attribute__((packed)) request;
	if (recv(bridge, &request, sizeof request, MSG_DONTWAIT | MSG_PEEK) != (ssize_t)sizeof request)
		return;
	recv(bridge, &request, sizeof request, MSG_DONTWAIT);
	struct custody_signal signal = request.signal;
	custody_signal_send(jail, &signal);
}

/* Answers whether the bridge says that the jail is to end. What it said last counts even if it is gone. */
static bool listen_to_bridge(struct watched *watched, const struct custody *custody)
{
	const struct pollfd *bridge = &watched->sources[BRIDGE];
	char said = 0;
	ssize_t count = bridge->revents & POLLIN ? recv(bridge->fd, &said, 1, MSG_DONTWAIT | MSG_PEEK) : -1;
	if (count == 1 && said == CUSTODY_SIGNAL) {
		pass_signal(bridge->fd, watched->jail);
		return false;
	}
	if (count == 1)
		recv(bridge->fd, &said, 1, MSG_DONTWAIT);
	if (count == 1 && said == CUSTODY_END)
		return true;
	if (count == 0 || bridge->revents & (POLLHUP | POLLERR))
		lose_bridge(watched, custody);
	return false;
}

/* Answers whether the jail has ended by itself. */
static bool watch(struct watched *watched, const struct custody *custody)
{
	while (wait_for_any(watched)) {
		if (watched->sources[JAIL].revents)
			return true;
		if (watched->sources[TERMINATION].revents)
			return false;
		if (watched->sources[DOOR_OF_NEXT].revents)
			let_in(watched);
		else if (watched->sources[BRIDGE].revents && listen_to_bridge(watched, custody))
			return false;
	}
	return false;
}

/* Where our own end is not that of the jail, what the bridge sends instead of killing us. */
static int open_termination(const struct jail_spec *spec)
{
	if (spec->ids != IDS_ALONE)
		return -1;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	int fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		fail("Cannot wait for a signal");
	return fd;
}

/* Whether there is a bridge to clear up. One that is dead may not have been noticed: init ends with it, too. */
static bool is_bridge_there(const struct watched *watched)
{
	struct pollfd end = { .fd = watched->sources[BRIDGE].fd };
	return has_bridge(watched) && poll(&end, 1, 0) == 0;
}

/* Nobody else waits for it, so the number is its own for as long as we have not. */
static void end_relay(pid_t relay)
{
	if (relay < 0)
		return;
	kill(relay, SIGKILL);
	wait_for(relay);
}

int keep_custody(pid_t pid, const struct custody *custody)
{
	struct watched watched = { .jail = pid, .sources = {
		[JAIL] = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN },
		/* No events asked for, as it has said all: what comes all the same is that both directions are closed, POLLHUP. */
		[BRIDGE] = { .fd = custody->bridge },
		[DOOR_OF_NEXT] = { .fd = -1, .events = POLLIN },
		[TERMINATION] = { .fd = open_termination(custody->spec), .events = POLLIN },
	} };
	bool ended = watch(&watched, custody);
	int code = ended && is_bridge_there(&watched) ? wait_for_all(pid, custody->spec) : end_jail(pid, custody->spec);
	end_relay(custody->relay);
	if (has_bridge(&watched))
		say(watched.sources[BRIDGE].fd, "exit", code);
	return ended ? code : 1;
}
