// SPDX-License-Identifier: GPL-2.0-only
/*
 * Atomic operations on regions: each kind, operation and type against a model, of every length,
 * between nodes and within one; executed once whatever is lost; refusals change nothing.
 */
#include "pair.h"
#include "harness.h"
#include "core/rma/rma.h"

#define AT	4096		/* offset of the target's elements */
#define CMP	20000		/* offset of the compare operands at the initiator */
#define RES	40000		/* offset of the results */
#define OPERAND	60000		/* offset of the operands */

/* An operation on @len bytes at @at of the region. */
static struct rig_atomic make(const struct pair *p, u8 kind, u8 aop, u8 type, u64 at, u64 len,
			      u64 context)
{
	struct rig_atomic op = { .data = WEFT_ATOMIC_DATA(aop, type, kind, 0, 0), .len = len,
				 .flags = WEFT_SQ_COMPLETION, .peer = p->to, .context = context,
				 .nrem = 1 };

	if (aop != WEFT_AOP_READ) {
		op.n = 1;
		op.iov[0] = (struct weft_iov){ (uintptr_t)p->buf + OPERAND, len };
	}
	if (kind == WEFT_ATOMIC_COMPARE) {
		op.ncmp = 1;
		op.cmp[0] = (struct weft_iov){ (uintptr_t)p->buf + CMP, len };
	}
	if (kind != WEFT_ATOMIC_BASE) {
		op.nres = 1;
		op.res[0] = (struct weft_iov){ (uintptr_t)p->buf + RES, len };
	}
	op.rem[0] = (struct weft_rma_iov){ .addr = PAIR_BASE + at, .len = len, .key = PAIR_KEY };
	return op;
}

/* Let an operation be inline: its operands and compare operands in one segment. */
static void inlined(const struct pair *p, struct rig_atomic *op, u8 *both)
{
	u32 n = op->n ? (u32)op->len : 0;

	memcpy(both, p->buf + OPERAND, n);
	if (op->ncmp)
		memcpy(both + n, p->buf + CMP, op->len);
	op->iov[0] = (struct weft_iov){ (uintptr_t)both, n + (op->ncmp ? op->len : 0) };
	op->n = 1;
	op->ncmp = 0;
	op->flags |= WEFT_SQ_INLINE;
}

static bool same(const u8 *a, const u8 *b, u32 len)
{
	return !memcmp(a, b, len);
}

/* Post an operation whose result is known: the target's elements and the results have to agree. */
static void model(struct __test_metadata *_metadata, struct pair *p, u8 kind, u8 aop, u8 type,
		  u32 len, bool inl)
{
	struct rig_atomic op = make(p, kind, aop, type, AT, len, 7);
	struct weft_atomic a = { kind, aop, type };
	u8 want[WEFT_ATOMIC_MAX_BYTES + 16], res[WEFT_ATOMIC_MAX_BYTES], both[WEFT_INLINE_MAX];
	u32 i, size = weft_atomic_size(type);

	for (i = 0; i < len; i++) {
		p->room[AT + i] = (u8)(i * 7 + aop);
		p->buf[OPERAND + i] = (u8)(i * 5 + type);
		/* every second compare operand is the target's value */
		p->buf[CMP + i] = i / size % 2 ? p->room[AT + i] : (u8)(i * 3);
		p->buf[RES + i] = 0x11;
	}
	memcpy(want, p->room + AT - 8, len + 16);
	ASSERT_EQ(len / size, weft_atomic_apply(&a, want + 8, p->buf + OPERAND, p->buf + CMP, res,
						len / size));
	if (inl)
		inlined(p, &op, both);
	ASSERT_EQ(0, rig_atomic(p->ea, &op));
	ASSERT_EQ(0, pair_status(p, 7)) TH_LOG("kind %u, operation %u, type %u", kind, aop, type);
	EXPECT_TRUE(same(want, p->room + AT - 8, len + 16))
		TH_LOG("kind %u, operation %u, type %u", kind, aop, type);
	if (kind == WEFT_ATOMIC_BASE)
		memset(res, 0x11, len);
	EXPECT_TRUE(same(res, p->buf + RES, len))
		TH_LOG("results of kind %u, operation %u, type %u", kind, aop, type);
}

