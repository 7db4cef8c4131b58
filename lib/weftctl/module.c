// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Versions: of weftctl, of the module that is loaded, and of the module that is installed. After an
 * update the loaded module stays until it is removed. Its digest of the sources (srcversion) then
 * differs from that of the installed module.
 */
#include <stdio.h>
#include <string.h>

#include "weftctl.h"

#ifndef WEFT_VERSION
#define WEFT_VERSION	"unknown"
#endif

/* Read the first line, without its end; close with @end. Return: there is a line */
static bool first_line(FILE *f, char *line, int size, int (*end)(FILE *f))
{
	bool got;

	if (!f)
		return false;
	got = fgets(line, size, f);
	if (got)
		line[strcspn(line, "\n")] = 0;
	end(f);
	return got && *line;
}

static bool loaded(const char *file, char *line, int size)
{
	return first_line(fopen(file, "r"), line, size, fclose);
}

/* Users who are not root have no modinfo in their path. */
static bool installed(const char *command, char *line, int size)
{
	return first_line(popen(command, "r"), line, size, pclose);
}

#define MODINFO	"PATH=\"$PATH:/usr/sbin:/sbin\" modinfo 2>/dev/null -F "

void print_versions(void)
{
	char version[64], now[64], next[64];

	puts("weftctl " WEFT_VERSION);
	if (!loaded("/sys/module/weft/version", version, sizeof(version)) ||
	    !loaded("/sys/module/weft/srcversion", now, sizeof(now))) {
		puts("module not loaded");
		return;
	}
	printf("module %s\n", version);
	if (!installed(MODINFO "srcversion weft", next, sizeof(next)) || !strcmp(now, next))
		return;
	if (!installed(MODINFO "version weft", version, sizeof(version)))
		strcpy(version, "without version");
	printf("another module is installed: %s\n", version);
	puts("It is loaded by \"systemctl restart weft\", or when the machine starts again.");
}
