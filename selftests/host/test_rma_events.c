// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the target's program hears of one-sided operations: completions with remote CQ data,
 * counters of endpoints and of regions; and what its zones and its order mean.
 */
#include "pair.h"
#include "harness.h"

/* A write with remote CQ data. */
static struct rig_rma told(const struct pair *p, u64 off, u64 len, u64 context)
{
	struct rig_rma op = pair_op(p, true, off, len, context);

	op.flags |= WEFT_SQ_DATA;
	op.data = context << 40 | len;
	if (!len) {
		op.n = 0;
		op.nrem = 0;
	}
	return op;
}

/* Check a completion of told(@off, @len, @context) at the target: the bytes are there. */
static void hears(struct __test_metadata *_metadata, const struct pair *p,
		  const struct weft_cqe *e, u64 off, u64 len, u64 context)
{
	u64 i;

	EXPECT_EQ(WEFT_CQE_WRITE | WEFT_CQE_DATA, e->flags);
	EXPECT_EQ(context << 40 | len, e->data);
	EXPECT_EQ(len, e->len);
	EXPECT_EQ(0, e->context);
	EXPECT_EQ(0, e->status);
	EXPECT_EQ(0, e->src);
	for (i = off; i < off + len; i++)
		ASSERT_EQ(pair_byte((u32)i, 0), p->room[i]) TH_LOG("%llu bytes, byte %llu", len, i);
}

static const u32 lens[] = { 0, 1, 8, 200, 256, 960, 1300, 4096, 20000, 65536, 70000, 200000 };

/* Writes of each length. The bytes are in the region when the target reads the completion. */
static void data(struct __test_metadata *_metadata, u32 dst, u32 cold, u32 loss)
{
	u64 off[ARRAY_SIZE(lens)], at = 5;
	u32 i, n = 0, seen = 0, done = 0;
	struct rig_conf conf;
	struct rig_rma op;
	struct weft_cqe e;
	struct pair p;

	pair_conf(&conf, cold, loss);
	pair_make(&p, &conf, dst, PAIR_ALL);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		off[i] = at;
		op = told(&p, at, lens[i], i);
		at += lens[i];
		ASSERT_EQ(0, rig_rma(p.ea, &op));
	}
	for (;;) {
		while (rig_cq_read(p.cb, &e) == 1) {
			i = (u32)(e.data >> 40);
			ASSERT_LT(i, ARRAY_SIZE(lens));
			ASSERT_EQ(0, seen & 1u << i);
			seen |= 1u << i;
			n++;
			hears(_metadata, &p, &e, off[i], lens[i], i);
		}
		while (rig_cq_read(p.ca, &e) == 1) {
			EXPECT_EQ(0, e.status);
			EXPECT_EQ(WEFT_CQE_SEND | WEFT_CQE_WRITE, e.flags);
			done++;
		}
		if (n == ARRAY_SIZE(lens) && done == n)
			break;
		ASSERT_TRUE(rig_step(p.rig, U64_MAX));
	}
	rig_free(p.rig);
}

TEST(rma_events__data)
{
	data(_metadata, 1, 0, 0);
	data(_metadata, 1, RIG_PPM / 2, 0);
	data(_metadata, 1, RIG_PPM / 4, RIG_PPM / 20);
	data(_metadata, 0, 0, 0);
	data(_metadata, 0, RIG_PPM / 2, 0);
}

