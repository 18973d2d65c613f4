#include "serve-jail.h"

#include <sys/prctl.h>

#include "../init/init.h"
#include "../init/next-host.h"
#include "launch.h"
#include "questions.h"

_Noreturn void serve_jail(int questions, uint32_t wait_ms)
{
	/* Nobody inside looks into us, not even the jail's root. */
	prctl(PR_SET_DUMPABLE, 0);
	init_open(CHANNEL);
	questions_open(questions);
	if (wait_ms > 0)
		next_host_expect(DOOR, wait_ms);
	init_run();
}
