// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first contact of a flow: its receiver comes later, never, or in another job; its program ends
 * meanwhile; and what a program that has ended still owes
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

#define MS	((weft_ns)NSEC_PER_MSEC)
#define SEC	((weft_ns)NSEC_PER_SEC)
#define STEP	(10 * MS)
#define LOST	(1 << 13)	/* one packet of eight */

static const u32 lens[] = { 8, 4000, TWO_LONG };
#define N	ARRAY_SIZE(lens)

FIXTURE(contact)
{
	struct two t;
};

FIXTURE_VARIANT(contact)
{
	u32 dst;
};

FIXTURE_VARIANT_ADD(contact, remote)
{
	.dst = 1,
};

FIXTURE_VARIANT_ADD(contact, local)
{
	.dst = 0,
};

/* The receiver's endpoint does not exist yet. */
FIXTURE_SETUP(contact)
{
	two_init(&self->t, variant->dst, 64, 0);
	rig_ep_free(self->t.eb);
}

FIXTURE_TEARDOWN(contact)
{
	rig_free(self->t.rig);
}

static void appear(struct two *t)
{
	t->eb = rig_ep_new(t->b, WEFT_EP_RDM, 0, TWO_SLOTS, TWO_SLOTS, 2);
	if (!t->eb || rig_ep_enable(t->eb, t->cb, t->cb, NULL, rig_av_new(t->b)))
		abort();
}

/* One send of each length. @flags: of each, and WEFT_SQ_COMPLETION. */
static bool put_all(struct two *t, u32 flags)
{
	u32 i;

	for (i = 0; i < N; i++)
		if (two_put(t, t->buf + i, lens[i] - i, i, flags))
			return false;
	return true;
}

/* Receive the sends of put_all(), in their order. */
static bool got_all(struct two *t)
{
	struct weft_cqe e;
	u32 i;

	for (i = 0; i < N; i++)
		if (two_get(t, t->room + i * TWO_LONG, TWO_LONG, 100 + i))
			return false;
	rig_run(t->rig, SEC);
	for (i = 0; i < N; i++) {
		if (rig_cq_read(t->cb, &e) != 1 || e.status ||
		    e.len != lens[e.context - 100] - (e.context - 100))
			return false;
	}
	for (i = 0; i < N; i++)
		if (memcmp(t->room + i * TWO_LONG, t->buf + i, lens[i] - i))
			return false;
	return true;
}

/* All sends have completed, in any order, with @status. */
static bool completed(struct two *t, u32 status)
{
	u32 i, seen = 0;
	struct weft_cqe e;

	for (i = 0; i < N; i++) {
		if (rig_cq_read(t->ca, &e) != 1 || e.status != status)
			return false;
		seen |= 1u << e.context;
	}
	return seen == (1u << N) - 1 && !rig_cq_read(t->ca, &e);
}

/* Return: number of flows that a node has, of all paths. */
static u32 flows(struct weft_core *core)
{
	struct weft_path *path;
	u32 pos = 0, n = core->local->nflow;

	while ((path = weft_path_next(core, &pos))) {
		n += path->nflow;
		weft_path_put(path);
	}
	return n;
}

/* No send completes before the receiver exists. Then all arrive, in order. */
TEST_F(contact, waits)
{
	static const u32 levels[] = { 0, WEFT_SQ_TRANSMIT, WEFT_SQ_DELIVERY, WEFT_SQ_MATCH };
	struct two *t = &self->t;
	struct weft_cqe e;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		ASSERT_TRUE(put_all(t, levels[i]));
		rig_run(t->rig, 3 * SEC);
		ASSERT_EQ(0, rig_cq_read(t->ca, &e));
		appear(t);
		ASSERT_TRUE(got_all(t));
		EXPECT_TRUE(completed(t, 0));
		rig_ep_free(t->eb);
		/* the flow that had been accepted ends at once */
		ASSERT_EQ(0, two_put(t, t->buf, 8, 0, WEFT_SQ_DELIVERY));
		ASSERT_EQ(ECONNREFUSED, two_status(t, t->ca, 0, STEP));
	}
}

