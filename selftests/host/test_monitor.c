// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives that name their sender end with an errno, within a time, when that sender's node is gone
 *
 * No packet need be sent for that: the peer monitor asks. Receives that name a live or an unknown
 * sender wait, and so do those that name no sender.
 */
#include "core/api/monitor.h"
#include "harness.h"
#include "rig.h"

#define MS	((weft_ns)NSEC_PER_MSEC)

#define SEC	((weft_ns)NSEC_PER_SEC)
#define PERIOD	(5 * SEC / 2)	/* half of keepalive-ms */
#define DEAD	(10 * SEC)	/* dead-ms */
#define MORE	((weft_ns)WEFT_RTO_MAX + PERIOD / 8)
#define STEP	(10 * MS)
#define NODES	200
#define SLOTS	512

FIXTURE(watch)
{
	struct rig *rig;
	struct rig_proc *a, *b;
	struct rig_cq *ca, *cb;
	struct rig_av *va;
	struct rig_ep *ea, *eb;
	u8 *buf;
	u32 to[NODES];		/* index of each other node's endpoint */
};

/* Node @i has an endpoint, which sends one message to A. */
static struct rig_ep *hello(FIXTURE_DATA(watch) * s, u32 i, struct rig_cq **cqp)
{
	struct rig_proc *proc = rig_proc_new(&s->rig->node[i]);
	struct rig_op op = { .n = 1, .flags = WEFT_SQ_COMPLETION | WEFT_SQ_TRANSMIT };
	struct rig_ep *ep = rig_ep_new(proc, WEFT_EP_RDM, 0, 16, 16, 2);
	struct rig_cq *cq = rig_cq_new(proc, 16);
	struct rig_av *av = rig_av_new(proc);
	struct weft_cqe e;

	if (rig_ep_enable(ep, cq, cq, NULL, av))
		abort();
	op.peer = (u32)rig_av_insert(av, 0, 1, s->rig);
	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)rig_buf(proc, 64), 8 };
	if (rig_send(ep, &op))
		abort();
	rig_run(s->rig, 20 * MS);
	if (rig_cq_read(cq, &e) != 1 || e.status)
		abort();
	s->b = proc;
	*cqp = cq;
	return ep;
}

/* A receives from @peer. */
static int get(FIXTURE_DATA(watch) * s, u32 peer, u64 context, u32 flags)
{
	struct rig_op op = { .n = 1, .flags = WEFT_RQ_COMPLETION | flags, .peer = peer,
			     .context = context };

	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)s->buf, 4096 };
	return rig_recv(s->ea, &op);
}

/* Receive the messages that wait at A. */
static bool take(FIXTURE_DATA(watch) * s, u32 peer)
{
	struct weft_cqe e;

	return !get(s, peer, 999, 0) && rig_cq_read(s->ca, &e) == 1 && e.context == 999 &&
	       !e.status;
}

/*
 * Return: the receive @context ends with @err, between @from and @to from now on, and no other
 * ends.
 */
static bool ends(FIXTURE_DATA(watch) * s, u64 context, u32 err, weft_ns from, weft_ns to)
{
	weft_ns begin = rig_now(s->rig);
	struct weft_cqe e;

	while (rig_now(s->rig) < begin + to) {
		rig_run(s->rig, STEP);
		if (rig_cq_read(s->ca, &e) != 1)
			continue;
		if (e.context == context && e.status == err && !e.len &&
		    rig_now(s->rig) + STEP >= begin + from && !rig_cq_read(s->ca, &e))
			return true;
		fprintf(stderr, "# receive %llu, status %u, after %llu ms\n",
			(unsigned long long)e.context, e.status,
			(unsigned long long)((rig_now(s->rig) - begin) / MS));
		return false;
	}
	fprintf(stderr, "# nothing ends\n");
	return false;
}

static bool waits(FIXTURE_DATA(watch) * s, weft_ns ns)
{
	struct weft_cqe e;

	rig_run(s->rig, ns);
	return !rig_cq_read(s->ca, &e);
}

FIXTURE_SETUP(watch)
{
	struct rig_conf conf;
	u32 i;

	rig_conf_default(&conf, 5);
	conf.nodes = NODES;
	self->rig = rig_new(&conf);
	self->a = rig_proc_new(&self->rig->node[0]);
	self->ca = rig_cq_new(self->a, SLOTS);
	self->va = rig_av_new(self->a);
	self->ea = rig_ep_new(self->a, WEFT_EP_RDM, WEFT_EPF_DIRECTED, 16, SLOTS, 1);
	ASSERT_EQ(0, rig_ep_enable(self->ea, self->ca, self->ca, NULL, self->va));
	for (i = 1; i < NODES; i++)
		self->to[i] = (u32)rig_av_insert(self->va, i, 2, self->rig);
	self->buf = rig_buf(self->a, 4096);
	self->eb = hello(self, 1, &self->cb);
	ASSERT_TRUE(take(self, self->to[1]));
}

