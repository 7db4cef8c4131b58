// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_rma(3), rule by rule: nodes, programs and memory that end under way; any arguments.
 *
 *	conf_rma_end write ADDRESS	writes there until it is killed
 *
 * TIMEOUT: 300 LINKS: vnet loop
 */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "looks.h"
#include "onesided.h"

#define LONG	(3u << 20)

/* ---- Order between reads, and between endpoints -------------------------------------------- */

/**
 * struct grows - a thread of B that increments a word
 * @at: the word
 * @stop: the thread ends
 */
struct grows {
	volatile uint64_t *at;
	bool stop;
};

static void *increment(void *arg)
{
	struct grows *g = arg;

	while (!__atomic_load_n(&g->stop, __ATOMIC_ACQUIRE))
		(*g->at)++;
	return NULL;
}

#define READS	40

static bool falling(void)
{
	struct grows g = { .at = (uint64_t *)(rbuf + 64) };
	uint64_t *got = (uint64_t *)sbuf, last = 0;
	unsigned int i, round;
	pthread_t thread;
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	CHECK(link_spoil());
	*g.at = 0;
	CHECK_EQ(pthread_create(&thread, NULL, increment, &g), 0);
	for (round = 0; round < 30; round++) {
		for (i = 0; i < READS; i++)
			CHECK_EQ(rma_msg(false, &got[i], 8, 64, KEY, i, 0), 0);
		CHECK(rma_ends(READS));
		for (i = 0; i < READS; i++) {
			CHECK(got[i] >= last);
			last = got[i];
		}
	}
	__atomic_store_n(&g.stop, true, __ATOMIC_RELEASE);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK(last);
	return !fi_close(&mr->fid);
}

static bool rar(void)
{
	return link_over(falling());
}

#define FULL	300	/* more than B's queue has entries */

/* B does not read its queue, so one endpoint of A stands still. The other one does not wait. */
static bool beside(void)
{
	struct fi_cq_tagged_entry c;
	unsigned int i, n = 0;
	struct fid_mr *mr;
	struct fid_ep *ep;
	struct fid_cq *cq;

	CHECK(cq_new(&p.a, &cq) && ep_new(&p.a, cq, &ep));
	CHECK(expose_all(&mr));
	for (i = 0; i < FULL; i++)
		if (fi_writedata(p.a.ep, sbuf, 8, NULL, i, p.a.peer, 0, KEY, ctx(1)))
			break;
	n = i;
	CHECK(n > 64);
	for (i = 0; i < 200; i++) {
		pattern_fill(sbuf + 4096, 1000, i);
		CHECK_EQ(fi_write(ep, sbuf + 4096, 1000, NULL, p.a.peer, 4096, KEY, ctx(2)), 0);
		CHECK_EQ(completion(cq, &c, NULL, NULL), 1);
		CHECK(pattern_is(rbuf + 4096, 1000, i));
	}
	for (i = 0; i < n; i++)
		CHECK(rma_told(i, 8));
	CHECK(rma_ends(n));
	CHECK_EQ(fi_close(&ep->fid), 0);
	CHECK_EQ(fi_close(&cq->fid), 0);
	return !fi_close(&mr->fid);
}

/* B stores over what A has written. Packets that come late or twice do not write again. */
static bool stored_over(void)
{
	unsigned int i;

	CHECK(link_spoil());
	for (i = 0; i < 400; i++) {
		size_t len = i % 4 ? 64 : 5000, at = 8192 * i % (2u << 20);

		memset(sbuf, 0x22, len);
		CHECK(rma_write(sbuf, len, at, KEY));
		CHECK(all_bytes(rbuf + at, len, 0x22));
		memset(rbuf + at, 0xee, len);
	}
	CHECK(quiet(p.a.txcq));
	return all_bytes(rbuf, 2u << 20, 0xee);
}

static bool not_twice(void)
{
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	CHECK(link_over(stored_over()));
	return !fi_close(&mr->fid);
}

/* ---- Ends -------------------------------------------------------------------------------- */

#define DEAD_MS	2000
#define OPS	12	/* operations under way */