/* A refused write has no completion at the target, and no receive is consumed. */
TEST(rma_events__refused)
{
	struct rig_op recv = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .context = 77 };
	struct rig_op send = { .flags = WEFT_SQ_COMPLETION, .context = 5 };
	struct rig_rma op;
	struct weft_cqe e;
	struct pair p;
	u32 dst;

	for (dst = 0; dst < 2; dst++) {
		pair_init(&p, dst);
		recv.n = 1;
		recv.iov[0] = (struct weft_iov){ (uintptr_t)p.room + 500000, 64 };
		ASSERT_EQ(0, rig_recv(p.eb, &recv));
		op = told(&p, 0, 64, 1);
		op.rem[0].key++;
		ASSERT_EQ(0, rig_rma(p.ea, &op));
		EXPECT_EQ(EACCES, pair_status(&p, 1));
		op = told(&p, 0, 64, 2);
		ASSERT_EQ(0, rig_rma(p.ea, &op));
		EXPECT_EQ(0, pair_status(&p, 2));
		ASSERT_EQ(1, rig_cq_read(p.cb, &e));
		hears(_metadata, &p, &e, 0, 64, 2);
		send.peer = p.to;
		send.n = 1;
		send.iov[0] = (struct weft_iov){ (uintptr_t)p.buf, 8 };
		ASSERT_EQ(0, rig_send(p.ea, &send));
		EXPECT_EQ(0, pair_status(&p, 5));
		rig_run(p.rig, NSEC_PER_SEC);
		ASSERT_EQ(1, rig_cq_read(p.cb, &e));
		EXPECT_EQ(77, e.context);
		EXPECT_EQ(0, rig_cq_read(p.cb, &e));
		rig_free(p.rig);
	}
}

#define MANY	200	/* writes; the target's queue has 64 slots */

/*
 * The target's queue is full: each write waits for its completion there, and none is lost. Reads on
 * another flow go on.
 */
TEST(rma_events__full)
{
	struct rig_conf conf;
	struct rig_ep *other;
	u32 dst, k, i, done;
	struct rig_rma op;
	struct weft_cqe e;
	struct rig_av *va;
	struct rig_cq *co;
	struct pair p;

	for (k = 0; k < 6; k++) {
		dst = k % 2;
		pair_conf(&conf, k / 2 % 2 ? RIG_PPM / 3 : 0, k > 3 ? RIG_PPM / 50 : 0);
		pair_make(&p, &conf, dst, PAIR_ALL);
		for (i = 0; i < MANY; i++) {
			op = told(&p, 100 * i, 100, i);
			ASSERT_EQ(0, rig_rma(p.ea, &op));
		}
		rig_run(p.rig, NSEC_PER_SEC);
		for (done = 0; rig_cq_read(p.ca, &e) == 1; done++)
			EXPECT_EQ(0, e.status);
		EXPECT_EQ(64, done);
		co = rig_cq_new(p.a, 64);
		other = rig_ep_new(p.a, WEFT_EP_RDM, WEFT_EPF_RMA, 64, 16, 3);
		va = rig_av_new(p.a);
		ASSERT_EQ(0, rig_ep_enable(other, co, co, NULL, va));
		op = pair_op(&p, false, 500000, 70000, 999);
		op.peer = (u32)rig_av_insert(va, dst, 2, p.rig);
		ASSERT_EQ(0, rig_rma(other, &op));
		rig_run(p.rig, 2 * NSEC_PER_SEC);
		ASSERT_EQ(1, rig_cq_read(co, &e));
		EXPECT_EQ(0, e.status);
		for (i = 0; i < MANY; i++) {
			while (rig_cq_read(p.cb, &e) != 1)
				ASSERT_TRUE(rig_step(p.rig, U64_MAX)) TH_LOG("%u of case %u", i, k);
			hears(_metadata, &p, &e, 100 * i, 100, i);
		}
		for (; done < MANY; done++) {
			while (rig_cq_read(p.ca, &e) != 1)
				ASSERT_TRUE(rig_step(p.rig, U64_MAX));
			EXPECT_EQ(0, e.status);
		}
		rig_free(p.rig);
	}
}

