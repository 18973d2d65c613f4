/*
 * Answers for prlimit(2) and setrlimit(2) of RLIMIT_CORE, which stays what it is (confine.h). Who asks for no cores,
 * as programs with secrets do, has that already; more than there is is refused as the kernel does.
 */
#pragma once

#include "questions.h"

/* 0, or a negative errno. */
int answer_core_limit(const struct seccomp_notif *question);
