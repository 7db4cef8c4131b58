// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages that come before their receive, by the fast path: which of them it takes, their order,
 * and that their memory is used again. A receive that is never posted takes no struct weft_post.
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

#define TAG	5
#define MANY	12	/* more than the messages whose memory an endpoint keeps */

static void settle(struct two *t)
{
	rig_run(t->rig, 100 * NSEC_PER_MSEC);
}

static int post(struct two *t, bool tagged, u64 context, u64 tag, u64 ignore, u32 len)
{
	return two_post(t, tagged, context, tag, ignore, len, WEFT_RQ_COMPLETION);
}

static u32 waiting(const struct two *t)
{
	return t->eb->ep->rx.match.nunexp;
}

/* The next completion is of a message with bytes from @from on. */
static void got(struct __test_metadata *_metadata, struct two *t, u64 context, u64 tag, u32 from,
		u32 len, u16 flags)
{
	struct weft_cqe e;

	ASSERT_EQ(1, rig_cq_read(t->cb, &e));
	EXPECT_EQ(context, e.context);
	EXPECT_EQ(tag, e.tag);
	EXPECT_EQ(len, e.len);
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(0, e.olen);
	EXPECT_EQ(0, e.src);
	EXPECT_EQ(flags & WEFT_CQE_DATA ? 0xdada : 0, e.data);
	EXPECT_EQ(flags, e.flags & ~WEFT_CQE_INLINE);
	EXPECT_EQ(0, memcmp(t->room, t->buf + from, len));
}

/* All lengths that take another way. @cold: no memory is resident. */
static void lengths(struct __test_metadata *_metadata, u32 dst, u32 cold)
{
	static const u32 len[] = { 0, 1, 8, 63, 64, 65, 128, 129, 500, WEFT_INLINE_MAX,
				   WEFT_INLINE_MAX + 1, 4096, 16384, 16385 };
	struct weft_cqe e;
	struct two t;
	u32 i, j;

	two_init(&t, dst, 256, cold);
	for (j = 0; j < 16; j++)
		for (i = 0; i < ARRAY_SIZE(len); i++) {
			bool tagged = j & 2;
			u16 flags = (tagged ? WEFT_CQE_TAGGED : 0) | (j & 1 ? WEFT_CQE_DATA : 0);
			u64 tag = tagged ? TAG : 0;

			ASSERT_EQ(0, two_send(&t, tagged, tag, i, len[i],
					      (j & 1 ? WEFT_SQ_DATA : 0) |
					      (j & 4 ? WEFT_SQ_COMPLETION : 0) |
					      (j & 8 ? TWO_APART : 0)));
			settle(&t);
			EXPECT_EQ(1, waiting(&t));
			ASSERT_EQ(0, post(&t, tagged, i, tag, 0, 20000));
			EXPECT_EQ(0, waiting(&t));
			settle(&t);
			EXPECT_EQ(j & 4 ? 1 : 0, rig_cq_read(t.ca, &e));
			got(_metadata, &t, i, tag, i, len[i], flags);
			settle(&t);
		}
	EXPECT_EQ(0, rig_cq_read(t.ca, &e));
	EXPECT_EQ(0, rig_cq_read(t.cb, &e));
	/* that is the fast path's work */
	if (!cold)
		EXPECT_EQ(!dst, !!t.eb->ep->rx.nspare);
	EXPECT_EQ(0, t.eb->ep->flow.kept_msgs);
	EXPECT_EQ(0, t.eb->ep->flow.kept_bytes);
	EXPECT_EQ(16 * ARRAY_SIZE(len), rig_counter(&t.rig->node[0], WEFT_CNT_msgs_sent));
	EXPECT_EQ(16 * ARRAY_SIZE(len), rig_counter(&t.rig->node[dst], WEFT_CNT_msgs_received));
	EXPECT_EQ(16 * ARRAY_SIZE(len), rig_counter(&t.rig->node[dst], WEFT_CNT_msgs_unexpected));
	rig_free(t.rig);
}

TEST(kept__lengths_local)
{
	lengths(_metadata, 0, 0);
	lengths(_metadata, 0, RIG_PPM);
}

TEST(kept__lengths_remote)
{
	lengths(_metadata, 1, 0);
	lengths(_metadata, 1, RIG_PPM);
}