/* Completions wait, and something ends: each write ends once, and nothing is written after it. */
TEST(rma_events__ends)
{
	static const enum pair_ends ends[] = {
		PAIR_TARGET_EP, PAIR_TARGET, PAIR_REGION, PAIR_INITIATOR_EP, PAIR_INITIATOR,
		PAIR_TARGET_NODE, PAIR_NOTHING,
	};
	enum pair_ends what;
	struct rig_conf conf;
	u32 i, k, n, dst;
	struct rig_rma op;
	struct weft_cqe e;
	struct pair p;

	for (k = 0; k < 2 * ARRAY_SIZE(ends); k++) {
		what = ends[k / 2];
		/* a crash of the target's node is not one of the initiator's */
		dst = k % 2 || what == PAIR_TARGET_NODE;
		pair_conf(&conf, k % 3 ? RIG_PPM / 3 : 0, 0);
		pair_make(&p, &conf, dst, PAIR_ALL);
		for (i = 0; i < 120; i++) {
			op = told(&p, 1000 * i, i % 9 ? 100 : 70000, i);
			ASSERT_EQ(0, rig_rma(p.ea, &op));
		}
		rig_run(p.rig, NSEC_PER_SEC);
		pair_end(&p, what);
		rig_run(p.rig, 30 * NSEC_PER_SEC);
		if (what != PAIR_INITIATOR_EP && what != PAIR_INITIATOR) {
			for (n = 0; rig_cq_read(p.ca, &e) == 1;)
				n++;
			EXPECT_EQ(what == PAIR_NOTHING ? 64 : 120, n) TH_LOG("case %u", k);
		}
		/* a reader frees slots: the rest is written, or nothing more */
		n = what == PAIR_TARGET_EP || what == PAIR_TARGET || what == PAIR_TARGET_NODE ?
			    300 : 0;
		for (; n < 300; n++) {
			if (rig_cq_read(p.cb, &e) == 1)
				EXPECT_EQ(WEFT_CQE_WRITE | WEFT_CQE_DATA, e.flags);
			rig_run(p.rig, NSEC_PER_MSEC);
		}
		rig_free(p.rig);
	}
}

/*
 * A long write to an endpoint that orders them is withdrawn while it keeps its turn, because its
 * bytes are gone: the operations behind it go on.
 */
TEST(rma_events__withdrawn)
{
	struct rig_conf conf;
	struct rig_rma op;
	struct pair p;
	u32 i;

	pair_conf(&conf, RIG_PPM, 0);
	pair_make(&p, &conf, 1, PAIR_ALL | WEFT_EPF_ORDERED);
	for (i = 0; i < 3; i++) {
		op = pair_op(&p, true, 0, 8, 1);
		ASSERT_EQ(0, rig_rma(p.ea, &op));
		ASSERT_EQ(0, pair_status(&p, 1));
		p.a->mc->fault = RIG_PPM;
		op = pair_op(&p, true, 0, 200000, 2);
		ASSERT_EQ(0, rig_rma(p.ea, &op));
		ASSERT_EQ(EFAULT, pair_status(&p, 2));
		p.a->mc->fault = 0;
		op = pair_op(&p, false, 0, 8, 3);
		ASSERT_EQ(0, rig_rma(p.ea, &op));
		ASSERT_EQ(0, pair_status(&p, 3));
	}
	rig_free(p.rig);
}

