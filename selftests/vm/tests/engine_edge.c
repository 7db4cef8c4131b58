// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The change between an engine that polls and a program that calls: a million messages in small
 * bunches, with random pauses
 *
 * The test uses several limits of idleness. So the engine stops polling, and falls asleep, at any
 * moment. The program never waits in the kernel: a lost doorbell would end the run. Every message
 * is counted, in order.
 *
 * Usage: engine_edge [messages [seed]]
 * TIMEOUT: 400
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "engine_set.h"
#include "looks.h"
#include "wpair.h"

#define BUNCH	28
#define STUCK_MS 30000

static unsigned int msgs = 1000000;
static uint64_t rnd;

static uint32_t below(uint32_t n)
{
	rnd ^= rnd << 13;
	rnd ^= rnd >> 7;
	rnd ^= rnd << 17;
	return (rnd >> 16) % n;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/*
 * Mostly a short pause, now and then up to three times the limit, by the clock. An engine that
 * finds no work for the limit stops polling, and falls asleep after as long again.
 */
static void rest(unsigned int idle_us)
{
	uint64_t until;
	uint32_t n;

	if (below(8)) {
		for (n = below(500); n; n--)
			__asm__ volatile("" ::: "memory");
		return;
	}
	until = now_ns() + below((3 * idle_us + 10) * 1000);
	while (now_ns() < until)
		;
}

static bool take(struct wside *s, uint64_t *next, uint64_t *when)
{
	struct weft_cqe e[BUNCH];
	int n = weft_cq_read(s->cq, e, BUNCH), i;

	CHECK(n >= 0);
	for (i = 0; i < n; i++) {
		CHECK_EQ(e[i].status, 0);
		CHECK_EQ(e[i].context, *next);
		++*next;
	}
	if (n)
		*when = 0;
	return true;
}

/* Until all posted operations have completed. */
static bool settle(struct wpair *p, uint64_t sent, uint64_t *acked, uint64_t *got)
{
	uint64_t since = 0;
	uint32_t rounds = 0;

	while (*acked < sent || *got < sent) {
		CHECK(take(&p->a, acked, &since));
		CHECK(take(&p->b, got, &since));
		if (++rounds & 1023)
			continue;
		if (!since)
			since = now_ms();
		CHECK(now_ms() - since < STUCK_MS);
	}
	return true;
}

static bool edge(struct wpair *p, unsigned int idle_us, unsigned int count, uint64_t *sent)
{
	uint64_t acked = *sent, got = *sent, end = *sent + count;
	uint64_t word;
	unsigned int n;

	while (*sent < end) {
		for (n = 1 + below(BUNCH); n && *sent < end; n--, ++*sent) {
			word = *sent;
			/* now before the message, now after the message */
			if (*sent & 3)
				CHECK_EQ(weft_recv(p->b.ep, NULL, 0, WEFT_SRC_ANY, *sent,
						   WEFT_RQ_COMPLETION), 0);
			CHECK_EQ(weft_send(p->a.ep, &word, 0, p->a.peer, 0, *sent,
					   WEFT_SQ_COMPLETION), 0);
			if (!below(8))
				rest(idle_us);
			if (!(*sent & 3))
				CHECK_EQ(weft_recv(p->b.ep, NULL, 0, WEFT_SRC_ANY, *sent,
						   WEFT_RQ_COMPLETION), 0);
		}
		CHECK(settle(p, *sent, &acked, &got));
		rest(idle_us);
	}
	return true;
}

static bool run(struct wpair *p, unsigned int idle_us, unsigned int count, uint64_t *sent)
{
	long long joins, sleeps;
	char words[64];

	snprintf(words, sizeof(words), "engine poll idle-us %u", idle_us);
	CHECK(engine_set(0, words));
	joins = port_attr(0, "counters/engine_joins");
	sleeps = port_attr(0, "counters/engine_sleeps");
	CHECK(edge(p, idle_us, count, sent));
	joins = port_attr(0, "counters/engine_joins") - joins;
	sleeps = port_attr(0, "counters/engine_sleeps") - sleeps;
	printf("# idle-us %u: %u messages, looked at anew %lld times, slept %lld times\n", idle_us,
	       count, joins, sleeps);
	CHECK(joins > count / 1000);
	CHECK(sleeps > count / 10000);
	return true;
}

int main(int argc, char **argv)
{
	static const unsigned int limits[] = { 1, 5, 20, 60 };
	struct wpair p;
	uint64_t sent = 0;
	unsigned int i;
	char name[64];

	if (argc > 1)
		msgs = strtoul(argv[1], NULL, 0);
	rnd = argc > 2 ? strtoull(argv[2], NULL, 0) : 88172645463325252ull;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!result(wpair_open(&p, false), "two endpoints", "one node"))
		return results_end();
	for (i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "%u messages, idle-us %u", msgs / 4, limits[i]);
		if (!result(run(&p, limits[i], msgs / 4, &sent), name, "one node"))
			break;
	}
	result(engine_set(0, "engine inline idle-us 100"), "inline again", "one node");
	result(wpair_close(&p), "endpoints are destroyed", "one node");
	result(nothing_left(), "nothing is left", "one node");
	return results_end();
}