static void each(struct __test_metadata *_metadata, u32 dst, u32 cold, u32 loss)
{
	u32 kind, aop, type, n = 0;
	struct rig_conf conf;
	struct pair p;

	pair_conf(&conf, cold, loss);
	pair_make(&p, &conf, dst, PAIR_ALL);
	for (kind = 0; kind < 3; kind++)
		for (aop = 0; aop < 19; aop++)
			for (type = 0; type < 11; type++) {
				if (!weft_atomic_valid(kind, aop, type))
					continue;
				model(_metadata, &p, kind, aop, type, 24, false);
				model(_metadata, &p, kind, aop, type, 24,
				      aop != WEFT_AOP_READ);
				n += 2;
			}
	EXPECT_LT(300, n);
	EXPECT_EQ(n, rig_counter(&p.rig->node[dst], WEFT_CNT_rma_atomics));
	EXPECT_EQ(0, rig_counter(&p.rig->node[dst], WEFT_CNT_rma_reads));
	rig_free(p.rig);
}

TEST(rma_atomic__each)
{
	each(_metadata, 1, 0, 0);
	each(_metadata, 1, RIG_PPM / 2, 0);
	each(_metadata, 1, RIG_PPM / 8, RIG_PPM / 20);
	each(_metadata, 0, 0, 0);
	each(_metadata, 0, RIG_PPM / 2, 0);
}

static const u32 lens[] = { 8, 16, 88, 96, 104, 192, 200, 256, 960, 1352, 1400, 4096, 8192 };

static void lengths(struct __test_metadata *_metadata, u32 dst, u32 cold, u32 loss)
{
	struct rig_conf conf;
	struct pair p;
	u32 i;

	pair_conf(&conf, cold, loss);
	pair_make(&p, &conf, dst, PAIR_ALL);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		model(_metadata, &p, WEFT_ATOMIC_BASE, WEFT_AOP_SUM, WEFT_ATYPE_UINT64, lens[i],
		      false);
		model(_metadata, &p, WEFT_ATOMIC_FETCH, WEFT_AOP_BXOR, WEFT_ATYPE_UINT64, lens[i],
		      false);
		model(_metadata, &p, WEFT_ATOMIC_COMPARE, WEFT_AOP_CSWAP, WEFT_ATYPE_UINT64,
		      lens[i], lens[i] <= 480);
		model(_metadata, &p, WEFT_ATOMIC_FETCH, WEFT_AOP_READ, WEFT_ATYPE_UINT64, lens[i],
		      false);
	}
	rig_free(p.rig);
}

TEST(rma_atomic__lengths)
{
	lengths(_metadata, 1, 0, 0);
	lengths(_metadata, 1, RIG_PPM, 0);
	lengths(_metadata, 1, RIG_PPM / 4, RIG_PPM / 20);
	lengths(_metadata, 0, 0, 0);
	lengths(_metadata, 0, RIG_PPM, 0);
}

/* Segments of all kinds, cut differently. */
TEST(rma_atomic__segments)
{
	static const u32 cut[4][4] = { { 1, 60, 0, 19 }, { 33, 7, 39, 1 }, { 5, 5, 60, 10 },
				       { 8, 24, 16, 32 } };
	u64 target[10], operand[10], compare[10], result[10];
	u32 dst, i, k, at;
	struct pair p;

	for (dst = 0; dst < 2; dst++) {
		struct rig_atomic op = { .len = 80, .flags = WEFT_SQ_COMPLETION, .context = 3,
					 .n = 4, .ncmp = 4, .nres = 4, .nrem = 4 };
		struct weft_iov *iov[3] = { op.iov, op.cmp, op.res };

		pair_init(&p, dst);
		op.peer = p.to;
		op.data = WEFT_ATOMIC_DATA(WEFT_AOP_CSWAP_LE, WEFT_ATYPE_INT64,
					   WEFT_ATOMIC_COMPARE, 0, 0);
		for (i = 0; i < 10; i++) {
			target[i] = i;
			operand[i] = 100 + i;
			compare[i] = 5;
		}
		for (k = 0; k < 3; k++)
			for (i = 0; i < 4; i++)
				iov[k][i] = (struct weft_iov){
					(uintptr_t)p.buf + 10000 * k + 300 * (4 - i), cut[k][i] };
		for (i = 0, at = 0; i < 4; at += cut[0][i++])
			memcpy(p.buf + 300 * (4 - i), (u8 *)operand + at, cut[0][i]);
		for (i = 0, at = 0; i < 4; at += cut[1][i++])
			memcpy(p.buf + 10000 + 300 * (4 - i), (u8 *)compare + at, cut[1][i]);
		for (i = 0, at = 0; i < 4; at += cut[3][i++]) {
			op.rem[i] = (struct weft_rma_iov){ .addr = PAIR_BASE + 512 * (4 - i),
							   .len = cut[3][i], .key = PAIR_KEY };
			memcpy(p.room + 512 * (4 - i), (u8 *)target + at, cut[3][i]);
		}
		ASSERT_EQ(0, rig_atomic(p.ea, &op));
		ASSERT_EQ(0, pair_status(&p, 3));
		for (i = 0, at = 0; i < 4; at += cut[2][i++])
			memcpy((u8 *)result + at, p.buf + 20000 + 300 * (4 - i), cut[2][i]);
		for (i = 0, at = 0; i < 4; at += cut[3][i++])
			memcpy((u8 *)target + at, p.room + 512 * (4 - i), cut[3][i]);
		for (i = 0; i < 10; i++) {
			EXPECT_EQ(i, result[i]);
			EXPECT_EQ(i < 5 ? i : 100 + i, target[i]);
		}
		rig_free(p.rig);
	}
}

