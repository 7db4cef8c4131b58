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

#include "weftctl.h"

/* A counter, as the kernel describes it */
struct counter {
	char port[WEFT_NAME_MAX];
	char name[64];
	char text[128];
	uint64_t value;
};

static void read_counter(struct counter *c, const struct answer *a)
{
	find_text(c->port, sizeof(c->port), a->attrs, a->len, WEFT_ATTR_PORT_NAME);
	find_text(c->name, sizeof(c->name), a->attrs, a->len, WEFT_ATTR_STAT_NAME);
	find_text(c->text, sizeof(c->text), a->attrs, a->len, WEFT_ATTR_STAT_TEXT);
	c->value = find_uint(a->attrs, a->len, WEFT_ATTR_STAT_VALUE);
}

/* ---- Text and JSON ---------------------------------------------------------------------- */

/* With descriptions each counter is an object, also in JSON. */
static void print_details(const struct answers *all)
{
	struct counter c;
	size_t i;

	for (i = 0; i < all->n; i++) {
		read_counter(&c, &all->all[i]);
		out_open();
		out_str("port", OUT_LEAD, c.port);
		if (out_is_json()) {
			out_str("name", OUT_KEY, c.name);
			out_uint("value", OUT_KEY, c.value);
			out_str("text", OUT_KEY, c.text);
		} else {
			out_uint(c.name, OUT_KEY, c.value);
			out_note("text", c.text);
		}
		out_close();
	}
}

/* In a table, or in JSON with its columns, only those that have counted are shown. */
static void print_brief(const struct answers *all)
{
	struct counter c;
	size_t i;

	for (i = 0; i < all->n; i++) {
		read_counter(&c, &all->all[i]);
		if (!c.value)
			continue;
		out_open();
		out_str("port", OUT_KEY, c.port);
		out_str("name", OUT_KEY, c.name);
		out_uint("value", OUT_KEY, c.value);
		out_close();
	}
}

/* As text each counter is a line. In JSON those of a port are members of one object. */
static void print_counters(const struct answers *all)
{
	struct counter c, last = { .port = "" };
	size_t i;

	for (i = 0; i < all->n; i++) {
		read_counter(&c, &all->all[i]);
		if (!out_is_json() || strcmp(c.port, last.port)) {
			if (out_is_json() && i)
				out_close();
			out_open();
			out_str("port", OUT_LEAD, c.port);
		}
		out_uint(c.name, OUT_KEY, c.value);
		if (!out_is_json())
			out_close();
		last = c;
	}
	if (out_is_json() && all->n)
		out_close();
}

/* ---- Prometheus ------------------------------------------------------------------------- */

static void head(const char *name, const char *type, const char *text)
{
	printf("# HELP weft_%s %s\n# TYPE weft_%s %s\n", name, text, name, type);
}

/* The counters of all ports with one name follow one another, below the head of this name. */
static void metrics_counters(const struct answers *all)
{
	struct counter c, other;
	char name[80];
	size_t i, k;

	for (i = 0; i < all->n; i++) {
		read_counter(&c, &all->all[i]);
		/* each port has the same counters, in the same order */
		if (i && strcmp(c.port, other.port))
			break;
		snprintf(name, sizeof(name), "%s_total", c.name);
		head(name, "counter", c.text);
		for (k = i; k < all->n; k++) {
			read_counter(&other, &all->all[k]);
			if (!strcmp(other.name, c.name))
				printf("weft_%s{port=\"%s\"} %" PRIu64 "\n", name, other.port,
				       other.value);
		}
		other = c;
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

static int metrics(const char *name, const struct answers *counters)
{
	struct answers ports = { 0 }, limits = { 0 };
	int ret = collect(WEFT_CMD_PORT_GET, "stats show", name, NULL, NULL, &ports);

	if (!ret)
		ret = collect(WEFT_CMD_LIMIT_GET, "stats show", name, NULL, NULL, &limits);
	if (!ret) {
		metrics_counters(counters);
		metrics_gauges(&ports, port_gauges);
		metrics_gauges(&limits, limit_gauges);
	}
	release(&ports);
	release(&limits);
	return ret;
}

/* ---- The object ------------------------------------------------------------------------- */

/* The options of this object may stand behind its name, too. Return: true if @arg is one. */
static bool option(const char *arg)
{
	if (!strcmp(arg, "-d") || !strcmp(arg, "--details"))
		out_more(true, out_is_metrics());
	else if (!strcmp(arg, "--prometheus"))
		out_more(out_has_details(), true);
	else
		return false;
	return true;
}

int do_stats(int argc, char **argv)
{
	struct answers all = { 0 };
	const char *name;
	int ret;

	for (; argc && option(argv[0]); argc--)
		argv++;
	ret = parse_show("stats", &argc, &argv);
	if (ret < 0)
		return EXIT_USAGE;
	if (ret) {
		printf("Usage: weftctl stats [-d] [--prometheus] [show [[port] NAME]]\n"
		       "       weftctl stats help\n"
		       "Shows counters of ports; -d also says what each counts.\n"
		       "With --prometheus counters, objects and limits have the form that Prometheus "
		       "reads.\n");
		return 0;
	}
	if (parse_filter(argc, argv, &name))
		return EXIT_USAGE;
	ret = collect(WEFT_CMD_STATS_GET, "stats show", name, NULL, NULL, &all);
	if (out_is_metrics()) {
		ret = ret ? ret : metrics(name, &all);
	} else {
		out_columns("port name value");
		out_begin();
		if (out_is_brief())
			print_brief(&all);
		else if (out_has_details())
			print_details(&all);
		else
			print_counters(&all);
		out_end();
	}
	release(&all);
	return ret;
}
