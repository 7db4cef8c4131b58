// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fences: what they hold and what not, within a node and between two; each level completes at its
 * time; failures, shutdown and the end of an endpoint; many fences with loss
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

/* a message of this length is announced: it is under way until a receive takes it */
#define LONG	TWO_LONG

static void init(struct two *t, u32 dst, u32 cold)
{
	two_init_type(t, WEFT_EP_RDM, WEFT_EPF_FENCE, dst, 256, cold);
}

static void settle(struct two *t)
{
	rig_run(t->rig, 200 * NSEC_PER_MSEC);
}

static void send_to(struct two *t, u32 to, u64 tag, u32 len, u32 flags)
{
	struct rig_op op = {
		.tagged = true,
		.flags = flags | WEFT_SQ_COMPLETION,
		.peer = to,
		.context = tag,
		.tag = tag,
		.n = len ? 1 : 0,
		.iov = { { (u64)(uintptr_t)t->buf, len } },
	};

	if (rig_send(t->ea, &op))
		abort();
}

#define SEND(tag, len, flags) send_to(&t, t.to, tag, len, flags)

static void post(struct two *t, u64 tag)
{
	struct rig_op op = {
		.tagged = true,
		.flags = WEFT_RQ_COMPLETION,
		.peer = WEFT_SRC_ANY,
		.context = tag,
		.tag = tag,
		.n = 1,
		.iov = { { (u64)(uintptr_t)t->room, LONG } },
	};

	if (rig_recv(t->eb, &op))
		abort();
}

/* The next completion's context (negative: it failed), 0: there is none. */
static long next(struct rig_cq *cq)
{
	struct weft_cqe e;

	if (!rig_cq_read(cq, &e))
		return 0;
	return e.status ? -(long)e.context : (long)e.context;
}

/* The fenced message, and those behind it, arrive only after those before it are complete. */
static void holds(struct __test_metadata *_metadata, u32 dst, u32 cold, u32 len)
{
	struct two t;

	init(&t, dst, cold);
	post(&t, 2);
	post(&t, 3);
	SEND(1, LONG, 0);
	SEND(2, len, WEFT_SQ_FENCE);
	SEND(3, len, 0);
	settle(&t);
	ASSERT_EQ(0, next(t.cb));
	ASSERT_EQ(0, next(t.ca));
	post(&t, 1);
	settle(&t);
	EXPECT_EQ(1, next(t.cb));
	/* these two complete in any order */
	EXPECT_EQ(5, next(t.cb) + next(t.cb));
	EXPECT_EQ(0, next(t.cb));
	EXPECT_EQ(1, next(t.ca));
	EXPECT_EQ(5, next(t.ca) + next(t.ca));
	EXPECT_EQ(0, next(t.ca));
	/* no send is held any more */
	post(&t, 4);
	SEND(4, len, WEFT_SQ_FENCE);
	settle(&t);
	EXPECT_EQ(4, next(t.cb));
	EXPECT_EQ(4, next(t.ca));
	rig_free(t.rig);
}

TEST(fence__holds)
{
	static const u32 lens[] = { 0, 8, 3000, LONG };
	u32 i, dst;

	for (i = 0; i < ARRAY_SIZE(lens); i++)
		for (dst = 0; dst < 2; dst++) {
			holds(_metadata, dst, 0, lens[i]);
			holds(_metadata, dst, RIG_PPM / 2, lens[i]);
		}
}

/* Two fences in a row; the sends between them are under way together. */
TEST(fence__two)
{
	struct two t;
	u32 dst;

	for (dst = 0; dst < 2; dst++) {
		init(&t, dst, 0);
		post(&t, 4);
		SEND(1, LONG, 0);
		SEND(2, LONG, WEFT_SQ_FENCE);
		SEND(3, LONG, 0);
		SEND(4, 8, WEFT_SQ_FENCE);
		post(&t, 1);
		post(&t, 3);
		settle(&t);
		EXPECT_EQ(1, next(t.cb));
		EXPECT_EQ(3, next(t.cb));
		EXPECT_EQ(0, next(t.cb));
		post(&t, 2);
		settle(&t);
		EXPECT_EQ(2, next(t.cb));
		EXPECT_EQ(4, next(t.cb));
		rig_free(t.rig);
	}
}

