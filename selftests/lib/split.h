/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Command lines for the tests of weftctl
 */
#ifndef WEFT_SPLIT_H
#define WEFT_SPLIT_H

#include <stdio.h>
#include <string.h>

#define WORDS	32

/* Split @line at blanks. Return: words in @argv, which has space for WORDS */
static inline int split(const char *line, char **argv)
{
	static char buf[256];
	int argc = 0;
	char *word;

	snprintf(buf, sizeof(buf), "%s", line);
	for (word = strtok(buf, " "); word && argc < WORDS; word = strtok(NULL, " "))
		argv[argc++] = word;
	return argc;
}

#endif
