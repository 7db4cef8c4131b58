// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages that are announced before they are received: their bytes, claims and discards, order,
 * levels of senders, limits, and ends
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

#define LIMIT	8192u		/* length of a receive that announces */
#define PART	64u		/* bytes that it gets of longer messages */
#define SLOT(_i) (LIMIT * (_i))	/* where in t->room */
#define REST	(TWO_ROOM / 2)	/* where the bytes of claims go */

static void wait_for(struct two *t)
{
	rig_run(t->rig, 200 * NSEC_PER_MSEC);
}

static void send_to(struct two *t, bool tagged, u64 len, u32 flags)
{
	struct rig_op op = {
		.tagged = tagged,
		.flags = flags | WEFT_SQ_COMPLETION,
		.peer = t->to,
		.context = 1,
		.tag = tagged ? 7 : 0,
		.n = len ? 1 : 0,
		.iov = { { (u64)(uintptr_t)t->buf, len } },
	};

	if (rig_send(t->ea, &op))
		abort();
}

static void entry(struct two *t, u8 op, u64 context, u64 at, u32 len)
{
	bool recv = op == WEFT_RQ_RECV || op == WEFT_RQ_TRECV;
	struct weft_rqe e = {
		.op = op,
		.nslots = 1,
		.flags = WEFT_RQ_COMPLETION | WEFT_RQ_ANNOUNCE,
		.src = WEFT_SRC_ANY,
		.context = context,
		.tag = op == WEFT_RQ_TRECV ? 7 : 0,
		.addr = len ? (u64)(uintptr_t)t->room + at : 0,
		.len = len,
		.niov = len ? 1 : 0,
		.part = recv ? min(len, PART) : 0,
	};

	two_entry(t, &e);
}

static bool is_sent(struct two *t)
{
	struct weft_cqe e;

	if (rig_cq_read(t->ca, &e) != 1)
		return false;
	return e.flags & WEFT_CQE_SEND && !e.status;
}

#define NEXT(_t, _e) ASSERT_EQ(1, rig_cq_read((_t)->cb, _e))
#define NONE(_t)							\
	do {								\
		struct weft_cqe _none;					\
									\
		ASSERT_EQ(0, rig_cq_read((_t)->cb, &_none));		\
	} while (0)

static const u32 lens[] = { 0, 1, 100, 960, 961, 5000, LIMIT, LIMIT + 1, 20000, TWO_LONG };
static const u32 levels[] = { 0, WEFT_SQ_TRANSMIT, WEFT_SQ_DELIVERY, WEFT_SQ_MATCH };

/* Take the announcement of a message. Return: bytes of the message that are in the receive. */
static u32 announced(struct __test_metadata *_metadata, struct two *t, u64 context, bool tagged,
		     u32 len)
{
	u32 n = len <= LIMIT ? len : PART;
	struct weft_cqe e;

	EXPECT_EQ(1, rig_cq_read(t->cb, &e));
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(context, e.context);
	EXPECT_EQ(WEFT_CQE_ANNOUNCE | (tagged ? WEFT_CQE_TAGGED : 0), e.flags & ~WEFT_CQE_INLINE);
	EXPECT_EQ(tagged ? 7 : 0, e.tag);
	EXPECT_EQ(0, e.src);
	EXPECT_EQ(len, e.len);
	EXPECT_EQ(len - n, e.olen);
	EXPECT_EQ(0, memcmp(t->room + SLOT(context), t->buf, n));
	return n;
}

