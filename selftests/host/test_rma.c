// SPDX-License-Identifier: GPL-2.0-only
/*
 * One-sided operations: bytes of every length arrive at their place and nowhere else, between nodes
 * and within one, with memory that is resident or not; each refusal has its errno, and changes no
 * byte; nothing outlives an endpoint, a region, a path.
 */
#include "pair.h"
#include "harness.h"

/*
 * Return: the first byte of @mem that differs from pair_byte(@i, @in) in [@off, @off + @len), else
 * from pair_byte(@i, @out).
 */
static u32 differs(const u8 *mem, u64 off, u64 len, u8 in, u8 out)
{
	u32 i;

	for (i = 0; i < PAIR_ROOM; i++)
		if (mem[i] != pair_byte(i, i - off < len ? in : out))
			break;
	return i;
}

static const u32 lens[] = { 1, 8, 192, 200, 201, 256, 960, 961, 1056, 1057, 1100, 1300, 1400, 4096,
			    4097, 16384, 16385, 20000, 65000, 65280, 65536, 70000, 200000 };

/* One operation of each length, at an odd address. */
static void each_length(struct __test_metadata *_metadata, struct pair *p, bool write)
{
	struct rig_rma op;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		op = pair_op(p, write, 3 + i, lens[i], i + 1);
		ASSERT_EQ(0, rig_rma(p->ea, &op));
		ASSERT_EQ(0, pair_status(p, i + 1)) TH_LOG("%u bytes", lens[i]);
		if (write) {
			ASSERT_EQ(PAIR_ROOM, differs(p->room, 3 + i, lens[i], 0, 99))
				TH_LOG("%u bytes", lens[i]);
		} else {
			ASSERT_EQ(PAIR_ROOM, differs(p->buf, 3 + i, lens[i], 99, 0))
				TH_LOG("%u bytes", lens[i]);
		}
		for (k = 3 + i; k < 3 + i + lens[i]; k++) {
			p->buf[k] = pair_byte(k, 0);
			p->room[k] = pair_byte(k, 99);
		}
	}
}

static void lengths(struct __test_metadata *_metadata, struct rig_conf *conf, u32 dst, bool write)
{
	struct weft_cqe e;
	struct pair p;

	pair_make(&p, conf, dst, PAIR_ALL);
	each_length(_metadata, &p, write);
	EXPECT_EQ(0, rig_cq_read(p.cb, &e));
	EXPECT_EQ(ARRAY_SIZE(lens), rig_counter(&p.rig->node[dst],
						write ? WEFT_CNT_rma_writes : WEFT_CNT_rma_reads));
	EXPECT_EQ(0, rig_counter(&p.rig->node[dst], WEFT_CNT_rma_denied));
	rig_free(p.rig);
}

TEST(rma__write_between_nodes)
{
	struct rig_conf conf;

	pair_conf(&conf, 0, 0);
	lengths(_metadata, &conf, 1, true);
	pair_conf(&conf, RIG_PPM / 2, 0);
	lengths(_metadata, &conf, 1, true);
	pair_conf(&conf, RIG_PPM, 0);
	lengths(_metadata, &conf, 1, true);
	pair_conf(&conf, RIG_PPM / 4, RIG_PPM / 20);
	lengths(_metadata, &conf, 1, true);
}

/*
 * Short writes, one at a time: each is copied straight into the port's packet, from the ring or
 * from resident memory.
 */
TEST(rma__write_alone)
{
	static const struct {
		u32 len, flags;
	} forms[] = { { 8, WEFT_SQ_INLINE }, { 960, WEFT_SQ_INLINE }, { 8, 0 }, { 1056, 0 } };
	struct rig_conf conf;
	struct rig_rma op;
	struct pair p;
	u32 i, before = 0;

	pair_conf(&conf, 0, 0);
	/* counted, and none refused */
	conf.resv = U32_MAX;
	pair_make(&p, &conf, 1, PAIR_ALL);
	for (i = 0; i < 24; i++) {
		op = pair_op(&p, true, 2000 * i, forms[i % 4].len, i);
		op.flags |= forms[i % 4].flags;
		ASSERT_EQ(0, rig_rma(p.ea, &op));
		ASSERT_EQ(0, pair_status(&p, i));
		EXPECT_EQ(0, memcmp(p.buf + 2000 * i, p.room + 2000 * i, forms[i % 4].len));
		/* the first ones wait for their flow */
		if (i >= 2)
			EXPECT_EQ(before + 1, p.rig->node[0].nresv) TH_LOG("write %u", i);
		before = p.rig->node[0].nresv;
	}
	rig_free(p.rig);
}

