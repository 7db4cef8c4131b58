// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulator: what the transport is worth
 *
 * Goodput under loss, slowdown of messages by size, incast, fairness, state for each remote node;
 * as a table, JSON and a picture. links.c has slow, long and shared links.
 */
#include <math.h>

#include "core/api/monitor.h"
#include "sim.h"

#define BPS	10000000000ull	/* of each link */
#define DELAY	(8 * NSEC_PER_USEC)
#define QUEUE	500000		/* bytes of a switch port */
#define NODES	16
#define DECILES	10
#define FRAME	66		/* bytes around a UDP payload, see rig_net.c */

static FILE *json;

static FILE *create(const char *folder, const char *name)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	if (!f)
		weft_host_die(__FILE__, __LINE__, "%s cannot be written", path);
	return f;
}

static void network(struct rig_conf *conf, u32 nodes, u64 seed)
{
	rig_conf_default(conf, seed);
	conf->nodes = nodes;
	conf->jitter = 0;
	conf->delay = DELAY;
	conf->net.bps = BPS;
	conf->net.queue = QUEUE;
	conf->core.max_paths = 2 * nodes + 8;
	/* what interrupts and workers do at once on a quick machine */
	conf->core.ack_delay_ns = 100 * NSEC_PER_USEC;
}

/* Bytes on the wire of a message in packets of full size with a header of 32 bytes. */
static double on_wire(const struct rig_conf *conf, u32 len)
{
	u32 payload = conf->max_payload - WEFT_HEAD_SIM;
	u32 n = max_t(u32, DIV_ROUND_UP(len, payload), 1);

	return len + (double)n * (WEFT_HEAD_SIM + FRAME);
}

/* Time of a message alone in the network, ns: all on one link, the last packet on the other. */
static double ideal(const struct rig_conf *conf, u32 len)
{
	u32 payload = conf->max_payload - WEFT_HEAD_SIM;
	u32 last = len ? (len - 1) % payload + 1 : 0;

	return conf->delay + (on_wire(conf, len) + last + WEFT_HEAD_SIM + FRAME) * 8e9 / BPS;
}

/**
 * struct fate - how messages went

 * @msgs: messages
 * @n: how many
 * @begin: when the first was to be sent
 * @end: when the last had come
 * @deepest: bytes in the fullest queue of a switch
 * @lost: packets lost there
 * @again: packets sent again
 */
struct fate {
	struct load_msg *msgs;
	u32 n;
	weft_ns begin;
	weft_ns end;
	u64 deepest;
	u64 lost;
	u64 again;
};

static void fate_end(struct fate *f)
{
	u32 i;

	f->begin = U64_MAX;
	f->end = 0;
	for (i = 0; i < f->n; i++) {
		f->begin = min(f->begin, f->msgs[i].at);
		f->end = max(f->end, f->msgs[i].got);
	}
}

/* Messages @msgs over weft: their times, and what the network saw. */
static void by_weft(const struct rig_conf *conf, struct fate *f)
{
	struct load *l = load_new(conf, f->n, false);
	u32 i;

	/* the handshakes first */
	load_meet(l, f->msgs, f->n);
	for (i = 0; i < f->n; i++)
		load_add(l, f->msgs[i].at, f->msgs[i].src, f->msgs[i].dst, f->msgs[i].len);
	load_run(l, 100ull * NSEC_PER_SEC);
	memcpy(f->msgs, l->msgs, f->n * sizeof(*f->msgs));
	for (i = 0; i < conf->nodes; i++) {
		struct rig_node *node = &l->rig->node[i];

		f->deepest = max(f->deepest, node->down_link.deepest);
		f->lost += node->down_link.lost;
		f->again += rig_counter(node, WEFT_CNT_retransmits);
	}
	load_free(l);
	fate_end(f);
}

static void add(struct fate *f, weft_ns at, u32 src, u32 dst, u32 len)
{
	struct load_msg *m = &f->msgs[f->n++];

	memset(m, 0, sizeof(*m));
	m->at = at;
	m->src = src;
	m->dst = dst;
	m->len = len;
}

/* ---- Targets --------------------------------------------------------------------- */

static u32 missed;	/* targets */

