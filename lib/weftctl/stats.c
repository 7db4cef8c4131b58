// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counters of ports: as text, as JSON, and in the exposition format of Prometheus
 * (https://prometheus.io/docs/instrumenting/exposition_formats/). The kernel has the description of
 * each counter.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <netlink/attr.h>

#include "rates.h"
#include "since.h"
#include "weftctl.h"

int counts_get(const char *what, const char *port, struct counts *to)
{
	struct answers all = { 0 };
	int ret = collect(WEFT_CMD_STATS_GET, what, port, NULL, NULL, &all);
	const struct answer *a;
	struct count *c;

	for (a = all.all; a < all.all + all.n; a++) {
		c = counts_more(to);
		if (!c) {
			complain("%s: out of memory", what);
			ret = EXIT_KERNEL;
			break;
		}
		find_text(c->port, sizeof(c->port), a->attrs, a->len, WEFT_ATTR_PORT_NAME);
		find_text(c->name, sizeof(c->name), a->attrs, a->len, WEFT_ATTR_STAT_NAME);
		find_text(c->text, sizeof(c->text), a->attrs, a->len, WEFT_ATTR_STAT_TEXT);
		find_text(c->unit, sizeof(c->unit), a->attrs, a->len, WEFT_ATTR_STAT_UNIT);
		find_text(c->settings, sizeof(c->settings), a->attrs, a->len,
			  WEFT_ATTR_STAT_SETTINGS);
		c->value = find_uint(a->attrs, a->len, WEFT_ATTR_STAT_VALUE);
	}
	release(&all);
	return ret;
}

/* ---- Text and JSON ---------------------------------------------------------------------- */

/* With descriptions each counter is an object, also in JSON. */
static void print_details(const struct counts *counts)
{
	const struct count *c;

	for (c = counts->all; c < counts->all + counts->n; c++) {
		out_open();
		out_str("port", OUT_LEAD, c->port);
		if (out_is_json()) {
			out_str("name", OUT_KEY, c->name);
			out_uint("value", OUT_KEY, c->value);
			out_str("unit", OUT_KEY, c->unit);
			out_str("settings", OUT_KEY, c->settings);
			out_str("text", OUT_KEY, c->text);
		} else {
			out_uint(c->name, OUT_KEY, c->value);
			out_str("unit", OUT_KEY, c->unit);
			if (*c->settings)
				out_str("settings", OUT_KEY, c->settings);
			out_note("text", c->text);
		}
		out_close();
	}
}

/* In a table, or in JSON with its columns, only those that have counted are shown. */
static void print_brief(const struct counts *counts)
{
	const struct count *c;

	for (c = counts->all; c < counts->all + counts->n; c++) {
		if (!c->value)
			continue;
		out_open();
		out_str("port", OUT_KEY, c->port);
		out_str("name", OUT_KEY, c->name);
		out_uint("value", OUT_KEY, c->value);
		out_close();
	}
}

/* As text each counter is a line. In JSON those of a port are members of one object. */
static void print_counters(const struct counts *counts)
{
	const struct count *c;

	for (c = counts->all; c < counts->all + counts->n; c++) {
		if (!out_is_json() || c == counts->all || strcmp(c->port, c[-1].port)) {
			if (out_is_json() && c != counts->all)
				out_close();
			out_open();
			out_str("port", OUT_LEAD, c->port);
		}
		out_uint(c->name, OUT_KEY, c->value);
		if (!out_is_json())
			out_close();
	}
	if (out_is_json() && counts->n)
		out_close();
}

/* ---- Prometheus ------------------------------------------------------------------------- */

static void head(const char *name, const char *type, const char *text)
{
	printf("# HELP weft_%s %s\n# TYPE weft_%s %s\n", name, text, name, type);
}

/* The counters of all ports with one name follow one another, below the head of this name. */
static void metrics_counters(const struct counts *counts)
{
	const struct count *end = counts->all + counts->n, *c, *other;
	char name[80];

	/* each port has the same counters, in the same order */
	for (c = counts->all; c < end && !strcmp(c->port, counts->all->port); c++) {
		snprintf(name, sizeof(name), "%s_total", c->name);
		head(name, "counter", c->text);
		for (other = c; other < end; other++)
			if (!strcmp(other->name, c->name))
				printf("weft_%s{port=\"%s\"} %" PRIu64 "\n", name, other->port,
				       other->value);
	}
}

/* A number that another list of objects has */
struct gauge {
	const char *name;
	const char *type;
	int attr;
	const char *text;
	int label;		/* attribute of a second label, 0: none */
	const char *label_name;
};

static const struct gauge port_gauges[] = {
	{ "contexts", "gauge", WEFT_ATTR_PORT_NCTX, "programs that have the port open", 0, NULL },
	{ "endpoints", "gauge", WEFT_ATTR_PORT_NEP, "endpoints", 0, NULL },
	{ "paths", "gauge", WEFT_ATTR_PORT_NPATH, "paths to other nodes", 0, NULL },
	{ "pinned_bytes", "gauge", WEFT_ATTR_PINNED, "bytes of programs' memory pinned", 0, NULL },
	{ "mtu_bytes", "gauge", WEFT_ATTR_PORT_MTU, "MTU of the device", 0, NULL },
	{ 0 }
};

static const struct gauge limit_gauges[] = {
	{ "limit", "gauge", WEFT_ATTR_LIMIT_VALUE, "limits, in the unit of each",
	  WEFT_ATTR_LIMIT_NAME, "limit" },
	{ "limit_used", "gauge", WEFT_ATTR_LIMIT_USED, "present use of limits",
	  WEFT_ATTR_LIMIT_NAME, "limit" },
	{ "limit_hits_total", "counter", WEFT_ATTR_LIMIT_HITS, "times that limits were reached",
	  WEFT_ATTR_LIMIT_NAME, "limit" },
	{ 0 }
};

static void metrics_gauges(const struct answers *all, const struct gauge *g)
{
	char port[WEFT_NAME_MAX], label[64];
	const struct answer *a;

	for (; g->name; g++) {
		head(g->name, g->type, g->text);
		for (a = all->all; a < all->all + all->n; a++) {
			if (!nla_find(a->attrs, a->len, g->attr))
				continue;
			find_text(port, sizeof(port), a->attrs, a->len, WEFT_ATTR_PORT_NAME);
			find_text(label, sizeof(label), a->attrs, a->len, g->label);
			printf("weft_%s{port=\"%s\"", g->name, port);
			if (g->label)
				printf(",%s=\"%s\"", g->label_name, label);
			printf("} %" PRIu64 "\n", find_uint(a->attrs, a->len, g->attr));
		}
	}
}

static int metrics(const char *name, const struct counts *counters)
{
	struct answers ports = { 0 }, limits = { 0 }, histograms = { 0 };
	int ret = collect(WEFT_CMD_PORT_GET, "stats show", name, NULL, NULL, &ports);

	if (!ret)
		ret = collect(WEFT_CMD_LIMIT_GET, "stats show", name, NULL, NULL, &limits);
	if (!ret)
		ret = collect(WEFT_CMD_HIST_GET, "stats show", name, NULL, NULL, &histograms);
	if (!ret) {
		metrics_counters(counters);
		metrics_gauges(&ports, port_gauges);
		metrics_gauges(&limits, limit_gauges);
		metrics_histograms(&histograms);
	}
	release(&ports);
	release(&limits);
	release(&histograms);
	return ret;
}

/* ---- The object ------------------------------------------------------------------------- */

/* Options of this object. Two are those of weftctl, too. */
struct stats_options {
	bool details;
	bool metrics;
	bool since_reset;
	uint64_t ms;		/* 0: no intervals */
	uint32_t count;		/* 0: no end */
};

static int help_stats(void)
{
	puts("Usage: weftctl stats [-d] [--prometheus] [--since-reset] [show [[port] NAME]]\n"
	     "       weftctl stats -i SECONDS [-c COUNT] [show [[port] NAME]]\n"
	     "       weftctl stats reset [[port] NAME]\n"
	     "       weftctl stats help\n"
	     "Shows counters of ports.\n"
	     "-d, --details     also what each counts\n"
	     "--prometheus      counters, histograms, objects and limits, as Prometheus reads them\n"
	     "-i, --interval S  those that changed within each S seconds, and their rates\n"
	     "-c, --count N     ends after N intervals; without -i of 1 second\n"
	     "--since-reset     what has been counted since \"weftctl stats reset\" of this user\n"
	     "reset             keeps the counters in a file; those of the kernel do not change");
	return HELPED;
}

/* Return: 0, -1: message printed */
static int parse_stats(int *argc, char **argv, struct stats_options *o)
{
	const struct behind table[] = {
		{ "-d", "--details", BEHIND_FLAG, &o->details },
		{ NULL, "--prometheus", BEHIND_FLAG, &o->metrics },
		{ NULL, "--since-reset", BEHIND_FLAG, &o->since_reset },
		{ "-i", "--interval", BEHIND_SECONDS, &o->ms },
		{ "-c", "--count", BEHIND_COUNT, &o->count },
		{ 0 }
	};

	if (take_options("stats", argc, argv, table))
		return -1;
	if (o->count && !o->ms)
		o->ms = 1000;
	if (!!o->metrics + !!o->since_reset + !!o->ms > 1 || (o->details && o->ms)) {
		complain("stats: these options do not go together, try \"weftctl stats help\"");
		return -1;
	}
	out_more(o->details, o->metrics);
	return 0;
}

static int show_stats(const struct stats_options *o, const char *name)
{
	struct counts counts = { 0 };
	int ret = counts_get("stats show", name, &counts);

	if (!ret && o->since_reset)
		ret = stats_since_reset(&counts);
	if (o->metrics) {
		ret = ret ? ret : metrics(name, &counts);
	} else {
		out_columns("port name value");
		out_begin();
		if (!ret || !o->since_reset)
			(out_is_brief() ? print_brief :
			 o->details ? print_details : print_counters)(&counts);
		out_end();
	}
	counts_free(&counts);
	return ret;
}

int do_stats(int argc, char **argv)
{
	struct stats_options o = { .details = out_has_details(), .metrics = out_is_metrics() };
	const char *name;
	int ret;

	if (parse_stats(&argc, argv, &o))
		return EXIT_USAGE;
	if (argc && matches(argv[0], "reset"))
		return stats_reset(argc - 1, argv + 1);
	ret = parse_show("stats", &argc, &argv);
	if (ret < 0)
		return EXIT_USAGE;
	if (ret)
		return help_stats();
	if (parse_filter(argc, argv, &name))
		return EXIT_USAGE;
	return o.ms ? stats_intervals(name, o.ms, o.count) : show_stats(&o, name);
}
