/*
 * init as launcher (--jail), as what the launcher becomes inside (--agent), as what makes its roots (--subvolumes,
 * --furnish, --disk-quota) and what ends those that have lost their launcher (--clear).
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../init/host.h"
#include "descriptors.h"
#include "disk-quota.h"
#include "furnish-root.h"
#include "launch.h"
#include "own-id.h"
#include "serve-jail.h"
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

/* `wait_ms` is how long it waits for another bridge when one is gone. */
static _Noreturn void become_agent(uint32_t wait_ms)
{
	host = (struct host){ .is_pid1 = true, .is_jail = true, .has_one_id = !may_change_groups() };
	serve_jail(QUESTIONS, wait_ms);
}

int main(int count, char **arguments)
{
	if (count == 2 && strcmp(arguments[1], "--jail") == 0)
		return launch();
	if (count == 3 && strcmp(arguments[1], "--agent") == 0 && getpid() == 1)
		become_agent((uint32_t)strtoul(arguments[2], NULL, 10));
	if (count == 2 && strcmp(arguments[1], "--subvolumes") == 0)
		return subvolumes_serve();
	if (count == 2 && strcmp(arguments[1], "--disk-quota") == 0)
		return disk_quota_serve();
	if (count == 4 && strcmp(arguments[1], "--furnish") == 0)
		return furnish_root(arguments[2], arguments[3]);
	if (count == 3 && strcmp(arguments[1], "--clear") == 0)
		return own_id_clear(arguments[2]);
	fprintf(stderr, "usage: init --jail|--subvolumes|--disk-quota|--furnish ID FOLDER|--clear ID\n");
	return 2;
}
