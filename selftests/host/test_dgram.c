// SPDX-License-Identifier: GPL-2.0-only
/*
 * Datagrams: all lengths, on one node and between two; lost when no endpoint takes them; kept
 * during the handshake of a new path
 *
 * Receives are directed, short, shared and multiple. Datagrams wait for a receive up to a limit.
 * Completion queues are full. Packets are forged.
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

/* @wait: how many datagrams may wait for a receive */
static void init_wait(struct two *t, u32 dst, u32 cq_slots, u32 cold, u32 wait)
{
	two_init_type(t, WEFT_EP_DGRAM, 0, dst, cq_slots, cold);
	t->b->node->core.conf.dgram_max = wait;
	/* datagrams have no order; most tests want to know which one comes */
	t->rig->conf.jitter = 0;
}

static void init(struct two *t, u32 dst, u32 cq_slots, u32 cold)
{
	init_wait(t, dst, cq_slots, cold, 0);
}

static void settle(struct two *t)
{
	rig_run(t->rig, 200 * NSEC_PER_MSEC);
}

static void send_from(struct two *t, u32 off, u32 len, u32 flags)
{
	struct rig_op op = {
		.flags = flags | WEFT_SQ_COMPLETION,
		.peer = t->to,
		.context = 77,
		.data = flags & WEFT_SQ_DATA ? 0x1122334455667788 : 0,
		.n = len ? 1 : 0,
		.iov = { { (u64)(uintptr_t)t->buf + off, len } },
	};

	if (rig_send(t->ea, &op))
		abort();
}

/* Return: the status of the send. Sends of datagrams complete at once. */
static int sent(struct two *t)
{
	struct weft_cqe e;

	return rig_cq_read(t->ca, &e) == 1 && e.context == 77 ? e.status : -1;
}

static void post(struct two *t, u32 off, u32 len, u64 context)
{
	struct rig_op op = {
		.flags = WEFT_RQ_COMPLETION,
		.peer = WEFT_SRC_ANY,
		.context = context,
		.n = len ? 1 : 0,
		.iov = { { (u64)(uintptr_t)t->room + off, len } },
	};

	if (rig_recv(t->eb, &op))
		abort();
}

static u64 dropped(struct two *t)
{
	return rig_counter(t->b->node, WEFT_CNT_dgrams_dropped);
}

static void lengths(struct __test_metadata *_metadata, u32 dst, u32 cold, u32 parts)
{
	static const u32 lens[] = { 0, 1, 100, 960, 961, 1000, 1424 };
	struct weft_cqe e;
	struct two t;
	u32 i;

	init(&t, dst, 64, cold);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		u32 n = lens[i];
		struct rig_op op = {
			.flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .context = i,
			.n = parts,
			.iov = { { (u64)(uintptr_t)t.room, parts == 1 ? 2000 : 500 },
				 { (u64)(uintptr_t)t.room + 500, 1500 } },
		};

		memset(t.room, 0xee, 2000);
		ASSERT_EQ(0, rig_recv(t.eb, &op));
		send_from(&t, i, n, i & 1 ? WEFT_SQ_DATA : WEFT_SQ_TRANSMIT);
		settle(&t);
		ASSERT_EQ(0, sent(&t));
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(0, e.status);
		EXPECT_EQ(i, e.context);
		EXPECT_EQ(n, e.len);
		EXPECT_EQ(0, e.src);
		EXPECT_EQ(i & 1 ? WEFT_CQE_DATA : 0, e.flags & ~WEFT_CQE_INLINE);
		EXPECT_EQ(i & 1 ? 0x1122334455667788 : 0, e.data);
		EXPECT_EQ(0, memcmp(t.room, t.buf + i, n));
		EXPECT_EQ(0xee, t.room[n]);
		ASSERT_EQ(0, rig_cq_read(t.cb, &e));
	}
	EXPECT_EQ(0, dropped(&t));
	EXPECT_EQ(ARRAY_SIZE(lens), rig_counter(t.b->node, WEFT_CNT_dgrams_received));
	EXPECT_EQ(ARRAY_SIZE(lens), rig_counter(t.a->node, WEFT_CNT_dgrams_sent));
	rig_free(t.rig);
}

TEST(dgram__lengths)
{
	u32 i;

	for (i = 0; i < 8; i++)
		lengths(_metadata, i & 1, i & 2 ? RIG_PPM / 2 : 0, 1 + i / 4);
}