/* Sends that were posted while the flow waited, and later ones, keep their order. */
TEST_F(contact, order)
{
	struct two *t = &self->t;
	struct weft_cqe e;
	u32 i, k;

	for (i = 0; i < 12; i++) {
		ASSERT_EQ(0, two_put(t, t->buf, i & 1 ? 8 : 2000, i, 0));
		rig_run(t->rig, 7 * MS);
	}
	appear(t);
	for (; i < 40; i++) {
		ASSERT_EQ(0, two_put(t, t->buf, i & 1 ? 8 : 2000, i, 0));
		rig_run(t->rig, MS);
	}
	rig_run(t->rig, SEC);
	for (i = 0; i < 40; i += 4) {
		for (k = 0; k < 4; k++)
			ASSERT_EQ(0, two_get(t, t->room, 4000, i + k));
		rig_run(t->rig, MS);
		for (k = 0; k < 4; k++) {
			ASSERT_EQ(1, rig_cq_read(t->cb, &e));
			/* completions have no order; messages have */
			ASSERT_EQ(e.context & 1 ? 8 : 2000, e.len);
		}
	}
}

/* It never exists: all sends are refused after connect-ms, also those without a completion. */
TEST_F(contact, never)
{
	struct two *t = &self->t;
	struct rig_op op = { .peer = t->to, .context = 77, .n = 1 };
	struct weft_cqe e;

	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t->buf, 8 };
	ASSERT_TRUE(put_all(t, 0));
	rig_run(t->rig, 4900 * MS);
	ASSERT_EQ(0, rig_cq_read(t->ca, &e));
	rig_run(t->rig, SEC);
	EXPECT_TRUE(completed(t, ECONNREFUSED));
	ASSERT_EQ(0, weft_limit_set(&t->a->node->core, "connect-ms", 10));
	ASSERT_EQ(0, rig_send(t->ea, &op));
	ASSERT_EQ(ECONNREFUSED, two_status(t, t->ca, 77, 100 * MS));
	EXPECT_EQ(0, rig_counter(t->a->node, WEFT_CNT_paths_dead));
	/* it is not too late */
	ASSERT_EQ(0, weft_limit_set(&t->a->node->core, "connect-ms", 5000));
	ASSERT_TRUE(put_all(t, 0));
	rig_run(t->rig, SEC);
	appear(t);
	EXPECT_TRUE(got_all(t));
	EXPECT_TRUE(completed(t, 0));
}

/* The sender's program closes its endpoint while the flow waits. */
TEST_F(contact, closed)
{
	struct two *t = &self->t;

	ASSERT_TRUE(put_all(t, 0));
	rig_run(t->rig, SEC);
	rig_ep_free(t->ea);
	t->ea = NULL;
	rig_run(t->rig, SEC);
	appear(t);
	rig_run(t->rig, 30 * SEC);
	EXPECT_EQ(0, flows(&t->a->node->core));
}

/*
 * More flows ask than the timer looks at in one call. Each asks on: the receivers that exist in the
 * end get their messages, the other sends fail.
 */
TEST(contact__many)
{
	enum { MANY = 300 };
	u32 dst, i, n, failed;
	struct weft_cqe e;
	struct two t;

	for (dst = 0; dst < 2; dst++) {
		two_init(&t, dst, 1024, 0);
		rig_ep_free(t.eb);
		for (i = 0; i < MANY; i++) {
			long to = rig_av_insert(t.va, dst, (u16)(100 + i), t.rig);
			struct rig_op op = { .flags = WEFT_SQ_COMPLETION, .context = i, .n = 1 };
			struct rig_ep *one;

			ASSERT_LE(0, to);
			one = rig_ep_new(t.a, WEFT_EP_RDM, 0, 16, 16, (u16)(1000 + i));
			ASSERT_NE(NULL, one);
			ASSERT_EQ(0, rig_ep_enable(one, t.ca, t.ca, NULL, t.va));
			op.peer = (u32)to;
			op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.buf, 8 };
			ASSERT_EQ(0, rig_send(one, &op));
		}
		rig_run(t.rig, 100 * MS);
		EXPECT_EQ(0, rig_cq_read(t.ca, &e));
		for (i = 0; i < MANY; i += 3) {
			struct rig_ep *one = rig_ep_new(t.b, WEFT_EP_RDM, 0, 16, 16,
							(u16)(100 + i));
			struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .context = i, .n = 1,
					     .peer = WEFT_SRC_ANY };

			ASSERT_NE(NULL, one);
			ASSERT_EQ(0, rig_ep_enable(one, t.cb, t.cb, NULL, rig_av_new(t.b)));
			op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.room, 8 };
			ASSERT_EQ(0, rig_recv(one, &op));
		}
		rig_run(t.rig, 10 * SEC);
		for (n = 0; rig_cq_read(t.cb, &e) == 1; n++) {
			EXPECT_EQ(0, e.status);
			EXPECT_EQ(0, e.context % 3);
		}
		EXPECT_EQ(MANY / 3, n);
		for (n = failed = 0; rig_cq_read(t.ca, &e) == 1; n++) {
			EXPECT_EQ(e.context % 3 ? ECONNREFUSED : 0, e.status);
			failed += e.status != 0;
		}
		EXPECT_EQ(MANY, n);
		EXPECT_EQ(MANY - MANY / 3, failed);
		rig_free(t.rig);
	}
}

