// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers: when they fire and in which order, what their operations do, how they end; and the
 * numbers of counters
 */
#include "pair.h"
#include "harness.h"

/* Return: a send of 8 bytes at @off of the initiator's buffer, with a completion. */
static struct rig_op note(const struct pair *p, u32 off, u64 context)
{
	struct rig_op op = { .flags = WEFT_SQ_COMPLETION, .peer = p->to, .context = context,
			     .n = 1 };

	op.iov[0] = (struct weft_iov){ (uintptr_t)p->buf + off, 8 };
	return op;
}

/* Post a receive of the target, at @off of its buffer. */
static int take(struct pair *p, u32 off, u64 context)
{
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .context = context,
			     .n = 1 };

	op.iov[0] = (struct weft_iov){ (uintptr_t)p->room + off, 64 };
	return rig_recv(p->eb, &op);
}

/* Have a send of the initiator wait for @cntr. */
static int later(struct pair *p, struct rig_cq *cntr, u64 threshold, u32 off, u64 context)
{
	struct weft_trigger_conf conf = {
		.cntr = &cntr->cq, .threshold = threshold, .id = context,
	};
	struct rig_op op = note(p, off, context);

	return rig_when(p->ea, &conf, rig_send, &op);
}

/* Return: context of the next completion in a queue, -1: none within a second. */
static long next(struct pair *p, struct rig_cq *cq, int *status)
{
	struct weft_cqe e;
	u32 i;

	for (i = 0; i < 100; i++) {
		if (rig_cq_read(cq, &e) == 1) {
			*status = e.status;
			return (long)e.context;
		}
		rig_run(p->rig, 10 * NSEC_PER_MSEC);
	}
	return -1;
}

/* Order: by threshold, then by arrival, when the counter jumps, too. Bytes are those of firing. */
TEST(trigger__order)
{
	static const struct { u64 threshold, context; } set[] = {
		{ 5, 4 }, { 3, 1 }, { 3, 2 }, { 4, 3 }, { 11, 9 },
	};
	struct rig_cq *cntr;
	struct pair p;
	u32 dst, i;
	int status;

	for (dst = 0; dst < 2; dst++) {
		pair_init(&p, dst);
		cntr = rig_cq_new(p.a, 0);
		for (i = 0; i < 8; i++)
			ASSERT_EQ(0, take(&p, 64 * i, i));
		for (i = 0; i < ARRAY_SIZE(set); i++)
			ASSERT_EQ(0, later(&p, cntr, set[i].threshold, 8 * (u32)set[i].context,
					   set[i].context));
		rig_cntr_change(p.a, cntr, 2, 0);
		EXPECT_EQ(-1, next(&p, p.ca, &status));
		memset(p.buf, 0xee, 128);
		for (i = 1; i < 5; i++)
			p.buf[8 * i] = (u8)i;
		rig_cntr_change(p.a, cntr, 8, WEFT_CNTRF_ADD);
		EXPECT_EQ(10, cntr->status.done);
		for (i = 1; i < 5; i++) {
			EXPECT_EQ((long)i, next(&p, p.ca, &status));
			EXPECT_EQ(0, status);
		}
		for (i = 1; i < 5; i++) {
			EXPECT_EQ((long)i - 1, next(&p, p.cb, &status));
			EXPECT_EQ((u8)i, p.room[64 * (i - 1)]);
			EXPECT_EQ(0xee, p.room[64 * (i - 1) + 1]);
		}
		EXPECT_EQ(-1, next(&p, p.ca, &status));
		EXPECT_EQ(1, p.a->triggers.n);
		EXPECT_TRUE(weft_cntr_named(&cntr->cq));
		rig_free(p.rig);
	}
}