FIXTURE_TEARDOWN(watch)
{
	rig_free(self->rig);
}

/*
 * The node dies when no packet is under way. Receives that name no sender, or another one, still
 * wait.
 */
TEST_F(watch, dies)
{
	struct rig_cq *c2;

	hello(self, 2, &c2);
	ASSERT_TRUE(take(self, self->to[2]));
	ASSERT_EQ(0, get(self, self->to[1], 1, 0));
	ASSERT_EQ(0, get(self, WEFT_SRC_ANY, 2, 0));
	ASSERT_EQ(0, get(self, self->to[2], 3, 0));
	ASSERT_TRUE(waits(self, 60 * SEC));
	rig_crash(&self->rig->node[1]);
	EXPECT_TRUE(ends(self, 1, ETIMEDOUT, DEAD, 2 * PERIOD + DEAD + MORE));
	EXPECT_TRUE(waits(self, 60 * SEC));
	rig_crash(&self->rig->node[2]);
	EXPECT_TRUE(ends(self, 3, ETIMEDOUT, DEAD, 2 * PERIOD + DEAD + MORE));
	EXPECT_TRUE(waits(self, 60 * SEC));
}

/* A receive posted after the node's death gives the node the time of a handshake to come back. */
TEST_F(watch, posted_later)
{
	struct weft_cqe e;

	ASSERT_EQ(0, get(self, self->to[1], 1, 0));
	rig_crash(&self->rig->node[1]);
	ASSERT_TRUE(ends(self, 1, ETIMEDOUT, DEAD, 2 * PERIOD + DEAD + MORE));
	ASSERT_EQ(0, get(self, self->to[1], 2, 0));
	EXPECT_TRUE(ends(self, 2, EHOSTUNREACH, 5 * SEC, PERIOD + 5 * SEC + MORE));
	rig_start(&self->rig->node[1]);
	ASSERT_EQ(0, get(self, self->to[1], 3, 0));
	EXPECT_TRUE(waits(self, 60 * SEC));
	EXPECT_EQ(0, self->rig->node[0].core.nknown);
	hello(self, 1, &self->cb);
	ASSERT_EQ(1, rig_cq_read(self->ca, &e));
	EXPECT_EQ(3, e.context);
	EXPECT_EQ(0, e.status);
}

static FIXTURE_DATA(watch) * dying;
static u32 wakes;

/*
 * The program reads ended receives and posts the receive anew. The node that the peer monitor
 * checks next dies while the program is told of the first one.
 */
static void next_dies(struct rig_cq *cq)
{
	FIXTURE_DATA(watch) * s = dying;
	struct rig_node *node = &s->rig->node[0];
	struct weft_out *out;
	struct weft_path *path;
	struct weft_cqe e;

	if (rig_cq_read(cq, &e) != 1 || e.context != ++wakes || e.status != ETIMEDOUT)
		abort();
	rig_cq_arm(cq);
	if (wakes == 2) {
		if (get(s, s->to[2], 3, 0))
			abort();
		return;
	}
	s->rig->aside = true;
	out = rig_out(node);
	weft_lock(&node->core.lock);
	path = weft_path_lookup(&node->core, &weft_av_get(s->va->av, s->to[2])->addr);
	weft_path_get(path);
	weft_unlock(&node->core.lock);
	weft_lock(&path->lock);
	weft_path_fail(path, ETIMEDOUT, out);
	weft_unlock(&path->lock);
	weft_path_put(path);
	rig_leave(node, out);
	s->rig->aside = false;
}

/* A death is told once, also a death in the middle of a check. */
TEST_F(watch, dies_meanwhile)
{
	struct rig_cq *c2;

	hello(self, 2, &c2);
	ASSERT_TRUE(take(self, self->to[2]));
	ASSERT_EQ(0, get(self, self->to[1], 1, 0));
	ASSERT_EQ(0, get(self, self->to[2], 2, 0));
	rig_crash(&self->rig->node[1]);
	dying = self;
	wakes = 0;
	self->ca->waker = next_dies;
	rig_cq_arm(self->ca);
	rig_run(self->rig, 2 * PERIOD + DEAD + MORE);
	self->ca->waker = NULL;
	EXPECT_EQ(2, wakes);
	/* the other node is back, and the receive waits for it */
	EXPECT_TRUE(waits(self, 60 * SEC));
}

