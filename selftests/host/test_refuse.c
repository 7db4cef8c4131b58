// SPDX-License-Identifier: GPL-2.0-only
/*
 * Refused operations: the answers to a node have a bounded rate, flows take turns, nothing else
 * waits, the memory is bounded, everything ends; and the report names the initiator and the cause.
 */
#include "pair.h"
#include "harness.h"

#define BURST	64		/* answers at once */
#define GAP	NSEC_PER_MSEC	/* between two later ones */
#define WRONG	99		/* no region has this key */

/* Make an endpoint of the initiator with a long ring. Return: the target's index. */
static u32 guesser(struct pair *p, struct rig_ep **ep, struct rig_cq **cq, u16 service)
{
	struct rig_av *av = rig_av_new(p->a);
	u32 to = (u32)rig_av_insert(av, p->b->node->index, 2, p->rig);

	*cq = rig_cq_new(p->a, 8192);
	*ep = rig_ep_new(p->a, WEFT_EP_RDM, WEFT_EPF_RMA, 8192, 64, service);
	if (rig_ep_enable(*ep, *cq, *cq, NULL, av))
		abort();
	return to;
}

/* Post @n operations with a wrong key, of all kinds. */
static void guess(struct __test_metadata *_metadata, struct pair *p, struct rig_ep *ep, u32 to,
		  u32 n)
{
	static const u32 lens[] = { 8, 3000, 100000 };
	struct rig_rma op;
	u32 i;

	for (i = 0; i < n; i++) {
		op = pair_op(p, i & 1, 0, lens[i % ARRAY_SIZE(lens)], i);
		op.peer = to;
		op.rem[0].key = WRONG;
		ASSERT_EQ(0, rig_rma(ep, &op));
	}
}

/* Return: completions that are there; each is a refusal. */
static u32 answers(struct __test_metadata *_metadata, struct rig_cq *cq)
{
	struct weft_cqe e;
	u32 n = 0;

	while (rig_cq_read(cq, &e) == 1) {
		EXPECT_EQ(EACCES, e.status);
		n++;
	}
	return n;
}

/* Return: waiting answers of the target's flow from service @service. */
static u32 waiting(struct pair *p, u16 service)
{
	struct weft_path *path = rig_path(&p->b->node->core);
	struct weft_list *l;
	u32 n = 0;

	weft_lock(&path->lock);
	weft_list_for_each(l, &path->flow.rlist) {
		struct weft_rflow *rf = weft_entry(l, struct weft_rflow, node);

		if (rf->id.ssvc == service)
			n = rf->nrefused;
	}
	weft_unlock(&path->lock);
	weft_path_put(path);
	return n;
}

/* The burst is answered at once, later ones at the rate, and each one in the end. */
TEST(refuse__rate)
{
	struct rig_ep *ep;
	struct rig_cq *cq;
	u32 i, to, n = 0;
	struct pair p;
	weft_ns from;

	pair_init(&p, 1);
	to = guesser(&p, &ep, &cq, 5);
	guess(_metadata, &p, ep, to, 1);
	rig_run(p.rig, NSEC_PER_SEC);
	ASSERT_EQ(1, answers(_metadata, cq));
	from = p.rig->now;
	guess(_metadata, &p, ep, to, 400);
	for (i = 0; i < 60; i++) {
		rig_run(p.rig, 10 * NSEC_PER_MSEC);
		n += answers(_metadata, cq);
		ASSERT_GE(BURST + (p.rig->now - from) / GAP + 1, n);
		if (i == 2)
			EXPECT_LE(BURST, n);
		if (i == 20)
			EXPECT_LE(BURST + 180, n);
	}
	EXPECT_EQ(400, n);
	EXPECT_EQ(401, rig_counter(p.b->node, WEFT_CNT_rma_denied));
	/* after some silence the burst is there again, and no more */
	rig_run(p.rig, NSEC_PER_SEC);
	guess(_metadata, &p, ep, to, 200);
	rig_run(p.rig, 20 * NSEC_PER_MSEC);
	n = answers(_metadata, cq);
	EXPECT_LE(BURST, n);
	EXPECT_GE(BURST + 21, n);
	rig_free(p.rig);
}

