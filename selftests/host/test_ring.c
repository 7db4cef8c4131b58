// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send and receive rings: valid entries, each kind of invalid one, the ring's end, forged indices,
 * random slots
 */
#include "core/wire/ring.h"
#include "harness.h"

#define SIZE	16

FIXTURE(ring)
{
	struct weft_ring r;
	u32 doorbell;
	u8 *slots;
};

FIXTURE_SETUP(ring)
{
	self->slots = calloc(SIZE, WEFT_SLOT_SIZE);
	weft_ring_init(&self->r, self->slots, SIZE);
	self->doorbell = 0;
}

FIXTURE_TEARDOWN(ring)
{
	free(self->slots);
}

static void *slot(u8 *slots, u32 index)
{
	return slots + (index % SIZE) * WEFT_SLOT_SIZE;
}

TEST_F(ring, index)
{
	struct weft_ring *r = &self->r;

	EXPECT_EQ(WEFT_RING_EMPTY, weft_ring_look(r, &self->doorbell));
	self->doorbell = 1;
	EXPECT_EQ(WEFT_RING_OK, weft_ring_look(r, &self->doorbell));
	self->doorbell = SIZE;
	EXPECT_EQ(WEFT_RING_OK, weft_ring_look(r, &self->doorbell));
	self->doorbell = SIZE + 1;
	EXPECT_EQ(WEFT_RING_CORRUPT, weft_ring_look(r, &self->doorbell));
	self->doorbell = -1;
	EXPECT_EQ(WEFT_RING_CORRUPT, weft_ring_look(r, &self->doorbell));
	/* around 2^32 */
	r->cons = -3;
	self->doorbell = 5;
	EXPECT_EQ(WEFT_RING_OK, weft_ring_look(r, &self->doorbell));
	EXPECT_EQ(8, r->prod - r->cons);
	weft_ring_next(r, 8);
	weft_ring_publish(r, &self->doorbell);
	EXPECT_EQ(5, self->doorbell);
	EXPECT_EQ(WEFT_RING_EMPTY, weft_ring_look(r, &self->doorbell));
}

/* Put @e at the consumer index and decode it, with @room slots published. */
static int sq1(struct weft_ring *r, u8 *slots, const struct weft_sqe *e, u32 room, bool msg,
	       struct weft_sq_entry *out)
{
	u32 doorbell = r->cons + room;

	memset(out, 0xee, sizeof(*out));
	memcpy(slot(slots, r->cons), e, sizeof(*e));
	if (weft_ring_look(r, &doorbell) == WEFT_RING_CORRUPT)
		return -1;
	return weft_ring_sq(r, msg, out);
}

static int rq1(struct weft_ring *r, u8 *slots, const struct weft_rqe *e, u32 room, bool msg,
	       struct weft_rq_entry *out)
{
	u32 doorbell = r->cons + room;

	memset(out, 0xee, sizeof(*out));
	memcpy(slot(slots, r->cons), e, sizeof(*e));
	if (weft_ring_look(r, &doorbell) == WEFT_RING_CORRUPT)
		return -1;
	return weft_ring_rq(r, msg, out);
}

static const struct weft_sqe send1 = {
	.op = WEFT_SQ_TSEND, .nslots = 1, .flags = WEFT_SQ_COMPLETION | WEFT_SQ_DATA, .dst = 3,
	.context = 0x1234, .addr = 0x10000, .len = 100, .tag = 5, .data = 6, .niov = 1,
};

TEST_F(ring, send)
{
	struct weft_sq_entry e;
	struct weft_sqe s = send1;

	ASSERT_EQ(WEFT_RING_OK, sq1(&self->r, self->slots, &s, 1, false, &e));
	EXPECT_EQ(1, e.nslots);
	EXPECT_EQ(WEFT_SQ_TSEND, e.op);
	EXPECT_FALSE(e.inl);
	EXPECT_EQ(s.flags, e.flags);
	EXPECT_EQ(3, e.dst);
	EXPECT_EQ(0x1234, e.context);
	EXPECT_EQ(5, e.tag);
	EXPECT_EQ(6, e.data);
	EXPECT_EQ(100, e.len);
	EXPECT_EQ(1, e.vec.n);
	EXPECT_EQ(100, e.vec.len);
	EXPECT_EQ(0x10000, e.vec.seg[0].addr);
	EXPECT_EQ(100, e.vec.seg[0].len);
	EXPECT_EQ(WEFT_RING_EMPTY, sq1(&self->r, self->slots, &s, 0, false, &e));
	/* an empty send */
	s.niov = 0;
	s.addr = 0;
	s.len = 0;
	ASSERT_EQ(WEFT_RING_OK, sq1(&self->r, self->slots, &s, 1, false, &e));
	EXPECT_EQ(0, e.vec.n);
	EXPECT_EQ(0, e.len);
}