/* A threshold that has been reached fires at once, one of 0 too, and behind earlier ones. */
TEST(trigger__reached)
{
	struct rig_cq *cntr;
	struct pair p;
	int status;

	pair_init(&p, 1);
	cntr = rig_cq_new(p.a, 0);
	ASSERT_EQ(0, later(&p, cntr, 0, 0, 1));
	EXPECT_EQ(1, next(&p, p.ca, &status));
	rig_cntr_change(p.a, cntr, 7, 0);
	ASSERT_EQ(0, later(&p, cntr, 7, 0, 2));
	EXPECT_EQ(2, next(&p, p.ca, &status));
	ASSERT_EQ(0, later(&p, cntr, U64_MAX, 0, 3));
	EXPECT_EQ(-1, next(&p, p.ca, &status));
	rig_cntr_change(p.a, cntr, U64_MAX, 0);
	EXPECT_EQ(3, next(&p, p.ca, &status));
	/* a counter at the highest number, without triggers, has nothing to do */
	rig_cntr_change(p.a, cntr, 0, WEFT_CNTRF_ADD);
	EXPECT_FALSE(cntr->cq.trip.work.queued);
	EXPECT_FALSE(weft_cntr_named(&cntr->cq));
	rig_free(p.rig);
}

/*
 * The counter of an endpoint fires it: here that of received messages. Failed operations do not
 * fire triggers, but those with WEFT_TRIGGERF_BOTH.
 */
TEST(trigger__counter)
{
	struct weft_trigger_conf both = { .flags = WEFT_TRIGGERF_BOTH, .threshold = 3 };
	struct rig_cq *cntr;
	struct rig_op op;
	struct pair p;
	int status;
	u32 i;

	pair_init(&p, 1);
	cntr = rig_cq_new(p.a, 0);
	p.ea->tx_cntr = &cntr->cq;
	ASSERT_EQ(0, rig_ep_enable(p.ea, NULL, NULL, NULL, p.va));
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, take(&p, 0, i));
	ASSERT_EQ(0, later(&p, cntr, 3, 0, 100));
	both.cntr = &cntr->cq;
	op = note(&p, 0, 101);
	ASSERT_EQ(0, rig_when(p.ea, &both, rig_send, &op));
	op = note(&p, 0, 1);
	ASSERT_EQ(0, rig_send(p.ea, &op));
	EXPECT_EQ(1, next(&p, p.ca, &status));
	/* to nobody */
	op.peer = 77;
	op.context = 2;
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, rig_send(p.ea, &op));
		EXPECT_EQ(2, next(&p, p.ca, &status));
		EXPECT_EQ(EINVAL, status);
	}
	/* one and two are three: this one is the second success */
	EXPECT_EQ(101, next(&p, p.ca, &status));
	EXPECT_EQ(0, status);
	EXPECT_EQ(2, cntr->status.done);
	EXPECT_EQ(2, cntr->status.failed);
	op = note(&p, 0, 3);
	ASSERT_EQ(0, rig_send(p.ea, &op));
	EXPECT_EQ(3, next(&p, p.ca, &status));
	EXPECT_EQ(100, next(&p, p.ca, &status));
	rig_free(p.rig);
}

/* One-sided operations, one after the other: each begins when the one before has ended. */
TEST(trigger__chain)
{
	struct weft_trigger_conf conf = { .flags = WEFT_TRIGGERF_ALONE | WEFT_TRIGGERF_BOTH };
	u32 dst, i, loss;
	struct rig_cq *cntr;
	struct rig_conf rc;
	struct rig_rma op;
	struct weft_cqe e;
	struct pair p;

	for (dst = 0; dst < 2; dst++)
		for (loss = 0; loss < 2; loss++) {
			pair_conf(&rc, RIG_PPM / 4, loss * dst * RIG_PPM / 20);
			pair_make(&p, &rc, dst, PAIR_ALL);
			cntr = rig_cq_new(p.a, 0);
			conf.cntr = &cntr->cq;
			conf.done = &cntr->cq;
			p.ea->trigger = &conf;
			/* from the target's front to its next part, by way of the initiator */
			for (i = 0; i < 40; i++) {
				op = pair_op(&p, i % 2, 0, 30000, i);
				op.flags = 0;
				op.rem[0].addr = PAIR_BASE + (i + 1) / 2 * 10;
				conf.threshold = i + 1;
				ASSERT_EQ(0, rig_rma(p.ea, &op));
			}
			p.ea->trigger = NULL;
			EXPECT_EQ(0, cntr->status.done);
			rig_cntr_change(p.a, cntr, 1, 0);
			for (i = 0; i < 2000 && cntr->status.done < 41; i++)
				rig_run(p.rig, 10 * NSEC_PER_MSEC);
			EXPECT_EQ(41, cntr->status.done);
			EXPECT_EQ(0, cntr->status.failed);
			/* no completion was wanted */
			EXPECT_EQ(0, rig_cq_read(p.ca, &e));
			for (i = 0; i < 10; i++)
				EXPECT_EQ(pair_byte(i, 99), p.room[20 * 10 + i]);
			rig_free(p.rig);
		}
}

