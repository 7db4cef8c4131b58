// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulator: measurements on slow, long and shared links
 *
 * Each row is a scenario (beside.c) and a target for it. Rows have names, by which a list has those
 * that are missed today (targets.c). Shares are payload, as a part of the link's rate less headers.
 */
#include "beside.h"
#include "figures.h"
#include "targets.h"

#define MBIT		1000000ull
#define NEAR		(2 * NSEC_PER_MSEC)	/* round trip of 1 ms each way */
#define FAR		(40 * NSEC_PER_MSEC)
#define SEC		NSEC_PER_SEC
#define ACCURACY	0.01	/* of the link: weft is as good as TCP with that much less */
#define NEEDLESS	0.001	/* packets that may come twice, part of all */
#define LONG		(1 << 20)	/* bytes of a message that is sent by rendezvous */
#define EAGER		(16 << 10)	/* bytes of a message that is sent eagerly */

/**
 * struct report - a report
 * @o: options
 * @seed: seed of all scenarios
 * @t: targets
 * @counting: scenarios are counted, and not played
 * @runs: how many
 */
struct report {
	const struct sim_opts *o;
	u64 seed;
	struct targets t;
	bool counting;
	u64 runs;
};

/**
 * struct alone - TCP alone on a link; it runs when its figures are needed first
 * @b: scenario
 * @done: @got is valid
 * @got: its results
 */
struct alone {
	struct beside b;
	bool done;
	struct beside_got got;
};

/* The row @name is asked for; @quick: it belongs to a short report. */
static bool wanted(const struct report *r, const char *name, bool quick)
{
	if (r->o->rows)
		return !strncmp(name, r->o->rows, strlen(r->o->rows));
	return quick || !r->o->quick;
}

/* Play a scenario, with another loss if one is asked for. */
static void play(struct report *r, const struct beside *b, struct beside_got *got)
{
	struct beside with = *b;

	r->runs++;
	if (r->counting) {
		memset(got, 0, sizeof(*got));
		return;
	}
	if (r->o->loss >= 0)
		with.loss = r->o->loss;
	beside_run(&with, r->seed, got);
	sim_done(1);
}

/* TCP alone on the link of @b: @n flows. */
static struct alone alone_with(const struct beside *b, u32 n)
{
	struct alone a = { .b = *b };

	a.b.senders = 0;
	a.b.streams = 0;
	a.b.tcps = n;
	return a;
}

static const struct beside_got *got_of(struct report *r, struct alone *a)
{
	if (!a->done)
		play(r, &a->b, &a->got);
	a->done = true;
	return &a->got;
}

/* ---- Output ---------------------------------------------------------------------- */

#define LINKS		"links"
#define LINKS_TCP	"links, TCP"

static void columns(const char *table, bool tcp)
{
	figures_column(table, "goodput", "% of the link", "payload, of the rate less headers");
	figures_column(table, "least", "% of the link", "that of the one with the least");
	figures_column(table, "most", "% of the link", "that of the one with the most");
	figures_column(table, "passed", "packets", "which passed the queue");
	figures_column(table, "dropped", "packets", "which the queue had no room for");
	figures_column(table, "sent again", "packets", "retransmissions");
	figures_column(table, "needless", "packets", "which came to the receiver once more");
	if (!tcp)
		figures_column(table, "spurious", "packets",
			       "sent again, and the sender knows that they had arrived");
	figures_column(table, "timeouts", "", "of retransmission");
	figures_column(table, "window", "packets", tcp ? "of the first flow at the end" :
		       "of the busiest lane at the end");
	figures_column(table, "round trip", "ms", "smoothed, of the same");
	if (!tcp)
		figures_column(table, "queue", "packets", "most in the queue to the receivers");
}

static void side_figures(const char *table, const char *name, const struct beside_side *s, bool tcp)
{
	figure(table, name, "goodput", 100 * s->share);
	figure(table, name, "least", 100 * s->least);
	figure(table, name, "most", 100 * s->most);
	figure(table, name, "passed", s->packets);
	figure(table, name, "dropped", s->dropped);
	figure(table, name, "sent again", s->again);
	figure(table, name, "needless", s->needless);
	if (!tcp)
		figure(table, name, "spurious", s->spurious);
	figure(table, name, "timeouts", s->timeouts);
	figure(table, name, "window", s->cwnd);
	figure(table, name, "round trip", s->srtt / 1e6);
}

