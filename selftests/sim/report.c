// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulator: what the transport is worth
 *
 * Goodput under loss, slowdown of messages by size, incast, fairness, state for each remote node;
 * as tables and figures. links.c has slow, long and shared links.
 */
#include <math.h>

#include "core/api/monitor.h"
#include "figures.h"

#define BPS	10000000000ull	/* of each link */
#define DELAY	(8 * NSEC_PER_USEC)
#define QUEUE	500000		/* bytes of a switch port */
#define NODES	16
#define DECILES	10
#define FRAME	66		/* bytes around a UDP payload, see rig_net.c */

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
	sim_done(1);
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
	char wanted[32];

	snprintf(wanted, sizeof(wanted), "at least %g", least);
	figures_target(what, got, wanted, got >= least ? "met" : "MISSED");
	if (got >= least)
		return;
	printf("  %s: %.3f, and is to be %s\n", what, got, wanted);
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
	figures_table("goodput", "64 messages of 1 MiB between two nodes, 10 Gbit/s, "
		      "round trip of 16 us; rows: packets that are lost");
	figures_column("goodput", "goodput", "Gbit/s", "payload that arrived");
	figures_column("goodput", "of ideal", "%", "of the rate less headers and lost packets");
	figures_column("goodput", "sent again", "packets", "retransmissions");
	for (i = 0; i < ARRAY_SIZE(losses); i++) {
		struct fate f = { .msgs = calloc(64, sizeof(*f.msgs)) };
		double best, got;
		char what[32], row[16];

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
		snprintf(row, sizeof(row), "%g %%", losses[i]);
		figure("goodput", row, "goodput", got);
		figure("goodput", row, "of ideal", 100 * got / best);
		figure("goodput", row, "sent again", f.again);
		free(f.msgs);
	}
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

/* Where priorities are looked at */
#define NOWHERE		0
#define IN_NODES	1	/* in nodes' own queues alone */
#define EVERYWHERE	2
#define WHERE		3

static const char *const where[WHERE] = { "1 level", "in nodes", "3 levels" };

