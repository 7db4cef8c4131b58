// SPDX-License-Identifier: GPL-2.0-only
/*
 * Short writes in a row (rma/short.c, rma/direct.c, messaging/fast_end.c): a row travels in one
 * chunk; each write is executed once and in turn, whatever is lost; each has its own outcome and
 * completion; peers that do not know the chunk get messages.
 */
#include "pair.h"
#include "harness.h"

#define ROW	64u	/* writes in a row */

/* Write an entry: @len bytes at @off of both buffers. */
static int entry(struct pair *p, u32 i, u64 off, u32 len, bool more)
{
	struct rig_rma op = pair_op(p, true, off, len, i);

	op.flags |= WEFT_SQ_INLINE;
	op.more = more;
	return rig_rma(p->ea, &op);
}

/* A row of writes of @len bytes, one behind the other, under one doorbell. */
static void row(struct __test_metadata *_metadata, struct pair *p, u32 n, u32 len)
{
	u32 i;

	for (i = 0; i < n; i++)
		ASSERT_EQ(0, entry(p, i, (u64)i * len, len, i + 1 < n));
}

/* The completions of the writes @from to @to - 1, each once and without errors. */
static void complete(struct __test_metadata *_metadata, struct pair *p, u32 from, u32 to, u32 len)
{
	bool seen[256] = { false };
	struct weft_cqe e;
	u32 i;

	for (i = from; i < to; i++) {
		while (rig_cq_read(p->ca, &e) != 1)
			ASSERT_TRUE(rig_step(p->rig, U64_MAX));
		ASSERT_GT(to - from, e.context - from);
		ASSERT_FALSE(seen[e.context - from]);
		seen[e.context - from] = true;
		ASSERT_EQ(0, e.status);
		ASSERT_EQ(len, e.len);
		ASSERT_EQ(WEFT_CQE_SEND | WEFT_CQE_WRITE, e.flags);
	}
}

/* The same for a row from row(). */
static void completed(struct __test_metadata *_metadata, struct pair *p, u32 n, u32 len)
{
	complete(_metadata, p, 0, n, len);
	EXPECT_EQ(0, memcmp(p->buf, p->room, (size_t)n * len));
}

static u64 packets(struct pair *p, u32 node)
{
	return rig_counter(&p->rig->node[node], WEFT_CNT_tx_packets);
}

static void open_flow(struct __test_metadata *_metadata, struct pair *p)
{
	pair_init(p, 1);
	ASSERT_EQ(0, entry(p, 0, 0, 8, false));
	ASSERT_EQ(0, pair_status(p, 0));
	rig_run(p->rig, 20 * NSEC_PER_MSEC);
}

/* One packet each way, and nothing is left on either side. */
TEST(writes__one_packet)
{
	struct weft_path *path;
	u64 there, back;
	struct pair p;

	open_flow(_metadata, &p);
	there = packets(&p, 0);
	back = packets(&p, 1);
	row(_metadata, &p, ROW, 8);
	completed(_metadata, &p, ROW, 8);
	EXPECT_EQ(1, packets(&p, 0) - there);
	EXPECT_EQ(1, packets(&p, 1) - back);
	EXPECT_EQ(0, p.ea->ep->tx.ntxm);
	EXPECT_EQ(0, p.ea->ep->tx.nheld);
	path = rig_path(&p.rig->node[0].core);
	EXPECT_EQ(0, path->nwait);
	EXPECT_EQ(0, path->msg.sids.n);
	weft_path_put(path);
	EXPECT_EQ(ROW + 1, rig_counter(&p.rig->node[1], WEFT_CNT_rma_writes));
	EXPECT_EQ(ROW + 1, rig_counter(&p.rig->node[1], WEFT_CNT_msgs_received));
	rig_free(p.rig);
}

