#include "root-mount.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"
#include "id-map.h"
#include "mount-api.h"

/* -1: files keep their owners. */
static int mount_ids = -1;

/* A copy of the mount at an absolute path of the host, with the jail's ids. */
static int open_layer(const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
	if (fd < 0)
		fail("Cannot open the layer %s", path);
	int layer = clone_mount(fd, "", AT_EMPTY_PATH);
	close(fd);
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (uint64_t)mount_ids };
	if (mount_ids >= 0 && mount_setattr(layer, "", AT_EMPTY_PATH, &attr, sizeof attr) < 0)
		fail("Cannot map the ids of %s", path);
	return layer;
}

static void attach_at(int mount, const char *path)
{
	if (mkdir(path, 0755) < 0)
		fail("Cannot make %s", path);
	if (move_mount(mount, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		fail("Cannot mount %s", path);
	close(mount);
}

static void open_stage(void)
{
	if (mount("tmpfs", STAGE, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=755,size=64k") < 0)
		fail("Cannot mount on %s", STAGE);
	/* Options of mount(2) are short, so layers get short names relative to here. */
	if (chdir(STAGE) < 0)
		fail("Cannot enter %s", STAGE);
}

/* Upper and work must lie in one mount, so it is their parent that is mounted. */
static void split_upper(const struct jail_spec *spec, char parent[PATH_MAX])
{
	const char *upper = strrchr(spec->upper, '/'), *work = strrchr(spec->work, '/');
	size_t length = upper ? (size_t)(upper - spec->upper) : 0;
	errno = 0;
	if (length == 0 || length >= PATH_MAX || !work || (size_t)(work - spec->work) != length ||
	    memcmp(spec->upper, spec->work, length) != 0)
		fail("Cannot mount the overlay: upper and work are not side by side");
	/* What separates options and layers. */
	if (strpbrk(upper, ",:\\") || strpbrk(work, ",:\\"))
		fail("Cannot mount the overlay: a name has one of , : and \\ in it");
	memcpy(parent, spec->upper, length);
	parent[length] = 0;
}

static void mount_overlay(const struct jail_spec *spec)
{
	char parent[PATH_MAX], name[16], options[4096];
	int lowers[LOWERS_MAX];
	split_upper(spec, parent);
	for (unsigned index = 0; index < spec->lower_count; index++)
		lowers[index] = open_layer(spec->lowers[index]);
	int upper = open_layer(parent);
	open_stage();
	attach_at(upper, "u");
	size_t length = (size_t)snprintf(options, sizeof options, "upperdir=u%s,workdir=u%s,", strrchr(spec->upper, '/'),
					 strrchr(spec->work, '/'));
	/* What the bridge does not read in an upper must not be written there, whatever the kernel's defaults. */
	length += (size_t)snprintf(options + length, sizeof options - length, "%s,lowerdir=",
				   spec->userxattr ? "userxattr" : "redirect_dir=off,metacopy=off,index=off");
	for (unsigned index = 0; index < spec->lower_count; index++) {
		snprintf(name, sizeof name, "%u", index);
		attach_at(lowers[index], name);
		length += (size_t)snprintf(options + length, sizeof options - length, "%s%s", index ? ":" : "", name);
	}
	errno = 0;
	if (length >= sizeof options)
		fail("Cannot mount the overlay: the names are too long");
	if (mkdir("root", 0755) < 0 || mount("overlay", "root", "overlay", MS_NOSUID | MS_NODEV, options) < 0)
		fail("Cannot mount the overlay");
}

static void mount_bind(const struct jail_spec *spec)
{
	int root = open_layer(spec->bind);
	set_attributes(root, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, "the root");
	open_stage();
	attach_at(root, "root");
}

void root_mount_make(const struct jail_spec *spec)
{
	/* None of ours appears on the host, and what is unmounted there goes here. */
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		fail("Cannot make mounts follow those of the host");
	if (spec->ids == IDS_OF_HOST)
		mount_ids = id_map_for_mounts(spec->first_id);
	if (spec->bind)
		mount_bind(spec);
	else
		mount_overlay(spec);
	if (mount_ids >= 0)
		close(mount_ids);
}