/* Workload @w at @load, @n messages: over weft, with priorities @at. @name: both. */
static void slowdown_weft(struct rig_conf *conf, u32 at, u32 w, double load, u32 n, u64 seed,
			  const char *name, struct curve *c)
{
	struct fate f = { .msgs = calloc(n, sizeof(*f.msgs)) };
	char row[48];

	conf->net.levels = at == EVERYWHERE ? WEFT_CLASSES : 0;
	conf->net.bands = at == IN_NODES;
	traffic(conf, w, load, &f, n, seed);
	by_weft(conf, &f);
	conf->net.levels = 0;
	conf->net.bands = false;
	curve_of(conf, f.msgs, n, c);
	printf("  %s: fullest queue %llu kB, %llu packets lost\n", where[at],
	       (unsigned long long)f.deepest / 1000, (unsigned long long)f.lost);
	snprintf(row, sizeof(row), "%s, %s", name, where[at]);
	figure("queues", row, "fullest queue", f.deepest / 1000.0);
	figure("queues", row, "lost", f.lost);
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

/* One workload at one load: a table, and a curve of what programs feel. */
static void slowdown_figures(const char *name, const char *way, const struct curve *c, bool draw)
{
	char row[32], column[16];
	u32 d;

	for (d = 0; d < DECILES; d++) {
		snprintf(column, sizeof(column), "%u", d + 1);
		snprintf(row, sizeof(row), "%s, median", way);
		figure(name, row, column, c->p50[d]);
		snprintf(row, sizeof(row), "%s, p99", way);
		figure(name, row, column, c->p99[d]);
		if (draw)
			figures_point(name, way, d + 1, c->p99[d]);
	}
}

static void slowdown_table(const char *name, const struct curve *sizes, bool draw)
{
	char column[16];
	u32 d;

	figures_table(name, "slowdown: time of a message, as a multiple of its time alone in the "
		      "network; columns: tenths of the messages, by size. 1 level, in nodes, "
		      "3 levels: where queues know the classes; window: a simple protocol");
	for (d = 0; d < DECILES; d++) {
		snprintf(column, sizeof(column), "%u", d + 1);
		figures_column(name, column, d ? "" : "times", d ? "" : "tenth of the messages, "
			       "the shortest ones first");
		figure(name, "largest size in bytes", column, sizes->size[d]);
	}
	if (draw)
		figures_chart(name, "tenth of the messages, by size", "slowdown, p99 (times)");
}

static void slowdown(const struct sim_opts *o, u64 seed)
{
	static const double loads[] = { 0.5, 0.8 };
	struct rig_conf conf;
	u32 w, l, d, k;
	char name[24], what[64];

	network(&conf, NODES, seed);
	printf("\nSlowdown by decile of size, %u nodes at one switch: median/p99\n", NODES);
	figures_table("queues", "the switch during the messages of the tables below");
	figures_column("queues", "fullest queue", "kB", "most bytes in the queue of a port");
	figures_column("queues", "lost", "packets", "which a queue had no room for");
	for (w = 0; w < SIZES; w++) {
		for (l = 0; l < ARRAY_SIZE(loads); l++) {
			u32 n = (u32)clamp((o->quick ? 1e8 : 1e9) / size_mean(w), 400.0, 20000.0);
			struct fate b = { .msgs = calloc(n, sizeof(*b.msgs)) };
			struct curve c[WHERE], cb;

			snprintf(name, sizeof(name), "W%u at %.0f %%", w + 1, 100 * loads[l]);
			printf("%s, %u messages\n", name, n);
			for (k = 0; k < WHERE; k++)
				slowdown_weft(&conf, k, w, loads[l], n, seed + w, name, &c[k]);
			traffic(&conf, w, loads[l], &b, n, seed + w);
			window_run(&conf, b.msgs, n, 100ull * NSEC_PER_SEC);
			curve_of(&conf, b.msgs, n, &cb);
			sim_done(1);
			printf("  %-9s", "bytes");
			for (d = 0; d < DECILES; d++)
				printf(" %11u", cb.size[d]);
			printf("\n");
			slowdown_table(name, &cb, loads[l] == 0.8);
			for (k = 0; k < WHERE; k++) {
				slowdown_print(where[k], &c[k]);
				slowdown_figures(name, where[k], &c[k], loads[l] == 0.8);
			}
			slowdown_print("window", &cb);
			slowdown_figures(name, "window", &cb, loads[l] == 0.8);
			printf("  smallest decile, p99: %.1f times lower than the window's; with "
			       "priorities in nodes alone %.1f; with one level %.1f\n",
			       cb.p99[0] / c[EVERYWHERE].p99[0], cb.p99[0] / c[IN_NODES].p99[0],
			       cb.p99[0] / c[NOWHERE].p99[0]);
			if (loads[l] == 0.8) {
				snprintf(what, sizeof(what),
					 "W%u: smallest decile against the window", w + 1);
				target(what, cb.p99[0] / c[EVERYWHERE].p99[0], 5);
			}
			free(b.msgs);
		}
	}
}

/* ---- Incast, fairness, state ----------------------------------------------------- */

static void incast(u64 seed, u32 n, u32 len)
{
	struct fate f = { .msgs = calloc(64 * n, sizeof(*f.msgs)) };
	double share, bdp = 2.0 * DELAY * BPS / 8e9;
	struct rig_conf conf;
	char row[48];
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
	snprintf(row, sizeof(row), "%u messages of %u KiB each", n, len >> 10);
	figure("incast", row, "goodput", 100 * share);
	figure("incast", row, "fullest queue", f.deepest / 1000.0);
	figure("incast", row, "in BDP", f.deepest / bdp);
	figure("incast", row, "lost", f.lost);
	figure("incast", row, "sent again", f.again);
	snprintf(row, sizeof(row), "incast, %u KiB: part of the link", len >> 10);
	target(row, share, 0.95);
	free(f.msgs);
}

/* @n messages of each node to each other one: how much do the rates of pairs differ? */
static void fairness(u64 seed, u32 n, u32 len)
{
	struct fate f = { .msgs = calloc(n * NODES * NODES, sizeof(*f.msgs)) };
	double took[NODES * NODES] = { 0 };
	double sum = 0, squares = 0, share;
	struct rig_conf conf;
	char row[32];
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
	snprintf(row, sizeof(row), "%u times %u MiB each", n, len >> 20);
	figure("all to all", row, "Jain index", sum * sum / pairs / squares);
	figure("all to all", row, "goodput", 100 * share);
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
	figures_table("state", "memory of a node for each of 4001 remote nodes");
	figures_column("state", "memory", "bytes", "");
	figure("state", "all", "memory", bytes / i);
	figure("state", "the path itself", "memory", sizeof(struct weft_path));
	load_free(l);
	free(f.msgs);
	sim_done(1);
}

/* Runs below: goodput, incast, fairness and state, and slowdown of each workload at two loads */
#define CENTRE_RUNS	(4 + 2 + 2 + 1 + SIZES * 2 * (WHERE + 1))

/* Links of a data centre. */
static void centre(const struct sim_opts *o, u64 seed)
{
	goodput(seed);
	printf("\n");
	figures_table("incast", "64 nodes send to one node at once");
	figures_column("incast", "goodput", "% of the link", "bytes on the link, headers included");
	figures_column("incast", "fullest queue", "kB", "most bytes in the queue of a port");
	figures_column("incast", "in BDP", "times", "the same, by bandwidth-delay product");
	figures_column("incast", "lost", "packets", "which a queue had no room for");
	figures_column("incast", "sent again", "packets", "retransmissions");
	incast(seed, 8, 256 << 10);
	incast(seed, 128, 16 << 10);
	figures_table("all to all", "each of 16 nodes sends to each other one");
	figures_column("all to all", "Jain index", "1 is best", "how equal the rates of pairs are");
	figures_column("all to all", "goodput", "% of the links", "bytes on them, with headers");
	fairness(seed, 1, 4 << 20);
	fairness(seed, 8, 1 << 20);
	state(seed);
	slowdown(o, seed);
	printf("%s\n", missed ? "Targets are missed" : "All targets are met");
}

bool sim_report(const struct sim_opts *o)
{
	u64 seed = o->seed ? o->seed : 1;
	char text[32];
	bool good;

	figures_begin(o->report);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)seed);
	figures_about("seed", text);
	if (o->quick)
		figures_about("rows", "a part");
	sim_progress((o->rows ? 0 : CENTRE_RUNS) + links_runs(o), "runs");
	if (!o->rows)
		centre(o, seed);
	good = links_report(o, seed);
	figures_end();
	return good && !missed;
}
