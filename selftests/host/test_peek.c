// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages that wait: peeks, claims, discards
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

static void wait_for(struct two *t)
{
	rig_run(t->rig, 100 * NSEC_PER_MSEC);
}

/* Send, and let the message arrive. */
static void send_one(struct two *t, u64 tag, u32 len, u32 flags)
{
	struct rig_op op = {
		.tagged = true,
		.flags = flags,
		.peer = t->to,
		.context = 1,
		.tag = tag,
		.n = len ? 1 : 0,
		.iov = { { (u64)(uintptr_t)t->buf, len } },
	};

	if (rig_send(t->ea, &op))
		abort();
	wait_for(t);
}

/* An entry of the receive ring, with a notify call. */
static void entry(struct two *t, u8 op, u16 flags, u64 context, u64 tag, u64 ignore, u32 len)
{
	struct weft_rqe e = {
		.op = op,
		.nslots = 1,
		.flags = flags,
		.src = WEFT_SRC_ANY,
		.context = context,
		.tag = tag,
		.ignore = ignore,
		.addr = len ? (u64)(uintptr_t)t->room : 0,
		.len = len,
		.niov = len ? 1 : 0,
	};

	two_entry(t, &e);
	rig_run(t->rig, NSEC_PER_MSEC);
}

#define NEXT(_t, _e) ASSERT_EQ(1, rig_cq_read((_t)->cb, _e))
#define NONE(_t) ASSERT_EQ(0, rig_cq_read((_t)->cb, &e))

static void peek_all(struct __test_metadata *_metadata, u32 dst)
{
	struct weft_cqe e;
	struct two t;

	two_init(&t, dst, 64, 0);
	entry(&t, WEFT_RQ_PEEK, 0, 5, 7, 0, 0);
	NEXT(&t, &e);
	EXPECT_EQ(ENOMSG, e.status);
	EXPECT_EQ(5, e.context);
	EXPECT_EQ(7, e.tag);
	EXPECT_EQ(WEFT_CQE_TAGGED, e.flags);

	send_one(&t, 7, 100, 0);
	send_one(&t, 7, 50, 0);
	entry(&t, WEFT_RQ_PEEK, 0, 6, 7, 0, 0);
	NEXT(&t, &e);
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(100, e.len);
	EXPECT_EQ(0, e.buf);
	/* the beginning of the message */
	memset(t.room, 0xee, 200);
	entry(&t, WEFT_RQ_PEEK, 0, 6, 7, 0, 20);
	NEXT(&t, &e);
	EXPECT_EQ(100, e.len);
	EXPECT_EQ((u64)(uintptr_t)t.room, e.buf);
	EXPECT_EQ(0, memcmp(t.room, t.buf, 20));
	EXPECT_EQ(0xee, t.room[20]);
	/* claimed: the peek finds the next one */
	entry(&t, WEFT_RQ_PEEK, WEFT_RQ_KEEP, 6, 7, 0, 0);
	NEXT(&t, &e);
	EXPECT_EQ(100, e.len);
	entry(&t, WEFT_RQ_PEEK, WEFT_RQ_KEEP, 6, 7, 0, 0);
	NEXT(&t, &e);
	EXPECT_EQ(EINVAL, e.status);
	entry(&t, WEFT_RQ_PEEK, WEFT_RQ_DROP, 8, 0, ~0ull, 0);
	NEXT(&t, &e);
	EXPECT_EQ(50, e.len);
	entry(&t, WEFT_RQ_PEEK, 0, 8, 0, ~0ull, 0);
	NEXT(&t, &e);
	EXPECT_EQ(ENOMSG, e.status);
	entry(&t, WEFT_RQ_CLAIM, WEFT_RQ_COMPLETION, 6, 0, 0, 60);
	NEXT(&t, &e);
	EXPECT_EQ(EMSGSIZE, e.status);
	EXPECT_EQ(40, e.olen);
	EXPECT_EQ(7, e.tag);
	EXPECT_EQ(0, memcmp(t.room, t.buf, 60));
	entry(&t, WEFT_RQ_CLAIM, WEFT_RQ_COMPLETION, 6, 0, 0, 60);
	NEXT(&t, &e);
	EXPECT_EQ(EINVAL, e.status);
	entry(&t, WEFT_RQ_DISCARD, 0, 6, 0, 0, 0);
	NEXT(&t, &e);
	EXPECT_EQ(EINVAL, e.status);
	NONE(&t);
	rig_free(t.rig);
}

TEST(peek__remote)
{
	peek_all(_metadata, 1);
}

TEST(peek__local)
{
	peek_all(_metadata, 0);
}

/* A discard ends the sender's operation, also for a message that stays with the sender. */
TEST(peek__discard)
{
	static const u32 lens[] = { 0, 100, 5000, TWO_LONG };
	struct weft_cqe e;
	struct two t;
	u32 i, dst;

	for (dst = 0; dst < 2; dst++) {
		two_init(&t, dst, 64, 0);
		for (i = 0; i < 8; i++) {
			bool claim = i & 1;

			send_one(&t, 1, lens[i / 2], WEFT_SQ_COMPLETION | WEFT_SQ_MATCH);
			entry(&t, WEFT_RQ_PEEK, claim ? WEFT_RQ_KEEP : WEFT_RQ_DROP, 5, 1, 0, 0);
			NEXT(&t, &e);
			EXPECT_EQ(lens[i / 2], e.len);
			if (claim) {
				entry(&t, WEFT_RQ_DISCARD, 0, 5, 0, 0, 0);
				NEXT(&t, &e);
				EXPECT_EQ(0, e.status);
				EXPECT_EQ(0, e.len);
			}
			wait_for(&t);
			ASSERT_EQ(1, rig_cq_read(t.ca, &e));
			EXPECT_EQ(0, e.status);
		}
		NONE(&t);
		rig_free(t.rig);
	}
}

