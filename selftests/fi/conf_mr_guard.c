// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_mr(3), rule by rule: closing under load, strangers, guesses, pinned memory.
 * TIMEOUT: 300 LINKS: vnet loop
 */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "looks.h"
#include "other.h"
#include "user.h"
#include "wpair.h"

#define LONG	(3u << 20)
#define WRONG	99	/* no region has this key */

static bool refused(bool write, uint64_t addr, uint64_t key)
{
	CHECK_EQ(rma_msg(write, sbuf, 8, addr, key, 1, 0), 0);
	return rma_failed(1, write, FI_EACCES);
}

/* ---- Closing ----------------------------------------------------------------------------- */

#define FLOOD	40	/* long operations under way */

/*
 * Close a region on which long operations are under way. It does not wait for them: while the link
 * is cut they would fail with another error than that of a region that is gone.
 */
static bool close_flooded(struct fid_mr *mr, bool cut)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	unsigned int i;
	int ret;

	for (i = 0; i < FLOOD; i++)
		CHECK_EQ(rma_msg(i % 2, sbuf, LONG, 0, KEY, 1, 0), 0);
	CHECK(!cut || link_cut());
	CHECK_EQ(fi_close(&mr->fid), 0);
	CHECK(!cut || link_mend());
	for (i = 0; i < FLOOD; i++) {
		ret = completion(p.a.txcq, &c, NULL, &e);
		CHECK(ret == 1 || (ret == -FI_EAVAIL && e.err == FI_EACCES));
	}
	return true;
}

static bool closes(void)
{
	struct fid_mr *mr;
	unsigned int i;

	for (i = 0; i < 5; i++) {
		CHECK(expose_all(&mr));
		CHECK(rma_read(sbuf, 8, 0, KEY));
		CHECK(close_flooded(mr, false));
	}
	CHECK(expose_all(&mr));
	return link_over(close_flooded(mr, link_there()));
}

#define READERS	50	/* endpoints of each side that read */

/**
 * struct readers - a thread whose endpoints read one region of B, again and again
 * @side: of these endpoints: of A's node, or of B's
 * @cq: all completions
 * @ep: the endpoints
 * @peer: B's endpoint
 * @stop: no further reads
 * @read: reads that have succeeded
 * @ok: no other error than that of a region that is gone
 * @thread: the thread
 */
struct readers {
	struct side *side;
	struct fid_cq *cq;
	struct fid_ep *ep[READERS];
	fi_addr_t peer;
	bool stop;
	unsigned long read;
	bool ok;
	pthread_t thread;
};

static bool read_on(struct readers *r)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	unsigned int i, left = READERS;
	int ret;

	for (i = 0; i < READERS; i++)
		CHECK_EQ(fi_read(r->ep[i], sbuf, LONG / 8, NULL, r->peer, 0, KEY, r->ep[i]), 0);
	while (left) {
		ret = completion(r->cq, &c, NULL, &e);
		CHECK(ret == 1 || (ret == -FI_EAVAIL && e.err == FI_EACCES));
		if (ret == 1)
			__atomic_add_fetch(&r->read, 1, __ATOMIC_RELAXED);
		if (__atomic_load_n(&r->stop, __ATOMIC_ACQUIRE))
			left--;
		else
			CHECK_EQ(fi_read(ret == 1 ? c.op_context : e.op_context, sbuf, LONG / 8,
					 NULL, r->peer, 0, KEY,
					 ret == 1 ? c.op_context : e.op_context), 0);
	}
	return true;
}

static void *run_readers(void *arg)
{
	struct readers *r = arg;

	r->ok = read_on(r);
	return NULL;
}

static bool start_readers(struct readers *r, struct side *s, fi_addr_t peer)
{
	unsigned int i;

	*r = (struct readers){ .side = s, .peer = peer };
	CHECK(cq_new(s, &r->cq));
	for (i = 0; i < READERS; i++)
		CHECK(ep_new(s, r->cq, &r->ep[i]));
	CHECK_EQ(pthread_create(&r->thread, NULL, run_readers, r), 0);
	return true;
}

