// SPDX-License-Identifier: GPL-2.0-only
/*
 * Flows: one for each pair of endpoints, its number, its limit, and its end when its receiver or
 * its path ends
 */
#include "core/api/internal.h"
#include "near.h"
#include "two.h"
#include "harness.h"

#define SECOND	((weft_ns)NSEC_PER_SEC)

static int put(struct two *t, u32 to, const void *p, u64 context, u32 flags)
{
	struct rig_op op = { .flags = WEFT_SQ_COMPLETION | flags, .peer = to, .context = context,
			     .n = 1, .iov = { { (u64)(uintptr_t)p, 8 } } };

	return rig_send(t->ea, &op);
}

static int get(struct two *t, struct rig_ep *ep, u64 context)
{
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY,
			     .context = context, .n = 1,
			     .iov = { { (u64)(uintptr_t)t->room, 64 } } };

	return rig_recv(ep, &op);
}

/* Take the next completion within a second. Return: its status; -1: there is none. */
static int status(struct two *t, struct rig_cq *cq, u64 context)
{
	struct weft_cqe e;

	rig_run(t->rig, SECOND);
	if (rig_cq_read(cq, &e) != 1)
		return -1;
	return e.context == context ? e.status : -2;
}

/* An address with two entries in the vector is one destination: messages keep their order. */
TEST(flow__one_for_an_address)
{
	struct weft_sockaddr addr;
	struct weft_path_info info;
	struct weft_path *path;
	struct weft_cqe e;
	struct two t;
	u32 i, twin;

	two_init(&t, 1, 64, 0);
	rig_node_addr(&t.rig->conf, 1, 2, &addr);
	ASSERT_EQ(0, weft_av_insert(t.va->av, &addr, 9, &twin));
	ASSERT_NE(t.to, twin);
	for (i = 0; i < 12; i++) {
		ASSERT_EQ(0, get(&t, t.eb, i));
		ASSERT_EQ(0, put(&t, i & 1 ? twin : t.to, t.buf + i, i, 0));
	}
	rig_run(t.rig, SECOND);
	for (i = 0; i < 12; i++) {
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(i, e.context);
	}
	EXPECT_EQ(0, memcmp(t.room, t.buf + 11, 8));
	path = rig_path(&t.rig->node[0].core);
	weft_path_look(path, &info);
	EXPECT_EQ(1, info.nflow);
	EXPECT_EQ(WEFT_PATHS_UP, info.state);
	EXPECT_LT(0, info.since);
	EXPECT_LT(info.since, info.heard);
	EXPECT_LT(0, info.rttvar);
	weft_path_put(path);
	rig_free(t.rig);
}

/*
 * The receiver is destroyed: sends to it are refused. A new receiver on its service gets a new
 * flow.
 */
static void again(struct __test_metadata *_metadata, u32 dst)
{
	struct rig_ep *ep;
	struct two t;

	two_init(&t, dst, 64, 0);
	ASSERT_EQ(0, get(&t, t.eb, 1));
	ASSERT_EQ(0, put(&t, t.to, t.buf, 1, WEFT_SQ_DELIVERY));
	EXPECT_EQ(0, status(&t, t.ca, 1));
	EXPECT_EQ(0, status(&t, t.cb, 1));
	rig_ep_free(t.eb);
	ASSERT_EQ(0, put(&t, t.to, t.buf, 2, WEFT_SQ_DELIVERY));
	EXPECT_EQ(ECONNREFUSED, status(&t, t.ca, 2));
	ep = rig_ep_new(t.b, WEFT_EP_RDM, 0, TWO_SLOTS, TWO_SLOTS, 2);
	ASSERT_EQ(0, rig_ep_enable(ep, t.cb, t.cb, NULL, rig_av_new(t.b)));
	ASSERT_EQ(0, get(&t, ep, 3));
	ASSERT_EQ(0, put(&t, t.to, t.buf + 5, 3, WEFT_SQ_DELIVERY));
	EXPECT_EQ(0, status(&t, t.ca, 3));
	EXPECT_EQ(0, status(&t, t.cb, 3));
	EXPECT_EQ(0, memcmp(t.room, t.buf + 5, 8));
	rig_free(t.rig);
}

