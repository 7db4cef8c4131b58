// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Measurements with both ends in one thread: end 0 sends, end 1 receives (and answers). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "counters.h"
#include "measure.h"

#define TAG	   1
#define TAG_OTHERS 1000 /* and above: messages and receives that wait */
#define SOFTIRQ_MIN 1.5e9 /* instructions: some hundred ticks */
#define POLLS	   4 /* turns in which a message arrives before its receive is posted */

/* ---- half a round trip, of single messages or of bursts ---- */

static void post(struct pair *p, int end, char *buf, size_t size, int n)
{
	for (; n; n--)
		pair_recv(p, end, buf, size, TAG, NULL);
}

static void put(struct pair *p, int from, char *buf, size_t size)
{
	if (size <= INJECT_MAX)
		pair_inject(p, from, buf, size, TAG);
	else
		pair_send(p, from, buf, size, TAG);
}

/* A burst, and the next receives posted in place of those that it took. */
static void one_way(struct pair *p, int from, char *sbuf, char *rbuf, size_t size, int burst)
{
	uint64_t received = p->s[!from]->received + burst, sent = p->s[from]->sent + burst;
	int i;

	for (i = 0; i < burst; i++)
		put(p, from, sbuf, size);
	pair_received(p, !from, received);
	if (size > INJECT_MAX)
		pair_sent(p, from, sent);
	post(p, !from, rbuf, size, burst);
}

static void round_trips(struct pair *p, char *buf, size_t size, int burst, int n)
{
	for (; n; n--) {
		one_way(p, 0, buf, buf + size, size, burst);
		one_way(p, 1, buf + 2 * size, buf + 3 * size, size, burst);
	}
}

/* The first receives, and a sample that does not count: memory is touched, windows open. */
static void turns_open(struct pair *p, char *buf, size_t size, int burst, int n)
{
	post(p, 0, buf + 3 * size, size, burst);
	post(p, 1, buf + size, size, burst);
	round_trips(p, buf, size, burst, n);
}

void one_turns(const struct plan *plan, struct pair *p, size_t size, int burst)
{
	int rep, n = plan_turns(plan, size, burst);
	double samples[MAX_SAMPLES];
	char *buf = bench_buffer(4 * size);
	struct span span;

	turns_open(p, buf, size, burst, n);
	for (rep = 0; rep < plan->reps; rep++) {
		clock_start(&span);
		round_trips(p, buf, size, burst, n);
		samples[rep] = clock_stop(&span) / (2.0 * n * burst);
	}
	record_messages(2 * n * burst);
	record(plan, turns_name(burst), size, samples);
	free(buf);
}

/* ---- what they cost besides ---- */

void one_counts(const struct plan *plan, struct pair *p, size_t size, int burst)
{
	double calls[MAX_SAMPLES], packets[MAX_SAMPLES];
	int rep, n = plan_turns(plan, size, burst);
	struct counters none, from, to;
	char *buf = bench_buffer(4 * size);
	double messages = 2.0 * n * burst;

	turns_open(p, buf, size, burst, n);
	counters_read(&none, p->s);
	for (rep = 0; rep < plan->reps; rep++) {
		/* two readings without messages tell what the reading adds */
		counters_read(&none, p->s);
		counters_read(&from, p->s);
		round_trips(p, buf, size, burst, n);
		counters_read(&to, p->s);
		calls[rep] = (to.calls - 2 * from.calls + none.calls) / messages;
		packets[rep] = (to.packets - from.packets) / messages;
	}
	record_as(plan, burst == 1 ? "calls" : "burstcalls", size, "calls", calls);
	record_as(plan, burst == 1 ? "packets" : "burstpackets", size, "packets", packets);
	free(buf);
}

/* The share of softirq in the ticks of many messages, as instructions of one */
void one_softirq(const struct plan *plan, struct pair *p, size_t size)
{
	double counted = 0, samples[MAX_SAMPLES];
	int rep, n = plan_turns(plan, size, 1);
	char *buf = bench_buffer(4 * size);
	struct counters from, to;
	uint64_t messages = 0;
	struct span span;

	turns_open(p, buf, size, 1, n);
	counters_read(&from, p->s);
	while (counted < SOFTIRQ_MIN) {
		clock_start(&span);
		round_trips(p, buf, size, 1, n);
		counted += clock_stop(&span);
		messages += 2 * n;
	}
	counters_read(&to, p->s);
	for (rep = 0; rep < plan->reps; rep++)
		samples[rep] = counted / messages * (to.softirq - from.softirq) /
			       (to.busy - from.busy);
	record(plan, "softirq", size, samples);
	free(buf);
}

/* ---- many under way ---- */

/* A window: receives posted, messages sent, all of them taken. */
static void window(struct pair *p, char *buf, size_t size, int n)
{
	uint64_t received = p->s[1]->received + n, sent = p->s[0]->sent + n;
	int i;

	post(p, 1, buf + size, size, n);
	for (i = 0; i < n; i++)
		put(p, 0, buf, size);
	pair_received(p, 1, received);
	if (size > INJECT_MAX)
		pair_sent(p, 0, sent);
}

