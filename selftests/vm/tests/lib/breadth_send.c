// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "breadth.h"

#define DEPTH	8	/* sends under way */

/**
 * struct slot - a send
 * @buf: its bytes
 * @since: when it was posted, 0: it is free
 * @proof: its success proves its delivery
 */
struct slot {
	struct fi_context2 ctx;
	uint8_t *buf;
	uint64_t since;
	bool proof;
};

/* One life of a sender. */
struct sender {
	struct breadth *b;
	struct breadth_life *life;
	unsigned int no, lifeno;
	struct side s;
	struct slot slot[DEPTH];
	unsigned int busy;
	size_t most;
	uint64_t state;
};

static uint32_t rnd(struct sender *t, uint32_t below)
{
	t->state = t->state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(t->state >> 33) % below;
}

bool breadth_open(const struct breadth *b, struct side *s, struct opts *o)
{
	const struct breadth_kind *k = b->kind;

	*o = (struct opts){ .type = k->type, .v6 = k->v6 };
	if (k->multi)
		o->caps |= FI_MULTI_RECV;
	return side_open_here(s, o);
}

static bool join(struct sender *t)
{
	struct fi_eq_cm_entry e;
	struct opts o;
	uint32_t type;

	CHECK(breadth_open(t->b, &t->s, &o));
	CHECK(side_endpoint(&t->s, t->s.info, &o));
	t->most = t->s.info->ep_attr->max_msg_size;
	if (t->most > BREADTH_LONG)
		t->most = BREADTH_LONG;
	if (t->b->kind->type != FI_EP_MSG) {
		CHECK_EQ(fi_av_insert(t->s.av, t->b->addr, 1, &t->s.peer, 0, NULL), 1);
		return true;
	}
	CHECK_EQ(fi_connect(t->s.ep, t->b->addr, NULL, 0), 0);
	CHECK_EQ(event(t->s.eq, &type, &e, sizeof(e)), sizeof(e));
	CHECK_EQ(type, FI_CONNECTED);
	return true;
}

static size_t some_len(struct sender *t)
{
	static const uint32_t below[] = { 64, 300, 1500, 9000, 20000, 70000, BREADTH_LONG };
	size_t head = sizeof(struct breadth_head);
	size_t len = head + rnd(t, below[rnd(t, sizeof(below) / sizeof(below[0]))]);

	if (len <= t->most)
		return len;
	return head + rnd(t, (uint32_t)(t->most - head + 1));
}

/* An operation has ended. */
static void over(struct sender *t, void *ctx, int err)
{
	struct slot *s = ctx;

	s->since = 0;
	t->busy--;
	if (err)
		t->life->failed++;
	else if (s->proof)
		t->life->sent++;
}

/* Take completions; wait for one if @wait. */
static bool take(struct sender *t, bool wait)
{
	struct fi_cq_err_entry e = {};
	struct fi_cq_tagged_entry c;
	uint64_t now = now_ms();
	unsigned int i;
	ssize_t ret;

	ret = wait ? fi_cq_sread(t->s.txcq, &c, 1, NULL, 50) : fi_cq_read(t->s.txcq, &c, 1);
	while (ret != -FI_EAGAIN && ret != -FI_EINTR) {
		if (ret == 1) {
			over(t, c.op_context, 0);
		} else {
			CHECK_EQ(ret, -FI_EAVAIL);
			CHECK_EQ(fi_cq_readerr(t->s.txcq, &e, 0), 1);
			if (!t->b->may_fail) {
				printf("# a send fails: %s\n", fi_strerror(e.err));
				return false;
			}
			CHECK(e.err == FI_ETIMEDOUT || e.err == FI_ECONNRESET ||
			      e.err == FI_EHOSTUNREACH);
			over(t, e.op_context, e.err);
		}
		ret = fi_cq_read(t->s.txcq, &c, 1);
	}
	for (i = 0; i < DEPTH; i++)
		CHECK(!t->slot[i].since || now - t->slot[i].since < BREADTH_MS);
	return true;
}

static bool post(struct sender *t, struct slot *s)
{
	struct breadth_head *h = (struct breadth_head *)s->buf;
	struct iovec iov = { s->buf, some_len(t) };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = t->s.peer, .context = s };
	bool dgram = t->b->kind->type == FI_EP_DGRAM;
	ssize_t ret;

	s->proof = !dgram && rnd(t, 2);
	*h = (struct breadth_head){
		.magic = BREADTH_MAGIC, .sender = t->no, .life = t->lifeno,
		.index = t->life->posted, .len = (uint32_t)iov.iov_len, .seed = rnd(t, 1u << 30),
	};
	pattern_fill(h + 1, iov.iov_len - sizeof(*h), h->seed);
	ret = fi_sendmsg(t->s.ep, &m, FI_COMPLETION | (s->proof ? FI_DELIVERY_COMPLETE : 0));
	if (ret == -FI_EAGAIN)
		return take(t, true);
	CHECK_EQ(ret, 0);
	s->since = now_ms();
	t->busy++;
	t->life->posted++;
	return true;
}

static bool run(struct sender *t)
{
	const struct timespec ms = { 0, 1000000 };
	unsigned int i;

	while (!t->b->stop) {
		for (i = 0; i < DEPTH && t->slot[i].since; i++)
			;
		CHECK(i < DEPTH ? post(t, &t->slot[i]) && take(t, false) : take(t, true));
		/* what nobody acknowledges would drown all else */
		if (t->b->kind->type == FI_EP_DGRAM)
			nanosleep(&ms, NULL);
	}
	while (t->busy)
		CHECK(take(t, true));
	return true;
}

bool breadth_send(struct breadth *b, unsigned int sender, unsigned int life)
{
	struct sender t = { .b = b, .no = sender, .lifeno = life };
	unsigned int i;

	t.life = &b->life[sender][life];
	t.state = b->seed + sender * 1000003ull + life;
	CHECK(join(&t));
	t.life->joined = true;
	for (i = 0; i < DEPTH; i++) {
		t.slot[i].buf = malloc(BREADTH_LONG + sizeof(struct breadth_head));
		CHECK(t.slot[i].buf);
	}
	CHECK(run(&t));
	/* delivered, not only sent: the receiver takes what is on its way */
	t.life->over = true;
	if (b->kind->type == FI_EP_MSG)
		CHECK_EQ(fi_shutdown(t.s.ep, 0), 0);
	side_close(&t.s);
	return true;
}
