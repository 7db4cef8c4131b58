// SPDX-License-Identifier: GPL-2.0-only
/*
 * Multi-receive buffers of a shared receive queue: endpoints take parts of one buffer
 *
 * Each endpoint gets its messages in order. Each buffer's release is told once, whichever endpoint
 * ends last. Also: cancel, too few parts, and endpoints that are destroyed.
 */
#include "core/api/internal.h"
#include "rig.h"
#include "harness.h"

#define EPS	3
#define BUFS	64
#define BUF	2048
#define MSGS	600
#define MULTI	(WEFT_RQ_MULTI | WEFT_RQ_COMPLETION)
#define RELEASE	(WEFT_CQE_MULTI | WEFT_CQE_RELEASE)

/**
 * struct many - a sender and endpoints that share receives
 * @rig: world
 * @a: the sender's program
 * @b: the receivers' program
 * @from: sending endpoint
 * @ca: its completions
 * @to: receiving endpoints
 * @cb: completions of each
 * @dst: their indices
 * @srq: their shared receive queue
 * @src: bytes to send
 * @mem: memory of the buffers: BUFS times BUF bytes
 * @sent: messages to each
 * @got: messages of each that arrived
 * @place: place of each message: order of its buffer, and offset in @mem; 0: unknown
 * @nposts: buffers that were posted
 * @order: position of each buffer in the order of posts
 * @posted: the buffer is posted, and takes messages
 * @over: the buffer's release has been told
 */
struct many {
	struct rig *rig;
	struct rig_proc *a, *b;
	struct rig_ep *from, *to[EPS];
	struct rig_cq *ca, *cb[EPS];
	u32 dst[EPS];
	struct rig_srq *srq;
	u8 *src, *mem;
	u32 sent[EPS], got[EPS];
	u64 place[EPS][MSGS];
	u32 nposts, order[BUFS];
	bool posted[BUFS], over[BUFS];
};

static void many_init(struct many *t, u32 node, u32 cq_slots, u32 cold, u64 seed)
{
	struct rig_av *va, *vb;
	struct rig_conf conf;
	u32 i;

	memset(t, 0, sizeof(*t));
	rig_conf_default(&conf, seed);
	conf.cold = cold;
	t->rig = rig_new(&conf);
	t->a = rig_proc_new(&t->rig->node[0]);
	t->b = rig_proc_new(&t->rig->node[node]);
	t->ca = rig_cq_new(t->a, 1024);
	t->srq = rig_srq_new(t->b, 64, BUFS, 0, NULL);
	va = rig_av_new(t->a);
	vb = rig_av_new(t->b);
	t->from = rig_ep_new(t->a, WEFT_EP_RDM, 0, 128, 16, 1);
	for (i = 0; i < EPS; i++) {
		t->cb[i] = rig_cq_new(t->b, cq_slots);
		t->to[i] = rig_ep_new(t->b, WEFT_EP_RDM, WEFT_EPF_SRQ, 16, 0, 10 + i);
		t->dst[i] = rig_av_insert(va, node, 10 + i, t->rig);
		if (weft_ep_share(t->to[i]->ep, t->srq->srq, vb->av) ||
		    rig_ep_enable(t->to[i], t->cb[i], t->cb[i], NULL, vb))
			abort();
	}
	if (rig_ep_enable(t->from, t->ca, t->ca, NULL, va))
		abort();
	t->src = rig_buf(t->a, 64 << 10);
	t->mem = rig_buf(t->b, BUFS * BUF);
}

static int post(struct many *t, u32 n, u32 len, u32 least)
{
	struct rig_op op = { .flags = MULTI, .peer = WEFT_SRC_ANY, .context = n, .ignore = least,
			     .n = 1 };

	op.iov[0] = (struct weft_iov){ .addr = (uintptr_t)t->mem + n * BUF, .len = len };
	return rig_srq_recv(t->srq, &op, NULL);
}

static int send_to(struct many *t, u32 i, u32 len)
{
	struct rig_op op = { .peer = t->dst[i], .n = len ? 1 : 0 };

	op.iov[0] = (struct weft_iov){ .addr = (uintptr_t)t->src, .len = len };
	return rig_send(t->from, &op);
}

static void settle(struct many *t)
{
	rig_run(t->rig, 200 * NSEC_PER_MSEC);
}

/* The next completion of an endpoint: of @len bytes at @off of buffer @n. */
static bool is(struct many *t, u32 i, u32 n, u32 off, u32 len, u16 flags)
{
	struct weft_cqe e;

	return rig_cq_read(t->cb[i], &e) == 1 && !e.status && e.context == n && e.len == len &&
	       (e.flags & RELEASE) == flags && e.ep == (u16)t->to[i]->handle &&
	       (flags == RELEASE || (e.buf == (uintptr_t)t->mem + n * BUF + off &&
				     !memcmp(t->mem + n * BUF + off, t->src, len)));
}