static void head(void)
{
	figures_table(LINKS, "weft over one bottleneck, alone or beside TCP; the names of rows are "
		      "in Documentation/simulator.rst");
	columns(LINKS, false);
	figures_table(LINKS_TCP, "TCP in the same rows: beside weft, or alone on the same link");
	columns(LINKS_TCP, true);
	printf("\nSlow, long and shared links. Shares are payload in %% of the link's rate less "
	       "headers;\nTCP's are those of all flows, of the least one and of the most one. "
	       "Other figures are weft's\n"
	       "%-27s %6s %6s %6s %6s %7s %6s %6s %6s %6s %6s %5s %6s %5s  %s\n", "row", "weft",
	       "TCP", "least", "most", "packets", "dropped", "again", "needl.", "spur.", "timeo.",
	       "cwnd", "srtt", "queue", "target");
}

/*
 * A row: results of weft and of TCP, from one scenario or from two. @value: what has the target, in
 * percent; @met: it is met.
 */
static void row(struct report *r, const char *name, const struct beside_got *weft,
		const struct beside_got *tcp, double value, const char *target, bool met)
{
	const struct beside_side *w = &weft->weft, *c = &tcp->tcp;
	const char *verdict;

	if (r->counting)
		return;
	verdict = targets_judge(&r->t, name, met);
	printf("%-27s %6.1f %6.1f %6.1f %6.1f %7llu %6llu %6llu %6llu %6llu %6llu %5u %6.1f %5u  ",
	       name, 100 * w->share, 100 * c->share, 100 * c->least, 100 * c->most,
	       (unsigned long long)w->packets, (unsigned long long)w->dropped,
	       (unsigned long long)w->again, (unsigned long long)w->needless,
	       (unsigned long long)w->spurious, (unsigned long long)w->timeouts, w->cwnd,
	       w->srtt / 1e6, weft->deepest);
	printf("%s: %s\n", target, verdict);
	fflush(stdout);
	figures_target(name, value, target, verdict);
	side_figures(LINKS, name, w, false);
	figure(LINKS, name, "queue", weft->deepest);
	side_figures(LINKS_TCP, name, c, true);
}

/* A row: the share @got of the model of TCP has to be within the limits. */
static void model(struct report *r, const char *name, double got, double least, double most)
{
	const char *verdict;
	char wanted[48];

	if (r->counting)
		return;
	verdict = targets_judge(&r->t, name, got >= least && got <= most);
	snprintf(wanted, sizeof(wanted), "model of TCP, %.1f to %.1f", 100 * least, 100 * most);
	printf("%-27s %6s %6.1f  %s: %s\n", name, "", 100 * got, wanted, verdict);
	figures_target(name, 100 * got, wanted, verdict);
}

/* ---- Goodput --------------------------------------------------------------------- */

/* A row: goodput is at least @least; 0: at least that of TCP alone. */
static void goodput_row(struct report *r, const char *name, const struct beside_got *got,
			double least, struct alone *tcp)
{
	const struct beside_got *c = got_of(r, tcp);
	char target[48];

	if (!least)
		least = c->tcp.share - ACCURACY;
	snprintf(target, sizeof(target), "at least %.1f", 100 * least);
	row(r, name, got, c, 100 * got->weft.share, target, got->weft.share >= least);
}

/* A row: packets are not sent again for nothing. */
static void needless_row(struct report *r, const char *name, const struct beside_got *got,
			 struct alone *tcp)
{
	row(r, name, got, got_of(r, tcp), 100.0 * got->weft.needless / got->weft.packets,
	    "below 0.1", got->weft.needless < NEEDLESS * got->weft.packets);
}

/**
 * struct shape - messages of a stream
 * @name: name in rows
 * @len: bytes
 * @depth: messages that are posted
 * @goodput: they are enough to fill the link without a pause
 * @quick: they belong to a short report
 */
