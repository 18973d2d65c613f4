#include "machine-id.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host.h"

#define PLACE "/etc/machine-id"
#define SOURCE "/run/machine-id"
#define ID_BYTES 16

static bool fill(uint8_t id[ID_BYTES])
{
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	bool is_full = fd >= 0 && read(fd, id, ID_BYTES) == ID_BYTES;
	if (fd >= 0)
		close(fd);
	return is_full;
}

static void write_id(int fd)
{
	uint8_t id[ID_BYTES];
	if (!fill(id))
		return;
	/* A random UUID (RFC 9562, 5.4), which machine-id(5) asks for. */
	id[6] = (id[6] & 0x0f) | 0x40;
	id[8] = (id[8] & 0x3f) | 0x80;
	for (int index = 0; index < ID_BYTES; index++)
		dprintf(fd, "%02x", id[index]);
	dprintf(fd, "\n");
}

void machine_id_lay(void)
{
	struct stat place;
	if (lstat(PLACE, &place) < 0 || !S_ISREG(place.st_mode))
		return;
	int fd = open(SOURCE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (fd < 0)
		return;
	write_id(fd);
	close(fd);
	mount(SOURCE, PLACE, NULL, MS_BIND, NULL);
}

void machine_id_renew(void)
{
	struct stat run, place;
	int fd = open(SYSROOT PLACE, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	/* Not a file of the tree: who is root inside may have taken ours away. */
	bool is_laid = stat(SYSROOT "/run", &run) == 0 && fstat(fd, &place) == 0 && S_ISREG(place.st_mode) &&
		       place.st_dev == run.st_dev;
	if (is_laid && ftruncate(fd, 0) == 0)
		write_id(fd);
	close(fd);
}
