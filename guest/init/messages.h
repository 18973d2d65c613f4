/* The frames that init sends, one function each. All but process output fit the room kept for them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "protocol.h"

struct hello_message {
	const uint8_t *nonce;
	uint32_t capabilities;
	const uint8_t *boot_id;
	/* How many ATTACHED frames follow. */
	uint32_t attached;
};

struct attached_message {
	uint32_t stream;
	pid_t pid;
	/* enum exec_flag */
	uint8_t flags;
	/* Stdin that the host may send. */
	uint32_t stdin_credit;
};

struct exit_message {
	uint8_t code;
	uint8_t signal;
	enum exit_reason reason;
	uint64_t user_us;
	uint64_t system_us;
	uint64_t duration_us;
	uint32_t max_rss_kib;
};

void send_hello(const struct hello_message *hello);
void send_attached(const struct attached_message *attached);
void send_started(uint32_t stream, pid_t pid);
void send_exit(uint32_t stream, const struct exit_message *exit);
void send_credit(uint32_t stream, uint32_t bytes);
void send_ok(uint32_t request);
/* `what` says what could not be done; it is cut at 200 bytes. */
void send_error(uint32_t request, int error, const char *what);
/* The ERROR of an EXEC whose process could not start. */
void send_start_error(uint32_t request, int error, const char *what, enum start_subject subject);
void send_pong(uint32_t request);
/* For people. Dropped when there is no room. */
__attribute__((format(printf, 1, 2))) void send_log(const char *format, ...);