/* Long packets: the bytes stay in the send until the output is flushed. */
TEST(dgram__jumbo)
{
	struct rig_conf conf;
	struct rig_av *va, *vb;
	struct weft_cqe e;
	struct two t;
	u32 dst, n;

	for (dst = 0; dst < 2; dst++) {
		rig_conf_default(&conf, 3);
		conf.max_payload = 8972;
		t.rig = rig_new(&conf);
		t.a = rig_proc_new(&t.rig->node[0]);
		t.b = rig_proc_new(&t.rig->node[dst]);
		t.ca = rig_cq_new(t.a, 64);
		t.cb = rig_cq_new(t.b, 64);
		va = rig_av_new(t.a);
		vb = rig_av_new(t.b);
		t.ea = rig_ep_new(t.a, WEFT_EP_DGRAM, 0, 64, 64, 1);
		t.eb = rig_ep_new(t.b, WEFT_EP_DGRAM, 0, 64, 64, 2);
		t.to = rig_av_insert(va, dst, 2, t.rig);
		ASSERT_EQ(0, rig_ep_enable(t.ea, t.ca, t.ca, NULL, va));
		ASSERT_EQ(0, rig_ep_enable(t.eb, t.cb, t.cb, NULL, vb));
		t.buf = rig_buf(t.a, 10000);
		t.room = rig_buf(t.b, 10000);
		for (n = 1430; n <= 8972 - WEFT_DGRAM_HEAD; n += 251) {
			post(&t, 0, 10000, n);
			send_from(&t, 1, n, 0);
			settle(&t);
			ASSERT_EQ(0, sent(&t));
			ASSERT_EQ(1, rig_cq_read(t.cb, &e));
			ASSERT_EQ(0, e.status);
			ASSERT_EQ(n, e.len);
			ASSERT_EQ(0, memcmp(t.room, t.buf + 1, n));
		}
		rig_free(t.rig);
	}
}

TEST(dgram__not_waited_for)
{
	struct weft_cqe e;
	struct two t;
	u32 dst, i;

	for (dst = 0; dst < 2; dst++) {
		init(&t, dst, 64, 0);
		for (i = 0; i < 3; i++) {
			send_from(&t, 0, 100, 0);
			settle(&t);
			ASSERT_EQ(0, sent(&t));
		}
		EXPECT_EQ(3, dropped(&t));
		EXPECT_FALSE(t.eb->status.flags & WEFT_ST_UNEXP);
		post(&t, 0, 100, 5);
		settle(&t);
		ASSERT_EQ(0, rig_cq_read(t.cb, &e));
		send_from(&t, 9, 60, 0);
		settle(&t);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(60, e.len);
		EXPECT_EQ(5, e.context);
		EXPECT_EQ(0, memcmp(t.room, t.buf + 9, 60));
		rig_free(t.rig);
	}
}

/* A datagram that arrives before its receive waits for it, long or short. */
TEST(dgram__waits)
{
	static const u32 lens[] = { 0, 1, 100, 960, 961, 1424 };
	struct weft_cqe e;
	struct two t;
	u32 dst, i;

	for (dst = 0; dst < 2; dst++) {
		init_wait(&t, dst, 64, 0, 64);
		for (i = 0; i < ARRAY_SIZE(lens); i++) {
			send_from(&t, i, lens[i], WEFT_SQ_DATA);
			ASSERT_EQ(0, sent(&t));
		}
		settle(&t);
		EXPECT_TRUE(t.eb->status.flags & WEFT_ST_UNEXP);
		ASSERT_EQ(0, rig_cq_read(t.cb, &e));
		for (i = 0; i < ARRAY_SIZE(lens); i++) {
			post(&t, 2048 * i, 1424, i);
			settle(&t);
			ASSERT_EQ(1, rig_cq_read(t.cb, &e));
			EXPECT_EQ(0, e.status);
			EXPECT_EQ(i, e.context);
			EXPECT_EQ(lens[i], e.len);
			EXPECT_EQ(0, e.src);
			EXPECT_EQ(0x1122334455667788, e.data);
			EXPECT_EQ(0, memcmp(t.room + 2048 * i, t.buf + i, lens[i]));
			EXPECT_EQ(0xee, t.room[2048 * i + lens[i]]);
		}
		EXPECT_FALSE(t.eb->status.flags & WEFT_ST_UNEXP);
		EXPECT_EQ(0, t.eb->ep->flow.kept_bytes);
		EXPECT_EQ(0, dropped(&t));
		rig_free(t.rig);
	}
}

