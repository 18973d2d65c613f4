#include "looks.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "fail.h"

void stands(bool holds, const char *wall)
{
	errno = 0;
	if (!holds)
		fail("Cannot start the jail: its own test found %s", wall);
}

bool refused(long result, int error)
{
	return result < 0 && errno == error;
}

int leave_outsider(void)
{
	/* A name of the kernel's choice: unix(7), "Autobind feature". */
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address.sun_family) < 0 || listen(fd, 1) < 0)
		fail("Cannot make a socket for the jail's test");
	return fd;
}

bool is_reachable(int listener)
{
	struct sockaddr_un address;
	socklen_t length = sizeof address;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool connected = getsockname(listener, (struct sockaddr *)&address, &length) == 0 &&
			 connect(fd, (struct sockaddr *)&address, length) == 0;
	bool denied = !connected && errno == EPERM;
	close(fd);
	return !denied;
}

bool can_make_device(void)
{
	const char path[] = "/run/self-test";
	bool denied = refused(mknod(path, S_IFCHR, 0), EACCES);
	if (!denied)
		unlink(path);
	return !denied;
}