/*
 * The endpoint's recent flow leads to another node. A held send is to be tried again when a short
 * message stands alone in the ring: the held send is tried, too.
 */
TEST(contact__beside_another_node)
{
	struct rig_op op = { .flags = WEFT_SQ_COMPLETION | WEFT_SQ_INLINE, .context = 5, .n = 1 };
	struct rig_proc *other;
	struct rig_cq *cq;
	struct rig_ep *ep;
	struct weft_cqe e;
	struct two t;
	u32 to;

	two_init(&t, 0, 64, 0);
	rig_ep_free(t.eb);
	other = rig_proc_new(&t.rig->node[1]);
	cq = rig_cq_new(other, 64);
	ep = rig_ep_new(other, WEFT_EP_RDM, 0, TWO_SLOTS, TWO_SLOTS, 2);
	ASSERT_EQ(0, rig_ep_enable(ep, cq, cq, NULL, rig_av_new(other)));
	to = (u32)rig_av_insert(t.va, 1, 2, t.rig);
	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.buf, 8 };
	/* one held send, one that makes the other flow the recent one */
	ASSERT_EQ(0, two_put(&t, t.buf, 8, 1, 0));
	op.peer = to;
	ASSERT_EQ(0, rig_send(t.ea, &op));
	rig_run(t.rig, MS);
	ASSERT_EQ(1, rig_cq_read(t.ca, &e));
	ASSERT_EQ(5, e.context);
	ASSERT_EQ(0, rig_send(t.ea, &op));
	ASSERT_EQ(1, rig_cq_read(t.ca, &e));
	while (!t.ea->ep->tx.aside)
		ASSERT_TRUE(rig_step(t.rig, U64_MAX));
	/* the program has stored the doorbell, and not called yet */
	op.more = true;
	ASSERT_EQ(0, rig_send(t.ea, &op));
	WRITE_ONCE(t.ea->doorbell.sq_tail, t.ea->sq_tail);
	rig_run(t.rig, MS);
	EXPECT_EQ(1, rig_cq_read(t.ca, &e));
	EXPECT_FALSE(t.ea->ep->tx.aside);
	appear(&t);
	ASSERT_EQ(0, two_get(&t, t.room, 8, 9));
	EXPECT_EQ(0, two_status(&t, t.cb, 9, SEC));
	EXPECT_EQ(0, two_status(&t, t.ca, 1, 0));
	rig_free(t.rig);
}

/* There is no memory when the receiver of this node is found: the held sends leave later. */
TEST(contact__no_memory)
{
	struct two t;

	two_init(&t, 0, 64, 0);
	rig_ep_free(t.eb);
	ASSERT_EQ(0, two_put(&t, t.buf, 8, 1, 0));
	ASSERT_EQ(0, two_put(&t, t.buf, 8, 2, 0));
	appear(&t);
	ASSERT_EQ(0, two_get(&t, t.room, 64, 3));
	weft_host_fail_rate(65536, 1);
	rig_run(t.rig, 50 * MS);
	weft_host_fail_rate(0, 0);
	EXPECT_EQ(0, two_status(&t, t.ca, 1, SEC));
	EXPECT_EQ(0, two_status(&t, t.ca, 2, 0));
	EXPECT_EQ(0, two_status(&t, t.cb, 3, 0));
	rig_free(t.rig);
}

/* ---- A program that has ended ---------------------------------------------------- */

/* The program ends before the receiver exists: what was copied arrives, and only that. */
static void ended(struct __test_metadata *_metadata, bool killed)
{
	struct two t;
	struct weft_cqe e;
	u32 i;

	two_init(&t, 1, 64, 0);
	rig_ep_free(t.eb);
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, two_put(&t, t.buf + i, i < 4 ? 3000 : TWO_LONG, i, 0));
	rig_run(t.rig, SEC);
	rig_proc_end(t.a, killed);
	rig_run(t.rig, SEC);
	appear(&t);
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, two_get(&t, t.room, 4000, i));
	rig_run(t.rig, SEC);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(0, e.status);
		EXPECT_EQ(3000, e.len);
		EXPECT_GT(4, e.context);
	}
	EXPECT_EQ(0, rig_cq_read(t.cb, &e));
	EXPECT_EQ(0, rig_counter(&t.rig->node[0], WEFT_CNT_msgs_given_up));
	rig_free(t.rig);
}

