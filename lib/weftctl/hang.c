// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * "weftctl hang": which programs wait for what, since when, and why. It asks the kernel for all
 * that waits or is under way on this node. diagnose.c compares these objects. Where the reason is
 * on another node, asking.c asks that one, and told.c adds what it tells. If that node does not
 * permit questions, the text says where to go on.
 *
 * A program need not notify the kernel of a receive. Then the kernel reads it from the ring when a
 * message comes, or when somebody looks, and its age begins there. So if a look finds such receives
 * the command looks again a second later. Those that are still there are shown: since when they
 * wait is not known.
 */
#include <dirent.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose.h"
#include "weftctl.h"

#define AGE_MS		10000	/* without the word "age" */
#define AGAIN_MS	1000	/* until the second look */
#define EACH_MAX	64	/* objects of a kind and a program that are looked at */
#define ALL_MAX		4096	/* objects that are looked at */

/* What is to be shown */
struct hang_filter {
	struct wait_filter waits;
	const char *job;		/* NULL: all */
	bool local;			/* other nodes are not asked */
};

static const struct wait_words words = { "hang", "peer", "cause", HAS_EP | HAS_AGE | HAS_TAG };

/* State of a thread as its file stat has it behind the name; 0: it has ended */
static char thread(uint32_t pid, const char *tid)
{
	char path[64], line[256], *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/task/%.20s/stat", pid, tid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	/* a name may contain parentheses */
	end = strrchr(line, ')');
	return end && end[1] ? end[2] : 0;
}

/*
 * State of a process, by its threads: one that computes, or waits in the kernel, says more than
 * those that sleep. A process is stopped if all of them are. X: /proc does not have it
 */
static char program(uint32_t pid)
{
	static const char order[] = "RDSITtZX";
	const char *best = order + sizeof(order) - 2, *at;
	struct dirent *entry;
	char path[32], state;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		state = thread(pid, entry->d_name);
		at = state ? strchr(order, state) : NULL;
		if (at && at < best)
			best = at;
	}
	if (dir)
		closedir(dir);
	return *best;
}

/* ---- What is shown ---------------------------------------------------------------------- */

/* Objects of a program that wait for the same reason; @x is the oldest */
struct finding {
	const struct seen *x;
	struct cause cause;
	struct told told;		/* of the endpoint for which it waits */
	bool circle;
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

static bool same_program(const struct seen *x, const struct seen *y)
{
	return x->pid == y->pid && !strcmp(x->port, y->port);
}

/* The endpoints of a job. @ep has space for all objects. Return: their number */
static size_t find_members(const struct scene *scene, const char *job, const struct seen **ep)
{
	const struct seen *s;
	size_t n = 0;

	for (s = scene->all; s < scene->all + scene->n; s++)
		if (s->kind == SEEN_EP && !strcmp(s->job, job))
			ep[n++] = s;
	return n;
}

/* Is an object of these endpoints: at one, or of the context of one if it is at none? */
static bool is_of(const struct seen *const *ep, size_t n, const struct seen *x)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (same_program(ep[i], x) && ep[i]->ctx == x->ctx &&
		    (!x->ep.family || !memcmp(&ep[i]->ep, &x->ep, sizeof(x->ep))))
			return true;
	return false;
}

static uint64_t least_age(const struct wait_filter *f)
{
	return f->has_age ? f->age_ms : AGE_MS;
}

static bool wanted(const struct wait_filter *f, const struct seen *x)
{
	return (x->kind <= SEEN_CQ || x->kind == SEEN_CONN) &&
	       (x->age_ms >= least_age(f) || (x->least && x->age_ms >= AGAIN_MS)) &&
	       (!f->pid || x->pid == f->pid) && (!f->ep || addr_is(&x->ep, f->ep)) &&
	       (!f->peer || addr_is(&x->peer, f->peer)) &&
	       (!f->has_tag || (x->tagged && !((x->tag ^ f->tag) & ~x->ignore)));
}