/* Valid operations are executed at once: of another endpoint, and behind refused ones. */
TEST(refuse__valid_ones)
{
	struct rig_ep *ep;
	struct rig_cq *cq;
	struct rig_rma op;
	struct weft_cqe e;
	struct pair p;
	u32 to, i;

	pair_init(&p, 1);
	to = guesser(&p, &ep, &cq, 5);
	guess(_metadata, &p, ep, to, 200);
	op = pair_op(&p, true, 500000, 100, 7777);
	op.peer = to;
	ASSERT_EQ(0, rig_rma(ep, &op));
	for (i = 0; i < 10; i++) {
		op = pair_op(&p, i & 1, 600000, 50000, i);
		ASSERT_EQ(0, rig_rma(p.ea, &op));
	}
	rig_run(p.rig, 10 * NSEC_PER_MSEC);
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(1, rig_cq_read(p.ca, &e));
		EXPECT_EQ(0, e.status);
	}
	EXPECT_EQ(pair_byte(500099, 0), p.room[500099]);
	for (i = 0; rig_cq_read(cq, &e) == 1 && e.context != 7777; i++)
		EXPECT_EQ(EACCES, e.status);
	EXPECT_EQ(7777, e.context);
	EXPECT_EQ(0, e.status);
	EXPECT_GE(BURST + 11, i);
	rig_free(p.rig);
}

/* A flow with many refusals does not delay the answer to another one. */
TEST(refuse__turns)
{
	struct rig_rma op;
	struct rig_ep *ep;
	struct rig_cq *cq;
	struct weft_cqe e;
	struct pair p;
	u32 to;

	pair_init(&p, 1);
	to = guesser(&p, &ep, &cq, 5);
	guess(_metadata, &p, ep, to, 1000);
	rig_run(p.rig, 10 * NSEC_PER_MSEC);
	op = pair_op(&p, true, 0, 8, 3);
	op.rem[0].key = WRONG;
	ASSERT_EQ(0, rig_rma(p.ea, &op));
	rig_run(p.rig, 10 * NSEC_PER_MSEC);
	ASSERT_EQ(1, rig_cq_read(p.ca, &e));
	EXPECT_EQ(EACCES, e.status);
	EXPECT_LT(500, waiting(&p, 5));
	rig_free(p.rig);
}

/* Waiting answers use up the credit of their flow: so many, and no more memory. */
TEST(refuse__credit)
{
	u32 i, to, most = 0, n = 0;
	struct rig_ep *ep;
	struct rig_cq *cq;
	struct pair p;

	pair_init(&p, 1);
	to = guesser(&p, &ep, &cq, 5);
	guess(_metadata, &p, ep, to, 3000);
	for (i = 0; i < 1000 && n < 3000; i++) {
		rig_run(p.rig, 5 * NSEC_PER_MSEC);
		n += answers(_metadata, cq);
		most = max(most, waiting(&p, 5));
	}
	EXPECT_EQ(3000, n);
	EXPECT_GE(WEFT_CREDIT_STEP, most);
	EXPECT_LT(200, most);
	EXPECT_EQ(0, rig_counter(p.b->node, WEFT_CNT_beyond_credit));
	EXPECT_LT(0, rig_counter(p.a->node, WEFT_CNT_limit_messages));
	rig_free(p.rig);
}

/* Something ends while answers wait: each operation ends once, and nothing stays. */
TEST(refuse__ends)
{
	struct rig_conf conf;
	struct rig_ep *ep;
	struct rig_cq *cq;
	struct weft_cqe e;
	u32 i, k, to, n;
	struct pair p;

	for (k = 0; k < 2 * PAIR_NOTHING; k++) {
		pair_conf(&conf, 0, k & 1 ? RIG_PPM / 20 : 0);
		pair_make(&p, &conf, 1, PAIR_ALL);
		to = guesser(&p, &ep, &cq, 5);
		guess(_metadata, &p, ep, to, 400);
		rig_run(p.rig, 20 * NSEC_PER_MSEC);
		pair_end(&p, k / 2);
		if (k / 2 == PAIR_INITIATOR) {
			rig_run(p.rig, 30 * NSEC_PER_SEC);
			rig_free(p.rig);
			continue;
		}
		for (i = 0, n = 0; i < 600 && n < 400; i++) {
			rig_run(p.rig, 100 * NSEC_PER_MSEC);
			while (rig_cq_read(cq, &e) == 1) {
				EXPECT_NE(0, e.status);
				n++;
			}
		}
		EXPECT_EQ(400, n) TH_LOG("case %u", k);
		rig_free(p.rig);
	}
}

/* Within the node the call itself fails. */
TEST(refuse__within_the_node)
{
	struct rig_ep *ep;
	struct rig_cq *cq;
	struct pair p;
	u32 to;

	pair_init(&p, 0);
	to = guesser(&p, &ep, &cq, 5);
	guess(_metadata, &p, ep, to, 500);
	rig_run(p.rig, 10 * NSEC_PER_USEC);
	EXPECT_EQ(500, answers(_metadata, cq));
	EXPECT_EQ(500, rig_counter(p.b->node, WEFT_CNT_rma_denied));
	rig_free(p.rig);
}

