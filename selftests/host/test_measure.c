// SPDX-License-Identifier: GPL-2.0-only
/*
 * Histograms of a port: what each counts, for messages of all kinds, and that they begin empty
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

#define MS	((weft_ns)NSEC_PER_MSEC)

FIXTURE(measure)
{
	struct two t;
	u32 dst;
};

FIXTURE_VARIANT(measure)
{
	u32 dst;
};

FIXTURE_VARIANT_ADD(measure, remote)
{
	.dst = 1,
};

FIXTURE_VARIANT_ADD(measure, local)
{
	.dst = 0,
};

/* Turn the histograms of both nodes on or off. */
static void measure(struct two *t, bool on)
{
	u32 i;

	for (i = 0; i < 2; i++)
		weft_core_measure(&t->rig->node[i].core, on);
}

FIXTURE_SETUP(measure)
{
	self->dst = variant->dst;
	two_init(&self->t, variant->dst, 64, 0);
}

FIXTURE_TEARDOWN(measure)
{
	rig_free(self->t.rig);
}

static void look(struct two *t, u32 node, enum weft_hist hist, struct weft_hist_info *info)
{
	if (!weft_hist_look(&t->rig->node[node].core, hist, info))
		abort();
}

/* Return: number of values in a histogram. */
static u64 values(struct two *t, u32 node, enum weft_hist hist)
{
	struct weft_hist_info info;
	u64 n = 0;
	u32 i;

	look(t, node, hist, &info);
	for (i = 0; i < WEFT_HIST_BUCKETS; i++)
		n += info.count[i];
	return n;
}

/* Return: number of values in the bucket of @value. */
static u64 near(struct two *t, u32 node, enum weft_hist hist, u64 value)
{
	struct weft_hist_info info;

	look(t, node, hist, &info);
	return info.count[weft_hist_bucket(value)];
}

static u64 sum(struct two *t, u32 node, enum weft_hist hist)
{
	struct weft_hist_info info;

	look(t, node, hist, &info);
	return info.sum;
}

/* A message to a posted receive, after which the kernel hears of posts. */
static int exchange(struct two *t, u32 len, u64 context)
{
	int err = two_get(t, t->room, TWO_ROOM, context) ?:
		  two_put(t, t->buf, len, context, 0);

	return err ?: two_status(t, t->cb, context, 10 * MS) ?:
	       two_status(t, t->ca, context, 0);
}

TEST(buckets)
{
	u32 i;

	EXPECT_EQ(0, weft_hist_bucket(0));
	for (i = 1; i < WEFT_HIST_BUCKETS; i++) {
		EXPECT_EQ(i, weft_hist_bucket(1ull << (i - 1)));
		EXPECT_EQ(i, weft_hist_bucket((1ull << i) - 1));
	}
	EXPECT_EQ(WEFT_HIST_BUCKETS - 1, weft_hist_bucket(1ull << (WEFT_HIST_BUCKETS - 1)));
	EXPECT_EQ(WEFT_HIST_BUCKETS - 1, weft_hist_bucket(U64_MAX));
}

TEST_F(measure, off)
{
	struct two *t = &self->t;
	u32 i;

	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, exchange(t, 8, i));
	for (i = 0; i < WEFT_NHISTS; i++) {
		EXPECT_EQ(0, values(t, 0, i) + values(t, 1, i));
		EXPECT_EQ(0, sum(t, 0, i) + sum(t, 1, i));
	}
	EXPECT_FALSE(weft_hist_look(&t->rig->node[0].core, WEFT_NHISTS, NULL));
}

/* The receive waits for the message. */
TEST_F(measure, receive_wait)
{
	struct two *t = &self->t;

	measure(t, true);
	ASSERT_EQ(0, exchange(t, 8, 1));
	ASSERT_EQ(0, two_get(t, t->room, TWO_ROOM, 2));
	rig_run(t->rig, 50 * MS);
	ASSERT_EQ(0, two_put(t, t->buf, 8, 2, 0));
	ASSERT_EQ(0, two_status(t, t->cb, 2, 10 * MS));
	EXPECT_EQ(2, values(t, self->dst, WEFT_HIST_receive_wait));
	EXPECT_EQ(1, near(t, self->dst, WEFT_HIST_receive_wait, 50 * MS));
	EXPECT_LE(50 * MS, sum(t, self->dst, WEFT_HIST_receive_wait));
	EXPECT_GT(60 * MS, sum(t, self->dst, WEFT_HIST_receive_wait));
	EXPECT_EQ(2, near(t, self->dst, WEFT_HIST_message_wait, 0));
	EXPECT_EQ(0, sum(t, self->dst, WEFT_HIST_message_wait));
}

/* The message waits for the receive, and so does a send that completes when it is matched. */
TEST_F(measure, message_wait)
{
	struct two *t = &self->t;

	measure(t, true);
	ASSERT_EQ(0, exchange(t, 8, 1));
	ASSERT_EQ(0, two_put(t, t->buf, 3000, 2, WEFT_SQ_MATCH));
	rig_run(t->rig, 50 * MS);
	ASSERT_EQ(0, two_get(t, t->room, TWO_ROOM, 2));
	ASSERT_EQ(0, two_status(t, t->cb, 2, 10 * MS));
	ASSERT_EQ(0, two_status(t, t->ca, 2, 0));
	EXPECT_EQ(2, values(t, self->dst, WEFT_HIST_message_wait));
	EXPECT_EQ(1, near(t, self->dst, WEFT_HIST_message_wait, 50 * MS));
	EXPECT_EQ(2, values(t, self->dst, WEFT_HIST_receive_wait));
	EXPECT_GT(MS, sum(t, self->dst, WEFT_HIST_receive_wait));
	EXPECT_EQ(2, values(t, 0, WEFT_HIST_send));
	EXPECT_EQ(1, near(t, 0, WEFT_HIST_send, 50 * MS));
}

