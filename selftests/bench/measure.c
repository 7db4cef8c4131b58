// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Functions that the measurements share. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "measure.h"

void record_messages(int n)
{
	printf("P\t%d\n", n);
}

void record_as(const struct plan *plan, const char *measure, size_t param, const char *unit,
	       const double *samples)
{
	int i;

	printf("R\t%s\t%s\t%s\t%zu\t%s", plan->label, plan->form, measure, param, unit);
	for (i = 0; i < plan->reps; i++)
		printf("\t%.6g", samples[i]);
	putchar('\n');
	fflush(stdout);
}

void record(const struct plan *plan, const char *measure, size_t param, const double *samples)
{
	record_as(plan, measure, param, plan->unit, samples);
}

int plan_iters(const struct plan *plan, size_t size)
{
	long n = size <= 4096 ? 500 : size <= 65536 ? 100 : size <= (1 << 20) ? 16 : 6;

	n = n * plan->scale / 100;
	return n < 2 ? 2 : n;
}

int plan_turns(const struct plan *plan, size_t size, int burst)
{
	int n = plan_iters(plan, size);

	if (burst == 1)
		return n;
	return n / burst + (size <= 65536 ? 4 : 1);
}

const char *turns_name(int burst)
{
	return burst == 1 ? "latency" : "burst";
}

char *bench_buffer(size_t len)
{
	char *p = NULL;

	if (posix_memalign((void **)&p, 4096, len + 4096))
		bench_stop("out of memory");
	memset(p, 1, len);
	return p;
}