static bool end_readers(struct readers *r)
{
	unsigned int i;

	__atomic_store_n(&r->stop, true, __ATOMIC_RELEASE);
	CHECK_EQ(pthread_join(r->thread, NULL), 0);
	for (i = 0; i < READERS; i++)
		CHECK_EQ(fi_close(&r->ep[i]->fid), 0);
	CHECK_EQ(fi_close(&r->cq->fid), 0);
	return r->ok;
}

/* A hundred endpoints read one region without a pause. It closes, and is made again. */
static bool read_by_all(void)
{
	uint64_t until = now_ms() + 3 * WAIT_MS, from;
	static struct readers r[2];
	uint8_t addr[64];
	size_t len = sizeof(addr);
	struct fid_mr *mr;
	unsigned int i, k;
	fi_addr_t own;

	CHECK_EQ(fi_getname(&p.b.ep->fid, addr, &len), 0);
	CHECK_EQ(fi_av_insert(p.b.av, addr, 1, &own, 0, NULL), 1);
	CHECK(expose_all(&mr));
	CHECK(start_readers(&r[0], &p.a, p.a.peer) && start_readers(&r[1], &p.b, own));
	for (i = 0; i < 5; i++) {
		for (k = 0; k < 2; k++) {
			unsigned long n = __atomic_load_n(&r[k].read, __ATOMIC_RELAXED);

			while (__atomic_load_n(&r[k].read, __ATOMIC_RELAXED) < n + 10)
				CHECK(now_ms() < until);
		}
		from = now_ms();
		CHECK_EQ(fi_close(&mr->fid), 0);
		printf("# the close took %u ms\n", (unsigned int)(now_ms() - from));
		CHECK(expose_all(&mr));
	}
	CHECK(end_readers(&r[0]) && end_readers(&r[1]));
	return !fi_close(&mr->fid);
}

/* ---- Strangers --------------------------------------------------------------------------- */

static long long strangers(void)
{
	return port_attr(p.o.apart, "counters/wrong_job");
}

/* A is in job @a, B in job @b. Its key and the right key of a region do not help A. */
static bool between_jobs(const char *a, const char *b)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	long long before = strangers();
	struct fid_mr *mr;

	p.o.key = a;
	p.o.key_b = b;
	CHECK(pair_sides(&p, &p.o));
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	CHECK(side_endpoint(&p.b, p.b.info, &p.o));
	CHECK(pair_meet(&p));
	CHECK(expose_all(&mr));
	memset(rbuf, 0xee, 4096);
	memset(sbuf, 0x11, 4096);
	CHECK_EQ(rma_msg(true, sbuf, 100, 0, KEY, 1, 0), 0);
	CHECK_EQ(rma_msg(false, sbuf, 100, 0, KEY, 1, 0), 0);
	CHECK_EQ(completion(p.a.txcq, &c, NULL, &e), -FI_EAVAIL);
	CHECK_EQ(e.err, FI_ECONNREFUSED);
	CHECK_EQ(completion(p.a.txcq, &c, NULL, &e), -FI_EAVAIL);
	CHECK_EQ(e.err, FI_ECONNREFUSED);
	CHECK(all_bytes(rbuf, 4096, 0xee) && all_bytes(sbuf, 4096, 0x11));
	CHECK(strangers() > before);
	CHECK_EQ(fi_close(&mr->fid), 0);
	pair_close(&p);
	memset(&p.a, 0, sizeof(p.a));
	memset(&p.b, 0, sizeof(p.b));
	return true;
}

static bool other_job(void)
{
	struct fid_mr *mr;

	CHECK(between_jobs("a key of one job", "a key of another job"));
	CHECK(between_jobs("a key of one job", ""));
	CHECK(between_jobs(NULL, "a key of one job"));
	/* within a job it works */
	p.o.key = "a key of one job";
	p.o.key_b = NULL;
	CHECK(pair_open(&p, &p.o));
	CHECK(expose_all(&mr));
	CHECK(rma_write(sbuf, 100, 0, KEY));
	return !fi_close(&mr->fid);
}

