// SPDX-License-Identifier: GPL-2.0-only
/*
 * kernel/core alone, native: one operation after the other, as often as the command line says
 *
 *	core_bench OPERATION COUNT
 *
 * The program prints nanoseconds for each operation. "costs" beside this file runs it under
 * valgrind and counts the instructions in functions of kernel/core. The surroundings are those of
 * the unit tests (selftests/host). Locks are uncontended but check their order, and a network hands
 * packets over. Their time is in the nanoseconds, not in the instructions.
 */
#include <time.h>
#include <valgrind/callgrind.h>
#include "core/base/match.h"
#include "lone.h"
#include "pair.h"

#define BATCH	 8  /* packets under way: fewer than the first congestion window */
#define SECOND	 ((weft_ns)NSEC_PER_SEC)
#define NOBODY	 77 /* a tag that no other entry has */
#define OTHERS	 10000

static u64 spent; /* only inside a measurement */
static u64 since;

static void begin(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	since = t.tv_sec * 1000000000ull + t.tv_nsec;
	CALLGRIND_TOGGLE_COLLECT;
}

static void end(void)
{
	struct timespec t;

	CALLGRIND_TOGGLE_COLLECT;
	clock_gettime(CLOCK_MONOTONIC, &t);
	spent += t.tv_sec * 1000000000ull + t.tv_nsec - since;
}

static void die(const char *what)
{
	weft_host_die(__FILE__, __LINE__, "%s", what);
}

/* ---- Matching -------------------------------------------------------- */

/* A receive is posted and a message takes it; other posted receives match other messages. */
static void match_posted(u64 n, u32 others)
{
	struct weft_mpost *wait = calloc(others + 1, sizeof(*wait)), one = { 0 };
	struct weft_match m = { 0 };
	u32 i;

	if (weft_match_init(&m, others + 1, 16))
		die("no memory");
	for (i = 0; i < others; i++) {
		wait[i].kind = WEFT_TAGGED;
		wait[i].src = 1;
		wait[i].tag = 1000 + i;
		weft_match_post(&m, &wait[i]);
	}
	one.kind = WEFT_TAGGED;
	one.src = WEFT_SRC_ANY;
	one.tag = NOBODY;
	begin();
	for (; n; n--) {
		weft_match_post(&m, &one);
		if (weft_match_arrive(&m, WEFT_TAGGED, 1, NOBODY) != &one)
			die("no match");
	}
	end();
	for (i = 0; i < others; i++)
		weft_match_post_del(&m, &wait[i]);
	weft_match_fini(&m);
	free(wait);
}

/* A message waits and a receive takes it, with other messages that wait. */
static void match_unexpected(u64 n, u32 others)
{
	struct weft_munexp *wait = calloc(others + 1, sizeof(*wait)), one = { 0 };
	struct weft_match m = { 0 };
	u32 i;

	if (weft_match_init(&m, 16, others + 1))
		die("no memory");
	for (i = 0; i < others; i++) {
		wait[i].kind = WEFT_TAGGED;
		wait[i].src = 1;
		wait[i].tag = 1000 + i;
		weft_match_unexp_add(&m, &wait[i]);
	}
	one.kind = WEFT_TAGGED;
	one.src = 1;
	one.tag = NOBODY;
	begin();
	for (; n; n--) {
		weft_match_unexp_add(&m, &one);
		if (weft_match_find(&m, WEFT_TAGGED, WEFT_SRC_ANY, NOBODY, 0) != &one)
			die("no match");
		weft_match_unexp_del(&m, &one);
	}
	end();
	for (i = 0; i < others; i++)
		weft_match_unexp_del(&m, &wait[i]);
	weft_match_fini(&m);
	free(wait);
}

/* ---- Packets --------------------------------------------------------- */

/* Packets of one short chunk leave, or their acknowledgements arrive, one by one. */
static void packets_out(u64 n, bool acks)
{
	u8 header[256];
	struct lone t;
	u32 i, k, ack;

	lone_init(&t, 1000);
	for (; n >= BATCH; n -= BATCH) {
		ack = t.lane->snd_nxt;
		if (!acks)
			begin();
		for (i = 0; i < BATCH; i++)
			lone_send(&t);
		if (t.out->ntx != BATCH)
			die("packets are held back");
		for (k = 0; k < BATCH; k++)
			weft_tx_header(&t.out->tx[k], 0, header);
		if (!acks)
			end();
		lone_drop(&t);
		lone_wait(&t, 100000);
		if (acks)
			begin();
		for (i = 1; i <= BATCH; i++)
			lone_ack(&t, ack + i, NULL, 0, 0);
		if (acks)
			end();
		lone_drop(&t);
	}
	lone_fini(&t);
}

