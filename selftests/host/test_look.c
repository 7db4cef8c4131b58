// SPDX-License-Identifier: GPL-2.0-only
/*
 * What waits on an endpoint: receives and messages are reported once, oldest first
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

#define MANY	1300	/* more than are looked at while the lock is held */

static void post(struct two *t, u64 tag, u64 ignore, u32 src, u64 context)
{
	struct weft_rqe e = {
		.op = WEFT_RQ_TRECV,
		.nslots = 1,
		.flags = WEFT_RQ_COMPLETION,
		.src = src,
		.context = context,
		.tag = tag,
		.ignore = ignore,
		.addr = (u64)(uintptr_t)t->room + tag,
		.len = 64 + (u32)tag,
		.niov = 1,
	};

	two_entry(t, &e);
	rig_run(t->rig, NSEC_PER_MSEC);
}

static void put(struct two *t, bool tagged, u64 tag, u32 len)
{
	struct rig_op op = {
		.tagged = tagged,
		.peer = t->to,
		.tag = tag,
		.n = 1,
		.iov = { { (u64)(uintptr_t)t->buf, len } },
	};

	while (rig_send(t->ea, &op))
		rig_run(t->rig, NSEC_PER_MSEC);
}

static weft_ns now(struct two *t)
{
	return rig_clock(&t->rig->node[t->to]);
}

/* Receives in pieces of three, some of which are canceled between the calls. */
static void recvs(struct __test_metadata *_metadata, u32 dst)
{
	struct weft_recv_info info[3];
	u64 next = 0, tag = 0;
	struct two t;
	u32 i, n;

	two_init(&t, dst, 64, 0);
	for (i = 0; i < 10; i++)
		post(&t, i, i == 4 ? 0xf0 : 0, WEFT_SRC_ANY, 1000 + i);
	rig_run(t.rig, NSEC_PER_SEC);
	ASSERT_EQ(3, weft_ep_recvs(t.eb->ep, now(&t), &next, info, 3));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(i, info[i].tag);
		EXPECT_EQ(1000 + i, info[i].context);
		EXPECT_EQ(64 + i, info[i].len);
		EXPECT_EQ((u64)(uintptr_t)t.room + i, info[i].buf);
		EXPECT_TRUE(info[i].tagged);
		EXPECT_FALSE(info[i].directed);
		EXPECT_LE(NSEC_PER_SEC, info[i].age);
		EXPECT_GT(NSEC_PER_SEC + 20 * NSEC_PER_MSEC, info[i].age);
	}
	/* a receive that has not been taken into the dump goes, and so does one that has */
	EXPECT_EQ(0, rig_cancel(t.eb, 1002));
	EXPECT_EQ(0, rig_cancel(t.eb, 1003));
	tag = 4;
	while ((n = weft_ep_recvs(t.eb->ep, now(&t), &next, info, 3))) {
		for (i = 0; i < n; i++) {
			EXPECT_EQ(tag == 4 ? 0xf0 : 0, info[i].ignore);
			EXPECT_EQ(tag++, info[i].tag);
		}
	}
	EXPECT_EQ(10, tag);
	/* a position that was not reported is where a later call begins */
	next = info[0].pos;
	EXPECT_EQ(1, weft_ep_recvs(t.eb->ep, now(&t), &next, info, 1));
	rig_free(t.rig);
}

TEST(look__recvs_remote)
{
	recvs(_metadata, 1);
}

TEST(look__recvs_local)
{
	recvs(_metadata, 0);
}