static bool for_good(void)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	unsigned int i, injects = 0;
	uint64_t from;

	CHECK(link_cut());
	from = now_ms();
	for (i = 0; i < OPS; i++) {
		if (i % 3 == 2)
			CHECK_EQ(fi_inject_write(p.a.ep, sbuf, 64, p.a.peer, 0, KEY), 0);
		else
			CHECK_EQ(rma_msg(i % 3, sbuf + 8192 * i, i % 2 ? 64 : 100000, 0, KEY, 1,
					 0), 0);
	}
	for (i = 0; i < OPS; i++) {
		CHECK_EQ(completion(p.a.txcq, &c, NULL, &e), -FI_EAVAIL);
		CHECK_EQ(e.err, FI_ETIMEDOUT);
		injects += !e.op_context;
		/* all at once, when the silence has lasted for dead-ms */
		CHECK(now_ms() - from < 4 * DEAD_MS);
	}
	CHECK(now_ms() - from >= DEAD_MS / 2);
	CHECK_EQ(injects, OPS / 3);
	CHECK(link_mend());
	return all_bytes(rbuf, 4096, 0xee);
}

static bool unplugged(void)
{
	return rma_on_link(for_good, DEAD_MS);
}

/* A program on A's node writes to the address @to, in hexadecimal digits, for ever. */
static int writer(const char *to)
{
	struct opts o = { .type = FI_EP_RDM, .caps = FI_RMA | FI_SOURCE };
	uint8_t addr[64] = { 0 }, *from = malloc(LONG);
	struct fi_cq_tagged_entry c;
	struct side s = { 0 };
	fi_addr_t peer;
	size_t i;

	for (i = 0; i < sizeof(addr) && to[2 * i]; i++)
		if (sscanf(to + 2 * i, "%2hhx", &addr[i]) != 1)
			return 1;
	if (!from || !side_open(&s, 0, &o) || !side_endpoint(&s, s.info, &o) ||
	    fi_av_insert(s.av, addr, 1, &peer, 0, NULL) != 1)
		return 1;
	memset(from, 0x33, LONG);
	for (;;)
		if (fi_write(s.ep, from, LONG, NULL, peer, 0, KEY, NULL) &&
		    completion(s.txcq, &c, NULL, NULL) != 1)
			return 2;
}

/* Start such a program. Return: its process, -1: it cannot be started. */
static pid_t start_writer(void)
{
	char to[2 * 64 + 1] = "";
	uint8_t addr[64];
	size_t len = sizeof(addr), i;
	pid_t pid;

	if (fi_getname(&p.b.ep->fid, addr, &len))
		return -1;
	for (i = 0; i < len; i++)
		sprintf(to + 2 * i, "%02x", addr[i]);
	pid = fork();
	if (!pid) {
		if (freopen("/dev/null", "w", stdout))
			execl("/proc/self/exe", "conf_rma_end", "write", to, NULL);
		_exit(1);
	}
	return pid;
}

/*
 * Write the pattern @i to B, and read it back. A copy that had begun when the writer died may still
 * place its bytes in between.
 */
static bool unharmed(unsigned int i)
{
	static uint8_t back[LONG];

	CHECK(rma_write(sbuf, LONG, LONG / 4, KEY));
	CHECK(rma_read(back, LONG, LONG / 4, KEY));
	return pattern_is(back, LONG, i);
}

static bool killed(void)
{
	long long endpoints = port_attr(0, "endpoints");
	struct fid_mr *mr;
	unsigned int i;
	uint64_t until;
	int status;
	pid_t pid;

	CHECK(expose_all(&mr));
	for (i = 0; i < 3; i++) {
		until = now_ms() + WAIT_MS;
		memset(rbuf, 0xee, LONG);
		pid = start_writer();
		CHECK(pid > 0);
		while (((volatile uint8_t *)rbuf)[LONG / 2] != 0x33) {
			CHECK_EQ(waitpid(pid, &status, WNOHANG), 0);
			CHECK(now_ms() < until);
			usleep(1000);
		}
		CHECK_EQ(kill(pid, SIGKILL), 0);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		while (port_attr(0, "endpoints") != endpoints)
			CHECK(now_ms() < until);
		/* B is as before: its key, its region, and all that was kept for the other one */
		pattern_fill(sbuf, LONG, i);
		while (!unharmed(i))
			CHECK(now_ms() < until);
	}
	until = now_ms();
	CHECK_EQ(fi_close(&mr->fid), 0);
	CHECK(now_ms() - until < 1000);
	return true;
}

