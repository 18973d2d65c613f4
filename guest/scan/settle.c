#include "settle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "answer.h"
#include "folder.h"

/* sync_file_range(2): only all three together write every dirty page, also one that is being written already. */
#define WRITE_ALL (SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER)

/* Answers false with errno. Nothing can break the lease: nothing opens the file meanwhile. */
static bool can_lease(int fd)
{
	if (fcntl(fd, F_SETLEASE, F_RDLCK) < 0)
		return false;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return true;
}

/*
 * The kernel gives a lease for reading on a file that nobody has open for writing (fcntl(2)), and a
 * mapping that writes to the file has it open so, wherever its process is and by whatever name. Also
 * answers true where that is not known.
 */
static bool may_be_written(int fd, uid_t owner)
{
	if (can_lease(fd))
		return false;
	if (errno != EACCES)
		return true;
	/* Without CAP_LEASE, which no user namespace gives, leases are the owner's to take. */
	int own = setfsuid(owner);
	bool is_leased = can_lease(fd);
	setfsuid((uid_t)own);
	return !is_leased;
}

void tell_used(const char *path)
{
	struct stat stat;
	int fd = folder_open_file(path, 0);
	bool is_used = fd >= 0 && fstat(fd, &stat) == 0 && may_be_written(fd, stat.st_uid);
	close(fd);
	answer_done(is_used);
}

/* cachestat(2), since Linux 6.5 and in no library yet. */
#define SYS_CACHESTAT 451

struct cache_range {
	uint64_t offset, length;
};

struct cache_pages {
	uint64_t cached, dirty, being_written, evicted, recently_evicted;
};

/* Pages of a file that are to be written to disk: all of its own where the kernel does not tell. */
static uint64_t dirty_pages(int fd, off_t size)
{
	struct cache_range range = { 0 };
	struct cache_pages pages;
	if (syscall(SYS_CACHESTAT, fd, &range, &pages, 0u) < 0)
		return (uint64_t)size / 4096 + 1;
	return pages.dirty + pages.being_written;
}

/* What a disk writes in some milliseconds. One written byte may count as a folio of 2 MiB. */
#define LITTLE_PAGES 1024

void settle_file(const char *path, bool only_little)
{
	struct stat stat;
	int fd = folder_open_file(path, 0);
	/* Gone, where others run meanwhile. */
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) {
		answer_done(SETTLED);
		return;
	}
	if (fd < 0 || fstat(fd, &stat) < 0)
		refuse(FAILED_OTHERWISE, "\"%.200s\"", path);
	/*
	 * The kernel notes a time with the first write to a page that it has write-protected, which it does
	 * when it writes the page to disk. Later writes through the same mapping leave no trace until then.
	 */
	uint64_t answer = SETTLED;
	if (S_ISREG(stat.st_mode) && may_be_written(fd, stat.st_uid)) {
		if (only_little && dirty_pages(fd, stat.st_size) > LITTLE_PAGES)
			answer = NOT_LITTLE;
		else if (sync_file_range(fd, 0, 0, WRITE_ALL) < 0)
			answer = NOT_SETTLED;
	}
	close(fd);
	answer_done(answer);
}