/* Counters of endpoints and regions: each operation once, refused ones at the initiator. */
TEST(rma_events__counters)
{
	struct rig_cq *ca[WEFT_RMA_CNTRS], *cb[WEFT_RMA_CNTRS], *regions[2];
	struct weft_region_conf conf = { .len = 1000, .access = WEFT_REGION_WRITE, .n = 1 };
	struct rig_rma op;
	struct pair p;
	u32 dst, i;

	for (dst = 0; dst < 2; dst++) {
		pair_init(&p, dst);
		for (i = 0; i < WEFT_RMA_CNTRS; i++) {
			ca[i] = rig_cq_new(p.a, 0);
			cb[i] = rig_cq_new(p.b, 0);
			p.ea->rma_cntr[i] = &ca[i]->cq;
			p.eb->rma_cntr[i] = &cb[i]->cq;
		}
		ASSERT_EQ(0, rig_ep_enable(p.ea, NULL, NULL, NULL, p.va));
		ASSERT_EQ(0, rig_ep_enable(p.eb, NULL, NULL, NULL, p.vb));
		for (i = 0; i < 2; i++) {
			regions[i] = rig_cq_new(p.b, 0);
			conf.key = 100 + i;
			conf.seg[0] = (struct weft_iov){ (uintptr_t)p.room + 1000 * i, 1000 };
			conf.cntr = &regions[i]->cq;
			ASSERT_EQ(0, weft_region_new(&p.b->domain, &conf));
		}
		for (i = 0; i < ARRAY_SIZE(lens); i++) {
			op = pair_op(&p, true, 2000, lens[i], i);
			ASSERT_EQ(0, rig_rma(p.ea, &op));
			ASSERT_EQ(0, pair_status(&p, i));
			op = pair_op(&p, false, 2000, lens[i], i);
			ASSERT_EQ(0, rig_rma(p.ea, &op));
			ASSERT_EQ(0, pair_status(&p, i));
		}
		op = pair_op(&p, true, 0, 30, 50);
		op.nrem = 3;
		for (i = 0; i < 3; i++)
			op.rem[i] = (struct weft_rma_iov){ .addr = 10 * i, .len = 10,
							   .key = 100 + i % 2 };
		ASSERT_EQ(0, rig_rma(p.ea, &op));
		ASSERT_EQ(0, pair_status(&p, 50));
		op.rem[0].key = 5;
		ASSERT_EQ(0, rig_rma(p.ea, &op));
		ASSERT_EQ(EACCES, pair_status(&p, 50));
		for (i = 0; i < WEFT_RMA_CNTRS; i++) {
			bool mine = i == WEFT_CNTR_WRITE || i == WEFT_CNTR_READ;
			bool write = i == WEFT_CNTR_WRITE || i == WEFT_CNTR_REMOTE_WRITE;

			EXPECT_EQ(mine ? ARRAY_SIZE(lens) + write : 0, ca[i]->status.done);
			EXPECT_EQ(i == WEFT_CNTR_WRITE, ca[i]->status.failed);
			EXPECT_EQ(mine ? 0 : ARRAY_SIZE(lens) + write, cb[i]->status.done);
			EXPECT_EQ(0, cb[i]->status.failed);
		}
		EXPECT_EQ(1, regions[0]->status.done);
		EXPECT_EQ(1, regions[1]->status.done);
		EXPECT_EQ(&regions[1]->cq, weft_region_cntr(&p.b->domain, 0, 101));
		EXPECT_EQ(NULL, weft_region_cntr(&p.b->domain, 0, 102));
		rig_free(p.rig);
	}
}

/*
 * The region ends when the initiator has the bytes, and before the target knows that. A short read
 * and an atomic operation have been executed: they count, and none fails.
 */
TEST(rma_events__ends_late)
{
	struct rig_atomic add = { .data = WEFT_ATOMIC_DATA(WEFT_AOP_SUM, WEFT_ATYPE_UINT64,
							   WEFT_ATOMIC_FETCH, 0, 0),
				  .flags = WEFT_SQ_COMPLETION, .len = 8, .n = 1, .nres = 1,
				  .nrem = 1, .context = 6 };
	struct rig_cq *reads, *changes;
	struct weft_region_conf conf;
	struct rig_conf rc;
	struct weft_cqe e;
	struct rig_rma op;
	struct pair p;
	u32 k, i;

	for (k = 0; k < 20; k++) {
		pair_conf(&rc, k % 2 ? RIG_PPM / 2 : 0, k % 4 > 1 ? RIG_PPM / 10 : 0);
		rc.seed = k + 1;
		pair_make(&p, &rc, 1, PAIR_ALL);
		reads = rig_cq_new(p.b, 0);
		changes = rig_cq_new(p.b, 0);
		p.eb->rma_cntr[WEFT_CNTR_REMOTE_READ] = &reads->cq;
		ASSERT_EQ(0, rig_ep_enable(p.eb, NULL, NULL, NULL, p.vb));
		conf = (struct weft_region_conf){
			.key = 3, .len = 4096, .n = 1,
			.access = WEFT_REGION_READ | WEFT_REGION_WRITE,
			.cntr = &changes->cq, .seg = { { (uintptr_t)p.room, 4096 } },
		};
		for (i = 0; i < 20; i++) {
			ASSERT_EQ(0, weft_region_new(&p.b->domain, &conf));
			op = pair_op(&p, false, 0, 1 + 200 * i, 5);
			op.rem[0].key = 3;
			op.rem[0].addr = 0;
			add.peer = p.to;
			add.iov[0] = (struct weft_iov){ (uintptr_t)p.buf + 8000, 8 };
			add.res[0] = (struct weft_iov){ (uintptr_t)p.buf + 9000, 8 };
			add.rem[0] = (struct weft_rma_iov){ .len = 8, .key = 3 };
			ASSERT_EQ(0, i % 2 ? rig_rma(p.ea, &op) : rig_atomic(p.ea, &add));
			while (rig_cq_read(p.ca, &e) != 1)
				ASSERT_TRUE(rig_step(p.rig, U64_MAX));
			EXPECT_EQ(0, e.status);
			ASSERT_EQ(0, rig_region_end(p.b, 3));
		}
		rig_run(p.rig, 2 * NSEC_PER_SEC);
		EXPECT_EQ(20, reads->status.done) TH_LOG("case %u", k);
		EXPECT_EQ(10, changes->status.done);
		EXPECT_EQ(0, rig_counter(&p.rig->node[1], WEFT_CNT_rma_denied));
		rig_free(p.rig);
	}
}

