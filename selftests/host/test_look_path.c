// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is under way on a path: each flow and each send is reported once, with what it waits for
 */
#include "core/api/internal.h"
#include "pair.h"
#include "two.h"
#include "harness.h"

#define MS	((weft_ns)NSEC_PER_MSEC)
#define SEC	((weft_ns)NSEC_PER_SEC)
#define MANY	700	/* more than are looked at while the lock is held */

static struct weft_send_info sends[1024];
static struct weft_flow_info flows[16];

FIXTURE(look_path)
{
	struct two t;
};

FIXTURE_VARIANT(look_path)
{
	u32 dst;
};

FIXTURE_VARIANT_ADD(look_path, remote)
{
	.dst = 1,
};

FIXTURE_VARIANT_ADD(look_path, local)
{
	.dst = 0,
};

FIXTURE_SETUP(look_path)
{
	two_init(&self->t, variant->dst, 64, 0);
}

FIXTURE_TEARDOWN(look_path)
{
	rig_free(self->t.rig);
}

/* The path of @node to the other one, or within it. */
static struct weft_path *path_of(struct two *t, u32 node)
{
	struct weft_core *core = &t->rig->node[node].core;
	u32 pos = 0;

	if (t->b->node != t->a->node)
		return weft_path_next(core, &pos);
	weft_path_get(core->local);
	return core->local;
}

/* Sends of node 0 in pieces of @piece. Return: their number. */
static u32 all_sends(struct two *t, u32 piece)
{
	struct weft_out *out = rig_out(&t->rig->node[0]);
	struct weft_path *path = path_of(t, 0);
	struct weft_send_pos pos = { 0 };
	u32 n = 0, got;

	do {
		got = weft_path_sends(path, rig_clock(&t->rig->node[0]), &pos, sends + n,
				      piece, out);
		n += got;
	} while (got == piece);
	weft_path_put(path);
	rig_leave(&t->rig->node[0], out);
	return n;
}

static bool post(struct two *t, u64 tag, u32 len)
{
	struct rig_op op = {
		.tagged = true,
		.peer = t->to,
		.tag = tag,
		.n = 1,
		.iov = { { (u64)(uintptr_t)t->buf, len } },
	};

	return !rig_send(t->ea, &op);
}

/* Long messages wait for their receives; what they are is reported. */
TEST_F(look_path, receive)
{
	struct two *t = &self->t;
	u32 i;

	rig_run(t->rig, 10 * MS);
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(post(t, 7 + i, TWO_LONG - i));
		rig_run(t->rig, SEC);
	}
	ASSERT_EQ(3, all_sends(t, 2));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(WEFT_FOR_RECEIVE, sends[i].waits);
		EXPECT_EQ(7 + i, sends[i].tag);
		EXPECT_EQ(WEFT_SQ_TSEND, sends[i].op);
		EXPECT_EQ(TWO_LONG - i, sends[i].len);
		EXPECT_EQ(0, sends[i].sent);
		EXPECT_FALSE(sends[i].told);
		EXPECT_EQ(variant->dst == 1, sends[i].announced);
		EXPECT_EQ(rig_ep_service(t->ea), be16_to_cpu(sends[i].near.addr.port));
		EXPECT_EQ(rig_ep_service(t->eb), be16_to_cpu(sends[i].peer.port));
		EXPECT_EQ(3 - i, (u32)((sends[i].age + SEC / 2) / SEC));
		EXPECT_EQ(t->ea->ep->conf.program.pid, sends[i].near.program.pid);
	}
}

/* The receiver keeps as many messages as it may; the others wait for its credit. */
TEST_F(look_path, credit)
{
	struct two *t = &self->t;
	u32 i, n, waits = 0;

	if (!variant->dst)
		SKIP(return, "there is no credit within a node");
	t->rig->node[1].core.conf.msgs_ep = 16;
	for (i = 0; i < 400; i++)
		ASSERT_TRUE(post(t, i, 8));
	rig_run(t->rig, SEC);
	n = all_sends(t, 1024);
	for (i = 0; i < n; i++)
		waits += sends[i].waits == WEFT_FOR_CREDIT;
	EXPECT_EQ(400 - WEFT_CREDIT_MSGS, waits);
	EXPECT_EQ(waits, n);
	EXPECT_EQ(399, sends[n - 1].tag);
}

