#include "lay-machine-id.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "mount-api.h"

#define ID_BYTES 16

static void write_id(int run)
{
	uint8_t id[ID_BYTES];
	int fd = openat(run, "machine-id", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (fd < 0 || getrandom(id, sizeof id, 0) != (ssize_t)sizeof id)
		fail("Cannot make a machine id");
	/* A random UUID (RFC 9562, 5.4), which machine-id(5) asks for. */
	id[6] = (id[6] & 0x0f) | 0x40;
	id[8] = (id[8] & 0x3f) | 0x80;
	for (int index = 0; index < ID_BYTES; index++)
		dprintf(fd, "%02x", id[index]);
	dprintf(fd, "\n");
	close(fd);
}

void machine_id_lay_over(int root, int run)
{
	struct stat status;
	int place = open_inside(root, &MACHINE_ID[1], 0);
	if (place < 0)
		return;
	if (fstat(place, &status) == 0 && S_ISREG(status.st_mode)) {
		write_id(run);
		int id = clone_mount(run, "machine-id", AT_SYMLINK_NOFOLLOW);
		set_attributes(id, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, "machine-id");
		attach(id, place, MACHINE_ID);
		close(id);
	}
	close(place);
}