static bool with_jobs(void)
{
	bool ok;

	nodes_run("printf '%s' | node %d weftctl job add mr-one%d key -", "a key of one job");
	nodes_run("printf '%s' | node %d weftctl job add mr-other%d key -", "a key of another job");
	/* a flow that is refused asks again for that long */
	ok = port_limit(0, "connect-ms", 300) && port_limit(1, "connect-ms", 300) && other_job();
	ok = port_limit(0, "connect-ms", 5000) && port_limit(1, "connect-ms", 5000) && ok;
	pair_close(&p);
	memset(&p, 0, sizeof(p));
	nodes_run("node %2$d weftctl job del mr-one%2$d # %1$s", "");
	nodes_run("node %2$d weftctl job del mr-other%2$d # %1$s", "");
	return ok;
}

/* The peer is another user. The default job keeps its programs apart, unless the port has "any". */
static bool by_user(const char *key, bool any)
{
	long long before = port_attr(p.o.apart, "counters/rma_denied");
	struct other b = { .mem = rbuf, .len = ROOM, .user = true };

	p.o.key = key;
	CHECK(other_start(&b));
	memset(sbuf, 0x11, 100);
	if (key || any) {
		CHECK(rma_write(sbuf, 100, 0, KEY));
		CHECK(other_has(&b, 0, sbuf, 100));
		CHECK(rma_read(sbuf, 100, 0, KEY));
	} else {
		CHECK(refused(true, 0, KEY));
		CHECK(refused(false, 0, KEY));
		CHECK(refused(true, 0, WRONG));
		CHECK(other_has(&b, 0, rbuf, 100));
		CHECK_EQ(port_attr(p.o.apart, "counters/rma_denied") - before, 3);
	}
	CHECK(other_end(&b));
	pair_close(&p);
	return true;
}

static bool other_users(void)
{
	bool ok;

	CHECK(by_user(NULL, false));
	nodes_run("node %2$d weftctl port set weft%2$d rma-users %1$s", "any");
	ok = by_user(NULL, true);
	nodes_run("node %2$d weftctl port set weft%2$d rma-users %1$s", "same");
	CHECK(ok && by_user(NULL, false));
	/* the key of a job tells its users apart: nothing else does */
	nodes_run("printf '%s' | node %d weftctl job add mr-users%d key -", "the key of several users");
	ok = by_user("the key of several users", false);
	nodes_run("node %2$d weftctl job del mr-users%2$d # %1$s", "");
	return ok;
}

/* ---- Answers ----------------------------------------------------------------------------- */

#define CAUSES	5
#define TIMES	11	/* so many of each cause */
#define BURST	64	/* answers that have no delay, more than those */

/* The same errno for each cause of a refusal. test_refuse compares times, by a clock of its own. */
static bool alike(void)
{
	struct fid_mr *mr[3];
	unsigned int i, k;

	CHECK(expose(&p.b, rbuf, 4096, BOTH_RIGHTS, KEY, &mr[0]));
	CHECK(expose(&p.b, rbuf, 4096, FI_REMOTE_READ, KEY + 1, &mr[1]));
	CHECK(expose(&p.b, rbuf, 4096, BOTH_RIGHTS, KEY + 2, &mr[2]));
	CHECK(rma_write(sbuf, 8, 0, KEY));
	CHECK_EQ(fi_close(&mr[2]->fid), 0);
	for (i = 0; i < TIMES; i++)
		for (k = 0; k < CAUSES; k++)
			CHECK(refused(true, k == 1 ? 4096 : k == 2 ? ~0ull - 3 : 0,
				      k == 3 ? KEY + 1 : k == 4 ? KEY + 2 : k ? KEY : WRONG));
	CHECK_EQ(fi_close(&mr[0]->fid), 0);
	return !fi_close(&mr[1]->fid);
}