/* All is in virtual time, and the same each time: what is to be reached can be asked for. */
static void target(const char *what, double got, double least)
{
	if (got >= least)
		return;
	printf("  %s: %.3f, and is to be at least %g\n", what, got, least);
	missed++;
}

/* ---- Goodput --------------------------------------------------------------------- */

static void goodput(u64 seed)
{
	static const double losses[] = { 0, 0.1, 1, 5 };
	struct rig_conf conf;
	u32 i, k;

	printf("\nGoodput of 64 messages of 1 MiB between two nodes, 10 Gbit/s, 16 us round trip\n");
	printf("%8s %10s %10s %12s\n", "loss", "Gbit/s", "of ideal", "sent again");
	fprintf(json, "\"goodput\": [");
	for (i = 0; i < ARRAY_SIZE(losses); i++) {
		struct fate f = { .msgs = calloc(64, sizeof(*f.msgs)) };
		double best, got;
		char what[32];

		network(&conf, 2, seed);
		conf.loss = PERCENT(losses[i]);
		for (k = 0; k < 64; k++)
			add(&f, 0, 0, 1, 1 << 20);
		by_weft(&conf, &f);
		best = BPS / 1e9 * (1 << 20) / on_wire(&conf, 1 << 20) * (1 - losses[i] / 100);
		got = 64.0 * (1 << 20) * 8 / (f.end - f.begin);
		printf("%7.1f%% %10.2f %9.1f%% %12llu\n", losses[i], got, 100 * got / best,
		       (unsigned long long)f.again);
		snprintf(what, sizeof(what), "goodput at %g %% loss", losses[i]);
		if (losses[i] <= 1)
			target(what, got / best, 0.9);
		fprintf(json, "%s{\"loss\": %g, \"gbps\": %.3f, \"of_ideal\": %.4f, \"again\": %llu}",
			i ? ", " : "", losses[i], got, got / best, (unsigned long long)f.again);
		free(f.msgs);
	}
	fprintf(json, "],\n");
}

/* ---- Slowdown -------------------------------------------------------------------- */

/**
 * struct curve - slowdown by decile of size
 * @p50: median
 * @p99: 99th percentile
 * @size: largest size of the decile
 */
struct curve {
	double p50[DECILES];
	double p99[DECILES];
	u32 size[DECILES];
};