/* Memory of A that goes after the post: an error or a success, and no other bytes at B. */
static bool unmapped(void)
{
	static const size_t sizes[] = { 1000, 5000, 300000, LONG };
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	unsigned int i, k;
	struct fid_mr *mr;
	uint8_t *from;
	int ret;

	CHECK(expose_all(&mr));
	for (i = 0; i < 40; i++) {
		size_t len = sizes[i % 4];

		from = mmap(NULL, LONG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
		CHECK(from != MAP_FAILED);
		memset(from, 0x5a, len);
		memset(rbuf, 0xee, LONG);
		CHECK_EQ(rma_msg(true, from, len, 0, KEY, 1, 0), 0);
		munmap(from, LONG);
		ret = completion(p.a.txcq, &c, NULL, &e);
		CHECK(ret == 1 || (ret == -FI_EAVAIL && e.err == FI_EFAULT));
		for (k = 0; k < len; k++)
			CHECK(rbuf[k] == 0x5a || (ret != 1 && rbuf[k] == 0xee));
		CHECK(all_bytes(rbuf + len, LONG - len, 0xee));
	}
	CHECK(rma_write(sbuf, 100, 0, KEY));
	return !fi_close(&mr->fid);
}

/* ---- Any arguments ----------------------------------------------------------------------- */

static uint64_t state;

static uint64_t any(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

static bool known(ssize_t ret)
{
	static const int codes[] = { 0, FI_EAGAIN, FI_EINVAL, FI_EMSGSIZE, FI_EOPNOTSUPP,
				     FI_EBADFLAGS, FI_ENOSYS };
	unsigned int i;

	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (ret == -codes[i])
			return true;
	printf("# a call returned %zd\n", ret);
	return false;
}

static size_t any_len(void)
{
	static const uint64_t lens[] = { 0, 1, 8, 100, 4096, 5000, 70000, 1u << 20, ROOM / 2 };

	return any(30) ? lens[any(9)] : any(2) ? ~0ull : 1ull << any(64);
}

static uint64_t any_flags(void)
{
	static const uint64_t good[] = { FI_COMPLETION, FI_INJECT, FI_MORE, FI_FENCE,
					 FI_REMOTE_CQ_DATA, FI_INJECT_COMPLETE,
					 FI_TRANSMIT_COMPLETE, FI_DELIVERY_COMPLETE };
	uint64_t flags = 0;
	unsigned int i;

	for (i = any(4); i; i--)
		flags |= good[any(8)];
	return any(20) ? flags : flags | 1ull << any(64);
}

static ssize_t any_call(void)
{
	struct iovec iov[9];
	struct fi_rma_iov rem[9];
	struct fi_msg_rma m = {
		.msg_iov = any(20) ? iov : NULL, .rma_iov = any(20) ? rem : NULL,
		.iov_count = any(4) ? 1 : any(10), .rma_iov_count = any(4) ? 1 : any(10),
		.addr = any(20) ? p.a.peer : any(5), .context = ctx(1), .data = any(~0ull),
	};
	uint64_t key = any(4) ? KEY : any(~0ull), addr = any(4) ? any(ROOM) : any(~0ull);
	size_t len = any_len(), i;

	for (i = 0; i < 9; i++) {
		iov[i] = (struct iovec){ sbuf, m.iov_count == 1 ? len : any_len() };
		rem[i] = (struct fi_rma_iov){ addr, m.rma_iov_count == 1 ? len : any_len(), key };
	}
	switch (any(9)) {
	case 0:
		return fi_write(p.a.ep, sbuf, len, NULL, m.addr, addr, key, ctx(1));
	case 1:
		return fi_writev(p.a.ep, m.msg_iov, NULL, m.iov_count, m.addr, addr, key, ctx(1));
	case 2:
		return fi_writemsg(p.a.ep, &m, any_flags());
	case 3:
		return fi_read(p.a.ep, sbuf, len, NULL, m.addr, addr, key, ctx(1));
	case 4:
		return fi_readv(p.a.ep, m.msg_iov, NULL, m.iov_count, m.addr, addr, key, ctx(1));
	case 5:
		return fi_readmsg(p.a.ep, &m, any_flags());
	case 6:
		return fi_inject_write(p.a.ep, sbuf, len, m.addr, addr, key);
	case 7:
		return fi_writedata(p.a.ep, sbuf, len, NULL, m.data, m.addr, addr, key, ctx(1));
	default:
		return fi_inject_writedata(p.a.ep, sbuf, len, m.data, m.addr, addr, key);
	}
}

/* Read what completions are there. @n: incremented by their number */
static bool drain(struct fid_cq *cq, unsigned int *n)
{
	struct fi_cq_err_entry e = { 0 };
	struct fi_cq_tagged_entry c;
	ssize_t ret;

	while ((ret = fi_cq_read(cq, &c, 1)) != -FI_EAGAIN) {
		CHECK(ret == 1 || ret == -FI_EAVAIL);
		++*n;
		if (ret == 1)
			continue;
		CHECK_EQ(fi_cq_readerr(cq, &e, 0), 1);
		CHECK(e.err == FI_EACCES || e.err == FI_EINVAL || e.err == FI_EFAULT ||
		      e.err == FI_ECONNREFUSED || e.err == FI_EHOSTUNREACH);
	}
	return true;
}

#define SETTLED_MS 300	/* answers to refused operations come each millisecond */

/* Read completions of both sides until no more come. @n: incremented by their number */
static bool settle(unsigned int *n)
{
	uint64_t until = now_ms() + WAIT_MS, last = now_ms();
	unsigned int before;

	while (now_ms() - last < SETTLED_MS) {
		CHECK(now_ms() < until);
		before = *n;
		CHECK(drain(p.a.txcq, n) && drain(p.b.rxcq, n));
		if (*n != before)
			last = now_ms();
	}
	return true;
}

static bool fuzzed(void)
{
	unsigned int i, n = 0;
	struct fid_mr *mr;
	ssize_t ret;

	state = 0x9e3779b97f4a7c15ull;
	/* half of the room: the rest must not change */
	CHECK(expose(&p.b, rbuf, ROOM / 2, BOTH_RIGHTS, KEY, &mr));
	for (i = 0; i < 5000; i++) {
		ret = any_call();
		CHECK(known(ret));
		CHECK(drain(p.a.txcq, &n) && drain(p.b.rxcq, &n));
		/* the queue is full of operations whose answers wait */
		if (ret == -FI_EAGAIN)
			CHECK(settle(&n));
	}
	/* this also flushes what FI_MORE has delayed */
	CHECK(settle(&n));
	CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY, 2, FI_COMPLETION), 0);
	CHECK(settle(&n));
	CHECK(n > 500);
	CHECK(rma_write(sbuf, 1000, 0, KEY));
	CHECK(all_bytes(rbuf + ROOM / 2, ROOM / 2, 0xee));
	return !fi_close(&mr->fid);
}

static const struct row rows[] = {
	ROW("RMA-46", ON_BOTH, "Reads are executed in order: a growing value never falls", rar,
	    RMA),
	ROW("RMA-51", ON_RDM, "An endpoint that stands still delays no other one", beside, RMA,
	    .o.cq_size = 64),
	ROW("RMA-52", ON_BOTH, "Packets that come late or twice do not write again", not_twice,
	    RMA),
	ROW("RMA-61", ON_RDM, "When the peer's node is gone all operations end with FI_ETIMEDOUT",
	    unplugged, RMA),
	ROW("RMA-62", ON_RDM, "A killed initiator leaves the target unharmed", killed, RMA),
	ROW("RMA-63", ON_BOTH, "Memory that goes after the post is an error, or was sent",
	    unmapped, RMA),
	ROW("RMA-67", ON_BOTH, "Any arguments give success or a known error", fuzzed,
	    .o.caps = FI_RMA | FI_FENCE, .mess = true),
};

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "write"))
		return writer(argv[2]);
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