/* Packets of one short chunk arrive. */
static void packets_in(u64 n)
{
	struct weft_rx rx = { 0 };
	struct weft_hdr h = {
		.type = WEFT_PKT_DATA,
		.flags = WEFT_PKT_PSN,
		.psn = 1000,
	};
	u8 pkt[256] = { 0 };
	struct lone t;

	lone_init(&t, 1000);
	lone_send(&t);
	rx.data = pkt;
	rx.len = t.out->tx[0].len;
	weft_tx_header(&t.out->tx[0], 0, pkt);
	lone_drop(&t);
	rig_node_addr(&t.rig->conf, 1, 0, &rx.src);
	rx.src.port = cpu_to_be16(t.core->conf.udp_port);
	h.path = t.path->id;
	h.token = t.path->token;
	h.ack = 1001;
	for (; n >= BATCH; n -= BATCH) {
		u32 i;

		lone_wait(&t, 100000);
		begin();
		for (i = 0; i < BATCH; i++, h.psn++) {
			weft_wire_hdr_put(pkt, &h);
			rig_rx(t.core, t.out->now, &rx, 1, t.out);
		}
		end();
		lone_drop(&t);
	}
	if (t.lane->rcv_nxt != h.psn)
		die("packets are not taken");
	lone_fini(&t);
}

/* ---- Tables ---------------------------------------------------------- */

/*
 * A packet of any node comes, while there are @others paths: is there one to that node? Of the
 * paths only their places in the table are there: the lookup reads nothing else.
 */
static void find_path(u64 n, u32 others)
{
	struct weft_hash_node *node = calloc(others, sizeof(*node));
	struct weft_sockaddr addr;
	struct rig_conf conf;
	struct weft_core *core;
	struct rig *rig;
	u32 i;

	rig_conf_default(&conf, 1);
	rig = rig_new(&conf);
	core = &rig->node[0].core;
	rig_node_addr(&conf, 1, 0, &addr);
	weft_lock(&core->lock);
	for (i = 0; i < others; i++) {
		memcpy(addr.addr + 1, &i, 3);
		node[i].addr = addr;
		if (weft_hash_add(&core->paths, &node[i]))
			die("no path");
	}
	begin();
	for (i = 0; i < n; i++) {
		u32 no = i * 7919u % others;

		memcpy(addr.addr + 1, &no, 3);
		if (!weft_path_lookup(core, &addr))
			die("a path is not found");
	}
	end();
	for (i = 0; i < others; i++)
		weft_hash_del(&core->paths, &node[i]);
	weft_unlock(&core->lock);
	free(node);
	rig_free(rig);
}

/* A datagram comes, while there are @others services: which endpoint has it? */
static void find_service(u64 n, u32 others)
{
	struct weft_ep *ep = calloc(others, sizeof(*ep)), *found;
	struct rig_conf conf;
	struct weft_core *core;
	struct rig *rig;
	u32 i;

	rig_conf_default(&conf, 1);
	rig = rig_new(&conf);
	core = &rig->node[0].core;
	for (i = 0; i < others; i++) {
		ep[i].core = core;
		ep[i].addr.port = cpu_to_be16(i + 1);
		refcount_set(&ep[i].ref, 1);
		if (weft_service_claim(&ep[i]))
			die("no service");
	}
	begin();
	for (i = 0; i < n; i++) {
		found = weft_core_service(core, i * 7919u % others + 1);
		if (!found)
			die("a service is not found");
		weft_ep_put(found);
	}
	end();
	for (i = 0; i < others; i++)
		weft_service_release(&ep[i]);
	free(ep);
	rig_free(rig);
}

/* ---- Whole messages -------------------------------------------------- */

/**
 * struct app - one end
 * @proc: program
 * @cq: completions
 * @av: address vector
 * @ep: endpoint
 * @buf: bytes to send, and buffer of receives
 */