/* WEFT_TRIGGERF_ALONE: what counts, and what has a completion, in success and in failure. */
TEST(trigger__alone)
{
	struct weft_trigger_conf conf = { .flags = WEFT_TRIGGERF_ALONE };
	struct rig_cq *cntr, *done, *tx;
	u32 dst, completes, fails;
	struct weft_cqe e;
	struct rig_op op;
	struct pair p;

	for (dst = 0; dst < 2; dst++) {
		pair_init(&p, dst);
		cntr = rig_cq_new(p.a, 0);
		done = rig_cq_new(p.a, 0);
		tx = rig_cq_new(p.a, 0);
		p.ea->tx_cntr = &tx->cq;
		ASSERT_EQ(0, rig_ep_enable(p.ea, NULL, NULL, NULL, p.va));
		ASSERT_EQ(0, take(&p, 0, 0));
		ASSERT_EQ(0, take(&p, 0, 0));
		conf.cntr = &cntr->cq;
		conf.done = &done->cq;
		for (completes = 0; completes < 2; completes++)
			for (fails = 0; fails < 2; fails++) {
				op = note(&p, 0, 9);
				op.flags = completes ? WEFT_SQ_COMPLETION : 0;
				if (fails)
					op.peer = 77;
				memset(&done->status, 0, sizeof(done->status));
				memset(&tx->status, 0, sizeof(tx->status));
				ASSERT_EQ(0, rig_when(p.ea, &conf, rig_send, &op));
				rig_run(p.rig, NSEC_PER_SEC);
				EXPECT_EQ(!fails, done->status.done);
				EXPECT_EQ(fails, done->status.failed);
				EXPECT_EQ(completes && !fails, tx->status.done);
				EXPECT_EQ(completes && fails, tx->status.failed);
				EXPECT_EQ(completes, rig_cq_read(p.ca, &e));
				if (completes)
					EXPECT_EQ(fails ? EINVAL : 0, e.status);
			}
		rig_free(p.rig);
	}
}

