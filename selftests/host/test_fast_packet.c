// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets with one short message that the fast path receives, packets that need the slow path, and
 * acknowledgements
 *
 * When the fast path does not apply, it has changed nothing. test_fast_packet_tx.c tests how such
 * packets are made.
 */
#include "core/transport/emit.h"
#include "near.h"
#include "harness.h"

static void near_post(struct near *s, u64 context)
{
	struct rig_op op = {
		.tagged = true,
		.flags = WEFT_RQ_COMPLETION,
		.peer = WEFT_SRC_ANY,
		.context = context,
		.tag = 9,
		.n = 1,
		.iov = { { (u64)(uintptr_t)s->room, 4096 } },
	};

	if (rig_recv(s->ep, &op))
		abort();
}

/* Send the peer a short message. */
static void near_send(struct near *s)
{
	struct rig_op op = {
		.tagged = true,
		.flags = WEFT_SQ_INLINE,
		.peer = s->to,
		.n = 1,
		.iov = { { (u64)(uintptr_t)s->room, 8 } },
	};

	if (rig_send(s->ep, &op))
		abort();
	rig_notify(s->ep, WEFT_NOTIFY_SQ);
}

/* The next packet, with @len bytes of @total from @off on. */
static void near_make(struct near *s, u32 len, u32 off, u32 total)
{
	u32 n = WEFT_WIRE_HDR, i;

	memset(s->pkt, 0, sizeof(s->pkt));
	s->m.len = total;
	weft_wire_hdr_put(s->pkt, &s->h);
	n += weft_wire_eager_put(s->pkt + n, &s->m, off, len);
	for (i = 0; i < len; i++)
		s->pkt[n + i] = (u8)(i * 7 + 1);
	s->rx.len = WEFT_WIRE_HDR + weft_wire_size(sizeof(struct weft_w_eager) + len);
}

static bool near_fastpkt(struct near *s)
{
	bool done;

	weft_softirqs_off();
	done = weft_fastpkt_rx(s->t.core, &s->rx, s->t.out);
	weft_softirqs_on();
	weft_flush(s->t.out);
	return done;
}

static void near_next(struct near *s)
{
	s->h.psn++;
	s->m.flow.mseq++;
}

/* The first message takes the slow path. */
static void near_first(struct __test_metadata *_metadata, struct near *s)
{
	struct weft_cqe e;

	near_post(s, 1);
	near_make(s, 8, 0, 8);
	near_take(s, &s->rx, 1);
	ASSERT_EQ(PSN + 1, s->t.lane->rcv_nxt);
	ASSERT_EQ(1, rig_cq_read(s->cq, &e));
	near_next(s);
}

TEST(fast__lengths)
{
	static const u32 len[] = { 0, 1, 3, 4, 8, 63, 64, 65, 500, WEFT_INLINE_MAX };
	struct weft_cqe e;
	struct near s;
	u64 gone;
	u32 i, k;

	near_init(&s);
	near_first(_metadata, &s);
	for (i = 0; i < ARRAY_SIZE(len); i++) {
		gone = s.t.path->rx_gone;
		near_post(&s, 10 + i);
		near_make(&s, len[i], 0, len[i]);
		ASSERT_TRUE(near_fastpkt(&s));
		ASSERT_EQ(1, rig_cq_read(s.cq, &e));
		EXPECT_EQ(10 + i, e.context);
		EXPECT_EQ(len[i], e.len);
		EXPECT_EQ(9, e.tag);
		EXPECT_EQ(0, e.status);
		EXPECT_EQ(0, e.data);
		for (k = 0; k < len[i]; k++)
			ASSERT_EQ((u8)(k * 7 + 1), s.room[k]);
		EXPECT_EQ(s.h.psn + 1, s.t.lane->rcv_nxt);
		EXPECT_EQ(gone + len[i], s.t.path->rx_gone);
		near_next(&s);
		/* a duplicate counts as a duplicate */
		ASSERT_FALSE(near_fastpkt(&s));
	}
	EXPECT_EQ(1 + ARRAY_SIZE(len), rig_counter(&s.t.rig->node[0], WEFT_CNT_msgs_received));
	EXPECT_EQ(1 + ARRAY_SIZE(len), rig_counter(&s.t.rig->node[0], WEFT_CNT_rx_packets));
	near_fini(&s);
}

/* A packet of another form leaves everything as it was. */
static void refused(struct __test_metadata *_metadata, struct near *s, const char *what)
{
	u32 nxt = s->t.lane->rcv_nxt;
	u64 gone = s->t.path->rx_gone;
	struct weft_cqe e;

	EXPECT_FALSE(near_fastpkt(s)) {
		TH_LOG("%s", what);
	}
	EXPECT_EQ(nxt, s->t.lane->rcv_nxt);
	EXPECT_EQ(gone, s->t.path->rx_gone);
	EXPECT_EQ(0, rig_cq_read(s->cq, &e));
	near_make(s, 8, 0, 8);
}

