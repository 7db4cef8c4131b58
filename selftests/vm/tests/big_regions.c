// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A million regions of one process: memory, each key counts, neither a registration nor an
 * operation takes longer than with few regions, and all of it goes when the file is closed.
 * TIMEOUT: 300 CHECK: all NEEDS: reload
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <linux/weft_rma.h>
#include "check.h"
#include "looks.h"
#include "raw.h"

#define FLAGS	(WEFT_EPF_RMA | WEFT_EPF_REMOTE_READ | WEFT_EPF_REMOTE_WRITE)
#define MANY	1000000u
#define BATCH	1000u			/* registrations that are measured together */
#define BATCHES	(MANY / BATCH)
#define SOME	50u			/* batches, or operations, that are compared */
#define EACH	8u			/* bytes of a region */
#define ROOM	4096u			/* all regions are in one page: it is in the cache */
#define MOST	300			/* bytes of kernel memory of a region */
#define SLOWER	3			/* times that the last ones may take of the first ones */

static struct raw_rdm r;
static unsigned char *room;		/* memory of the regions */
static uint64_t took[BATCHES];

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static uint64_t median(uint64_t *t)
{
	qsort(t, SOME, sizeof(*t), compare);
	return t[SOME / 2];
}

/* Return: memory of a region. */
static unsigned char *at(__u64 key)
{
	return room + key * EACH % ROOM;
}

static int add(__u64 key)
{
	struct weft_iov seg = { (__u64)(uintptr_t)at(key), EACH };
	struct weft_ioc_region region = {
		.size = sizeof(region), .access = WEFT_REGION_WRITE, .nsegs = 1, .key = key,
		.segs = (__u64)(uintptr_t)&seg, .cntr = WEFT_HANDLE_NONE,
	};

	return raw(r.fd, WEFT_IOC_REGION_ADD, &region);
}

/* Write @value into the region @key, as a peer of itself. Return: the status, -1: none. */
static int put(__u64 key, __u64 value)
{
	struct weft_sqe *s = raw_sqe(&r, WEFT_SQ_WRITE, key);
	struct weft_cqe e;

	s->flags = WEFT_SQ_COMPLETION;
	s->addr = (__u64)(uintptr_t)&value;
	s->len = EACH;
	s->niov = 1;
	s->tag = key;
	s->nrem = 1;
	if (raw_post_sq(&r, 1) || !raw_completion(&r.cq, &e) || e.context != key)
		return -1;
	return e.status;
}

/* Write into regions below @n, spread over all. Return: median of the times in ns. */
static uint64_t operations(unsigned int n)
{
	uint64_t t[SOME], from;
	unsigned int i;

	for (i = 0; i < SOME; i++) {
		from = now_ns();
		if (put(i * 7919ull % n, 1))
			return 0;
		t[i] = now_ns() - from;
	}
	return median(t);
}

static bool reaches(__u64 key)
{
	CHECK_EQ(put(key, 0x0102030405060708 + key), 0);
	CHECK_EQ(*(__u64 *)at(key), 0x0102030405060708 + key);
	return true;
}

/* Add all regions. @first: out: time of an operation when few are there. */
static bool fill(uint64_t *first)
{
	unsigned int i, k;
	uint64_t from;

	for (i = 0; i < BATCHES; i++) {
		from = now_ns();
		for (k = 0; k < BATCH; k++)
			CHECK_EQ(add((__u64)i * BATCH + k), 0);
		took[i] = now_ns() - from;
		if (!i) {
			*first = operations(BATCH);
			CHECK(*first);
		}
	}
	return true;
}

static bool flat(const char *what, uint64_t first, uint64_t last)
{
	printf("# %s: %llu ns with few regions, %llu ns with a million\n", what,
	       (unsigned long long)first, (unsigned long long)last);
	CHECK(first && last <= first * SLOWER);
	return true;
}

static bool million(void)
{
	uint64_t few = 0, many, from;
	long long before, taken;
	int fd;

	CHECK(port_limit(0, "regions-user", MANY));
	fd = raw_open(0);
	CHECK(fd >= 0);
	CHECK(raw_rdm_make(fd, FLAGS, 64, &r));
	room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(room != MAP_FAILED);
	before = memory_available();
	CHECK(fill(&few));
	taken = before - memory_available();
	printf("# a region takes %lld bytes\n", taken / MANY);
	CHECK(memory_redzones() || taken <= (long long)MANY * MOST);
	many = operations(MANY);
	CHECK(flat("an operation", few, many));
	CHECK(flat("1000 registrations", median(took), median(took + BATCHES - SOME)));
	CHECK_EQ(add(MANY), -ENOSPC);
	CHECK_EQ(add(0), -ENOSPC);
	CHECK(reaches(0));
	CHECK(reaches(MANY / 2));
	CHECK(reaches(MANY - 1));
	CHECK_EQ(put(MANY, 1), EACCES);
	CHECK_EQ(put(~0ull, 1), EACCES);
	from = now_ms();
	raw_rdm_release(&r);
	close(fd);
	printf("# closed in %llu ms\n", (unsigned long long)(now_ms() - from));
	CHECK(nothing_left());
	/* the kernel frees in the background */
	from = now_ms();
	while (before - memory_available() > taken / 4)
		CHECK(now_ms() - from < RAW_MS);
	return true;
}

int main(void)
{
	node_enter(0);
	result(million(), "a million regions", "one node");
	return results_end();
}
