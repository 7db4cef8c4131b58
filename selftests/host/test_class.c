// SPDX-License-Identifier: GPL-2.0-only
/*
 * Classes of packets: their lanes, their round-trip times, and the order of messages across lanes
 */
#include "lone.h"
#include "two.h"
#include "harness.h"

#define US	NSEC_PER_USEC
#define MSGS	48

FIXTURE(class)
{
	struct lone t;
};

FIXTURE_SETUP(class)
{
	lone_init(&self->t, 1);
}

FIXTURE_TEARDOWN(class)
{
	lone_fini(&self->t);
}

/* Each class has the same number of lanes; a flow has one lane of each class. */
TEST_F(class, lanes)
{
	struct weft_path *path = self->t.path;
	struct weft_flow flow = { .path = path };
	u32 i, n[WEFT_CLASSES] = { 0 };

	for (i = 0; i < WEFT_LANES; i++) {
		ASSERT_GT(WEFT_CLASSES, weft_lane_class(&path->lane[i]));
		n[weft_lane_class(&path->lane[i])]++;
	}
	for (i = 0; i < WEFT_CLASSES; i++)
		EXPECT_EQ(WEFT_CLASS_LANES, n[i]);
	for (i = 0; i < 64; i++) {
		u8 class = i % WEFT_CLASSES;

		flow.id.ssvc = i;
		flow.id.dsvc = i * i;
		flow.lane = weft_flow_lane(&flow.id);
		EXPECT_EQ(class, weft_lane_class(weft_class_lane(&flow, class)));
	}
}

/* A class measures its own packets; before that it uses the round-trip time of FIRST. */
TEST_F(class, own_time)
{
	struct weft_path *path = self->t.path;
	struct weft_lane *first = &path->lane[0], *data = &path->lane[WEFT_LANES - 1];
	const struct weft_class *c = &path->class[WEFT_CLASS_DATA];
	weft_ns now = self->t.out->now;

	weft_class_rtt(path, first, 100 * US, now);
	EXPECT_EQ(0, c->srtt);
	EXPECT_EQ(100 * US, weft_class_of(path, data)->srtt);
	weft_class_rtt(path, data, 900 * US, now);
	EXPECT_EQ(900 * US, c->srtt);
	EXPECT_EQ(c, weft_class_of(path, data));
	EXPECT_EQ(100 * US, weft_class_of(path, first)->srtt);
	EXPECT_EQ(0, path->class[WEFT_CLASS_REST].srtt);
	/* the round-trip time without queues is the same for all classes */
	EXPECT_EQ(100 * US, path->rtt_min);
	weft_class_init(path);
	EXPECT_EQ(0, c->srtt);
	EXPECT_EQ(0, path->rtt_min);
	EXPECT_EQ(WEFT_RTO_INIT + path->peer_ack_delay, c->rto);
}

/* Packets of a class wait when its newest round-trip time is far above the shortest one. */
TEST_F(class, queued)
{
	struct weft_path *path = self->t.path;
	weft_ns now = self->t.out->now;
	u32 i;

	for (i = 0; i < WEFT_CLASSES; i++)
		EXPECT_FALSE(weft_class_queued(path, i, now));
	weft_class_rtt(path, &path->lane[0], 100 * US, now);
	path->class[WEFT_CLASS_REST].srtt = 2 * path->rtt_min + 4 * WEFT_CALM - 1;
	path->class[WEFT_CLASS_REST].rtt_at = now;
	EXPECT_FALSE(weft_class_queued(path, WEFT_CLASS_REST, now));
	path->class[WEFT_CLASS_REST].srtt++;
	EXPECT_TRUE(weft_class_queued(path, WEFT_CLASS_REST, now));
	EXPECT_FALSE(weft_class_queued(path, WEFT_CLASS_FIRST, now));
	EXPECT_FALSE(weft_class_queued(path, WEFT_CLASS_DATA, now));
	/* the measurement is kept for some time */
	EXPECT_TRUE(weft_class_queued(path, WEFT_CLASS_REST, now + NSEC_PER_MSEC));
	EXPECT_FALSE(weft_class_queued(path, WEFT_CLASS_REST, now + 100 * NSEC_PER_MSEC));
}

