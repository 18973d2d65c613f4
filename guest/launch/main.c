/* init as launcher (--jail), and as what the launcher becomes inside (--agent). */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../init/host.h"
#include "../init/init.h"
#include "launch.h"
#include "socket-broker.h"

static _Noreturn void serve(void)
{
	/* Nobody inside looks into us, not even the jail's root. */
	prctl(PR_SET_DUMPABLE, 0);
	host = (struct host){ .is_pid1 = true, .is_jail = true };
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
	fprintf(stderr, "usage: init --jail\n");
	return 2;
}
