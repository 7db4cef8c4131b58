// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_atomic(3), rule by rule: levels, order, once and only once, memory of all kinds.
 * TIMEOUT: 300 LINKS: vnet loop
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#include "atomics.h"

#define LONG	(3u << 20)

static struct fi_msg_atomic message(struct fi_ioc *iov, struct fi_rma_ioc *rem, enum fi_op op,
				    unsigned int n)
{
	return (struct fi_msg_atomic){
		.msg_iov = iov, .iov_count = 1, .addr = p.a.peer, .rma_iov = rem,
		.rma_iov_count = 1, .datatype = FI_UINT64, .op = op, .context = ctx(n),
	};
}

/* One element at the peer, with flags. */
static ssize_t base_msg(uint64_t *v, uint64_t addr, enum fi_op op, unsigned int n, uint64_t flags)
{
	struct fi_rma_ioc rem = { addr, 1, KEY };
	struct fi_ioc iov = { v, 1 };
	struct fi_msg_atomic m = message(&iov, &rem, op, n);

	return fi_atomicmsg(p.a.ep, &m, flags);
}

static ssize_t fetch_msg(uint64_t *v, uint64_t *r, enum fi_op op, unsigned int n, uint64_t flags)
{
	struct fi_rma_ioc rem = { FIRST, 1, KEY };
	struct fi_ioc iov = { v, 1 }, res = { r, 1 };
	struct fi_msg_atomic m = message(&iov, &rem, op, n);

	return fi_fetch_atomicmsg(p.a.ep, &m, &res, NULL, 1, flags);
}

/* ---- Levels ------------------------------------------------------------------------------ */

static bool fetch_cut(void)
{
	static uint64_t v, r;

	v = 1;
	r = 99;
	CHECK(link_cut());
	CHECK_EQ(fetch_msg(&v, &r, FI_SUM, 1, FI_INJECT_COMPLETE), 0);
	CHECK(quiet(p.a.txcq));
	CHECK_EQ(r, 99);
	CHECK(link_mend());
	CHECK(atomic_done(1, true));
	return r == 7;
}

static bool results_first(void)
{
	struct fid_mr *mr;
	uint64_t v = 0, r;
	unsigned int i;

	CHECK(expose_all(&mr));
	*word() = 7;
	for (i = 0; i < 200; i++) {
		r = 99;
		CHECK_EQ(fetch_msg(&v, &r, FI_SUM, 1, i % 2 ? FI_INJECT_COMPLETE : 0), 0);
		CHECK(atomic_done(1, true));
		CHECK_EQ(r, 7);
	}
	if (link_there())
		CHECK(link_over(fetch_cut()));
	return !fi_close(&mr->fid);
}

static bool base_cut(void)
{
	static uint64_t v;

	v = 100;
	CHECK(link_cut());
	CHECK_EQ(base_msg(&v, FIRST, FI_SUM, 1, 0), 0);
	CHECK_EQ(base_msg(&v, FIRST + 8, FI_SUM, 2, FI_DELIVERY_COMPLETE), 0);
	CHECK(quiet(p.a.txcq));
	CHECK_EQ(word()[0] + word()[1], 0);
	CHECK(link_mend());
	CHECK(atomic_done(1, false));
	CHECK(atomic_done(2, false));
	return word()[0] == 100 && word()[1] == 100;
}

static bool levels(void)
{
	const uint64_t all[] = { 0, FI_INJECT_COMPLETE, FI_TRANSMIT_COMPLETE,
				 FI_DELIVERY_COMPLETE, FI_MATCH_COMPLETE };
	struct fid_mr *mr;
	unsigned int i;
	uint64_t v;

	CHECK(expose_all(&mr));
	memset(word(), 0, 24);
	for (i = 0; i < 100; i++) {
		v = i;
		CHECK_EQ(base_msg(&v, FIRST, FI_ATOMIC_WRITE, 1, all[i % 5]), 0);
		CHECK(atomic_done(1, false));
		v = 77;
		/* at the level of delivery the element has its value */
		if (all[i % 5] != FI_INJECT_COMPLETE)
			CHECK_EQ(*word(), i);
	}
	memset(word(), 0, 24);
	v = 0;
	CHECK_EQ(base_msg(&v, FIRST, FI_SUM, 1, FI_DELIVERY_COMPLETE), 0);
	CHECK(atomic_done(1, false));
	if (link_there())
		CHECK(link_over(base_cut()));
	return !fi_close(&mr->fid);
}