/* The node is a new incarnation now: the next question for a sign of life finds that. */
TEST_F(watch, restarted)
{
	ASSERT_EQ(0, get(self, self->to[1], 1, 0));
	rig_crash(&self->rig->node[1]);
	rig_start(&self->rig->node[1]);
	EXPECT_TRUE(ends(self, 1, ECONNRESET, 0, 2 * PERIOD + MORE));
	ASSERT_EQ(0, get(self, self->to[1], 2, 0));
	EXPECT_TRUE(waits(self, 60 * SEC));
}

/* A sender that was never heard of may still come. */
TEST_F(watch, never_heard_of)
{
	struct rig_cq *cq;

	rig_crash(&self->rig->node[3]);
	ASSERT_EQ(0, get(self, self->to[3], 1, 0));
	ASSERT_EQ(0, get(self, self->to[4], 2, 0));
	EXPECT_TRUE(waits(self, 100 * SEC));
	EXPECT_EQ(1, self->rig->node[0].core.npaths);
	hello(self, 4, &cq);
	EXPECT_EQ(2, self->rig->node[0].core.npaths);
}

/* A path that was given back is made again, so that the end of its node is noticed. */
TEST_F(watch, given_back)
{
	struct weft_core *core = &self->rig->node[0].core;

	ASSERT_EQ(0, weft_limit_set(core, "idle-ms", 1000));
	ASSERT_EQ(0, weft_limit_set(&self->rig->node[1].core, "idle-ms", 1000));
	rig_run(self->rig, 700 * SEC);
	ASSERT_EQ(0, core->npaths);
	ASSERT_EQ(1, core->nknown);
	ASSERT_EQ(0, weft_limit_set(core, "idle-ms", 300000));
	ASSERT_EQ(0, weft_limit_set(&self->rig->node[1].core, "idle-ms", 300000));
	ASSERT_EQ(0, get(self, self->to[1], 1, 0));
	EXPECT_TRUE(waits(self, 20 * SEC));
	EXPECT_EQ(1, core->npaths);
	EXPECT_EQ(0, core->nknown);
	rig_crash(&self->rig->node[1]);
	EXPECT_TRUE(ends(self, 1, ETIMEDOUT, DEAD, 2 * PERIOD + DEAD + MORE));
}

/* A live node is asked every keepalive-ms, and no node while no receive names a sender. */
TEST_F(watch, quiet)
{
	struct rig *rig = self->rig;
	u64 packets;

	rig_run(rig, 20 * SEC);
	packets = rig->npackets;
	EXPECT_TRUE(waits(self, 100 * SEC));
	EXPECT_EQ(packets, rig->npackets);
	ASSERT_EQ(0, get(self, WEFT_SRC_ANY, 1, 0));
	EXPECT_TRUE(waits(self, 100 * SEC));
	EXPECT_EQ(packets, rig->npackets);
	ASSERT_EQ(0, get(self, self->to[1], 2, 0));
	ASSERT_EQ(0, get(self, self->to[1], 3, 0));
	EXPECT_TRUE(waits(self, 100 * SEC));
	/* every second time the node has been silent long enough: a question, an acknowledgement */
	EXPECT_LE(packets + 2 * 17, rig->npackets);
	EXPECT_GE(packets + 2 * 21, rig->npackets);
	ASSERT_EQ(0, rig_cancel(self->ea, 2));
	ASSERT_EQ(0, rig_cancel(self->ea, 3));
	packets = rig->npackets;
	rig_run(rig, 100 * SEC);
	EXPECT_EQ(packets, rig->npackets);
}

/* All dead nodes are found, also when they are more than one check covers. */
TEST_F(watch, many)
{
	struct weft_core *core = &self->rig->node[0].core;
	struct rig_cq *cq;
	struct weft_cqe e;
	u32 i, n = 0;

	for (i = 2; i < NODES; i++) {
		hello(self, i, &cq);
		ASSERT_TRUE(take(self, self->to[i]));
	}
	ASSERT_EQ(NODES - 1, core->npaths);
	for (i = 0; i < SLOTS - 1; i++)
		ASSERT_EQ(0, get(self, self->to[1 + i % (NODES - 1)], i, 0));
	EXPECT_TRUE(waits(self, 20 * SEC));
	for (i = 1; i < NODES; i++)
		rig_crash(&self->rig->node[i]);
	rig_run(self->rig, 40 * SEC);
	while (rig_cq_read(self->ca, &e) == 1) {
		EXPECT_EQ(ETIMEDOUT, e.status);
		n++;
	}
	EXPECT_EQ(SLOTS - 1, n);
	EXPECT_EQ(NODES - 1, core->nknown);
}