/* A receive that the program does not notify is found by a look, which does not know its age. */
TEST(look__found)
{
	struct weft_rqe e = {
		.op = WEFT_RQ_RECV, .nslots = 1, .flags = WEFT_RQ_COMPLETION,
		.src = WEFT_SRC_ANY, .len = 64, .niov = 1,
	};
	struct weft_recv_info info[8];
	struct weft_out *out;
	u64 next = 0;
	struct two t;
	u32 i;

	two_init(&t, 1, 64, 0);
	post(&t, 1, 0, WEFT_SRC_ANY, 1);
	e.addr = (u64)(uintptr_t)t.room;
	for (i = 0; i < 3; i++) {
		rig_put_rq(t.eb, &e, 1);
		WRITE_ONCE(t.eb->doorbell.rq_tail, t.eb->rq_tail);
	}
	rig_run(t.rig, NSEC_PER_SEC);
	EXPECT_EQ(1, weft_ep_recvs(t.eb->ep, now(&t), &next, info, 8));
	out = rig_out(&t.rig->node[1]);
	weft_ep_find_recvs(t.eb->ep, now(&t), out);
	rig_leave(&t.rig->node[1], out);
	post(&t, 2, 0, WEFT_SRC_ANY, 2);
	next = 0;
	ASSERT_EQ(5, weft_ep_recvs(t.eb->ep, now(&t), &next, info, 8));
	for (i = 0; i < 5; i++)
		EXPECT_EQ(i > 0 && i < 4, info[i].found);
	EXPECT_LE(NSEC_PER_SEC, info[0].age);
	EXPECT_GT(NSEC_PER_SEC, info[1].age);
	rig_free(t.rig);
}

/* Untagged messages come first; a long one has been announced, and has no bytes yet. */
TEST(look__msgs)
{
	struct weft_msg_info info[4];
	u64 next = 0;
	struct two t;

	two_init(&t, 1, 64, 0);
	put(&t, true, 7, 100);
	put(&t, true, 8, TWO_LONG);
	put(&t, false, 0, 50);
	rig_run(t.rig, NSEC_PER_SEC);
	ASSERT_EQ(2, weft_ep_msgs(t.eb->ep, now(&t), &next, info, 2));
	EXPECT_FALSE(info[0].tagged);
	EXPECT_EQ(50, info[0].len);
	EXPECT_EQ(50, info[0].came);
	EXPECT_FALSE(info[0].announced);
	EXPECT_TRUE(info[1].tagged);
	EXPECT_EQ(7, info[1].tag);
	EXPECT_EQ(100, info[1].len);
	EXPECT_EQ(rig_ep_service(t.ea), be16_to_cpu(info[1].from.port));
	EXPECT_LT(NSEC_PER_SEC / 2, info[1].age);
	ASSERT_EQ(1, weft_ep_msgs(t.eb->ep, now(&t), &next, info, 4));
	EXPECT_EQ(8, info[0].tag);
	EXPECT_EQ(TWO_LONG, info[0].len);
	EXPECT_EQ(0, info[0].came);
	EXPECT_TRUE(info[0].announced);
	EXPECT_EQ(0, weft_ep_msgs(t.eb->ep, now(&t), &next, info, 4));
	/* they begin again */
	next = 0;
	EXPECT_EQ(3, weft_ep_msgs(t.eb->ep, now(&t), &next, info, 4));
	rig_free(t.rig);
}

static struct two *taken_from;
static u64 taken;

/* While the lock is free: receives take the oldest messages. */
static void take(void)
{
	struct two *t = taken_from;
	u32 i;

	taken_from = NULL;
	for (i = 0; t && i < 600; i++)
		post(t, taken++, 0, WEFT_SRC_ANY, 1);
}

/* A message at which the search stands goes while the lock is free. */
TEST(look__msgs_go_meanwhile)
{
	struct weft_msg_info *info = calloc(MANY, sizeof(*info));
	u8 seen[MANY] = { 0 };
	u64 next = 0;
	struct two t;
	u32 i, n;

	two_init(&t, 1, 2048, 0);
	for (i = 0; i < MANY; i++)
		put(&t, true, i, 8);
	rig_run(t.rig, NSEC_PER_SEC);
	taken = 0;
	taken_from = &t;
	weft_host_other = take;
	n = weft_ep_msgs(t.eb->ep, now(&t), &next, info, MANY);
	weft_host_other = NULL;
	EXPECT_EQ(600, taken);
	for (i = 0; i < n; i++) {
		ASSERT_GT(MANY, info[i].tag);
		EXPECT_EQ(0, seen[info[i].tag]++);
	}
	for (i = 600; i < MANY; i++)
		EXPECT_EQ(1, seen[i]);
	free(info);
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