TEST(contact__ended)
{
	ended(_metadata, false);
}

TEST(contact__killed)
{
	ended(_metadata, true);
}

#define MANY	900

/*
 * MANY sends succeed, their program ends, and the receiver has space for few. @linger: the limit
 * linger-user.
 */
static void owe(struct __test_metadata *_metadata, struct two *t, u32 linger)
{
	u32 i;

	two_init(t, 1, 64, 0);
	ASSERT_EQ(0, weft_limit_set(&t->rig->node[0].core, "linger-user", linger));
	ASSERT_EQ(0, weft_limit_set(&t->rig->node[1].core, "messages-endpoint", 64));
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, two_put(t, t->buf, 8, i, 0));
	rig_run(t->rig, SEC);
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, two_status(t, t->ca, i, 0));
	rig_proc_end(t->a, false);
}

static u32 take(struct two *t)
{
	struct weft_cqe e;
	u32 n = 0;

	do {
		if (two_get(t, t->room, 64, n))
			abort();
		rig_run(t->rig, STEP);
	} while (rig_cq_read(t->cb, &e) == 1 && !e.status && ++n);
	return n;
}

/* The receiver begins to receive much later: all messages arrive. */
TEST(contact__owes)
{
	struct two t;

	owe(_metadata, &t, 1);
	rig_run(t.rig, 60 * SEC);
	EXPECT_EQ(MANY, take(&t));
	EXPECT_EQ(0, rig_counter(&t.rig->node[0], WEFT_CNT_msgs_given_up));
	rig_free(t.rig);
}

/* Too late: the counter of the sender's node reports the others. */
TEST(contact__gives_up)
{
	struct two t;
	u32 n;

	owe(_metadata, &t, 1);
	rig_run(t.rig, 130 * SEC);
	n = take(&t);
	EXPECT_LT(64, n);
	EXPECT_EQ(MANY, n + rig_counter(&t.rig->node[0], WEFT_CNT_msgs_given_up));
	rig_free(t.rig);
}

/* The user's flows of ended programs are at their limit: as long as a silent node. */
TEST(contact__linger_limit)
{
	struct two t;
	u32 n;

	owe(_metadata, &t, 0);
	rig_run(t.rig, 12 * SEC);
	n = take(&t);
	EXPECT_EQ(MANY, n + rig_counter(&t.rig->node[0], WEFT_CNT_msgs_given_up));
	EXPECT_EQ(1, rig_counter(&t.rig->node[0], WEFT_CNT_limit_linger));
	EXPECT_EQ(1, t.rig->node[0].note[WEFT_NOTE_LIMIT].count);
	EXPECT_STREQ("limit_linger", t.rig->node[0].note[WEFT_NOTE_LIMIT].last.limit);
	EXPECT_LT(0, t.rig->node[0].note[WEFT_NOTE_GIVEN_UP].count);
	rig_free(t.rig);
}

/* ---- Loss ------------------------------------------------------------------------ */

/*
 * OPEN, its answers and the end of the flow are lost and repeated. Many flows, one after another.
 */
TEST(contact__loss)
{
	struct rig_op op = { .n = 1, .flags = WEFT_SQ_COMPLETION };
	struct rig_ep *ep;
	struct weft_cqe e;
	struct two t;
	u32 i;

	two_init(&t, 1, 64, 0);
	t.rig->conf.loss = LOST;
	for (i = 0; i < 100; i++) {
		ep = rig_ep_new(t.a, WEFT_EP_RDM, 0, 16, 16, 0);
		ASSERT_EQ(0, rig_ep_enable(ep, t.ca, t.ca, NULL, t.va));
		op.peer = t.to;
		op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.buf + i, 8 };
		ASSERT_EQ(0, rig_send(ep, &op));
		if (i & 1)
			rig_ep_free(ep);
		ASSERT_EQ(0, two_get(&t, t.room, 64, i));
		rig_run(t.rig, 2 * SEC);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(i, e.context);
		EXPECT_EQ(0, memcmp(t.room, t.buf + i, 8));
		if (!(i & 1))
			rig_ep_free(ep);
	}
	/* the receiver keeps none of these flows */
	t.rig->conf.loss = 0;
	rig_run(t.rig, 2 * SEC);
	EXPECT_EQ(0, flows(&t.rig->node[1].core));
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