struct app {
	struct rig_proc *proc;
	struct rig_cq *cq;
	struct rig_av *av;
	struct rig_ep *ep;
	u8 *buf;
};

static void app_open(struct app *a, struct rig *rig, u32 node, u16 service)
{
	a->proc = rig_proc_new(&rig->node[node]);
	a->cq = rig_cq_new(a->proc, 64);
	a->av = rig_av_new(a->proc);
	a->ep = rig_ep_new(a->proc, WEFT_EP_RDM, 0, 64, 64, service);
	a->buf = rig_buf(a->proc, 8);
	if (!a->ep || rig_ep_enable(a->ep, a->cq, a->cq, NULL, a->av))
		die("no endpoint");
}

/* An endpoint sends to @others destinations in turn: which flow leads to this one? */
static void find_flow(u64 n, u32 others)
{
	struct weft_out *out;
	struct rig_conf conf;
	struct rig *rig;
	struct app a;
	u32 i;

	rig_conf_default(&conf, 1);
	rig = rig_new(&conf);
	app_open(&a, rig, 0, 1);
	out = rig_out(&rig->node[0]);
	weft_mutex_lock(&a.ep->ep->sq_mutex);
	for (i = 0; i < others; i++)
		if (rig_av_insert(a.av, 1, (u16)(i + 2), rig) != i ||
		    IS_ERR(weft_flow_find(a.ep->ep, i, 0, out)))
			die("no flow");
	begin();
	for (i = 0; i < n; i++)
		if (IS_ERR(weft_flow_find(a.ep->ep, i * 7919u % others, 0, out)))
			die("a flow is not found");
	end();
	weft_mutex_unlock(&a.ep->ep->sq_mutex);
	rig_leave(&rig->node[0], out);
	rig_free(rig);
}

/* A program has @others regions: find one by its key, or (@make) add one more and end it. */
static void regions(u64 n, u32 others, bool make)
{
	struct weft_region_conf conf = { .n = 1, .len = 64, .access = WEFT_REGION_READ, .zone = 1,
					 .seg = { { 4096, 64 } } };
	struct weft_region *r;
	struct rig_proc *proc;
	struct weft_out *out;
	struct rig_conf rc;
	struct rig *rig;
	u64 i;

	rig_conf_default(&rc, 1);
	rc.core.regions_user = others + 1;
	rig = rig_new(&rc);
	proc = rig_proc_new(&rig->node[0]);
	out = rig_out(&rig->node[0]);
	for (; conf.key < others; conf.key++)
		if (weft_region_new(&proc->domain, &conf))
			die("no region");
	begin();
	for (i = 0; i < n && make; i++)
		if (weft_region_new(&proc->domain, &conf) ||
		    weft_region_end(&proc->domain, 1, others, 0, out))
			die("no region");
	for (i = 0; i < n && !make; i++) {
		r = weft_region_enter(&proc->domain, 1, i * 7919u % others);
		if (!r)
			die("a region is not found");
		weft_region_leave(r);
	}
	end();
	rig_leave(&rig->node[0], out);
	rig_free(rig);
}

/* A tagged message of 8 bytes, from the send ring to the receiver's completion queue. */
static void messages(u64 n, u32 to)
{
	struct rig_op send = { .tagged = true, .tag = NOBODY, .n = 1 };
	struct rig_op recv = { .tagged = true, .tag = NOBODY, .peer = WEFT_SRC_ANY, .n = 1,
			       .flags = WEFT_RQ_COMPLETION };
	struct rig_conf conf;
	struct app a, b;
	struct weft_cqe e;
	struct rig *rig;
	long peer;

	rig_conf_default(&conf, 1);
	rig = rig_new(&conf);
	app_open(&a, rig, 0, 1);
	app_open(&b, rig, to, 2);
	peer = rig_av_insert(a.av, to, 2, rig);
	if (peer < 0)
		die("no peer");
	send.peer = (u32)peer;
	send.iov[0].addr = (u64)(uintptr_t)a.buf;
	send.iov[0].len = 8;
	recv.iov[0].addr = (u64)(uintptr_t)b.buf;
	recv.iov[0].len = 8;
	begin();
	for (; n; n--) {
		if (rig_recv(b.ep, &recv) || rig_send(a.ep, &send))
			die("posting is refused");
		while (rig_cq_read(b.cq, &e) <= 0)
			if (!rig_step(rig, rig->now + SECOND))
				die("a message is lost");
	}
	end();
	rig_free(rig);
}