TEST(fast__form)
{
	struct weft_w_chunk *c;
	struct weft_w_hdr *w;
	struct weft_cqe e;
	struct near s;
	u32 i, len;

	near_init(&s);
	near_first(_metadata, &s);
	near_post(&s, 2);
	w = (void *)s.pkt;
	c = (void *)(w + 1);

	near_make(&s, 8, 0, 8);
	len = s.rx.len;
	for (i = 0; i < len; i++) {
		s.rx.len = i;
		refused(_metadata, &s, "short");
	}
	s.rx.len = len + 4;
	refused(_metadata, &s, "long");
	s.rx.seg = len / 2;
	refused(_metadata, &s, "a run");
	s.rx.seg = 0;
	w->vt = (WEFT_WIRE_VERSION + 1) << 4 | WEFT_PKT_DATA;
	refused(_metadata, &s, "version");
	w->vt = WEFT_WIRE_VERSION << 4 | WEFT_PKT_DGRAM;
	refused(_metadata, &s, "type");
	w->flags = 0;
	refused(_metadata, &s, "no PSN");
	w->flags = WEFT_PKT_PSN | 0x80;
	refused(_metadata, &s, "flags");
	w->lane = WEFT_LANES;
	refused(_metadata, &s, "no such lane");
	w->words = WEFT_WIRE_HDR / 4 + 1;
	refused(_metadata, &s, "header");
	w->job = 1;
	refused(_metadata, &s, "job");
	w->token ^= 1;
	refused(_metadata, &s, "token");
	w->path ^= 1;
	refused(_metadata, &s, "path");
	w->psn = cpu_to_be32(s.h.psn + 1);
	refused(_metadata, &s, "ahead");
	w->psn = cpu_to_be32(s.h.psn - 1);
	refused(_metadata, &s, "old");
	c->type = WEFT_CHUNK_RTS;
	refused(_metadata, &s, "chunk");
	c->len = cpu_to_be16(sizeof(struct weft_w_eager) - 1);
	refused(_metadata, &s, "chunk's length");
	c->len = 0;
	refused(_metadata, &s, "no chunk");
	near_make(&s, 8, 0, 16);
	refused(_metadata, &s, "a part");
	near_make(&s, 8, 8, 16);
	refused(_metadata, &s, "the other part");
	near_make(&s, WEFT_INLINE_MAX + 1, 0, WEFT_INLINE_MAX + 1);
	refused(_metadata, &s, "too long");
	s.m.flow.sgen++;
	near_make(&s, 8, 0, 8);
	s.m.flow.sgen--;
	refused(_metadata, &s, "another flow");
	s.m.flow.mseq++;
	near_make(&s, 8, 0, 8);
	s.m.flow.mseq--;
	refused(_metadata, &s, "not its turn");
	s.m.flags |= WEFT_MSG_PLACED;
	near_make(&s, 8, 0, 8);
	s.m.flags &= ~WEFT_MSG_PLACED;
	refused(_metadata, &s, "an answer is wanted");
	s.m.tag++;
	near_make(&s, 8, 0, 8);
	s.m.tag--;
	refused(_metadata, &s, "no receive");

	ASSERT_TRUE(near_fastpkt(&s));
	EXPECT_EQ(1, rig_cq_read(s.cq, &e));
	near_fini(&s);
}

/* The packet acknowledges the only packet under way, also when its message takes the slow path. */
static void acked(struct __test_metadata *_metadata, bool posted)
{
	struct weft_cqe e;
	struct near s;

	near_init(&s);
	near_first(_metadata, &s);
	near_send(&s);
	ASSERT_EQ(1, s.t.path->nsent);
	lone_wait(&s.t, 100 * NSEC_PER_USEC);
	if (posted)
		near_post(&s, 3);
	s.h.ack = PSN + 1;
	near_make(&s, 8, 0, 8);
	EXPECT_EQ(posted, near_fastpkt(&s));
	EXPECT_EQ(0, s.t.path->nsent);
	EXPECT_EQ(0, s.t.path->flight);
	EXPECT_EQ(0, s.t.lane->flight);
	EXPECT_EQ(PSN + 1, s.t.lane->snd_una);
	EXPECT_EQ(U64_MAX, s.t.lane->rto_at);
	EXPECT_EQ(100 * NSEC_PER_USEC, s.t.path->class[0].srtt);
	EXPECT_EQ(100 * NSEC_PER_USEC, s.t.lane->rack_rtt);
	EXPECT_TRUE(lone_sound(&s.t));
	if (!posted) {
		near_take(&s, &s.rx, 1);
		EXPECT_EQ(100 * NSEC_PER_USEC, s.t.path->class[0].srtt);
		near_post(&s, 3);
	}
	EXPECT_EQ(s.h.psn + 1, s.t.lane->rcv_nxt);
	EXPECT_EQ(1, rig_cq_read(s.cq, &e));
	EXPECT_EQ(3, e.context);
	near_fini(&s);
}

TEST(fast__acknowledges)
{
	acked(_metadata, true);
}

TEST(fast__acknowledges_unexpected)
{
	acked(_metadata, false);
}

/* With several packets under way, or one that was sent again, the slow path acts the same. */
TEST(fast__acknowledges_some)
{
	struct near s;
	u32 i;

	near_init(&s);
	near_first(_metadata, &s);
	for (i = 0; i < 3; i++)
		near_send(&s);
	ASSERT_EQ(3, s.t.path->nsent);
	for (i = 1; i <= 3; i++) {
		lone_wait(&s.t, 100 * NSEC_PER_USEC);
		near_post(&s, i);
		s.h.ack = PSN + i;
		near_make(&s, 8, 0, 8);
		EXPECT_TRUE(near_fastpkt(&s));
		EXPECT_EQ(3 - i, s.t.path->nsent);
		EXPECT_EQ(3 - i, s.t.lane->flight);
		EXPECT_EQ(PSN + i, s.t.lane->snd_una);
		EXPECT_TRUE(lone_sound(&s.t));
		near_next(&s);
	}
	/* packets that were never sent are not acknowledged */
	near_post(&s, 4);
	s.h.ack = PSN + 4;
	near_make(&s, 8, 0, 8);
	EXPECT_TRUE(near_fastpkt(&s));
	EXPECT_EQ(PSN + 3, s.t.lane->snd_una);
	EXPECT_TRUE(lone_sound(&s.t));
	near_fini(&s);
}

TEST_HARNESS_MAIN
