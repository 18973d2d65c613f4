#include "init.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "containment.h"
#include "host.h"
#include "loop.h"
#include "mount.h"
#include "reap.h"
#include "shutdown.h"
#include "stream.h"
#include "system.h"
#include "transport.h"

#define GRACE_MS 3000

struct host host;

static struct watch signals = WATCH_CLOSED;

static void on_signal(struct watch *watch, uint32_t events)
{
	(void)events;
	struct signalfd_siginfo info;
	while (read(watch->fd, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGCHLD)
			reap_children();
		else
			shutdown_begin((int)info.ssi_signo, GRACE_MS);
	}
}

static void watch_signals(void)
{
	static const int numbers[] = { SIGCHLD, SIGTERM, SIGINT, SIGQUIT, SIGHUP };
	sigset_t set;
	sigemptyset(&set);
	for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++)
		sigaddset(&set, numbers[index]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	watch_open(&signals, signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), WATCH_MAIN);
	signals.ready = on_signal;
	watch_arm(&signals, EPOLLIN);
}

/* A pipe that happened to become descriptor 0, 1 or 2 would be lost when a child takes its files. */
static void fill_standard_files(void)
{
	int fd;
	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd < 3);
	if (fd >= 3)
		close(fd);
}

/* Whatever else our starter left open is none of our processes' business. */
static void keep_descriptors_to_ourselves(void)
{
	int fds = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fds < 0 ? NULL : fdopendir(fds);
	struct dirent *entry;
	while (entries && (entry = readdir(entries))) {
		int fd = atoi(entry->d_name);
		if (fd >= 3)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	if (entries)
		closedir(entries);
}

void init_open(int fd)
{
	reap_set_listener(stream_reaped);
	shutdown_set_flush(transport_finish);
	if (host.owns_machine)
		mount_own();
	fill_standard_files();
	keep_descriptors_to_ourselves();
	containment_take_descriptors();
	loop_open();
	watch_signals();
	if (host.owns_machine) {
		containment_open();
		system_tune();
		system_take_precedence();
		transport_connect();
		return;
	}
	if (!host.is_pid1) {
		/* Orphans of our processes are ours to collect (I-6), and we do not outlive our host. */
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	}
	transport_adopt(fd);
}

/* Of two times to sleep, of which -1 is for ever. */
static int sooner(int one, int other)
{
	return one < 0 || (other >= 0 && other < one) ? other : one;
}

_Noreturn void init_run(void)
{
	for (;;) {
		streams_settle();
		int timeout_ms = transport_turn();
		timeout_ms = sooner(timeout_ms, streams_hang_up_turn());
		loop_turn(sooner(timeout_ms, shutdown_turn()));
	}
}
