/*
 * The first generic virtio port: /dev/vport<n>p1, of v86 and of QEMU's virtserialport alike. Unlike
 * a console it is not a terminal, carries 32 KiB per write and pushes back when the host is slow.
 */
#include "port.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int is_port(const char *name)
{
	unsigned device;
	int length = 0;
	return sscanf(name, "vport%up1%n", &device, &length) == 1 && length > 0 && name[length] == 0;
}

int port_open(void)
{
	DIR *devices = opendir("/dev");
	if (!devices)
		return -1;
	int fd = -1;
	struct dirent *device;
	while (fd < 0 && (device = readdir(devices))) {
		/* ENXIO and EBUSY mean that this one is a console, or taken. */
		if (is_port(device->d_name))
			fd = openat(dirfd(devices), device->d_name, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	}
	closedir(devices);
	return fd;
}