/* More endpoints than one call of the timer looks at; all learn of two deaths. */
TEST_F(watch, many_endpoints)
{
	enum { ENDPOINTS = 200 };
	struct rig_ep *ep[ENDPOINTS];
	struct rig_cq *c2;
	struct weft_cqe e;
	u32 i, k, n;

	hello(self, 2, &c2);
	ASSERT_TRUE(take(self, self->to[2]));
	for (i = 0; i < ENDPOINTS; i++) {
		struct rig_op op = { .n = 1, .flags = WEFT_RQ_COMPLETION };

		ep[i] = rig_ep_new(self->a, WEFT_EP_RDM, WEFT_EPF_DIRECTED, 16, 16,
				   (u16)(100 + i));
		ASSERT_EQ(0, rig_ep_enable(ep[i], self->ca, self->ca, NULL, self->va));
		for (k = 1; k < 3; k++) {
			op.peer = self->to[k];
			op.context = 2 * i + k - 1;
			op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)self->buf, 4096 };
			ASSERT_EQ(0, rig_recv(ep[i], &op));
		}
	}
	EXPECT_TRUE(waits(self, 20 * SEC));
	for (k = 0; k < 2; k++) {
		rig_crash(&self->rig->node[1 + k]);
		rig_run(self->rig, 40 * SEC);
		for (n = 0; rig_cq_read(self->ca, &e) == 1; n++) {
			EXPECT_EQ(ETIMEDOUT, e.status);
			EXPECT_EQ(k, e.context % 2);
		}
		EXPECT_EQ(ENDPOINTS, n);
	}
	/* endpoints that go are looked at no more */
	for (i = 0; i < ENDPOINTS; i += 2)
		rig_ep_free(ep[i]);
	rig_run(self->rig, 20 * SEC);
	EXPECT_EQ(0, rig_cq_read(self->ca, &e));
}

/* A tag with bits that do not count, a multi-receive buffer, and receives in the ring. */
TEST_F(watch, kinds)
{
	struct rig_op tagged = { .n = 1, .tagged = true, .ignore = 0xff, .context = 1,
				 .flags = WEFT_RQ_COMPLETION, .peer = self->to[1] };
	struct weft_rqe multi = {
		.op = WEFT_RQ_RECV, .nslots = 1, .flags = WEFT_RQ_MULTI | WEFT_RQ_COMPLETION,
		.src = self->to[1], .context = 2, .ignore = 64, .len = 256, .niov = 1,
		.addr = (u64)(uintptr_t)self->buf,
	};
	struct weft_cqe e;
	u32 i, n = 0;

	tagged.iov[0] = (struct weft_iov){ (u64)(uintptr_t)self->buf, 4096 };
	ASSERT_EQ(0, rig_recv(self->ea, &tagged));
	rig_put_rq(self->ea, &multi, 1);
	rig_ring_rq(self->ea);
	ASSERT_EQ(0, rig_notify(self->ea, WEFT_NOTIFY_RQ));
	for (i = 0; i < SLOTS + 10; i++)
		if (get(self, self->to[1], 3, 0))
			break;
	EXPECT_TRUE(waits(self, 10 * SEC));
	rig_crash(&self->rig->node[1]);
	rig_run(self->rig, 60 * SEC);
	while (rig_cq_read(self->ca, &e) == 1) {
		if (e.context == 2)
			EXPECT_TRUE(e.flags & WEFT_CQE_MULTI);
		EXPECT_TRUE(e.status == ETIMEDOUT || e.status == EHOSTUNREACH);
		n++;
		rig_run(self->rig, STEP);
	}
	EXPECT_EQ(i + 2, n);
}

/* A monitored endpoint leaves no state behind when it goes, or its process, or the port. */
TEST_F(watch, goes)
{
	struct rig_ep *ep = rig_ep_new(self->a, WEFT_EP_RDM, WEFT_EPF_DIRECTED, 16, 16, 7);
	struct rig_op op = { .n = 1, .flags = WEFT_RQ_COMPLETION, .peer = self->to[1] };

	ASSERT_EQ(0, rig_ep_enable(ep, self->ca, self->ca, NULL, self->va));
	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)self->buf, 8 };
	ASSERT_EQ(0, rig_recv(ep, &op));
	ASSERT_EQ(0, get(self, self->to[1], 1, 0));
	rig_run(self->rig, PERIOD - MS);
	rig_ep_free(ep);
	rig_run(self->rig, 20 * SEC);
	rig_proc_end(self->a, true);
	rig_run(self->rig, 20 * SEC);
	EXPECT_EQ(0, self->rig->node[0].core.neps);
}

TEST_F(watch, goes_with_port)
{
	ASSERT_EQ(0, get(self, self->to[1], 1, 0));
	rig_run(self->rig, PERIOD - MS);
	rig_stop(&self->rig->node[0], ENODEV);
	rig_run(self->rig, 60 * SEC);
	EXPECT_EQ(0, self->rig->node[0].core.neps);
}

TEST_HARNESS_MAIN