/*
 * Datagrams wait up to both limits, in number and in bytes. The others are lost; all are counted.
 */
TEST(dgram__waits_at_most)
{
	struct weft_cqe e;
	struct two t;
	u32 dst, i;

	for (dst = 0; dst < 2; dst++) {
		init_wait(&t, dst, 64, 0, 4);
		for (i = 0; i < 10; i++)
			send_from(&t, i * 8, 8, 0);
		settle(&t);
		EXPECT_EQ(6, dropped(&t));
		EXPECT_EQ(6, rig_counter(t.b->node, WEFT_CNT_limit_datagrams));
		for (i = 0; i < 5; i++)
			post(&t, i * 8, 8, i);
		settle(&t);
		for (i = 0; i < 4; i++)
			ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		ASSERT_EQ(0, rig_cq_read(t.cb, &e));
		EXPECT_EQ(0, memcmp(t.room, t.buf, 4 * 8));
		EXPECT_EQ(0xee, t.room[4 * 8]);
		/* there is space again */
		for (i = 0; i < 4; i++)
			send_from(&t, 0, 8, 0);
		settle(&t);
		EXPECT_EQ(6, dropped(&t));
		EXPECT_EQ(3 * 8, t.eb->ep->flow.kept_bytes);
		rig_ep_free(t.eb);
		settle(&t);
		EXPECT_EQ(6 + 3, dropped(&t));
		/* datagrams that no endpoint takes do not count for the limit */
		EXPECT_EQ(6, rig_counter(t.b->node, WEFT_CNT_limit_datagrams));
		rig_free(t.rig);

		init_wait(&t, dst, 64, 0, 64);
		t.b->node->core.conf.unexp_ep = 10 * 1424;
		for (i = 0; i < 12; i++)
			send_from(&t, 0, 1424, 0);
		settle(&t);
		EXPECT_EQ(2, dropped(&t));
		rig_free(t.rig);
	}
}

/*
 * A datagram of another sender does not go into a directed receive, and stays for another receive.
 */
TEST(dgram__waits_directed)
{
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .context = 1, .peer = 1 };
	struct weft_cqe e;
	struct two t;

	init_wait(&t, 1, 64, 0, 64);
	ASSERT_EQ(1, rig_av_insert(t.b->avs, 0, 99, t.rig));
	ASSERT_EQ(0, rig_recv(t.eb, &op));
	send_from(&t, 0, 8, 0);
	settle(&t);
	ASSERT_EQ(0, rig_cq_read(t.cb, &e));
	post(&t, 0, 8, 2);
	settle(&t);
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(2, e.context);
	rig_free(t.rig);
}

TEST(dgram__truncates)
{
	static const u32 room[] = { 0, 60, 1000 };
	struct weft_cqe e;
	struct two t;
	u32 i, len;

	for (i = 0; i < 6; i++) {
		init(&t, i & 1, 64, 0);
		len = room[i / 2] + 40;
		post(&t, 0, room[i / 2], 1);
		send_from(&t, 0, len, 0);
		settle(&t);
		EXPECT_EQ(0, sent(&t));
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(EMSGSIZE, e.status);
		EXPECT_EQ(len, e.len);
		EXPECT_EQ(40, e.olen);
		EXPECT_EQ(0, memcmp(t.room, t.buf, room[i / 2]));
		EXPECT_EQ(0xee, t.room[room[i / 2]]);
		rig_free(t.rig);
	}
}

