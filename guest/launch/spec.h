/*
 * What the bridge asks for: "key=value" texts, each ended by a NUL. It comes through a descriptor,
 * since anybody on the host may read the arguments of a process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* As many as the bridge stacks before it flattens, and some. */
#define LOWERS_MAX 64
#define GROUPS_MAX_JOINED 8

struct jail_spec {
	/* Absolute and without symbolic links. Either `bind`, or the three of an overlay. */
	const char *bind;
	const char *lowers[LOWERS_MAX];
	unsigned lower_count;
	const char *upper;
	const char *work;
	/* The layers were written without privileges: whiteouts and opaque marks are user.overlay.* */
	bool userxattr;
	/* Processes may make user namespaces, and mounts in those. */
	bool nested;
	const char *hostname;
	/* Whose ids the jail's are. */
	enum jail_ids {
		/* Our own uid is all there is: the jail's uid 0, and nobody else. */
		IDS_ONE,
		/* The 65536 of the user namespace that we are root of. On disk they are the same. */
		IDS_OURS,
		/* 65536 of the host from first_id on. On disk they are counted from 0. */
		IDS_OF_HOST,
		/*
		 * first_id alone, for all, and no namespace at all: what keeps the jail from the host is that nothing
		 * else has this id, a changed root and Landlock (launch-alone.h).
		 */
		IDS_ALONE,
	} ids;
	uint32_t first_id;
	/* The files of control groups to write "0" to: cgroup.procs or, in version 1, tasks. */
	const char *groups[GROUPS_MAX_JOINED];
	unsigned group_count;
	unsigned long processes;
	/* Where another bridge meets the jail, and how long the jail waits for it (meeting.h); NULL and 0 when it does not. */
	const char *meet;
	unsigned long wait_ms;
	/*
	 * Where the bridge takes what goes out of the jail, by what name the jail goes there, how many connections at
	 * a time, and how many of them and of questions begin in a second (relay.h); NULL and 0 when nothing goes out.
	 */
	const char *relay;
	const char *relay_key;
	unsigned long relay_flows;
	unsigned long relay_rate;
	/* Bound of each tmpfs that processes can fill. */
	unsigned long shared_kib;
};

/* Reads `fd` to its end. Texts live as long as the process. */
void spec_read(struct jail_spec *spec, int fd);
