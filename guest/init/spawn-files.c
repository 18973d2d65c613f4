#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "protocol.h"
#include "pty.h"

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/*
 * `ours` does not block; the child's end must, or programs would meet EAGAIN. It is above the descriptors
 * that a child takes: one of those that is free in init would be lost when the child takes its own.
 */
static int open_pipe(int *ours, int *theirs, int our_end)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return errno;
	*ours = ends[our_end];
	fcntl(*ours, F_SETFL, O_NONBLOCK);
	*theirs = fcntl(ends[!our_end], F_DUPFD_CLOEXEC, CHILD_FILES);
	int error = *theirs < 0 ? errno : 0;
	close(ends[!our_end]);
	return error;
}

static int open_terminal(struct spawn_files *files, const struct exec_request *request)
{
	int slave;
	int error = pty_open(&files->output, &slave);
	if (error)
		return error;
	for (int fd = 0; fd < 3; fd++)
		files->child_files[fd] = slave;
	pty_resize(files->output, request->columns, request->rows);
	/* Its own descriptor, since epoll knows one interest per descriptor. */
	files->input = fcntl(files->output, F_DUPFD_CLOEXEC, 3);
	return files->input < 0 ? errno : 0;
}

static int open_pipes(struct spawn_files *files, const struct exec_request *request)
{
	int error = 0;
	if (request->flags & EXEC_STDIN) {
		error = open_pipe(&files->input, &files->child_files[0], 1);
	} else {
		files->child_files[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		error = files->child_files[0] < 0 ? errno : 0;
	}
	if (!error)
		error = open_pipe(&files->output, &files->child_files[1], 0);
	if (!error)
		error = open_pipe(&files->errors, &files->child_files[2], 0);
	if (!error && request->flags & EXEC_STATUS)
		error = open_pipe(&files->status, &files->child_files[3], 0);
	return error;
}

int spawn_files_open(struct spawn_files *files, const struct exec_request *request)
{
	*files = (struct spawn_files){ -1, -1, -1, -1, -1, { -1, -1, -1, -1 }, -1 };
	int error = open_pipe(&files->report, &files->child_report, 0);
	if (!error)
		error = request->flags & EXEC_PTY ? open_terminal(files, request) : open_pipes(files, request);
	if (error)
		spawn_files_close(files);
	return error;
}

void spawn_files_close_child_side(struct spawn_files *files)
{
	/* A terminal's three are one descriptor. */
	if (files->child_files[1] == files->child_files[0])
		files->child_files[1] = files->child_files[2] = -1;
	for (int fd = 0; fd < CHILD_FILES; fd++)
		close_one(&files->child_files[fd]);
	close_one(&files->child_report);
}

void spawn_files_close(struct spawn_files *files)
{
	spawn_files_close_child_side(files);
	close_one(&files->input);
	close_one(&files->output);
	close_one(&files->errors);
	close_one(&files->status);
	close_one(&files->report);
}
