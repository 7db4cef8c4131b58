// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Histograms of ports: as text with a bar for each bucket, as JSON, and in the exposition format of
 * Prometheus. The kernel has the name, the unit and the description of each.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <netlink/attr.h>

#include "weftctl.h"

#define BUCKETS_MAX	64
#define BAR		32	/* characters of the longest bar */

/* A histogram, as the kernel describes it; bucket n begins at first_of(n) */
struct histogram {
	char port[WEFT_NAME_MAX];
	char on[8];
	char name[32];
	char unit[16];
	char text[128];
	uint64_t sum;
	uint64_t values;	/* in all buckets */
	uint64_t most;		/* in one bucket */
	unsigned int n;		/* number of buckets */
	uint64_t count[BUCKETS_MAX];
};

static void read_histogram(struct histogram *h, struct nlattr *attrs, int len)
{
	const struct nlattr *counts = nla_find(attrs, len, WEFT_ATTR_HIST_COUNTS);
	unsigned int i;

	memset(h, 0, sizeof(*h));
	find_text(h->port, sizeof(h->port), attrs, len, WEFT_ATTR_PORT_NAME);
	find_text(h->on, sizeof(h->on), attrs, len, WEFT_ATTR_PORT_HISTOGRAMS);
	find_text(h->name, sizeof(h->name), attrs, len, WEFT_ATTR_HIST_NAME);
	find_text(h->unit, sizeof(h->unit), attrs, len, WEFT_ATTR_HIST_UNIT);
	find_text(h->text, sizeof(h->text), attrs, len, WEFT_ATTR_HIST_TEXT);
	h->sum = find_uint(attrs, len, WEFT_ATTR_HIST_SUM);
	if (!counts)
		return;
	h->n = (unsigned int)nla_len(counts) / sizeof(h->count[0]);
	if (h->n > BUCKETS_MAX)
		h->n = BUCKETS_MAX;
	memcpy(h->count, nla_data(counts), h->n * sizeof(h->count[0]));
	for (i = 0; i < h->n; i++) {
		h->values += h->count[i];
		if (h->count[i] > h->most)
			h->most = h->count[i];
	}
}

/* The first value of a bucket, and its last one */
static uint64_t first_of(unsigned int bucket)
{
	return bucket ? 1ull << (bucket - 1) : 0;
}

static uint64_t last_of(unsigned int bucket)
{
	return bucket ? 2 * first_of(bucket) - 1 : 0;
}

/* Return: the last value of the bucket below whose end @percent of the values are */
static uint64_t below(const struct histogram *h, unsigned int percent)
{
	uint64_t want = (h->values * percent + 99) / 100, n = 0;
	unsigned int i;

	for (i = 0; i < h->n; i++) {
		n += h->count[i];
		if (n >= want)
			break;
	}
	return last_of(i);
}

/* ---- Text and JSON ---------------------------------------------------------------------- */

static void print_bucket(const struct histogram *h, unsigned int i)
{
	uint64_t tenths = (h->count[i] * 1000 + h->values / 2) / h->values;
	int bar = (int)((h->count[i] * BAR + h->most - 1) / h->most);
	char last[24] = "", tail[32];

	/* the last bucket has no end */
	if (i + 1 < h->n)
		snprintf(last, sizeof(last), "%" PRIu64, last_of(i));
	snprintf(tail, sizeof(tail), "%" PRIu64 ".%u", tenths / 10, (unsigned int)(tenths % 10));
	printf("%c    %12" PRIu64 " - %-12s %10" PRIu64 " %5s %%%s%.*s", out_line_end(),
	       first_of(i), last, h->count[i], tail, bar ? " " : "", bar,
	       "################################");
}

/* A bucket of JSON: from its first value to its last one; the last bucket has no end */
static void print_member(const struct histogram *h, unsigned int i)
{
	out_open();
	out_uint("from", OUT_KEY, first_of(i));
	if (i + 1 < h->n)
		out_uint("to", OUT_KEY, last_of(i));
	out_uint("count", OUT_KEY, h->count[i]);
	out_close();
}

/* Empty buckets before the first and behind the last value are left out. */
static void print_buckets(const struct histogram *h)
{
	unsigned int first = 0, end = h->n;

	while (end && !h->count[end - 1])
		end--;
	while (first < end && !h->count[first])
		first++;
	for (; first < end; first++)
		(out_is_json() ? print_member : print_bucket)(h, first);
}