struct shape {
	const char *name;
	u32 len;
	u32 depth;
	bool goodput;
	bool quick;
};

static const struct shape shapes[] = {
	{ "long", LONG, 8, true, true },
	{ "eager", EAGER, 64, true, false },
	{ "two", 64 << 10, 2, false, false },
};

static void shape_rows(struct report *r, const struct beside *b, const struct shape *s,
		       double least, struct alone *tcp)
{
	char goodput[TARGET_NAME], needless[TARGET_NAME];
	struct beside with = *b;
	struct beside_got got;

	with.len = s->len;
	with.depth = s->depth;
	snprintf(goodput, sizeof(goodput), "goodput/%s/%g", s->name, b->loss);
	snprintf(needless, sizeof(needless), "needless/%s/%g", s->name, b->loss);
	if (!wanted(r, goodput, s->quick) && !wanted(r, needless, s->quick))
		return;
	play(r, &with, &got);
	if (s->goodput && wanted(r, goodput, s->quick))
		goodput_row(r, goodput, &got, least, tcp);
	if (wanted(r, needless, s->quick))
		needless_row(r, needless, &got, tcp);
}

static void slow_link(struct report *r)
{
	/* a flow of Linux had 99, 97, 39 % */
	static const double loss[] = { 0, 1, 5 }, low[] = { 0.97, 0.9, 0.3 };
	static const double high[] = { 1.01, 1.01, 0.6 };
	char name[TARGET_NAME];
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(loss); i++) {
		struct beside b = {
			.bps = 50 * MBIT, .rtt = NEAR, .limit = 200, .loss = loss[i], .senders = 1,
			.streams = 1, .from = 1 * SEC, .until = 11 * SEC
		};
		struct alone tcp = alone_with(&b, 1);

		snprintf(name, sizeof(name), "model/slow/%g", loss[i]);
		if (wanted(r, name, true))
			model(r, name, got_of(r, &tcp)->tcp.share, low[i], high[i]);
		for (k = 0; k < ARRAY_SIZE(shapes); k++)
			shape_rows(r, &b, &shapes[k], i < 2 ? 0 : 0.88, &tcp);
	}
}

/**
 * struct senders - programs that send
 * @name: name in rows
 * @nodes: sending nodes
 * @streams: endpoints on each
 * @len: bytes of their messages
 * @quick: they belong to a short report
 */
struct senders {
	const char *name;
	u32 nodes;
	u32 streams;
	u32 len;
	bool quick;
};

static const struct senders senders[] = {
	{ "one", 1, 1, LONG, true },
	{ "one-eager", 1, 1, EAGER, false },
	{ "nodes", 8, 1, LONG, false },
	{ "endpoints", 1, 8, LONG, false },
};

/* A row: goodput of @s, if the row is wanted. @tcp: alone, with one flow and with eight. */
static void senders_row(struct report *r, const char *name, const struct beside *b,
			const struct senders *s, bool quick, double least, struct alone *tcp)
{
	struct beside with = *b;
	struct beside_got got;

	if (!wanted(r, name, quick))
		return;
	with.senders = s->nodes;
	with.streams = s->streams;
	with.len = s->len;
	with.depth = s->len == LONG ? 8 : 64;
	play(r, &with, &got);
	goodput_row(r, name, &got, least, &tcp[s->nodes * s->streams > 1]);
}

static void long_way(struct report *r)
{
	char name[TARGET_NAME];
	u32 i, k;

	for (i = 0; i < 2; i++) {
		struct beside b = {
			.bps = 80 * MBIT, .rtt = FAR, .limit = 200, .loss = i, .from = 5 * SEC,
			.until = 25 * SEC
		};
		struct alone tcp[2] = { alone_with(&b, 1), alone_with(&b, 8) };

		/* 1.22 / sqrt(loss) segments in a round trip (RFC 9438, 5.2) make 4.8 % */
		snprintf(name, sizeof(name), "model/long/%u", i);
		if (wanted(r, name, true))
			model(r, name, got_of(r, &tcp[0])->tcp.share, i ? 0.035 : 0.97,
			      i ? 0.06 : 1.01);
		for (k = 0; k < ARRAY_SIZE(senders); k++) {
			snprintf(name, sizeof(name), "long/%s/%u", senders[k].name, i);
			senders_row(r, name, &b, &senders[k], senders[k].quick, i ? 0 : 0.9, tcp);
		}
	}
}