/* ---- What a plain reader sees ------------------------------------------------------------ */

#define PLAIN	64

/* Each element is one of the values that were written, never a part of two. */
static bool no_tear(void)
{
	volatile uint64_t *t = word();
	uint64_t v[PLAIN], x;
	unsigned int i, k;
	struct fi_cq_tagged_entry c;
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	memset(word(), 0, sizeof(v));
	for (k = 1; k <= 200; k++) {
		/* all bytes of a value are equal */
		memset(v, k & 0xff, sizeof(v));
		CHECK_EQ(fi_atomic(p.a.ep, v, PLAIN, NULL, p.a.peer, FIRST, KEY, FI_UINT64,
				   FI_ATOMIC_WRITE, ctx(1)), 0);
		do {
			for (i = 0; i < PLAIN; i++) {
				x = t[i];
				CHECK_EQ(x, (x & 0xff) * 0x0101010101010101ull);
			}
		} while (fi_cq_read(p.a.txcq, &c, 1) == -FI_EAGAIN);
	}
	for (i = 0; i < PLAIN; i++)
		CHECK_EQ(t[i], 200 * 0x0101010101010101ull);
	return !fi_close(&mr->fid);
}

/* ---- Once and only once ------------------------------------------------------------------ */

#define ADDS	12000
#define AT_ONCE	30

/* Add 1 again and again: the results are the numbers from 0 on, each once. */
static bool counts_up(bool cuts)
{
	static bool seen[ADDS];
	static uint64_t r[AT_ONCE];
	struct fi_cq_tagged_entry c;
	uint64_t one = 1;
	unsigned int i, n;

	memset(seen, 0, sizeof(seen));
	*word() = 0;
	for (n = 0; n < ADDS; n += AT_ONCE) {
		for (i = 0; i < AT_ONCE; i++)
			CHECK_EQ(atomic_fetch(&one, &r[i], KEY, FI_SUM, i), 0);
		/* requests and results of these operations are lost, and sent again */
		if (cuts && n % (ADDS / 5) == 0) {
			CHECK(link_cut());
			usleep(50000);
			CHECK(link_mend());
		}
		for (i = 0; i < AT_ONCE; i++)
			CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
		for (i = 0; i < AT_ONCE; i++) {
			CHECK(r[i] < ADDS && !seen[r[i]]);
			seen[r[i]] = true;
		}
	}
	CHECK_EQ(*word(), ADDS);
	return true;
}

static bool on_bad_link(void)
{
	return link_spoil() && counts_up(false);
}

static bool once(void)
{
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	CHECK(link_over(on_bad_link()));
	return !fi_close(&mr->fid);
}

static bool with_cuts(void)
{
	return counts_up(true);
}

static bool lost_results(void)
{
	return rma_on_link(with_cuts, 0);
}

#define DEAD_MS	2000

/* The link is cut while main continues. */
static void *cuts(void *arg)
{
	__atomic_store_n((int *)arg, link_cut() ? 1 : -1, __ATOMIC_RELEASE);
	return NULL;
}

/*
 * Add 1 without a pause, and on until the link has been cut for long enough. Each operation ends
 * once, and has been executed or not.
 */
static bool silent(void)
{
	unsigned int posted = 0, ended = 0, ok = 0, more = AT_ONCE;
	uint64_t one = 1, r[AT_ONCE];
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	pthread_t thread;
	int cut = 0, ret;

	*word() = 0;
	CHECK_EQ(pthread_create(&thread, NULL, cuts, &cut), 0);
	while (more || ended < posted) {
		while (more && posted < ended + AT_ONCE) {
			CHECK_EQ(atomic_fetch(&one, &r[posted % AT_ONCE], KEY, FI_SUM, 1), 0);
			posted++;
			/* the last ones are posted when no packet passes */
			more -= __atomic_load_n(&cut, __ATOMIC_ACQUIRE) != 0;
		}
		ret = completion(p.a.txcq, &c, NULL, &e);
		CHECK(ret == 1 || (ret == -FI_EAVAIL && e.err == FI_ETIMEDOUT));
		ended++;
		ok += ret == 1;
		/* the path has gone: no further operation waits for it */
		more = ret == 1 ? more : 0;
	}
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_EQ(cut, 1);
	CHECK(ok < posted && *word() >= ok && *word() <= posted);
	printf("# %u posted, %u done, the sum is %llu\n", posted, ok,
	       (unsigned long long)*word());
	CHECK(link_mend());
	/* a new path works */
	*word() = 5;
	CHECK_EQ(atomic_fetch(&one, r, KEY, FI_SUM, 1), 0);
	CHECK(atomic_done(1, true));
	return r[0] == 5 && *word() == 6;
}

