/* Requests to the kernel's network, as of netlink(7) and rtnetlink(7). */
#pragma once

#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>

#define NETLINK_REQUEST_MAX 4096

/* Some messages, one after the other, to be sent together. Zero-initialised. */
struct netlink_request {
	_Alignas(struct nlmsghdr) unsigned char bytes[NETLINK_REQUEST_MAX];
	size_t length;
	/* Where the last message begins. */
	size_t message;
};

/* Begins a message with what comes first in all of its type. */
void netlink_begin(struct netlink_request *request, uint16_t type, uint16_t flags, const void *head, size_t size);
/* An attribute of the last message. */
void netlink_put(struct netlink_request *request, uint16_t type, const void *value, size_t size);
void netlink_put_text(struct netlink_request *request, uint16_t type, const char *text);
/* A number in the byte order of the network, as netfilter wants them. */
void netlink_put_big(struct netlink_request *request, uint16_t type, uint32_t value);
/* Attributes within an attribute: what `netlink_open` answers goes to `netlink_close`. */
size_t netlink_open(struct netlink_request *request, uint16_t type);
void netlink_close(struct netlink_request *request, size_t attribute);

/* Sends it to `family` and takes the answer. Fails, naming `what`, unless one message at least is acknowledged and none refused. */
void netlink_ask(const struct netlink_request *request, int family, const char *what);
