/*
 * PID 1 of the benchmark's guest. Mounts the 9p tree with the options in bench.mount= of the kernel
 * command line, then runs one round for each line on the serial port ("small" or "bulk") and answers
 * a line of JSON: milliseconds by phase.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILES 2500
#define FILE_BYTES 200
#define BULK_BYTES (16 * 1024 * 1024)
#define BLOCK_BYTES (64 * 1024)

static char block[BLOCK_BYTES];

static void fail(const char *what)
{
	printf("failed: %s: %s\n", what, strerror(errno));
	for (;;)
		pause();
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int open_or_fail(const char *path, int flags)
{
	int fd = open(path, flags, 0644);

	if (fd < 0)
		fail(path);
	return fd;
}

static const char *file_path(int n)
{
	static char path[32];

	snprintf(path, sizeof(path), "/mnt/d/f%d", n);
	return path;
}

static void create_file(int n)
{
	int fd = open_or_fail(file_path(n), O_CREAT | O_EXCL | O_WRONLY);

	if (write(fd, block, FILE_BYTES) != FILE_BYTES)
		fail("write");
	close(fd);
}

static void stat_file(int n)
{
	struct stat st;

	if (stat(file_path(n), &st) || st.st_size != FILE_BYTES)
		fail("stat");
}

static void read_file(int n)
{
	int fd = open_or_fail(file_path(n), O_RDONLY);

	if (read(fd, block, FILE_BYTES) != FILE_BYTES)
		fail("read");
	close(fd);
}

static void remove_file(int n)
{
	if (unlink(file_path(n)))
		fail("unlink");
}

static double time_files(void (*work)(int n))
{
	double start = now_ms();

	for (int n = 0; n < FILES; n++)
		work(n);
	return now_ms() - start;
}

static void small_round(void)
{
	if (mkdir("/mnt/d", 0755))
		fail("mkdir");
	double create = time_files(create_file);
	double stat = time_files(stat_file);
	double read = time_files(read_file);
	double remove = time_files(remove_file);

	if (rmdir("/mnt/d"))
		fail("rmdir");
	printf("{\"create\":%.2f,\"stat\":%.2f,\"read\":%.2f,\"remove\":%.2f}\n", create, stat, read, remove);
}

static double write_bulk(void)
{
	double start = now_ms();
	int fd = open_or_fail("/mnt/bulk", O_CREAT | O_EXCL | O_WRONLY);

	for (int done = 0; done < BULK_BYTES; done += BLOCK_BYTES)
		if (write(fd, block, BLOCK_BYTES) != BLOCK_BYTES)
			fail("write");
	if (fsync(fd))
		fail("fsync");
	close(fd);
	return now_ms() - start;
}

static double read_bulk(void)
{
	double start = now_ms();
	int fd = open_or_fail("/mnt/bulk", O_RDONLY);
	int done = 0;

	for (ssize_t got; (got = read(fd, block, BLOCK_BYTES)) > 0;)
		done += got;
	if (done != BULK_BYTES)
		fail("read");
	close(fd);
	return now_ms() - start;
}

static void drop_caches(void)
{
	int fd = open_or_fail("/proc/sys/vm/drop_caches", O_WRONLY);

	if (write(fd, "3", 1) != 1)
		fail("drop_caches");
	close(fd);
}

static void bulk_round(void)
{
	double write = write_bulk();

	drop_caches();
	double read = read_bulk();

	if (unlink("/mnt/bulk"))
		fail("unlink");
	printf("{\"write\":%.2f,\"read\":%.2f}\n", write, read);
}

static const char *mount_options(void)
{
	static char line[2048];
	int fd = open_or_fail("/proc/cmdline", O_RDONLY);

	if (read(fd, line, sizeof(line) - 1) < 0)
		fail("cmdline");
	close(fd);
	char *options = strstr(line, "bench.mount=");

	if (!options)
		fail("bench.mount");
	options += strlen("bench.mount=");
	options[strcspn(options, " \n")] = '\0';
	return options;
}

int main(void)
{
	char line[16];

	mkdir("/proc", 0755);
	mkdir("/mnt", 0755);
	if (mount("devtmpfs", "/dev", "devtmpfs", 0, NULL) || mount("proc", "/proc", "proc", 0, NULL))
		fail("mount");
	for (int fd = 0; fd < 3; fd++)
		dup2(open_or_fail("/dev/ttyS0", O_RDWR), fd);
	setlinebuf(stdout);
	if (mount("host9p", "/mnt", "9p", MS_NOATIME, mount_options()))
		fail("mount host9p");
	memset(block, 'x', sizeof(block));
	puts("{}");
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "small\n"))
			small_round();
		else if (!strcmp(line, "bulk\n"))
			bulk_round();
		else
			fail(line);
	}
	fail("stdin");
}