/* Objects that may be shown. @members, @to: space for all objects. Return: their number */
static size_t choose_waiting(const struct scene *scene, const struct hang_filter *filter,
			     const struct seen **members, const struct seen **to)
{
	size_t nmembers = filter->job ? find_members(scene, filter->job, members) : 0, n = 0;
	const struct seen *s;

	for (s = scene->all; s < scene->all + scene->n; s++)
		if (wanted(&filter->waits, s) && (!filter->job || is_of(members, nmembers, s)))
			to[n++] = s;
	qsort(to, n, sizeof(*to), by_program);
	return n;
}

static bool alike(const struct finding *f, const struct seen *x, const struct cause *cause)
{
	return f->x->kind == x->kind && same_program(f->x, x) &&
	       !memcmp(&f->x->ep, &x->ep, sizeof(x->ep)) &&
	       !memcmp(&f->x->peer, &x->peer, sizeof(x->peer)) &&
	       !strcmp(f->cause.word, cause->word);
}

/* Complete a finding whose reason may be on another node. */
static void ask_about(const struct scene *scene, bool local, struct finding *f)
{
	struct chain chain = { .n = 0 };

	if (f->cause.hint[0] && !local)
		ask_there(scene, f->x, &chain);
	add_told(f->x, &chain, &f->cause);
	f->told = chain.told[0];
	f->circle = chain.circle;
}

/* Diagnose @n objects, in the order of by_program(). Return: number of findings. */
static size_t find(const struct scene *scene, const struct hang_filter *filter,
		   const struct seen **waiting, size_t n, struct finding *to, size_t *left)
{
	const char *state = filter->waits.state;
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
		    (state && strcmp(cause.word, state)))
			continue;
		for (k = first; k < found && !alike(&to[k], x, &cause); k++)
			;
		if (k < found) {
			to[k].more++;
			continue;
		}
		to[found] = (struct finding){ .x = x, .cause = cause };
		ask_about(scene, filter->local, &to[found++]);
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
	printf(" %s %" PRIu64 " s: %s", x->least ? "for at least" : "since", x->age_ms / 1000,
	       f->cause.text);
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
	if (x->least)
		out_str("age_least", OUT_KEY, "yes");
	out_str("cause", OUT_KEY, f->cause.word);
	out_str("text", OUT_KEY, f->cause.text);
	if (told_word(f->told.status))
		out_str("asked", OUT_KEY, told_word(f->told.status));
	if (f->told.status == TOLD_YES) {
		out_uint("there_pid", OUT_KEY, f->told.pid);
		out_str("there_comm", OUT_KEY, f->told.comm);
		out_str("there_program", OUT_KEY, program_words(f->told.program));
		if (f->circle)
			out_str("circle", OUT_KEY, "yes");
	}
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

/* Jobs of endpoints like the one of the filter */
static const char *near_jobs(const struct scene *scene, const char *job)
{
	const struct seen *s;
	struct guess g;

	guess_begin(&g, job);
	for (s = scene->all; s < scene->all + scene->n; s++)
		if (s->kind == SEEN_EP && *s->job)
			guess_word(&g, s->job);
	return guess_text(&g);
}

/* Nothing is printed. */
static void say_none(const struct scene *scene, const struct hang_filter *filter)
{
	const struct wait_filter *f = &filter->waits;
	uint64_t s = least_age(f) / 1000;
	const char *near = f->state ? guess_of(f->state, CAUSES) : "";

	if (!*near && filter->job)
		near = near_jobs(scene, filter->job);
	if (f->port || f->ep || f->peer || f->state || f->pid || f->has_tag || filter->job)
		complain("hang: nothing matches of what has waited for %" PRIu64 " s%s", s, near);
	else
		complain("hang: nothing has waited for %" PRIu64 " s", s);
}

/* @members, @waiting: space for all objects. Return: exit status */
static int show_found(const struct scene *scene, const struct hang_filter *filter,
		      const struct seen **members, const struct seen **waiting)
{
	struct finding *found = calloc(scene->n < ALL_MAX ? scene->n + 1 : ALL_MAX,
				       sizeof(*found));
	size_t n, left;

	if (!found || !members || !waiting) {
		complain("hang: out of memory");
		free(found);
		return EXIT_KERNEL;
	}
	n = choose_waiting(scene, filter, members, waiting);
	n = find(scene, filter, waiting, n, found, &left);
	print(found, n);
	if (!n)
		say_none(scene, filter);
	if (left)
		complain("hang: %zu more objects wait, which were not looked at", left);
	free(found);
	return 0;
}

