// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations without objects (rma/direct.c, rma/short.c, rma/near.c): none is made; each is
 * executed once and in turn, whatever is lost; results are those of that execution; a burst needs
 * few packets; answers that find no space come later.
 */
#include "pair.h"
#include "harness.h"

#define KINDS	3	/* of operations: write, read, fetch and add */

/* An atomic operation with a result in @p->buf + 8 * @i: add 1 to the first word of the target. */
static int fetch_add(struct pair *p, u32 i)
{
	static const u64 one = 1;
	struct rig_atomic op = {
		.data = WEFT_ATOMIC_DATA(WEFT_AOP_SUM, WEFT_ATYPE_UINT64, WEFT_ATOMIC_FETCH, 0, 0),
		.flags = WEFT_SQ_COMPLETION | WEFT_SQ_INLINE, .peer = p->to, .context = i,
		.len = 8, .n = 1, .nres = 1, .nrem = 1,
	};

	op.iov[0] = (struct weft_iov){ (uintptr_t)&one, 8 };
	op.res[0] = (struct weft_iov){ (uintptr_t)p->buf + 8 * i, 8 };
	op.rem[0] = (struct weft_rma_iov){ .addr = PAIR_BASE, .len = 8, .key = PAIR_KEY };
	return rig_atomic(p->ea, &op);
}

