// SPDX-License-Identifier: GPL-2.0-only
/*
 * A peer that has taken part in the handshake and then sends arbitrary chunks, in any order
 *
 * The chunks are of all kinds, with one-sided operations among them. They name objects that exist
 * and objects that do not. The programs of the attacked node continue to send and receive. Their
 * data from that peer may be nonsense, but nothing breaks or leaks, and everything ends. What the
 * peer sends beyond its credit is dropped before it costs memory.
 */
#include "victim.h"
#include "harness.h"

/*
 * @denied: incremented by the one-sided operations that were refused. Return: those that were
 * executed.
 */
static u64 session(u64 seed, u32 packets, u64 *denied)
{
	struct victim v;
	u64 operations;
	u32 i;

	victim_init(&v, seed, NULL, 0);
	for (i = 0; i < packets; i++) {
		victim_attack(&v);
		if (!victim_pick(&v, 3))
			victim_go_on(&v);
		if (v.path->state == WEFT_PATHS_DEAD)
			break;
	}
	operations = rig_counter(&v.rig->node[0], WEFT_CNT_rma_writes) +
		     rig_counter(&v.rig->node[0], WEFT_CNT_rma_reads);
	*denied += rig_counter(&v.rig->node[0], WEFT_CNT_rma_denied);
	victim_fini(&v);
	return operations;
}

TEST(hostile__peer)
{
	u64 seed, operations = 0, denied = 0;

	for (seed = 1; seed <= 60; seed++)
		operations += session(seed, 1500, &denied);
	EXPECT_LT(60, operations);
	EXPECT_LT(60, denied);
}

/* The same while allocations fail: no chunk is accepted twice, no object is lost. */
TEST(hostile__peer_no_memory)
{
	u64 seed;

	for (seed = 100; seed <= 120; seed++) {
		struct victim v;
		u32 i;

		victim_init(&v, seed, NULL, 0);
		weft_host_fail_rate(RIG_PPM / 20, seed);
		for (i = 0; i < 1500; i++) {
			victim_attack(&v);
			if (!victim_pick(&v, 3))
				victim_go_on(&v);
		}
		weft_host_fail_rate(0, 0);
		victim_fini(&v);
	}
}

/* ---- More than the credit --------------------------------------------------------- */

#define LEN	1000	/* bytes of a message in one packet */
#define LONG	8192	/* bytes of a message of which only the first packet comes */

FIXTURE(beyond)
{
	struct victim v;
	u64 charged;
};

FIXTURE_SETUP(beyond)
{
	victim_init(&self->v, 9, NULL, 0);
	/* no receive, so that messages count for the peer's credit */
	ASSERT_EQ(0, weft_limit_set(&self->v.rig->node[0].core, "unexpected-endpoint", 65536));
	ASSERT_EQ(0, weft_limit_set(&self->v.rig->node[0].core, "messages-endpoint", 1 << 20));
}

FIXTURE_TEARDOWN(beyond)
{
	victim_fini(&self->v);
}

static u64 beyond(struct victim *v)
{
	return rig_counter(&v->rig->node[0], WEFT_CNT_beyond_credit);
}

/*
 * The peer sends the first @paylen of @len bytes of message @mseq of flow @gen, in the next packet.
 * Return: the core accepted it.
 */
static bool eager(struct victim *v, u32 gen, u32 mseq, u32 len, u32 paylen)
{
	struct weft_head m = {
		.flow = { .ssvc = 40, .dsvc = VICTIM_SVC, .sgen = gen, .mseq = mseq },
		.len = len,
	};
	struct weft_lane *lane = &v->path->lane[1];
	struct weft_hdr h = {
		.type = WEFT_PKT_DATA,
		.flags = WEFT_PKT_PSN,
		.lane = lane->no,
		.path = v->path->id,
		.token = v->path->token,
		.psn = lane->rcv_nxt,
		.ack = lane->snd_una,
	};
	struct weft_sockaddr src;
	u8 pkt[1400];
	u32 n = WEFT_WIRE_HDR;

	weft_wire_hdr_put(pkt, &h);
	n += weft_wire_eager_put(pkt + n, &m, 0, paylen);
	memset(pkt + n, 'x', paylen);
	rig_node_addr(&v->rig->conf, VICTIM_PEER, 0, &src);
	src.port = cpu_to_be16(v->rig->conf.core.udp_port);
	rig_inject(&v->rig->node[0], &src, pkt, n + paylen);
	rig_run(v->rig, NSEC_PER_USEC);
	return lane->rcv_nxt == h.psn + 1;
}