TEST(dgram__refused)
{
	struct rig_op op = { .tagged = true, .context = 77, .tag = 1 };
	struct weft_cqe e;
	struct two t;

	init(&t, 1, 64, 0);
	send_from(&t, 0, 1472 - WEFT_DGRAM_HEAD + 1, 0);
	EXPECT_EQ(EMSGSIZE, sent(&t));
	send_from(&t, 0, 66000, 0);
	EXPECT_EQ(EMSGSIZE, sent(&t));
	send_from(&t, 0, 8, WEFT_SQ_DELIVERY);
	EXPECT_EQ(EOPNOTSUPP, sent(&t));
	send_from(&t, 0, 8, WEFT_SQ_MATCH);
	EXPECT_EQ(EOPNOTSUPP, sent(&t));
	op.peer = t.to;
	ASSERT_EQ(0, rig_send(t.ea, &op));
	EXPECT_EQ(EOPNOTSUPP, sent(&t));
	t.to = 9;
	send_from(&t, 0, 8, 0);
	EXPECT_EQ(EINVAL, sent(&t));
	ASSERT_EQ(0, rig_cq_read(t.ca, &e));
	rig_free(t.rig);
}

/* Datagrams sent before the path is up arrive; when there are too many, the first ones do. */
TEST(dgram__handshake)
{
	struct weft_cqe e;
	struct two t;
	u32 i, n = 0;

	init(&t, 1, 256, 0);
	for (i = 0; i < TWO_SLOTS; i++)
		post(&t, i * 8, 8, i);
	for (i = 0; i < TWO_SLOTS; i++) {
		send_from(&t, i * 8, 8, 0);
		ASSERT_EQ(0, sent(&t));
	}
	ASSERT_EQ(0, rig_cq_read(t.cb, &e));
	settle(&t);
	for (i = 0; i < TWO_SLOTS; i++)
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(0, memcmp(t.room, t.buf, 8 * TWO_SLOTS));
	rig_free(t.rig);

	init(&t, 1, 256, 0);
	for (i = 0; i < 200; i++) {
		send_from(&t, 0, 8, 0);
		ASSERT_EQ(0, sent(&t));
	}
	EXPECT_EQ(200 - 64, rig_counter(t.a->node, WEFT_CNT_dgrams_dropped));
	post(&t, 0, 8, 0);
	settle(&t);
	while (rig_cq_read(t.cb, &e))
		n++;
	EXPECT_EQ(1, n);
	EXPECT_EQ(63, dropped(&t));
	rig_free(t.rig);
}

TEST(dgram__nobody_there)
{
	struct weft_cqe e;
	struct rig_op op;
	struct two t;
	u32 i;

	/* no such service */
	for (i = 0; i < 2; i++) {
		init(&t, i, 64, 0);
		rig_ep_free(t.eb);
		send_from(&t, 0, 8, WEFT_SQ_TRANSMIT);
		settle(&t);
		EXPECT_EQ(0, sent(&t));
		EXPECT_EQ(1, rig_counter(t.b->node, WEFT_CNT_no_service));
		rig_free(t.rig);
	}
	/* a service of another type */
	for (i = 0; i < 2; i++) {
		struct rig_ep *ep;

		init(&t, i, 64, 0);
		ep = rig_ep_new(t.b, WEFT_EP_RDM, 0, 16, 16, 9);
		ASSERT_EQ(0, rig_ep_enable(ep, t.cb, t.cb, NULL, rig_av_new(t.b)));
		op = (struct rig_op){ .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY };
		ASSERT_EQ(0, rig_recv(ep, &op));
		t.to = rig_av_insert(t.a->avs, i, 9, t.rig);
		send_from(&t, 0, 0, 0);
		settle(&t);
		EXPECT_EQ(0, sent(&t));
		ASSERT_EQ(0, rig_cq_read(t.cb, &e));
		rig_free(t.rig);
	}
	/*
	 * no such node: the send completes at once; the waiting ones go with the path, the next one
	 * asks anew
	 */
	init(&t, 1, 64, 0);
	rig_cut(t.rig, 0, 1, true);
	for (i = 0; i < 10; i++) {
		send_from(&t, 0, 1400, 0);
		ASSERT_EQ(0, sent(&t));
	}
	rig_run(t.rig, 20ull * NSEC_PER_SEC);
	EXPECT_EQ(1, rig_counter(t.a->node, WEFT_CNT_paths_dead));
	rig_cut(t.rig, 0, 1, false);
	post(&t, 0, 8, 3);
	send_from(&t, 0, 8, 0);
	settle(&t);
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	/* killed while datagrams wait */
	rig_cut(t.rig, 0, 1, true);
	rig_stop(&t.rig->node[1], ENODEV);
	rig_free(t.rig);
	init(&t, 1, 64, 0);
	rig_cut(t.rig, 0, 1, true);
	for (i = 0; i < 10; i++)
		send_from(&t, 0, 1400, 0);
	rig_ep_free(t.ea);
	rig_run(t.rig, 20ull * NSEC_PER_SEC);
	rig_free(t.rig);
}