/* Another destination, and an endpoint without the flag, are not held up. */
TEST(fence__others)
{
	struct rig_ep *other;
	struct two t;
	u32 dst, to;

	for (dst = 0; dst < 2; dst++) {
		struct rig_op op = { .tagged = true, .flags = WEFT_RQ_COMPLETION, .context = 9,
				     .peer = WEFT_SRC_ANY, .tag = 9 };

		init(&t, dst, 0);
		other = rig_ep_new(t.b, WEFT_EP_RDM, 0, 16, 16, 9);
		ASSERT_EQ(0, rig_ep_enable(other, t.cb, t.cb, NULL, rig_av_new(t.b)));
		to = rig_av_insert(t.a->avs, dst, 9, t.rig);
		SEND(1, LONG, 0);
		SEND(2, 8, WEFT_SQ_FENCE);
		ASSERT_EQ(0, rig_recv(other, &op));
		send_to(&t, to, 9, 0, WEFT_SQ_FENCE);
		settle(&t);
		EXPECT_EQ(9, next(t.cb));
		EXPECT_EQ(9, next(t.ca));
		EXPECT_EQ(0, next(t.ca));
		rig_free(t.rig);
	}
	two_init(&t, 1, 64, 0);
	SEND(1, 8, WEFT_SQ_FENCE);
	settle(&t);
	EXPECT_EQ(-1, next(t.ca));
	rig_free(t.rig);
}

/*
 * An earlier send with a lower level completes at its own level, and the fence still waits for it.
 */
TEST(fence__levels)
{
	struct two t;

	init(&t, 1, 0);
	post(&t, 9);
	SEND(9, 8, 0);
	settle(&t);
	ASSERT_EQ(9, next(t.ca));
	ASSERT_EQ(9, next(t.cb));
	rig_cut(t.rig, 0, 1, true);
	SEND(1, 8, 0);
	SEND(2, 8, WEFT_SQ_FENCE);
	SEND(3, 8, WEFT_SQ_FENCE | WEFT_SQ_DELIVERY);
	settle(&t);
	EXPECT_EQ(1, next(t.ca));
	EXPECT_EQ(0, next(t.ca));
	rig_cut(t.rig, 0, 1, false);
	rig_run(t.rig, 3 * NSEC_PER_SEC);
	EXPECT_EQ(2, next(t.ca));
	EXPECT_EQ(3, next(t.ca));
	post(&t, 1);
	post(&t, 2);
	post(&t, 3);
	settle(&t);
	EXPECT_EQ(1, next(t.cb));
	EXPECT_EQ(2, next(t.cb));
	EXPECT_EQ(3, next(t.cb));
	/* the fence waits for a match where the program asked for that */
	SEND(4, 8, WEFT_SQ_MATCH);
	SEND(5, 8, WEFT_SQ_FENCE);
	settle(&t);
	EXPECT_EQ(0, next(t.ca));
	post(&t, 4);
	settle(&t);
	EXPECT_EQ(4, next(t.ca));
	EXPECT_EQ(5, next(t.ca));
	rig_free(t.rig);
}

/* A failure of an earlier send satisfies the fence, and completes first; a lost peer fails both. */
TEST(fence__failure)
{
	struct two t;
	u32 dst;

	for (dst = 0; dst < 2; dst++) {
		init(&t, dst, 0);
		SEND(1, LONG, 0);
		SEND(2, 8, WEFT_SQ_FENCE | WEFT_SQ_DELIVERY);
		SEND(3, LONG, 0);
		settle(&t);
		ASSERT_EQ(0, next(t.ca));
		rig_ep_free(t.eb);
		settle(&t);
		EXPECT_EQ(-1, next(t.ca));
		/* these two fail in any order */
		EXPECT_EQ(-5, next(t.ca) + next(t.ca));
		EXPECT_EQ(0, next(t.ca));
		rig_free(t.rig);
	}
	init(&t, 1, 0);
	SEND(1, LONG, 0);
	SEND(2, 8, WEFT_SQ_FENCE);
	settle(&t);
	rig_crash(&t.rig->node[1]);
	rig_run(t.rig, 60ull * NSEC_PER_SEC);
	EXPECT_EQ(-1, next(t.ca));
	EXPECT_EQ(-2, next(t.ca));
	rig_free(t.rig);
}

/* A delivered message is in the receive's memory, also within a node. */
TEST(fence__local_delivery)
{
	static const u32 flags[] = { WEFT_SQ_DELIVERY, WEFT_SQ_MATCH };
	static const u32 lens[] = { 0, 8, 961, 3000, LONG };
	struct two t;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(lens); i++)
		for (k = 0; k < 4; k++) {
			init(&t, 0, RIG_PPM);
			if (k & 2)
				post(&t, 1);
			SEND(1, lens[i], flags[k & 1]);
			if (k & 2 && lens[i] > WEFT_INLINE_MAX)
				ASSERT_EQ(0, next(t.ca));
			settle(&t);
			if (!(k & 2)) {
				/*
				 * a message that is wholly buffered is delivered, and not matched
				 */
				ASSERT_EQ(k || lens[i] == LONG ? 0 : 1, next(t.ca));
				post(&t, 1);
				settle(&t);
			}
			EXPECT_EQ(1, next(t.cb));
			EXPECT_EQ(0, memcmp(t.room, t.buf, lens[i]));
			if (k || lens[i] == LONG)
				EXPECT_EQ(1, next(t.ca));
			EXPECT_EQ(0, next(t.ca));
			rig_free(t.rig);
		}
}