/* ---- One-sided operations -------------------------------------------- */

/* An operation of 8 bytes, from the send ring to the initiator's completion queue. */
static void onesided(u64 n, u32 to, u8 op)
{
	struct rig_atomic fetch = {
		.data = WEFT_ATOMIC_DATA(WEFT_AOP_SUM, WEFT_ATYPE_UINT64, WEFT_ATOMIC_FETCH, 0, 0),
		.flags = WEFT_SQ_COMPLETION | WEFT_SQ_INLINE, .len = 8, .n = 1, .nres = 1,
		.nrem = 1,
	};
	struct rig_rma rma;
	struct weft_cqe e;
	struct pair p;

	pair_init(&p, to);
	rma = pair_op(&p, op == WEFT_SQ_WRITE, 8, 8, 1);
	if (op == WEFT_SQ_WRITE)
		rma.flags |= WEFT_SQ_INLINE;
	fetch.peer = p.to;
	fetch.iov[0] = rma.iov[0];
	fetch.res[0] = rma.iov[0];
	fetch.rem[0] = rma.rem[0];
	begin();
	for (; n; n--) {
		if (op == WEFT_SQ_ATOMIC ? rig_atomic(p.ea, &fetch) : rig_rma(p.ea, &rma))
			die("posting is refused");
		while (rig_cq_read(p.ca, &e) <= 0)
			if (!rig_step(p.rig, p.rig->now + SECOND))
				die("an operation is lost");
		if (e.status)
			die("an operation fails");
	}
	end();
	rig_free(p.rig);
}

int main(int argc, char **argv)
{
	const char *op = argc == 3 ? argv[1] : "";
	u64 n = argc == 3 ? strtoull(argv[2], NULL, 0) : 0;

	if (!strcmp(op, "match-posted"))
		match_posted(n, 0);
	else if (!strcmp(op, "match-posted-10k"))
		match_posted(n, OTHERS);
	else if (!strcmp(op, "match-unexpected"))
		match_unexpected(n, 0);
	else if (!strcmp(op, "match-unexpected-10k"))
		match_unexpected(n, OTHERS);
	else if (!strcmp(op, "packet-out"))
		packets_out(n, false);
	else if (!strcmp(op, "ack"))
		packets_out(n, true);
	else if (!strcmp(op, "packet-in"))
		packets_in(n);
	else if (!strcmp(op, "path-10"))
		find_path(n, 10);
	else if (!strcmp(op, "path-100k"))
		find_path(n, 100000);
	else if (!strcmp(op, "service-10"))
		find_service(n, 10);
	else if (!strcmp(op, "service-60k"))
		find_service(n, 60000);
	else if (!strcmp(op, "flow-10"))
		find_flow(n, 10);
	else if (!strcmp(op, "flow-10k"))
		find_flow(n, OTHERS);
	else if (!strcmp(op, "region-10"))
		regions(n, 10, false);
	else if (!strcmp(op, "region-1m"))
		regions(n, 1000000, false);
	else if (!strcmp(op, "region-add-10"))
		regions(n, 10, true);
	else if (!strcmp(op, "region-add-1m"))
		regions(n, 1000000, true);
	else if (!strcmp(op, "message-remote"))
		messages(n, 1);
	else if (!strcmp(op, "message-local"))
		messages(n, 0);
	else if (!strcmp(op, "write-remote"))
		onesided(n, 1, WEFT_SQ_WRITE);
	else if (!strcmp(op, "write-local"))
		onesided(n, 0, WEFT_SQ_WRITE);
	else if (!strcmp(op, "read-remote"))
		onesided(n, 1, WEFT_SQ_READ);
	else if (!strcmp(op, "read-local"))
		onesided(n, 0, WEFT_SQ_READ);
	else if (!strcmp(op, "fetch-remote"))
		onesided(n, 1, WEFT_SQ_ATOMIC);
	else if (!strcmp(op, "fetch-local"))
		onesided(n, 0, WEFT_SQ_ATOMIC);
	else
		die("usage: core_bench OPERATION COUNT");
	printf("%.6g\n", n ? (double)spent / n : 0);
	return 0;
}
