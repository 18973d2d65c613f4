/* init: PID 1 of a Linux machine, or, with --agent-fd, the same exec agent beside other processes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "init.h"

/* Answers the descriptor after --agent-fd, or -1. */
static int agent_descriptor(int count, char **arguments)
{
	if (count != 3 || strcmp(arguments[1], "--agent-fd") != 0)
		return -1;
	char *rest;
	long fd = strtol(arguments[2], &rest, 10);
	return *rest || fd < 3 || fcntl((int)fd, F_GETFD) < 0 ? -1 : (int)fd;
}

int main(int count, char **arguments)
{
	int fd = agent_descriptor(count, arguments);
	host.is_pid1 = getpid() == 1;
	host.owns_machine = host.is_pid1 && fd < 0;
	if (fd < 0 && !host.is_pid1) {
		fprintf(stderr, "usage: init --agent-fd <descriptor>\n");
		return 2;
	}
	init_open(fd);
	init_run();
}