/* Messages of one tag meet their receives in order; those of other tags wait. */
static void order(struct __test_metadata *_metadata, u32 dst)
{
	struct two t;
	u32 i;

	two_init(&t, dst, 256, 0);
	for (i = 0; i < 3 * MANY; i++)
		ASSERT_EQ(0, two_send(&t, true, TAG + i % 3, i, 40, 0));
	settle(&t);
	EXPECT_EQ(3 * MANY, waiting(&t));
	for (i = 0; i < MANY; i++) {
		ASSERT_EQ(0, post(&t, true, i, TAG + 1, 0, 40));
		got(_metadata, &t, i, TAG + 1, 3 * i + 1, 40, WEFT_CQE_TAGGED);
	}
	/* the fast path compares no tags with ignored bits: these are the oldest of both others */
	for (i = 0; i < MANY; i++) {
		ASSERT_EQ(0, post(&t, true, i, 0, ~0ull, 40));
		got(_metadata, &t, i, TAG + 2 * (i & 1), 3 * (i / 2) + 2 * (i & 1), 40,
		    WEFT_CQE_TAGGED);
	}
	EXPECT_EQ(MANY, waiting(&t));
	rig_free(t.rig);
}

TEST(kept__order_local)
{
	order(_metadata, 0);
}

TEST(kept__order_remote)
{
	order(_metadata, 1);
}

/* Receives that the fast path leaves to the slow one have the same effect. */
static void others(struct __test_metadata *_metadata, u32 dst)
{
	struct rig_op two = { .tagged = true, .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY,
			      .context = 3, .tag = TAG, .n = 2 };
	struct weft_cqe e;
	struct two t;

	two_init(&t, dst, 256, 0);
	ASSERT_EQ(0, two_send(&t, true, TAG, 0, 60, 0));
	ASSERT_EQ(0, two_send(&t, true, TAG, 1, 60, 0));
	ASSERT_EQ(0, two_send(&t, true, TAG, 2, 60, 0));
	settle(&t);
	/* no message for it: it is posted, and takes the next one */
	ASSERT_EQ(0, post(&t, true, 1, TAG + 1, 0, 60));
	EXPECT_EQ(1, t.eb->ep->rx.match.nposts);
	/* a message that is too long for its receive is cut */
	ASSERT_EQ(0, post(&t, true, 2, TAG, 0, 59));
	settle(&t);
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(2, e.context);
	EXPECT_EQ(EMSGSIZE, e.status);
	EXPECT_EQ(1, e.olen);
	/* two segments */
	two.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.room, 20 };
	two.iov[1] = (struct weft_iov){ (u64)(uintptr_t)t.room + 20, 40 };
	ASSERT_EQ(0, rig_recv(t.eb, &two));
	settle(&t);
	got(_metadata, &t, 3, TAG, 1, 60, WEFT_CQE_TAGGED);
	ASSERT_EQ(0, two_send(&t, true, TAG + 1, 3, 60, 0));
	settle(&t);
	got(_metadata, &t, 1, TAG + 1, 3, 60, WEFT_CQE_TAGGED);
	EXPECT_EQ(1, waiting(&t));
	/* the sender is named, and the message is the oldest of its tag */
	two.n = 1;
	two.peer = 0;
	two.context = 4;
	two.iov[0].len = 60;
	ASSERT_EQ(0, rig_recv(t.eb, &two));
	settle(&t);
	got(_metadata, &t, 4, TAG, 2, 60, WEFT_CQE_TAGGED);
	EXPECT_EQ(0, waiting(&t));
	EXPECT_EQ(0, t.eb->ep->rx.match.nposts);
	rig_free(t.rig);
}

TEST(kept__others_local)
{
	others(_metadata, 0);
}

TEST(kept__others_remote)
{
	others(_metadata, 1);
}

/* The queue is full: the receive's completion waits, and comes with the bytes. */
TEST(kept__full_queue)
{
	struct weft_cqe e;
	struct two t;
	u32 i, n = 0;

	two_init(&t, 0, 4, 0);
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, two_send(&t, false, 0, i, 8, 0));
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, two_get(&t, t.room + 16 * i, 8, i));
	EXPECT_EQ(0, waiting(&t));
	for (i = 0; i < 100 && n < MANY; i++) {
		while (rig_cq_read(t.cb, &e) == 1) {
			EXPECT_EQ(n, e.context);
			EXPECT_EQ(0, e.status);
			EXPECT_EQ(8, e.len);
			EXPECT_EQ(0, memcmp(t.room + 16 * n, t.buf + n, 8));
			EXPECT_EQ(0xee, t.room[16 * n + 8]);
			n++;
		}
		settle(&t);
	}
	EXPECT_EQ(MANY, n);
	rig_free(t.rig);
}