/* Messages that no receive takes use up the credit: bytes behind a request are announced. */
TEST(rma__write_without_credit)
{
	struct rig_conf conf;
	struct pair p;
	u32 k;

	for (k = 0; k < 3; k++) {
		pair_conf(&conf, k == 1 ? RIG_PPM : 0, k == 2 ? RIG_PPM / 20 : 0);
		ASSERT_LT(0, pair_spend(&p, &conf));
		each_length(_metadata, &p, true);
		rig_free(p.rig);
	}
}

TEST(rma__read_between_nodes)
{
	struct rig_conf conf;

	pair_conf(&conf, 0, 0);
	lengths(_metadata, &conf, 1, false);
	pair_conf(&conf, RIG_PPM / 2, 0);
	lengths(_metadata, &conf, 1, false);
	pair_conf(&conf, RIG_PPM, 0);
	lengths(_metadata, &conf, 1, false);
	pair_conf(&conf, RIG_PPM / 4, RIG_PPM / 20);
	lengths(_metadata, &conf, 1, false);
}

TEST(rma__write_within_the_node)
{
	struct rig_conf conf;

	pair_conf(&conf, 0, 0);
	lengths(_metadata, &conf, 0, true);
	pair_conf(&conf, RIG_PPM / 2, 0);
	lengths(_metadata, &conf, 0, true);
	pair_conf(&conf, RIG_PPM, 0);
	lengths(_metadata, &conf, 0, true);
}

TEST(rma__read_within_the_node)
{
	struct rig_conf conf;

	pair_conf(&conf, 0, 0);
	lengths(_metadata, &conf, 0, false);
	pair_conf(&conf, RIG_PPM / 2, 0);
	lengths(_metadata, &conf, 0, false);
	pair_conf(&conf, RIG_PPM, 0);
	lengths(_metadata, &conf, 0, false);
}

/*
 * An operation that is not over turns the fast path within the node off: later ones wait for it.
 * The next one that finds none under way turns it on again.
 */
TEST(rma__fast_again_within_the_node)
{
	struct rig_conf conf;
	struct rig_rma op;
	struct pair p;
	u32 i;

	pair_conf(&conf, 0, 0);
	pair_make(&p, &conf, 0, PAIR_ALL);
	for (i = 0; i < 6; i++) {
		/* the first one and the fourth meet memory that is not resident */
		p.b->mc->cold = i % 3 ? 0 : RIG_PPM;
		op = pair_op(&p, true, 2000 * i, 8, i);
		ASSERT_EQ(0, rig_rma(p.ea, &op));
		ASSERT_EQ(0, pair_status(&p, i));
		EXPECT_EQ(i % 3 != 0, p.ea->ep->flow.near) TH_LOG("write %u", i);
		EXPECT_EQ(0, memcmp(p.buf + 2000 * i, p.room + 2000 * i, 8));
	}
	rig_free(p.rig);
}

/* Several segments on both sides, cut differently, in two regions. */
static void segments(struct __test_metadata *_metadata, u32 dst, bool write)
{
	static const u32 local[] = { 100, 3000, 77 }, remote[] = { 1, 2000, 0, 1176 };
	struct rig_rma op = { .write = write, .flags = WEFT_SQ_COMPLETION, .context = 5, .n = 3,
			      .nrem = 4 };
	u32 i, k, at = 0, from[3] = { 10, 5000, 70000 }, to[4] = { 400, 9000, 1, 800 };
	struct pair p;

	pair_init(&p, dst);
	ASSERT_EQ(0, pair_expose(&p, 77, 0, p.room + 100000, 50000,
				 WEFT_REGION_READ | WEFT_REGION_WRITE));
	op.peer = p.to;
	for (i = 0; i < 3; i++)
		op.iov[i] = (struct weft_iov){ (uintptr_t)p.buf + from[i], local[i] };
	for (i = 0; i < 4; i++)
		op.rem[i] = (struct weft_rma_iov){ .addr = i % 2 ? to[i] : PAIR_BASE + to[i],
						   .len = remote[i], .key = i % 2 ? 77 : PAIR_KEY };
	ASSERT_EQ(0, rig_rma(p.ea, &op));
	ASSERT_EQ(0, pair_status(&p, 5));
	for (i = 0, k = 0; i < 4; i++) {
		u8 *r = p.room + to[i] + (i % 2 ? 100000 : 0);
		u32 j;

		for (j = 0; j < remote[i]; j++) {
			while (at == local[k]) {
				at = 0;
				k++;
			}
			ASSERT_EQ(p.buf[from[k] + at], r[j]) TH_LOG("segment %u, byte %u", i, j);
			at++;
		}
	}
	rig_free(p.rig);
}