/* The receiver does not exist; then it does. */
TEST_F(look_path, endpoint)
{
	struct two *t = &self->t;
	struct weft_path *path;
	struct weft_flow_pos next = { 0 };

	rig_ep_free(t->eb);
	ASSERT_TRUE(post(t, 1, 8));
	rig_run(t->rig, 100 * MS);
	ASSERT_EQ(1, all_sends(t, 8));
	EXPECT_EQ(WEFT_FOR_ENDPOINT, sends[0].waits);
	path = path_of(t, 0);
	ASSERT_EQ(1, weft_path_flows_out(path, rig_clock(&t->rig->node[0]), &next, flows, 8));
	weft_path_put(path);
	EXPECT_EQ(WEFT_FLOWS_REFUSED, flows[0].state);
	EXPECT_EQ(0, flows[0].credit);
	t->eb = rig_ep_new(t->b, WEFT_EP_RDM, 0, TWO_SLOTS, TWO_SLOTS, 2);
	ASSERT_EQ(0, rig_ep_enable(t->eb, t->cb, t->cb, NULL, rig_av_new(t->b)));
	rig_run(t->rig, SEC);
	EXPECT_EQ(0, all_sends(t, 8));
}

/* Nothing comes back from the peer: the path is in its handshake. */
TEST_F(look_path, handshake)
{
	struct two *t = &self->t;

	if (!variant->dst)
		SKIP(return, "there is no handshake within a node");
	rig_cut(t->rig, 0, 1, true);
	ASSERT_TRUE(post(t, 1, 8));
	ASSERT_TRUE(post(t, 2, TWO_LONG));
	rig_run(t->rig, 100 * MS);
	ASSERT_EQ(2, all_sends(t, 8));
	EXPECT_EQ(WEFT_FOR_HANDSHAKE, sends[0].waits);
	EXPECT_EQ(WEFT_FOR_HANDSHAKE, sends[1].waits);
}

/* The link is cut while packets are under way. */
TEST_F(look_path, acknowledgement)
{
	struct two *t = &self->t;

	if (!variant->dst)
		SKIP(return, "there are no packets within a node");
	ASSERT_TRUE(post(t, 1, 8));
	rig_run(t->rig, SEC);
	ASSERT_EQ(0, all_sends(t, 8));
	rig_cut(t->rig, 0, 1, true);
	ASSERT_EQ(0, two_put(t, t->buf, 3000, 5, WEFT_SQ_TRANSMIT));
	rig_run(t->rig, 100 * MS);
	ASSERT_EQ(1, all_sends(t, 8));
	EXPECT_EQ(WEFT_FOR_ACK, sends[0].waits);
	EXPECT_EQ(3000, sends[0].sent);
	EXPECT_FALSE(sends[0].told);
}

/* Sends behind a fence. */
TEST_F(look_path, fence)
{
	struct two *t = &self->t;

	rig_free(t->rig);
	two_init_type(t, WEFT_EP_RDM, WEFT_EPF_FENCE, variant->dst, 64, 0);
	ASSERT_TRUE(post(t, 1, TWO_LONG));
	ASSERT_EQ(0, two_put(t, t->buf, 8, 2, WEFT_SQ_FENCE));
	ASSERT_EQ(0, two_put(t, t->buf, 9, 3, 0));
	rig_run(t->rig, SEC);
	ASSERT_EQ(3, all_sends(t, 1));
	EXPECT_EQ(WEFT_FOR_RECEIVE, sends[0].waits);
	EXPECT_EQ(8, sends[1].len);
	EXPECT_EQ(WEFT_FOR_FENCE, sends[1].waits);
	EXPECT_EQ(9, sends[2].len);
	EXPECT_EQ(WEFT_FOR_FENCE, sends[2].waits);
}