/* Segments, at every place of the ring. */
TEST_F(ring, segments)
{
	struct weft_sqe s = send1;
	struct weft_sq_entry e;
	u32 n, at, i;

	for (n = 2; n <= WEFT_IOV_MAX; n++) {
		for (at = 0; at < SIZE; at++) {
			self->r.cons = at;
			s.niov = n;
			s.nslots = 1 + (n + 3) / 4;
			s.addr = 0;
			s.len = 0;
			for (i = 0; i < n; i++) {
				struct weft_iov *v = slot(self->slots, at + 1 + i / 4);

				v[i % 4].addr = 0x1000 * i;
				v[i % 4].len = 10 + i;
				s.len += 10 + i;
			}
			ASSERT_EQ(WEFT_RING_OK,
				  sq1(&self->r, self->slots, &s, s.nslots, false, &e));
			ASSERT_EQ(n, e.vec.n);
			for (i = 0; i < n; i++) {
				EXPECT_EQ(0x1000 * i, e.vec.seg[i].addr);
				EXPECT_EQ(10 + i, e.vec.seg[i].len);
			}
			s.len++;
			EXPECT_EQ(WEFT_RING_BAD,
				  sq1(&self->r, self->slots, &s, s.nslots, false, &e));
			EXPECT_EQ(EINVAL, e.err);
			EXPECT_EQ(s.nslots, e.nslots);
			EXPECT_EQ(0x1234, e.context);
		}
	}
}

/* Inline payload of every length, at every place of the ring. */
TEST_F(ring, payload)
{
	u8 want[WEFT_INLINE_MAX], got[WEFT_INLINE_MAX + 1];
	struct weft_sqe s = send1;
	const void *pay;
	struct weft_sq_entry e;
	u32 len, at, i;

	for (i = 0; i < sizeof(want); i++)
		want[i] = weft_random();
	s.flags |= WEFT_SQ_INLINE;
	s.niov = 0;
	s.addr = 0;
	for (len = 0; len <= WEFT_INLINE_MAX; len++) {
		at = len % SIZE;
		self->r.cons = at;
		s.len = len;
		s.nslots = 1 + (len + 63) / 64;
		for (i = 0; i < len; i++)
			((u8 *)slot(self->slots, at + 1 + i / 64))[i % 64] = want[i];
		ASSERT_EQ(WEFT_RING_OK, sq1(&self->r, self->slots, &s, s.nslots, false, &e)) {
			TH_LOG("length %u", len);
		}
		ASSERT_TRUE(e.inl);
		EXPECT_EQ(0, e.vec.n);
		memset(got, 0x77, sizeof(got));
		weft_ring_payload(&self->r, &e, got);
		ASSERT_EQ(0, memcmp(want, got, len));
		ASSERT_EQ(0x77, got[len]);
		/* the payload stays in the ring, unless it wraps around the ring's end */
		pay = weft_ring_inline(&self->r, &e);
		at = (at + 1) % SIZE;
		ASSERT_EQ(at + s.nslots - 1 <= SIZE, !!pay) {
			TH_LOG("length %u", len);
		}
		if (pay)
			ASSERT_EQ(0, memcmp(want, pay, len));
	}
	s.len = WEFT_INLINE_MAX + 1;
	s.nslots = 16;
	EXPECT_EQ(WEFT_RING_BAD, sq1(&self->r, self->slots, &s, 16, false, &e));
	EXPECT_EQ(EMSGSIZE, e.err);
}

TEST_F(ring, undecodable)
{
	struct weft_sqe s = send1;
	struct weft_rqe q = { .op = WEFT_RQ_RECV, .nslots = 1, .src = WEFT_SRC_ANY };
	struct weft_sq_entry e;
	struct weft_rq_entry f;

	s.nslots = 0;
	EXPECT_EQ(WEFT_RING_CORRUPT, sq1(&self->r, self->slots, &s, 4, false, &e));
	s.nslots = 17;
	EXPECT_EQ(WEFT_RING_CORRUPT, sq1(&self->r, self->slots, &s, 16, false, &e));
	s.nslots = 3;
	EXPECT_EQ(WEFT_RING_CORRUPT, sq1(&self->r, self->slots, &s, 2, false, &e));
	q.nslots = 0;
	EXPECT_EQ(WEFT_RING_CORRUPT, rq1(&self->r, self->slots, &q, 4, false, &f));
	q.nslots = 255;
	EXPECT_EQ(WEFT_RING_CORRUPT, rq1(&self->r, self->slots, &q, 16, false, &f));
	q.nslots = 2;
	EXPECT_EQ(WEFT_RING_CORRUPT, rq1(&self->r, self->slots, &q, 1, false, &f));
}