TEST(rma__segments)
{
	segments(_metadata, 1, true);
	segments(_metadata, 1, false);
	segments(_metadata, 0, true);
	segments(_metadata, 0, false);
}

/* A region of more segments than an operation: windows take a part of them. */
static void pieces(struct __test_metadata *_metadata, u32 dst, bool write, u32 piece)
{
	struct weft_region_conf conf = { .key = 9, .n = WEFT_IOV_MAX,
					 .access = WEFT_REGION_READ | WEFT_REGION_WRITE };
	struct rig_rma op = { .write = write, .flags = WEFT_SQ_COMPLETION, .context = 6, .n = 1,
			      .nrem = 4 };
	u32 i, k, each = WEFT_IOV_MAX * piece;
	struct pair p;

	pair_init(&p, dst);
	/* every second piece, the last ones first */
	for (i = 0; i < WEFT_IOV_MAX; i++)
		conf.seg[i] = (struct weft_iov){
			(uintptr_t)p.room + 2 * (WEFT_IOV_MAX - i) * piece, piece };
	conf.len = each;
	ASSERT_EQ(0, weft_region_new(&p.b->domain, &conf));
	op.peer = p.to;
	op.iov[0] = (struct weft_iov){ (uintptr_t)p.buf, 4 * (each - 2) };
	for (i = 0; i < 4; i++)
		op.rem[i] = (struct weft_rma_iov){ .addr = 1, .len = each - 2, .key = 9 };
	ASSERT_EQ(0, rig_rma(p.ea, &op));
	ASSERT_EQ(0, pair_status(&p, 6));
	for (i = 1; i < each - 1; i++) {
		u8 *r = p.room + 2 * (WEFT_IOV_MAX - i / piece) * piece + i % piece;

		/* the last remote segment has been written last */
		k = write ? 3 * (each - 2) + i - 1 : i - 1;
		ASSERT_EQ(p.buf[k], *r) TH_LOG("byte %u", i);
	}
	rig_free(p.rig);
}

TEST(rma__pieces)
{
	pieces(_metadata, 1, true, 50);
	pieces(_metadata, 1, false, 50);
	pieces(_metadata, 0, true, 50);
	pieces(_metadata, 0, false, 50);
	pieces(_metadata, 1, true, 5000);
	pieces(_metadata, 1, false, 5000);
	pieces(_metadata, 0, true, 5000);
	pieces(_metadata, 0, false, 5000);
}

/* Each refusal has its errno, and no byte changes. */
static void refuse(struct __test_metadata *_metadata, struct pair *p, const struct rig_rma *op,
		   int err)
{
	ASSERT_EQ(0, rig_rma(p->ea, op));
	ASSERT_EQ(err, pair_status(p, op->context));
	EXPECT_EQ(PAIR_ROOM, differs(p->room, 0, 0, 0, 99));
	EXPECT_EQ(PAIR_ROOM, differs(p->buf, 0, 0, 0, 0));
}