/* Messages that no receive takes use up the credit: operands are announced, and wait for none. */
TEST(rma_atomic__without_credit)
{
	struct rig_conf conf;
	struct pair p;
	u32 i, k;

	for (k = 0; k < 6; k++) {
		pair_conf(&conf, k % 3 == 1 ? RIG_PPM : 0, k % 3 == 2 ? RIG_PPM / 20 : 0);
		ASSERT_LT(0, pair_spend(&p, &conf));
		for (i = 0; i < ARRAY_SIZE(lens); i++) {
			model(_metadata, &p, k < 3 ? WEFT_ATOMIC_COMPARE : WEFT_ATOMIC_BASE,
			      k < 3 ? WEFT_AOP_MSWAP : WEFT_AOP_MIN, WEFT_ATYPE_INT64, lens[i],
			      false);
			model(_metadata, &p, WEFT_ATOMIC_FETCH, WEFT_AOP_PROD, WEFT_ATYPE_UINT64,
			      lens[i], false);
		}
		rig_free(p.rig);
	}
}

/* Each operation is executed once, whatever is lost and sent again: no value is fetched twice. */
TEST(rma_atomic__once)
{
	u64 *word, *results, sum = 0;
	struct rig_conf conf;
	struct weft_cqe e;
	u8 seen[240];
	struct pair p;
	u32 k, i, n;

	for (k = 0; k < 8; k++) {
		pair_conf(&conf, k & 1 ? RIG_PPM / 3 : 0, k & 2 ? RIG_PPM / 8 : 0);
		conf.seed = k + 1;
		pair_make(&p, &conf, k < 6, PAIR_ALL);
		word = (u64 *)(p.room + AT);
		results = (u64 *)(p.buf + RES);
		*word = 0;
		*(u64 *)(p.buf + OPERAND) = 1;
		memset(seen, 0, sizeof(seen));
		for (i = 0; i < ARRAY_SIZE(seen); i++) {
			struct rig_atomic op = make(&p, WEFT_ATOMIC_FETCH, WEFT_AOP_SUM,
						    WEFT_ATYPE_UINT64, AT, 8, i);

			op.res[0].addr += 8 * i;
			while (rig_atomic(p.ea, &op))
				ASSERT_TRUE(rig_step(p.rig, U64_MAX));
		}
		for (n = 0; n < ARRAY_SIZE(seen);) {
			if (rig_cq_read(p.ca, &e) != 1) {
				ASSERT_TRUE(rig_step(p.rig, U64_MAX));
				continue;
			}
			EXPECT_EQ(0, e.status);
			EXPECT_EQ(WEFT_CQE_SEND | WEFT_CQE_READ | WEFT_CQE_ATOMIC, e.flags);
			ASSERT_LT(results[e.context], ARRAY_SIZE(seen));
			EXPECT_EQ(0, seen[results[e.context]]++);
			/* one endpoint: in its order */
			EXPECT_EQ(e.context, results[e.context]);
			n++;
		}
		EXPECT_EQ(ARRAY_SIZE(seen), *word);
		sum += *word;
		rig_free(p.rig);
	}
	EXPECT_EQ(8 * ARRAY_SIZE(seen), sum);
}