static bool gone_initiator(void)
{
	return rma_on_link(silent, DEAD_MS);
}

/* ---- Order ------------------------------------------------------------------------------- */

#define ROUNDS	200

static bool with_others(void)
{
	struct fi_cq_tagged_entry c;
	struct fid_mr *mr;
	uint64_t r, one = 1;
	unsigned int i;

	CHECK(expose_all(&mr));
	CHECK(link_spoil());
	for (i = 0; i < ROUNDS; i++) {
		/* write, fetch, write: the fetch has the first value; the second one stays */
		((uint64_t *)sbuf)[0] = 10 * i;
		((uint64_t *)sbuf)[1] = 10 * i + 5;
		CHECK_EQ(rma_msg(true, sbuf, 8, FIRST, KEY, 1, 0), 0);
		CHECK_EQ(atomic_fetch(&one, &r, KEY, FI_SUM, 2), 0);
		CHECK_EQ(rma_msg(false, sbuf + 64, 8, FIRST, KEY, 3, 0), 0);
		CHECK_EQ(rma_msg(true, sbuf + 8, 8, FIRST, KEY, 4, 0), 0);
		CHECK(rma_ends(4));
		CHECK_EQ(r, 10 * i);
		CHECK_EQ(((uint64_t *)sbuf)[8], 10 * i + 1);
		CHECK_EQ(*word(), 10 * i + 5);
		/* a message behind an atomic operation says that it has been executed */
		CHECK(post_plain(rbuf + LONG, 64, 1));
		CHECK_EQ(base_msg(&one, FIRST, FI_SUM, 5, FI_INJECT_COMPLETE), 0);
		CHECK_EQ(fi_inject(p.a.ep, sbuf, 8, p.a.peer), 0);
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		CHECK_EQ(*word(), 10 * i + 6);
		CHECK(rma_ends(1));
	}
	return !fi_close(&mr->fid);
}

static bool order(void)
{
	return link_over(with_others());
}

/* Put with signal: who sees the flag sees the bytes of the long write before it. */
static bool fenced(void)
{
	volatile uint64_t *flag = (uint64_t *)(rbuf + LONG + 64);
	uint64_t until = now_ms() + WAIT_MS, one = 1;
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	*flag = 0;
	for (i = 1; i <= 20; i++) {
		pattern_fill(sbuf, LONG, i);
		CHECK_EQ(rma_msg(true, sbuf, LONG, 0, KEY, 1, FI_INJECT_COMPLETE), 0);
		CHECK_EQ(base_msg(&one, LONG + 64, FI_SUM, 2, FI_FENCE), 0);
		while (*flag != i)
			CHECK(now_ms() < until);
		CHECK(pattern_is(rbuf, LONG, i));
		/* an atomic operation in front of a fenced write has been executed, too */
		CHECK_EQ(base_msg(&one, LONG + 128, FI_SUM, 3, FI_INJECT_COMPLETE), 0);
		CHECK_EQ(rma_msg(false, sbuf + LONG, 8, LONG + 128, KEY, 4, FI_FENCE), 0);
		CHECK(rma_ends(4));
		CHECK(!memcmp(sbuf + LONG, rbuf + LONG + 128, 8));
	}
	return !fi_close(&mr->fid);
}

/* ---- Flags and counters ------------------------------------------------------------------ */

static bool quietly(void)
{
	uint64_t until = now_ms() + WAIT_MS, one = 1, r;
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	*word() = 0;
	for (i = 0; i < 40; i++)
		CHECK_EQ(base_msg(&one, FIRST, FI_SUM, i, FI_MORE), 0);
	/* no further call */
	while (*(volatile uint64_t *)word() != 40)
		CHECK(now_ms() < until);
	CHECK_EQ(fetch_msg(&one, &r, FI_SUM, 1, FI_MORE), 0);
	CHECK_EQ(fi_inject_atomic(p.a.ep, &one, 1, p.a.peer, FIRST, KEY, FI_UINT64, FI_SUM), 0);
	CHECK(cntr_is(p.a.txcntr, 42));
	CHECK_EQ(r, 40);
	CHECK(quiet(p.a.txcq));
	CHECK_EQ(base_msg(&one, FIRST, FI_SUM, 5, FI_COMPLETION), 0);
	CHECK(atomic_done(5, false));
	/* failures have an entry, and count apart */
	CHECK_EQ(atomic_base(&one, KEY + 1, FI_SUM, 6), 0);
	CHECK(atomic_failed(6, FI_EACCES));
	CHECK(cntr_fails(p.a.txcntr, 1));
	CHECK(cntr_is(p.a.txcntr, 43));
	return !fi_close(&mr->fid);
}