/* Both ends of a flow agree. */
TEST_F(look_path, flows)
{
	struct two *t = &self->t;
	struct weft_path *path;
	struct weft_flow_pos next = { 0 };
	u32 i;

	for (i = 0; i < 5; i++)
		ASSERT_TRUE(post(t, i, 8));
	rig_run(t->rig, SEC);
	path = path_of(t, 0);
	ASSERT_EQ(1, weft_path_flows_out(path, rig_clock(&t->rig->node[0]), &next, flows, 8));
	EXPECT_EQ(0, weft_path_flows_out(path, 0, &next, flows + 1, 8));
	weft_path_put(path);
	EXPECT_EQ(WEFT_FLOWS_OPEN, flows[0].state);
	EXPECT_EQ(rig_ep_service(t->eb), be16_to_cpu(flows[0].peer.port));
	EXPECT_EQ(0, flows[0].waiting);
	EXPECT_EQ(0, flows[0].age);
	if (!variant->dst)
		return;
	EXPECT_EQ(5, flows[0].last);
	EXPECT_LE(WEFT_CREDIT_MSGS - 5, flows[0].credit);
	next = (struct weft_flow_pos){ 0 };
	path = path_of(t, 1);
	ASSERT_EQ(1, weft_path_flows_in(path, 0, &next, flows + 1, 8));
	EXPECT_EQ(0, weft_path_flows_in(path, 0, &next, flows + 2, 8));
	weft_path_put(path);
	EXPECT_EQ(WEFT_FLOWS_OPEN, flows[1].state);
	EXPECT_EQ(5, flows[1].last);
	EXPECT_EQ(flows[0].credit, flows[1].credit);
	EXPECT_EQ(5, flows[1].waiting);
	EXPECT_EQ(0, flows[1].early);
	EXPECT_EQ(rig_ep_service(t->ea), be16_to_cpu(flows[1].peer.port));
	EXPECT_EQ(rig_ep_service(t->eb), be16_to_cpu(flows[1].near.addr.port));
}

/* Return: the flow to B's endpoint, seen at B. */
static const struct weft_flow_info *flow_in(struct rig *rig)
{
	struct weft_core *core = &rig->node[1].core;
	struct weft_flow_pos next = { 0 };
	struct weft_path *path;
	u32 pos = 0, n = 0;

	path = weft_path_next(core, &pos);
	if (path) {
		n = weft_path_flows_in(path, rig_clock(&rig->node[1]), &next, flows, 1);
		weft_path_put(path);
	}
	return n ? flows : NULL;
}

/* A message is missing: the next one tells since when. */
TEST_F(look_path, gap)
{
	const struct weft_flow_info *f = NULL;
	struct two *t = &self->t;
	u32 i;

	if (!variant->dst)
		SKIP(return, "there are no packets within a node");
	ASSERT_TRUE(post(t, 1, 8));
	rig_run(t->rig, SEC);
	rig_cut(t->rig, 0, 1, true);
	ASSERT_TRUE(post(t, 2, 8));
	rig_run(t->rig, 10 * NSEC_PER_USEC);
	rig_cut(t->rig, 0, 1, false);
	ASSERT_TRUE(post(t, 3, 8));
	for (i = 0; i < 1000 && !(f && f->early); i++) {
		rig_run(t->rig, NSEC_PER_USEC);
		f = flow_in(t->rig);
	}
	ASSERT_NE(NULL, f);
	EXPECT_EQ(1, f->last);
	EXPECT_EQ(3, f->early);
	EXPECT_GE(NSEC_PER_USEC, f->age);
	rig_cut(t->rig, 0, 1, true);
	rig_run(t->rig, SEC);
	f = flow_in(t->rig);
	EXPECT_EQ(3, f->early);
	EXPECT_EQ(SEC / MS, (f->age + MS / 2) / MS);
	rig_cut(t->rig, 0, 1, false);
	rig_run(t->rig, SEC);
	f = flow_in(t->rig);
	EXPECT_EQ(3, f->last);
	EXPECT_EQ(0, f->early);
	EXPECT_EQ(0, f->age);
}

/* No message is missing while a one-sided operation keeps its turn. */
TEST(look_path__turn)
{
	const struct weft_flow_info *f;
	struct rig_conf conf;
	struct rig_rma op;
	struct pair p;
	u32 steps = 0;

	pair_conf(&conf, 0, 0);
	pair_make(&p, &conf, 1, PAIR_ALL | WEFT_EPF_ORDERED);
	op = pair_op(&p, true, 0, PAIR_ROOM, 1);
	ASSERT_EQ(0, rig_rma(p.ea, &op));
	while (p.ca->status.tail == p.ca->head && steps < 100000) {
		rig_run(p.rig, NSEC_PER_USEC);
		f = flow_in(p.rig);
		if (!f)
			continue;
		steps++;
		ASSERT_EQ(0, f->early) TH_LOG("step %u", steps);
	}
	EXPECT_LE(10, steps);
	EXPECT_EQ(0, pair_status(&p, 1));
	rig_free(p.rig);
}

