#include "ahead.h"

#include <errno.h>
#include <time.h>

#include "answer.h"
#include "read.h"

static struct timespec deadline;
static size_t bytes_max;

static bool is_over(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return answer_kept() > bytes_max || now.tv_sec > deadline.tv_sec ||
	       (now.tv_sec == deadline.tv_sec && now.tv_nsec > deadline.tv_nsec);
}

static void begin(const struct request *request)
{
	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += request->milliseconds / 1000;
	deadline.tv_nsec += (long)(request->milliseconds % 1000) * 1000000;
	if (deadline.tv_nsec >= 1000000000) {
		deadline.tv_sec++;
		deadline.tv_nsec -= 1000000000;
	}
	bytes_max = request->bytes;
	answer_keep();
}

void read_ahead(struct request *request)
{
	uint32_t files = request->files, count = 0;
	bool goes_on = true;
	begin(request);
	for (uint32_t at = 0; at < files; at++) {
		if (!request_next(request))
			return;
		if (request->kind != SCAN_READ) {
			errno = 0;
			refuse(FAILED_OTHERWISE, "a request %d among those to read", (int)request->kind);
		}
		size_t before = answer_kept();
		goes_on = goes_on && read_file(request->path, is_over);
		if (goes_on)
			count++;
		else
			answer_cut(before);
	}
	answer_release(count);
}
