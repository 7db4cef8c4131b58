// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Network namespaces: a socket belongs to the one in which it is opened, so weftctl enters one
 * before it speaks to the kernel. Files stay those of the caller.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "weftctl.h"

#define NAMES	"/run/netns"

/* Names that "ip netns" has given, like @name */
static const char *near_names(const char *name)
{
	DIR *dir = opendir(NAMES);
	struct dirent *e;
	struct guess g;

	guess_begin(&g, name);
	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			guess_word(&g, e->d_name);
	if (dir)
		closedir(dir);
	return guess_text(&g);
}

static int open_netns(const char *name)
{
	bool number = *name && strspn(name, "0123456789") == strlen(name);
	char path[PATH_MAX];
	int fd;

	if (strchr(name, '/'))
		return open(name, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), NAMES "/%s", name);
	fd = *name && name[0] != '.' ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (*name == 0 || name[0] == '.')
		errno = ENOENT;
	if (fd >= 0 || errno != ENOENT || !number)
		return fd;
	snprintf(path, sizeof(path), "/proc/%s/ns/net", name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

int enter_netns(const char *name)
{
	int fd = open_netns(name), err;

	if (fd < 0 && errno == ENOENT) {
		complain("there is no network namespace \"%s\", see \"ip netns\"%s", name,
			 near_names(name));
		return -1;
	}
	err = fd < 0 || setns(fd, CLONE_NEWNET) ? errno : 0;
	if (fd >= 0)
		close(fd);
	if (err == EPERM || err == EACCES)
		complain("network namespace %s: not permitted: run it as root (it needs "
			 "CAP_SYS_ADMIN)", name);
	else if (err == EINVAL)
		complain("%s is no network namespace", name);
	else if (err)
		complain("network namespace %s: %s", name, strerror(err));
	return err ? -1 : 0;
}
