// SPDX-License-Identifier: GPL-2.0-only
/*
 * Multi-receive buffers: packing, both limits of their end, truncation, cancel, the release,
 * messages that wait for parts, and order
 *
 * The release is told once, and last.
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

#define BUF	7

static void settle(struct two *t)
{
	rig_run(t->rig, 200 * NSEC_PER_MSEC);
}

static void send_one(struct two *t, u32 len)
{
	struct rig_op op = {
		.peer = t->to,
		.context = 1,
		.n = len ? 1 : 0,
		.iov = { { (u64)(uintptr_t)t->buf, len } },
	};

	if (rig_send(t->ea, &op))
		abort();
}

static void post(struct two *t, u32 off, u32 len, u32 least, u16 flags, u64 context)
{
	struct weft_rqe e = {
		.op = WEFT_RQ_RECV,
		.nslots = 1,
		.flags = flags,
		.src = WEFT_SRC_ANY,
		.context = context,
		.ignore = least,
		.addr = (u64)(uintptr_t)t->room + off,
		.len = len,
		.niov = 1,
	};

	two_entry(t, &e);
}

#define MULTI (WEFT_RQ_MULTI | WEFT_RQ_COMPLETION)
#define RELEASE (WEFT_CQE_MULTI | WEFT_CQE_RELEASE)

/* The next completion: of @len bytes at @off. */
static const char *next_is(struct two *t, u32 off, u32 len, u16 flags)
{
	struct weft_cqe e;

	if (rig_cq_read(t->cb, &e) != 1)
		return "there is none";
	if (e.status || e.context != BUF || e.len != len)
		return "it is another one";
	if ((e.flags & RELEASE) != flags)
		return "it has other flags";
	if (flags == RELEASE)
		return e.buf ? "a release has a place" : NULL;
	if (e.buf != (u64)(uintptr_t)t->room + off)
		return "it is elsewhere";
	return memcmp(t->room + off, t->buf, len) ? "it has other bytes" : NULL;
}

#define IS(off, len, flags) ASSERT_STREQ(NULL, next_is(&t, off, len, flags))
#undef ASSERT_STREQ
#define ASSERT_STREQ(_none, _what)					\
	do {								\
		const char *bad_ = _what;				\
		ASSERT_EQ(NULL, bad_) TH_LOG("%s", bad_);		\
	} while (0)
#define NONE() ASSERT_EQ(0, rig_cq_read(t.cb, &e))

static void packs(struct __test_metadata *_metadata, u32 dst, bool late, u32 cold)
{
	struct weft_cqe e;
	struct two t;

	two_init(&t, dst, 256, cold);
	if (!late)
		post(&t, 0, 256, 64, MULTI, BUF);
	send_one(&t, 96);
	send_one(&t, 0);
	/* the next message would begin at 192: 64 are left, which is enough */
	send_one(&t, 91);
	settle(&t);
	if (late) {
		NONE();
		post(&t, 0, 256, 64, MULTI, BUF);
		settle(&t);
	}
	IS(0, 96, 0);
	IS(96, 0, 0);
	IS(96, 91, 0);
	NONE();
	send_one(&t, 1);
	settle(&t);
	IS(192, 1, WEFT_CQE_MULTI);
	NONE();
	EXPECT_EQ(0xee, t.room[193]);
	/* the buffer has gone: the next message waits for another one */
	send_one(&t, 5);
	settle(&t);
	NONE();
	post(&t, 512, 8, 0, MULTI, BUF);
	settle(&t);
	IS(512, 5, WEFT_CQE_MULTI);
	NONE();
	rig_free(t.rig);
}

TEST(multi__packs)
{
	u32 i;

	for (i = 0; i < 8; i++)
		packs(_metadata, i & 1, i & 2, i & 4 ? RIG_PPM : 0);
}

TEST(multi__truncates)
{
	struct weft_cqe e;
	struct two t;
	u32 dst;

	for (dst = 0; dst < 2; dst++) {
		two_init(&t, dst, 256, 0);
		post(&t, 0, 200, 64, MULTI, BUF);
		send_one(&t, 100);
		send_one(&t, 150);
		settle(&t);
		IS(0, 100, 0);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(EMSGSIZE, e.status);
		EXPECT_EQ(150, e.len);
		EXPECT_EQ(54, e.olen);
		EXPECT_EQ((u64)(uintptr_t)t.room + 104, e.buf);
		EXPECT_EQ(0, memcmp(t.room + 104, t.buf, 96));
		EXPECT_EQ(0xee, t.room[200]);
		IS(0, 0, RELEASE);
		NONE();
		rig_free(t.rig);
	}
}

/* Long and short messages finish in any order: the release comes last. */
TEST(multi__release_is_last)
{
	struct weft_cqe e;
	struct two t;
	u32 i, n = 0, rel = 0, dst;

	for (dst = 0; dst < 2; dst++) {
		two_init(&t, dst, 256, RIG_PPM / 2);
		n = 0;
		rel = 0;
		post(&t, 0, 3 * TWO_LONG + 96, 64, MULTI, BUF);
		for (i = 0; i < 3; i++) {
			send_one(&t, TWO_LONG);
			send_one(&t, 10);
		}
		settle(&t);
		settle(&t);
		while (rig_cq_read(t.cb, &e) == 1) {
			ASSERT_EQ(0, rel);
			rel += !!(e.flags & WEFT_CQE_MULTI);
			n += !(e.flags & WEFT_CQE_RELEASE);
		}
		/* the sixth message ends it: less than 64 are left of 3 * TWO_LONG + 96 */
		EXPECT_EQ(6, n);
		EXPECT_EQ(1, rel);
		rig_free(t.rig);
	}
}