/*
 * The sender is destroyed while its message is claimed. If the bytes are here, the claim receives
 * them; else it fails.
 */
TEST(peek__sender_goes)
{
	struct weft_cqe e;
	struct two t;

	two_init(&t, 1, 64, 0);
	send_one(&t, 1, 300, 0);
	send_one(&t, 2, TWO_LONG, 0);
	entry(&t, WEFT_RQ_PEEK, WEFT_RQ_KEEP, 1, 1, 0, 0);
	NEXT(&t, &e);
	entry(&t, WEFT_RQ_PEEK, WEFT_RQ_KEEP, 2, 2, 0, 0);
	NEXT(&t, &e);
	EXPECT_EQ(TWO_LONG, e.len);
	rig_crash(&t.rig->node[0]);
	rig_run(t.rig, 60 * NSEC_PER_SEC);
	entry(&t, WEFT_RQ_CLAIM, WEFT_RQ_COMPLETION, 1, 0, 0, 1000);
	NEXT(&t, &e);
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(300, e.len);
	entry(&t, WEFT_RQ_CLAIM, WEFT_RQ_COMPLETION, 2, 0, 0, 1000);
	NEXT(&t, &e);
	EXPECT_NE(0, e.status);
	EXPECT_EQ(2, e.context);
	NONE(&t);
	rig_free(t.rig);
}

/* A destroyed endpoint drops its claimed messages; the sender is told. */
TEST(peek__receiver_goes)
{
	struct weft_cqe e;
	struct two t;

	two_init(&t, 1, 64, 0);
	send_one(&t, 1, 300, 0);
	send_one(&t, 2, TWO_LONG, WEFT_SQ_COMPLETION);
	entry(&t, WEFT_RQ_PEEK, WEFT_RQ_KEEP, 1, 1, 0, 0);
	entry(&t, WEFT_RQ_PEEK, WEFT_RQ_KEEP, 2, 2, 0, 0);
	rig_ep_free(t.eb);
	wait_for(&t);
	ASSERT_EQ(1, rig_cq_read(t.ca, &e));
	EXPECT_NE(0, e.status);
	rig_free(t.rig);
}

/* No more messages are claimed than there are slots. */
TEST(peek__bounded)
{
	struct weft_cqe e;
	struct two t;
	u32 i;

	two_init(&t, 0, 64, 0);
	for (i = 0; i < TWO_SLOTS + 1; i++)
		send_one(&t, i, 8, 0);
	for (i = 0; i < TWO_SLOTS + 1; i++) {
		entry(&t, WEFT_RQ_PEEK, WEFT_RQ_KEEP, 100 + i, i, 0, 0);
		NEXT(&t, &e);
		EXPECT_EQ(i < TWO_SLOTS ? 0 : ENOBUFS, e.status);
	}
	rig_free(t.rig);
}

/* Results wait for space in the queue like all completions. */
TEST(peek__full_queue)
{
	struct weft_cqe e;
	struct two t;
	u32 i, n = 0;

	two_init(&t, 0, 16, 0);
	send_one(&t, 1, 500, 0);
	for (i = 0; i < TWO_SLOTS; i++)
		entry(&t, WEFT_RQ_PEEK, 0, i, 1, 0, 600);
	while (rig_cq_read(t.cb, &e) == 1) {
		EXPECT_EQ(n, e.context);
		EXPECT_EQ(500, e.len);
		n++;
	}
	EXPECT_EQ(TWO_SLOTS, n);
	rig_free(t.rig);
}

static void bad(struct __test_metadata *_metadata, struct two *t, const struct weft_rqe *r, int err)
{
	struct weft_cqe e;

	rig_put_rq(t->eb, r, 1);
	rig_ring_rq(t->eb);
	rig_notify(t->eb, WEFT_NOTIFY_RQ);
	NEXT(t, &e);
	EXPECT_EQ(err, e.status);
}

TEST(peek__wrong_entries)
{
	struct weft_rqe r = { .op = WEFT_RQ_PEEK, .nslots = 1, .src = WEFT_SRC_ANY };
	struct two t;

	two_init(&t, 0, 64, 0);
	r.flags = WEFT_RQ_KEEP | WEFT_RQ_DROP;
	bad(_metadata, &t, &r, EINVAL);
	r.op = WEFT_RQ_CLAIM;
	r.flags = WEFT_RQ_KEEP;
	bad(_metadata, &t, &r, EINVAL);
	r.flags = 0;
	r.tag = 1;
	bad(_metadata, &t, &r, EINVAL);
	r.op = WEFT_RQ_DISCARD;
	bad(_metadata, &t, &r, EINVAL);
	r.tag = 0;
	r.niov = 1;
	bad(_metadata, &t, &r, EINVAL);
	r.op = 9;
	bad(_metadata, &t, &r, EOPNOTSUPP);
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