static bool quiet(struct many *t)
{
	struct weft_cqe e;
	u32 i, n = 0;

	for (i = 0; i < EPS; i++)
		n += rig_cq_read(t->cb[i], &e);
	return !n;
}

static u32 held(struct many *t)
{
	struct weft_srq_info info;

	rig_srq_look(t->srq, &info);
	return info.held;
}

TEST(multi_shared__packs)
{
	struct weft_cqe e;
	struct many t;
	u32 i, late;

	for (i = 0; i < 8; i++) {
		late = i & 2;
		many_init(&t, i & 1, 64, i & 4 ? RIG_PPM : 0, 3);
		if (!late)
			ASSERT_EQ(0, post(&t, 7, 256, 64));
		ASSERT_EQ(0, send_to(&t, 0, 96));
		settle(&t);
		ASSERT_EQ(0, send_to(&t, 1, 0));
		settle(&t);
		ASSERT_EQ(0, send_to(&t, 2, 91));
		settle(&t);
		if (late) {
			EXPECT_TRUE(quiet(&t));
			ASSERT_EQ(0, post(&t, 7, 256, 64));
			settle(&t);
		}
		EXPECT_TRUE(is(&t, 0, 7, 0, 96, 0));
		EXPECT_TRUE(is(&t, 1, 7, 96, 0, 0));
		EXPECT_TRUE(is(&t, 2, 7, 96, 91, 0));
		ASSERT_EQ(0, send_to(&t, 1, 1));
		settle(&t);
		EXPECT_TRUE(is(&t, 1, 7, 192, 1, WEFT_CQE_MULTI));
		/* the buffer has gone: messages wait for the next one, which takes them all */
		ASSERT_EQ(0, send_to(&t, 2, 5));
		ASSERT_EQ(0, send_to(&t, 2, 6));
		settle(&t);
		EXPECT_TRUE(quiet(&t));
		ASSERT_EQ(0, post(&t, 8, 256, 64));
		settle(&t);
		/* in any order: these have been placed */
		ASSERT_EQ(1, rig_cq_read(t.cb[2], &e));
		EXPECT_EQ(e.len == 5 ? 0 : 8, e.buf - (uintptr_t)t.mem - 8 * BUF);
		EXPECT_TRUE(e.len == 5 ? is(&t, 2, 8, 8, 6, 0) : is(&t, 2, 8, 0, 5, 0));
		EXPECT_TRUE(quiet(&t));
		EXPECT_EQ(0, held(&t));
		rig_free(t.rig);
	}
}

/* Completions that wait for space keep the release before those of the next buffer. */
TEST(multi_shared__release_waits_for_space)
{
	struct many t;
	u32 i, node;

	for (node = 0; node < 2; node++) {
		many_init(&t, node, 4, 0, 1);
		ASSERT_EQ(0, post(&t, 0, 6 * 256, 64));
		ASSERT_EQ(0, post(&t, 1, 6 * 256, 64));
		for (i = 0; i < 8; i++)
			ASSERT_EQ(0, send_to(&t, 0, 256));
		settle(&t);
		for (i = 0; i < 8; i++) {
			ASSERT_EQ(true, is(&t, 0, i / 6, i % 6 * 256, 256,
					   i == 5 ? WEFT_CQE_MULTI : 0));
			/* the queue is empty: the four that wait are written at once */
			if (i == 3)
				settle(&t);
		}
		ASSERT_EQ(true, quiet(&t));
		rig_free(t.rig);
	}
}

/*
 * An idle buffer is released at once. A buffer in use takes no more messages, and its release
 * follows its last message.
 */
