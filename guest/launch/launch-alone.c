#include "launch-alone.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "custody.h"
#include "descriptors.h"
#include "enter-alone.h"
#include "fail.h"
#include "landlock-rules.h"
#include "own-id.h"

static int open_root(const struct jail_spec *spec)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	int root = (int)syscall(SYS_openat2, AT_FDCWD, spec->bind, &how, sizeof how);
	struct stat status;
	if (root < 0 || fstat(root, &status) < 0)
		fail("Cannot open the root %s", spec->bind);
	errno = 0;
	if (status.st_uid != spec->first_id)
		fail("Cannot start the jail: its root was furnished for another id");
	return root;
}

static void check_host(const struct jail_spec *spec)
{
	errno = 0;
	if (landlock_abi() == 0)
		fail("Cannot start the jail: this kernel has no Landlock, or switched off, or in its first version");
	/* Those of a jail that has lost its launcher, or of another bridge's that took the same. */
	bool is_free = own_id_is_free(spec->first_id);
	errno = 0;
	if (!is_free)
		fail("Cannot start the jail: other processes have its id");
}

/* keep_custody() waits for it; the jail's processes get the usual. */
static void block_termination(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		fail("Cannot block a signal");
}

int launch_alone(struct jail *jail)
{
	check_host(&jail->spec);
	int root = open_root(&jail->spec);
	block_termination();
	/* Whatever is left of the jail when its init has ended becomes our child. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		fail("Cannot adopt processes");
	int turn[2];
	if (pipe2(turn, O_CLOEXEC) < 0)
		fail("Cannot make a pipe");
	pid_t pid = fork();
	if (pid < 0)
		fail("Cannot make a process");
	if (pid == 0) {
		close(turn[1]);
		jail->turn = turn[0];
		enter_alone(jail, root);
	}
	/* The other end tells the jail that we live, so it stays open. */
	close(turn[0]);
	close(root);
	close(CHANNEL);
	close(READY);
	/* Nobody comes after its bridge. */
	return keep_custody(pid, &(struct custody){ SPEC, -1, -1, &jail->spec });
}
