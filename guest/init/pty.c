#include "pty.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "host.h"

/* Linux 4.13, linux/tty.h; musl has it only in <asm/ioctls.h>. */
#ifndef TIOCGPTPEER
#define TIOCGPTPEER 0x5441
#endif

/* Backspace must take away a whole character of UTF-8, which the kernel leaves off by default. */
static void expect_utf8(int terminal)
{
	struct termios modes;
	if (tcgetattr(terminal, &modes) < 0)
		return;
	modes.c_iflag |= IUTF8;
	tcsetattr(terminal, TCSANOW, &modes);
}

int pty_open(int *master, int *slave)
{
	*slave = -1;
	int flags = O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK;
	*master = host.has_terminals ? openat(host.terminals, "ptmx", flags) : open("/dev/ptmx", flags);
	if (*master < 0)
		return errno;
	int unlock = 0;
	/* By descriptor, not by name: the path /dev/pts may mean another instance in the process's root. */
	if (ioctl(*master, TIOCSPTLCK, &unlock) == 0)
		*slave = ioctl(*master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*slave < 0) {
		int error = errno;
		close(*master);
		*master = -1;
		return error;
	}
	expect_utf8(*slave);
	return 0;
}

void pty_resize(int master, uint16_t columns, uint16_t rows)
{
	struct winsize size = { .ws_col = columns, .ws_row = rows };
	if (master >= 0)
		ioctl(master, TIOCSWINSZ, &size);
}

pid_t pty_foreground(int master)
{
	pid_t group;
	return master >= 0 && ioctl(master, TIOCGPGRP, &group) == 0 ? group : -1;
}