#define GUESSES	1500
#define AT_ONCE	32

/* Between nodes the answers to guesses have a bounded rate, and nothing else waits. */
static bool guesses(void)
{
	long long before = port_attr(p.o.apart, "counters/rma_denied");
	unsigned int posted = 0, done = 0, asked = 0, answered = 0;
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	struct fid_mr *mr;
	uint64_t from;
	int ret;

	CHECK(expose_all(&mr));
	CHECK(rma_write(sbuf, 8, 0, KEY));
	from = now_ms();
	while (done < GUESSES) {
		for (; posted < GUESSES && posted < done + AT_ONCE; posted++)
			CHECK_EQ(rma_msg(posted % 2, sbuf, 8, 0, WRONG + posted % 7, 1, 0), 0);
		if (asked == answered && done > 100 * asked) {
			CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY, 2, 0), 0);
			asked++;
		}
		ret = completion(p.a.txcq, &c, NULL, &e);
		if (ret == 1) {
			CHECK(c.op_context == ctx(2));
			answered++;
		} else {
			CHECK_EQ(e.err, FI_EACCES);
			done++;
		}
	}
	if (answered < asked)
		CHECK(rma_ends(1));
	CHECK(asked > 10);
	if (p.o.apart)
		CHECK(now_ms() - from >= GUESSES - BURST - AT_ONCE);
	CHECK_EQ(port_attr(p.o.apart, "counters/rma_denied") - before, GUESSES);
	return !fi_close(&mr->fid);
}

/* ---- Pinned memory ----------------------------------------------------------------------- */

#define LIMIT	(64u << 10)
#define SPARSE	(1ull << 40)

/* Writes and reads of a region that is larger than the limit, some of them unlike any before. */
static bool large(uint8_t *at, uint64_t len, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		uint64_t off = len / n * i;
		size_t size = i % 3 ? 200000 : 5000;

		pattern_fill(sbuf, size, i);
		CHECK(rma_write(sbuf, size, off, KEY));
		CHECK(pattern_is(at + off, size, i));
		CHECK(vm_pinned() <= LIMIT);
		memset(sbuf, 0, size);
		CHECK(rma_read(sbuf, size, off, KEY));
		CHECK(pattern_is(sbuf, size, i));
		CHECK(vm_pinned() <= LIMIT);
	}
	return true;
}

