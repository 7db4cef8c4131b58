/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file whose pages never come: its file system is a process that does not answer reads (FUSE). A
 * thread that needs a page waits until the process ends. Tests for waiting workers.
 */
#ifndef WEFT_SILENT_H
#define WEFT_SILENT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * struct silent - such a file
 * @fd: the file, open for reading
 * @server: its file system
 */
struct silent {
	int fd;
	pid_t server;
};

/* Make the file, of @len bytes. The caller is root. */
bool silent_begin(struct silent *s, size_t len);
/* End it: reads fail from now on, also those that wait. */
bool silent_end(struct silent *s);

#endif
