/*
 * What a bare start of a program costs: spawn ROOT PROGRAM. In ROOT it starts PROGRAM for each line
 * on standard input and answers a line: nanoseconds from posix_spawn until it was waited for.
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

int main(int argc, char **argv)
{
	char line[16];

	if (argc != 3 || chroot(argv[1]) || chdir("/"))
		fail("spawn ROOT PROGRAM");
	setlinebuf(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		char *const arguments[] = { argv[2], NULL };
		char *const environment[] = { NULL };
		long long start = now_ns();
		int status, error;
		pid_t child;

		error = posix_spawn(&child, argv[2], NULL, NULL, arguments, environment);
		if (error || waitpid(child, &status, 0) != child || status)
			fail(error ? strerror(error) : argv[2]);
		printf("%lld\n", now_ns() - start);
	}
	return 0;
}
