/* init as launcher (--jail), as what the launcher becomes inside (--agent), and what makes its roots (--subvolumes). */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../init/host.h"
#include "../init/init.h"
#include "launch.h"
#include "socket-broker.h"
#include "subvolumes.h"

/* user_namespaces(7): denied for good in a namespace that was made without privileges. */
static bool may_change_groups(void)
{
	char text[8] = "";
	int fd = open("/proc/self/setgroups", O_RDONLY | O_CLOEXEC);
	ssize_t count = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	close(fd);
	return count > 0 && strncmp(text, "allow", 5) == 0;
}

static _Noreturn void serve(void)
{
	/* Nobody inside looks into us, not even the jail's root. */
	prctl(PR_SET_DUMPABLE, 0);
	host = (struct host){ .is_pid1 = true, .is_jail = true, .has_one_id = !may_change_groups() };
	init_open(CHANNEL);
	socket_broker_open(QUESTIONS);
	init_run();
}

int main(int count, char **arguments)
{
	if (count == 2 && strcmp(arguments[1], "--jail") == 0)
		return launch();
	if (count == 2 && strcmp(arguments[1], "--agent") == 0 && getpid() == 1)
		serve();
	if (count == 2 && strcmp(arguments[1], "--subvolumes") == 0)
		return subvolumes_serve();
	fprintf(stderr, "usage: init --jail|--subvolumes\n");
	return 2;
}