static u64 word(const u8 *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static int operate(struct pair *p, u32 kind)
{
	struct rig_rma op = pair_op(p, !kind, 0, 8, 7);

	if (kind == 2)
		return fetch_add(p, 7);
	op.flags |= kind ? 0 : WEFT_SQ_INLINE;
	return rig_rma(p->ea, &op);
}

/* Each kind of operation, to node @dst. Neither side keeps anything. */
static void no_object(struct __test_metadata *_metadata, u32 dst)
{
	struct weft_path *path;
	struct pair p;
	u64 before;
	u32 kind;

	pair_init(&p, dst);
	for (kind = 0; kind < KINDS; kind++) {
		memset(p.buf, 3 + (int)kind, 8);
		before = word(p.room);
		ASSERT_EQ(0, operate(&p, kind));
		ASSERT_EQ(0, pair_status(&p, 7));
		if (kind == 2) {
			EXPECT_EQ(before, word(p.buf + 56));
			EXPECT_EQ(before + 1, word(p.room));
		} else {
			EXPECT_EQ(word(p.buf), word(p.room));
			EXPECT_EQ(kind == 1, before == word(p.buf));
		}
	}
	if (dst) {
		path = rig_path(&p.rig->node[1].core);
		EXPECT_NULL(path->msg.spare);
		EXPECT_EQ(0, path->nrxm);
		weft_path_put(path);
		path = rig_path(&p.rig->node[0].core);
		EXPECT_NULL(path->msg.spare);
		weft_path_put(path);
	}
	EXPECT_EQ(1, rig_counter(&p.rig->node[dst], WEFT_CNT_rma_writes));
	EXPECT_EQ(1, rig_counter(&p.rig->node[dst], WEFT_CNT_rma_reads));
	EXPECT_EQ(1, rig_counter(&p.rig->node[dst], WEFT_CNT_rma_atomics));
	EXPECT_EQ(0, rig_counter(&p.rig->node[dst], WEFT_CNT_deferred));
	rig_free(p.rig);
}

TEST(direct__no_object)
{
	no_object(_metadata, 1);
	no_object(_metadata, 0);
}

/*
 * Within the node up to WEFT_FAST_BYTES in one segment need no window. Short writes of two segments
 * need none either. All other operations take the slow path.
 */
TEST(direct__within_the_node)
{
	static const u32 lens[] = { 1, 256, 960, 961, 4096, WEFT_FAST_BYTES, WEFT_FAST_BYTES + 1 };
	u32 i, more, len;
	struct rig_rma op;
	bool slow, write;
	struct pair p;
	u64 made;

	pair_init(&p, 0);
	for (i = 0; i < 4 * ARRAY_SIZE(lens); i++) {
		write = i & 1;
		len = lens[i / 4];
		op = pair_op(&p, write, 5 + i, len, i);
		more = i & 2 && len > 1;
		if (more) {
			op.n = 2;
			op.iov[0].len = 1;
			op.iov[1] = (struct weft_iov){ op.iov[0].addr + 1, len - 1 };
		}
		slow = len > WEFT_FAST_BYTES || (more && (!write || len > WEFT_INLINE_MAX));
		memset(write ? p.room : p.buf, 0, PAIR_ROOM);
		memset(write ? p.buf : p.room, 1 + (int)i, PAIR_ROOM);
		made = p.rig->made;
		ASSERT_EQ(0, rig_rma(p.ea, &op));
		ASSERT_EQ(0, pair_status(&p, i));
		EXPECT_EQ(slow, p.rig->made > made) TH_LOG("%u bytes, %u", len, i % 4);
		EXPECT_EQ(0, memcmp(p.buf + 5 + i, p.room + 5 + i, len));
		EXPECT_EQ(0, (write ? p.room : p.buf)[4 + i]);
		EXPECT_EQ(0, (write ? p.room : p.buf)[5 + i + len]);
	}
	rig_free(p.rig);
}

/* With loss and duplicates: each addition is done once, and its result is that of its turn. */
static void once(struct __test_metadata *_metadata, u32 dst, u32 cold)
{
	struct rig_conf conf;
	u32 i, n = 0, posted = 0;
	struct weft_cqe e;
	struct pair p;
	u64 first;

	pair_conf(&conf, cold, RIG_PPM / 8);
	pair_make(&p, &conf, dst, PAIR_ALL);
	first = word(p.room);
	while (n < 500) {
		while (posted < 500 && !fetch_add(&p, posted))
			posted++;
		while (rig_cq_read(p.ca, &e) == 1) {
			ASSERT_EQ(0, e.status);
			n++;
		}
		ASSERT_TRUE(n == 500 || rig_step(p.rig, U64_MAX));
	}
	EXPECT_EQ(first + 500, word(p.room));
	for (i = 0; i < 500; i++)
		ASSERT_EQ(first + i, word(p.buf + 8 * i));
	rig_free(p.rig);
}

TEST(direct__once)
{
	once(_metadata, 1, 0);
	once(_metadata, 1, RIG_PPM / 3);
	once(_metadata, 0, 0);
	once(_metadata, 0, RIG_PPM / 3);
}

/* A read sees the writes before it, and not those behind it. */
static void order(struct __test_metadata *_metadata, u32 dst)
{
	struct rig_conf conf;
	struct rig_rma op;
	struct pair p;
	u32 i, k;

	pair_conf(&conf, RIG_PPM / 5, RIG_PPM / 8);
	pair_make(&p, &conf, dst, PAIR_ALL);
	for (i = 0; i < 100; i++) {
		for (k = 0; k < 2; k++) {
			u64 value = 2 * i + k;

			memcpy(p.buf + 8 * k, &value, 8);
		}
		for (k = 0; k < 3; k++) {
			op = pair_op(&p, k != 1, k == 1 ? 16 : 4 * k, 8, k);
			op.rem[0].addr = PAIR_BASE;
			op.flags |= k == 1 ? 0 : WEFT_SQ_INLINE;
			ASSERT_EQ(0, rig_rma(p.ea, &op));
		}
		for (k = 0; k < 3; k++)
			ASSERT_NE(-1, pair_status(&p, k));
		ASSERT_EQ(2 * i, word(p.buf + 16));
		ASSERT_EQ(2 * i + 1, word(p.room));
	}
	rig_free(p.rig);
}

TEST(direct__order)
{
	order(_metadata, 1);
	order(_metadata, 0);
}

/* No acknowledgement arrives for long: the answers are kept, and come. */
TEST(direct__answers_wait)
{
	struct rig_rma op;
	struct weft_cqe e;
	struct pair p;
	u32 i, n = 0;

	pair_init(&p, 1);
	for (i = 0; i < 100; i++) {
		if (i == 1)
			rig_cut_one(p.rig, 1, 0, true);
		op = pair_op(&p, false, 900 * i, 900, i);
		ASSERT_EQ(0, rig_rma(p.ea, &op));
		if (!i)
			ASSERT_EQ(0, pair_status(&p, 0));
	}
	rig_run(p.rig, 100 * NSEC_PER_MSEC);
	ASSERT_EQ(0, rig_cq_read(p.ca, &e));
	rig_cut_one(p.rig, 1, 0, false);
	for (i = 0; i < 200 && n < 99; i++) {
		rig_run(p.rig, 50 * NSEC_PER_MSEC);
		while (rig_cq_read(p.ca, &e) == 1) {
			ASSERT_EQ(0, e.status);
			n++;
		}
	}
	ASSERT_EQ(99, n);
	EXPECT_EQ(0, memcmp(p.buf, p.room, 90000));
	rig_free(p.rig);
}

/* Write an entry with a write of 8 bytes from the ring. Return: as rig_post_sq(). */
static int entry(struct pair *p, u32 i, bool more)
{
	u8 slots[2 * WEFT_SLOT_SIZE] = { 0 };
	struct weft_sqe *e = (void *)slots;

	e->op = WEFT_SQ_WRITE;
	e->nslots = 2;
	e->flags = WEFT_SQ_INLINE | WEFT_SQ_COMPLETION;
	e->dst = p->to;
	e->context = i;
	e->len = 8;
	e->tag = PAIR_KEY;
	e->nrem = 1;
	e->raddr = PAIR_BASE + 8 * i;
	memcpy(slots + WEFT_SLOT_SIZE, p->buf + 8 * i, 8);
	return rig_post_sq(p->ea, slots, 2, more);
}

/* A burst under one doorbell travels together, and is answered together. */
TEST(direct__burst)
{
	struct weft_cqe e;
	u64 there, back;
	struct pair p;
	u32 i;

	pair_init(&p, 1);
	ASSERT_EQ(0, entry(&p, 0, false));
	ASSERT_EQ(0, pair_status(&p, 0));
	there = rig_counter(&p.rig->node[0], WEFT_CNT_tx_packets);
	back = rig_counter(&p.rig->node[1], WEFT_CNT_tx_packets);
	for (i = 1; i <= 64; i++)
		ASSERT_EQ(0, entry(&p, i, i < 64));
	rig_run(p.rig, NSEC_PER_MSEC / 2);
	for (i = 1; i <= 64; i++) {
		ASSERT_EQ(1, rig_cq_read(p.ca, &e));
		EXPECT_EQ(i, e.context);
		EXPECT_EQ(0, e.status);
	}
	EXPECT_EQ(0, memcmp(p.buf, p.room, 65 * 8));
	EXPECT_GE(12, rig_counter(&p.rig->node[0], WEFT_CNT_tx_packets) - there);
	EXPECT_GE(12, rig_counter(&p.rig->node[1], WEFT_CNT_tx_packets) - back);
	rig_free(p.rig);
}

/* Bytes that wrap at the end of the ring, to node @dst. */
static void wraps(struct __test_metadata *_metadata, u32 dst)
{
	struct rig_rma op;
	struct pair p;
	u32 i;

	pair_init(&p, dst);
	for (i = 0; i < 300; i++) {
		op = pair_op(&p, true, 200 * i, 200, i);
		op.flags |= WEFT_SQ_INLINE;
		ASSERT_EQ(0, rig_rma(p.ea, &op));
		ASSERT_EQ(0, pair_status(&p, i));
	}
	EXPECT_EQ(0, memcmp(p.buf, p.room, 60000));
	rig_free(p.rig);
}

TEST(direct__wraps)
{
	wraps(_metadata, 1);
	wraps(_metadata, 0);
}

/* What the short way does not execute is refused as ever, and changes nothing. */
static void refused(struct __test_metadata *_metadata, u32 dst)
{
	static const int status[] = { EACCES, EACCES, EACCES, EFAULT };
	struct rig_rma op;
	struct pair p;
	u32 i, kind;

	pair_init(&p, dst);
	ASSERT_EQ(0, pair_expose(&p, 5, 0, p.room, 64, WEFT_REGION_READ));
	ASSERT_EQ(0, pair_expose(&p, 6, 0, NULL, 64, WEFT_REGION_READ | WEFT_REGION_WRITE));
	for (i = 0; i < ARRAY_SIZE(status); i++)
		for (kind = i == 2; kind < 2; kind++) {
			op = pair_op(&p, i == 2 || !kind, 0, 8, i);
			op.flags |= op.write ? WEFT_SQ_INLINE : 0;
			if (!i)
				op.rem[0].key++;
			if (i == 1)
				op.rem[0].addr = PAIR_BASE + PAIR_ROOM - 7;
			if (i >= 2)
				op.rem[0] = (struct weft_rma_iov){ .len = 8, .key = 3 + i };
			ASSERT_EQ(0, rig_rma(p.ea, &op));
			EXPECT_EQ(status[i], pair_status(&p, i)) TH_LOG("case %u", i);
		}
	for (i = 0; i < PAIR_ROOM; i++)
		ASSERT_EQ(pair_byte(i, 99), p.room[i]);
	ASSERT_EQ(0, rig_region_end(p.b, PAIR_KEY));
	ASSERT_EQ(0, operate(&p, 0));
	EXPECT_EQ(EACCES, pair_status(&p, 7));
	rig_free(p.rig);
}

TEST(direct__refused)
{
	refused(_metadata, 1);
	refused(_metadata, 0);
}

TEST_HARNESS_MAIN
