/*
 * Landlock as the wall between a jail and the files of the host, where there is no mount namespace to keep
 * them apart. Unlike landlock.h it denies every kind of access that this kernel can deny, anywhere, and
 * then allows what is below the jail's root.
 */
#pragma once

#include <stdbool.h>

/* Directories of the host, opened while they can be. */
struct host_folders {
	/* The jail's root, and its own /dev. */
	int root;
	int devices;
	/* The host's /dev, or -1 where it has no terminals: there is no mounting them in the root. */
	int terminals;
};

/*
 * Rules for rules_enforce(), made before the root is changed. As in landlock.h, no signals for and no abstract
 * sockets of others, and no TCP, as far as the kernel knows how.
 */
int landlock_prepare_alone(const struct host_folders *folders);