/* Receives wait, too: behind those in the ring, for messages that have come or will come. */
TEST(trigger__receives)
{
	struct weft_trigger_conf conf = { .threshold = 1 };
	struct rig_op op, recv = { .tagged = true, .peer = WEFT_SRC_ANY, .n = 1 };
	struct rig_cq *cntr, *done;
	u32 dst, early, alone;
	struct weft_cqe e;
	struct pair p;
	int status;

	for (dst = 0; dst < 2; dst++)
		for (early = 0; early < 2; early++)
			for (alone = 0; alone < 2; alone++) {
				pair_init(&p, dst);
				cntr = rig_cq_new(p.b, 0);
				done = rig_cq_new(p.b, 0);
				conf.cntr = &cntr->cq;
				conf.done = alone ? &done->cq : NULL;
				conf.flags = alone ? WEFT_TRIGGERF_ALONE : 0;
				recv.flags = alone ? 0 : WEFT_RQ_COMPLETION;
				recv.tag = 5;
				recv.context = 50;
				recv.iov[0] = (struct weft_iov){ (uintptr_t)p.room, 64 };
				ASSERT_EQ(0, rig_when(p.eb, &conf, rig_recv, &recv));
				op = note(&p, 40, 1);
				op.tagged = true;
				op.tag = 5;
				if (early) {
					ASSERT_EQ(0, rig_send(p.ea, &op));
					EXPECT_EQ(1, next(&p, p.ca, &status));
				}
				EXPECT_EQ(-1, next(&p, p.cb, &status));
				rig_cntr_change(p.b, cntr, 1, 0);
				if (!early) {
					rig_run(p.rig, NSEC_PER_MSEC);
					ASSERT_EQ(0, rig_send(p.ea, &op));
				}
				if (alone) {
					rig_run(p.rig, NSEC_PER_SEC);
					EXPECT_EQ(0, rig_cq_read(p.cb, &e));
					EXPECT_EQ(1, done->status.done);
				} else {
					EXPECT_EQ(50, next(&p, p.cb, &status));
					EXPECT_EQ(0, status);
				}
				EXPECT_EQ(0, memcmp(p.room, p.buf + 40, 8));
				rig_free(p.rig);
			}
}

/* A counter of its own tells of a receive with a completion: the bytes are there, unread queue. */
TEST(trigger__counted_bytes)
{
	struct weft_trigger_conf conf = { .flags = WEFT_TRIGGERF_ALONE };
	struct rig_op op, recv = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .n = 1 };
	struct rig_cq *cntr, *done;
	u32 dst, early;
	struct pair p;
	int status;

	for (dst = 0; dst < 2; dst++)
		for (early = 0; early < 2; early++) {
			pair_init(&p, dst);
			cntr = rig_cq_new(p.b, 0);
			done = rig_cq_new(p.b, 0);
			conf.cntr = &cntr->cq;
			conf.done = &done->cq;
			recv.context = 50;
			recv.iov[0] = (struct weft_iov){ (uintptr_t)p.room, 64 };
			op = note(&p, 40, 1);
			if (early)
				ASSERT_EQ(0, rig_send(p.ea, &op));
			rig_run(p.rig, NSEC_PER_SEC);
			ASSERT_EQ(0, rig_when(p.eb, &conf, rig_recv, &recv));
			if (!early)
				ASSERT_EQ(0, rig_send(p.ea, &op));
			rig_run(p.rig, NSEC_PER_SEC);
			EXPECT_EQ(1, done->status.done);
			EXPECT_EQ(0, memcmp(p.room, p.buf + 40, 8));
			EXPECT_EQ(50, next(&p, p.cb, &status));
			rig_free(p.rig);
		}
}

/* No receive is free: the receives of triggers wait for one, and none is lost. */
TEST(trigger__receives_many)
{
	struct weft_trigger_conf conf = { .threshold = 1 };
	struct rig_op op, recv = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .n = 1 };
	u32 i, got = 0, seen[128] = { 0 };
	struct rig_cq *cntr;
	struct weft_cqe e;
	struct pair p;

	pair_init(&p, 1);
	cntr = rig_cq_new(p.b, 0);
	conf.cntr = &cntr->cq;
	for (i = 0; i < 128; i++) {
		recv.context = i;
		recv.iov[0] = (struct weft_iov){ (uintptr_t)p.room + 64 * i, 64 };
		/* the target has 64 receives */
		ASSERT_EQ(0, rig_when(p.eb, i < 64 ? &conf : NULL, rig_recv, &recv));
	}
	EXPECT_EQ(-EAGAIN, rig_when(p.eb, &conf, rig_recv, &recv));
	op = note(&p, 0, 1);
	op.flags = 0;
	/* the receives in the ring are taken up, so none is free */
	ASSERT_EQ(0, rig_send(p.ea, &op));
	rig_run(p.rig, NSEC_PER_SEC);
	rig_cntr_change(p.b, cntr, 1, 0);
	for (i = 0; i < 127; i++) {
		ASSERT_EQ(0, rig_send(p.ea, &op));
		rig_run(p.rig, 10 * NSEC_PER_MSEC);
		while (rig_cq_read(p.cb, &e) == 1) {
			EXPECT_EQ(0, e.status);
			ASSERT_LT(e.context, 128);
			EXPECT_EQ(0, seen[e.context]++);
			got++;
		}
	}
	EXPECT_EQ(128, got);
	EXPECT_EQ(0, p.eb->ep->rx.ntriggers);
	rig_free(p.rig);
}

