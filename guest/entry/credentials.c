#include "credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path.h"
#include "report.h"

#define CREDENTIALS_MAX 1024

static char credentials[CREDENTIALS_MAX];

void credentials_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, credentials, sizeof credentials);
	if (length < 0)
		fail("Cannot read WORKSPACE_CREDENTIALS (%s): %s", path, strerror(errno));
	close(fd);
	if (length == sizeof credentials)
		fail("WORKSPACE_CREDENTIALS (%s) is longer than a password", path);
	credentials[length] = 0;
	credentials[strcspn(credentials, "\r\n")] = 0;
	if (!strchr(credentials, ':'))
		fail("WORKSPACE_CREDENTIALS (%s) has to have \"user:password\" on its first line", path);
}

/* RFC 4648 */
static void encode(const char *text, char *into)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t length = strlen(text);
	for (size_t at = 0; at < length; at += 3) {
		size_t count = length - at < 3 ? length - at : 3;
		uint32_t bits = 0;
		for (size_t index = 0; index < 3; index++)
			bits = bits << 8 | (index < count ? (uint8_t)text[at + index] : 0);
		for (size_t index = 0; index < 4; index++)
			*into++ = index <= count ? digits[bits >> (18 - 6 * index) & 63] : '=';
	}
	*into = 0;
}

void credentials_give(const char *url)
{
	char encoded[CREDENTIALS_MAX * 4 / 3 + 8], header[sizeof encoded + 32], key[PATH_MAX];
	if (!*credentials)
		return;
	encode(credentials, encoded);
	snprintf(header, sizeof header, "Authorization: Basic %s", encoded);
	const char *authority = strstr(url, "://") + 3;
	path_write(key, "http.%.*s/.extraHeader", (int)(authority - url + (long)strcspn(authority, "/?#")), url);
	/* Not as arguments, which everybody on the machine can list. */
	setenv("GIT_CONFIG_COUNT", "1", 1);
	setenv("GIT_CONFIG_KEY_0", key, 1);
	setenv("GIT_CONFIG_VALUE_0", header, 1);
}

void credentials_forget(void)
{
	explicit_bzero(credentials, sizeof credentials);
}