/* Every length and level, claimed or discarded, with the receive posted before or after. */
static void sizes(struct __test_metadata *_metadata, u32 dst, bool tagged, u32 cold)
{
	u8 op = tagged ? WEFT_RQ_TRECV : WEFT_RQ_RECV;
	struct weft_cqe e;
	struct two t;
	u32 i, k, how;

	two_init(&t, dst, 64, cold);
	for (i = 0; i < ARRAY_SIZE(lens); i++)
		for (k = 0; k < ARRAY_SIZE(levels); k++)
			for (how = 0; how < 4; how++) {
				bool first = how & 1, claim = how & 2;
				bool all = lens[i] <= LIMIT;
				bool told;
				u32 n;

				memset(t.room, 0xee, TWO_ROOM);
				if (first)
					entry(&t, op, 3, SLOT(3), LIMIT);
				send_to(&t, tagged, lens[i], levels[k]);
				wait_for(&t);
				if (!first)
					entry(&t, op, 3, SLOT(3), LIMIT);
				wait_for(&t);
				n = announced(_metadata, &t, 3, tagged, lens[i]);
				EXPECT_EQ(0xee, t.room[SLOT(3) + n]);
				NONE(&t);
				told = is_sent(&t);
				if (levels[k] == WEFT_SQ_MATCH) {
					EXPECT_FALSE(told);
				} else if (all) {
					EXPECT_TRUE(told);
				}

				if (claim) {
					entry(&t, WEFT_RQ_CLAIM, 3, REST, TWO_LONG);
					wait_for(&t);
					NEXT(&t, &e);
					EXPECT_EQ(0, e.status);
					EXPECT_EQ(3, e.context);
					EXPECT_EQ(lens[i], e.len);
					EXPECT_EQ(0, e.olen);
					EXPECT_EQ(0, e.src);
					EXPECT_TRUE(e.flags & WEFT_CQE_CLAIM);
					EXPECT_FALSE(e.flags & WEFT_CQE_ANNOUNCE);
					EXPECT_EQ(0, memcmp(t.room + REST + n, t.buf + n,
							    lens[i] - n));
					EXPECT_EQ(0xee, t.room[REST + lens[i]]);
				} else {
					entry(&t, WEFT_RQ_DISCARD, 3, 0, 0);
					wait_for(&t);
				}
				NONE(&t);
				if (!told) {
					EXPECT_TRUE(is_sent(&t));
				}
				EXPECT_FALSE(is_sent(&t));
			}
	EXPECT_EQ(0, t.eb->ep->rx.nslots);
	EXPECT_EQ(0, t.eb->ep->flow.kept_msgs);
	EXPECT_EQ(0, t.eb->ep->flow.kept_bytes);
	rig_free(t.rig);
}

TEST(announce__remote)
{
	sizes(_metadata, 1, false, 0);
}

TEST(announce__remote_tagged_cold)
{
	sizes(_metadata, 1, true, RIG_PPM / 2);
}

TEST(announce__local)
{
	sizes(_metadata, 0, false, 0);
}

TEST(announce__local_tagged_cold)
{
	sizes(_metadata, 0, true, RIG_PPM / 2);
}

/* A claim shorter than the message, shorter than the announced bytes, or empty. */
TEST(announce__short_claim)
{
	static const u32 rooms[] = { 0, 10, PART, PART + 1, 4000 };
	struct weft_cqe e;
	struct two t;
	u32 dst, i, k;

	for (dst = 0; dst < 2; dst++) {
		two_init(&t, dst, 64, 0);
		for (i = 3; i < ARRAY_SIZE(lens); i++)
			for (k = 0; k < ARRAY_SIZE(rooms); k++) {
				u32 n = lens[i] <= LIMIT ? lens[i] : PART;
				u32 room = rooms[k];

				if (room >= lens[i])
					continue;
				memset(t.room, 0xee, TWO_ROOM);
				entry(&t, WEFT_RQ_RECV, 3, SLOT(3), LIMIT);
				send_to(&t, false, lens[i], WEFT_SQ_DELIVERY);
				wait_for(&t);
				announced(_metadata, &t, 3, false, lens[i]);
				entry(&t, WEFT_RQ_CLAIM, 3, REST, room);
				wait_for(&t);
				NEXT(&t, &e);
				EXPECT_EQ(EMSGSIZE, e.status);
				EXPECT_EQ(lens[i], e.len);
				EXPECT_EQ(lens[i] - room, e.olen);
				if (room > n) {
					EXPECT_EQ(0, memcmp(t.room + REST + n, t.buf + n,
							    room - n));
				}
				EXPECT_EQ(0xee, t.room[REST + room]);
				EXPECT_TRUE(is_sent(&t));
				NONE(&t);
			}
		rig_free(t.rig);
	}
}

/* Announcements keep the sender's order, whatever is lost. Claims come in any order. */
TEST(announce__order)
{
	static const u32 mix[] = { TWO_LONG, 8, 5000, 0, 20000, 900, LIMIT, 40 };
	struct weft_cqe e;
	struct two t;
	u32 i, dst;

	for (dst = 0; dst < 2; dst++) {
		two_init(&t, dst, 64, RIG_PPM / 3);
		t.rig->conf.loss = RIG_PPM / 5;
		t.rig->conf.late = RIG_PPM / 3;
		t.rig->conf.late_by = NSEC_PER_MSEC;
		for (i = 0; i < ARRAY_SIZE(mix); i++)
			entry(&t, WEFT_RQ_RECV, i, SLOT(i), LIMIT);
		for (i = 0; i < ARRAY_SIZE(mix); i++)
			send_to(&t, false, mix[i], 0);
		rig_run(t.rig, 20 * NSEC_PER_SEC);
		for (i = 0; i < ARRAY_SIZE(mix); i++)
			announced(_metadata, &t, i, false, mix[i]);
		for (i = ARRAY_SIZE(mix); i-- > 0;) {
			u32 n = mix[i] <= LIMIT ? mix[i] : PART;

			entry(&t, WEFT_RQ_CLAIM, i, REST, TWO_LONG);
			rig_run(t.rig, 20 * NSEC_PER_SEC);
			NEXT(&t, &e);
			EXPECT_EQ(0, e.status);
			EXPECT_EQ(i, e.context);
			EXPECT_EQ(mix[i], e.len);
			EXPECT_EQ(0, memcmp(t.room + REST + n, t.buf + n, mix[i] - n));
		}
		NONE(&t);
		rig_free(t.rig);
	}
}