static void refusals(struct __test_metadata *_metadata, u32 dst, bool write, u32 len)
{
	u32 right = write ? WEFT_REGION_WRITE : WEFT_REGION_READ, n = 0;
	u64 denied[] = { 0, 1, PAIR_KEY ^ 1, ~0ull };
	struct rig_rma op;
	struct pair p;
	u32 i;

	pair_init(&p, dst);
	/* no such key */
	for (i = 0; i < ARRAY_SIZE(denied); i++, n++) {
		op = pair_op(&p, write, 0, len, 1);
		op.rem[0].key = denied[i];
		refuse(_metadata, &p, &op, EACCES);
	}
	/* a key whose region has ended */
	ASSERT_EQ(0, pair_expose(&p, 3, 0, p.room, PAIR_ROOM,
				 WEFT_REGION_READ | WEFT_REGION_WRITE));
	ASSERT_EQ(0, rig_region_end(p.b, 3));
	ASSERT_EQ(-ENOENT, rig_region_end(p.b, 3));
	op.rem[0].key = 3;
	op.rem[0].addr = 0;
	refuse(_metadata, &p, &op, EACCES);
	/* one byte before and behind it, and addresses that wrap */
	op = pair_op(&p, write, 0, len, 2);
	op.rem[0].addr = PAIR_BASE - 1;
	refuse(_metadata, &p, &op, EACCES);
	op.rem[0].addr = PAIR_BASE + PAIR_ROOM - len + 1;
	refuse(_metadata, &p, &op, EACCES);
	op.rem[0].addr = ~0ull - len + 1;
	refuse(_metadata, &p, &op, EACCES);
	op.rem[0].addr = ~0ull;
	refuse(_metadata, &p, &op, EACCES);
	op.rem[0].addr = 0;
	refuse(_metadata, &p, &op, EACCES);
	n += 6;
	/* the region lacks the right, or has none */
	ASSERT_EQ(0, pair_expose(&p, 4, 0, p.room, PAIR_ROOM, right ^ 3));
	ASSERT_EQ(0, pair_expose(&p, 5, 0, p.room, PAIR_ROOM, 0));
	for (i = 4; i < 6; i++, n++) {
		op.rem[0].key = i;
		refuse(_metadata, &p, &op, EACCES);
	}
	/* the second of two segments is bad */
	op = pair_op(&p, write, 0, len, 3);
	op.nrem = 2;
	op.rem[0].len = len / 2;
	op.rem[1] = (struct weft_rma_iov){ .addr = PAIR_BASE, .len = len - len / 2, .key = 99 };
	refuse(_metadata, &p, &op, EACCES);
	n++;
	EXPECT_EQ(n, rig_counter(&p.rig->node[dst], WEFT_CNT_rma_denied));
	/* memory that is gone */
	ASSERT_EQ(0, pair_expose(&p, 6, 0, (u8 *)(uintptr_t)4096, PAIR_ROOM, 3));
	op = pair_op(&p, write, 0, len, 4);
	op.rem[0] = (struct weft_rma_iov){ .addr = 0, .len = len, .key = 6 };
	refuse(_metadata, &p, &op, EFAULT);
	/* and the next operation works */
	op = pair_op(&p, write, 0, len, 5);
	ASSERT_EQ(0, rig_rma(p.ea, &op));
	ASSERT_EQ(0, pair_status(&p, 5));
	rig_free(p.rig);
}

TEST(rma__refusals)
{
	static const u32 sizes[] = { 8, 3000, 100000 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		refusals(_metadata, 1, true, sizes[i]);
		refusals(_metadata, 1, false, sizes[i]);
		refusals(_metadata, 0, true, sizes[i]);
		refusals(_metadata, 0, false, sizes[i]);
	}
}

/* Operations without bytes look at no key and at no memory. */
TEST(rma__empty)
{
	struct rig_rma op = { .flags = WEFT_SQ_COMPLETION };
	struct pair p;
	u32 dst, i;

	for (dst = 0; dst < 2; dst++) {
		pair_init(&p, dst);
		op.peer = p.to;
		for (i = 0; i < 4; i++) {
			op.write = i % 2;
			op.nrem = i / 2;
			op.n = i / 2;
			op.rem[0] = (struct weft_rma_iov){ .addr = ~0ull, .key = 123 };
			op.context = i;
			ASSERT_EQ(0, rig_rma(p.ea, &op));
			EXPECT_EQ(0, pair_status(&p, i));
		}
		rig_free(p.rig);
	}
}