/* An endpoint has as many triggers of sends as its ring has slots. Plain sends pass them. */
TEST(trigger__many)
{
	struct rig_cq *cntr;
	struct rig_op op;
	struct pair p;
	int status;
	u32 i;

	pair_init(&p, 1);
	cntr = rig_cq_new(p.a, 0);
	for (i = 0; i < 256; i++)
		ASSERT_EQ(0, later(&p, cntr, 1, 0, i));
	EXPECT_EQ(-EAGAIN, later(&p, cntr, 1, 0, i));
	ASSERT_EQ(0, take(&p, 0, 0));
	op = note(&p, 0, 1000);
	ASSERT_EQ(0, rig_send(p.ea, &op));
	EXPECT_EQ(1000, next(&p, p.ca, &status));
	rig_cntr_change(p.a, cntr, 1, 0);
	for (i = 0; i < 256; i++) {
		while (take(&p, 0, 0) == 0)
			;
		EXPECT_EQ((long)i, next(&p, p.ca, &status));
		EXPECT_EQ(0, status);
	}
	EXPECT_EQ(0, p.ea->ep->tx.ntriggers);
	ASSERT_EQ(0, later(&p, cntr, 2, 0, i));
	rig_free(p.rig);
}

/* Counters are set and added to by triggers, in long chains and in circles. */
TEST(trigger__counters)
{
	struct weft_trigger_conf conf = { .op = WEFT_TRIGGER_ADD, .value = 1 };
	struct rig_cq *a, *b;
	struct pair p;
	u32 i;

	pair_init(&p, 1);
	a = rig_cq_new(p.a, 0);
	b = rig_cq_new(p.a, 0);
	/* a leads to b, b leads to a */
	for (i = 0; i < 1000; i++) {
		conf.cntr = i % 2 ? &b->cq : &a->cq;
		conf.target = i % 2 ? &a->cq : &b->cq;
		conf.threshold = i / 2 + 1;
		ASSERT_EQ(0, rig_trigger(p.a, &conf, NULL));
	}
	conf.op = WEFT_TRIGGER_SET;
	conf.threshold = 501;
	conf.cntr = &a->cq;
	conf.target = &b->cq;
	conf.value = 77;
	ASSERT_EQ(0, rig_trigger(p.a, &conf, NULL));
	EXPECT_EQ(0, b->status.done);
	rig_cntr_change(p.a, a, 1, 0);
	rig_run(p.rig, NSEC_PER_SEC);
	EXPECT_EQ(501, a->status.done);
	EXPECT_EQ(77, b->status.done);
	EXPECT_EQ(0, p.a->triggers.n);
	EXPECT_FALSE(weft_cntr_named(&a->cq));
	EXPECT_FALSE(weft_cntr_named(&b->cq));
	rig_cntr_change(p.a, b, 5, WEFT_CNTRF_FAILED);
	rig_cntr_change(p.a, b, 2, WEFT_CNTRF_FAILED | WEFT_CNTRF_ADD);
	EXPECT_EQ(7, b->status.failed);
	EXPECT_EQ(77, b->status.done);
	rig_free(p.rig);
}