void one_stream(const struct plan *plan, struct pair *p, size_t size, int under_way)
{
	int rep, i, n = plan_iters(plan, size) / under_way + 2;
	double samples[MAX_SAMPLES];
	char *buf = bench_buffer(2 * size);
	struct span span;

	window(p, buf, size, under_way);
	for (rep = 0; rep < plan->reps; rep++) {
		clock_start(&span);
		for (i = 0; i < n; i++)
			window(p, buf, size, under_way);
		samples[rep] = clock_stop(&span) / ((double)n * under_way);
	}
	record(plan, under_way == RATE_WINDOW ? "rate" : "bandwidth", size, samples);
	free(buf);
}

/* ---- messages with FI_MORE ---- */

static void batch(struct pair *p, char *buf, int n)
{
	uint64_t received = p->s[1]->received + n, sent = p->s[0]->sent + n;
	int i;

	post(p, 1, buf + 8, 8, n);
	for (i = 0; i < n; i++)
		pair_sendmsg(p, 0, buf, 8, TAG, FI_INJECT | (i + 1 < n ? FI_MORE : 0));
	pair_received(p, 1, received);
	pair_sent(p, 0, sent);
}

void one_more(const struct plan *plan, struct pair *p, int size)
{
	int rep, i, n = plan_iters(plan, 8) / size + 2;
	double samples[MAX_SAMPLES];
	char *buf = bench_buffer(16);
	struct span span;

	batch(p, buf, size);
	for (rep = 0; rep < plan->reps; rep++) {
		clock_start(&span);
		for (i = 0; i < n; i++)
			batch(p, buf, size);
		samples[rep] = clock_stop(&span) / ((double)n * size);
	}
	record_messages(n * size);
	record(plan, "more", size, samples);
	free(buf);
}

/* ---- matching ---- */

/*
 * A message whose receive is posted before it (@early), or after it. The receiver looks at its
 * queue equally often in both cases.
 */
static void matched(struct pair *p, char *buf, size_t size, bool early)
{
	uint64_t received = p->s[1]->received + 1, sent = p->s[0]->sent + 1;
	int i;

	if (early)
		post(p, 1, buf + size, size, 1);
	put(p, 0, buf, size);
	for (i = 0; i < POLLS; i++)
		pair_turn(p, 1);
	if (!early)
		post(p, 1, buf + size, size, 1);
	pair_received(p, 1, received);
	if (size > INJECT_MAX)
		pair_sent(p, 0, sent);
}

/* Samples of such messages */
static void match_samples(const struct plan *plan, struct pair *p, char *buf, size_t size,
			  bool early, double *samples)
{
	int rep, i, n = plan_iters(plan, size) / 2 + 1;
	struct span span;

	for (i = 0; i < n; i++)
		matched(p, buf, size, early);
	for (rep = 0; rep < plan->reps; rep++) {
		clock_start(&span);
		for (i = 0; i < n; i++)
			matched(p, buf, size, early);
		samples[rep] = clock_stop(&span) / n;
	}
}

void one_order(const struct plan *plan, struct pair *p, size_t size, bool early)
{
	double samples[MAX_SAMPLES];
	char *buf = bench_buffer(2 * size);

	match_samples(plan, p, buf, size, early, samples);
	record_messages(plan->reps * (plan_iters(plan, size) / 2 + 1));
	record(plan, early ? "ready" : "late", size, samples);
	free(buf);
}

/* Others that match nothing wait meanwhile: receives (@posted) or messages. */
static void others_begin(struct pair *p, char *buf, int n, bool posted, struct fi_context2 *ctx)
{
	int i;

	for (i = 0; i < n; i++) {
		if (posted)
			pair_recv(p, 1, buf + 8, 8, TAG_OTHERS + i, &ctx[i]);
		else
			pair_inject(p, 0, buf, 8, TAG_OTHERS + i);
	}
}

static void others_end(struct pair *p, char *buf, int n, bool posted, struct fi_context2 *ctx)
{
	uint64_t received = p->s[1]->received + n;
	int i;

	for (i = 0; i < n; i++) {
		if (posted)
			pair_inject(p, 0, buf, 8, TAG_OTHERS + i);
		else
			pair_recv(p, 1, buf + 8, 8, TAG_OTHERS + i, &ctx[i]);
	}
	pair_received(p, 1, received);
}

void one_match(const struct plan *plan, struct pair *p, int others, bool posted)
{
	struct fi_context2 *ctx = calloc(others, sizeof(*ctx));
	double samples[MAX_SAMPLES];
	char *buf = bench_buffer(16);

	if (!ctx)
		bench_stop("out of memory");
	others_begin(p, buf, others - 1, posted, ctx);
	match_samples(plan, p, buf, 8, posted, samples);
	others_end(p, buf, others - 1, posted, ctx);
	record(plan, posted ? "posted" : "unexpected", others, samples);
	free(ctx);
	free(buf);
}