/* Completions that wait for space keep the release before those of the next buffer. */
TEST(multi__release_waits_for_space)
{
	struct weft_cqe e;
	struct two t;
	u32 i, dst;

	for (dst = 0; dst < 2; dst++) {
		two_init(&t, dst, 4, 0);
		post(&t, 0, 6 * 512, 64, MULTI, BUF);
		post(&t, 4096, 6 * 512, 64, MULTI, BUF);
		for (i = 0; i < 8; i++)
			send_one(&t, 512);
		settle(&t);
		for (i = 0; i < 8; i++) {
			IS(i / 6 * 4096 + i % 6 * 512, 512, i == 5 ? WEFT_CQE_MULTI : 0);
			/* the queue is empty: the four that wait are written at once */
			if (i == 3)
				settle(&t);
		}
		NONE();
		rig_free(t.rig);
	}
}

TEST(multi__suppressed)
{
	struct weft_cqe e;
	struct two t;

	two_init(&t, 1, 256, 0);
	post(&t, 0, 128, 64, WEFT_RQ_MULTI, BUF);
	send_one(&t, 60);
	settle(&t);
	NONE();
	send_one(&t, 60);
	settle(&t);
	IS(0, 0, RELEASE);
	NONE();
	EXPECT_EQ(0, memcmp(t.room + 64, t.buf, 60));
	rig_free(t.rig);
}

TEST(multi__canceled)
{
	struct weft_cqe e;
	struct two t;

	/* the buffer is empty */
	two_init(&t, 1, 256, 0);
	post(&t, 0, 128, 64, MULTI, BUF);
	ASSERT_EQ(0, rig_cancel(t.eb, BUF));
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(ECANCELED, e.status);
	EXPECT_EQ(WEFT_CQE_MULTI, e.flags);
	NONE();
	/* a message is on its way into it */
	post(&t, 0, TWO_ROOM, 64, MULTI, BUF);
	send_one(&t, TWO_LONG);
	rig_run(t.rig, 50 * NSEC_PER_USEC);
	while (!rig_counter(&t.rig->node[1], WEFT_CNT_msgs_received))
		rig_run(t.rig, 10 * NSEC_PER_USEC);
	ASSERT_EQ(0, rig_cancel(t.eb, BUF));
	settle(&t);
	IS(0, TWO_LONG, 0);
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(ECANCELED, e.status);
	EXPECT_EQ(WEFT_CQE_MULTI, e.flags);
	NONE();
	/* a message that arrives now does not go into it */
	send_one(&t, 5);
	settle(&t);
	NONE();
	rig_free(t.rig);
}

/* More messages under way than there are parts: all arrive, in order, and none is overtaken. */
TEST(multi__parts_run_out)
{
	struct weft_cqe e;
	struct two t;
	u32 i, n = 60;

	two_init(&t, 1, 16, 0);
	/* other buffers use up all receives */
	for (i = 0; i < 16; i++)
		post(&t, i * 4096, 64, 64, MULTI, BUF);
	for (i = 0; i < 16; i++)
		post(&t, i * 4096 + 65536, 4096, 64, MULTI, BUF);
	for (i = 0; i < 16; i++)
		send_one(&t, 1);
	for (i = 1; i < n; i++)
		send_one(&t, i);
	settle(&t);
	for (i = 0; i < 16; i++) {
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(1, e.len);
		EXPECT_EQ(WEFT_CQE_MULTI, e.flags & WEFT_CQE_MULTI);
	}
	for (i = 1; i < n; i++) {
		settle(&t);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(i, e.len);
	}
	NONE();
	rig_free(t.rig);
}

/* The endpoint is destroyed with messages on their way into a buffer. */
TEST(multi__endpoint_goes)
{
	struct two t;

	two_init(&t, 1, 16, 0);
	post(&t, 0, TWO_ROOM, 64, MULTI, BUF);
	send_one(&t, TWO_LONG);
	send_one(&t, TWO_LONG);
	rig_run(t.rig, 300 * NSEC_PER_USEC);
	rig_ep_free(t.eb);
	settle(&t);
	rig_free(t.rig);
}

TEST(multi__wrong_entries)
{
	struct weft_rqe r = {
		.op = WEFT_RQ_RECV, .nslots = 1, .flags = WEFT_RQ_MULTI, .src = WEFT_SRC_ANY,
	};
	struct weft_cqe e;
	struct two t;
	u32 i;

	two_init(&t, 1, 256, 0);
	for (i = 0; i < 4; i++) {
		r.addr = i ? (u64)(uintptr_t)t.room : 0;
		r.niov = i ? 1 : 0;
		r.len = i > 1 ? 100 : 0;
		r.ignore = i > 2 ? 100 : 101;
		if (i == 3)
			r.op = WEFT_RQ_TRECV;
		rig_put_rq(t.eb, &r, 1);
		rig_ring_rq(t.eb);
		rig_notify(t.eb, WEFT_NOTIFY_RQ);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(EINVAL, e.status);
	}
	/* flags that programs may not use */
	r.op = WEFT_RQ_RECV;
	r.flags = 0xffff;
	rig_put_rq(t.eb, &r, 1);
	rig_ring_rq(t.eb);
	rig_notify(t.eb, WEFT_NOTIFY_RQ);
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(EINVAL, e.status);
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