TEST(flow__again_remote)
{
	again(_metadata, 1);
}

TEST(flow__again_local)
{
	again(_metadata, 0);
}

/* The vector has no such entry. */
TEST(flow__no_destination)
{
	struct two t;

	two_init(&t, 1, 64, 0);
	ASSERT_EQ(0, put(&t, t.to + 7, t.buf, 1, 0));
	EXPECT_EQ(EINVAL, status(&t, t.ca, 1));
	ASSERT_EQ(0, put(&t, WEFT_SRC_ANY, t.buf, 2, 0));
	EXPECT_EQ(EINVAL, status(&t, t.ca, 2));
	rig_free(t.rig);
}

/* A path that has failed takes no new flow. */
TEST(flow__dead_path)
{
	struct weft_flow *flow;
	struct weft_ep *ep;
	struct near s;

	near_init(&s);
	ep = s.ep->ep;
	weft_mutex_lock(&ep->sq_mutex);
	flow = weft_flow_find(ep, s.to, 0, s.t.out);
	ASSERT_FALSE(IS_ERR(flow));
	weft_lock(&s.t.path->lock);
	EXPECT_EQ(flow, weft_flow_by_gen(s.t.path, flow->id.sgen));
	EXPECT_EQ(NULL, weft_flow_by_gen(s.t.path, flow->id.sgen + 1));
	weft_unlock(&s.t.path->lock);
	flow = weft_flow_new(ep, s.t.path, &flow->peer);
	ASSERT_NE(NULL, flow);
	weft_lock(&s.t.path->lock);
	weft_path_fail(s.t.path, ETIMEDOUT, s.t.out);
	EXPECT_EQ(-ETIMEDOUT, weft_flow_add(flow));
	/* the two of near_init() */
	EXPECT_EQ(2, s.t.path->nflow);
	weft_unlock(&s.t.path->lock);
	weft_flow_free(flow);
	weft_mutex_unlock(&ep->sq_mutex);
	weft_flush(s.t.out);
	near_fini(&s);
}

/* A node may begin a limited number of flows; the end of one permits the next. */
TEST(flow__bound)
{
	struct weft_flowid id = { .ssvc = SVC, .dsvc = 2 };
	struct weft_rflow *rf;
	struct lone t;
	u32 i;

	lone_init(&t, 0);
	weft_lock(&t.path->lock);
	for (i = 0; i < WEFT_RFLOWS_MAX; i++) {
		id.sgen = i;
		rf = weft_rflow_new(t.path, &id, NULL);
		ASSERT_NE(NULL, rf);
	}
	EXPECT_EQ(rf, weft_rflow_find(t.path, SVC, i - 1));
	id.sgen = i;
	EXPECT_EQ(NULL, weft_rflow_new(t.path, &id, NULL));
	EXPECT_EQ(WEFT_RFLOWS_MAX, t.path->flow.nrflow);
	weft_rflow_free(rf, t.out);
	EXPECT_EQ(NULL, weft_rflow_find(t.path, SVC, i - 1));
	rf = weft_rflow_new(t.path, &id, NULL);
	EXPECT_NE(NULL, rf);
	/* services count, too */
	EXPECT_EQ(rf, weft_rflow_find(t.path, SVC, i));
	EXPECT_EQ(NULL, weft_rflow_find(t.path, SVC + 1, i));
	weft_unlock(&t.path->lock);
	lone_fini(&t);
}

/* The end of a flow is told once, however often the peer reports it. */
TEST(flow__gone_once)
{
	struct weft_flowid id = { .ssvc = SVC, .dsvc = 2, .sgen = GEN };
	struct weft_rflow *rf;
	struct lone t;

	lone_init(&t, 0);
	weft_lock(&t.path->lock);
	rf = weft_rflow_new(t.path, &id, NULL);
	ASSERT_NE(NULL, rf);
	weft_rflow_gone(rf, t.out);
	EXPECT_TRUE(rf->gone);
	EXPECT_EQ(1, lone_count(&t.path->lane[rf->lane].ctlq));
	weft_rflow_gone(rf, t.out);
	EXPECT_EQ(1, lone_count(&t.path->lane[rf->lane].ctlq));
	weft_unlock(&t.path->lock);
	lone_fini(&t);
}

