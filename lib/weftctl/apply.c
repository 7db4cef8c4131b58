// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Apply a file of commands to a machine on which an earlier version of the file may be in effect.
 * A second file, the state, has the commands in effect. Commands of the state that the file no
 * longer has are taken back; commands that the state does not have are executed. The state is then
 * written anew, with what succeeded.
 *
 * A port and a job are taken back by deletion. Other commands change settings, whose former values
 * are not known: they can only be replaced by a command for the same setting.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weftctl.h"

struct command {
	unsigned int line;
	int n;
	char *words[WORDS_MAX + 2];	/* with space for "port NAME" */
	char *text;			/* memory of the words */
	bool gone;			/* no longer in effect */
	bool added;			/* executed in this run */
};

struct file {
	const char *name;
	struct command *cmd;
	unsigned int n;
};

typedef int (*run_fn)(int argc, char **argv);

/* words of commands that no file has */
static char word_del[4] = "del";
static char word_port[5] = "port";

static void free_file(struct file *f)
{
	unsigned int i;

	for (i = 0; i < f->n; i++)
		free(f->cmd[i].text);
	free(f->cmd);
}

/* Read a file; a state that does not exist (@may_miss) is empty. Return: 0, -1: message printed */
static int read_file(struct file *f, const char *name, bool may_miss)
{
	bool in = !strcmp(name, "-");
	FILE *from = in ? stdin : fopen(name, "r");
	unsigned int line = 0, first = 1;
	struct command *more, *c;
	char *text;
	int got;

	*f = (struct file){ .name = name };
	if (!from) {
		if (may_miss && errno == ENOENT)
			return 0;
		complain("%s: %s", name, strerror(errno));
		return -1;
	}
	while ((got = read_command(from, name, &line, &text)) > 0) {
		more = realloc(f->cmd, (f->n + 1) * sizeof(*more));
		if (!more) {
			complain("out of memory");
			free(text);
			got = -1;
			break;
		}
		f->cmd = more;
		c = &more[f->n];
		*c = (struct command){ .line = first, .text = text };
		first = line + 1;
		c->n = split_command(text, c->words);
		if (c->n < 0)
			got = -1;
		if (c->n <= 0)
			free(text);
		else
			f->n++;
		if (got < 0)
			break;
	}
	if (!in)
		fclose(from);
	return got;
}

static bool is(const struct command *c, const char *object, const char *verb)
{
	return c->n > 2 && matches(c->words[0], object) && matches(c->words[1], verb);
}

/* The port that a command of a job names, NULL: none */
static const char *port_of_job(const struct command *c)
{
	int i;

	for (i = 3; i < c->n - 1; i += matches(c->words[i], "all") ? 1 : 2)
		if (matches(c->words[i], "port"))
			return c->words[i + 1];
	return NULL;
}

/* Does the command concern the port? */
static bool concerns(const struct command *c, const char *port)
{
	const char *of_job;

	if (!matches(c->words[0], "job"))
		return c->n > 2 && !strcmp(c->words[2], port);
	of_job = port_of_job(c);
	return of_job && !strcmp(of_job, port);
}

/* Are the first @n words equal? */
static bool same_words(const struct command *a, const struct command *b, int n)
{
	int i;

	if (a->n < n || b->n < n)
		return false;
	for (i = 0; i < n; i++)
		if (strcmp(a->words[i], b->words[i]))
			return false;
	return true;
}

static struct command *find(const struct file *f, const struct command *c)
{
	unsigned int i;

	for (i = 0; i < f->n; i++)
		if (!f->cmd[i].gone && f->cmd[i].n == c->n && same_words(&f->cmd[i], c, c->n))
			return &f->cmd[i];
	return NULL;
}

/* Has the file a command for the same setting? */
static bool replaced(const struct file *f, const struct command *c)
{
	int n = is(c, "limit", "set") ? 4 : 3;
	unsigned int i;

	for (i = 0; i < f->n; i++)
		if (same_words(&f->cmd[i], c, n))
			return true;
	return false;
}

