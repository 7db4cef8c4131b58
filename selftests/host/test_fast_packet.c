// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets, and runs of packets, with one message that the fast path receives; packets that need the
 * slow path; and acknowledgements
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
		.iov = { { (u64)(uintptr_t)s->room, NEAR_ROOM } },
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
	static const u32 len[] = { 0, 1, 3, 4, 8, 63, 64, 65, 256, 257, 500, WEFT_INLINE_MAX,
				   WEFT_INLINE_MAX + 1, 2 * WEFT_INLINE_MAX };
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
	near_make(&s, WEFT_INLINE_MAX + 1, 0, WEFT_INLINE_MAX + 2);
	refused(_metadata, &s, "a long part");
	near_make(&s, 8, 0, WEFT_FAST_BYTES + 1);
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

/* ---- Runs ------------------------------------------------------------ */

#define PIECE	1376

/* A run is over: the next packet is near_make()'s. */
static void run_end(struct near *s)
{
	free((void *)s->rx.data);
	s->rx.data = s->pkt;
	s->rx.seg = 0;
	s->rx.stride = 0;
}

/* The next completion is that of a message with @len bytes, which were placed. */
static void run_got(struct __test_metadata *_metadata, struct near *s, u64 context, u32 len)
{
	struct weft_cqe e;

	ASSERT_EQ(1, rig_cq_read(s->cq, &e));
	EXPECT_EQ(context, e.context);
	EXPECT_EQ(len, e.len);
	EXPECT_EQ(9, e.tag);
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(WEFT_CQE_TAGGED, e.flags);
	EXPECT_EQ(0, e.buf);
	EXPECT_TRUE(near_got(s, len));
	memset(s->room, 0xee, len);
}

TEST(fast__runs)
{
	static const u32 len[] = { 257, 960, 961, PIECE + 1, 2 * PIECE, 10 * PIECE - 1, 16384,
				   65535, WEFT_FAST_BYTES };
	static const u32 piece[] = { 100, 250, PIECE };
	struct rig_node *node;
	struct near s;
	u32 i, n, runs = 0, packets;
	u64 gone;

	near_init(&s);
	near_first(_metadata, &s);
	node = &s.t.rig->node[0];
	for (i = 0; i < 2 * ARRAY_SIZE(len) * ARRAY_SIZE(piece); i++) {
		u32 l = len[i / 2 / ARRAY_SIZE(piece)], p = piece[i / 2 % ARRAY_SIZE(piece)];

		/* a packet that holds all of it is no run */
		if (l <= p)
			continue;
		near_post(&s, i);
		gone = s.t.path->rx_gone;
		packets = rig_counter(node, WEFT_CNT_rx_packets);
		s.m.len = l;
		n = near_run(&s, 0, l, p, i & 1 ? 77 : 0);
		ASSERT_TRUE(near_fastpkt(&s)) TH_LOG("%u bytes, %u in a packet", l, p);
		run_got(_metadata, &s, i, l);
		EXPECT_EQ(s.h.psn + n, s.t.lane->rcv_nxt);
		EXPECT_EQ(gone + l, s.t.path->rx_gone);
		EXPECT_EQ(packets + n, rig_counter(node, WEFT_CNT_rx_packets));
		EXPECT_EQ(++runs, rig_counter(node, WEFT_CNT_rx_runs));
		/* a duplicate */
		EXPECT_FALSE(near_fastpkt(&s));
		run_end(&s);
		s.h.psn += n;
		s.m.flow.mseq++;
	}
	EXPECT_LT(20, runs);
	EXPECT_EQ(0, s.t.path->nrxm);
	near_fini(&s);
}

/* What the fast path refuses, or takes, when it gets a changed run. */
static void run_refused(struct __test_metadata *_metadata, struct near *s, const char *what)
{
	refused(_metadata, s, what);
	EXPECT_EQ(0xee, s->room[0]);
	run_end(s);
}