/* Each message counts once, whatever its length and whoever comes first. */
TEST_F(measure, each_once)
{
	static const u32 lens[] = { 0, 8, 200, 3000, 20000, TWO_LONG };
	struct two *t = &self->t;
	u32 i;

	measure(t, true);
	for (i = 0; i < 60; i++) {
		u32 len = lens[i % ARRAY_SIZE(lens)];

		if (i % 7 < 3)
			ASSERT_EQ(0, two_get(t, t->room, TWO_ROOM, i));
		ASSERT_EQ(0, two_put(t, t->buf, len, i, 0));
		rig_run(t->rig, 10 * MS);
		if (i % 7 >= 3)
			ASSERT_EQ(0, two_get(t, t->room, TWO_ROOM, i));
		ASSERT_EQ(0, two_status(t, t->cb, i, 10 * MS));
		ASSERT_EQ(0, two_status(t, t->ca, i, 0));
	}
	EXPECT_EQ(60, values(t, 0, WEFT_HIST_send));
	EXPECT_EQ(60, values(t, self->dst, WEFT_HIST_receive_wait));
	EXPECT_EQ(60, values(t, self->dst, WEFT_HIST_message_wait));
	/* a search for each message, and one for each receive of a message that was there */
	EXPECT_LE(60, values(t, self->dst, WEFT_HIST_search));
}

/* A receive that ignores bits of its tag looks at each message in turn. */
TEST_F(measure, search)
{
	struct two *t = &self->t;
	struct rig_op op = {
		.tagged = true,
		.n = 1,
		.iov = { { (u64)(uintptr_t)t->buf, 8 } },
	};
	u32 i;

	measure(t, true);
	op.peer = t->to;
	for (i = 0; i < 20; i++) {
		op.tag = i;
		ASSERT_EQ(0, rig_send(t->ea, &op));
	}
	rig_run(t->rig, 10 * MS);
	op = (struct rig_op){
		.tagged = true, .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .n = 1,
		.context = 7, .tag = 0x1113, .ignore = 0xff00,
		.iov = { { (u64)(uintptr_t)t->room, 8 } },
	};
	ASSERT_EQ(0, rig_recv(t->eb, &op));
	ASSERT_EQ(0, two_status(t, t->cb, 7, 10 * MS));
	/* 20 messages found no receive; the receive found the last one */
	EXPECT_EQ(21, values(t, self->dst, WEFT_HIST_search));
	EXPECT_EQ(20, near(t, self->dst, WEFT_HIST_search, 0));
	EXPECT_EQ(1, near(t, self->dst, WEFT_HIST_search, 20));
	EXPECT_EQ(20, sum(t, self->dst, WEFT_HIST_search));
}

/* They keep what they have while they are off, and begin empty when they are turned on again. */
TEST_F(measure, again)
{
	struct two *t = &self->t;
	u32 i;

	measure(t, true);
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, exchange(t, 8, i));
	measure(t, true);
	EXPECT_EQ(5, values(t, 0, WEFT_HIST_send));
	measure(t, false);
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, exchange(t, 8, i));
	EXPECT_EQ(5, values(t, 0, WEFT_HIST_send));
	EXPECT_EQ(5, values(t, self->dst, WEFT_HIST_receive_wait));
	measure(t, true);
	for (i = 0; i < WEFT_NHISTS; i++)
		EXPECT_EQ(0, values(t, 0, i) + sum(t, 0, i) + values(t, 1, i) + sum(t, 1, i));
	ASSERT_EQ(0, exchange(t, 8, 1));
	EXPECT_EQ(1, values(t, 0, WEFT_HIST_send));
}

/* Programs notify of receives while histograms are on, and not afterwards. */
TEST_F(measure, notify)
{
	struct two *t = &self->t;
	const u32 *flags = &t->eb->ep->conf.status->flags;

	ASSERT_EQ(0, exchange(t, 8, 1));
	EXPECT_EQ(0, READ_ONCE(*flags) & WEFT_ST_RQ_NOTIFY);
	measure(t, true);
	EXPECT_EQ(WEFT_ST_RQ_NOTIFY, READ_ONCE(*flags) & WEFT_ST_RQ_NOTIFY);
	ASSERT_EQ(0, exchange(t, 8, 2));
	EXPECT_EQ(WEFT_ST_RQ_NOTIFY, READ_ONCE(*flags) & WEFT_ST_RQ_NOTIFY);
	measure(t, false);
	EXPECT_EQ(0, READ_ONCE(*flags) & WEFT_ST_RQ_NOTIFY);
	ASSERT_EQ(0, exchange(t, 8, 3));
	EXPECT_EQ(0, READ_ONCE(*flags) & WEFT_ST_RQ_NOTIFY);
}

/* Datagrams count, too. */
TEST(measure__datagrams)
{
	struct two t;
	u32 i;

	two_init_type(&t, WEFT_EP_DGRAM, 0, 1, 64, 0);
	measure(&t, true);
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, exchange(&t, i * 100, i));
	EXPECT_EQ(8, values(&t, 0, WEFT_HIST_send));
	EXPECT_EQ(8, values(&t, 1, WEFT_HIST_receive_wait));
	EXPECT_EQ(8, near(&t, 1, WEFT_HIST_message_wait, 0));
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