/* A message under way delays its own sender's messages, and no other sender's. */
TEST(announce__senders)
{
	struct weft_cqe e;
	struct rig_cq *cq;
	struct rig_ep *ep;
	struct rig_av *av;
	struct two t;
	long to;
	struct rig_op op = { .flags = WEFT_SQ_COMPLETION, .context = 1, .n = 1 };
	u32 i;

	two_init(&t, 1, 64, 0);
	/* the other sender is on the receiver's node */
	cq = rig_cq_new(t.b, 64);
	av = rig_av_new(t.b);
	ep = rig_ep_new(t.b, WEFT_EP_RDM, 0, 64, 16, 9);
	ASSERT_EQ(0, rig_ep_enable(ep, cq, cq, NULL, av));
	to = rig_av_insert(av, 1, 2, t.rig);
	ASSERT_LE(0, to);
	for (i = 0; i < 3; i++)
		entry(&t, WEFT_RQ_RECV, i, SLOT(i), LIMIT);
	send_to(&t, false, 0, 0);
	wait_for(&t);
	announced(_metadata, &t, 0, false, 0);
	/* the message's first packet arrives, the others do not */
	t.rig->conf.late = RIG_PPM;
	t.rig->conf.late_by = NSEC_PER_SEC;
	send_to(&t, false, LIMIT, 0);
	t.rig->conf.late_by = 100 * NSEC_PER_SEC;
	rig_run(t.rig, 2 * NSEC_PER_SEC);
	op.peer = (u32)to;
	op.iov[0].addr = (u64)(uintptr_t)rig_buf(t.b, 10);
	op.iov[0].len = 10;
	ASSERT_EQ(0, rig_send(ep, &op));
	rig_run(t.rig, NSEC_PER_MSEC);
	while (rig_cq_read(t.cb, &e) == 1)
		if (e.len == 10)
			break;
	EXPECT_EQ(10, e.len);
	rig_free(t.rig);
}

/* A message that is placed whole outlives its sender. The claim of an incomplete message fails. */
TEST(announce__sender_goes)
{
	static u8 copy[12000];
	struct weft_cqe e;
	struct two t;
	u32 i;

	two_init(&t, 1, 64, 0);
	memcpy(copy, t.buf, sizeof(copy));
	for (i = 0; i < 5; i++)
		entry(&t, WEFT_RQ_RECV, i, SLOT(i), LIMIT);
	send_to(&t, false, 300, 0);
	send_to(&t, false, 300, WEFT_SQ_MATCH);
	send_to(&t, false, 12000, 0);
	send_to(&t, false, TWO_LONG, 0);
	wait_for(&t);
	announced(_metadata, &t, 0, false, 300);
	announced(_metadata, &t, 1, false, 300);
	announced(_metadata, &t, 2, false, 12000);
	announced(_metadata, &t, 3, false, TWO_LONG);
	rig_crash(&t.rig->node[0]);
	rig_run(t.rig, 60 * NSEC_PER_SEC);
	NONE(&t);
	for (i = 0; i < 4; i++) {
		entry(&t, WEFT_RQ_CLAIM, i, REST, TWO_LONG);
		wait_for(&t);
		NEXT(&t, &e);
		EXPECT_EQ(i, e.context);
		EXPECT_TRUE(e.flags & WEFT_CQE_CLAIM);
		/* the third message is eager: its bytes are here */
		EXPECT_EQ(i == 3, !!e.status);
		if (i == 2) {
			EXPECT_EQ(0, memcmp(t.room + REST + PART, copy + PART, 12000 - PART));
		}
	}
	NONE(&t);
	rig_free(t.rig);
}