/* An endpoint without the right, and another user. */
TEST(rma__rights)
{
	struct rig_conf conf;
	struct rig_rma op;
	struct pair p;
	u32 dst, i;

	for (dst = 0; dst < 2; dst++)
		for (i = 0; i < 4; i++) {
			pair_conf(&conf, 0, 0);
			pair_make(&p, &conf, dst, i & 1 ? WEFT_EPF_REMOTE_READ :
							  WEFT_EPF_REMOTE_WRITE);
			op = pair_op(&p, i & 2, 0, 8, 1);
			ASSERT_EQ(0, rig_rma(p.ea, &op));
			EXPECT_EQ(!(i & 1) == !!(i & 2) ? 0 : EACCES, pair_status(&p, 1));
			p.ea->ep->conf.uid = 1000;
			op = pair_op(&p, !(i & 1), 0, 8, 2);
			ASSERT_EQ(0, rig_rma(p.ea, &op));
			EXPECT_EQ(EACCES, pair_status(&p, 2));
			p.rig->node[dst].core.conf.rma_same_user = false;
			ASSERT_EQ(0, rig_rma(p.ea, &op));
			EXPECT_EQ(0, pair_status(&p, 2));
			rig_free(p.rig);
		}
}

/*
 * Write n, read, write n + 1, at one place and without waiting: each read sees the value of the
 * write before it, whatever comes late, twice or not at all, and whatever is not resident.
 */
static void order(struct __test_metadata *_metadata, struct rig_conf *conf, u32 dst, u32 len)
{
	const u32 rounds = 60;
	struct rig_rma op;
	struct weft_cqe e;
	struct pair p;
	u32 i, done;

	pair_make(&p, conf, dst, PAIR_ALL);
	memset(p.room, 0, len);
	for (i = 0; i < rounds; i++)
		memset(p.buf + i * len, i + 1, len);
	for (i = 0; i < rounds; i++) {
		op = pair_op(&p, true, 0, len, 2 * i);
		op.iov[0].addr = (uintptr_t)p.buf + i * len;
		while (rig_rma(p.ea, &op))
			rig_run(p.rig, NSEC_PER_MSEC);
		op = pair_op(&p, false, 0, len, 2 * i + 1);
		op.iov[0].addr = (uintptr_t)p.buf + (rounds + i) * len;
		while (rig_rma(p.ea, &op))
			rig_run(p.rig, NSEC_PER_MSEC);
	}
	for (done = 0, i = 0; done < 2 * rounds && i < 2000; i++) {
		rig_run(p.rig, 10 * NSEC_PER_MSEC);
		while (rig_cq_read(p.ca, &e) == 1) {
			EXPECT_EQ(0, e.status);
			done++;
		}
	}
	ASSERT_EQ(2 * rounds, done);
	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(i + 1, p.buf[(rounds + i) * len]) {
			TH_LOG("round %u of %u bytes, node %u, loss %u", i, len, dst, conf->loss);
		}
		ASSERT_EQ(0, memcmp(p.buf + i * len, p.buf + (rounds + i) * len, len));
	}
	rig_free(p.rig);
}

TEST(rma__order)
{
	static const u32 sizes[] = { 8, 960, 4096 };
	struct rig_conf conf;
	u32 dst, i;

	for (dst = 0; dst < 2; dst++)
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			pair_conf(&conf, 0, 0);
			order(_metadata, &conf, dst, sizes[i]);
			pair_conf(&conf, RIG_PPM / 2, RIG_PPM / 10);
			order(_metadata, &conf, dst, sizes[i]);
		}
}

/* A fenced write leaves when a long read and a long write before it are over. */
/*
 * Within the node: messages behind an operation stay in their order, the one that waits and the one
 * that the fast path could send.
 */
TEST(rma__messages_behind)
{
	static const u32 sizes[] = { 8, 900, 8, 20000, 8 };
	struct rig_op get = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .n = 1 };
	struct rig_op put = { .n = 1 };
	struct weft_cqe e;
	struct rig_rma op;
	struct pair p;
	u32 i, k, n;

	for (k = 0; k < 8; k++) {
		pair_init(&p, 0);
		p.b->mc->cold = RIG_PPM * (k & 1);
		p.a->mc->cold = RIG_PPM * (k >> 1 & 1);
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			get.iov[0] = (struct weft_iov){ (uintptr_t)p.room + 30000 * i, 30000 };
			get.context = i;
			ASSERT_EQ(0, rig_recv(p.eb, &get));
		}
		put.peer = p.to;
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			op = pair_op(&p, k & 4, 500000, 64, 7);
			if (i == 1)
				ASSERT_EQ(0, rig_rma(p.ea, &op));
			put.iov[0] = (struct weft_iov){ (uintptr_t)p.buf, sizes[i] };
			ASSERT_EQ(0, rig_send(p.ea, &put));
		}
		ASSERT_EQ(0, pair_status(&p, 7));
		rig_run(p.rig, 100 * NSEC_PER_MSEC);
		for (n = 0; rig_cq_read(p.cb, &e) == 1; n++)
			EXPECT_EQ(sizes[e.context], e.len) TH_LOG("case %u", k);
		EXPECT_EQ(ARRAY_SIZE(sizes), n);
		rig_free(p.rig);
	}
}

