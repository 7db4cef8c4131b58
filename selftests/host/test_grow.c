// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives, sends and tables of matching that are allocated when they are needed
 *
 * An endpoint with large rings begins small. It grows, at most to one descriptor for each slot of
 * its rings. While memory is short, the entries stay in the ring and messages wait.
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

#define SLOTS	4096
#define MANY	1000		/* receives, sends, messages */
#define IDLE	(48u << 10)	/* bytes of an endpoint without traffic beside its rings */

/* @dst: node of the receiver, whose endpoint has large rings. @cq: slots of its queue. */
static void begin_cq(struct two *t, u32 dst, u32 cq)
{
	struct rig_av *vb;

	two_init(t, dst, cq, 0);
	vb = rig_av_new(t->b);
	t->eb = rig_ep_new(t->b, WEFT_EP_RDM, 0, SLOTS, SLOTS, 9);
	if (!t->eb || rig_ep_enable(t->eb, t->cb, t->cb, NULL, vb) ||
	    rig_av_insert(vb, 0, 1, t->rig))
		abort();
	t->to = (u32)rig_av_insert(t->va, dst, 9, t->rig);
}

static void begin(struct two *t, u32 dst)
{
	begin_cq(t, dst, SLOTS);
}

static int tagged(struct two *t, struct rig_ep *ep, bool send, u64 tag)
{
	struct rig_op op = { .tag = tag, .context = tag, .n = 1, .tagged = true };

	op.flags = send ? 0 : WEFT_RQ_COMPLETION;
	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)(send ? t->buf : t->room), 8 };
	op.peer = send ? t->to : WEFT_SRC_ANY;
	return send ? rig_send(ep, &op) : rig_recv(ep, &op);
}

/* Let the world run until @n completions have been read. Return: their contexts are @from... */
static bool in_order(struct two *t, u64 from, u32 n)
{
	struct weft_cqe e;
	u32 i, ms;

	for (i = 0; i < n; i++) {
		for (ms = 0; ms < 5000 && !rig_cq_read(t->cb, &e); ms++)
			rig_run(t->rig, NSEC_PER_MSEC);
		if (ms == 5000 || e.status || e.context != from + i)
			return false;
	}
	return true;
}

static u64 memory(const struct two *t)
{
	return (u64)atomic64_read(&t->eb->ep->user->used[WEFT_USE_MEMORY]);
}

TEST(grow__idle)
{
	struct two t;

	begin(&t, 1);
	EXPECT_EQ(WEFT_POSTS, t.eb->ep->rx.nposts);
	EXPECT_EQ(WEFT_TXMS, t.eb->ep->tx.ntxms);
	EXPECT_TRUE(t.eb->ep->memory + sizeof(struct weft_ep) <= IDLE);
	rig_free(t.rig);
}

/*
 * The port goes while the ring has more receives than the endpoint has grown to, and more than the
 * completion queue has slots: all of them fail.
 */
TEST(grow__port_goes)
{
	static const u32 slots[] = { 16, SLOTS };
	u8 seen[MANY];
	struct weft_cqe e;
	struct two t;
	u32 i, k, n;

	for (k = 0; k < ARRAY_SIZE(slots); k++) {
		memset(seen, 0, sizeof(seen));
		begin_cq(&t, 1, slots[k]);
		for (i = 0; i < MANY; i++)
			ASSERT_EQ(0, two_get(&t, t.room, 8, i));
		rig_halt(&t.rig->node[1], ENODEV);
		for (i = 0, n = 0; i < 20; i++) {
			while (rig_cq_read(t.cb, &e) == 1) {
				ASSERT_LT(e.context, MANY);
				EXPECT_EQ(ENODEV, e.status);
				EXPECT_EQ(0, seen[e.context]++);
				n++;
				i = 0;
			}
			rig_run(t.rig, NSEC_PER_MSEC);
		}
		EXPECT_EQ(MANY, n);
		rig_free(t.rig);
	}
}

/* Receives that the program has posted without a notify call; and with one. */
static void receives(struct __test_metadata *_metadata, u32 dst, bool notify)
{
	struct two t;
	u64 before;
	u32 i;

	begin(&t, dst);
	before = memory(&t);
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, two_get(&t, t.room, 8, i));
	if (notify) {
		ASSERT_EQ(0, rig_notify(t.eb, WEFT_NOTIFY_RQ));
		EXPECT_EQ(MANY, t.eb->ep->rx.match.nposts);
	}
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, two_put(&t, t.buf, 8, i, 0));
	EXPECT_TRUE(in_order(&t, 0, MANY));
	if (notify) {
		EXPECT_TRUE(t.eb->ep->rx.nposts >= MANY);
		EXPECT_TRUE(memory(&t) - before >= (MANY - WEFT_POSTS) * sizeof(struct weft_post));
	}
	EXPECT_TRUE(t.eb->ep->rx.nposts <= SLOTS);
	rig_free(t.rig);
}