/* Execute a command, and print it behind a sign. */
static int execute(run_fn run, char sign, int n, char **words)
{
	int i;

	putchar(sign);
	for (i = 0; i < n; i++)
		printf(" %s", words[i]);
	putchar('\n');
	fflush(stdout);
	return run(n, words);
}

/* Take back a command of the state that the file no longer has. Return: exit status */
static int take_back(struct file *state, struct command *c, const struct file *file, run_fn run)
{
	char *del[5] = { c->words[0], word_del, c->n > 2 ? c->words[2] : NULL, word_port, NULL };
	bool port = is(c, "port", "add");
	unsigned int i;
	int ret;

	if (!port && !is(c, "job", "add")) {
		c->gone = replaced(file, c);
		if (c->gone)
			return 0;
		complain("%s no longer has \"%s %s ...\": the setting stays until weft starts again",
			 file->name, c->words[0], c->n > 1 ? c->words[1] : "");
		return EXIT_USAGE;
	}
	if (!port)
		del[4] = (char *)port_of_job(c);
	ret = execute(run, '-', del[4] ? 5 : 3, del);
	if (ret)
		return ret;
	c->gone = true;
	/* what belonged to the port went with it */
	for (i = 0; port && i < state->n; i++)
		if (concerns(&state->cmd[i], del[2]))
			state->cmd[i].gone = true;
	return 0;
}

/* A job of all ports is in effect: create it on those that were added after it. */
static int job_on_new_ports(const struct file *file, struct command *c, run_fn run)
{
	char *words[WORDS_MAX + 2];
	unsigned int i;
	int ret, worst = 0;

	memcpy(words, c->words, sizeof(words));
	words[c->n] = word_port;
	for (i = 0; i < file->n; i++) {
		if (!file->cmd[i].added || !is(&file->cmd[i], "port", "add"))
			continue;
		words[c->n + 1] = file->cmd[i].words[2];
		ret = execute(run, '+', c->n + 2, words);
		worst = ret > worst ? ret : worst;
	}
	return worst;
}

static int apply_one(const struct file *file, const struct file *state, struct command *c,
		     run_fn run)
{
	int ret;

	if (find(state, c))
		return is(c, "job", "add") && !port_of_job(c) ? job_on_new_ports(file, c, run) : 0;
	ret = execute(run, '+', c->n, c->words);
	c->added = !ret;
	c->gone = ret;
	return ret;
}

static void put_command(FILE *to, const struct command *c)
{
	int i;

	for (i = 0; i < c->n; i++)
		fprintf(to, "%s%c", c->words[i], i + 1 < c->n ? ' ' : '\n');
}

/* Write the commands in effect: those of the file, then those that could not be taken back. */
static int write_state(const struct file *file, const struct file *state)
{
	FILE *to = fopen(state->name, "w");
	unsigned int i;

	for (i = 0; to && i < file->n; i++)
		if (file->cmd[i].added || find(state, &file->cmd[i]))
			put_command(to, &file->cmd[i]);
	for (i = 0; to && i < state->n; i++)
		if (!state->cmd[i].gone && !find(file, &state->cmd[i]))
			put_command(to, &state->cmd[i]);
	if (to && !fclose(to))
		return 0;
	complain("%s: %s", state->name, strerror(errno));
	return EXIT_USAGE;
}

int apply_batch(const char *name, const char *state_name, bool force, run_fn run)
{
	struct file file, state;
	int ret, worst = 0;
	unsigned int i;

	if (read_file(&file, name, false) || read_file(&state, state_name, true)) {
		free_file(&file);
		return EXIT_USAGE;
	}
	/* the last ones first: jobs before their ports */
	for (i = state.n; i--; ) {
		if (state.cmd[i].gone || find(&file, &state.cmd[i]))
			continue;
		ret = take_back(&state, &state.cmd[i], &file, run);
		worst = ret > worst ? ret : worst;
	}
	for (i = 0; i < file.n && (force || !worst); i++) {
		ret = apply_one(&file, &state, &file.cmd[i], run);
		if (ret)
			complain("%s:%u: this command failed", name, file.cmd[i].line);
		worst = ret > worst ? ret : worst;
	}
	ret = write_state(&file, &state);
	free_file(&file);
	free_file(&state);
	return ret > worst ? ret : worst;
}