/* The receiver has closed: datagrams behind the one that finds it out succeed as well. */
TEST(dgram__receiver_closed)
{
	struct rig_op op = { .flags = WEFT_SQ_COMPLETION, .context = 77, .n = 1, .more = true };
	struct two t;
	u32 i, n;

	for (i = 0; i < 2; i++) {
		init(&t, i, 64, 0);
		post(&t, 0, 8, 3);
		send_from(&t, 0, 8, 0);
		settle(&t);
		ASSERT_EQ(0, sent(&t));
		rig_ep_free(t.eb);
		op.peer = t.to;
		op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.buf, 8 };
		for (n = 0; n < 4; n++)
			ASSERT_EQ(0, rig_send(t.ea, &op));
		/* the doorbell tells of all of them at once */
		send_from(&t, 0, 8, 0);
		settle(&t);
		for (n = 0; n < 5; n++)
			EXPECT_EQ(0, sent(&t));
		EXPECT_EQ(5, rig_counter(t.b->node, WEFT_CNT_no_service));
		rig_free(t.rig);
	}
}

TEST(dgram__directed)
{
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .context = 1, .peer = 1 };
	struct rig_av *vb;
	struct weft_cqe e;
	struct two t;

	init(&t, 1, 64, 0);
	vb = t.b->avs;
	ASSERT_EQ(1, rig_av_insert(vb, 0, 99, t.rig));
	ASSERT_EQ(0, rig_recv(t.eb, &op));
	post(&t, 0, 8, 2);
	send_from(&t, 0, 8, 0);
	settle(&t);
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(2, e.context);
	send_from(&t, 0, 8, 0);
	settle(&t);
	ASSERT_EQ(0, rig_cq_read(t.cb, &e));
	EXPECT_EQ(1, dropped(&t));
	rig_free(t.rig);
}

/* A receive that has matched completes when its completion has space. */
TEST(dgram__full_queue)
{
	struct weft_cqe e;
	struct two t;
	u32 dst, i;

	for (dst = 0; dst < 2; dst++) {
		init(&t, dst, 16, 0);
		for (i = 0; i < TWO_SLOTS; i++)
			post(&t, i * 64, 64, i);
		for (i = 0; i < 2 * TWO_SLOTS; i++)
			send_from(&t, i * 64, 64, 0);
		settle(&t);
		EXPECT_EQ(TWO_SLOTS, dropped(&t));
		for (i = 0; i < TWO_SLOTS; i++) {
			ASSERT_EQ(1, rig_cq_read(t.cb, &e));
			EXPECT_EQ(0, e.status);
			EXPECT_EQ(64, e.len);
			EXPECT_EQ(0, memcmp(t.room + 64 * e.context, t.buf + 64 * e.context, 64));
			settle(&t);
		}
		ASSERT_EQ(0, rig_cq_read(t.cb, &e));
		rig_free(t.rig);
	}
}

TEST(dgram__multi)
{
	struct weft_rqe m = {
		.op = WEFT_RQ_RECV, .nslots = 1, .flags = WEFT_RQ_MULTI | WEFT_RQ_COMPLETION,
		.src = WEFT_SRC_ANY, .context = 7, .ignore = 64, .len = 256, .niov = 1,
	};
	struct weft_cqe e;
	struct two t;
	u32 dst;

	for (dst = 0; dst < 2; dst++) {
		init(&t, dst, 64, 0);
		m.addr = (u64)(uintptr_t)t.room;
		two_entry(&t, &m);
		send_from(&t, 0, 100, 0);
		send_from(&t, 100, 96, 0);
		settle(&t);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(m.addr, e.buf);
		EXPECT_EQ(0, e.flags & WEFT_CQE_MULTI);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(m.addr + 104, e.buf);
		EXPECT_EQ(WEFT_CQE_MULTI, e.flags & WEFT_CQE_MULTI);
		EXPECT_EQ(0, memcmp(t.room, t.buf, 100));
		EXPECT_EQ(0, memcmp(t.room + 104, t.buf + 100, 96));
		send_from(&t, 0, 1, 0);
		settle(&t);
		EXPECT_EQ(1, dropped(&t));
		rig_free(t.rig);
	}
}

