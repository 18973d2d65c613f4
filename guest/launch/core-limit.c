#include "core-limit.h"

#include <errno.h>
#include <linux/audit.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define I386_SETRLIMIT 75

struct limit {
	uint64_t current, most;
};

/* struct rlimit of 32 bits: its largest number means no limit. */
static int read_small(const struct seccomp_notif *question, struct limit *limit)
{
	uint32_t small[2];
	int error = question_read(question, (uint32_t)question->data.args[1], small, sizeof small);
	*limit = (struct limit){ small[0], small[1] };
	return error;
}

static int read_wanted(const struct seccomp_notif *question, struct limit *limit)
{
	const struct seccomp_data *data = &question->data;
	if (data->arch == AUDIT_ARCH_I386 && data->nr == I386_SETRLIMIT)
		return read_small(question, limit);
	bool has_two = data->arch == AUDIT_ARCH_X86_64 && data->nr == SYS_setrlimit;
	return question_read(question, data->args[has_two ? 1 : 2], limit, sizeof *limit);
}

/* Where prlimit(2) puts the limit that there was; 0 for nowhere. */
static uint64_t place_of_old(const struct seccomp_data *data)
{
	bool has_two = data->arch == AUDIT_ARCH_I386 ? data->nr == I386_SETRLIMIT : data->nr == SYS_setrlimit;
	return has_two ? 0 : data->args[3];
}

int answer_core_limit(const struct seccomp_notif *question)
{
	struct rlimit ours;
	struct limit wanted = { 0, 0 };
	int error = read_wanted(question, &wanted);
	if (error || getrlimit(RLIMIT_CORE, &ours) < 0)
		return error ? error : -errno;
	if (wanted.current > wanted.most)
		return -EINVAL;
	/* Everything in the jail has what init has. */
	if (wanted.most > ours.rlim_max)
		return -EPERM;
	struct limit old = { ours.rlim_cur, ours.rlim_max };
	uint64_t place = place_of_old(&question->data);
	return place ? question_write(question, place, &old, sizeof old) : 0;
}
