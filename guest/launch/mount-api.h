/*
 * Mounts by descriptor (fsopen(2), open_tree(2), move_mount(2)) and paths that cannot leave their
 * root (openat2(2)). Everything here either does what it is asked for or ends the start with fail().
 */
#pragma once

#include <stdint.h>
#include <sys/mount.h>

/*
 * Opens what `path` names below `root`, as O_PATH with `flags`: a symbolic link or a mount point
 * anywhere in it is a failure. Answers -1 with errno.
 */
int open_inside(int root, const char *path, int flags);
/* The same for a directory that must be there; it is made, with `mode`, where it is missing. */
int open_mount_point(int root, const char *path, mode_t mode);
/* A copy of the mount that holds `path`, attached nowhere. */
int clone_mount(int directory, const char *path, unsigned flags);
/* A fresh file system, attached nowhere. `options`: pairs of key and value, then NULL. */
int new_mount(const char *type, uint64_t attributes, const char *const *options);
void set_attributes(int mount, uint64_t attributes, const char *what);
void attach(int mount, int mount_point, const char *what);