TEST(rma__fence)
{
	struct rig_conf conf;
	struct rig_av *va;
	struct rig_rma op;
	struct pair p;
	struct rig_ep *ep;
	u32 dst;

	for (dst = 0; dst < 2; dst++) {
		pair_conf(&conf, RIG_PPM / 2, 0);
		conf.making = 50 * NSEC_PER_USEC;
		pair_make(&p, &conf, dst, PAIR_ALL);
		ep = rig_ep_new(p.a, WEFT_EP_RDM, WEFT_EPF_RMA | WEFT_EPF_FENCE, 64, 16, 3);
		va = rig_av_new(p.a);
		p.to = (u32)rig_av_insert(va, dst, 2, p.rig);
		ASSERT_EQ(0, rig_ep_enable(ep, p.ca, p.ca, NULL, va));
		op = pair_op(&p, true, 0, 300000, 1);
		ASSERT_EQ(0, rig_rma(ep, &op));
		op = pair_op(&p, false, 400000, 300000, 2);
		ASSERT_EQ(0, rig_rma(ep, &op));
		op = pair_op(&p, true, 900000, 8, 3);
		op.flags |= WEFT_SQ_FENCE;
		ASSERT_EQ(0, rig_rma(ep, &op));
		while (p.room[900000] != pair_byte(900000, 0))
			ASSERT_TRUE(rig_step(p.rig, U64_MAX));
		EXPECT_EQ(pair_byte(299999, 0), p.room[299999]);
		EXPECT_EQ(pair_byte(699999, 99), p.buf[699999]);
		EXPECT_EQ(pair_byte(400000, 99), p.buf[400000]);
		rig_free(p.rig);
	}
}

/* Post operations of several lengths until the ring is full. Return: how many. */
static u32 post_mix(struct pair *p, u32 most)
{
	static const u32 mix[] = { 8, 700, 5000, 64, 150000, 2000, 65536, 1 };
	struct rig_rma op;
	u32 i;

	for (i = 0; i < most; i++) {
		op = pair_op(p, i % 3, i * 1000, mix[i % ARRAY_SIZE(mix)], i);
		if (rig_rma(p->ea, &op))
			break;
	}
	return i;
}

/*
 * Read all completions for @wait. Return: number of different contexts; @ok: successes. @err: a
 * status that failures may have.
 */
static u32 collect(struct __test_metadata *_metadata, struct pair *p, weft_ns wait, u32 *ok,
		   u32 err)
{
	u8 seen[256] = { 0 };
	struct weft_cqe e;
	u32 i, n = 0;

	*ok = 0;
	for (i = 0; i < 200; i++) {
		rig_run(p->rig, wait / 200);
		while (rig_cq_read(p->ca, &e) == 1) {
			ASSERT_GT(ARRAY_SIZE(seen), e.context) return 0;
			EXPECT_EQ(0, seen[e.context]++);
			*ok += !e.status;
			n++;
			EXPECT_TRUE(!e.status || e.status == err || e.status == ECONNREFUSED ||
				    e.status == ECONNRESET || e.status == ETIMEDOUT ||
				    e.status == EHOSTUNREACH)
				TH_LOG("status %u", e.status);
		}
	}
	return n;
}

/*
 * A region ends while it is used: operations succeed or fail, and after the call no byte of it
 * changes.
 */