TEST(multi_shared__canceled)
{
	struct weft_cqe e;
	struct many t;

	many_init(&t, 1, 64, 0, 3);
	ASSERT_EQ(0, post(&t, 1, 256, 64));
	ASSERT_EQ(0, rig_srq_cancel(t.srq, t.cb[2], 1));
	ASSERT_EQ(1, rig_cq_read(t.cb[2], &e));
	EXPECT_EQ(ECANCELED, e.status);
	EXPECT_EQ(WEFT_CQE_MULTI, e.flags);
	ASSERT_EQ(0, post(&t, 0, BUFS * BUF, 64));
	ASSERT_EQ(0, send_to(&t, 0, 50000));
	while (!rig_counter(&t.rig->node[1], WEFT_CNT_msgs_received))
		rig_run(t.rig, 10 * NSEC_PER_USEC);
	ASSERT_EQ(0, rig_srq_cancel(t.srq, t.cb[2], 0));
	ASSERT_EQ(0, send_to(&t, 1, 5));
	settle(&t);
	EXPECT_TRUE(is(&t, 0, 0, 0, 50000, 0));
	ASSERT_EQ(1, rig_cq_read(t.cb[0], &e));
	EXPECT_EQ(ECANCELED, e.status);
	EXPECT_EQ(WEFT_CQE_MULTI, e.flags);
	EXPECT_EQ(0, e.context);
	EXPECT_TRUE(quiet(&t));
	EXPECT_EQ(0, held(&t));
	rig_free(t.rig);
}

/*
 * The last endpoint that uses a buffer is destroyed: the next endpoint that ends a receive tells.
 */
TEST(multi_shared__last_one_goes)
{
	struct many t;

	many_init(&t, 1, 16, 0, 3);
	ASSERT_EQ(0, post(&t, 1, 100, 99));
	ASSERT_EQ(0, send_to(&t, 0, 0));
	settle(&t);
	ASSERT_EQ(0, send_to(&t, 1, 60));
	settle(&t);
	EXPECT_TRUE(is(&t, 0, 1, 0, 0, 0));
	EXPECT_TRUE(is(&t, 1, 1, 0, 60, WEFT_CQE_MULTI));
	ASSERT_EQ(0, post(&t, 0, 60000, 20000));
	ASSERT_EQ(0, send_to(&t, 0, 50000));
	while (!rig_counter(&t.rig->node[1], WEFT_CNT_msgs_received) || !held(&t))
		rig_run(t.rig, 10 * NSEC_PER_USEC);
	rig_ep_free(t.to[0]);
	settle(&t);
	EXPECT_EQ(0, held(&t));
	EXPECT_TRUE(quiet(&t));
	ASSERT_EQ(0, post(&t, 40, 256, 64));
	ASSERT_EQ(0, send_to(&t, 1, 8));
	settle(&t);
	EXPECT_TRUE(is(&t, 1, 40, 0, 8, 0));
	EXPECT_TRUE(is(&t, 1, 0, 0, 0, RELEASE));
	EXPECT_TRUE(quiet(&t));
	EXPECT_EQ(0, held(&t));
	rig_free(t.rig);
}

/* As many completions as there are parts wait for one queue: all messages wait, and all arrive. */
TEST(multi_shared__parts_run_out)
{
	struct weft_cqe e;
	struct many t;
	u32 i, n = 16 + WEFT_PARTS;

	many_init(&t, 1, 16, 0, 3);
	ASSERT_EQ(0, post(&t, 0, BUFS * BUF, 64));
	for (i = 0; i < n; i++)
		ASSERT_EQ(0, send_to(&t, 0, 8));
	settle(&t);
	EXPECT_EQ(WEFT_PARTS, held(&t));
	ASSERT_EQ(0, send_to(&t, 0, 16));
	ASSERT_EQ(0, send_to(&t, 1, 24));
	ASSERT_EQ(0, post(&t, 9, 64, 64));
	settle(&t);
	EXPECT_EQ(WEFT_PARTS, held(&t));
	EXPECT_EQ(0, rig_cq_read(t.cb[1], &e));
	for (i = 0; i < n; i++) {
		ASSERT_EQ(1, rig_cq_read(t.cb[0], &e));
		EXPECT_EQ(8, e.len);
	}
	settle(&t);
	/* a waiting message has kept its turn before the other buffer */
	ASSERT_EQ(1, rig_cq_read(t.cb[0], &e));
	EXPECT_EQ(16, e.len);
	EXPECT_EQ(0, e.context);
	ASSERT_EQ(1, rig_cq_read(t.cb[1], &e));
	EXPECT_EQ(24, e.len);
	EXPECT_EQ(0, e.context);
	EXPECT_TRUE(quiet(&t));
	EXPECT_EQ(0, held(&t));
	rig_free(t.rig);
}

/* ---- At random ------------------------------------------------------------------------------- */

/* Messages carry their number, and differ in length. */
static bool send_random(struct many *t, u32 i)
{
	u32 len = 4 + rig_below(t->rig, rig_below(t->rig, 4) ? 60 : 700);
	u8 *at = t->src + (t->sent[i] % 32 * EPS + i) * 512;
	struct rig_op op = { .peer = t->dst[i], .n = 1 };

	memcpy(at, &t->sent[i], 4);
	op.iov[0] = (struct weft_iov){ .addr = (uintptr_t)at, .len = len };
	if (rig_send(t->from, &op))
		return false;
	t->sent[i]++;
	return true;
}