/* Each length, also with bytes that wrap at the end of the ring, and more than a packet holds. */
TEST(writes__lengths)
{
	struct pair p;
	u32 len, n, i;

	open_flow(_metadata, &p);
	for (len = 1; len <= 240; len += len < 20 ? 1 : 11) {
		n = min(ROW, 256 / (1 + DIV_ROUND_UP(len, 64)));
		memset(p.buf, (int)len, (size_t)n * len);
		memset(p.room, 0, (size_t)n * len + 8);
		row(_metadata, &p, n, len);
		completed(_metadata, &p, n, len);
		for (i = n * len; i < n * len + 8; i++)
			ASSERT_EQ(0, p.room[i]) TH_LOG("%u bytes", len);
	}
	rig_free(p.rig);
}

/* With loss and duplicates, also of memory that is not resident: executed once, and in turn. */
static void lossy(struct __test_metadata *_metadata, u32 cold, bool know)
{
	struct weft_path *path;
	struct rig_conf conf;
	struct pair p;
	u64 value;
	u32 i, k;

	pair_conf(&conf, cold, RIG_PPM / 8);
	pair_make(&p, &conf, 1, PAIR_ALL);
	ASSERT_EQ(0, entry(&p, 0, 0, 8, false));
	ASSERT_EQ(0, pair_status(&p, 0));
	path = rig_path(&p.rig->node[0].core);
	ASSERT_TRUE(path->peer_caps & WEFT_HELLO_WRITES);
	if (!know)
		path->peer_caps &= ~WEFT_HELLO_WRITES;
	weft_path_put(path);
	for (i = 0; i < 100; i++) {
		/* all but the first to the same place: the last one wins */
		for (k = 0; k < 20; k++) {
			struct rig_rma op = pair_op(&p, true, 0, 8, 20 * i + k);

			value = k ? 20 * i + k : ~(u64)i;
			memcpy(p.buf, &value, 8);
			op.rem[0].addr += k ? 0 : 8;
			op.flags |= WEFT_SQ_INLINE;
			op.more = k != 9 && k != 19;
			while (rig_rma(p.ea, &op))
				ASSERT_TRUE(rig_step(p.rig, U64_MAX));
		}
		complete(_metadata, &p, 20 * i, 20 * (i + 1), 8);
		value = 20 * i + 19;
		ASSERT_EQ(0, memcmp(p.room, &value, 8));
		value = ~(u64)i;
		ASSERT_EQ(0, memcmp(p.room + 8, &value, 8));
	}
	EXPECT_EQ(2001, rig_counter(&p.rig->node[1], WEFT_CNT_rma_writes));
	rig_run(p.rig, NSEC_PER_SEC);
	EXPECT_EQ(0, p.ea->ep->tx.ntxm);
	rig_free(p.rig);
}

TEST(writes__lossy)
{
	lossy(_metadata, 0, true);
	lossy(_metadata, RIG_PPM / 3, true);
}

/* A peer that does not know the chunk. */
TEST(writes__unknown)
{
	lossy(_metadata, 0, false);
}

/* Writes that differ in their kind, key, length or flags end a row; their order stays. */
TEST(writes__mixed)
{
	struct rig_rma op;
	struct weft_cqe e;
	struct pair p;
	u32 i, seen = 0;

	open_flow(_metadata, &p);
	ASSERT_EQ(0, pair_expose(&p, 5, PAIR_BASE, p.room, PAIR_ROOM, WEFT_REGION_WRITE));
	for (i = 0; i < 60; i++) {
		op = pair_op(&p, true, 16 * i, 8 + (i / 7) % 2 * 8, i);
		op.flags |= i / 5 % 3 ? WEFT_SQ_INLINE : 0;
		op.flags ^= i / 11 % 2 ? WEFT_SQ_COMPLETION : 0;
		if (i / 13 % 2)
			op.rem[0].key = 5;
		op.more = i < 59;
		ASSERT_EQ(0, rig_rma(p.ea, &op));
	}
	rig_run(p.rig, 20 * NSEC_PER_MSEC);
	for (i = 0; i < 60; i++) {
		u32 len = 8 + (i / 7) % 2 * 8;

		EXPECT_EQ(0, memcmp(p.buf + 16 * i, p.room + 16 * i, len));
		if (i / 11 % 2)
			continue;
		ASSERT_EQ(1, rig_cq_read(p.ca, &e));
		EXPECT_EQ(i, e.context);
		seen++;
	}
	EXPECT_EQ(0, rig_cq_read(p.ca, &e));
	EXPECT_EQ(0, p.ea->ep->tx.ntxm);
	rig_free(p.rig);
}

