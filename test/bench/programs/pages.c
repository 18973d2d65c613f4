/*
 * Writes as a database does: pages FILE MIB. Says "written" when FILE has MIB mebibytes; then writes pages of 8 KiB at
 * random places of it, adds each to a second file of 16 MiB from its beginning on, and flushes that after every 32.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE_BYTES 8192
#define LOG_PAGES 2048
#define PAGES_OF_FLUSH 32

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int open_file(const char *path)
{
	int fd = open(path, O_CREAT | O_RDWR, 0644);

	if (fd < 0)
		fail(path);
	return fd;
}

int main(int argc, char **argv)
{
	char page[PAGE_BYTES], log_path[256];

	if (argc != 3)
		fail("pages FILE MIB");
	snprintf(log_path, sizeof(log_path), "%s.log", argv[1]);
	int file = open_file(argv[1]), log = open_file(log_path);
	long pages = atol(argv[2]) * (1024 * 1024 / PAGE_BYTES);

	memset(page, 'p', sizeof(page));
	for (long at = 0; at < pages; at++) {
		if (write(file, page, sizeof(page)) != sizeof(page))
			fail(argv[1]);
	}
	puts("written");
	fflush(stdout);
	for (long n = 0;; n++) {
		memcpy(page, &n, sizeof(n));
		if (pwrite(log, page, sizeof(page), n % LOG_PAGES * PAGE_BYTES) < 0 ||
		    pwrite(file, page, sizeof(page), random() % pages * PAGE_BYTES) < 0)
			fail("a page");
		if (n % PAGES_OF_FLUSH == 0 && fdatasync(log) < 0)
			fail("a flush");
	}
}