TEST(fence__kill)
{
	struct two t;
	u32 i;

	for (i = 0; i < 4; i++) {
		init(&t, i & 1, 0);
		SEND(1, LONG, 0);
		SEND(2, 8, WEFT_SQ_FENCE);
		SEND(3, LONG, 0);
		settle(&t);
		if (i & 2)
			rig_proc_end(t.a, true);
		else
			rig_ep_free(t.ea);
		rig_run(t.rig, 20ull * NSEC_PER_SEC);
		post(&t, 2);
		settle(&t);
		EXPECT_EQ(0, next(t.cb));
		rig_free(t.rig);
	}
}

/* More sends are held than there are send structures: the ring waits, and continues. */
TEST(fence__full)
{
	struct two t;
	u32 i, dst, sent;

	for (dst = 0; dst < 2; dst++) {
		struct rig_op op = { .tagged = true, .context = 5, .tag = 5,
				     .flags = WEFT_SQ_FENCE | WEFT_SQ_COMPLETION };

		init(&t, dst, 0);
		op.peer = t.to;
		SEND(1, LONG, 0);
		for (sent = 0; !rig_send(t.ea, &op); sent++)
			ASSERT_GT(5000, sent);
		EXPECT_LT(500, sent);
		settle(&t);
		ASSERT_EQ(0, next(t.ca));
		post(&t, 1);
		settle(&t);
		EXPECT_EQ(1, next(t.ca));
		EXPECT_EQ(1, next(t.cb));
		for (i = 0; i < sent; i++) {
			post(&t, 5);
			settle(&t);
			ASSERT_EQ(5, next(t.cb));
			ASSERT_EQ(5, next(t.ca));
		}
		rig_free(t.rig);
	}
}

/* Return: a long send before a fence, which message @k waits for, is not complete. */
static bool overtook(u32 k, const u32 *len, const bool *fenced, const bool *done)
{
	bool fence = false;
	u32 n;

	for (n = k; n--;) {
		fence |= fenced[n + 1];
		if (fence && len[n] == LONG && !done[n])
			return true;
	}
	return false;
}

/* At random, with loss: a fenced message never overtakes, and no message is lost. */
TEST(fence__storm)
{
	static const u32 lens[] = { 0, 8, 900, 3000, LONG };
	u32 i, sent, got, round;
	struct weft_cqe e;
	struct two t;

	for (round = 0; round < 20; round++) {
		bool fenced[64], done[64] = { false };
		u32 len[64];

		init(&t, round & 1, RIG_PPM / 4);
		t.rig->conf.loss = RIG_PPM / 10;
		t.rig->conf.late = RIG_PPM / 5;
		t.rig->conf.late_by = NSEC_PER_MSEC;
		sent = 0;
		got = 0;
		for (i = 0; i < 64; i++) {
			len[i] = lens[rig_below(t.rig, ARRAY_SIZE(lens))];
			fenced[i] = !rig_below(t.rig, 3);
			SEND(i + 1, len[i], (fenced[i] ? WEFT_SQ_FENCE : 0) |
			     (rig_below(t.rig, 2) ? WEFT_SQ_DELIVERY : 0));
			if (!rig_below(t.rig, 4))
				rig_run(t.rig, rig_below(t.rig, 3) * NSEC_PER_MSEC);
		}
		for (i = 0; i < 64; i++) {
			post(&t, i + 1);
			rig_run(t.rig, 10ull * NSEC_PER_SEC);
			while (rig_cq_read(t.cb, &e)) {
				u32 k = (u32)e.context - 1;

				ASSERT_EQ(0, e.status);
				ASSERT_EQ(len[k], e.len);
				done[k] = true;
				got++;
				ASSERT_FALSE(overtook(k, len, fenced, done));
			}
			while (next(t.ca) > 0)
				sent++;
		}
		rig_run(t.rig, 20ull * NSEC_PER_SEC);
		while (next(t.ca) > 0)
			sent++;
		while (next(t.cb) > 0)
			got++;
		EXPECT_EQ(64, sent);
		EXPECT_EQ(64, got);
		rig_free(t.rig);
	}
}

TEST_HARNESS_MAIN