/* The receiver is destroyed with messages in every state; senders that wait for it get an error. */
TEST(announce__receiver_goes)
{
	struct weft_cqe e;
	struct two t;
	u32 dst, i, n;

	for (dst = 0; dst < 2; dst++) {
		two_init(&t, dst, 64, 0);
		for (i = 0; i < 4; i++)
			entry(&t, WEFT_RQ_RECV, i, SLOT(i), LIMIT);
		send_to(&t, false, 300, WEFT_SQ_MATCH);
		send_to(&t, false, TWO_LONG, 0);
		send_to(&t, false, 300, 0);
		send_to(&t, false, TWO_LONG, 0);
		wait_for(&t);
		entry(&t, WEFT_RQ_CLAIM, 3, REST, TWO_LONG);
		rig_ep_free(t.eb);
		wait_for(&t);
		for (n = 0; rig_cq_read(t.ca, &e) == 1; n++)
			;
		EXPECT_EQ(4, n);
		rig_free(t.rig);
	}
}

/* Receives and announced messages together are no more than the endpoint has receives. */
TEST(announce__bounded)
{
	struct weft_cqe e;
	struct two t;
	u32 i;

	two_init(&t, 1, 256, 0);
	for (i = 0; i < TWO_SLOTS; i++) {
		entry(&t, WEFT_RQ_RECV, i, SLOT(i), LIMIT);
		send_to(&t, false, 40, 0);
		wait_for(&t);
		announced(_metadata, &t, i, false, 40);
	}
	entry(&t, WEFT_RQ_RECV, 99, 0, LIMIT);
	NEXT(&t, &e);
	EXPECT_EQ(ENOBUFS, e.status);
	EXPECT_EQ(99, e.context);
	EXPECT_TRUE(e.flags & WEFT_CQE_ANNOUNCE);
	/* further messages wait */
	send_to(&t, false, 50, 0);
	wait_for(&t);
	NONE(&t);
	entry(&t, WEFT_RQ_DISCARD, 5, 0, 0);
	entry(&t, WEFT_RQ_RECV, 5, SLOT(5), LIMIT);
	wait_for(&t);
	announced(_metadata, &t, 5, false, 50);
	/* canceled receives make space, too */
	entry(&t, WEFT_RQ_DISCARD, 5, 0, 0);
	entry(&t, WEFT_RQ_TRECV, 6, SLOT(5), LIMIT);
	ASSERT_EQ(0, rig_cancel(t.eb, 6));
	NEXT(&t, &e);
	EXPECT_EQ(ECANCELED, e.status);
	EXPECT_TRUE(e.flags & WEFT_CQE_ANNOUNCE);
	EXPECT_EQ(TWO_SLOTS - 1, t.eb->ep->rx.nslots);
	rig_free(t.rig);
}

/* Claims and discards of missing messages, and the wrong kind of claim, fail. */
TEST(announce__wrong)
{
	struct weft_rqe r = {
		.op = WEFT_RQ_RECV, .nslots = 1, .src = WEFT_SRC_ANY, .niov = 1, .len = 8,
		.flags = WEFT_RQ_ANNOUNCE, .part = 9,
	};
	struct weft_cqe e;
	struct two t;

	two_init(&t, 0, 64, 0);
	entry(&t, WEFT_RQ_CLAIM, 3, REST, 100);
	NEXT(&t, &e);
	EXPECT_EQ(ECANCELED, e.status);
	EXPECT_EQ(3, e.context);
	entry(&t, WEFT_RQ_DISCARD, 3, 0, 0);
	NONE(&t);
	/* a claim without announcement does not find an announced message */
	entry(&t, WEFT_RQ_RECV, 3, SLOT(3), LIMIT);
	send_to(&t, false, 10, 0);
	wait_for(&t);
	announced(_metadata, &t, 3, false, 10);
	r.op = WEFT_RQ_DISCARD;
	r.flags = 0;
	r.niov = 0;
	r.len = 0;
	r.part = 0;
	r.context = 3;
	two_entry(&t, &r);
	NEXT(&t, &e);
	EXPECT_EQ(EINVAL, e.status);
	/* more bytes of a long message than the receive has */
	r.op = WEFT_RQ_RECV;
	r.flags = WEFT_RQ_ANNOUNCE;
	r.addr = (u64)(uintptr_t)t.room;
	r.niov = 1;
	r.len = 8;
	r.part = 9;
	two_entry(&t, &r);
	NEXT(&t, &e);
	EXPECT_EQ(EINVAL, e.status);
	r.part = 8;
	r.flags |= WEFT_RQ_MULTI;
	two_entry(&t, &r);
	NEXT(&t, &e);
	EXPECT_EQ(EINVAL, e.status);
	EXPECT_EQ(1, t.eb->ep->rx.nslots);
	rig_free(t.rig);
}