/* The peer opens flow @gen, in the next packet. */
static bool opened(struct victim *v, u32 gen)
{
	struct weft_w_open w = {};
	bool done;

	w.flow.ssvc = cpu_to_be16(40);
	w.flow.dsvc = cpu_to_be16(VICTIM_SVC);
	w.flow.sgen = cpu_to_be32(gen);
	weft_lock(&v->path->lock);
	if (weft_contact_rx(v->path, &w))
		abort();
	done = weft_rflow_find(v->path, 40, gen);
	weft_unlock(&v->path->lock);
	return done;
}

/*
 * A flow's credit: messages beyond are dropped, cost nothing, and are accepted when there is
 * credit.
 */
TEST_F(beyond, flow)
{
	struct victim *v = &self->v;
	struct rig_op op = { .peer = WEFT_SRC_ANY, .n = 1 };
	u32 i, n = WEFT_CREDIT_BYTES / LEN;

	ASSERT_TRUE(opened(v, 77));
	for (i = 1; i <= n; i++)
		ASSERT_TRUE(eager(v, 77, i, LEN, LEN));
	EXPECT_EQ(0, beyond(v));
	/* a path has memory for one message in reserve */
	ASSERT_FALSE(eager(v, 77, n + 1, LEN, LEN));
	self->charged = v->proc->mc->charged;
	for (i = 1; i < 500; i++)
		ASSERT_FALSE(eager(v, 77, n + 1, LEN, LEN));
	EXPECT_EQ(500, beyond(v));
	EXPECT_EQ(self->charged, v->proc->mc->charged);
	EXPECT_EQ(n, v->ep->ep->flow.kept_msgs);
	/* received messages give new credit, of which the peer is told */
	op.iov[0].addr = (u64)(uintptr_t)v->buf;
	op.iov[0].len = LEN;
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, rig_recv(v->ep, &op));
		rig_run(v->rig, NSEC_PER_MSEC);
	}
	EXPECT_EQ(0, v->ep->ep->flow.kept_msgs);
	EXPECT_TRUE(eager(v, 77, n + 1, LEN, LEN));
	EXPECT_EQ(500, beyond(v));
}

/* A message before its turn counts as a whole, as soon as one byte of it has arrived. */
TEST_F(beyond, early)
{
	struct victim *v = &self->v;
	u32 i, n = WEFT_CREDIT_BYTES / LONG;

	ASSERT_TRUE(opened(v, 77));
	ASSERT_TRUE(eager(v, 77, 1, 0, 0));
	/* longer than a flow's first credit */
	EXPECT_FALSE(eager(v, 77, 3, WEFT_CREDIT_BYTES + 1, 8));
	for (i = 0; i < n; i++)
		ASSERT_TRUE(eager(v, 77, 3 + i, LONG, 8));
	EXPECT_EQ(1, beyond(v));
	ASSERT_FALSE(eager(v, 77, 3 + n, LONG, 8));
	self->charged = v->proc->mc->charged;
	for (i = 1; i < 100; i++)
		ASSERT_FALSE(eager(v, 77, 3 + n + i, LONG, 8));
	EXPECT_EQ(101, beyond(v));
	EXPECT_EQ(self->charged, v->proc->mc->charged);
	/* a message that has begun is not refused, and its turn comes */
	EXPECT_TRUE(eager(v, 77, 3, LONG, 8));
	EXPECT_TRUE(eager(v, 77, 2, 0, 0));
	EXPECT_EQ(101, beyond(v));
	EXPECT_EQ(2 + n, v->ep->ep->flow.kept_msgs);
	EXPECT_FALSE(eager(v, 77, 3 + n, LONG, 8));
}

/* The eager window of all flows of a node. */
TEST_F(beyond, node)
{
	struct victim *v = &self->v;
	u32 gen, i, taken = 0, all = 0;

	for (gen = 100; gen < 150; gen++) {
		ASSERT_TRUE(opened(v, gen));
		for (i = 1; i <= WEFT_CREDIT_BYTES / LONG; i++, all++)
			taken += eager(v, gen, i, LONG, 8);
	}
	EXPECT_TRUE(taken * LONG >= 4 << 20);
	/* beside the window: the endpoint's credit */
	EXPECT_TRUE(taken * LONG <= (4 << 20) + 2 * 65536);
	EXPECT_EQ(all - taken, beyond(v));
	EXPECT_TRUE(v->path->flow.rx_open + v->path->rx_gone <= v->path->rx_told);
}

TEST_HARNESS_MAIN
