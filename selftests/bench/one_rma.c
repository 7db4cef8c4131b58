// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Measurements of one-sided operations, with both ends in one thread
 *
 * The other end's program learns of a write by its counter. Some providers have none, and "net" has
 * one that stays 0. Then it looks at the last bytes, which differ from those of the write before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "clock.h"
#include "measure.h"

/**
 * struct area - the memory of both ends
 * @buf: that of each end: bytes to be written, and behind them those that the other end accesses
 * @size: bytes of each half
 * @writes: writes to each end
 * @counts: the provider counts them
 */
struct area {
	char *buf[2];
	size_t size;
	uint64_t writes[2];
	bool counts;
};

#define COUNTED 100 /* turns within which a write is counted */

static void area_open(struct area *a, struct pair *p, size_t size)
{
	int end;

	*a = (struct area){ .size = size };
	for (end = 0; end < 2; end++) {
		a->buf[end] = bench_buffer(2 * size);
		side_expose(p->s[end], a->buf[end] + size, size, &p->s[!end]->there);
	}
}

static void area_close(struct area *a)
{
	free(a->buf[0]);
	free(a->buf[1]);
}

/* ---- Writes ---- */

/* Return: true if all writes to an end have come. */
static bool have_come(struct pair *p, int end, const struct area *a)
{
	uint64_t last;

	if (a->counts)
		return fi_cntr_read(p->s[end]->cntr) >= a->writes[end];
	memcpy(&last, a->buf[end] + 2 * a->size - sizeof(last), sizeof(last));
	return last == a->writes[end];
}

/* One write, or @n writes of 8 bytes, that the other end waits for. */
static void write_to(struct pair *p, int end, struct area *a, int n)
{
	uint64_t sent = p->s[!end]->sent + (a->size > INJECT_MAX || n > 1 ? n : 0);
	char *from = a->buf[!end];
	int i;

	a->writes[end] += n;
	memcpy(from + a->size - sizeof(uint64_t), &a->writes[end], sizeof(uint64_t));
	if (n > 1)
		for (i = 0; i < n; i++)
			pair_writemsg(p, !end, from + 8 * i, 8, 8 * i,
				      FI_INJECT | (i + 1 < n ? FI_MORE : 0));
	else if (a->size > INJECT_MAX)
		pair_write(p, !end, from, a->size);
	else
		pair_put(p, !end, from, a->size);
	pair_until(p, end, have_come, a);
	pair_sent(p, !end, sent);
}

/* One write each way tells whether the provider counts them. */
static void write_first(struct pair *p, struct area *a)
{
	bool counts = p->s[0]->cntr;
	int end, i;

	for (end = 0; end < 2; end++) {
		write_to(p, end, a, 1);
		for (i = 0; i < COUNTED; i++)
			pair_turn(p, end);
		counts = counts && fi_cntr_read(p->s[end]->cntr) == 1;
	}
	a->counts = counts;
}

void one_writes(const struct plan *plan, struct pair *p, size_t size, int burst)
{
	int rep, i, n = plan_turns(plan, size, burst);
	double samples[MAX_SAMPLES];
	struct span span;
	struct area a;

	area_open(&a, p, size * burst);
	write_first(p, &a);
	for (i = 0; i < 2 * n; i++)
		write_to(p, i & 1, &a, burst);
	for (rep = 0; rep < plan->reps; rep++) {
		clock_start(&span);
		for (i = 0; i < 2 * n; i++)
			write_to(p, i & 1, &a, burst);
		samples[rep] = clock_stop(&span) / (2.0 * n * burst);
	}
	record_messages(2 * n * burst);
	record(plan, burst == 1 ? "write" : "writes", burst == 1 ? size : (size_t)burst, samples);
	area_close(&a);
}

/* ---- Reads and atomic operations ---- */

/* An operation with a result: @fetch: an atomic one, else a read. */
static void get(struct pair *p, int from, struct area *a, bool fetch)
{
	uint64_t sent = p->s[from]->sent + 1;

	if (fetch)
		pair_fetch(p, from, (uint64_t *)a->buf[from]);
	else
		pair_read(p, from, a->buf[from], a->size);
	pair_sent(p, from, sent);
}

void one_gets(const struct plan *plan, struct pair *p, size_t size, bool fetch)
{
	int rep, i, n = plan_turns(plan, size, 1);
	double samples[MAX_SAMPLES];
	struct span span;
	struct area a;

	area_open(&a, p, size);
	for (i = 0; i < 2 * n; i++)
		get(p, i & 1, &a, fetch);
	for (rep = 0; rep < plan->reps; rep++) {
		clock_start(&span);
		for (i = 0; i < 2 * n; i++)
			get(p, i & 1, &a, fetch);
		samples[rep] = clock_stop(&span) / (2.0 * n);
	}
	record_messages(2 * n);
	record(plan, fetch ? "fetch" : "read", size, samples);
	area_close(&a);
}

/* ---- Registration ---- */

/* Registers memory that is mapped and not used. Each page that becomes resident is an error. */
void one_register(const struct plan *plan, struct pair *p, size_t size)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	unsigned char *resident = calloc(1, size / 4096);
	struct side_memory there;
	double samples[MAX_SAMPLES];
	struct span span;
	size_t page;
	void *buf;
	int rep;

	buf = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (!resident || buf == MAP_FAILED)
		bench_stop("out of memory");
	for (rep = 0; rep < plan->reps; rep++) {
		clock_start(&span);
		side_expose(p->s[0], buf, size, &there);
		samples[rep] = clock_stop(&span);
		fi_close(&p->s[0]->mr->fid);
		p->s[0]->mr = NULL;
	}
	if (mincore(buf, size, resident))
		bench_stop("mincore failed");
	for (page = 0; page < size / 4096; page++)
		if (resident[page] & 1)
			bench_stop("registration has touched a page");
	record(plan, "register", size, samples);
	munmap(buf, size);
	free(resident);
}