/* ---- Memory ------------------------------------------------------------------------------ */

/**
 * struct beside - a thread that adds to a word at B
 * @at: the word
 * @stop: the thread ends
 * @added: how often it has added
 */
struct beside {
	uint64_t *at;
	bool stop;
	uint64_t added;
};

static void *adds(void *arg)
{
	struct beside *b = arg;

	while (!__atomic_load_n(&b->stop, __ATOMIC_ACQUIRE)) {
		__atomic_fetch_add(b->at, 1, __ATOMIC_SEQ_CST);
		b->added++;
	}
	return NULL;
}

/* The sum is exact though the program adds, too, and though the page goes in between. */
static bool sums(uint8_t *at, bool gone)
{
	struct beside b = { .at = (uint64_t *)(at + FIRST) };
	uint64_t one = 1, r;
	pthread_t thread;
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose(&p.b, at, 8192, BOTH_RIGHTS, KEY, &mr));
	/* first touch */
	CHECK_EQ(atomic_fetch(&one, &r, KEY, FI_SUM, 1), 0);
	CHECK(atomic_done(1, true));
	CHECK_EQ(r, 0);
	CHECK_EQ(pthread_create(&thread, NULL, adds, &b), 0);
	for (i = 0; i < 100; i++) {
		if (gone && i % 10 == 0)
			madvise(at, 8192, MADV_PAGEOUT);
		CHECK_EQ(atomic_fetch(&one, &r, KEY, FI_SUM, 1), 0);
		CHECK(atomic_done(1, true));
	}
	__atomic_store_n(&b.stop, true, __ATOMIC_RELEASE);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_EQ(*b.at, 101 + b.added);
	return !fi_close(&mr->fid);
}

static bool cold(void)
{
	static const char name[] = "/tmp/conf_atomic_order";
	int flags = MAP_PRIVATE | MAP_ANONYMOUS, fd;
	uint8_t *at;

	at = mmap(NULL, 8192, PROT_READ | PROT_WRITE, flags, -1, 0);
	CHECK(at != MAP_FAILED);
	CHECK(sums(at, true));
	munmap(at, 8192);
	fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	CHECK(fd >= 0);
	CHECK_EQ(ftruncate(fd, 8192), 0);
	at = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(at != MAP_FAILED);
	CHECK(sums(at, false));
	munmap(at, 8192);
	close(fd);
	return !unlink(name);
}

#define BOTH	.o.caps = FI_ATOMIC | FI_RMA
#define FENCE	.o.caps = FI_ATOMIC | FI_RMA | FI_FENCE

static const struct row rows[] = {
	ROW("ATOM-12", ON_BOTH, "Results are there at the entry, whatever the level",
	    results_first, ATOMIC),
	ROW("ATOM-13", ON_BOTH, "Levels of base operations are those of writes", levels, ATOMIC),
	ROW("ATOM-16", ON_BOTH, "A plain reader sees old or new elements, and no third value",
	    no_tear, ATOMIC),
	ROW("ATOM-25", ON_BOTH, "Each operation is executed once on a bad link", once, ATOMIC),
	ROW("ATOM-26", ON_BOTH, "Lost results are sent again, and not computed again",
	    lost_results, ATOMIC),
	ROW("ATOM-27", ON_RDM, "When a node is silent each operation ends, executed or not",
	    gone_initiator, ATOMIC),
	ROW("ATOM-29", ON_BOTH, "Atomic operations keep their place among writes, reads and sends",
	    order, BOTH),
	ROW("ATOM-30", ON_BOTH, "A fenced operation waits for earlier ones, and vouches for them",
	    fenced, FENCE),
	ROW("ATOM-31", ON_BOTH, "FI_MORE, selective completion and counters are as for writes",
	    quietly, ATOMIC, .o.counters = true, .o.tx_count = FI_READ | FI_WRITE,
	    .o.selective = true),
	ROW("ATOM-34", ON_BOTH, "Memory that is not resident, or of a file, is changed atomically",
	    cold, ATOMIC),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
