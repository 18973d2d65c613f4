#include "serve-jail.h"

#include <linux/audit.h>
#include <stdbool.h>
#include <sys/prctl.h>

#include "../init/init.h"
#include "../init/next-host.h"
#include "core-limit.h"
#include "descriptors.h"
#include "questions.h"
#include "socket-broker.h"

/* The filter asks about these and no others: seccomp.c. */
static int answer(const struct seccomp_notif *question)
{
	bool is_socket = question->data.arch == AUDIT_ARCH_I386 && question->data.nr == I386_SOCKETCALL;
	return is_socket ? answer_socket(question) : answer_core_limit(question);
}

_Noreturn void serve_jail(int questions, uint32_t wait_ms)
{
	/* Nobody inside looks into us, not even the jail's root. */
	prctl(PR_SET_DUMPABLE, 0);
	init_open(CHANNEL);
	questions_open(questions, answer);
	if (wait_ms > 0)
		next_host_expect(DOOR, wait_ms);
	init_run();
}