static void print_histogram(const struct answer *a)
{
	static const unsigned int percents[] = { 50, 90, 99 };
	struct histogram h;
	char key[8];
	unsigned int i;

	read_histogram(&h, a->attrs, a->len);
	out_open();
	out_str("port", OUT_LEAD, h.port);
	out_str("name", OUT_KEY, h.name);
	out_str("histograms", OUT_KEY, h.on);
	out_str("unit", OUT_KEY, h.unit);
	out_uint("values", OUT_KEY, h.values);
	if (h.values) {
		out_uint("mean", OUT_KEY, h.sum / h.values);
		for (i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
			snprintf(key, sizeof(key), "p%u", percents[i]);
			out_uint(key, OUT_KEY, below(&h, percents[i]));
		}
	}
	if (out_has_details())
		out_note("text", h.text);
	if (out_is_json()) {
		out_uint("sum", OUT_KEY, h.sum);
		out_list_open("buckets");
		print_buckets(&h);
		out_list_close();
	} else if (!out_is_brief()) {
		print_buckets(&h);
	}
	out_close();
}

/* ---- Prometheus ------------------------------------------------------------------------- */

/* Its unit of time is the second. */
static bool is_time(const struct histogram *h)
{
	return !strcmp(h->unit, "ns");
}

static void print_scaled(const struct histogram *h, uint64_t value)
{
	if (is_time(h))
		printf("%" PRIu64 ".%09u", value / 1000000000,
		       (unsigned int)(value % 1000000000));
	else
		printf("%" PRIu64, value);
}

/* "weft_send_seconds", and what follows it */
static void print_name(const struct histogram *h, const char *tail)
{
	printf("weft_%s_%s%s", h->name, is_time(h) ? "seconds" : h->unit, tail);
}

static void metric(const struct histogram *h)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i + 1 < h->n; i++) {
		n += h->count[i];
		print_name(h, "_bucket");
		printf("{port=\"%s\",le=\"", h->port);
		print_scaled(h, last_of(i));
		printf("\"} %" PRIu64 "\n", n);
	}
	print_name(h, "_bucket");
	printf("{port=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", h->port, h->values);
	print_name(h, "_sum");
	printf("{port=\"%s\"} ", h->port);
	print_scaled(h, h->sum);
	putchar('\n');
	print_name(h, "_count");
	printf("{port=\"%s\"} %" PRIu64 "\n", h->port, h->values);
}

/* The head of the histograms with the name of @h, if none has been printed */
static void metric_head(const struct histogram *h, bool *has_head)
{
	if (*has_head)
		return;
	*has_head = true;
	fputs("# HELP ", stdout);
	print_name(h, " ");
	printf("%s\n# TYPE ", h->text);
	print_name(h, " histogram\n");
}

void metrics_histograms(const struct answers *all)
{
	const struct answer *end = all->all + all->n, *a, *other;
	struct histogram first, h;
	bool has_head;

	/* those with one name follow one another; each port has the same ones */
	for (a = all->all; a < end; a++) {
		read_histogram(&first, a->attrs, a->len);
		read_histogram(&h, all->all->attrs, all->all->len);
		if (strcmp(first.port, h.port))
			break;
		has_head = false;
		for (other = a; other < end; other++) {
			read_histogram(&h, other->attrs, other->len);
			if (strcmp(h.name, first.name) || strcmp(h.on, "on"))
				continue;
			metric_head(&h, &has_head);
			metric(&h);
		}
	}
}

/* ---- The object ------------------------------------------------------------------------- */

static int show_histograms(int argc, char **argv)
{
	struct answers all = { 0 };
	const struct answer *a;
	const char *name;
	int ret;

	if (parse_filter(argc, argv, &name))
		return EXIT_USAGE;
	ret = collect(WEFT_CMD_HIST_GET, "histogram show", name, NULL, NULL, &all);
	out_columns("port name unit values p50 p99");
	out_begin();
	for (a = all.all; a < all.all + all.n; a++)
		print_histogram(a);
	out_end();
	release(&all);
	return ret;
}

int do_histogram(int argc, char **argv)
{
	static const struct verb verbs[] = {
		{ "show", show_histograms, "[show [[port] NAME]]",
		  "show: for how long messages and receives wait, and how long searches are;\n"
		  "\"weftctl port set NAME histograms on\" begins to measure\n"
		  "-d: also what each measures" },
		{ "list", show_histograms, NULL, NULL },
		{ 0 }
	};

	return run_verb("histogram", verbs, argc, argv);
}