static struct two *other_of;

/* While the lock is free: receives take the oldest messages. */
static void other_receives(void)
{
	struct two *t = other_of;
	u32 i;

	other_of = NULL;
	for (i = 0; t && i < 8; i++)
		if (two_get(t, t->room, TWO_ROOM, 1))
			abort();
	if (t)
		rig_run(t->rig, SEC);
}

/* Sends at which the search stands end while the lock is free. */
TEST_F(look_path, meanwhile)
{
	struct two *t = &self->t;
	struct weft_out *out = rig_out(&t->rig->node[0]);
	struct weft_send_pos pos = { 0 };
	struct weft_path *path;
	u8 seen[MANY] = { 0 };
	u32 i, n;

	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, two_put(t, t->buf, TWO_LONG, i, 0));
	rig_run(t->rig, SEC);
	path = path_of(t, 0);
	other_of = t;
	weft_host_other = other_receives;
	n = weft_path_sends(path, rig_clock(&t->rig->node[0]), &pos, sends, 1024, out);
	weft_host_other = NULL;
	weft_path_put(path);
	rig_leave(&t->rig->node[0], out);
	EXPECT_EQ(NULL, other_of);
	ASSERT_LE(MANY - 8, n);
	for (i = 0; i < n; i++) {
		ASSERT_GE(MANY, sends[i].pos.send);
		EXPECT_EQ(0, seen[sends[i].pos.send - 1]++);
	}
	for (i = 8; i < MANY; i++)
		EXPECT_EQ(1, seen[i]);
}

static u32 pauses;

static void other_pause(void)
{
	pauses++;
}

/*
 * More flows than are looked at while the lock is held, dumped one by one: each call begins where
 * the last one has stopped, so none has to release the lock and go on.
 */
TEST_F(look_path, where_it_stopped)
{
	struct rig_op op = { .tagged = true, .peer = self->t.to, .n = 1 };
	struct two *t = &self->t;
	struct weft_flow_pos next = { 0 };
	struct weft_send_info oldest;
	struct weft_path *path;
	struct rig_ep *ep;
	u32 i, n;

	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t->buf, TWO_LONG };
	for (i = 0; i < MANY; i++) {
		ep = rig_ep_new(t->a, WEFT_EP_RDM, 0, 16, 16, 0);
		ASSERT_NE(NULL, ep);
		ASSERT_EQ(0, rig_ep_enable(ep, t->ca, t->ca, NULL, t->va));
		ASSERT_EQ(0, rig_send(ep, &op));
	}
	rig_run(t->rig, SEC);
	weft_host_other = other_pause;
	pauses = 0;
	EXPECT_EQ(MANY, all_sends(t, 1));
	path = path_of(t, 0);
	for (n = 0; weft_path_flows_out(path, rig_clock(&t->rig->node[0]), &next, flows, 1); n++)
		EXPECT_EQ(n + 1, flows[0].pos.no);
	EXPECT_EQ(MANY, n);
	/* the answer to a question has the sends of the last endpoint, too */
	weft_lock(&path->lock);
	EXPECT_EQ(1, weft_look_sends_to(path, ep->ep, rig_ep_service(t->eb),
					rig_clock(&t->rig->node[0]), &oldest));
	weft_unlock(&path->lock);
	EXPECT_EQ(rig_ep_service(ep), be16_to_cpu(oldest.near.addr.port));
	weft_path_put(path);
	if (variant->dst) {
		path = path_of(t, 1);
		next = (struct weft_flow_pos){ 0 };
		for (n = 0; weft_path_flows_in(path, 0, &next, flows, 1); n++)
			EXPECT_EQ(n, flows[0].pos.no);
		EXPECT_EQ(MANY, n);
		weft_path_put(path);
	}
	weft_host_other = NULL;
	EXPECT_EQ(0, pauses);
}

static void look_at(struct weft_path *path, struct weft_path_info *info)
{
	weft_path_look(path, info);
	weft_path_put(path);
}