static bool as_user(uint64_t len, unsigned int n)
{
	struct fid_mr *mr;
	uint8_t *at;

	node_enter(0);
	CHECK(user_become(LIMIT));
	p.o.type = FI_EP_RDM;
	CHECK(side_open_here(&p.a, &p.o) && side_open_here(&p.b, &p.o));
	CHECK(side_endpoint(&p.a, p.a.info, &p.o) && side_endpoint(&p.b, p.b.info, &p.o));
	CHECK(pair_meet(&p));
	at = mmap(NULL, len, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(at != MAP_FAILED);
	CHECK(expose(&p.b, at, len, BOTH_RIGHTS, KEY, &mr));
	CHECK_EQ(vm_pinned(), 0);
	CHECK(large(at, len, n));
	CHECK_EQ(fi_close(&mr->fid), 0);
	munmap(at, len);
	pair_close(&p);
	return vm_pinned_becomes(0);
}

/* In a process of its own, because the change from root is final. */
static bool apart_from_root(uint64_t len, unsigned int n)
{
	struct opts o = p.o;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		memset(&p, 0, sizeof(p));
		p.o = o;
		status = as_user(len, n);
		fflush(stdout);
		_exit(!status);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	return true;
}

static bool limited(void)
{
	return apart_from_root(1ull << 30, 60);
}

static bool sparse(void)
{
	return apart_from_root(SPARSE, 200);
}

#define TOUCHED	(48u << 20)

/* Unused pages are no longer pinned when the machine looks for memory, and work as before. */
static bool under_pressure(void)
{
	uint64_t until = now_ms() + WAIT_MS, off;
	struct fid_mr *mr;
	uint8_t *at;

	at = mmap(NULL, SPARSE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(at != MAP_FAILED);
	CHECK(expose(&p.b, at, SPARSE, BOTH_RIGHTS, KEY, &mr));
	for (off = 0; off < TOUCHED; off += LONG) {
		pattern_fill(sbuf, LONG, off);
		CHECK(rma_write(sbuf, LONG, 1000 * off, KEY));
	}
	CHECK(vm_pinned() >= TOUCHED);
	do {
		CHECK(now_ms() < until);
		CHECK_EQ(system("echo 2 >/proc/sys/vm/drop_caches"), 0);
	} while (vm_pinned());
	for (off = 0; off < TOUCHED; off += LONG) {
		CHECK(pattern_is(at + 1000 * off, LONG, off));
		CHECK(rma_read(sbuf, LONG, 1000 * off, KEY));
		CHECK(pattern_is(sbuf, LONG, off));
	}
	CHECK(vm_pinned() >= TOUCHED);
	munmap(at, SPARSE);
	return !fi_close(&mr->fid);
}

/* ---- Hostile requests -------------------------------------------------------------------- */

static uint64_t state;

static uint64_t any(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

/* Addresses and lengths about the ends of the numbers and of the region: never a byte outside. */
static bool hostile(void)
{
	const uint64_t about[] = { 0, 4096, 8192, 1ull << 31, 1ull << 32, 1ull << 47, 1ull << 63 };
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	unsigned int i, ok = 0;
	struct fid_mr *mr;
	int ret;

	state = 0x2545f4914f6cdd1dull;
	CHECK(expose(&p.b, rbuf + 65536, 8192, BOTH_RIGHTS, KEY, &mr));
	memset(rbuf, 0xee, 1u << 20);
	for (i = 0; i < 2000; i++) {
		uint64_t addr = about[any(7)] + any(64) - 32;
		size_t len = any(4) ? 1 + any(64) : 1 + any(9000);
		bool in = addr <= 8192 && len <= 8192 - addr;

		memset(sbuf, 0x44, len);
		CHECK_EQ(rma_msg(any(2), sbuf, len, addr, any(20) ? KEY : any(~0ull), 1, 0), 0);
		ret = completion(p.a.txcq, &c, NULL, &e);
		CHECK(ret == 1 ? in : e.err == FI_EACCES);
		ok += ret == 1;
	}
	CHECK(ok > 50);
	CHECK(all_bytes(rbuf, 65536, 0xee));
	CHECK(all_bytes(rbuf + 65536 + 8192, (1u << 20) - 65536 - 8192, 0xee));
	return !fi_close(&mr->fid);
}

static const struct row rows[] = {
	ROW("MR-28", ON_BOTH, "The close of a region waits for no peer", closes, RMA),
	ROW("MR-28a", ON_RDM, "It closes while a hundred endpoints read it without a pause",
	    read_by_all, RMA),
	ROW("MR-33", ON_RDM, "A key is of no use in another job", with_jobs, RMA, .alone = true),
	ROW("MR-33a", ON_BOTH, "A key is of no use to another user, without a job or rma-users any",
	    other_users, RMA, .alone = true),
	ROW("MR-34", ON_BOTH, "The answer to a refused operation does not tell the cause", alike,
	    RMA),
	ROW("MR-35", ON_BOTH, "Answers to guesses have a bounded rate, and are counted", guesses,
	    RMA),
	ROW("MR-36", ON_RDM, "Regions beyond the limit of pinned memory work, and pin no more",
	    limited, RMA, .alone = true, .once = true),
	ROW("MR-37", ON_RDM, "What is pinned of a huge region falls to make room for the rest",
	    sparse, RMA, .alone = true, .once = true),
	ROW("MR-37a", ON_BOTH, "Unused pages are unpinned when the machine is short of memory",
	    under_pressure, RMA),
	ROW("MR-38", ON_BOTH, "No request reaches a byte outside of its region", hostile, RMA),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
