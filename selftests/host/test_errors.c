// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of causes and errors of fi_weft(7): each cause, for all kinds of operations
 *
 * A cause strikes at many moments of a transfer, within a node and between nodes. Each send ends
 * once: it has succeeded before the cause, or it has the one error of the cause. The same holds for
 * each receive that had met a message. Other receives wait on.
 *
 * Beside this table: test_gone.c has the times and the connections, test_dgram.c datagrams and
 * EMSGSIZE, test_cancel.c ECANCELED, and test_reclaim.c ENOSPC.
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

#define MS	((weft_ns)NSEC_PER_MSEC)
#define SEC	((weft_ns)NSEC_PER_SEC)
#define MOMENTS	40
#define GET	100	/* contexts of receives begin here */
#define GETS	3
#define NAMED	(GET + GETS)	/* a receive that names its sender, and no message */
#define CONTEXTS (NAMED + 1)
#define WITHIN	1	/* in struct cause.where */
#define BETWEEN	2

static const u32 lens[] = { 8, 4000, TWO_LONG };
static const u32 levels[] = { 0, WEFT_SQ_TRANSMIT, WEFT_SQ_DELIVERY, WEFT_SQ_MATCH };
#define SENDS	(ARRAY_SIZE(lens) * ARRAY_SIZE(levels))

/**
 * struct cause - why operations fail
 * @name: as in the manual
 * @where: WITHIN a node, BETWEEN nodes
 * @first: it is there before the first message: no send succeeds
 * @make: makes it; ends no queue that is read afterwards
 * @send: error of sends; 0: the sender has ended
 * @later: error of sends that are posted afterwards; 0: there are none, or they may succeed
 * @recv: error of receives that have met a message; 0: the receiver has ended
 */
struct cause {
	const char *name;
	u32 where;
	bool first;
	void (*make)(struct two *t);
	u32 send, later, recv;
};

static void receiver_closes(struct two *t)
{
	rig_ep_free(t->eb);
}

static void receiver_killed(struct two *t)
{
	rig_proc_end(t->b, true);
}

static void receiver_ends(struct two *t)
{
	rig_proc_end(t->b, false);
}

static void sender_closes(struct two *t)
{
	rig_ep_free(t->ea);
}

static void sender_killed(struct two *t)
{
	rig_proc_end(t->a, true);
}

static void receiver_restarts(struct two *t)
{
	rig_crash(&t->rig->node[1]);
	rig_start(&t->rig->node[1]);
}

static void sender_restarts(struct two *t)
{
	rig_crash(&t->rig->node[0]);
	rig_start(&t->rig->node[0]);
}

static void receiver_port(struct two *t)
{
	rig_stop(&t->rig->node[1], ENODEV);
}

static void sender_port(struct two *t)
{
	rig_halt(&t->rig->node[0], ENODEV);
}

static void silence(struct two *t)
{
	rig_cut(t->rig, 0, 1, true);
}

static void no_route(struct two *t)
{
	rig_fit(&t->rig->node[0], WEFT_PAYLOAD_MIN - 1);
}

static void version(struct two *t)
{
	t->rig->node[1].recv = two_version;
}

static void sender_memory(struct two *t)
{
	t->a->mc->fault = RIG_PPM;
}

static void receiver_memory(struct two *t)
{
	t->b->mc->fault = RIG_PPM;
}

static const struct cause causes[] = {
	{ "the endpoint does not exist", WITHIN | BETWEEN, true, receiver_closes,
	  .send = ECONNREFUSED, .later = ECONNREFUSED },
	{ "the receiver closes its endpoint", WITHIN | BETWEEN, false, receiver_closes,
	  .send = ECONNREFUSED, .later = ECONNREFUSED },
	{ "the receiver ends", WITHIN | BETWEEN, false, receiver_ends,
	  .send = ECONNREFUSED, .later = ECONNREFUSED },
	{ "the receiver is killed", WITHIN | BETWEEN, false, receiver_killed,
	  .send = ECONNREFUSED, .later = ECONNREFUSED },
	{ "the sender closes its endpoint", WITHIN | BETWEEN, false, sender_closes,
	  .recv = ECONNRESET },
	{ "the sender is killed", WITHIN | BETWEEN, false, sender_killed, .recv = ECONNRESET },
	{ "the receiver's node restarts", BETWEEN, false, receiver_restarts,
	  .send = ECONNRESET, .later = ECONNREFUSED },
	{ "the sender's node restarts", BETWEEN, false, sender_restarts, .recv = ECONNRESET },
	{ "the receiver's port is deleted", BETWEEN, false, receiver_port,
	  .send = ECONNRESET, .later = EHOSTUNREACH },
	{ "the sender's port is deleted", BETWEEN, false, sender_port,
	  .send = ENODEV, .recv = ECONNRESET },
	{ "the port of both is deleted", WITHIN, false, sender_port,
	  .send = ENODEV, .recv = ENODEV },
	{ "the node is silent", BETWEEN, false, silence,
	  .send = ETIMEDOUT, .later = EHOSTUNREACH, .recv = ETIMEDOUT },
	{ "the node has never answered", BETWEEN, true, silence,
	  .send = EHOSTUNREACH, .later = EHOSTUNREACH },
	{ "no route", BETWEEN, true, no_route, .send = ENETUNREACH, .later = ENETUNREACH },
	{ "another version", BETWEEN, true, version,
	  .send = EPROTONOSUPPORT, .later = EPROTONOSUPPORT },
	{ "another version after an upgrade", BETWEEN, false, version,
	  .send = EPROTONOSUPPORT, .later = EPROTONOSUPPORT },
	{ "the sender's memory", WITHIN | BETWEEN, false, sender_memory,
	  .send = EFAULT, .recv = ECONNRESET },
	{ "the receiver's memory", WITHIN | BETWEEN, false, receiver_memory,
	  .send = EREMOTEIO, .recv = EFAULT },
};