/*
 * The receiver answers OPEN of one flow too many, and messages of a flow that was not opened. They
 * do not block the packets behind them: their sender has no reason to wait.
 */
TEST(flow__one_too_many)
{
	struct weft_w_epgone *w;
	struct weft_chunks rest;
	struct weft_chunk c;
	struct weft_hdr h;
	struct near s;
	u8 buf[256];
	u32 i;

	near_init(&s);
	s.t.path->flow.nrflow += WEFT_RFLOWS_MAX;
	s.m.flow.sgen = GEN + 1;
	for (i = 0; i < 3; i++) {
		u32 n = WEFT_WIRE_HDR;

		weft_wire_hdr_put(s.pkt, &s.h);
		if (!i)
			n += weft_wire_open_put(s.pkt + n, &s.m.flow, 0);
		else if (i == 1)
			n += weft_wire_eager_put(s.pkt + n, &s.m, 0, 0);
		else
			n += weft_wire_rts_put(s.pkt + n, &s.m, 1);
		s.rx.len = n;
		rig_rx(s.t.core, s.t.out->now, &s.rx, 1, s.t.out);
		EXPECT_EQ(s.h.psn + 1, s.t.lane->rcv_nxt);
		/* on the flow's own lane */
		ASSERT_EQ(1, lone_count(&s.t.path->lane[1].sent));
		ASSERT_NE(0, s.t.out->ntx);
		weft_tx_header(&s.t.out->tx[0], 0, buf);
		ASSERT_EQ(0, weft_wire_hdr_get(buf, s.t.out->tx[0].len, &h, &rest));
		ASSERT_TRUE(weft_wire_next(&rest, &c));
		ASSERT_EQ(WEFT_CHUNK_EPGONE, c.type);
		w = (void *)c.body;
		EXPECT_EQ(SVC, be16_to_cpu(w->flow.ssvc));
		EXPECT_EQ(GEN + 1, be32_to_cpu(w->flow.sgen));
		lone_drop(&s.t);
		s.t.lane = &s.t.path->lane[1];
		lone_ack(&s.t, s.t.lane->snd_nxt, NULL, 0, 0);
		s.t.lane = &s.t.path->lane[0];
		s.h.psn++;
		s.m.len = i ? 1000 : 0;
		s.m.flow.mseq++;
	}
	EXPECT_EQ(WEFT_RFLOWS_MAX + 1, s.t.path->flow.nrflow);
	s.t.path->flow.nrflow -= WEFT_RFLOWS_MAX;
	near_fini(&s);
}

/* Whatever numbers a peer gives its flows, the table spreads them over its chains. */
TEST(flow__no_long_chain)
{
	enum { FLOWS = 4096 };
	/* steps of generation and service from one flow to the next */
	static const struct {
		u32 gen, svc;
	} step[] = {
		{ 1, 0 }, { 64, 0 }, { 4096, 0 }, { 1u << 16, 0 }, { 0x144cbc89, 0 }, { 0, 1 },
		{ -0x9e3779b1, 1 }, { 0x9e3779b1, 1 }, { 1u << 16, 1 },
	};
	struct weft_flowid id = { .dsvc = 2 };
	struct lone t;
	u32 i, k, n;

	for (k = 0; k < ARRAY_SIZE(step); k++) {
		lone_init(&t, 0);
		weft_lock(&t.path->lock);
		for (i = n = 0; i < FLOWS; i++) {
			id.sgen = i * step[k].gen;
			id.ssvc = (u16)(SVC + i * step[k].svc);
			ASSERT_NE(NULL, weft_rflow_new(t.path, &id, NULL));
		}
		for (i = 0; i < WEFT_IDTABLE_MIN; i++)
			n = max(n, lone_count(&t.path->flow.rflows.first[i]));
		EXPECT_EQ(FLOWS, t.path->flow.rflows.size);
		EXPECT_GE(16, n);
		weft_unlock(&t.path->lock);
		lone_fini(&t);
	}
}

TEST_HARNESS_MAIN