/* An endpoint that shares @srq and @av; the sender knows its address. */
static struct rig_ep *share(struct two *t, struct rig_srq *srq, struct rig_av *av, u32 dst,
			    u16 service)
{
	struct rig_ep *ep = rig_ep_new(t->b, WEFT_EP_DGRAM, WEFT_EPF_SRQ, 16, 0, service);

	if (weft_ep_share(ep->ep, srq->srq, av->av) ||
	    rig_ep_enable(ep, t->cb, t->cb, NULL, av))
		abort();
	t->to = (u32)rig_av_insert(t->a->avs, dst, service, t->rig);
	return ep;
}

/* From a shared queue: an endpoint that finds it empty does not wait, if no datagram may. */
TEST(dgram__shared)
{
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .context = 4 };
	struct weft_srq_info info;
	struct rig_srq *srq;
	struct rig_ep *ep;
	struct weft_cqe e;
	struct two t;
	u32 dst;

	for (dst = 0; dst < 2; dst++) {
		init(&t, dst, 64, 0);
		srq = rig_srq_new(t.b, 16, 16, 0, NULL);
		ep = share(&t, srq, rig_av_new(t.b), dst, 9);
		send_from(&t, 0, 8, 0);
		settle(&t);
		rig_srq_look(srq, &info);
		EXPECT_EQ(0, info.waiting);
		EXPECT_EQ(1, dropped(&t));
		ASSERT_EQ(0, rig_srq_recv(srq, &op, NULL));
		settle(&t);
		ASSERT_EQ(0, rig_cq_read(t.cb, &e));
		send_from(&t, 0, 8, 0);
		settle(&t);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(4, e.context);
		EXPECT_EQ(EMSGSIZE, e.status);
		EXPECT_EQ((u16)ep->handle, e.ep);
		rig_free(t.rig);
	}
}

/* From a shared queue: endpoints that wait get the posted receives in turn. */
TEST(dgram__waits_shared)
{
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .n = 1 };
	struct weft_srq_info info;
	struct rig_srq *srq;
	struct rig_ep *ep[2];
	u32 dst, i, got[2];
	struct rig_av *av;
	struct weft_cqe e;
	struct two t;

	for (dst = 0; dst < 2; dst++) {
		init_wait(&t, dst, 64, 0, 64);
		srq = rig_srq_new(t.b, 16, 16, 0, NULL);
		av = rig_av_new(t.b);
		for (i = 0; i < 2; i++) {
			ep[i] = share(&t, srq, av, dst, 9 + i);
			send_from(&t, 100 * i, 8, 0);
			send_from(&t, 100 * i, 1000, 0);
		}
		settle(&t);
		rig_srq_look(srq, &info);
		EXPECT_EQ(2, info.waiting);
		for (i = 0; i < 4; i++) {
			op.context = i;
			op.iov[0].addr = (u64)(uintptr_t)t.room + 2048 * i;
			op.iov[0].len = 2048;
			ASSERT_EQ(0, rig_srq_recv(srq, &op, NULL));
			settle(&t);
		}
		got[0] = 0;
		got[1] = 0;
		for (i = 0; i < 4; i++) {
			u32 who;

			ASSERT_EQ(1, rig_cq_read(t.cb, &e));
			EXPECT_EQ(0, e.status);
			who = e.ep == (u16)ep[1]->handle;
			EXPECT_EQ(got[who]++ ? 1000 : 8, e.len);
			EXPECT_EQ(0, memcmp(t.room + 2048 * e.context, t.buf + 100 * who, e.len));
		}
		EXPECT_EQ(2, got[0]);
		EXPECT_EQ(0, dropped(&t));
		rig_free(t.rig);
	}
}

