#include "directories.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "folder.h"

struct directory {
	struct metadata metadata;
	struct directory *next;
	/* The path with its NUL, then the attributes. */
	char bytes[];
};

/* The innermost first. */
static struct directory *begun;
/* Those whose mode keeps this process, an ordinary user's, from what is in them; the innermost first. */
static struct directory *shut, **shut_end = &shut;

static struct directory *copy_of(const struct entry *entry)
{
	size_t path_bytes = strlen(entry->path) + 1, attributes_bytes = entry->metadata.attributes_bytes;
	struct directory *directory = malloc(sizeof *directory + path_bytes + attributes_bytes);
	if (!directory)
		fail("memory for \"%.200s\"", entry->path);
	directory->metadata = entry->metadata;
	directory->metadata.attributes = (uint8_t *)directory->bytes + path_bytes;
	memcpy(directory->bytes, entry->path, path_bytes);
	memcpy(directory->bytes + path_bytes, entry->metadata.attributes, attributes_bytes);
	return directory;
}

static bool is_in(const char *path, const char *directory)
{
	size_t length = strlen(directory);
	return length == 0 || (strncmp(path, directory, length) == 0 && path[length] == '/');
}

/* The mode of a directory that is left; what it says of its owner comes when all is made. */
static void finish(struct directory *directory)
{
	struct metadata now = directory->metadata;
	bool is_shut = geteuid() != 0 && (now.mode & 0700) != 0700;
	if (is_shut)
		now.mode |= 0700;
	int fd = folder_open_directory(directory->bytes);
	set_metadata(fd, &now, directory->bytes);
	close(fd);
	if (!is_shut) {
		free(directory);
		return;
	}
	directory->next = NULL;
	*shut_end = directory;
	shut_end = &directory->next;
}

void directory_begin(const struct entry *entry)
{
	const char *path = entry->path;
	if (*path && mkdirat(folder_parent(path), last_name(path), 0700) < 0 && errno != EEXIST)
		fail("the directory \"%.200s\"", path);
	struct directory *directory = copy_of(entry);
	directory->next = begun;
	begun = directory;
}

void directories_leave(const char *path)
{
	while (begun && !is_in(path, begun->bytes)) {
		struct directory *directory = begun;
		begun = directory->next;
		finish(directory);
	}
}

void directories_end(void)
{
	while (begun) {
		struct directory *directory = begun;
		begun = directory->next;
		finish(directory);
	}
	for (struct directory *directory = shut; directory; directory = directory->next) {
		int fd = folder_open_directory(directory->bytes);
		if (fchmod(fd, directory->metadata.mode & 07777) < 0)
			fail("the mode of \"%.200s\"", directory->bytes);
		close(fd);
	}
}
