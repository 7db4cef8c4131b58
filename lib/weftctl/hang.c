// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * "weftctl hang": which programs wait for what, since when, and why. It asks the kernel for all
 * that waits or is under way on this node. diagnose.c compares these objects.
 *
 * Nothing is asked on other nodes. An answer of theirs would show one node's users what those of
 * another node do, and who may ask would have to be decided anew. The text says where to go on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose.h"
#include "weftctl.h"

#define AGE_MS		10000	/* without the word "age" */
#define EACH_MAX	64	/* objects of a kind and a program that are looked at */
#define ALL_MAX		4096	/* objects that are looked at */

static const struct wait_words words = { "hang", "peer", "cause", HAS_EP | HAS_AGE | HAS_TAG };

/* State of a process, as /proc/PID/stat has it behind the name; X: the file is not there */
static char program(uint32_t pid)
{
	char path[32], line[256], *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return 'X';
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	/* a name may contain parentheses */
	end = strrchr(line, ')');
	return end && end[1] ? end[2] : 0;
}

/* ---- What is shown ---------------------------------------------------------------------- */

/* Objects of a program that wait for the same reason; @x is the oldest */
struct finding {
	const struct seen *x;
	struct cause cause;
	unsigned int more;
};

/* By port and program; then those that wait longest, of each kind. */
static int by_program(const void *a, const void *b)
{
	const struct seen *x = *(const struct seen *const *)a;
	const struct seen *y = *(const struct seen *const *)b;
	int diff = strcmp(x->port, y->port);

	if (diff || x->pid != y->pid)
		return diff ? diff : x->pid < y->pid ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->age_ms < y->age_ms ? 1 : -(x->age_ms > y->age_ms);
}

static bool wanted(const struct wait_filter *f, const struct seen *x)
{
	return (x->kind <= SEEN_CQ || x->kind == SEEN_CONN) && x->age_ms >= (f->has_age ? f->age_ms : AGE_MS) &&
	       (!f->pid || x->pid == f->pid) && (!f->ep || addr_is(&x->ep, f->ep)) &&
	       (!f->peer || addr_is(&x->peer, f->peer)) &&
	       (!f->has_tag || (x->tagged && !((x->tag ^ f->tag) & ~x->ignore)));
}

static bool same_program(const struct seen *x, const struct seen *y)
{
	return x->pid == y->pid && !strcmp(x->port, y->port);
}

static bool alike(const struct finding *f, const struct seen *x, const struct cause *cause)
{
	return f->x->kind == x->kind && same_program(f->x, x) &&
	       !memcmp(&f->x->ep, &x->ep, sizeof(x->ep)) &&
	       !memcmp(&f->x->peer, &x->peer, sizeof(x->peer)) &&
	       !strcmp(f->cause.word, cause->word);
}

/* Diagnose @n objects, in the order of by_program(). Return: number of findings. */
static size_t find(const struct scene *scene, const struct wait_filter *filter,
		   const struct seen **waiting, size_t n, struct finding *to, size_t *left)
{
	size_t i, k, first = 0, found = 0, looked = 0, each = 0;
	struct cause cause;

	*left = 0;
	for (i = 0; i < n; i++) {
		const struct seen *x = waiting[i];

		if (!i || !same_program(x, waiting[i - 1]) || x->kind != waiting[i - 1]->kind) {
			each = 0;
			first = found;
		}
		if (each++ >= EACH_MAX || looked++ >= ALL_MAX) {
			++*left;
			continue;
		}
		if (!diagnose(scene, x, &cause) ||
		    (filter->state && strcmp(cause.word, filter->state)))
			continue;
		for (k = first; k < found && !alike(&to[k], x, &cause); k++)
			;
		if (k < found) {
			to[k].more++;
			continue;
		}
		to[found++] = (struct finding){ .x = x, .cause = cause };
	}
	return found;
}

static const char *const kinds[] = {
	[SEEN_RECV] = "receive", [SEEN_MSG] = "message", [SEEN_SEND] = "send", [SEEN_CQ] = "queue",
	[SEEN_CONN] = "connection",
};

/* Does it go to the remote endpoint? */
static bool goes_out(const struct seen *x)
{
	return x->kind == SEEN_SEND || (x->kind == SEEN_CONN && !x->in);
}

static void print_text(const struct finding *f, bool first)
{
	const struct seen *x = f->x;
	char addr[ADDR_TEXT];

	if (first)
		printf("%s%s%s: process %u (%s) of user %u %s", color_on(COLOR_NAME), x->port,
		       color_off(COLOR_NAME), x->pid, x->comm, x->uid,
		       program_words(program(x->pid)));
	printf("%c    %s", out_line_end(), kinds[x->kind]);
	if (x->kind == SEEN_CQ)
		printf(" of completions 0x%x", x->cq);
	if (x->kind == SEEN_SEND && !x->tagged)
		printf(" of %" PRIu64 " bytes", x->len);
	if (x->tagged)
		printf(" tag 0x%" PRIx64, x->tag);
	if (x->ignore)
		printf(" ignore 0x%" PRIx64, x->ignore);
	if (x->named) {
		enum color color;

		addr_text(addr, &x->peer);
		color = color_of("peer", addr);
		printf(" %s %s%s%s", goes_out(x) ? "to" : "from", color_on(color), addr,
		       color_off(color));
	}
	printf(" since %" PRIu64 " s: %s", x->age_ms / 1000, f->cause.text);
	if (f->more)
		printf(" (%u more like it)", f->more);
}