#define MANY	20000
#define BATCH	50	/* of them at the same time */

/* The same for very many operations on a link that loses packets. */
TEST(rma_atomic__once_of_many)
{
	u8 *seen = calloc(MANY, 1);
	struct rig_conf conf;
	struct weft_cqe e;
	u64 *results;
	struct pair p;
	u32 i, n, left;

	pair_conf(&conf, 0, RIG_PPM / 20);
	pair_make(&p, &conf, 1, PAIR_ALL);
	results = (u64 *)(p.buf + RES);
	*(u64 *)(p.room + AT) = 0;
	*(u64 *)(p.buf + OPERAND) = 1;
	for (n = 0; n < MANY; n += BATCH) {
		for (i = 0; i < BATCH; i++) {
			struct rig_atomic op = make(&p, WEFT_ATOMIC_FETCH, WEFT_AOP_SUM,
						    WEFT_ATYPE_UINT64, AT, 8, i);

			op.res[0].addr += 8 * i;
			while (rig_atomic(p.ea, &op))
				ASSERT_TRUE(rig_step(p.rig, U64_MAX));
		}
		for (left = BATCH; left;) {
			if (rig_cq_read(p.ca, &e) != 1) {
				ASSERT_TRUE(rig_step(p.rig, U64_MAX));
				continue;
			}
			ASSERT_EQ(0, e.status);
			ASSERT_GT(MANY, results[e.context]);
			ASSERT_EQ(0, seen[results[e.context]]++);
			left--;
		}
	}
	EXPECT_EQ(MANY, *(u64 *)(p.room + AT));
	EXPECT_LT(MANY / 100, p.rig->nlost);
	rig_free(p.rig);
	free(seen);
}

/* Post an operation that is refused with @err and changes nothing. */
static void refused(struct __test_metadata *_metadata, struct pair *p,
		    const struct rig_atomic *op, int err)
{
	u8 room[1024], res[64];

	memcpy(room, p->room + AT - 512, sizeof(room));
	memcpy(res, p->buf + RES, sizeof(res));
	ASSERT_EQ(0, rig_atomic(p->ea, op));
	EXPECT_EQ(err, pair_status(p, op->context));
	EXPECT_TRUE(same(room, p->room + AT - 512, sizeof(room)));
	EXPECT_TRUE(same(res, p->buf + RES, sizeof(res)));
}

TEST(rma_atomic__refusals)
{
	struct rig_atomic op;
	u32 dst, kind, i;
	struct pair p;

	for (dst = 0; dst < 2; dst++)
		for (kind = 0; kind < 3; kind++) {
			u8 aop = kind == 2 ? WEFT_AOP_CSWAP : WEFT_AOP_SUM;

			pair_init(&p, dst);
			for (i = 1; i < 8; i++) {
				op = make(&p, kind, aop, WEFT_ATYPE_INT64, AT + i, 8, i);
				refused(_metadata, &p, &op, EINVAL);
			}
			op = make(&p, kind, aop, WEFT_ATYPE_INT32, AT, 6, 9);
			refused(_metadata, &p, &op, EINVAL);
			op = make(&p, kind, aop, 11, AT, 8, 9);
			refused(_metadata, &p, &op, EOPNOTSUPP);
			op = make(&p, kind, kind == 2 ? WEFT_AOP_SUM : WEFT_AOP_CSWAP,
				  WEFT_ATYPE_INT64, AT, 8, 9);
			refused(_metadata, &p, &op, EOPNOTSUPP);
			op = make(&p, kind, aop, WEFT_ATYPE_INT8, AT, 1025, 9);
			refused(_metadata, &p, &op, EMSGSIZE);
			op = make(&p, kind, aop, WEFT_ATYPE_INT64, PAIR_ROOM - 8, 16, 9);
			refused(_metadata, &p, &op, EACCES);
			op = make(&p, kind, aop, WEFT_ATYPE_INT64, AT, 8, 9);
			op.rem[0].key++;
			refused(_metadata, &p, &op, EACCES);
			op = make(&p, kind, aop, WEFT_ATYPE_INT64, AT, 8, 9);
			op.iov[0].addr = 64;
			refused(_metadata, &p, &op, EFAULT);
			if (kind != WEFT_ATOMIC_BASE) {
				op = make(&p, kind, aop, WEFT_ATYPE_INT64, AT, 8, 9);
				op.res[0].addr = 64;
				refused(_metadata, &p, &op, EFAULT);
			}
			/* elements that a cut of the segments divides */
			op = make(&p, kind, aop, WEFT_ATYPE_INT64, AT, 16, 9);
			op.nrem = 2;
			op.rem[0].len = 12;
			op.rem[1] = op.rem[0];
			op.rem[1].addr += 12;
			op.rem[1].len = 4;
			refused(_metadata, &p, &op, EINVAL);
			rig_free(p.rig);
		}
}

