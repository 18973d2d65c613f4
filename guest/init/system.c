#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ENTROPY_MAX 256

/* Linux 4.14 */
#ifndef RNDRESEEDCRNG
#define RNDRESEEDCRNG _IO('R', 0x07)
#endif

static int write_setting(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	int error = write(fd, value, strlen(value)) < 0 ? errno : 0;
	close(fd);
	return error;
}

static void raise_loopback(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	if (fd < 0)
		return;
	ioctl(fd, SIOCSIFFLAGS, &request);
	close(fd);
}

void system_tune(void)
{
	/* A page is written back at 100 ms of age, looked for every 200 ms: a change reaches the host's
	 * tree, and with it automatic capture, within 300 ms instead of 30 s. */
	write_setting("/proc/sys/vm/dirty_expire_centisecs", "10");
	write_setting("/proc/sys/vm/dirty_writeback_centisecs", "20");
	raise_loopback();
}

void system_take_precedence(void)
{
	/* By system call: musl's sched_setscheduler() only answers ENOSYS. */
	struct sched_param lowest = { .sched_priority = 1 };
	syscall(SYS_sched_setscheduler, 0, SCHED_RR | SCHED_RESET_ON_FORK, &lowest);
	/* When an emulator's host stands still for seconds, the guest's clock goes on and the time counts
	 * as that of whoever ran: the throttle for such tasks would then keep init from answering. */
	write_setting("/proc/sys/kernel/sched_rt_runtime_us", "-1");
}

int system_set_clock(uint64_t epoch_ns)
{
	struct timespec time = {
		.tv_sec = (time_t)(epoch_ns / 1000000000u),
		.tv_nsec = (long)(epoch_ns % 1000000000u),
	};
	return clock_settime(CLOCK_REALTIME, &time) < 0 ? errno : 0;
}

int system_add_entropy(const uint8_t *bytes, uint32_t count)
{
	/* struct rand_pool_info of random(4), with its flexible array filled in. */
	struct {
		int entropy_bits;
		int size;
		uint8_t bytes[ENTROPY_MAX];
	} pool = { .entropy_bits = (int)count * 8, .size = (int)count };
	if (count == 0 || count > ENTROPY_MAX)
		return EINVAL;
	memcpy(pool.bytes, bytes, count);
	int fd = open("/dev/urandom", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno;
	int error = ioctl(fd, RNDADDENTROPY, &pool) < 0 || ioctl(fd, RNDRESEEDCRNG) < 0 ? errno : 0;
	close(fd);
	return error;
}

int system_set_host_name(const char *name)
{
	return sethostname(name, strlen(name)) < 0 ? errno : 0;
}

int system_drop_caches(void)
{
	return write_setting("/proc/sys/vm/drop_caches", "3");
}
