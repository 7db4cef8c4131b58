// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placing packets in memory: pieces in any order, duplicates, pieces out of place, bytes without a
 * grant, receives with bad memory, and memory without a large piece
 */
#include "near.h"
#include "two.h"
#include "harness.h"

#define LEN	3000
#define PIECE	1000
#define SID	5

static void post(struct near *s)
{
	struct rig_op op = { .tagged = true, .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY,
			     .context = 1, .tag = 9, .n = 1 };

	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)s->room, LEN };
	if (rig_recv(s->ep, &op))
		abort();
	rig_notify(s->ep, WEFT_NOTIFY_RQ);
}

static void come(struct near *s, u32 n)
{
	s->h.psn = s->t.lane->rcv_nxt;
	weft_wire_hdr_put(s->pkt, &s->h);
	s->rx.len = WEFT_WIRE_HDR + n;
	near_take(s, &s->rx, 1);
}

static void fill(u8 *p, u32 off, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		p[i] = (u8)((off + i) * 3 + 1);
}

/* A piece of the message, in a packet of its own. */
static void piece(struct near *s, u32 off, u32 len)
{
	u8 *p = s->pkt + WEFT_WIRE_HDR;

	memset(s->pkt, 0, sizeof(s->pkt));
	s->m.len = LEN;
	p += weft_wire_eager_put(p, &s->m, off, len);
	fill(p, off, len);
	come(s, weft_wire_size(sizeof(struct weft_w_eager) + len));
}

/* The same for a piece of granted bytes. */
static void data(struct near *s, u32 rid, u64 off, u32 len)
{
	u8 *p = s->pkt + WEFT_WIRE_HDR;

	memset(s->pkt, 0, sizeof(s->pkt));
	p += weft_wire_data_put(p, rid, off, len);
	fill(p, (u32)off, len);
	come(s, weft_wire_size(sizeof(struct weft_w_data) + len));
}

static void whole(struct __test_metadata *_metadata, struct near *s)
{
	struct weft_cqe e;
	u32 i;

	ASSERT_EQ(1, rig_cq_read(s->cq, &e));
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(LEN, e.len);
	for (i = 0; i < LEN; i++)
		ASSERT_EQ((u8)(i * 3 + 1), s->room[i]);
	EXPECT_EQ(0, rig_cq_read(s->cq, &e));
}

static bool none(struct near *s)
{
	struct weft_cqe e;

	return !rig_cq_read(s->cq, &e);
}

/* Placed in resident memory, or by way of a buffer; only valid bytes count. */
TEST(place__pieces)
{
	static const u32 order[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
					 { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	struct near s;
	u32 i, k, late;

	for (i = 0; i < 12; i++) {
		late = i & 1;
		near_init(&s);
		if (!late)
			post(&s);
		for (k = 0; k < 2; k++)
			piece(&s, order[i / 2][k] * PIECE, PIECE);
		/* beyond its end: of another length, or at a place without bytes */
		piece(&s, LEN, 1);
		piece(&s, LEN - 1, 2);
		piece(&s, U32_MAX, 8);
		EXPECT_TRUE(none(&s));
		piece(&s, order[i / 2][2] * PIECE, PIECE);
		/* the message is whole: more of it changes nothing */
		piece(&s, 0, PIECE);
		if (late) {
			EXPECT_TRUE(none(&s));
			post(&s);
		}
		whole(_metadata, &s);
		EXPECT_EQ(0, s.t.path->nrxm);
		near_fini(&s);
	}
}

/* Granted bytes are accepted once, and no other bytes. */
TEST(place__asked_for)
{
	struct weft_rxm *rxm;
	struct near s;
	u32 rid;

	near_init(&s);
	memset(s.room, 0xee, 4096);
	post(&s);
	memset(s.pkt, 0, sizeof(s.pkt));
	s.m.len = LEN;
	come(&s, weft_wire_rts_put(s.pkt + WEFT_WIRE_HDR, &s.m, SID));
	ASSERT_EQ(1, lone_count(&s.t.path->msg.rxms));
	rxm = weft_entry(weft_list_first(&s.t.path->msg.rxms), struct weft_rxm, node);
	rid = rxm->bulk.rid;
	EXPECT_EQ(LEN, rxm->bulk.granted);
	data(&s, rid + 1, 0, PIECE);
	data(&s, rid, LEN, 1);
	data(&s, rid, LEN - 1, 2);
	data(&s, rid, 1ull << 63, PIECE);
	EXPECT_EQ(0xee, s.room[0]);
	EXPECT_EQ(LEN, rxm->bulk.win[0].todo);
	data(&s, rid, 2 * PIECE, PIECE);
	data(&s, rid, 0, PIECE);
	EXPECT_EQ(PIECE, rxm->bulk.win[0].todo);
	EXPECT_TRUE(none(&s));
	/* more than is missing, and then the missing bytes */
	data(&s, rid, PIECE - 1, PIECE + 1);
	EXPECT_EQ(PIECE, rxm->bulk.win[0].todo);
	data(&s, rid, PIECE, PIECE);
	whole(_metadata, &s);
	data(&s, rid, 0, PIECE);
	EXPECT_TRUE(none(&s));
	EXPECT_EQ(0, s.t.rig->nmem);
	near_fini(&s);
}

/*
 * The buffer is not in the program's memory: the receive fails, and so does a send that waits for
 * it.
 */
static void bad_target(struct __test_metadata *_metadata, u32 len, bool late, u32 cold, u32 fault)
{
	struct rig_op s = { .flags = WEFT_SQ_COMPLETION | WEFT_SQ_DELIVERY, .n = 1 };
	struct rig_op r = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .context = 7,
			    .n = 1 };
	struct weft_cqe e;
	struct two t;
	u32 step;

	two_init(&t, 1, 64, cold);
	t.b->mc->fault = fault;
	s.peer = t.to;
	s.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.buf, len };
	r.iov[0] = (struct weft_iov){ fault ? (u64)(uintptr_t)t.room : 64, len };
	for (step = 0; step < 2; step++) {
		ASSERT_EQ(0, step == late ? rig_recv(t.eb, &r) : rig_send(t.ea, &s));
		rig_notify(t.eb, WEFT_NOTIFY_RQ);
		rig_run(t.rig, NSEC_PER_SEC);
	}
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(7, e.context);
	EXPECT_EQ(EFAULT, e.status);
	EXPECT_EQ(0, e.len);
	ASSERT_EQ(1, rig_cq_read(t.ca, &e));
	/* a message that waited for a receive had arrived */
	EXPECT_TRUE(e.status == EREMOTEIO || (late && len < TWO_LONG && !e.status));
	/* the next message is not affected */
	t.b->mc->fault = 0;
	r.iov[0].addr = (u64)(uintptr_t)t.room;
	ASSERT_EQ(0, rig_recv(t.eb, &r));
	ASSERT_EQ(0, rig_send(t.ea, &s));
	rig_run(t.rig, NSEC_PER_SEC);
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(0, memcmp(t.room, t.buf, len));
	EXPECT_EQ(0, t.rig->nmem);
	rig_free(t.rig);
}

