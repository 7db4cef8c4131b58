// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_domain(3): threads that share objects, and progress while a program does not call.
 * TIMEOUT: 200 LINKS: vnet loop
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>
#include "rows.h"

#define ALONE	.alone = true
#define THREADS	2
#define COUNT	2000		/* messages of each thread */
#define TOTAL	(THREADS * COUNT)
#define POSTED	100		/* receives */
#define PLACE	1024
#define LONG	(2u << 20)	/* a message of this length needs many steps */

/* ---- Threads ------------------------------------------------------------------------- */

static atomic_int completed, received, failed;
static atomic_uchar sent_seen[TOTAL], received_seen[TOTAL];

/* Messages of a thread have the same bytes; tags and contexts number them. */
static size_t len_of(unsigned int thread)
{
	return 8 + 600 * thread;
}

static void *sender(void *arg)
{
	unsigned int thread = (uintptr_t)arg, i, n;
	ssize_t ret;

	for (i = 0; i < COUNT; i++) {
		n = thread * COUNT + i;
		while ((ret = fi_tsend(p.a.ep, sbuf + thread * PLACE, len_of(thread), NULL,
				       p.a.peer, n, (void *)(uintptr_t)(n + 1))) == -FI_EAGAIN)
			sched_yield();
		if (ret) {
			atomic_store(&failed, 1);
			break;
		}
	}
	return NULL;
}

static bool over(void)
{
	return atomic_load(&failed) ||
	       (atomic_load(&completed) == TOTAL && atomic_load(&received) == TOTAL);
}

/* One of A's completions: of a send without an earlier one. */
static bool one_sent(const struct fi_cq_tagged_entry *c)
{
	uintptr_t n = (uintptr_t)c->op_context - 1;

	CHECK(n < TOTAL);
	CHECK_EQ(atomic_fetch_add(&sent_seen[n], 1), 0);
	atomic_fetch_add(&completed, 1);
	return true;
}

/* One of B's completions: a new message, whole; its buffer is posted again. */
static bool one_received(const struct fi_cq_tagged_entry *c)
{
	unsigned int thread = c->tag / COUNT;
	ssize_t ret;

	CHECK(c->tag < TOTAL);
	CHECK_EQ(atomic_fetch_add(&received_seen[c->tag], 1), 0);
	CHECK_EQ(c->len, len_of(thread));
	CHECK(pattern_is(c->op_context, c->len, thread));
	while ((ret = fi_trecv(p.b.ep, c->op_context, PLACE, NULL, FI_ADDR_UNSPEC, 0, ~0ull,
			       c->op_context)) == -FI_EAGAIN)
		sched_yield();
	CHECK_EQ(ret, 0);
	atomic_fetch_add(&received, 1);
	return true;
}

static bool read_some(struct fid_cq *cq)
{
	struct fi_cq_tagged_entry c[3];
	ssize_t i, ret;

	ret = fi_cq_sread(cq, c, 3, NULL, 10);
	if (ret == -FI_EAGAIN)
		return true;
	CHECK(ret > 0);
	for (i = 0; i < ret; i++)
		CHECK(cq == p.a.txcq ? one_sent(&c[i]) : one_received(&c[i]));
	return true;
}

static void *reader(void *cq)
{
	uint64_t until = now_ms() + 3 * WAIT_MS;

	while (!over() && now_ms() < until)
		if (!read_some(cq))
			atomic_store(&failed, 1);
	return NULL;
}

/* No thread takes a lock: two threads send, two read each of the queues and post. */
static bool share(void)
{
	pthread_t send[THREADS], read[2 * THREADS];
	unsigned int i;

	atomic_store(&completed, 0);
	atomic_store(&received, 0);
	atomic_store(&failed, 0);
	memset(sent_seen, 0, sizeof(sent_seen));
	memset(received_seen, 0, sizeof(received_seen));
	for (i = 0; i < THREADS; i++)
		pattern_fill(sbuf + i * PLACE, len_of(i), i);
	for (i = 0; i < POSTED; i++)
		CHECK_EQ(fi_trecv(p.b.ep, rbuf + i * PLACE, PLACE, NULL, FI_ADDR_UNSPEC, 0, ~0ull,
				  rbuf + i * PLACE), 0);
	for (i = 0; i < THREADS; i++) {
		CHECK(!pthread_create(&send[i], NULL, sender, (void *)(uintptr_t)i));
		CHECK(!pthread_create(&read[2 * i], NULL, reader, p.a.txcq));
		CHECK(!pthread_create(&read[2 * i + 1], NULL, reader, p.b.rxcq));
	}
	for (i = 0; i < 2 * THREADS; i++)
		pthread_join(read[i], NULL);
	CHECK_EQ(atomic_load(&completed), TOTAL);
	CHECK_EQ(atomic_load(&received), TOTAL);
	for (i = 0; i < THREADS; i++)
		pthread_join(send[i], NULL);
	CHECK(!atomic_load(&failed));
	return cntr_is(p.a.txcntr, TOTAL) && cntr_is(p.b.rxcntr, TOTAL);
}

/* ---- Progress ------------------------------------------------------------------------ */