/* Return: the error in the completion, NULL: none. */
static const char *take_random(struct many *t, u32 i, const struct weft_cqe *e)
{
	u32 n;

	if (e->status && e->status != EMSGSIZE)
		return "a receive has failed";
	if (e->context >= BUFS || !t->posted[e->context])
		return "a buffer that was released has been used";
	if (e->flags & WEFT_CQE_MULTI) {
		if (t->over[e->context])
			return "a buffer has been released twice";
		t->over[e->context] = true;
	}
	if (e->flags & WEFT_CQE_RELEASE)
		return NULL;
	if (e->buf < (uintptr_t)t->mem + e->context * BUF ||
	    e->buf + min(e->len, (u64)BUF) > (uintptr_t)t->mem + (e->context + 1) * BUF + BUF)
		return "it is in another buffer";
	t->got[i]++;
	/* a message that was cut may have lost its number */
	if (e->len - e->olen < 4)
		return NULL;
	memcpy(&n, (void *)(uintptr_t)e->buf, 4);
	if (n >= t->sent[i] || t->place[i][n])
		return "it has come before";
	t->place[i][n] = (u64)t->order[e->context] << 32 | (e->buf - (uintptr_t)t->mem);
	return NULL;
}

/* A later message goes behind an earlier one, and into no earlier buffer. */
static bool in_order(const struct many *t)
{
	u32 i, n;
	u64 last;

	for (i = 0; i < EPS; i++) {
		for (n = 0, last = 0; n < MSGS; n++) {
			if (!t->place[i][n])
				continue;
			if (t->place[i][n] < last)
				return false;
			last = t->place[i][n];
		}
	}
	return true;
}

/* Read some completions. If a release is among them, read all: the release was written last. */
static const char *read_random(struct many *t)
{
	bool over = false, all = false;
	const char *bad = NULL;
	struct weft_cqe e;
	u32 i, n;

	do {
		all = over;
		for (i = 0; i < EPS; i++) {
			for (n = all ? ~0u : rig_below(t->rig, 20);
			     n && !bad && rig_cq_read(t->cb[i], &e) == 1; n--) {
				bad = take_random(t, i, &e);
				over |= e.flags & WEFT_CQE_MULTI;
			}
		}
	} while (over && !all);
	for (i = 0; i < BUFS; i++) {
		t->posted[i] &= !t->over[i];
		t->over[i] = false;
	}
	return bad;
}

static void post_random(struct many *t)
{
	u32 n = rig_below(t->rig, BUFS);

	if (t->posted[n] || rig_below(t->rig, 2))
		return;
	if (post(t, n, 64 + rig_below(t->rig, BUF - 64), 1 + rig_below(t->rig, 60)))
		return;
	t->posted[n] = true;
	t->order[n] = ++t->nposts;
}

static void random_run(struct __test_metadata *_metadata, u32 node, u32 cold, u64 seed)
{
	struct weft_srq_info info;
	u32 i, n, left, rounds = 0;
	struct weft_cqe e;
	const char *bad;
	struct many t;

	many_init(&t, node, 16, cold, seed);
	do {
		for (i = 0; i < EPS; i++) {
			n = rig_below(t.rig, 12);
			while (n-- && t.sent[i] < MSGS && t.sent[i] - t.got[i] < 24 &&
			       send_random(&t, i))
				;
		}
		post_random(&t);
		rig_run(t.rig, rig_below(t.rig, 200) * NSEC_PER_USEC);
		while (rig_cq_read(t.ca, &e) == 1)
			;
		bad = read_random(&t);
		ASSERT_EQ(NULL, bad) TH_LOG("%s", bad);
		for (i = 0, left = 0; i < EPS; i++)
			left += MSGS - t.got[i];
		ASSERT_LT(rounds++, 100000);
	} while (left);
	settle(&t);
	for (i = 0; i < 10; i++)
		ASSERT_EQ(NULL, read_random(&t));
	EXPECT_TRUE(in_order(&t));
	EXPECT_EQ(0, held(&t));
	/* posted buffers that have not been released */
	for (i = 0, n = 0; i < BUFS; i++)
		n += t.posted[i];
	rig_srq_look(t.srq, &info);
	EXPECT_EQ(n, info.available);
	rig_free(t.rig);
}

TEST(multi_shared__random)
{
	u32 i;

	for (i = 0; i < 12; i++)
		random_run(_metadata, i & 1, i & 2 ? RIG_PPM / 2 : 0, 100 + i);
}

TEST_HARNESS_MAIN
