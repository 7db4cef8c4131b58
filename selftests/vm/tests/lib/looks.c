// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "check.h"
#include "looks.h"

#define LEFT_MS 20000

/*
 * sysfs shows the ports of the namespace in which it was mounted. Nodes may have been made anew, so
 * sysfs is mounted for this read, outside of any path. (A program for each read, "node N cat",
 * takes a quarter of a second in an emulator, and longer on a busy one.)
 */
static int sysfs_of(int node)
{
	int self = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), fs, fd = -1;

	node_enter(node);
	fs = fsopen("sysfs", FSOPEN_CLOEXEC);
	if (fs >= 0 && !fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	if (fd < 0 || self < 0 || setns(self, CLONE_NEWNET)) {
		printf("Bail out! node %d has no sysfs: %s\n", node, strerror(errno));
		exit(1);
	}
	close(fs);
	close(self);
	return fd;
}

long long port_attr(int node, const char *name)
{
	char path[100], text[64];
	ssize_t len = -1;
	int sysfs, fd;

	if (nodes_are_one())
		node = 0;
	snprintf(path, sizeof(path), "class/weft/weft%d/%s", node, name);
	sysfs = sysfs_of(node);
	fd = openat(sysfs, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		len = read(fd, text, sizeof(text) - 1);
	if (len <= 0) {
		printf("Bail out! node %d: %s cannot be read: %s\n", node, path,
		       strerror(errno));
		exit(1);
	}
	close(fd);
	close(sysfs);
	text[len] = 0;
	return atoll(text);
}

bool port_limit(int node, const char *name, unsigned int value)
{
	char cmd[160];

	if (nodes_are_one())
		node = 0;
	snprintf(cmd, sizeof(cmd), "node %d weftctl limit set weft%d %s %u", node, node, name,
		 value);
	CHECK_EQ(system(cmd), 0);
	return true;
}

void nodes_run(const char *format, const char *arg)
{
	char cmd[256];
	int n;

	for (n = 0; n < 2 - nodes_are_one(); n++) {
		snprintf(cmd, sizeof(cmd), format, arg, n, n);
		if (system(cmd)) {
			printf("Bail out! %s failed\n", cmd);
			exit(1);
		}
	}
}

bool nothing_left(void)
{
	static const char *const attrs[] = { "contexts", "endpoints", "pinned_bytes" };
	uint64_t until = now_ms() + LEFT_MS;
	long long v = 0;
	size_t i;
	int n;

	for (n = 0; n < 2; n++) {
		for (i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
			while ((v = port_attr(n, attrs[i])) && now_ms() < until)
				usleep(1000);
			if (v) {
				printf("# node %d: %lld %s left\n", n, v, attrs[i]);
				return false;
			}
		}
	}
	return true;
}

/* A line of /proc/meminfo, in bytes. */
static long long meminfo(const char *name)
{
	char line[128];
	long long kib = -1;
	FILE *f = fopen("/proc/meminfo", "re");

	while (f && kib < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			kib = atoll(line + strlen(name) + 1);
	if (f)
		fclose(f);
	return kib * 1024;
}

/* Pages that a CPU keeps are up to some ten MiB since Linux 6.7, and no part of MemAvailable. */
long long memory_available(void)
{
	long long bytes = meminfo("MemAvailable"), pages;
	FILE *f = fopen("/proc/zoneinfo", "re");
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, " count: %lld", &pages) == 1)
			bytes += pages * sysconf(_SC_PAGESIZE);
	if (f)
		fclose(f);
	return bytes;
}

bool memory_redzones(void)
{
	struct utsname u;

	return !uname(&u) && strstr(u.release, "kasan");
}
