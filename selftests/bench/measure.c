// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What measure.h says: records, and half round trips. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "measure.h"

void record(const struct plan *plan, const char *measure, size_t param, const char *per,
	    const double *samples, int n)
{
	int i;

	printf("R\t%s\t%s\t%s\t%zu\t%s\t%s", plan->label, plan->form, measure, param, plan->unit,
	       per);
	for (i = 0; i < n; i++)
		printf("\t%.6g", samples[i]);
	putchar('\n');
	fflush(stdout);
}

int plan_iters(const struct plan *plan, size_t size)
{
	long n = size <= 4096 ? 500 : size <= 65536 ? 100 : size <= (1 << 20) ? 16 : 6;

	n = n * plan->scale / 100;
	return n < 2 ? 2 : n;
}

/* One message; @again: the next receive posted in place of the one that it took. */
static void one_way(struct pair *p, int from, char *sbuf, char *rbuf, size_t size, bool again)
{
	uint64_t received = p->s[!from]->received + 1, sent = p->s[from]->sent + 1;

	if (size <= INJECT_MAX)
		pair_inject(p, from, sbuf, size, 1);
	else
		pair_send(p, from, sbuf, size, 1, false);
	pair_received(p, !from, received);
	if (size > INJECT_MAX)
		pair_sent(p, from, sent);
	if (again)
		pair_recv(p, !from, rbuf, size, 1);
}

static void round_trips(struct pair *p, char *buf, size_t size, int n, bool again)
{
	for (; n; n--) {
		one_way(p, 0, buf, buf + size, size, again);
		one_way(p, 1, buf + 2 * size, buf + 3 * size, size, again);
	}
}

void measure_latency_one(const struct plan *plan, struct pair *p, size_t size)
{
	int rep, n = plan_iters(plan, size);
	double samples[64];
	struct span span;
	char *buf = NULL;

	if (posix_memalign((void **)&buf, 4096, 4 * (size + 4096)))
		bench_stop(1, "out of memory");
	memset(buf, 1, 4 * size);
	pair_recv(p, 0, buf + 3 * size, size, 1);
	pair_recv(p, 1, buf + size, size, 1);
	pair_roam(p, true);
	round_trips(p, buf, size, 2, true);
	pair_roam(p, false);
	round_trips(p, buf, size, n / 4, true);
	clock_profile_begin();
	for (rep = 0; rep < plan->reps; rep++) {
		clock_start(&span);
		round_trips(p, buf, size, n, true);
		samples[rep] = clock_stop(&span) / (2.0 * n);
	}
	clock_profile_end();
	printf("P\t%d\n", 2 * n * plan->reps);
	round_trips(p, buf, size, 1, false);
	record(plan, "latency", size, "msg", samples, plan->reps);
	free(buf);
}