/* Each write of a row that may not be executed is refused, and no other one. */
TEST(writes__refused)
{
	struct rig_rma op;
	struct weft_cqe e;
	bool bad, seen[40] = { false };
	struct pair p;
	u32 i, n = 0;

	open_flow(_metadata, &p);
	for (i = 0; i < 40; i++) {
		op = pair_op(&p, true, 8 * i, 8, i);
		op.flags |= WEFT_SQ_INLINE;
		op.more = i < 39;
		if (i % 9 == 4)
			op.rem[0].addr = PAIR_BASE + PAIR_ROOM - 7;
		ASSERT_EQ(0, rig_rma(p.ea, &op));
	}
	rig_run(p.rig, 100 * NSEC_PER_MSEC);
	while (rig_cq_read(p.ca, &e) == 1) {
		ASSERT_GT(40, e.context);
		ASSERT_FALSE(seen[e.context]);
		seen[e.context] = true;
		bad = e.context % 9 == 4;
		EXPECT_EQ(bad ? EACCES : 0, e.status);
		EXPECT_EQ(!bad, !memcmp(p.buf + 8 * e.context, p.room + 8 * e.context, 8));
		n++;
	}
	EXPECT_EQ(40, n);
	/* of a key that does not exist, all */
	for (i = 0; i < 10; i++) {
		op = pair_op(&p, true, 8 * i, 8, i);
		op.flags |= WEFT_SQ_INLINE;
		op.more = i < 9;
		op.rem[0].key++;
		ASSERT_EQ(0, rig_rma(p.ea, &op));
	}
	for (i = 0; i < 10; i++)
		EXPECT_EQ(EACCES, pair_status(&p, i));
	EXPECT_EQ(0, p.ea->ep->tx.ntxm);
	rig_free(p.rig);
}

/* Without completions the report waits for the next packet, and then ends the whole row. */
TEST(writes__silent)
{
	struct weft_cqe e;
	struct pair p;
	u64 back;
	u32 i;

	open_flow(_metadata, &p);
	back = packets(&p, 1);
	for (i = 0; i < 20; i++) {
		struct rig_rma op = pair_op(&p, true, 8 * i, 8, i);

		op.flags = WEFT_SQ_INLINE;
		op.more = i < 19;
		ASSERT_EQ(0, rig_rma(p.ea, &op));
	}
	rig_run(p.rig, NSEC_PER_MSEC / 4);
	EXPECT_EQ(0, memcmp(p.buf, p.room, 160));
	EXPECT_EQ(20, p.ea->ep->tx.ntxm);
	EXPECT_EQ(back, packets(&p, 1));
	rig_run(p.rig, 20 * NSEC_PER_MSEC);
	EXPECT_EQ(0, p.ea->ep->tx.ntxm);
	EXPECT_EQ(back + 1, packets(&p, 1));
	EXPECT_EQ(0, rig_cq_read(p.ca, &e));
	rig_free(p.rig);
}

/* More writes than the flow has credit for, and than there are sends. */
TEST(writes__credit)
{
	struct pair p;
	u32 round;

	open_flow(_metadata, &p);
	for (round = 0; round < 40; round++) {
		memset(p.buf, (int)round + 1, 128 * 8);
		row(_metadata, &p, 128, 8);
		completed(_metadata, &p, 128, 8);
	}
	EXPECT_EQ(0, p.ea->ep->tx.ntxm);
	rig_free(p.rig);
}