/* Counters of both endpoints and of both ends of the path, of messages of all kinds. */
static void counters(struct __test_metadata *_metadata, struct two *t, bool remote)
{
	static const u32 lens[] = { 0, 8, 200, 3000, 20000, TWO_LONG };
	struct weft_path_info pa = { 0 }, pb = { 0 };
	struct weft_ep_info ea, eb;
	u64 bytes = 0;
	u32 i, n = 0;

	for (i = 0; i < 60; i++) {
		u32 len = lens[i % ARRAY_SIZE(lens)];

		/* some come before their receives */
		if (i % 7 < 3)
			ASSERT_EQ(0, two_get(t, t->room, TWO_ROOM, i));
		ASSERT_EQ(0, two_put(t, t->buf, len, i, 0));
		rig_run(t->rig, 10 * MS);
		if (i % 7 >= 3)
			ASSERT_EQ(0, two_get(t, t->room, TWO_ROOM, i));
		EXPECT_EQ(0, two_status(t, t->cb, i, 10 * MS));
		EXPECT_EQ(0, two_status(t, t->ca, i, 0));
		bytes += len;
		n++;
	}
	rig_run(t->rig, SEC);
	weft_ep_look(t->ea->ep, &ea);
	weft_ep_look(t->eb->ep, &eb);
	EXPECT_EQ(n, ea.sent);
	EXPECT_EQ(bytes, ea.sent_bytes);
	EXPECT_EQ(0, ea.received);
	EXPECT_EQ(n, eb.received);
	EXPECT_EQ(bytes, eb.received_bytes);
	EXPECT_EQ(0, eb.sent);
	if (!remote)
		return;
	look_at(path_of(t, 0), &pa);
	look_at(path_of(t, 1), &pb);
	EXPECT_LT(bytes, pa.counts.tx_bytes);
	EXPECT_LT(bytes / pa.max_payload, pa.counts.tx_packets);
	EXPECT_EQ(pa.counts.tx_packets, pb.counts.rx_packets);
	EXPECT_EQ(pa.counts.tx_bytes, pb.counts.rx_bytes);
	EXPECT_EQ(pb.counts.tx_packets, pa.counts.rx_packets);
	EXPECT_EQ(pb.counts.tx_bytes, pa.counts.rx_bytes);
	/* the node's counters have the handshake, too */
	EXPECT_GE(rig_counter(&t->rig->node[0], WEFT_CNT_tx_packets), pa.counts.tx_packets);
	EXPECT_LE(rig_counter(&t->rig->node[0], WEFT_CNT_tx_packets), pa.counts.tx_packets + 3);
	EXPECT_EQ(0, pa.counts.spurious + pa.counts.timeouts + pa.counts.retrans);
}

TEST_F(look_path, counters)
{
	counters(_metadata, &self->t, variant->dst);
}

TEST_F(look_path, counters_without_fast_paths)
{
	u32 i;

	for (i = 0; i < 2; i++)
		self->t.rig->node[i].core.fast = false;
	counters(_metadata, &self->t, variant->dst);
}

/* What the network loses is counted on the path as on the node. */
TEST(look_path__losses)
{
	struct weft_path_info info;
	struct rig_conf conf;
	struct pair p;
	u32 i;

	pair_conf(&conf, 0, RIG_PPM / 20);
	pair_make(&p, &conf, 1, PAIR_ALL);
	for (i = 0; i < 200; i++) {
		struct rig_rma op = pair_op(&p, true, 0, i * 100 + 8, i);

		ASSERT_EQ(0, rig_rma(p.ea, &op));
		ASSERT_EQ(0, pair_status(&p, i));
	}
	look_at(rig_path(&p.rig->node[0].core), &info);
	EXPECT_LT(0, info.counts.retrans);
	EXPECT_LT(0, info.counts.timeouts);
	EXPECT_EQ(rig_counter(&p.rig->node[0], WEFT_CNT_retransmits), info.counts.retrans);
	EXPECT_EQ(rig_counter(&p.rig->node[0], WEFT_CNT_timeouts), info.counts.timeouts);
	EXPECT_EQ(rig_counter(&p.rig->node[0], WEFT_CNT_spurious), info.counts.spurious);
	rig_free(p.rig);
}

TEST_HARNESS_MAIN
