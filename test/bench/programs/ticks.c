/*
 * Sees a pause from inside a sandbox: ticks FOLDER FILES. For a line on standard input it writes FILES
 * files into FOLDER, says "written", and then looks at the clock four thousand times a second; for
 * the next line it answers the longest time between two looks, in nanoseconds.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_BYTES 200

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* A line has come; nothing of it is of interest. */
static void read_line(void)
{
	char line[16];

	if (read(STDIN_FILENO, line, sizeof(line)) <= 0)
		exit(0);
}

static void write_files(const char *folder, int files, int round)
{
	char path[256], text[FILE_BYTES];

	memset(text, 'a' + round % 26, sizeof(text));
	if (mkdir(folder, 0755) && round == 0)
		fail(folder);
	for (int n = 0; n < files; n++) {
		snprintf(path, sizeof(path), "%s/f%d", folder, n);
		int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644);

		if (fd < 0 || write(fd, text, sizeof(text)) != sizeof(text))
			fail(path);
		close(fd);
	}
}

static long long longest_gap(void)
{
	const struct timespec step = { .tv_nsec = 250000 };
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	long long longest = 0, last = now_ns();

	while (poll(&input, 1, 0) == 0) {
		nanosleep(&step, NULL);
		long long now = now_ns();

		if (now - last > longest)
			longest = now - last;
		last = now;
	}
	return longest;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		fail("ticks FOLDER FILES");
	setlinebuf(stdout);
	for (int round = 0;; round++) {
		read_line();
		write_files(argv[1], atoi(argv[2]), round);
		puts("written");
		long long longest = longest_gap();

		read_line();
		printf("%lld\n", longest);
	}
}