/* Rights: of the region and of the endpoint. A read of the target needs no right to write. */
TEST(rma_atomic__rights)
{
	/* by kind, and FETCH with READ; bits: read 1, write 2 */
	static const u32 need[4] = { 2, 3, 3, 1 };
	u32 dst, what, have, where;
	struct rig_atomic op;
	struct rig_conf conf;
	struct pair p;

	for (dst = 0; dst < 2; dst++)
		for (where = 0; where < 2; where++)
			for (have = 0; have < 4; have++) {
				u32 flags = (have & 1 ? WEFT_EPF_REMOTE_READ : 0) |
					    (have & 2 ? WEFT_EPF_REMOTE_WRITE : 0);

				pair_conf(&conf, 0, 0);
				pair_make(&p, &conf, dst, where ? flags : PAIR_ALL);
				ASSERT_EQ(0, pair_expose(&p, 5, 0, p.room, 8192,
							 where ? 3 : have));
				for (what = 0; what < 4; what++) {
					op = make(&p, what == 3 ? 1 : (u8)what,
						  what == 3 ? WEFT_AOP_READ :
						  what == 2 ? WEFT_AOP_CSWAP : WEFT_AOP_SUM,
						  WEFT_ATYPE_UINT32, AT, 4, what);
					op.rem[0].key = 5;
					op.rem[0].addr = AT;
					ASSERT_EQ(0, rig_atomic(p.ea, &op));
					EXPECT_EQ(need[what] & ~have ? EACCES : 0,
						  pair_status(&p, what))
						TH_LOG("right %u of %u", have, what);
				}
				rig_free(p.rig);
			}
}

/* Something ends among operations that wait: each ends once, each element is old or new. */
TEST(rma_atomic__ends)
{
	static const enum pair_ends what[] = {
		PAIR_TARGET_EP, PAIR_TARGET, PAIR_REGION, PAIR_INITIATOR_EP, PAIR_TARGET_NODE,
	};
	struct rig_conf conf;
	struct weft_cqe e;
	u32 k, i, n, ok, dst;
	struct pair p;
	u64 *word;

	for (k = 0; k < 60; k++) {
		dst = what[k % 5] != PAIR_TARGET_NODE && k % 2 ? 0 : 1;
		pair_conf(&conf, k % 3 ? RIG_PPM / 3 : 0, k % 7 ? 0 : RIG_PPM / 20);
		conf.seed = k + 1;
		conf.making = k % 4 * 10 * NSEC_PER_USEC;
		pair_make(&p, &conf, dst, PAIR_ALL);
		word = (u64 *)(p.room + AT);
		*word = 0;
		*(u64 *)(p.buf + OPERAND) = 1;
		for (i = 0; i < 40; i++) {
			struct rig_atomic op = make(&p, i % 2, WEFT_AOP_SUM, WEFT_ATYPE_UINT64,
						    AT, 8, i);

			ASSERT_EQ(0, rig_atomic(p.ea, &op));
		}
		rig_run(p.rig, k * k * NSEC_PER_USEC);
		pair_end(&p, what[k % 5]);
		rig_run(p.rig, 30 * NSEC_PER_SEC);
		for (n = 0, ok = 0; rig_cq_read(p.ca, &e) == 1; n++)
			ok += !e.status;
		EXPECT_GE(40, n);
		EXPECT_TRUE(n == 40 || what[k % 5] == PAIR_INITIATOR_EP)
			TH_LOG("case %u: %u", k, n);
		if (what[k % 5] == PAIR_REGION) {
			EXPECT_LE(ok, *word);
			EXPECT_GE(40, *word);
		}
		rig_free(p.rig);
	}
}

TEST_HARNESS_MAIN