/* A multi-receive buffer takes waiting datagrams, and then the next ones. */
TEST(dgram__waits_multi)
{
	struct weft_rqe m = {
		.op = WEFT_RQ_RECV, .nslots = 1, .flags = WEFT_RQ_MULTI | WEFT_RQ_COMPLETION,
		.src = WEFT_SRC_ANY, .context = 7, .ignore = 64, .len = 256, .niov = 1,
	};
	struct weft_cqe e;
	struct two t;
	u32 dst;

	for (dst = 0; dst < 2; dst++) {
		init_wait(&t, dst, 64, 0, 64);
		send_from(&t, 0, 100, 0);
		settle(&t);
		m.addr = (u64)(uintptr_t)t.room;
		two_entry(&t, &m);
		settle(&t);
		send_from(&t, 100, 96, 0);
		settle(&t);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(m.addr, e.buf);
		EXPECT_EQ(100, e.len);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(m.addr + 104, e.buf);
		EXPECT_EQ(WEFT_CQE_MULTI, e.flags & WEFT_CQE_MULTI);
		EXPECT_EQ(0, memcmp(t.room + 104, t.buf + 100, 96));
		rig_free(t.rig);
	}
}

/*
 * The endpoint takes a datagram only with the path's token, only whole, and only if its type is
 * DGRAM.
 */
TEST(dgram__forged)
{
	struct weft_dgram d = { .ssvc = 1, .dsvc = 2, .len = 8, .pay = (const u8 *)"12345678" };
	struct weft_sockaddr from;
	struct weft_path *path;
	struct weft_hdr h = { .type = WEFT_PKT_DGRAM };
	struct weft_cqe e;
	struct two t;
	u8 pkt[128];
	u32 len;

	init(&t, 1, 64, 0);
	send_from(&t, 0, 8, 0);
	settle(&t);
	path = rig_path(&t.rig->node[1].core);
	ASSERT_NE(NULL, path);
	h.path = path->id;
	h.token = path->token + 1;
	rig_node_addr(&t.rig->conf, 0, WEFT_WIRE_PORT, &from);
	memset(pkt, 0, sizeof(pkt));
	weft_wire_hdr_put(pkt, &h);
	weft_wire_dgram_put(pkt + WEFT_WIRE_HDR, &d);
	memcpy(pkt + WEFT_DGRAM_HEAD, d.pay, 8);
	post(&t, 0, 64, 1);
	rig_inject(&t.rig->node[1], &from, pkt, WEFT_DGRAM_HEAD + 8);
	settle(&t);
	ASSERT_EQ(0, rig_cq_read(t.cb, &e));
	h.token = path->token;
	weft_wire_hdr_put(pkt, &h);
	for (len = WEFT_WIRE_HDR; len < WEFT_DGRAM_HEAD + 8; len++)
		rig_inject(&t.rig->node[1], &from, pkt, len);
	settle(&t);
	ASSERT_EQ(0, rig_cq_read(t.cb, &e));
	EXPECT_EQ(sizeof(struct weft_w_dgram) + 8, rig_counter(t.b->node, WEFT_CNT_rx_bad));
	rig_inject(&t.rig->node[1], &from, pkt, WEFT_DGRAM_HEAD + 8);
	settle(&t);
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(0, memcmp(t.room, d.pay, 8));
	weft_path_put(path);
	rig_free(t.rig);
}

/* With loss and duplicates: each receive holds one of the datagrams, whole. */
TEST(dgram__storm)
{
	struct weft_cqe e;
	struct two t;
	u32 i, n = 0, got;

	init(&t, 1, 256, RIG_PPM / 4);
	t.rig->conf.loss = RIG_PPM / 5;
	t.rig->conf.dup = RIG_PPM / 5;
	t.rig->conf.late = RIG_PPM / 3;
	t.rig->conf.late_by = NSEC_PER_MSEC;
	for (i = 0; i < 2000; i++) {
		if (i % 8 == 0)
			for (got = 0; got < 8; got++)
				post(&t, (i + got) % 16 * 2048, 2048, (i + got) % 16);
		send_from(&t, i % 1000, 8 + i % 1400, 0);
		if (i % 8 == 7)
			settle(&t);
		while (rig_cq_read(t.ca, &e))
			ASSERT_EQ(0, e.status);
		while (rig_cq_read(t.cb, &e)) {
			ASSERT_EQ(0, e.status);
			ASSERT_LE(8, e.len);
			n++;
		}
		if (i % 8 == 7)
			for (got = 0; got < 16; got++)
				rig_cancel(t.eb, got);
		while (rig_cq_read(t.cb, &e)) {
			if (!e.status)
				n++;
			else
				ASSERT_EQ(ECANCELED, e.status);
		}
	}
	EXPECT_LT(1000, n);
	EXPECT_GT(2000 + 1, n);
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