TEST(grow__receives)
{
	receives(_metadata, 0, false);
	receives(_metadata, 1, false);
	receives(_metadata, 0, true);
	receives(_metadata, 1, true);
}

/* The receives never exceed the slots, although the ring has one entry more than receives. */
TEST(grow__most)
{
	struct two t;
	u32 i;

	begin(&t, 1);
	for (i = 0; i < SLOTS; i++)
		ASSERT_EQ(0, two_get(&t, t.room, 8, i));
	ASSERT_EQ(0, rig_notify(t.eb, WEFT_NOTIFY_RQ));
	EXPECT_EQ(SLOTS, t.eb->ep->rx.nposts);
	ASSERT_EQ(0, two_get(&t, t.room, 8, i));
	ASSERT_EQ(0, rig_notify(t.eb, WEFT_NOTIFY_RQ));
	EXPECT_EQ(SLOTS, t.eb->ep->rx.nposts);
	EXPECT_EQ(SLOTS, t.eb->ep->rx.match.nposts);
	rig_free(t.rig);
}

/* Sends without a receive: each needs a descriptor until it is delivered. */
TEST(grow__sends)
{
	struct weft_cqe e;
	struct two t;
	u32 i, n;

	for (n = 0; n < 2; n++) {
		begin(&t, n);
		EXPECT_EQ(WEFT_TXMS, t.ea->ep->tx.ntxms);
		for (i = 0; i < 400; i++)
			ASSERT_EQ(0, two_put(&t, t.buf, 20000, i, WEFT_SQ_MATCH));
		rig_run(t.rig, 50 * NSEC_PER_MSEC);
		EXPECT_TRUE(t.ea->ep->tx.ntxms >= 400);
		EXPECT_TRUE(t.ea->ep->tx.ntxms <= 1024);
		EXPECT_EQ(0, rig_cq_read(t.ca, &e));
		for (i = 0; i < 400; i++) {
			ASSERT_EQ(0, two_get(&t, t.room, 20000, i));
			EXPECT_TRUE(in_order(&t, i, 1));
		}
		for (i = 0; i < 400; i++) {
			rig_run(t.rig, NSEC_PER_MSEC);
			ASSERT_EQ(1, rig_cq_read(t.ca, &e));
			EXPECT_EQ(0, e.status);
		}
		rig_free(t.rig);
	}
}

/*
 * At the limit of the user, entries stay in the ring and messages wait for them; when the limit is
 * raised, a timer goes on without a call of the program.
 */
TEST(grow__starved)
{
	struct weft_core *core;
	struct weft_cqe e;
	struct two t;
	u64 rest;
	u32 i;

	begin(&t, 1);
	core = &t.b->node->core;
	ASSERT_EQ(0, weft_limit_set(core, "memory-user", 1 << 20));
	/* nothing is left for the user */
	rest = (1 << 20) - memory(&t);
	ASSERT_EQ(0, weft_user_take(core, t.eb->ep->user, WEFT_USE_MEMORY, rest));
	for (i = 0; i < 2 * WEFT_POSTS; i++)
		ASSERT_EQ(0, tagged(&t, t.eb, false, i));
	ASSERT_EQ(0, rig_notify(t.eb, WEFT_NOTIFY_RQ));
	EXPECT_EQ(WEFT_POSTS, t.eb->ep->rx.nposts);
	EXPECT_EQ(WEFT_POSTS, t.eb->ep->rx.match.nposts);
	EXPECT_TRUE(rig_counter(t.b->node, WEFT_CNT_limit_memory) > 0);
	/* the message of a receive that is still in the ring waits */
	ASSERT_EQ(0, tagged(&t, t.ea, true, 2 * WEFT_POSTS - 1));
	rig_run(t.rig, 500 * NSEC_PER_MSEC);
	EXPECT_EQ(0, rig_cq_read(t.cb, &e));
	EXPECT_EQ(1, t.eb->ep->rx.match.nunexp);
	EXPECT_TRUE(t.eb->ep->rx.starved);
	/* one that is posted takes its message, and makes space for the next entry */
	ASSERT_EQ(0, tagged(&t, t.ea, true, 0));
	ASSERT_TRUE(in_order(&t, 0, 1));
	EXPECT_EQ(WEFT_POSTS, t.eb->ep->rx.match.nposts);
	ASSERT_EQ(0, weft_limit_set(core, "memory-user", 2 << 20));
	EXPECT_TRUE(in_order(&t, 2 * WEFT_POSTS - 1, 1));
	EXPECT_TRUE(!t.eb->ep->rx.starved);
	EXPECT_EQ(0, t.eb->ep->rx.match.nunexp);
	weft_user_give(t.eb->ep->user, WEFT_USE_MEMORY, rest);
	rig_free(t.rig);
}

/*
 * The receiver waits for the last of many sends; the limit of the sender's user leaves descriptors
 * for the first ones only. When it is raised, the last one is sent without a call of the program.
 */