/* Causes of a refusal. The last one: a key of another zone, which is an unknown one. */
static const u32 whys[] = { WEFT_DENIED_KEY, WEFT_DENIED_BOUNDS, WEFT_DENIED_RIGHT,
			    WEFT_DENIED_ENDPOINT, WEFT_DENIED_USER, WEFT_DENIED_KEY };

/* Return: a write with two segments. The target refuses the operation for cause @i of whys[]. */
static struct rig_rma refused(struct __test_metadata *_metadata, struct pair *p, u32 i)
{
	struct rig_rma op = pair_op(p, true, 16, 8, i);

	op.nrem = 2;
	op.rem[1] = op.rem[0];
	op.rem[0].len = 3;
	op.rem[1].len = 5;
	if (whys[i] == WEFT_DENIED_KEY)
		op.rem[1].key = WRONG;
	else if (whys[i] == WEFT_DENIED_BOUNDS)
		op.rem[1].addr = 1;
	else if (whys[i] == WEFT_DENIED_RIGHT)
		op.rem[1] = (struct weft_rma_iov){ .addr = 1, .len = 5, .key = 3 };
	else if (whys[i] == WEFT_DENIED_ENDPOINT)
		p->eb->ep->conf.flags &= ~WEFT_EPF_REMOTE_WRITE;
	else
		p->ea->ep->conf.uid = 1234;
	EXPECT_EQ(0, pair_expose(p, 3, 0, p->room, 8, WEFT_REGION_READ));
	if (i == ARRAY_SIZE(whys) - 1) {
		struct weft_region_conf conf = {
			.key = WRONG, .zone = 4, .len = 100, .n = 1, .access = 3,
			.seg = { { (uintptr_t)p->room, 100 } },
		};

		EXPECT_EQ(0, weft_region_new(&p->b->domain, &conf));
	}
	return op;
}

/* The report names the user, the endpoint, the key, the address and the cause. */
TEST(refuse__report)
{
	const struct weft_denied *d;
	struct rig_rma op;
	struct pair p;
	u32 dst, i;

	for (dst = 0; dst < 2; dst++)
		for (i = 0; i < ARRAY_SIZE(whys); i++) {
			pair_init(&p, dst);
			d = &p.b->node->denied;
			op = refused(_metadata, &p, i);
			ASSERT_EQ(0, rig_rma(p.ea, &op));
			ASSERT_EQ(EACCES, pair_status(&p, i));
			EXPECT_EQ(whys[i], d->why) TH_LOG("cause %u", i);
			EXPECT_EQ(2, d->service);
			EXPECT_EQ(p.ea->ep->conf.uid, d->uid);
			if (whys[i] < WEFT_DENIED_ENDPOINT) {
				EXPECT_EQ(op.rem[1].key, d->key);
				EXPECT_EQ(op.rem[1].addr, d->addr);
			} else {
				EXPECT_EQ(op.rem[0].key, d->key);
				EXPECT_EQ(op.rem[0].addr, d->addr);
			}
			EXPECT_EQ(1, rig_counter(p.b->node, WEFT_CNT_rma_denied));
			rig_free(p.rig);
		}
}

/* The initiator cannot tell the cause: the same status, after the same time. */
TEST(refuse__alike)
{
	struct weft_cqe e, first;
	weft_ns from, took = 0;
	struct rig_rma op;
	struct pair p;
	u32 dst, i;

	for (dst = 0; dst < 2; dst++)
		for (i = 0; i < ARRAY_SIZE(whys); i++) {
			pair_init(&p, dst);
			/* the path is there, and idle */
			op = pair_op(&p, true, 0, 8, 99);
			ASSERT_EQ(0, rig_rma(p.ea, &op));
			ASSERT_EQ(0, pair_status(&p, 99));
			rig_run(p.rig, NSEC_PER_SEC);
			op = refused(_metadata, &p, i);
			op.context = 7;
			from = p.rig->now;
			ASSERT_EQ(0, rig_rma(p.ea, &op));
			while (rig_cq_read(p.ca, &e) != 1)
				ASSERT_EQ(true, rig_step(p.rig, from + NSEC_PER_SEC));
			if (!i) {
				first = e;
				took = p.rig->now - from;
			}
			EXPECT_EQ(dst, took > 0);
			EXPECT_EQ(took, p.rig->now - from) TH_LOG("cause %u", i);
			EXPECT_EQ(EACCES, e.status);
			EXPECT_EQ(0, memcmp(&first, &e, sizeof(e)));
			rig_free(p.rig);
		}
}

TEST_HARNESS_MAIN
