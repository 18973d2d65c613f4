#include "proc-masks.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "fail.h"
#include "mount-api.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/*
 * As in the OCI runtimes' default (readonlyPaths, maskedPaths), and more. Some kernels lack some. 1 is our init: its
 * files are the jail's root's, who would else make it the first to end when memory runs out.
 */
static const char *const read_only[] = { "1", "bus", "fs", "irq", "sys", "sysrq-trigger" };
static const char *const hidden_files[] = {
	"config.gz",   "interrupts", "kallsyms",    "kcore",	      "key-users",  "keys",	  "kmsg",
	"kpagecgroup", "kpagecount", "kpageflags",  "latency_stats", "modules",    "sched_debug", "slabinfo",
	"timer_list",  "timer_stats", "vmallocinfo",
};
static const char *const hidden_folders[] = { "acpi", "asound", "driver", "dynamic_debug", "scsi" };

/* Answers -1 where this kernel has no such entry. */
static int open_entry(int proc, const char *name)
{
	int fd = open_inside(proc, name, 0);
	if (fd < 0 && errno != ENOENT)
		fail("Cannot open /proc/%s", name);
	return fd;
}

static void cover(int entry, const char *name, int mount)
{
	set_attributes(mount, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, name);
	attach(mount, entry, name);
	close(mount);
	close(entry);
}

void mask_proc(int proc)
{
	static const char *const empty[] = { "mode", "555", "size", "4k", NULL };
	int entry;
	for (size_t index = 0; index < COUNT(read_only); index++) {
		if ((entry = open_entry(proc, read_only[index])) >= 0)
			cover(entry, read_only[index], clone_mount(entry, "", AT_EMPTY_PATH));
	}
	/* The host's /dev/null: the root has nothing to say here (CVE-2025-31133). */
	for (size_t index = 0; index < COUNT(hidden_files); index++) {
		if ((entry = open_entry(proc, hidden_files[index])) >= 0)
			cover(entry, hidden_files[index], clone_mount(AT_FDCWD, "/dev/null", AT_SYMLINK_NOFOLLOW));
	}
	for (size_t index = 0; index < COUNT(hidden_folders); index++) {
		if ((entry = open_entry(proc, hidden_folders[index])) >= 0)
			cover(entry, hidden_folders[index], new_mount("tmpfs", MOUNT_ATTR_NODEV, empty));
	}
}
