// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A file that appears as a whole or not at all. It is written beside its place, under another name,
 * reaches the disk and is renamed. A signal that ends the program removes it.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

#include "weftctl.h"

/* The unfinished file; a program writes one at a time */
static char unfinished[PATH_MAX];

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static void on_end(int sig)
{
	unlink(unfinished);
	/* the default action, as SA_RESETHAND has restored it */
	raise(sig);
}

static void on_ends(void (*handler)(int))
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = (int)SA_RESETHAND };
	struct sigaction old;
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		/* a program started by nohup stays without the signal */
		if (!sigaction(ends[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(ends[i], &act, NULL);
	}
}

int whole_begin(const char *name)
{
	int fd;

	if (snprintf(unfinished, sizeof(unfinished), "%s.XXXXXX", name) >=
	    (int)sizeof(unfinished)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	on_ends(on_end);
	/* 0600 */
	fd = mkstemp(unfinished);
	if (fd < 0)
		on_ends(SIG_DFL);
	return fd;
}

void whole_drop(int fd)
{
	int err = errno;

	unlink(unfinished);
	close(fd);
	on_ends(SIG_DFL);
	errno = err;
}

/* The new name reaches the disk, too, where folders can be synchronised. */
static void sync_folder(const char *name)
{
	const char *slash = strrchr(name, '/');
	char folder[PATH_MAX];
	int fd;

	if (slash)
		snprintf(folder, sizeof(folder), "%.*s/", (int)(slash - name), name);
	fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}

int whole_end(int fd, const char *name)
{
	if (fsync(fd) || rename(unfinished, name)) {
		whole_drop(fd);
		return -1;
	}
	on_ends(SIG_DFL);
	sync_folder(name);
	return close(fd);
}
