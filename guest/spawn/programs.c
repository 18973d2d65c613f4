#include "programs.h"

#include <signal.h>
#include <sys/wait.h>

#include "control.h"

static struct program {
	uint32_t id;
	pid_t pid;
} programs[PROGRAMS_MAX];
static unsigned program_count;

int programs_have_room(void)
{
	return program_count < PROGRAMS_MAX;
}

void programs_add(uint32_t id, pid_t pid)
{
	programs[program_count++] = (struct program){ .id = id, .pid = pid };
}

void programs_signal(uint32_t id, int signal)
{
	/* Nobody else waits for them, so no pid here is another's yet. */
	for (unsigned index = 0; index < program_count; index++) {
		if (programs[index].id == id)
			kill(programs[index].pid, signal);
	}
}

void programs_reap(void)
{
	int status;
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
		for (unsigned index = 0; index < program_count; index++) {
			if (programs[index].pid != pid)
				continue;
			control_say_number(SPAWN_ENDED, programs[index].id, (uint32_t)status);
			programs[index] = programs[--program_count];
			break;
		}
	}
}