/* A full queue: the completions wait, and come, each once. */
TEST(writes__full_queue)
{
	struct weft_cqe e;
	struct pair p;
	bool seen[1200] = { false };
	u32 i, k, n = 0;

	open_flow(_metadata, &p);
	/* its 1024 slots */
	for (k = 0; k < 10; k++) {
		for (i = 0; i < 120; i++)
			while (entry(&p, 120 * k + i, 8 * i, 8, i < 119))
				ASSERT_TRUE(rig_step(p.rig, U64_MAX));
		rig_run(p.rig, 5 * NSEC_PER_MSEC);
	}
	for (i = 0; i < 100 && n < 1200; i++) {
		while (rig_cq_read(p.ca, &e) == 1) {
			ASSERT_GT(1200, e.context);
			ASSERT_FALSE(seen[e.context]);
			seen[e.context] = true;
			ASSERT_EQ(0, e.status);
			n++;
		}
		rig_run(p.rig, 5 * NSEC_PER_MSEC);
	}
	EXPECT_EQ(1200, n);
	EXPECT_EQ(0, p.ea->ep->tx.ntxm);
	rig_free(p.rig);
}

/* Something ends while a row is under way: each write has one outcome. */
TEST(writes__ends)
{
	enum pair_ends what;
	struct weft_cqe e;
	struct pair p;
	u32 i, cut;

	for (what = PAIR_TARGET_EP; what <= PAIR_NOTHING; what++)
		for (cut = 0; cut < 2; cut++) {
			bool own = what == PAIR_INITIATOR_EP || what == PAIR_INITIATOR;
			u32 n = 0;

			open_flow(_metadata, &p);
			if (cut)
				rig_cut_one(p.rig, 1, 0, true);
			row(_metadata, &p, ROW, 8);
			rig_run(p.rig, cut ? 2 * NSEC_PER_MSEC : 1);
			pair_end(&p, what);
			if (cut)
				rig_cut_one(p.rig, 1, 0, false);
			if (own) {
				rig_free(p.rig);
				continue;
			}
			for (i = 0; i < 400 && n < ROW; i++) {
				while (rig_cq_read(p.ca, &e) == 1) {
					EXPECT_GT(ROW, e.context);
					n++;
				}
				rig_run(p.rig, 50 * NSEC_PER_MSEC);
			}
			EXPECT_EQ(ROW, n) TH_LOG("case %d %u", what, cut);
			rig_free(p.rig);
		}
}

/* Counters of the endpoints and of the region count each write of a row. */
TEST(writes__counters)
{
	struct weft_region_conf conf = { .key = 3, .len = 4096, .access = WEFT_REGION_WRITE,
					 .n = 1 };
	struct rig_cq *there, *here, *region;
	struct rig_rma op;
	struct pair p;
	u32 i, k;

	pair_init(&p, 1);
	there = rig_cq_new(p.b, 0);
	region = rig_cq_new(p.b, 0);
	here = rig_cq_new(p.a, 0);
	p.ea->rma_cntr[WEFT_CNTR_WRITE] = &here->cq;
	p.eb->rma_cntr[WEFT_CNTR_REMOTE_WRITE] = &there->cq;
	ASSERT_EQ(0, rig_ep_enable(p.ea, NULL, NULL, NULL, p.va));
	ASSERT_EQ(0, rig_ep_enable(p.eb, NULL, NULL, NULL, p.vb));
	conf.seg[0] = (struct weft_iov){ (uintptr_t)p.room, 4096 };
	conf.cntr = &region->cq;
	ASSERT_EQ(0, weft_region_new(&p.b->domain, &conf));
	for (k = 0; k < 3; k++) {
		for (i = 0; i < ROW; i++) {
			op = pair_op(&p, true, 8 * i, 8, i);
			op.flags = WEFT_SQ_INLINE | (k ? WEFT_SQ_COMPLETION : 0);
			op.rem[0].key = 3;
			op.rem[0].addr = 8 * i;
			op.more = i + 1 < ROW;
			ASSERT_EQ(0, rig_rma(p.ea, &op));
		}
		if (k)
			completed(_metadata, &p, ROW, 8);
		else
			rig_run(p.rig, 20 * NSEC_PER_MSEC);
		EXPECT_EQ((k + 1) * ROW, there->status.done);
		EXPECT_EQ((k + 1) * ROW, region->status.done);
		EXPECT_EQ((k + 1) * ROW, here->status.done);
	}
	rig_free(p.rig);
}

TEST_HARNESS_MAIN