/* Eager messages of several packets are announced while REST waits or its window is full. */
TEST_F(class, crowded)
{
	struct weft_path *path = self->t.path;
	struct weft_flow flow = { .path = path };
	struct weft_lane *rest = weft_class_lane(&flow, WEFT_CLASS_REST);
	weft_ns now = self->t.out->now;

	weft_class_rtt(path, &path->lane[0], 20 * US, now);
	EXPECT_FALSE(weft_class_crowded(path, &flow, now));
	/* packets of DATA may wait */
	weft_class_rtt(path, weft_class_lane(&flow, WEFT_CLASS_DATA), 5000 * US, now);
	EXPECT_FALSE(weft_class_crowded(path, &flow, now));
	weft_class_rtt(path, rest, 5000 * US, now);
	EXPECT_TRUE(weft_class_crowded(path, &flow, now));
	/* an old round-trip time is dropped: a lane without packets measures nothing */
	EXPECT_FALSE(weft_class_crowded(path, &flow, now + 100 * NSEC_PER_MSEC));
	now += 100 * NSEC_PER_MSEC;
	rest->flight = rest->cwnd;
	EXPECT_TRUE(weft_class_crowded(path, &flow, now));
	rest->flight = 0;
	EXPECT_FALSE(weft_class_crowded(path, &flow, now));
}

/* Messages that wait for the window are no crowd as long as they fit in it. */
TEST_F(class, crowd_waits)
{
	struct weft_path *path = self->t.path;
	struct weft_flow flow = { .path = path };
	struct weft_lane *rest = weft_class_lane(&flow, WEFT_CLASS_REST);
	struct weft_txm txm[40] = {};
	u32 i, n = rest->cwnd / 2;

	ASSERT_GT(ARRAY_SIZE(txm), n);
	for (i = 0; i < n; i++) {
		EXPECT_FALSE(weft_class_crowded(path, &flow, 0)) TH_LOG("%u messages", i);
		/* two packets are left of each */
		txm[i].len = 5 * path->max_payload;
		txm[i].sent = 3 * path->max_payload;
		weft_list_add_tail(&rest->sendq, &txm[i].qnode);
	}
	EXPECT_TRUE(weft_class_crowded(path, &flow, 0));
	txm[n - 1].sent++;
	EXPECT_FALSE(weft_class_crowded(path, &flow, 0));
	rest->flight = 1;
	EXPECT_TRUE(weft_class_crowded(path, &flow, 0));
	/* so many are a crowd in any window */
	rest->flight = 0;
	rest->cwnd = WEFT_WINDOW;
	for (i = n; i < 31; i++)
		weft_list_add_tail(&rest->sendq, &txm[i].qnode);
	EXPECT_FALSE(weft_class_crowded(path, &flow, 0));
	weft_list_add_tail(&rest->sendq, &txm[31].qnode);
	EXPECT_TRUE(weft_class_crowded(path, &flow, 0));
	weft_list_init(&rest->sendq);
}

/*
 * Packets that only acknowledge are FIRST, for any lane. An acknowledgement with bytes stays in its
 * lane's class.
 */
TEST_F(class, of_packets)
{
	struct lone *t = &self->t;
	struct weft_lane *data = &t->path->lane[WEFT_LANES - 1];

	lone_send(t);
	ASSERT_EQ(1, t->out->ntx);
	EXPECT_EQ(WEFT_CLASS_FIRST, t->out->tx[0].class);
	lone_drop(t);
	weft_lock(&t->path->lock);
	weft_frame_ack(t->path, data, t->out);
	weft_unlock(&t->path->lock);
	ASSERT_EQ(1, t->out->ntx);
	EXPECT_EQ(data->no, t->out->tx[0].lane);
	EXPECT_EQ(WEFT_CLASS_FIRST, t->out->tx[0].class);
	lone_drop(t);
}