static void print_members(const struct finding *f)
{
	const struct seen *x = f->x;
	char state[2] = { program(x->pid), 0 };

	out_open();
	out_str("port", OUT_KEY, x->port);
	out_uint("pid", OUT_KEY, x->pid);
	out_str("comm", OUT_KEY, x->comm);
	out_uint("uid", OUT_KEY, x->uid);
	out_str("program", OUT_KEY, program_words(state[0]));
	out_str("object", OUT_KEY, kinds[x->kind]);
	if (x->tagged) {
		out_hex("tag", OUT_KEY, x->tag);
		out_hex("ignore", OUT_KEY, x->ignore);
	}
	if (x->ep.family)
		out_addr("ep", OUT_KEY, &x->ep);
	if (x->named)
		out_addr("peer", OUT_KEY, &x->peer);
	if (x->kind == SEEN_CQ)
		out_uint("cq", OUT_KEY, x->cq);
	else if (x->kind != SEEN_CONN)
		out_uint("len", OUT_KEY, x->len);
	out_uint("age_ms", OUT_KEY, x->age_ms);
	out_str("cause", OUT_KEY, f->cause.word);
	out_str("text", OUT_KEY, f->cause.text);
	out_uint("more", OUT_KEY, f->more);
	out_close();
}

static void print(const struct finding *f, size_t n)
{
	bool first;
	size_t i;

	out_columns("port pid object age_ms cause comm");
	out_begin();
	for (i = 0; i < n; i++) {
		if (out_is_json() || out_is_brief()) {
			print_members(&f[i]);
			continue;
		}
		first = !i || !same_program(f[i].x, f[i - 1].x);
		if (first && i)
			putchar('\n');
		print_text(&f[i], first);
	}
	if (n && !out_is_json() && !out_is_brief())
		putchar('\n');
	out_end();
}

/* Nothing is printed. */
static void say_none(const struct wait_filter *f)
{
	uint64_t s = (f->has_age ? f->age_ms : AGE_MS) / 1000;

	if (f->port || f->ep || f->peer || f->state || f->pid || f->has_tag)
		complain("hang: nothing matches of what has waited for %" PRIu64 " s%s", s,
			 f->state ? guess_of(f->state, CAUSES) : "");
	else
		complain("hang: nothing has waited for %" PRIu64 " s", s);
}

static int show(const struct wait_filter *filter)
{
	struct scene scene = { .program = program };
	const struct seen **waiting;
	struct path_event *events = NULL;
	struct finding *found;
	size_t i, n = 0, left;
	struct seen *all;
	int ret = see("hang", filter->port, &all, &scene.n);

	if (!ret)
		ret = see_more("hang", filter->port, &all, &scene.n);
	if (!ret)
		ret = see_paths("hang", filter->port, &events, &scene.nevents);
	scene.all = all;
	scene.events = events;
	waiting = calloc(scene.n + 1, sizeof(*waiting));
	found = calloc(scene.n < ALL_MAX ? scene.n + 1 : ALL_MAX, sizeof(*found));
	if (!ret && (!waiting || !found)) {
		complain("hang: out of memory");
		ret = EXIT_KERNEL;
	}
	if (!ret) {
		for (i = 0; i < scene.n; i++)
			if (wanted(filter, &all[i]))
				waiting[n++] = &all[i];
		qsort(waiting, n, sizeof(*waiting), by_program);
		n = find(&scene, filter, waiting, n, found, &left);
		print(found, n);
		if (!n)
			say_none(filter);
		if (left)
			complain("hang: %zu more objects wait, which were not looked at", left);
	}
	free(found);
	free(waiting);
	free(events);
	free(all);
	return ret;
}

int do_hang(int argc, char **argv)
{
	struct wait_filter filter;

	/* there is one command: its word may be left out before the filters, too */
	if (argc && matches(argv[0], "show")) {
		argc--;
		argv++;
	}
	if (argc != 1 || !asks_help(argv[0], false))
		return parse_waits(&words, argc, argv, &filter) ? EXIT_USAGE : show(&filter);
	printf("Usage: weftctl hang [show] [[port] NAME] [FILTER ...]\n"
	       "       weftctl hang help\n"
	       "Shows which programs wait for what, since when, and why.\n"
	       "FILTER:  age SECONDS       what has waited so long at least, default %d\n"
	       "         pid PID           of this process\n"
	       "         ep ADDRESS        of this endpoint, with its service or without\n"
	       "         peer ADDRESS      for this endpoint or node\n"
	       "         tag TAG           with this tag, or that takes it\n"
	       "         cause WORD        for this reason (weftctl(8))\n", AGE_MS / 1000);
	return 0;
}
