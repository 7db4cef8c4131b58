/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A target in a process of its own: it is side B of the row's pair, and the test is side A. Its
 * program offers memory under KEY, and then only waits. So a row can stop or kill it. Such rows are
 * "alone".
 */
#ifndef WEFT_OTHER_H
#define WEFT_OTHER_H

#include <sys/types.h>
#include "onesided.h"

/**
 * struct other - such a process
 * @mem: its memory, which the test has mapped before
 * @len: bytes of it
 * @begin: what the process does with its memory before it offers it, or NULL
 * @user: it is an ordinary user
 * @pid: the process
 * @down: it ends when the test closes this file
 */
struct other {
	uint8_t *mem;
	size_t len;
	bool (*begin)(struct other *b);
	bool user;
	pid_t pid;
	int down;
};

/* Start the process, and open side A, which knows it. */
bool other_start(struct other *b);
/* Stop it. Return: it is stopped. */
bool other_stop(struct other *b);
/* Let it go on, if it is stopped, and end. Return: all went well there. */
bool other_end(struct other *b);
bool other_kill(struct other *b);
/* Return: so it finds its memory, whether it runs or not. */
bool other_has(const struct other *b, size_t off, const void *bytes, size_t len);

/* State of a process or a thread, as in /proc: 'T' is stopped, 'S' sleeps. */
char state_of(pid_t pid);

#endif