/* Cancel one, those of a counter, of an endpoint, of a zone; told and untold. */
TEST(trigger__end)
{
	struct weft_trigger_choice choice = { .flags = WEFT_TRIGGERF_ONE | WEFT_TRIGGERF_TELL,
					      .id = 4 };
	struct weft_trigger_conf conf = { .op = WEFT_TRIGGER_ADD, .threshold = 9, .zone = 3 };
	struct rig_cq *cntr, *other, *tx;
	struct weft_cqe e;
	struct pair p;
	int status;
	u32 i;

	pair_init(&p, 1);
	cntr = rig_cq_new(p.a, 0);
	other = rig_cq_new(p.a, 0);
	tx = rig_cq_new(p.a, 0);
	p.ea->tx_cntr = &tx->cq;
	ASSERT_EQ(0, rig_ep_enable(p.ea, NULL, NULL, NULL, p.va));
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, later(&p, i < 3 ? cntr : other, 1, 0, i));
	conf.cntr = &other->cq;
	conf.target = &cntr->cq;
	ASSERT_EQ(0, rig_trigger(p.a, &conf, NULL));
	/* one, once */
	EXPECT_EQ(0, rig_triggers_end(p.a, &choice));
	EXPECT_EQ(4, next(&p, p.ca, &status));
	EXPECT_EQ(ECANCELED, status);
	EXPECT_EQ(1, tx->status.failed);
	EXPECT_EQ(-ENOENT, rig_triggers_end(p.a, &choice));
	/* those of a counter, without a trace */
	choice.flags = 0;
	choice.cntr = &cntr->cq;
	EXPECT_EQ(0, rig_triggers_end(p.a, &choice));
	EXPECT_EQ(2, p.a->triggers.n);
	EXPECT_EQ(0, rig_cq_read(p.ca, &e));
	/* another zone */
	choice.cntr = NULL;
	choice.zone = 4;
	EXPECT_EQ(0, rig_triggers_end(p.a, &choice));
	EXPECT_EQ(2, p.a->triggers.n);
	/* the change of a counter */
	choice.zone = 3;
	choice.target = &cntr->cq;
	EXPECT_EQ(0, rig_triggers_end(p.a, &choice));
	EXPECT_EQ(1, p.a->triggers.n);
	EXPECT_FALSE(weft_cntr_named(&cntr->cq));
	choice.zone = 0;
	choice.target = NULL;
	choice.ep = p.ea->ep;
	EXPECT_EQ(0, rig_triggers_end(p.a, &choice));
	EXPECT_EQ(0, p.a->triggers.n);
	EXPECT_EQ(0, p.ea->ep->tx.ntriggers);
	rig_cntr_change(p.a, cntr, 10, 0);
	rig_cntr_change(p.a, other, 10, 0);
	EXPECT_EQ(-1, next(&p, p.ca, &status));
	rig_free(p.rig);
}

/* Entries that an endpoint does not take, endpoints that are not enabled. */
TEST(trigger__refused)
{
	struct weft_trigger_conf conf = { .threshold = 1 };
	struct rig_op recv = { .flags = WEFT_RQ_MULTI, .peer = WEFT_SRC_ANY, .n = 1 };
	u8 slots[WEFT_NSLOTS_MAX * WEFT_SLOT_SIZE] = { 0 };
	struct weft_sqe *e = (void *)slots;
	struct rig_ep *fresh;
	struct rig_cq *cntr;
	struct rig_op op;
	struct pair p;

	pair_init(&p, 1);
	cntr = rig_cq_new(p.a, 0);
	conf.cntr = &cntr->cq;
	fresh = rig_ep_new(p.a, WEFT_EP_RDM, 0, 16, 16, 0);
	op = note(&p, 0, 1);
	EXPECT_EQ(-EINVAL, rig_when(fresh, &conf, rig_send, &op));
	op.flags |= WEFT_SQ_INLINE;
	EXPECT_EQ(-EINVAL, rig_when(p.ea, &conf, rig_send, &op));
	op.flags = WEFT_SQ_GROUP;
	EXPECT_EQ(-EINVAL, rig_when(p.ea, &conf, rig_send, &op));
	recv.iov[0] = (struct weft_iov){ (uintptr_t)p.buf, 64 };
	EXPECT_EQ(-EINVAL, rig_when(p.ea, &conf, rig_recv, &recv));
	/* more slots, or fewer, than the entry says */
	p.ea->trigger = &conf;
	e->op = WEFT_SQ_SEND;
	e->nslots = 2;
	EXPECT_EQ(-EINVAL, rig_trigger_post(p.ea, WEFT_TRIGGER_SEND, slots, 1));
	e->nslots = 1;
	EXPECT_EQ(-EINVAL, rig_trigger_post(p.ea, WEFT_TRIGGER_SEND, slots, 2));
	EXPECT_EQ(0, rig_trigger_post(p.ea, WEFT_TRIGGER_SEND, slots, 1));
	p.ea->trigger = NULL;
	EXPECT_EQ(1, p.a->triggers.n);
	EXPECT_EQ(1, p.ea->ep->tx.ntriggers);
	rig_free(p.rig);
}