TEST(rma__region_ends)
{
	struct rig_conf conf;
	u8 *copy = malloc(PAIR_ROOM);
	struct pair p;
	u32 i, n, ok;

	for (i = 0; i < 60; i++) {
		pair_conf(&conf, i % 3 ? RIG_PPM / 3 : 0, i % 5 ? 0 : RIG_PPM / 20);
		conf.seed = i + 1;
		conf.making = i % 2 * 20 * NSEC_PER_USEC;
		pair_make(&p, &conf, i % 2, PAIR_ALL);
		n = post_mix(&p, 40);
		rig_run(p.rig, i * i * NSEC_PER_USEC);
		ASSERT_EQ(0, rig_region_end(p.b, PAIR_KEY));
		memcpy(copy, p.room, PAIR_ROOM);
		ASSERT_EQ(n, collect(_metadata, &p, 20 * NSEC_PER_SEC, &ok, EACCES))
			TH_LOG("seed %u", i + 1);
		EXPECT_EQ(0, memcmp(copy, p.room, PAIR_ROOM));
		rig_free(p.rig);
	}
	free(copy);
}

#define READERS	100	/* nodes */
#define PIECE	20000	/* bytes of a read */

/**
 * struct reader - a program on a node of its own that reads the region again and again
 * @ep: its endpoint
 * @cq: its completions
 * @op: the read
 * @n: reads that have succeeded
 * @gone: reads that found no region
 */
struct reader {
	struct rig_ep *ep;
	struct rig_cq *cq;
	struct rig_rma op;
	u32 n;
	u32 gone;
};

static void reader_new(struct reader *r, struct pair *p, u32 node)
{
	struct rig_proc *proc = rig_proc_new(&p->rig->node[node]);
	struct rig_av *av = rig_av_new(proc);

	memset(r, 0, sizeof(*r));
	r->cq = rig_cq_new(proc, 64);
	r->ep = rig_ep_new(proc, WEFT_EP_RDM, WEFT_EPF_RMA | PAIR_ALL, 64, 64, 3);
	if (rig_ep_enable(r->ep, r->cq, r->cq, NULL, av))
		abort();
	r->op = pair_op(p, false, 100 * node, PIECE, 1);
	r->op.peer = (u32)rig_av_insert(av, p->b->node->index, 2, p->rig);
	r->op.iov[0].addr = (uintptr_t)rig_buf(proc, PIECE);
}

/* The next event, after which each reader whose read has ended reads again. */
static void readers_step(struct __test_metadata *_metadata, struct pair *p, struct reader *r)
{
	struct weft_cqe e;
	u32 i;

	ASSERT_TRUE(rig_step(p->rig, U64_MAX));
	for (i = 0; i < READERS; i++) {
		if (rig_cq_read(r[i].cq, &e) != 1)
			continue;
		EXPECT_TRUE(!e.status || e.status == EACCES) TH_LOG("status %u", e.status);
		r[i].n += !e.status;
		r[i].gone += !!e.status;
		ASSERT_EQ(0, rig_rma(r[i].ep, &r[i].op));
	}
}

/*
 * A hundred nodes read one region without a pause. It ends at once, although some of the nodes do
 * not answer any more. From then on no read succeeds.
 */
TEST(rma__many_readers)
{
	struct reader *r = calloc(READERS, sizeof(*r));
	struct rig_conf conf;
	struct pair p;
	u32 k, i, n;
	weft_ns from;

	for (k = 0; k < 2; k++) {
		pair_conf(&conf, k * RIG_PPM / 8, 0);
		conf.nodes = READERS + 2;
		pair_make(&p, &conf, 1, PAIR_ALL);
		for (i = 0; i < READERS; i++) {
			reader_new(&r[i], &p, i + 2);
			ASSERT_EQ(0, rig_rma(r[i].ep, &r[i].op));
		}
		for (n = 0; n < READERS;) {
			readers_step(_metadata, &p, r);
			for (n = 0; n < READERS && r[n].n > 2; n++)
				;
		}
		for (i = 0; i < READERS; i += 10)
			rig_cut(p.rig, 1, i + 2, true);
		from = rig_now(p.rig);
		ASSERT_EQ(0, rig_region_end(p.b, PAIR_KEY));
		EXPECT_GT(NSEC_PER_SEC, rig_now(p.rig) - from);
		for (i = 0; i < READERS; i++)
			r[i].n = 0;
		memset(p.room, 0, PAIR_ROOM);
		for (n = 0; n < READERS;) {
			readers_step(_metadata, &p, r);
			for (n = 0; n < READERS && (r[n].gone > 1 || n % 10 == 0); n++)
				EXPECT_GE(1, r[n].n);
		}
		rig_free(p.rig);
	}
	free(r);
}