/* How often each operation ended, and its last status. */
struct ends {
	u32 n[CONTEXTS];
	u32 status[CONTEXTS];
};

static void collect(struct rig_cq *cq, struct ends *ends)
{
	struct weft_cqe e;

	while (rig_cq_read(cq, &e) == 1) {
		if (e.context >= CONTEXTS)
			abort();
		ends->n[e.context]++;
		ends->status[e.context] = e.status;
	}
}

/* Post all kinds of sends, and receives for a part of them. */
static void post(struct __test_metadata *_metadata, struct two *t, const struct cause *c)
{
	struct rig_op op = { .tagged = true, .flags = WEFT_RQ_COMPLETION, .context = NAMED };
	bool receives = t->eb && !(c->first && c->make == receiver_closes);
	u32 i;

	for (i = 0; receives && i < GETS; i++)
		ASSERT_EQ(0, two_get(t, t->room + i * TWO_LONG, TWO_LONG, GET + i));
	if (receives)
		ASSERT_EQ(0, rig_recv(t->eb, &op));
	for (i = 0; i < SENDS; i++)
		ASSERT_EQ(0, two_put(t, t->buf, lens[i % ARRAY_SIZE(lens)], i,
				     levels[i / ARRAY_SIZE(lens)]));
}

/* One send of each length, with an answer from the peer. */
static void check_later(struct __test_metadata *_metadata, struct two *t, const struct cause *c)
{
	struct ends ends = { 0 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lens); i++)
		ASSERT_EQ(0, two_put(t, t->buf, lens[i], i, WEFT_SQ_DELIVERY));
	rig_run(t->rig, 30 * SEC);
	collect(t->ca, &ends);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		EXPECT_EQ(1, ends.n[i]);
		EXPECT_EQ(c->later, ends.status[i]) TH_LOG("%s: later send %u", c->name, i);
	}
}

/* @moment: of the transfer. @failed: sends and receives that failed. */
static void strike(struct __test_metadata *_metadata, const struct cause *c, u32 node, u32 moment,
		   u32 failed[2])
{
	struct ends ends = { 0 };
	struct two t;
	u32 i;

	two_init(&t, node, 64, 0);
	two_slow(&t);
	if (c->first) {
		c->make(&t);
		post(_metadata, &t, c);
	} else {
		/* the first message opens the flow */
		ASSERT_EQ(0, two_get(&t, t.room, 8, GET));
		ASSERT_EQ(0, two_put(&t, t.buf, 8, 0, 0));
		ASSERT_EQ(0, two_status(&t, t.ca, 0, SEC));
		ASSERT_EQ(0, two_status(&t, t.cb, GET, 0));
		post(_metadata, &t, c);
		rig_run(t.rig, moment * 20 * NSEC_PER_USEC);
		c->make(&t);
	}
	rig_run(t.rig, 60 * SEC);
	if (c->send)
		collect(t.ca, &ends);
	if (c->recv)
		collect(t.cb, &ends);
	for (i = 0; c->send && i < SENDS; i++) {
		/* memory fails one operation: sends without a receive wait on */
		EXPECT_GE(1, ends.n[i]);
		EXPECT_TRUE(ends.n[i] || c->send == EREMOTEIO || c->send == EFAULT);
		EXPECT_TRUE(ends.status[i] == c->send || (!c->first && !ends.status[i])) {
			TH_LOG("%s, node %u, moment %u: send %u ended with %u", c->name, node,
			       moment, i, ends.status[i]);
		}
		failed[0] += ends.status[i] == c->send;
	}
	for (i = GET; c->recv && i < CONTEXTS; i++) {
		EXPECT_GE(1, ends.n[i]);
		EXPECT_TRUE(ends.status[i] == c->recv ||
			    (i == NAMED ? !ends.n[i] : !ends.status[i])) {
			TH_LOG("%s, node %u, moment %u: receive %u ended with %u", c->name, node,
			       moment, i - GET, ends.status[i]);
		}
		failed[1] += i != NAMED && ends.status[i] == c->recv;
	}
	if (c->later)
		check_later(_metadata, &t, c);
	rig_free(t.rig);
}

/* All moments of one cause. */
static void row(struct __test_metadata *_metadata, u32 i)
{
	const struct cause *c = &causes[i];
	u32 node, moment, moments = c->first ? 1 : MOMENTS;

	for (node = 0; node < 2; node++) {
		u32 failed[2] = { 0 };

		if (!(c->where & (node ? BETWEEN : WITHIN)))
			continue;
		for (moment = 0; moment < moments; moment++)
			strike(_metadata, c, node, moment, failed);
		EXPECT_TRUE(!c->send || failed[0]) TH_LOG("%s: no send failed", c->name);
		EXPECT_TRUE(!c->recv || failed[1]) TH_LOG("%s: no receive failed", c->name);
	}
}

TEST(errors__table)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(causes); i++)
		row(_metadata, i);
}

TEST_HARNESS_MAIN