/* A counter ends while its work waits, and while operations refer to it: its page is not used. */
TEST(trigger__counter_ends)
{
	struct weft_trigger_conf conf = { .flags = WEFT_TRIGGERF_ALONE };
	struct rig_cq *cntr, *done;
	struct weft_cqe e;
	struct rig_op op;
	struct pair p;
	int status;

	pair_init(&p, 1);
	cntr = rig_cq_new(p.a, 0);
	done = rig_cq_new(p.a, 0);
	ASSERT_EQ(0, later(&p, cntr, 5, 0, 1));
	rig_cntr_change(p.a, cntr, 5, 0);
	EXPECT_TRUE(cntr->cq.trip.work.queued);
	weft_cntr_end(&cntr->cq);
	memset(&cntr->status, 0xee, sizeof(cntr->status));
	EXPECT_EQ(-1, next(&p, p.ca, &status));
	rig_cntr_change(p.a, cntr, 9, WEFT_CNTRF_ADD);
	weft_cq_stir(&cntr->cq);
	EXPECT_EQ(0xeeeeeeeeeeeeeeeeull, cntr->status.done);
	EXPECT_EQ(0xeeeeeeee, cntr->status.tail);
	/* a send that is under way when the counter of its end goes */
	ASSERT_EQ(0, take(&p, 0, 7));
	cntr = rig_cq_new(p.a, 0);
	conf.cntr = &cntr->cq;
	conf.done = &done->cq;
	op = note(&p, 0, 2);
	op.flags = WEFT_SQ_DELIVERY;
	ASSERT_EQ(0, rig_when(p.ea, &conf, rig_send, &op));
	weft_cntr_end(&done->cq);
	EXPECT_EQ(7, next(&p, p.cb, &status));
	EXPECT_EQ(0, done->status.done);
	EXPECT_EQ(0, rig_cq_read(p.ca, &e));
	rig_free(p.rig);
}

/* Ends: of the endpoint, of the process, with triggers that wait and that have fired. */
TEST(trigger__ends)
{
	struct rig_cq *cntr;
	struct weft_cqe e;
	struct pair p;
	u32 k, i;

	for (k = 0; k < 4; k++) {
		pair_init(&p, 1);
		cntr = rig_cq_new(p.a, 0);
		for (i = 0; i < 10; i++)
			ASSERT_EQ(0, later(&p, cntr, i + 1, 0, i));
		/* the work that fires them has not run yet */
		if (k % 2)
			rig_cntr_change(p.a, cntr, 5, 0);
		if (k < 2)
			rig_ep_free(p.ea);
		else
			rig_proc_end(p.a, true);
		rig_run(p.rig, NSEC_PER_SEC);
		if (k < 2) {
			EXPECT_EQ(0, p.a->triggers.n);
			EXPECT_FALSE(weft_cntr_named(&cntr->cq));
			rig_cntr_change(p.a, cntr, 20, 0);
			rig_run(p.rig, NSEC_PER_SEC);
			EXPECT_EQ(0, rig_cq_read(p.ca, &e));
		}
		EXPECT_EQ(0, rig_cq_read(p.cb, &e));
		rig_free(p.rig);
	}
}

TEST_HARNESS_MAIN
