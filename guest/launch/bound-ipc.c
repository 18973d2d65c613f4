#include "bound-ipc.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* A queue of 16,384 empty messages, the most that msgmnb lets in, takes the kernel a MiB. */
#define KIB_PER_QUEUE 1024
#define SEMAPHORES_PER_KIB 8
#define SEMAPHORES_OF_SET 32000
#define KIB_PER_SET 1

static unsigned long at_most(unsigned long value, unsigned long most)
{
	return value < most ? value : most;
}

__attribute__((format(printf, 2, 3))) static void set(const char *name, const char *format, ...)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/sys/kernel/%s", name);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	va_list values;
	va_start(values, format);
	vdprintf(fd, format, values);
	va_end(values);
	close(fd);
}

void bound_ipc(const struct jail_spec *spec)
{
	/* An eighth of the jail's memory for shared memory, and a sixteenth each for messages and semaphores. */
	unsigned long memory_kib = spec->shared_kib / 2, kernel_kib = spec->shared_kib / 4;
	set("shmall", "%lu", memory_kib * 1024 / (unsigned long)sysconf(_SC_PAGESIZE));
	set("shmmni", "%lu", at_most(kernel_kib / 2, 4096));
	set("msgmni", "%lu", at_most(kernel_kib / KIB_PER_QUEUE + 1, 32000));
	/* semget(2): in a set, in all, in a call, sets. */
	set("sem", "%d %lu 500 %lu", SEMAPHORES_OF_SET, kernel_kib * SEMAPHORES_PER_KIB,
	    at_most(kernel_kib / KIB_PER_SET, 32000));
}