/* A packet of low priority acknowledges only where such packets do not wait in queues. */
TEST_F(class, acknowledges)
{
	struct lone *t = &self->t;
	struct weft_lane *data = &t->path->lane[WEFT_LANES - 1];
	u32 queued;

	t->lane = data;
	for (queued = 0; queued < 2; queued++) {
		weft_class_rtt(t->path, data, queued ? 5000 * US : 20 * US, t->out->now);
		lone_take(t, data, data->rcv_nxt);
		EXPECT_NE(U64_MAX, data->ack_at);
		lone_send(t);
		ASSERT_EQ(1, t->out->ntx);
		EXPECT_EQ(WEFT_CLASS_DATA, t->out->tx[0].class);
		EXPECT_EQ(!queued, data->ack_at == U64_MAX);
		lone_drop(t);
	}
}

/* ---- Order ----------------------------------------------------------- */

/*
 * A slow link with priorities: short messages overtake the bytes of earlier long messages. The
 * receiver still delivers them in order.
 */
static bool in_order(u32 levels, u64 seed, u32 loss)
{
	struct rig_op op = { .flags = WEFT_SQ_COMPLETION, .n = 1 };
	struct rig_proc *a, *b;
	struct rig_ep *ea, *eb;
	struct rig_cq *ca, *cb;
	struct rig_av *va, *vb;
	struct rig_conf conf;
	struct weft_cqe e;
	struct rig *rig;
	u8 *p, *q;
	u32 i, got = 0;
	bool ok = true;

	rig_conf_default(&conf, seed);
	conf.nodes = 2;
	conf.loss = loss;
	conf.net.bps = 1000000000;
	conf.net.queue = 500000;
	conf.net.levels = levels;
	rig = rig_new(&conf);
	a = rig_proc_new(&rig->node[0]);
	b = rig_proc_new(&rig->node[1]);
	ca = rig_cq_new(a, 1024);
	cb = rig_cq_new(b, 1024);
	va = rig_av_new(a);
	vb = rig_av_new(b);
	ea = rig_ep_new(a, WEFT_EP_RDM, 0, 256, 256, 7);
	eb = rig_ep_new(b, WEFT_EP_RDM, 0, 256, 256, 7);
	rig_ep_enable(ea, ca, ca, NULL, va);
	rig_ep_enable(eb, cb, cb, NULL, vb);
	op.peer = (u32)rig_av_insert(va, 1, 7, rig);
	p = rig_buf(a, 65536);
	q = rig_buf(b, 65536);
	for (i = 0; i < MSGS; i++) {
		struct rig_op r = { .flags = WEFT_RQ_COMPLETION, .n = 1, .context = i,
				    .peer = WEFT_SRC_ANY };

		r.iov[0].addr = (uintptr_t)q;
		r.iov[0].len = 65536;
		ok = !rig_recv(eb, &r) && ok;
	}
	op.iov[0].addr = (uintptr_t)p;
	for (i = 0; i < MSGS; i++) {
		static const u32 len[] = { 12000, 8, 40000, 64, 5000, 900 };

		op.iov[0].len = len[i % ARRAY_SIZE(len)];
		op.flags |= WEFT_SQ_DATA;
		op.data = i;
		op.context = i;
		ok = !rig_send(ea, &op) && ok;
	}
	for (i = 0; i < 20000 && got < MSGS; i++) {
		rig_run(rig, 100 * US);
		while (rig_cq_read(cb, &e) > 0) {
			/* receives are matched in the order of sends */
			ok = ok && !e.status && e.context == e.data;
			got++;
		}
	}
	ok = ok && got == MSGS;
	rig_proc_end(a, false);
	rig_proc_end(b, false);
	rig_free(rig);
	return ok;
}

TEST(order)
{
	u64 seed;

	for (seed = 1; seed <= 5; seed++) {
		EXPECT_TRUE(in_order(1, seed, 0));
		EXPECT_TRUE(in_order(WEFT_CLASSES, seed, 0));
		EXPECT_TRUE(in_order(WEFT_CLASSES, seed, RIG_PPM / 20));
	}
}

TEST_HARNESS_MAIN