TEST(grow__starved_sends)
{
	struct weft_core *core;
	struct two t;
	u64 rest;
	u32 i;

	begin(&t, 1);
	core = &t.a->node->core;
	ASSERT_EQ(0, weft_limit_set(core, "memory-user", 1 << 20));
	rest = (1 << 20) -
	       (u64)atomic64_read(&t.ea->ep->user->used[WEFT_USE_MEMORY]);
	ASSERT_EQ(0, weft_user_take(core, t.ea->ep->user, WEFT_USE_MEMORY, rest));
	ASSERT_EQ(0, tagged(&t, t.eb, false, 999));
	for (i = 0; i < 2 * WEFT_TXMS; i++)
		ASSERT_EQ(0, two_put(&t, t.buf, 20000, i, WEFT_SQ_MATCH));
	ASSERT_EQ(0, tagged(&t, t.ea, true, 999));
	rig_run(t.rig, 500 * NSEC_PER_MSEC);
	EXPECT_EQ(WEFT_TXMS, t.ea->ep->tx.ntxms);
	EXPECT_TRUE(t.ea->ep->tx.starved);
	EXPECT_EQ(1, t.eb->ep->rx.match.nposts);
	ASSERT_EQ(0, weft_limit_set(core, "memory-user", 2 << 20));
	EXPECT_TRUE(in_order(&t, 999, 1));
	weft_user_give(t.ea->ep->user, WEFT_USE_MEMORY, rest);
	rig_free(t.rig);
}

/* The same when an allocation fails, for each of the first allocations of a posted ring. */
TEST(grow__no_memory)
{
	struct two t;
	u32 nth, i;

	for (nth = 1; nth <= 12; nth++) {
		begin(&t, nth & 1);
		weft_host_fail_nth(nth);
		for (i = 0; i < 200; i++)
			ASSERT_EQ(0, tagged(&t, t.eb, false, i));
		rig_notify(t.eb, WEFT_NOTIFY_RQ);
		weft_host_fail_nth(0);
		for (i = 0; i < 200; i++)
			ASSERT_EQ(0, tagged(&t, t.ea, true, i));
		EXPECT_TRUE(in_order(&t, 0, 200));
		rig_free(t.rig);
	}
}

/* Parts of a multi-receive buffer beyond those of an idle endpoint. */
TEST(grow__parts)
{
	struct weft_cqe e;
	struct two t;
	struct weft_rqe buf = {
		.op = WEFT_RQ_RECV,
		.nslots = 1,
		.flags = WEFT_RQ_MULTI | WEFT_RQ_COMPLETION,
		.src = WEFT_SRC_ANY,
		.context = 7,
		.ignore = 64,
		.len = TWO_ROOM,
		.niov = 1,
	};
	u32 i, n;

	begin(&t, 1);
	buf.addr = (u64)(uintptr_t)t.room;
	two_entry(&t, &buf);
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, two_put(&t, t.buf, 500, i, 0));
	for (i = 0, n = 0; i < 200 && n < MANY; i++) {
		rig_run(t.rig, NSEC_PER_MSEC);
		while (rig_cq_read(t.cb, &e) == 1)
			n++;
	}
	EXPECT_EQ(MANY, n);
	rig_free(t.rig);
}

/* Many unexpected messages, and many receives, of different tags: the chains stay short. */
static void tables(struct __test_metadata *_metadata, bool late)
{
	const u32 n = 3000;
	struct two t;
	u32 i;

	begin(&t, 1);
	EXPECT_TRUE(t.eb->ep->rx.match.bykey.bits <= 6);
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, late ? tagged(&t, t.ea, true, i) : tagged(&t, t.eb, false, i));
		if (i % 100 == 0)
			rig_run(t.rig, NSEC_PER_MSEC);
	}
	ASSERT_EQ(0, rig_notify(t.eb, WEFT_NOTIFY_RQ));
	rig_run(t.rig, 100 * NSEC_PER_MSEC);
	if (late) {
		EXPECT_EQ(n, t.eb->ep->rx.match.nunexp);
		EXPECT_TRUE(n >> t.eb->ep->rx.match.bytag.bits <= 2 * WEFT_MATCH_LOAD);
		EXPECT_TRUE(n >> t.eb->ep->rx.match.bysrc.bits <= 2 * WEFT_MATCH_LOAD);
	} else {
		EXPECT_EQ(n, t.eb->ep->rx.match.nposts);
		EXPECT_TRUE(n >> t.eb->ep->rx.match.bykey.bits <= 2 * WEFT_MATCH_LOAD);
	}
	/* the newest first */
	for (i = n; i-- > 0; ) {
		ASSERT_EQ(0, late ? tagged(&t, t.eb, false, i) : tagged(&t, t.ea, true, i));
		if (late)
			rig_notify(t.eb, WEFT_NOTIFY_RQ);
		ASSERT_TRUE(in_order(&t, i, 1));
	}
	rig_free(t.rig);
}

TEST(grow__tables)
{
	tables(_metadata, false);
	tables(_metadata, true);
}

TEST_HARNESS_MAIN