/* Is there a receive that may wait for long, or has just been posted? */
static bool has_new(const struct seen *all, size_t n)
{
	const struct seen *x;

	for (x = all; x < all + n; x++)
		if (x->least && x->age_ms < AGAIN_MS)
			return true;
	return false;
}

/* See all that waits on this node; look twice if the first look reads rings. As see() */
static int see_twice(const struct wait_filter *f, struct seen **all, size_t *n)
{
	int ret = see("hang", f->port, all, n);

	if (ret || least_age(f) < AGAIN_MS || !has_new(*all, *n))
		return ret;
	free(*all);
	poll(NULL, 0, AGAIN_MS);
	return see("hang", f->port, all, n);
}

static int show(const struct hang_filter *filter)
{
	const struct seen **members = NULL, **waiting = NULL;
	struct scene scene = { .program = program };
	const char *port = filter->waits.port;
	struct path_event *events = NULL;
	struct seen *all;
	int ret = see_twice(&filter->waits, &all, &scene.n);

	if (!ret)
		ret = see_more("hang", port, &all, &scene.n);
	if (!ret)
		ret = see_paths("hang", port, &events, &scene.nevents);
	scene.all = all;
	scene.events = events;
	if (!ret) {
		members = calloc(scene.n + 1, sizeof(*members));
		waiting = calloc(scene.n + 1, sizeof(*waiting));
		ret = show_found(&scene, filter, members, waiting);
	}
	free(members);
	free(waiting);
	free(events);
	free(all);
	return ret;
}

/* Take "job NAME" out of the words. Return: 0, -1: message printed */
static int take_job(int *argc, char **argv, const char **job)
{
	/* without a keyword the first one is a port */
	int i = *argc % 2;

	*job = NULL;
	while (i + 1 < *argc) {
		if (!matches(argv[i], "job")) {
			i += 2;
			continue;
		}
		*job = argv[i + 1];
		*argc -= 2;
		memmove(&argv[i], &argv[i + 2], (*argc - i) * sizeof(*argv));
	}
	/* "weft0 job": parse_waits() does not know the word */
	if (*argc == 2 && matches(argv[1], "job") && !matches(argv[0], "port")) {
		complain("hang show: a value is missing after \"%s\"", argv[1]);
		return -1;
	}
	return 0;
}

int do_hang(int argc, char **argv)
{
	struct hang_filter filter = { .local = false };
	const struct behind table[] = {
		{ "-l", "--local", BEHIND_FLAG, &filter.local },
		{ NULL, NULL, 0, NULL }
	};

	if (take_options("hang", &argc, argv, table))
		return EXIT_USAGE;
	/* there is one command: its word may be left out before the filters, too */
	if (argc && matches(argv[0], "show")) {
		argc--;
		argv++;
	}
	if (argc != 1 || !asks_help(argv[0], false))
		return take_job(&argc, argv, &filter.job) ||
		       parse_waits(&words, argc, argv, &filter.waits) ? EXIT_USAGE : show(&filter);
	printf("Usage: weftctl hang [show] [[port] NAME] [FILTER ...] [--local]\n"
	       "       weftctl hang help\n"
	       "Shows which programs wait for what, since when, and why.\n"
	       "Other nodes are asked what a peer does, if they permit that (questions on).\n"
	       "--local, -l                do not ask other nodes\n"
	       "FILTER:  age SECONDS       what has waited so long at least, default %d\n"
	       "         pid PID           of this process\n"
	       "         job NAME          of endpoints in this job\n"
	       "         ep ADDRESS        of this endpoint, with its service or without\n"
	       "         peer ADDRESS      for this endpoint or node\n"
	       "         tag TAG           with this tag, or that takes it\n"
	       "         cause WORD        for this reason\n", AGE_MS / 1000);
	return HELPED;
}