/* Each field of a send that may be wrong, one at a time. */
TEST_F(ring, bad_sends)
{
	struct {
		struct weft_sqe s;
		bool msg;
		int err;
	} bad[] = {
		{ send1, false, EOPNOTSUPP }, { send1, false, EOPNOTSUPP },
		{ send1, false, EINVAL },     { send1, false, EINVAL },
		{ send1, false, EINVAL },     { send1, false, EINVAL },
		{ send1, false, EINVAL },     { send1, true, EINVAL },
		{ send1, false, EINVAL },     { send1, false, EMSGSIZE },
		{ send1, false, EFAULT },     { send1, false, EINVAL },
		{ send1, false, EINVAL },     { send1, false, EINVAL },
		{ send1, false, EINVAL },     { send1, false, EINVAL },
		{ send1, false, EINVAL },
	};
	struct weft_sq_entry e;
	u32 i;

	bad[0].s.op = 0;
	bad[1].s.op = 3;
	bad[2].s.flags |= WEFT_SQ_FENCE;
	bad[3].s.flags |= 0x8000;
	bad[4].s.nrem = 1;
	bad[5].s.raddr = 1ull << 63;
	bad[6].s.op = WEFT_SQ_SEND;		/* has a tag */
	bad[7].s.dst = 1;			/* of a connected endpoint */
	bad[8].s.flags &= ~WEFT_SQ_DATA;	/* has data */
	bad[9].s.len = WEFT_MSG_MAX + 1;
	bad[10].s.addr = -50;
	bad[11].s.niov = 9;
	bad[12].s.niov = 2;			/* in one slot, with an address */
	bad[13].s.niov = 0;			/* has bytes */
	bad[14].s.nslots = 2;
	bad[15].s.flags |= WEFT_SQ_INLINE;	/* has an address */
	bad[16].s.niov = 0xffffffff;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(WEFT_RING_BAD, sq1(&self->r, self->slots, &bad[i].s, 16, bad[i].msg, &e))
		{
			TH_LOG("number %u", i);
		}
		EXPECT_EQ(bad[i].err, e.err) TH_LOG("number %u", i);
		EXPECT_EQ(0x1234, e.context);
		EXPECT_EQ(bad[i].s.nslots, e.nslots);
	}
	/* inline, with the wrong number of slots, or with segments */
	bad[0].s = send1;
	bad[0].s.flags |= WEFT_SQ_INLINE;
	bad[0].s.addr = 0;
	bad[0].s.niov = 0;
	bad[0].s.nslots = 2;
	EXPECT_EQ(WEFT_RING_BAD, sq1(&self->r, self->slots, &bad[0].s, 16, false, &e));
	bad[0].s.nslots = 3;
	EXPECT_EQ(WEFT_RING_OK, sq1(&self->r, self->slots, &bad[0].s, 16, false, &e));
	bad[0].s.nslots = 4;
	EXPECT_EQ(WEFT_RING_BAD, sq1(&self->r, self->slots, &bad[0].s, 16, false, &e));
	bad[0].s.nslots = 3;
	bad[0].s.niov = 2;
	EXPECT_EQ(WEFT_RING_BAD, sq1(&self->r, self->slots, &bad[0].s, 16, false, &e));
	/* flags that are unknown on MSG */
	EXPECT_EQ(EINVAL, e.err);
}