/* Those of one size in an order that has nothing to do with time. */
static int by_len(const void *a, const void *b)
{
	const struct load_msg *x = a, *y = b;
	u32 p = x->src * NODES + x->dst, q = y->src * NODES + y->dst;

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return p != q ? (p < q ? -1 : 1) : x->at < y->at ? -1 : x->at > y->at;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void curve_of(const struct rig_conf *conf, struct load_msg *msgs, u32 n, struct curve *c)
{
	u32 d, i, each = n / DECILES;
	double *s = calloc(each, sizeof(*s));

	qsort(msgs, n, sizeof(*msgs), by_len);
	for (d = 0; d < DECILES; d++) {
		for (i = 0; i < each; i++) {
			struct load_msg *m = &msgs[d * each + i];

			/* one that has not come in time counts as if it came at the end */
			s[i] = m->got ? (m->got - m->at) / ideal(conf, m->len) : 1e6;
		}
		qsort(s, each, sizeof(*s), by_value);
		c->p50[d] = s[each / 2];
		c->p99[d] = s[each * 99 / 100];
		c->size[d] = msgs[d * each + each - 1].len;
	}
	free(s);
}

static double uniform(struct rig *rig)
{
	return (rig_random(rig) >> 11) / 9007199254740992.0;
}

/* Bytes on the wire of a message of workload @w, each in packets of its own, on the average. */
static double mean_on_wire(const struct rig_conf *conf, u32 w)
{
	u32 i, steps = 100000;
	double sum = 0;

	for (i = 0; i < steps; i++)
		sum += on_wire(conf, size_at(w, (i + 0.5) / steps));
	return sum / steps;
}

/* @load: of the nodes' links, headers included. */
static void traffic(const struct rig_conf *conf, u32 w, double load, struct fate *f, u32 n,
		    u64 seed)
{
	struct rig rnd = { .rnd = seed };
	double gap = 8e9 * mean_on_wire(conf, w) / BPS / load / conf->nodes;
	double at = 0;

	while (f->n < n) {
		u32 src = rig_below(&rnd, conf->nodes), dst = rig_below(&rnd, conf->nodes - 1);

		at -= log(1 - uniform(&rnd)) * gap;
		add(f, (weft_ns)at, src, dst + (dst >= src), size_at(w, uniform(&rnd)));
	}
}

static void draw(FILE *svg, const struct curve *c, const char *colour, u32 x0, bool median)
{
	u32 d;

	fprintf(svg, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"", colour,
		median ? " stroke-dasharray=\"4 3\"" : "");
	for (d = 0; d < DECILES; d++)
		fprintf(svg, "%u,%.0f ", x0 + 20 + d * 20,
			230 - 50 * log10(max(1.0, min(1e4, median ? c->p50[d] : c->p99[d]))));
	fprintf(svg, "\"/>\n");
}

/* Where priorities are looked at */
#define NOWHERE		0
#define IN_NODES	1	/* in nodes' own queues alone */
#define EVERYWHERE	2
#define WHERE		3

static const char *const where[WHERE] = { "1 level", "in nodes", "3 levels" };
static const char *const where_json[WHERE] = { "one_level", "in_nodes", "weft" };
static const char *const where_colour[WHERE] = { "#090", "#f80", "#06c" };

/* Workload @w at @load, @n messages: over weft, with priorities @at. */
static void slowdown_weft(struct rig_conf *conf, u32 at, u32 w, double load, u32 n, u64 seed,
			  struct curve *c)
{
	struct fate f = { .msgs = calloc(n, sizeof(*f.msgs)) };

	conf->net.levels = at == EVERYWHERE ? WEFT_CLASSES : 0;
	conf->net.bands = at == IN_NODES;
	traffic(conf, w, load, &f, n, seed);
	by_weft(conf, &f);
	conf->net.levels = 0;
	conf->net.bands = false;
	curve_of(conf, f.msgs, n, c);
	printf("  %s: fullest queue %llu kB, %llu packets lost\n", where[at],
	       (unsigned long long)f.deepest / 1000, (unsigned long long)f.lost);
	free(f.msgs);
}

static void slowdown_print(const char *name, const struct curve *c)
{
	u32 d;

	printf("  %-9s", name);
	for (d = 0; d < DECILES; d++)
		printf(" %5.1f/%5.1f", c->p50[d], c->p99[d]);
	printf("\n");
}

/* One workload at one load, as JSON. */
static void slowdown_json(u32 w, double load, const struct curve *c, const struct curve *window)
{
	u32 d, k;

	fprintf(json, "{\"workload\": \"W%u\", \"load\": %g, \"deciles\": [", w + 1, load);
	for (d = 0; d < DECILES; d++) {
		fprintf(json, "%s{\"size\": %u, ", d ? ", " : "", window->size[d]);
		for (k = 0; k < WHERE; k++)
			fprintf(json, "\"%s\": [%.2f, %.2f], ", where_json[k], c[k].p50[d],
				c[k].p99[d]);
		fprintf(json, "\"window\": [%.2f, %.2f]}", window->p50[d], window->p99[d]);
	}
	fprintf(json, "]}");
}

static void slowdown_draw(FILE *svg, u32 w, const struct curve *c, const struct curve *window)
{
	u32 k, x0 = w * 245;

	fprintf(svg, "<rect x=\"%u\" y=\"30\" width=\"220\" height=\"200\" fill=\"none\" "
		"stroke=\"#999\"/><text x=\"%u\" y=\"250\">W%u</text>\n", x0 + 10, x0 + 110,
		w + 1);
	for (k = 0; k < WHERE; k++) {
		draw(svg, &c[k], where_colour[k], x0, false);
		draw(svg, &c[k], where_colour[k], x0, true);
	}
	draw(svg, window, "#c00", x0, false);
	draw(svg, window, "#c00", x0, true);
}

static void slowdown(const struct sim_opts *o, u64 seed)
{
	static const double loads[] = { 0.5, 0.8 };
	FILE *svg = create(o->report, "report.svg");
	struct rig_conf conf;
	u32 w, l, d, k;

	network(&conf, NODES, seed);
	fprintf(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1240\" height=\"290\" "
		"font-family=\"sans-serif\" font-size=\"12\">\n"
		"<text x=\"20\" y=\"16\">Slowdown (p99; median dashed) by decile of message size at "
		"80 %% load, 1 to 10^4, logarithmic; weft blue, with priorities in nodes alone "
		"orange, with one level green, window red</text>\n");
	printf("\nSlowdown by decile of size, %u nodes at one switch: median/p99\n", NODES);
	fprintf(json, "\"slowdown\": [");
	for (w = 0; w < SIZES; w++) {
		for (l = 0; l < ARRAY_SIZE(loads); l++) {
			u32 n = (u32)clamp((o->quick ? 1e8 : 1e9) / size_mean(w), 400.0, 20000.0);
			struct fate b = { .msgs = calloc(n, sizeof(*b.msgs)) };
			struct curve c[WHERE], cb;

			printf("W%u at %.0f %%, %u messages\n", w + 1, 100 * loads[l], n);
			for (k = 0; k < WHERE; k++)
				slowdown_weft(&conf, k, w, loads[l], n, seed + w, &c[k]);
			traffic(&conf, w, loads[l], &b, n, seed + w);
			window_run(&conf, b.msgs, n, 100ull * NSEC_PER_SEC);
			curve_of(&conf, b.msgs, n, &cb);
			printf("  %-9s", "bytes");
			for (d = 0; d < DECILES; d++)
				printf(" %11u", cb.size[d]);
			printf("\n");
			for (k = 0; k < WHERE; k++)
				slowdown_print(where[k], &c[k]);
			slowdown_print("window", &cb);
			printf("  smallest decile, p99: %.1f times lower than the window's; with "
			       "priorities in nodes alone %.1f; with one level %.1f\n",
			       cb.p99[0] / c[EVERYWHERE].p99[0], cb.p99[0] / c[IN_NODES].p99[0],
			       cb.p99[0] / c[NOWHERE].p99[0]);
			if (loads[l] == 0.8)
				target("smallest decile against the window",
				       cb.p99[0] / c[EVERYWHERE].p99[0], 5);
			fprintf(json, "%s", w || l ? ",\n  " : "\n  ");
			slowdown_json(w, loads[l], c, &cb);
			if (loads[l] == 0.8)
				slowdown_draw(svg, w, c, &cb);
			free(b.msgs);
		}
	}
	fprintf(json, "\n],\n");
	fprintf(svg, "</svg>\n");
	fclose(svg);
}

/* ---- Incast, fairness, state ----------------------------------------------------- */

static void incast(u64 seed, const char *name, u32 n, u32 len)
{
	struct fate f = { .msgs = calloc(64 * n, sizeof(*f.msgs)) };
	double share, bdp = 2.0 * DELAY * BPS / 8e9;
	struct rig_conf conf;
	u32 i, k;

	network(&conf, 65, seed);
	for (k = 0; k < n; k++)
		for (i = 1; i < 65; i++)
			add(&f, 0, i, 0, len);
	by_weft(&conf, &f);
	share = f.n * on_wire(&conf, len) * 8e9 / BPS / (f.end - f.begin);
	printf("Incast 64:1, %u messages of %u KiB each: %.1f %% of the link, fullest queue %llu kB, "
	       "%.1f BDP; %llu packets lost, %llu sent again\n", n, len >> 10, 100 * share,
	       (unsigned long long)f.deepest / 1000, f.deepest / bdp, (unsigned long long)f.lost,
	       (unsigned long long)f.again);
	target("incast", share, 0.95);
	fprintf(json, "\"%s\": {\"share\": %.4f, \"queue\": %llu, \"bdp\": %.2f, \"lost\": %llu},\n",
		name, share, (unsigned long long)f.deepest, f.deepest / bdp,
		(unsigned long long)f.lost);
	free(f.msgs);
}

/* @n messages of each node to each other one: how much do the rates of pairs differ? */
static void fairness(u64 seed, const char *name, u32 n, u32 len)
{
	struct fate f = { .msgs = calloc(n * NODES * NODES, sizeof(*f.msgs)) };
	double took[NODES * NODES] = { 0 };
	double sum = 0, squares = 0, share;
	struct rig_conf conf;
	u32 i, k, m, pairs = NODES * (NODES - 1);

	network(&conf, NODES, seed);
	for (m = 0; m < n; m++)
		for (i = 0; i < NODES; i++)
			for (k = 1; k < NODES; k++)
				add(&f, 0, i, (i + k) % NODES, len);
	by_weft(&conf, &f);
	for (i = 0; i < f.n; i++) {
		double *t = &took[f.msgs[i].src * NODES + f.msgs[i].dst];

		*t = max(*t, (double)(f.msgs[i].got - f.msgs[i].at));
	}
	for (i = 0; i < NODES * NODES; i++) {
		double rate = took[i] ? 1e9 * n * len / took[i] : 0;

		sum += rate;
		squares += rate * rate;
	}
	share = n * (NODES - 1) * on_wire(&conf, len) * 8e9 / BPS / (f.end - f.begin);
	printf("All to all, %u nodes, %u times %u MiB each: Jain index of rates %.3f, %.1f %% of the "
	       "links\n", NODES, n, len >> 20, sum * sum / pairs / squares, 100 * share);
	fprintf(json, "\"%s\": {\"jain\": %.4f, \"share\": %.4f},\n", name,
		sum * sum / pairs / squares, share);
	free(f.msgs);
}

/* What a path of its own costs a node, when a short message has gone each way. */
static void state(u64 seed)
{
	u32 i, pos = 0, peers = 4000;
	struct rig_conf conf;
	struct fate f = { .msgs = calloc(2 * peers, sizeof(*f.msgs)) };
	struct load *l;
	u64 bytes = 0;
	struct weft_path *path;

	network(&conf, peers + 1, seed);
	l = load_new(&conf, 2 * peers, false);
	for (i = 1; i <= peers; i++) {
		load_add(l, i * 2000, 0, i, 100);
		load_add(l, i * 2000, i, 0, 100);
	}
	load_run(l, 100ull * NSEC_PER_SEC);
	while ((path = weft_path_next(&l->rig->node[0].core, &pos))) {
		bytes += sizeof(*path) + WEFT_LANES * WEFT_WINDOW_WORDS * sizeof(u64) +
			 path->nrecs * sizeof(struct weft_rec) +
			 (path->nflow - path->flow.nrflow) * sizeof(struct weft_flow) +
			 path->flow.nrflow * sizeof(struct weft_rflow) +
			 (path->msg.spare ? sizeof(struct weft_rxm) : 0) +
			 (path->known ? sizeof(struct weft_known) : 0);
		weft_path_put(path);
	}
	printf("State: %llu bytes for each of %u remote nodes (%zu of them the path itself, the rest an "
	       "idle record, a flow each way, a spare message, its name, windows); %.0f MB for 10 000\n",
	       (unsigned long long)bytes / i, i, sizeof(struct weft_path), bytes / i * 1e4 / 1e6);
	fprintf(json, "\"state\": {\"bytes\": %llu, \"path\": %zu}\n",
		(unsigned long long)bytes / i, sizeof(struct weft_path));
	load_free(l);
	free(f.msgs);
}

/* Links of a data centre. */
static void centre(const struct sim_opts *o, u64 seed)
{
	goodput(seed);
	printf("\n");
	incast(seed, "incast", 8, 256 << 10);
	incast(seed, "incast_eager", 128, 16 << 10);
	fairness(seed, "fairness", 1, 4 << 20);
	fairness(seed, "fairness_streams", 8, 1 << 20);
	state(seed);
	fprintf(json, ",\n");
	slowdown(o, seed);
	printf("%s\n", missed ? "Targets are missed" : "All targets are met");
}

bool sim_report(const struct sim_opts *o)
{
	u64 seed = o->seed ? o->seed : 1;
	bool good;

	json = create(o->report, "report.json");
	fprintf(json, "{\n");
	if (!o->rows)
		centre(o, seed);
	good = links_report(o, json, seed);
	fprintf(json, "\"seed\": %llu\n}\n", (unsigned long long)seed);
	fclose(json);
	return good && !missed;
}