/* In the long run no memory is allocated: that of the messages before is used again. */
static void again(struct __test_metadata *_metadata, u32 dst, u32 most)
{
	struct two t;
	u64 failed;
	u32 i, n;

	two_init(&t, dst, 256, 0);
	for (n = 0; n < 20; n++) {
		/* the first rounds take memory, and the sender has one message in reserve */
		if (n == 2) {
			failed = weft_host_failed();
			weft_host_fail_rate(65536, 1);
		}
		for (i = 0; i < most; i++)
			ASSERT_EQ(0, two_send(&t, true, TAG, i, 100, 0));
		settle(&t);
		EXPECT_EQ(most, waiting(&t));
		for (i = 0; i < most; i++) {
			ASSERT_EQ(0, post(&t, true, i, TAG, 0, 100));
			got(_metadata, &t, i, TAG, i, 100, WEFT_CQE_TAGGED);
		}
		settle(&t);
	}
	EXPECT_EQ(failed, weft_host_failed());
	weft_host_fail_rate(0, 0);
	rig_free(t.rig);
}

TEST(kept__again_local)
{
	again(_metadata, 0, 8);
}

TEST(kept__again_remote)
{
	again(_metadata, 1, 1);
}

/* A short message does not use the memory of one with less room. */
TEST(kept__room)
{
	struct two t;
	u32 i, len;

	two_init(&t, 0, 256, 0);
	for (i = 0; i < 40; i++) {
		len = i % 3 ? 100 : WEFT_INLINE_MAX;
		ASSERT_EQ(0, two_send(&t, true, TAG, i, len, 0));
		ASSERT_EQ(0, post(&t, true, i, TAG, 0, 1000));
		got(_metadata, &t, i, TAG, i, len, WEFT_CQE_TAGGED);
	}
	rig_free(t.rig);
}

/* The limit of kept messages holds: the next one waits at its sender, and arrives in its turn. */
TEST(kept__limit)
{
	struct two t;
	u32 i;

	two_init(&t, 0, 256, 0);
	t.rig->node[0].core.conf.msgs_ep = 4;
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, two_send(&t, true, TAG, i, 8, 0));
	settle(&t);
	EXPECT_EQ(MANY, waiting(&t));
	EXPECT_LT(0, rig_counter(&t.rig->node[0], WEFT_CNT_limit_endpoint));
	for (i = 0; i < MANY; i++) {
		ASSERT_EQ(0, post(&t, true, i, TAG, 0, 8));
		settle(&t);
		got(_metadata, &t, i, TAG, i, 8, WEFT_CQE_TAGGED);
	}
	EXPECT_EQ(0, t.eb->ep->flow.kept_msgs);
	rig_free(t.rig);
}

/* ---- Another CPU ----------------------------------------------------- */

static struct two *others_two;
static u32 others_len;

/* The message is being kept, and the program does not know that it has to notify posts. */
static void post_meanwhile(void)
{
	struct two *t = others_two;
	struct weft_rqe e = {
		.op = WEFT_RQ_TRECV, .nslots = 1, .flags = WEFT_RQ_COMPLETION,
		.src = WEFT_SRC_ANY, .context = 9, .tag = TAG, .niov = 1,
		.addr = (u64)(uintptr_t)t->room, .len = others_len,
	};

	if (!waiting(t))
		return;
	weft_host_fenced = NULL;
	rig_put_rq(t->eb, &e, 1);
	/* barrier A, as in rig_ring_rq() */
	smp_store_release(&t->eb->doorbell.rq_tail, t->eb->rq_tail);
}

/* A receive is posted while its message is being kept: they meet at once, and nothing is left. */
TEST(kept__posted_meanwhile)
{
	static const u32 len[] = { 8, 200, 900, 4096 };
	struct two t;
	u32 i, j;

	two_init(&t, 0, 256, 0);
	others_two = &t;
	/* from the second message on the sender has its flow */
	for (j = 0; j < 4; j++)
		for (i = 0; i < ARRAY_SIZE(len); i++) {
			others_len = len[i];
			weft_host_fenced = post_meanwhile;
			ASSERT_EQ(0, two_send(&t, true, TAG, i, len[i], 0));
			EXPECT_EQ(NULL, weft_host_fenced);
			got(_metadata, &t, 9, TAG, i, len[i], WEFT_CQE_TAGGED);
			EXPECT_EQ(0, waiting(&t));
			EXPECT_EQ(0, t.eb->ep->flow.kept_msgs);
		}
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