/* Lengths of segments whose sum overflows to the right one. */
TEST_F(ring, overflow)
{
	struct weft_sqe s = send1;
	struct weft_iov *v = slot(self->slots, 1);
	struct weft_sq_entry e;

	s.niov = 3;
	s.nslots = 2;
	s.addr = 0;
	s.len = 10;
	v[0] = (struct weft_iov){ 0x1000, 20 };
	v[1] = (struct weft_iov){ 0x2000, -30ull };
	v[2] = (struct weft_iov){ 0x3000, 20 };
	EXPECT_EQ(WEFT_RING_BAD, sq1(&self->r, self->slots, &s, 2, false, &e));
	EXPECT_EQ(EINVAL, e.err);
	v[0] = (struct weft_iov){ 0x1000, 5 };
	v[1] = (struct weft_iov){ -3ull, 5 };
	v[2] = (struct weft_iov){ 0x3000, 0 };
	EXPECT_EQ(WEFT_RING_BAD, sq1(&self->r, self->slots, &s, 2, false, &e));
	EXPECT_EQ(EFAULT, e.err);
	v[1] = (struct weft_iov){ -5ull, 5 };
	EXPECT_EQ(WEFT_RING_BAD, sq1(&self->r, self->slots, &s, 2, false, &e));
	v[1] = (struct weft_iov){ -6ull, 5 };
	EXPECT_EQ(WEFT_RING_OK, sq1(&self->r, self->slots, &s, 2, false, &e));
}

TEST_F(ring, receive)
{
	struct weft_rqe q = {
		.op = WEFT_RQ_TRECV,
		.nslots = 1,
		.flags = WEFT_RQ_COMPLETION,
		.src = 9,
		.context = 0x55,
		.addr = 0x4000,
		.len = 77,
		.tag = 1,
		.ignore = 2,
		.niov = 1,
	};
	struct weft_rq_entry e;

	ASSERT_EQ(WEFT_RING_OK, rq1(&self->r, self->slots, &q, 1, false, &e));
	EXPECT_EQ(WEFT_RQ_TRECV, e.op);
	EXPECT_TRUE(e.tagged);
	EXPECT_EQ(WEFT_RQ_COMPLETION, e.flags);
	EXPECT_EQ(9, e.src);
	EXPECT_EQ(0x55, e.context);
	EXPECT_EQ(1, e.tag);
	EXPECT_EQ(2, e.ignore);
	EXPECT_EQ(1, e.vec.n);
	EXPECT_EQ(77, e.vec.len);
	/* connected: no source */
	EXPECT_EQ(WEFT_RING_BAD, rq1(&self->r, self->slots, &q, 1, true, &e));
	EXPECT_EQ(EINVAL, e.err);
	EXPECT_EQ(0x55, e.context);
	q.src = WEFT_SRC_ANY;
	EXPECT_EQ(WEFT_RING_OK, rq1(&self->r, self->slots, &q, 1, true, &e));
	/* untagged: no tag */
	q.op = WEFT_RQ_RECV;
	EXPECT_EQ(WEFT_RING_BAD, rq1(&self->r, self->slots, &q, 1, true, &e));
	q.tag = 0;
	EXPECT_EQ(WEFT_RING_BAD, rq1(&self->r, self->slots, &q, 1, true, &e));
	q.ignore = 0;
	ASSERT_EQ(WEFT_RING_OK, rq1(&self->r, self->slots, &q, 1, true, &e));
	EXPECT_FALSE(e.tagged);
	/* a multi-receive buffer: the least room is no more than it has */
	q.flags = WEFT_RQ_MULTI;
	q.ignore = q.len;
	ASSERT_EQ(WEFT_RING_OK, rq1(&self->r, self->slots, &q, 1, true, &e));
	EXPECT_EQ(q.len, e.ignore);
	q.ignore++;
	EXPECT_EQ(WEFT_RING_BAD, rq1(&self->r, self->slots, &q, 1, true, &e));
	EXPECT_EQ(EINVAL, e.err);
	EXPECT_EQ(0, e.flags);
	q.ignore = 0;
	q.flags = 0;
	q.part = 1;
	EXPECT_EQ(WEFT_RING_BAD, rq1(&self->r, self->slots, &q, 1, true, &e));
	q.part = 0;
	q.niov = 0;
	q.len = 0;
	q.addr = 0;
	for (q.op = WEFT_RQ_PEEK; q.op <= WEFT_RQ_DISCARD; q.op++) {
		EXPECT_EQ(WEFT_RING_OK, rq1(&self->r, self->slots, &q, 1, true, &e));
		EXPECT_EQ(q.op, e.op);
		EXPECT_TRUE(e.tagged);
		q.flags = WEFT_RQ_KEEP | WEFT_RQ_DROP;
		EXPECT_EQ(WEFT_RING_BAD, rq1(&self->r, self->slots, &q, 1, true, &e));
		EXPECT_EQ(EINVAL, e.err);
		EXPECT_TRUE(e.tagged);
		q.flags = 0;
	}
	q.op = 200;
	EXPECT_EQ(WEFT_RING_BAD, rq1(&self->r, self->slots, &q, 1, true, &e));
	EXPECT_EQ(EOPNOTSUPP, e.err);
}

