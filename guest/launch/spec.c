#include "spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "relay-connect.h"
#include "relay-loop.h"

#define SPEC_MAX 65536
#define WAIT_MAX_MS 86400000

static void append(const char **list, unsigned *count, unsigned max, const char *value)
{
	if (*count == max) {
		errno = E2BIG;
		fail("Cannot start the jail: more than %u layers or groups", max);
	}
	list[(*count)++] = value;
}

static unsigned long number(const char *key, const char *value)
{
	char *rest;
	errno = 0;
	unsigned long result = strtoul(value, &rest, 10);
	if (errno || rest == value || *rest)
		fail("Cannot start the jail: %s is no number", key);
	return result;
}

static enum jail_ids ids_named(const char *value)
{
	static const char *const names[] = { [IDS_ONE] = "one", [IDS_OURS] = "ours", [IDS_OF_HOST] = "host", [IDS_ALONE] = "alone" };
	for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
		if (strcmp(value, names[index]) == 0)
			return (enum jail_ids)index;
	}
	errno = 0;
	fail("Cannot start the jail: unknown ids %s", value);
}

static void take(struct jail_spec *spec, const char *key, const char *value)
{
	if (strcmp(key, "bind") == 0)
		spec->bind = value;
	else if (strcmp(key, "lower") == 0)
		append(spec->lowers, &spec->lower_count, LOWERS_MAX, value);
	else if (strcmp(key, "upper") == 0)
		spec->upper = value;
	else if (strcmp(key, "work") == 0)
		spec->work = value;
	else if (strcmp(key, "userxattr") == 0)
		spec->userxattr = number(key, value) != 0;
	else if (strcmp(key, "nested") == 0)
		spec->nested = number(key, value) != 0;
	else if (strcmp(key, "hostname") == 0)
		spec->hostname = value;
	else if (strcmp(key, "ids") == 0)
		spec->ids = ids_named(value);
	else if (strcmp(key, "first-id") == 0)
		spec->first_id = (uint32_t)number(key, value);
	else if (strcmp(key, "group") == 0)
		append(spec->groups, &spec->group_count, GROUPS_MAX_JOINED, value);
	else if (strcmp(key, "processes") == 0)
		spec->processes = number(key, value);
	else if (strcmp(key, "shared-kib") == 0)
		spec->shared_kib = number(key, value);
	else if (strcmp(key, "meet") == 0)
		spec->meet = value;
	else if (strcmp(key, "wait-ms") == 0)
		spec->wait_ms = number(key, value);
	else if (strcmp(key, "relay") == 0)
		spec->relay = value;
	else if (strcmp(key, "relay-key") == 0)
		spec->relay_key = value;
	else if (strcmp(key, "relay-flows") == 0)
		spec->relay_flows = number(key, value);
	else if (strcmp(key, "relay-rate") == 0)
		spec->relay_rate = number(key, value);
	else
		fail("Cannot start the jail: unknown key %s", key);
}

static void check_relay(const struct jail_spec *spec)
{
	if (!spec->relay && !spec->relay_key && !spec->relay_flows && !spec->relay_rate)
		return;
	if (!spec->relay || !spec->relay_key || strlen(spec->relay_key) != RELAY_KEY_LENGTH || spec->relay_flows == 0 ||
	    spec->relay_flows > RELAY_FLOWS_MAX || spec->relay_rate == 0 || spec->relay_rate > RELAY_RATE_MAX)
		fail("Cannot start the jail: the request has a network that does not fit");
	if (spec->ids == IDS_ALONE)
		fail("Cannot start the jail: without namespaces, it has no network of its own");
}

static void check(const struct jail_spec *spec)
{
	bool is_overlay = spec->lower_count > 0 && spec->upper && spec->work;
	errno = 0;
	bool names_id = spec->ids == IDS_OF_HOST || spec->ids == IDS_ALONE;
	if (names_id != (spec->first_id != 0))
		fail("Cannot start the jail: the request has ids that do not fit");
	if (spec->ids == IDS_ALONE && (!spec->bind || spec->nested))
		fail("Cannot start the jail: without namespaces, its root is a folder and nothing nests in it");
	if (!spec->meet != !spec->wait_ms || spec->wait_ms > WAIT_MAX_MS)
		fail("Cannot start the jail: the request has a wait that does not fit");
	if (!spec->bind == !is_overlay || !spec->hostname || !spec->processes || !spec->shared_kib)
		fail("Cannot start the jail: the request is not complete");
	check_relay(spec);
}

void spec_read(struct jail_spec *spec, int fd)
{
	static char text[SPEC_MAX];
	size_t length = 0;
	ssize_t count;
	while ((count = read(fd, text + length, sizeof text - length)) > 0)
		length += (size_t)count;
	errno = 0;
	if (count < 0 || length == 0 || length == sizeof text || text[length - 1] != 0)
		fail("Cannot read the request to start a jail");
	*spec = (struct jail_spec){ 0 };
	for (char *at = text; at < text + length;) {
		char *next = at + strlen(at) + 1;
		char *value = strchr(at, '=');
		if (!value)
			fail("Cannot read the request to start a jail");
		*value = 0;
		take(spec, at, value + 1);
		at = next;
	}
	check(spec);
}