static void fast_link(struct report *r)
{
	struct beside b = {
		.bps = 1000 * MBIT, .rtt = FAR / 2, .limit = 1000, .from = 5 * SEC, .until = 8 * SEC
	};
	struct alone tcp[2] = { alone_with(&b, 1), alone_with(&b, 8) };
	char name[TARGET_NAME];
	u32 k;

	for (k = 0; k < ARRAY_SIZE(senders); k++) {
		snprintf(name, sizeof(name), "fast/%s", senders[k].name);
		senders_row(r, name, &b, &senders[k], false, 0.9, tcp);
	}
}

/* ---- Fairness -------------------------------------------------------------------- */

static bool is_fair(double share, double fair)
{
	return share >= fair / 2 && share <= fair * 2;
}

static void beside_row(struct report *r, const char *name, const struct beside *b)
{
	double fair = 1.0 / (1 + b->tcps);
	struct beside_got got;
	char target[48];

	play(r, b, &got);
	snprintf(target, sizeof(target), "each %.1f to %.1f", 50 * fair, 200 * fair);
	row(r, name, &got, &got, 100 * got.weft.share, target,
	    is_fair(got.weft.share, fair) && is_fair(got.tcp.least, fair) &&
	    is_fair(got.tcp.most, fair));
}

/* Flows of TCP alone share the link as weft and TCP are to. */
static void model_shares(struct report *r, const char *name, const struct beside *b)
{
	double fair = 1.0 / (1 + b->tcps);
	struct alone tcp = alone_with(b, 1 + b->tcps);
	char part[TARGET_NAME + 8];

	snprintf(part, sizeof(part), "%s/least", name);
	model(r, part, got_of(r, &tcp)->tcp.least, fair / 2, fair * 1.05);
	snprintf(part, sizeof(part), "%s/most", name);
	model(r, part, got_of(r, &tcp)->tcp.most, fair * 0.95, fair * 2);
}

static void shared_link(struct report *r)
{
	static const u32 limit[] = { 20, 100, 1000, 0 }, flows[] = { 1, 7 };
	static const char *const queue[] = { "20", "100", "1000", "fq_codel" };
	static const weft_ns rtt[] = { NEAR, FAR };
	char name[TARGET_NAME];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(limit) * ARRAY_SIZE(rtt) * ARRAY_SIZE(flows); i++) {
		u32 k = i / 2 % ARRAY_SIZE(limit), n = i / 2 / ARRAY_SIZE(limit);
		struct beside b = {
			.bps = 50 * MBIT, .rtt = rtt[n], .limit = limit[k], .senders = 1,
			.streams = 1, .tcps = flows[i % 2], .from = 10 * SEC, .until = 40 * SEC,
			.len = LONG, .depth = 8
		};
		const char *way = n ? "far" : "near";

		snprintf(name, sizeof(name), "beside/%s/%s/%u", way, queue[k], b.tcps);
		/* a queue of 100 packets and fq_codel in a short report */
		if (wanted(r, name, !n && k % 2 && b.tcps == 1))
			beside_row(r, name, &b);
		snprintf(name, sizeof(name), "model/%s/%s/%u", way, queue[k], b.tcps);
		if (wanted(r, name, false))
			model_shares(r, name, &b);
	}
}

static void all(struct report *r)
{
	slow_link(r);
	long_way(r);
	fast_link(r);
	shared_link(r);
}

u64 links_runs(const struct sim_opts *o)
{
	struct report r = { .o = o, .counting = true };

	all(&r);
	return r.runs;
}

bool links_report(const struct sim_opts *o, u64 seed)
{
	struct report r = { .o = o, .seed = seed };

	targets_read(&r.t, o->missed ? o->missed : "selftests/sim/missed.targets");
	head();
	all(&r);
	return targets_end(&r.t, !o->quick && !o->rows);
}