TEST_F(ring, cancel)
{
	struct weft_rqe q = { .op = WEFT_RQ_CANCEL, .nslots = 1, .context = 1, .tag = 0x55 };
	struct weft_rq_entry e;

	ASSERT_EQ(WEFT_RING_OK, rq1(&self->r, self->slots, &q, 1, false, &e));
	EXPECT_EQ(WEFT_RQ_CANCEL, e.op);
	EXPECT_EQ(0x55, e.tag);
	EXPECT_EQ(0, e.vec.n);
	q.len = 1;
	EXPECT_EQ(WEFT_RING_BAD, rq1(&self->r, self->slots, &q, 1, false, &e));
	q.len = 0;
	q.nslots = 2;
	EXPECT_EQ(WEFT_RING_BAD, rq1(&self->r, self->slots, &q, 2, false, &e));
	q.nslots = 1;
	q.ignore = 1;
	EXPECT_EQ(WEFT_RING_BAD, rq1(&self->r, self->slots, &q, 1, false, &e));
}

/* Whatever is in the slots, decoding returns, and accepted entries are valid. */
TEST_F(ring, random)
{
	u32 i, k, good = 0;

	weft_host_seed(3);
	for (i = 0; i < 300000; i++) {
		u32 at = weft_random() % SIZE;
		u64 *w = slot(self->slots, at);
		struct weft_sq_entry s;
		struct weft_rq_entry q;
		u8 pay[WEFT_INLINE_MAX];
		u64 sum = 0;
		int r;

		for (k = 0; k < 8; k++)
			w[k] = weft_random() % 3 ? 0 :
			       weft_random() % 3 ? weft_random() % 300 :
						   weft_random();
		((u8 *)w)[0] = weft_random() % 4;
		((u8 *)w)[1] = weft_random() % 5 ? weft_random() % 4 : weft_random();
		if (weft_random() % 2)
			((struct weft_sqe *)w)->flags &= WEFT_SQ_FLAGS;
		self->r.cons = at;
		self->r.prod = at + weft_random() % (SIZE + 1);
		r = weft_ring_sq(&self->r, weft_random() & 1, &s);
		ASSERT_TRUE(r >= WEFT_RING_OK && r <= WEFT_RING_CORRUPT);
		if (r == WEFT_RING_OK || r == WEFT_RING_BAD)
			ASSERT_TRUE(s.nslots && s.nslots <= self->r.prod - self->r.cons);
		if (r == WEFT_RING_BAD)
			ASSERT_GT(s.err, 0);
		if (r == WEFT_RING_OK) {
			good++;
			ASSERT_EQ(0, s.err);
			if (s.inl)
				weft_ring_payload(&self->r, &s, pay);
			for (k = 0; k < s.vec.n; k++)
				sum += s.vec.seg[k].len;
			ASSERT_EQ(s.inl ? 0 : s.len, sum);
		}
		r = weft_ring_rq(&self->r, weft_random() & 1, &q);
		ASSERT_TRUE(r >= WEFT_RING_OK && r <= WEFT_RING_CORRUPT);
		if (r == WEFT_RING_OK || r == WEFT_RING_BAD)
			ASSERT_TRUE(q.nslots && q.nslots <= self->r.prod - self->r.cons);
	}
	EXPECT_GT(good, 100);
}

static const struct weft_sqe write1 = {
	.op = WEFT_SQ_WRITE, .nslots = 1, .flags = WEFT_SQ_COMPLETION, .dst = 3,
	.context = 0x1234, .addr = 0x10000, .len = 100, .tag = 5, .niov = 1, .nrem = 1,
	.raddr = 0x7000,
};

TEST_F(ring, operation)
{
	struct weft_sq_entry e;
	struct weft_sqe s = write1;

	/* only on an endpoint for them */
	EXPECT_EQ(WEFT_RING_BAD, sq1(&self->r, self->slots, &s, 1, false, &e));
	EXPECT_EQ(EOPNOTSUPP, e.err);
	self->r.rma = true;
	ASSERT_EQ(WEFT_RING_OK, sq1(&self->r, self->slots, &s, 1, false, &e));
	EXPECT_EQ(WEFT_SQ_WRITE, e.op);
	/* it completes when the peer has executed it */
	EXPECT_EQ(s.flags | WEFT_SQ_DELIVERY, e.flags);
	EXPECT_EQ(1, e.nrem);
	EXPECT_EQ(5, e.rem[0].key);
	EXPECT_EQ(0x7000, e.rem[0].addr);
	EXPECT_EQ(100, e.rem[0].len);
	EXPECT_EQ(0, e.tag);
	EXPECT_EQ(1, e.vec.n);
	EXPECT_EQ(0x10000, e.vec.seg[0].addr);
}