/* A run that is incomplete, or has another message in it, leaves everything as it was. */
TEST(fast__runs_refused)
{
	enum { LEN = 4 * PIECE + 33, SEG = NEAR_HEAD + PIECE };
	struct weft_head m;
	struct near s;
	u32 i, gap;

	near_init(&s);
	near_first(_metadata, &s);
	near_post(&s, 2);
	memset(s.room, 0xee, NEAR_ROOM);
	m = s.m;
	m.len = LEN;
	for (gap = 0; gap < 20; gap += 19) {
		s.m = m;
		near_run(&s, 0, LEN, PIECE, gap);
		s.rx.len -= NEAR_HEAD + 33;
		run_refused(_metadata, &s, "the last packet is missing");
		s.m = m;
		near_run(&s, 0, LEN, PIECE, gap);
		s.rx.len--;
		run_refused(_metadata, &s, "the last packet is cut");
		s.m = m;
		near_run(&s, 0, LEN, PIECE, gap);
		s.rx.seg -= 4;
		run_refused(_metadata, &s, "other lengths");
		s.m = m;
		near_run(&s, PIECE, LEN - PIECE, PIECE, gap);
		run_refused(_metadata, &s, "the first packet is missing");
		s.m = m;
		s.m.len++;
		near_run(&s, 0, LEN, PIECE, gap);
		run_refused(_metadata, &s, "another length in the head");
		for (i = 1; i < 5; i++) {
			u8 *p;

			s.m = m;
			near_run(&s, 0, LEN, PIECE, gap);
			p = (u8 *)s.rx.data + i * (SEG + gap) + WEFT_WIRE_HDR;
			s.m.flow.mseq++;
			weft_wire_eager_put(p, &s.m, i * PIECE, i < 4 ? PIECE : 33);
			run_refused(_metadata, &s, "another message in it");
		}
	}
	s.m = m;
	s.m.len = WEFT_FAST_BYTES + 1;
	near_run(&s, 0, WEFT_FAST_BYTES + 1, PIECE, 0);
	run_refused(_metadata, &s, "too long");
	/* bytes for the completion queue are in one piece */
	s.m.len = 200;
	near_run(&s, 0, 200, 100, 0);
	run_refused(_metadata, &s, "short");
	s.proc->mc->cold = RIG_PPM;
	s.m.len = 500;
	near_run(&s, 0, 500, 100, 0);
	run_refused(_metadata, &s, "short, and the receive is not resident");
	s.m.len = LEN;
	near_run(&s, 0, LEN, PIECE, 0);
	run_refused(_metadata, &s, "the receive is not resident");
	s.proc->mc->cold = 0;
	s.m = m;
	near_run(&s, 0, LEN, PIECE, 0);
	EXPECT_TRUE(near_fastpkt(&s));
	run_end(&s);
	run_got(_metadata, &s, 2, LEN);
	near_fini(&s);
}

/* A single packet that send.c makes from 961 bytes or more has no padding behind its bytes. */
TEST(fast__unpadded)
{
	struct near s;
	u32 len;

	near_init(&s);
	near_first(_metadata, &s);
	for (len = WEFT_INLINE_MAX + 1; len < WEFT_INLINE_MAX + 5; len++) {
		near_post(&s, len);
		s.m.len = len;
		memset(s.room, 0xee, len + 1);
		near_run(&s, 0, len, PIECE, 0);
		EXPECT_TRUE(near_fastpkt(&s)) TH_LOG("%u bytes", len);
		/* the slow path takes what is left */
		near_take(&s, &s.rx, 1);
		run_got(_metadata, &s, len, len);
		run_end(&s);
		near_next(&s);
	}
	near_fini(&s);
}

/* Any packet of a run may ask for an acknowledgement. */
TEST(fast__runs_acknow)
{
	enum { N = 3, SEG = NEAR_HEAD + PIECE };
	struct near s;
	u32 i, acks;

	near_init(&s);
	near_first(_metadata, &s);
	for (i = 0; i <= N; i++) {
		near_post(&s, i);
		s.m.len = N * PIECE;
		near_run(&s, 0, N * PIECE, PIECE, 0);
		if (i < N)
			((u8 *)s.rx.data)[i * SEG + 1] |= WEFT_PKT_ACKNOW;
		acks = rig_counter(&s.t.rig->node[0], WEFT_CNT_acks_sent);
		s.t.lane->rcv_unacked = 0;
		ASSERT_TRUE(near_fastpkt(&s));
		run_got(_metadata, &s, i, N * PIECE);
		EXPECT_EQ(acks + (i < N), rig_counter(&s.t.rig->node[0], WEFT_CNT_acks_sent));
		run_end(&s);
		s.h.psn += N;
		s.m.flow.mseq++;
	}
	near_fini(&s);
}

/* ---- Acknowledgements ------------------------------------------------ */

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