/* A region of a zone is accessed through endpoints of that zone only. */
TEST(rma_events__zones)
{
	struct weft_region_conf conf = { .access = WEFT_REGION_WRITE, .n = 1, .len = 100 };
	static const int want[3][2] = { { 0, 0 }, { 0, EACCES }, { EACCES, 0 } };
	struct rig_rma op;
	struct pair p;
	u32 dst, zone, i;

	for (dst = 0; dst < 2; dst++) {
		pair_init(&p, dst);
		conf.seg[0] = (struct weft_iov){ (uintptr_t)p.room, 100 };
		for (zone = 0; zone < 3; zone++) {
			conf.key = zone;
			conf.zone = zone;
			ASSERT_EQ(0, weft_region_new(&p.b->domain, &conf));
		}
		for (zone = 0; zone < 3; zone++)
			for (i = 0; i < 2; i++) {
				p.eb->ep->conf.zone = i + 1;
				op = pair_op(&p, true, 0, 8, zone);
				op.rem[0].key = zone;
				op.rem[0].addr = 0;
				ASSERT_EQ(0, rig_rma(p.ea, &op));
				EXPECT_EQ(want[zone][i], pair_status(&p, zone))
					TH_LOG("zone %u, endpoint of zone %u", zone, i + 1);
			}
		rig_free(p.rig);
	}
}

/* A message behind a long write is received when the write is in the region. */
TEST(rma_events__ordered)
{
	struct rig_op recv = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .n = 1 };
	struct rig_op send = { .n = 1 };
	struct rig_conf conf;
	struct rig_rma op;
	struct weft_cqe e;
	struct pair p;
	u32 k, i;

	for (k = 0; k < 24; k++) {
		pair_conf(&conf, k % 3 ? RIG_PPM / 2 : 0, k % 4 > 1 ? RIG_PPM / 20 : 0);
		conf.seed = k + 1;
		conf.making = 30 * NSEC_PER_USEC;
		pair_make(&p, &conf, k % 2, PAIR_ALL | WEFT_EPF_ORDERED);
		recv.iov[0] = (struct weft_iov){ (uintptr_t)p.room, 64 };
		send.iov[0] = (struct weft_iov){ (uintptr_t)p.buf, 8 };
		send.peer = p.to;
		for (i = 0; i < 3; i++) {
			ASSERT_EQ(0, rig_recv(p.eb, &recv));
			op = pair_op(&p, true, 1000 + 300000 * i, 300000, i);
			op.flags = 0;
			ASSERT_EQ(0, rig_rma(p.ea, &op));
			ASSERT_EQ(0, rig_send(p.ea, &send));
		}
		for (i = 0; i < 3; i++) {
			while (rig_cq_read(p.cb, &e) != 1)
				ASSERT_TRUE(rig_step(p.rig, U64_MAX)) TH_LOG("case %u", k);
			EXPECT_EQ(0, e.status);
			EXPECT_EQ(pair_byte(1000 + 300000 * i, 0), p.room[1000 + 300000 * i]);
			EXPECT_EQ(pair_byte(300999 + 300000 * i, 0), p.room[300999 + 300000 * i])
				TH_LOG("message %u of case %u", i, k);
		}
		rig_free(p.rig);
	}
}

TEST_HARNESS_MAIN