/* Local segments, or payload, then remote segments. */
TEST_F(ring, operation_segments)
{
	struct weft_rma_iov *rem;
	struct weft_sq_entry e;
	struct weft_iov *iov;
	struct weft_sqe s = write1;
	u32 i, k;

	self->r.rma = true;
	for (k = 0; k < 2; k++) {
		/* around the end of the ring */
		self->r.cons = SIZE - 2;
		s = write1;
		s.tag = 0;
		s.raddr = 0;
		s.nrem = 3;
		s.addr = 0;
		s.niov = 5 * !k;
		s.nslots = 5;
		if (k)
			s.flags |= WEFT_SQ_INLINE;
		iov = slot(self->slots, self->r.cons + 1);
		for (i = 0; i < 4; i++)
			iov[i] = (struct weft_iov){ 1000 * i, 10 + i };
		iov = slot(self->slots, self->r.cons + 2);
		iov[0] = (struct weft_iov){ 7, 54 };
		rem = slot(self->slots, self->r.cons + 3);
		rem[0] = (struct weft_rma_iov){ .addr = 1, .len = 50, .key = 11 };
		rem[1] = (struct weft_rma_iov){ .addr = 2, .len = 0, .key = 12 };
		rem = slot(self->slots, self->r.cons + 4);
		rem[0] = (struct weft_rma_iov){ .addr = 3, .len = 50, .key = 13 };
		ASSERT_EQ(WEFT_RING_OK, sq1(&self->r, self->slots, &s, 5, false, &e));
		EXPECT_EQ(3, e.nrem);
		EXPECT_EQ(13, e.rem[2].key);
		EXPECT_EQ(3, e.rem[2].addr);
		EXPECT_EQ(50, e.rem[2].len);
		EXPECT_EQ(k ? 0 : 5, e.vec.n);
		if (!k)
			EXPECT_EQ(54, e.vec.seg[4].len);
		/* the segments do not add up, and a field that is not used */
		rem[0].len++;
		EXPECT_EQ(WEFT_RING_BAD, sq1(&self->r, self->slots, &s, 5, false, &e));
		rem[0].len--;
		rem[0].rsvd = 1;
		EXPECT_EQ(WEFT_RING_BAD, sq1(&self->r, self->slots, &s, 5, false, &e));
	}
}

TEST_F(ring, operation_refused)
{
	struct {
		struct weft_sqe s;
		int err;
	} bad[14];
	struct weft_sq_entry e;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		bad[i].s = write1;
		bad[i].err = EINVAL;
	}
	bad[0].s.flags |= WEFT_SQ_MATCH;
	bad[1].s.flags |= WEFT_SQ_SOLICITED;
	bad[2].s.flags |= WEFT_SQ_FENCE;
	bad[3].s.data = 1;
	bad[4].s.nrem = 0;
	bad[5].s.nrem = WEFT_IOV_MAX + 1;
	bad[6].s.nrem = 2;
	bad[7].s.niov = 0;
	bad[8].s.len = WEFT_MSG_MAX + 1;
	bad[8].err = EMSGSIZE;
	bad[9].s.op = WEFT_SQ_READ;
	bad[9].s.flags |= WEFT_SQ_DATA;
	bad[10].s.op = WEFT_SQ_READ;
	bad[10].s.flags = WEFT_SQ_INLINE;
	bad[11].s.nslots = 2;
	bad[12].s.nrem = ~0u;
	bad[13].s.flags |= WEFT_SQ_GROUP;
	self->r.rma = true;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		ASSERT_EQ(WEFT_RING_BAD, sq1(&self->r, self->slots, &bad[i].s, 3, false, &e))
			TH_LOG("case %u", i);
		EXPECT_EQ(bad[i].err, e.err) TH_LOG("case %u", i);
		EXPECT_EQ(0x1234, e.context);
	}
	/* a connection has one destination */
	EXPECT_EQ(WEFT_RING_BAD, sq1(&self->r, self->slots, &bad[0].s, 3, true, &e));
}

TEST_HARNESS_MAIN
