/*
 * scan FOLDER FILES_MAX PATH_MAX: tells the bridge, as often as it asks, what changed in a folder and
 * what is in a file. Ends when it is asked no more. Does not write, and follows no symbolic link.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ahead.h"
#include "answer.h"
#include "folder.h"
#include "read.h"
#include "request.h"
#include "settle.h"
#include "walk.h"

static bool never(void)
{
	return false;
}

static void serve(struct request *request)
{
	switch (request->kind) {
	case SCAN_LOOK:
		walk_changed(request);
		return;
	case SCAN_LIST:
		walk_below(request->path);
		return;
	case SCAN_READ:
		read_file(request->path, never);
		return;
	case SCAN_GO:
		folder_go(request->path);
		return;
	case SCAN_SEEN:
		seen_add(request->seen, request->seen_count);
		return;
	case SCAN_SETTLE:
		settle_file(request->path, false);
		return;
	case SCAN_AHEAD:
		read_ahead(request);
		return;
	case SCAN_USED:
		tell_used(request->path);
		return;
	case SCAN_SETTLE_LITTLE:
		settle_file(request->path, true);
		return;
	}
	errno = 0;
	refuse(FAILED_OTHERWISE, "an unknown request %d", (int)request->kind);
}

int main(int count, char **arguments)
{
	static struct request request;
	if (count != 4) {
		fprintf(stderr, "usage: scan FOLDER FILES_MAX PATH_MAX\n");
		return 2;
	}
	folder.files_max = (uint32_t)strtoul(arguments[2], NULL, 10);
	folder.path_max = strtoul(arguments[3], NULL, 10);
	folder_open(arguments[1]);
	while (request_next(&request))
		serve(&request);
	return 0;
}