/* The target's endpoint, its program, or its node ends. Each operation ends once. */
TEST(rma__target_ends)
{
	struct rig_conf conf;
	struct pair p;
	u32 i, n, ok;

	for (i = 0; i < 60; i++) {
		u32 dst = i % 4 ? 1 : 0;

		pair_conf(&conf, i % 3 ? RIG_PPM / 3 : 0, i % 5 ? 0 : RIG_PPM / 20);
		conf.seed = i + 1;
		conf.making = i % 2 * 20 * NSEC_PER_USEC;
		pair_make(&p, &conf, dst, PAIR_ALL);
		n = post_mix(&p, 40);
		rig_run(p.rig, i * i * NSEC_PER_USEC);
		if (i % 4 < 2)
			rig_ep_free(p.eb);
		else if (i % 4 == 2)
			rig_proc_end(p.b, true);
		else
			rig_crash(&p.rig->node[dst]);
		ASSERT_EQ(n, collect(_metadata, &p, 60 * NSEC_PER_SEC, &ok, EFAULT))
			TH_LOG("seed %u", i + 1);
		rig_free(p.rig);
	}
}

/* The initiator's endpoint or program ends: its memory is not used after that. */
TEST(rma__initiator_ends)
{
	struct rig_conf conf;
	u8 *copy = malloc(PAIR_ROOM);
	struct pair p;
	u32 i;

	for (i = 0; i < 60; i++) {
		pair_conf(&conf, i % 3 ? RIG_PPM / 3 : 0, i % 5 ? 0 : RIG_PPM / 20);
		conf.seed = i + 1;
		conf.making = i % 2 * 20 * NSEC_PER_USEC;
		pair_make(&p, &conf, i % 2, PAIR_ALL);
		post_mix(&p, 40);
		rig_run(p.rig, i * i * NSEC_PER_USEC);
		if (i % 4 < 2) {
			rig_ep_free(p.ea);
			memcpy(copy, p.buf, PAIR_ROOM);
			rig_run(p.rig, NSEC_PER_SEC);
			EXPECT_EQ(0, memcmp(copy, p.buf, PAIR_ROOM));
		} else {
			rig_proc_end(p.a, true);
		}
		rig_run(p.rig, 30 * NSEC_PER_SEC);
		/* nothing keeps the target's region */
		ASSERT_EQ(0, rig_region_end(p.b, PAIR_KEY));
		rig_free(p.rig);
	}
	free(copy);
}

/* The cable is cut for a while, or for good. */
TEST(rma__cut)
{
	struct rig_conf conf;
	struct pair p;
	u32 i, n, ok;

	for (i = 0; i < 40; i++) {
		pair_conf(&conf, i % 3 ? RIG_PPM / 3 : 0, 0);
		conf.seed = i + 1;
		pair_make(&p, &conf, 1, PAIR_ALL);
		n = post_mix(&p, 40);
		rig_run(p.rig, i * i * NSEC_PER_USEC);
		rig_cut(p.rig, 0, 1, true);
		rig_run(p.rig, i % 2 ? 3 * NSEC_PER_SEC : 30ull * NSEC_PER_SEC);
		rig_mend(p.rig);
		ASSERT_EQ(n, collect(_metadata, &p, 60 * NSEC_PER_SEC, &ok, 0))
			TH_LOG("seed %u", i + 1);
		if (i % 2)
			EXPECT_EQ(n, ok);
		rig_free(p.rig);
	}
}

/* Memory of the initiator that is gone. */
TEST(rma__own_memory)
{
	static const u32 sizes[] = { 8, 3000, 200000 };
	struct rig_rma op;
	struct pair p;
	u32 dst, i;

	for (dst = 0; dst < 2; dst++) {
		pair_init(&p, dst);
		for (i = 0; i < 2 * ARRAY_SIZE(sizes); i++) {
			op = pair_op(&p, i % 2, 0, sizes[i / 2], i);
			op.iov[0].addr = 4096;
			ASSERT_EQ(0, rig_rma(p.ea, &op));
			EXPECT_EQ(EFAULT, pair_status(&p, i)) TH_LOG("%u bytes", sizes[i / 2]);
		}
		rig_free(p.rig);
	}
}

TEST_HARNESS_MAIN