/* Announcements wait for space in the queue like all completions, and keep their order. */
TEST(announce__full_queue)
{
	struct two t;
	u32 i, dst;

	for (dst = 0; dst < 2; dst++) {
		two_init(&t, dst, 16, 0);
		for (i = 0; i < TWO_SLOTS; i++)
			entry(&t, WEFT_RQ_RECV, i, SLOT(i), LIMIT);
		for (i = 0; i < TWO_SLOTS; i++)
			send_to(&t, false, 500 + i, 0);
		wait_for(&t);
		for (i = 0; i < TWO_SLOTS; i++) {
			announced(_metadata, &t, i, false, 500 + i);
			wait_for(&t);
		}
		NONE(&t);
		rig_free(t.rig);
	}
}

/* A message above the length limit goes to the endpoint that accepts it, and to no other one. */
TEST(announce__variable)
{
	const u64 len = WEFT_MSG_MAX + 1;
	struct weft_cqe e;
	struct rig_av *av;
	struct two t;
	u32 dst;
	long to;

	for (dst = 0; dst < 2; dst++) {
		two_init_type(&t, WEFT_EP_RDM, WEFT_EPF_VARIABLE, dst, 64, 0);
		send_to(&t, false, len, 0);
		wait_for(&t);
		ASSERT_EQ(1, rig_cq_read(t.ca, &e));
		EXPECT_EQ(EMSGSIZE, e.status);
		/* no part of the message is seen, and the next messages have their turn */
		entry(&t, WEFT_RQ_RECV, 3, SLOT(3), LIMIT);
		send_to(&t, false, 10, 0);
		wait_for(&t);
		announced(_metadata, &t, 3, false, 10);
		EXPECT_TRUE(is_sent(&t));
		entry(&t, WEFT_RQ_DISCARD, 3, 0, 0);

		t.eb = rig_ep_new(t.b, WEFT_EP_RDM, WEFT_EPF_VARIABLE, TWO_SLOTS, TWO_SLOTS, 3);
		av = rig_av_new(t.b);
		ASSERT_EQ(0, rig_ep_enable(t.eb, t.cb, t.cb, NULL, av));
		ASSERT_EQ(0, rig_av_insert(av, 0, 1, t.rig));
		to = rig_av_insert(t.va, dst, 3, t.rig);
		ASSERT_EQ(1, to);
		t.to = (u32)to;
		entry(&t, WEFT_RQ_RECV, 4, SLOT(4), LIMIT);
		entry(&t, WEFT_RQ_RECV, 5, SLOT(5), LIMIT);
		send_to(&t, false, len, 0);
		send_to(&t, false, len, WEFT_SQ_MATCH);
		wait_for(&t);
		NEXT(&t, &e);
		EXPECT_EQ(len, e.len);
		EXPECT_EQ(len - PART, e.olen);
		EXPECT_EQ(0, memcmp(t.room + SLOT(4), t.buf, PART));
		NEXT(&t, &e);
		EXPECT_EQ(5, e.context);
		entry(&t, WEFT_RQ_CLAIM, 5, REST, 4000);
		entry(&t, WEFT_RQ_DISCARD, 4, 0, 0);
		wait_for(&t);
		NEXT(&t, &e);
		EXPECT_EQ(EMSGSIZE, e.status);
		EXPECT_EQ(len - 4000, e.olen);
		EXPECT_EQ(0, memcmp(t.room + REST + PART, t.buf + PART, 4000 - PART));
		EXPECT_TRUE(is_sent(&t));
		EXPECT_TRUE(is_sent(&t));
		rig_free(t.rig);
	}
}

/* A peek finds a message that waits, and no announced one. */
TEST(announce__peek_sees_what_waits)
{
	struct weft_rqe peek = {
		.op = WEFT_RQ_PEEK, .nslots = 1, .src = WEFT_SRC_ANY, .context = 8, .tag = 7
	};
	struct weft_cqe e;
	struct two t;

	two_init(&t, 1, 64, 0);
	send_to(&t, true, 100, 0);
	wait_for(&t);
	two_entry(&t, &peek);
	NEXT(&t, &e);
	EXPECT_EQ(100, e.len);
	entry(&t, WEFT_RQ_TRECV, 3, SLOT(3), LIMIT);
	wait_for(&t);
	announced(_metadata, &t, 3, true, 100);
	two_entry(&t, &peek);
	NEXT(&t, &e);
	EXPECT_EQ(ENOMSG, e.status);
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