TEST(place__bad_target)
{
	static const u32 lens[] = { 1200, 5000, TWO_LONG };
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(lens); i++) {
		bad_target(_metadata, lens[i / 2], i & 1, 0, 0);
		bad_target(_metadata, lens[i / 2], i & 1, RIG_PPM, 0);
		bad_target(_metadata, lens[i / 2], i & 1, RIG_PPM, RIG_PPM);
	}
}

/* ---- Memory has no large piece --------------------------------------- */

/*
 * A message comes before its receive, and memory has no piece of its size: it is kept all the same.
 * So are the messages behind it. @dst: the receiver's node.
 */
static void scarce(struct __test_metadata *_metadata, u32 len, u32 dst)
{
	struct weft_cqe e;
	struct two t;
	u64 failed;
	u32 i;

	two_init(&t, dst, 64, 0);
	/* the path and its flow have their memory */
	ASSERT_EQ(0, two_get(&t, t.room, 1, 9));
	ASSERT_EQ(0, two_put(&t, t.buf, 1, 9, 0));
	EXPECT_EQ(0, two_status(&t, t.cb, 9, NSEC_PER_SEC));
	EXPECT_EQ(0, two_status(&t, t.ca, 9, NSEC_PER_SEC));
	failed = weft_host_failed();
	weft_host_fragment(len);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, two_put(&t, t.buf + i, len, i, 0));
	rig_run(t.rig, 5 * NSEC_PER_SEC);
	weft_host_fragment(0);
	if (dst)
		EXPECT_LT(failed, weft_host_failed());
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, two_get(&t, t.room + i * len, len, i));
		rig_notify(t.eb, WEFT_NOTIFY_RQ);
		rig_run(t.rig, NSEC_PER_MSEC);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(i, e.context);
		EXPECT_EQ(0, e.status);
		EXPECT_EQ(len, e.len);
		EXPECT_EQ(0, memcmp(t.room + i * len, t.buf + i, len));
		EXPECT_EQ(0, two_status(&t, t.ca, i, 0));
	}
	EXPECT_EQ(0, t.rig->nmem);
	rig_free(t.rig);
}

TEST(place__scarce)
{
	static const u32 lens[] = { 5000, 20000, 48 << 10, 64 << 10 };
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(lens); i++)
		scarce(_metadata, lens[i / 2], i & 1);
}

/*
 * The worker that takes the memory is late. No packet is taken before. @end: the endpoint ends
 * first. @twice: there is no memory for the worker either, and another one takes it.
 */
static void scarce_late(struct __test_metadata *_metadata, bool end, bool twice)
{
	struct near s;
	u32 psn;

	near_init(&s);
	rig_cut(s.t.rig, 0, 1, true);
	weft_host_fragment(LEN);
	psn = s.t.lane->rcv_nxt;
	if (twice) {
		piece(&s, 0, PIECE);
		weft_host_fail_rate(65536, 1);
		rig_run(s.t.rig, NSEC_PER_MSEC);
		weft_host_fail_rate(0, 0);
	}
	piece(&s, 0, PIECE);
	piece(&s, PIECE, PIECE);
	EXPECT_EQ(psn, s.t.lane->rcv_nxt);
	EXPECT_EQ(1, s.t.path->nrxm);
	if (end) {
		rig_ep_free(s.ep);
		s.ep = NULL;
		EXPECT_EQ(0, s.t.path->nrxm);
	}
	rig_run(s.t.rig, NSEC_PER_MSEC);
	if (!end) {
		piece(&s, 0, PIECE);
		EXPECT_EQ(psn + 1, s.t.lane->rcv_nxt);
		piece(&s, PIECE, PIECE);
		piece(&s, 2 * PIECE, PIECE);
		post(&s);
		whole(_metadata, &s);
	}
	weft_host_fragment(0);
	near_fini(&s);
}

TEST(place__scarce_late)
{
	scarce_late(_metadata, false, false);
	scarce_late(_metadata, true, false);
	scarce_late(_metadata, false, true);
}

TEST_HARNESS_MAIN
