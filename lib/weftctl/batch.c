// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Commands from a file, one per line, as in "ip -batch": '#' starts a comment, and '\' at the end
 * of a line continues the command in the next one. The message about a failed command has its line
 * number.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weftctl.h"

/* Remove a comment. Return: true if the command continues in the next line */
static bool trim(char *line)
{
	size_t len;

	line[strcspn(line, "#")] = 0;
	len = strlen(line);
	while (len && isspace((unsigned char)line[len - 1]))
		line[--len] = 0;
	if (!len || line[len - 1] != '\\')
		return false;
	line[len - 1] = ' ';
	return true;
}

int read_command(FILE *f, const char *name, unsigned int *n, char **text)
{
	char *all = NULL, *line = NULL, *longer;
	size_t size = 0, len = 0;
	bool more = true;

	while (more && getline(&line, &size, f) >= 0) {
		++*n;
		more = trim(line);
		longer = realloc(all, len + strlen(line) + 1);
		if (!longer)
			break;
		all = longer;
		strcpy(all + len, line);
		len += strlen(line);
	}
	free(line);
	*text = all;
	if (!more || feof(f))
		return all ? 1 : 0;
	complain("%s: %s", name, strerror(errno));
	free(all);
	return -1;
}

int split_command(char *line, char **words)
{
	char *word, *rest;
	int n = 0;

	for (word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		if (n == WORDS_MAX) {
			complain("more than %d words", WORDS_MAX);
			return -1;
		}
		words[n++] = word;
	}
	return n;
}

int run_batch(const char *name, bool force, int (*run)(int argc, char **argv))
{
	bool in = !strcmp(name, "-");
	FILE *f = in ? stdin : fopen(name, "r");
	unsigned int line = 0, from;
	int n, got, status, worst = 0;
	char *words[WORDS_MAX];
	char *text;

	if (!f) {
		complain("%s: %s", name, strerror(errno));
		return EXIT_USAGE;
	}
	for (from = 1; (got = read_command(f, name, &line, &text)) > 0; from = line + 1) {
		n = split_command(text, words);
		status = n < 0 ? EXIT_USAGE : n ? run(n, words) : 0;
		free(text);
		if (!status)
			continue;
		complain("%s:%u: this command failed", name, from);
		worst = status > worst ? status : worst;
		if (!force)
			break;
	}
	if (!in)
		fclose(f);
	return got < 0 ? EXIT_USAGE : worst;
}