static const struct fi_msg *long_message(void)
{
	static struct iovec iov;
	static struct fi_msg m;

	iov = (struct iovec){ sbuf, LONG };
	m = (struct fi_msg){
		.msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .context = ctx(1)
	};
	pattern_fill(sbuf, LONG, 3);
	return &m;
}

/* The message is in the other process, which has slept until now. */
static bool come(struct side *s, int from)
{
	struct fi_cq_tagged_entry c;
	char byte;

	CHECK_EQ(read(from, &byte, 1), 1);
	/*
	 * a message that its sender knows to be delivered is here; the entry may be a little later
	 */
	CHECK(pattern_is(rbuf, LONG, 3));
	CHECK_EQ(completion(s->rxcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == ctx(2));
	CHECK_EQ(c.len, LONG);
	return true;
}

/* The other process' result. */
static bool ends_well(pid_t pid, int to)
{
	int status;

	CHECK_EQ(write(to, "", 1), 1);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	return true;
}

/* Another process posts a receive, tells its address, and sleeps. */
static bool sleeper(int from, int to)
{
	struct side b;
	uint8_t addr[64] = {};
	size_t len = sizeof(addr);

	CHECK(side_open(&b, p.o.apart, &p.o));
	CHECK(side_endpoint(&b, b.info, &p.o));
	CHECK_EQ(fi_recv(b.ep, rbuf, LONG, NULL, FI_ADDR_UNSPEC, ctx(2)), 0);
	CHECK_EQ(fi_getname(&b.ep->fid, addr, &len), 0);
	CHECK_EQ(write(to, addr, sizeof(addr)), sizeof(addr));
	CHECK(come(&b, from));
	side_close(&b);
	return true;
}

/*
 * A process posts a receive and sleeps: it gets a message for which its kernel must send many
 * grants.
 */
static bool data_goes_on(void)
{
	int down[2], up[2];
	uint8_t addr[64];
	bool ok;
	pid_t pid;

	CHECK(!pipe(down) && !pipe(up));
	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		close(down[1]);
		ok = sleeper(down[0], up[1]);
		fflush(stdout);
		_exit(!ok);
	}
	CHECK(side_open(&p.a, 0, &p.o));
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	CHECK_EQ(read(up[0], addr, sizeof(addr)), sizeof(addr));
	CHECK_EQ(fi_av_insert(p.a.av, addr, 1, &p.a.peer, 0, NULL), 1);
	CHECK_EQ(fi_sendmsg(p.a.ep, long_message(), FI_DELIVERY_COMPLETE), 0);
	CHECK(is_sent(1));
	return ends_well(pid, down[1]);
}

/* Another process asks for a connection, posts a receive, and sleeps. */
static bool caller(int from, const uint8_t *addr)
{
	struct fi_eq_cm_entry e;
	struct side b;
	uint32_t type;

	CHECK(side_open(&b, p.o.apart, &p.o));
	CHECK(side_endpoint(&b, b.info, &p.o));
	CHECK_EQ(fi_recv(b.ep, rbuf, LONG, NULL, FI_ADDR_UNSPEC, ctx(2)), 0);
	CHECK_EQ(fi_connect(b.ep, addr, NULL, 0), 0);
	CHECK(come(&b, from));
	CHECK_EQ(event(b.eq, &type, &e, sizeof(e)), sizeof(e));
	CHECK_EQ(type, FI_CONNECTED);
	side_close(&b);
	return true;
}

/* Its connection is made, and the message arrives, before the process calls again. */
static bool connections_go_on(void)
{
	struct pair listener = { .o = p.o };
	struct fi_eq_cm_entry e;
	uint8_t addr[64];
	size_t len = sizeof(addr);
	uint32_t type;
	int down[2];
	bool ok;
	pid_t pid;

	CHECK(side_open(&p.a, 0, &p.o));
	listener.b = p.a;
	CHECK(pair_listen(&listener, addr, &len));
	p.pep = listener.pep;
	CHECK(!pipe(down));
	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		close(down[1]);
		ok = caller(down[0], addr);
		fflush(stdout);
		_exit(!ok);
	}
	CHECK_EQ(event(p.a.eq, &type, &e, sizeof(e)), sizeof(e));
	CHECK_EQ(type, FI_CONNREQ);
	CHECK(side_endpoint(&p.a, e.info, &p.o));
	fi_freeinfo(e.info);
	CHECK_EQ(fi_accept(p.a.ep, NULL, 0), 0);
	CHECK_EQ(event(p.a.eq, &type, &e, sizeof(e)), sizeof(e));
	CHECK_EQ(type, FI_CONNECTED);
	CHECK_EQ(fi_sendmsg(p.a.ep, long_message(), FI_DELIVERY_COMPLETE), 0);
	CHECK(is_sent(1));
	return ends_well(pid, down[1]);
}

static const struct row rows[] = {
	ROW("DOM-001", ON_BOTH, "With FI_THREAD_SAFE threads share endpoints, queues and counters",
	    share, .o.counters = true),
	ROW("DOM-002", ON_RDM, "FI_PROGRESS_AUTO: data come while the program does not call",
	    data_goes_on, ALONE),
	ROW("DOM-003", ON_MSG, "FI_PROGRESS_AUTO: a connection stands while it does not call",
	    connections_go_on, ALONE),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
