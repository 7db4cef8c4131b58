// SPDX-License-Identifier: GPL-2.0-only
/*
 * One message at a time, of every kind
 *
 * All lengths, receives that are long enough or too short, memory that is resident, deferred or
 * bounced. Receives are posted before and after, between nodes and within one. Levels, and numbers
 * that wrap. Either side ends, or an allocation fails, at every step.
 */
#include "core/api/internal.h"
#include "rig.h"
#include "harness.h"

#define RECV	2
#define SEND	1
#define TAG	0x5eed

/**
 * struct pair - two programs with an endpoint each
 * @rig: world
 * @a: the sender
 * @b: the receiver
 * @ea: the sender's endpoint
 * @eb: the receiver's endpoint
 * @ca: the sender's completions
 * @cb: the receiver's completions
 * @to: index of the receiver
 * @sb: bytes to send
 * @rb: buffer of the receive
 * @len: bytes sent
 * @room: bytes of the receive
 */
struct pair {
	struct rig *rig;
	struct rig_proc *a, *b;
	struct rig_ep *ea, *eb;
	struct rig_cq *ca, *cb;
	u32 to;
	u8 *sb, *rb;
	size_t len, room;
};

static void pair_init(struct pair *t, struct rig_conf *conf, u32 dst, size_t len, size_t room)
{
	struct rig_av *va, *vb;
	long to;
	size_t i;

	memset(t, 0, sizeof(*t));
	t->rig = rig_new(conf);
	t->a = rig_proc_new(&t->rig->node[0]);
	t->b = rig_proc_new(&t->rig->node[dst]);
	t->ca = rig_cq_new(t->a, 64);
	t->cb = rig_cq_new(t->b, 64);
	va = rig_av_new(t->a);
	vb = rig_av_new(t->b);
	t->ea = rig_ep_new(t->a, WEFT_EP_RDM, 0, 64, 64, 1);
	t->eb = rig_ep_new(t->b, WEFT_EP_RDM, 0, 64, 64, 2);
	to = rig_av_insert(va, dst, 2, t->rig);
	if (rig_ep_enable(t->ea, t->ca, t->ca, NULL, va) ||
	    rig_ep_enable(t->eb, t->cb, t->cb, NULL, vb) || to < 0 ||
	    rig_av_insert(vb, 0, 1, t->rig))
		abort();
	t->to = (u32)to;
	t->len = len;
	t->room = room;
	t->sb = rig_buf(t->a, len ? len : 1);
	t->rb = rig_buf(t->b, room ? room : 1);
	for (i = 0; i < len; i++)
		t->sb[i] = (u8)(i * 7 + i / 251 + 1);
}

/* Describe @len bytes at @p by @n segments. */
static void segments(struct rig_op *op, u8 *p, size_t len, u32 n)
{
	u32 i;

	op->n = len ? n : 0;
	for (i = 0; i < op->n; i++) {
		size_t part = i + 1 == n ? len : len / n;

		op->iov[i].addr = (u64)(uintptr_t)p;
		op->iov[i].len = part;
		p += part;
		len -= part;
	}
}

static void post_send(struct pair *t, u32 flags, u32 n)
{
	struct rig_op op = {
		.tagged = true,
		.flags = WEFT_SQ_COMPLETION | flags,
		.peer = t->to,
		.context = SEND,
		.tag = TAG,
	};

	segments(&op, t->sb, t->len, n);
	if (rig_send(t->ea, &op))
		abort();
}

static void post_recv(struct pair *t, u32 n)
{
	struct rig_op op = {
		.tagged = true,
		.flags = WEFT_RQ_COMPLETION,
		.peer = WEFT_SRC_ANY,
		.context = RECV,
		.tag = TAG,
	};

	segments(&op, t->rb, t->room, n);
	if (rig_recv(t->eb, &op))
		abort();
}

/* Read completions. Return: bits of SEND, RECV; errors are stored. */
static u32 completed(struct pair *t, int *serr, int *rerr)
{
	struct weft_cqe e;
	u32 seen = 0;

	while (t->ca && rig_cq_read(t->ca, &e) > 0) {
		seen |= SEND;
		*serr = e.status;
	}
	while (t->cb && rig_cq_read(t->cb, &e) > 0) {
		seen |= RECV;
		*rerr = e.status;
	}
	return seen;
}

/**
 * struct way - how a message is sent and received
 * @dst: node of the receiver
 * @late: the receive is posted when the message has arrived
 * @cold: see struct rig_conf
 * @bounce: see struct rig_conf
 * @making: see struct rig_conf
 * @seed: see struct rig_conf
 * @flags: WEFT_SQ_*
 * @nseg: segments on both sides
 * @family: address family
 */
struct way {
	u32 dst;
	bool late;
	u32 cold;
	u32 bounce;
	weft_ns making;
	u64 seed;
	u32 flags;
	u32 nseg;
	u16 family;
};

static const char *once(const struct way *way, size_t len, size_t room)
{
	int serr = -1, rerr = -1;
	const char *bad = NULL;
	struct rig_conf conf;
	struct pair t;
	u32 seen;

	rig_conf_default(&conf, way->seed);
	conf.nodes = 2;
	conf.family = way->family;
	conf.cold = way->cold;
	conf.bounce = way->bounce;
	conf.making = way->making;
	conf.core.window_bytes = 64 << 10;
	pair_init(&t, &conf, way->dst, len, room);
	if (!way->late)
		post_recv(&t, way->nseg);
	post_send(&t, way->flags, way->nseg);
	if (way->late) {
		rig_run(t.rig, 50 * NSEC_PER_MSEC);
		post_recv(&t, way->nseg);
	}
	rig_run(t.rig, NSEC_PER_SEC);
	seen = completed(&t, &serr, &rerr);
	if (seen != (SEND | RECV))
		bad = "not complete";
	else if (serr)
		bad = "send failed";
	else if (rerr != (len > room ? EMSGSIZE : 0))
		bad = "receive has the wrong status";
	else if (memcmp(t.sb, t.rb, min(len, room)))
		bad = "wrong bytes";
	rig_free(t.rig);
	return bad;
}

static const size_t lens[] = { 0,     1,     8,	    128,   129,	   960,	   961,	   3000,
			       16384, 16385, 65536, 65537, 262144, 300000, 1000000 };

static void all_lens(struct __test_metadata *_metadata, const struct way *way)
{
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(lens); i++)
		for (k = 0; k < 4; k++) {
			size_t room = k == 0 ? lens[i] :
				      k == 1 ? lens[i] / 2 :
				      k == 2 ? lens[i] * 2 :
					       0;
			const char *bad = once(way, lens[i], room);

			ASSERT_EQ(NULL, bad)
			TH_LOG("%s: %zu bytes, room %zu, dst %u, late %d, cold %u, bounce %u", bad,
			       lens[i], room, way->dst, way->late, way->cold, way->bounce);
		}
}

static void all_memory(struct __test_metadata *_metadata, struct way way)
{
	u32 i;

	way.family = AF_INET;
	way.seed = 7;
	for (i = 0; i < 8; i++) {
		way.late = i & 1;
		way.cold = i & 2 ? RIG_PPM : 0;
		way.bounce = i & 4 ? RIG_PPM : 0;
		all_lens(_metadata, &way);
	}
}

TEST(message__remote)
{
	all_memory(_metadata, (struct way){ .dst = 1, .nseg = 1 });
}

TEST(message__local)
{
	all_memory(_metadata, (struct way){ .dst = 0, .nseg = 1 });
}

TEST(message__delivery)
{
	all_memory(_metadata, (struct way){ .dst = 1, .nseg = 1, .flags = WEFT_SQ_DELIVERY });
	all_memory(_metadata, (struct way){ .dst = 0, .nseg = 1, .flags = WEFT_SQ_DELIVERY });
	all_memory(_metadata, (struct way){ .dst = 1, .nseg = 1, .flags = WEFT_SQ_MATCH });
	all_memory(_metadata, (struct way){ .dst = 0, .nseg = 1, .flags = WEFT_SQ_MATCH });
}

TEST(message__segments)
{
	all_memory(_metadata, (struct way){ .dst = 1, .nseg = WEFT_IOV_MAX });
	all_memory(_metadata, (struct way){ .dst = 0, .nseg = 3 });
}

TEST(message__ipv6)
{
	struct way way = { .dst = 1, .nseg = 1, .family = AF_INET6, .flags = WEFT_SQ_TRANSMIT };

	all_lens(_metadata, &way);
	way.late = true;
	all_lens(_metadata, &way);
}

/* ---- Receives that are taken from the ring ----------------------------------------- */

#define DIRECT	40

/*
 * Random receives and messages, a few of each in turn. @notify: receives are posted at once, else
 * found in the ring. Return: completions of receives, in their order.
 */
static u32 direct(u64 seed, u32 dst, bool notify, struct weft_cqe *done)
{
	struct rig_conf conf;
	struct weft_cqe e;
	struct pair t;
	u32 n = 0, i, k;

	rig_conf_default(&conf, seed);
	conf.nodes = 2;
	pair_init(&t, &conf, dst, 8, 8);
	for (i = 0; i < DIRECT; i++) {
		u64 r = seed * 0x9e3779b97f4a7c15ull + i * 0xd6e8feb86659fd93ull;

		r ^= r >> 29;
		for (k = r & 3; k; k--) {
			struct rig_op op = {
				.tagged = r >> 8 & 7,
				.flags = WEFT_RQ_COMPLETION,
				.peer = r >> 11 & 3 ? WEFT_SRC_ANY : r >> 13 & 1,
				.context = i * 4 + k,
			};

			if (op.tagged) {
				op.tag = TAG + (r >> 16 & 1);
				op.ignore = r >> 17 & 1;
			}
			segments(&op, t.rb, r >> 18 & 7 ? 8 : 4, 1);
			if (rig_recv(t.eb, &op))
				break;
			if (notify)
				rig_notify(t.eb, WEFT_NOTIFY_RQ);
			r = r >> 3 | r << 61;
		}
		for (k = r >> 20 & 3; k; k--) {
			struct rig_op op = { .tagged = r >> 24 & 7, .peer = t.to };

			op.tag = op.tagged ? TAG + (r >> 27 & 1) : 0;
			segments(&op, t.sb, 8, 1);
			if (rig_send(t.ea, &op))
				break;
			rig_run(t.rig, 10 * NSEC_PER_MSEC);
			r = r >> 5 | r << 59;
		}
		while (rig_cq_read(t.cb, &e) > 0)
			done[n++] = e;
	}
	rig_free(t.rig);
	return n;
}

TEST(message__direct)
{
	struct weft_cqe one[4 * DIRECT], two[4 * DIRECT];
	u32 n, i, all = 0;
	u64 seed;

	for (seed = 1; seed <= 60; seed++) {
		n = direct(seed, seed & 1, false, one);
		ASSERT_EQ(direct(seed, seed & 1, true, two), n) {
			TH_LOG("seed %llu", (unsigned long long)seed);
		}
		for (i = 0; i < n; i++) {
			EXPECT_EQ(two[i].context, one[i].context);
			EXPECT_EQ(two[i].tag, one[i].tag);
			EXPECT_EQ(two[i].len, one[i].len);
			EXPECT_EQ(two[i].src, one[i].src);
			EXPECT_EQ(two[i].flags, one[i].flags);
			EXPECT_EQ(two[i].status, one[i].status);
			EXPECT_EQ(two[i].olen, one[i].olen);
		}
		all += n;
	}
	EXPECT_GT(all, 60 * DIRECT / 4);
}

/* ---- Memory windows that are being made ------------------------------------------------ */

/* While one window is being made the peer asks for more. */
TEST(message__making)
{
	struct way way = { .nseg = 1, .family = AF_INET, .making = 2 * NSEC_PER_MSEC };
	const char *bad;

	for (way.seed = 1; way.seed <= 100; way.seed++) {
		way.dst = way.seed & 1;
		way.cold = way.seed & 2 ? RIG_PPM : RIG_PPM / 2;
		way.bounce = way.seed & 4 ? RIG_PPM / 2 : 0;
		bad = once(&way, 1000000, 1000000);
		ASSERT_EQ(NULL, bad)
		TH_LOG("seed %llu: %s", (unsigned long long)way.seed, bad);
	}
}

/* ---- Levels ---------------------------------------------------------------------- */

static void level(struct __test_metadata *_metadata, u32 flags, bool complete)
{
	int serr = -1, rerr = -1;
	struct rig_conf conf;
	struct pair t;

	rig_conf_default(&conf, 8);
	conf.nodes = 2;
	pair_init(&t, &conf, 1, 500, 500);
	/* the path is up, then all packets are lost */
	post_recv(&t, 1);
	post_send(&t, 0, 1);
	rig_run(t.rig, NSEC_PER_SEC);
	ASSERT_EQ(SEND | RECV, completed(&t, &serr, &rerr));
	rig_cut(t.rig, 0, 1, true);
	post_send(&t, flags, 1);
	rig_run(t.rig, NSEC_PER_SEC);
	serr = -1;
	ASSERT_EQ(complete ? SEND : 0, completed(&t, &serr, &rerr));
	rig_run(t.rig, 30 * NSEC_PER_SEC);
	if (!complete) {
		ASSERT_EQ(SEND, completed(&t, &serr, &rerr));
		ASSERT_EQ(ETIMEDOUT, serr);
	} else {
		ASSERT_EQ(0, serr);
		ASSERT_EQ(0, completed(&t, &serr, &rerr));
	}
	rig_free(t.rig);
}

TEST(message__levels)
{
	level(_metadata, 0, true);
	level(_metadata, WEFT_SQ_TRANSMIT, false);
	level(_metadata, WEFT_SQ_DELIVERY, false);
	level(_metadata, WEFT_SQ_MATCH, false);
}

/*
 * The @nth allocation fails while a message arrives, and then the sender falls silent. Return: the
 * message had come so far that its receive failed.
 */
static bool silenced(struct __test_metadata *_metadata, u32 nth)
{
	struct weft_ep_info info;
	int serr = -1, rerr = -1;
	struct rig_conf conf;
	struct pair t;
	u64 failed;
	u32 i;

	rig_conf_default(&conf, 18);
	conf.nodes = 2;
	pair_init(&t, &conf, 1, 1300, 1300);
	post_recv(&t, 1);
	post_send(&t, 0, 1);
	rig_run(t.rig, NSEC_PER_SEC);
	ASSERT_EQ(SEND | RECV, completed(&t, &serr, &rerr));
	failed = weft_host_failed();
	weft_host_fail_nth(nth);
	post_send(&t, 0, 1);
	for (i = 0; i < 100 && weft_host_failed() == failed; i++)
		rig_run(t.rig, NSEC_PER_USEC);
	weft_host_fail_nth(0);
	rig_cut(t.rig, 0, 1, true);
	weft_ep_look(t.eb->ep, &info);
	post_recv(&t, 1);
	rig_run(t.rig, 60 * NSEC_PER_SEC);
	rerr = 0;
	if (info.unexp)
		ASSERT_EQ(RECV, completed(&t, &serr, &rerr) & RECV);
	rig_free(t.rig);
	return rerr;
}

TEST(message__silenced)
{
	u32 nth, cut = 0;

	for (nth = 1; nth <= 8; nth++)
		cut += silenced(_metadata, nth);
	ASSERT_NE(0, cut);
}

TEST(message__match)
{
	static const size_t lens[] = { 0, 500, 960, 961, 5000, 16384, 100000 };
	int serr = -1, rerr = -1;
	struct rig_conf conf;
	struct pair t;
	u32 i;

	for (i = 0; i < 4 * ARRAY_SIZE(lens); i++) {
		size_t len = lens[i / 4];

		rig_conf_default(&conf, 8);
		conf.nodes = 2;
		pair_init(&t, &conf, i & 1, len, len);
		if (i & 2)
			post_recv(&t, 1);
		post_send(&t, WEFT_SQ_MATCH, 1);
		rig_run(t.rig, NSEC_PER_SEC);
		if (!(i & 2)) {
			/* the message has arrived, and no receive takes it */
			ASSERT_EQ(0, completed(&t, &serr, &rerr));
			post_recv(&t, 1);
			rig_run(t.rig, NSEC_PER_SEC);
		}
		ASSERT_EQ(SEND | RECV, completed(&t, &serr, &rerr));
		ASSERT_EQ(0, serr);
		ASSERT_EQ(0, rerr);
		ASSERT_EQ(0, memcmp(t.sb, t.rb, len));
		rig_free(t.rig);
	}
}

/* No receive takes the message: the end of the receiver tells the sender. */
TEST(message__match_never)
{
	int serr = -1, rerr = -1;
	struct rig_conf conf;
	struct pair t;
	u32 dst;

	for (dst = 0; dst < 2; dst++) {
		rig_conf_default(&conf, 8);
		conf.nodes = 2;
		pair_init(&t, &conf, dst, 500, 500);
		post_send(&t, WEFT_SQ_MATCH, 1);
		rig_run(t.rig, NSEC_PER_SEC);
		rig_proc_end(t.b, true);
		t.cb = NULL;
		rig_run(t.rig, NSEC_PER_SEC);
		ASSERT_EQ(SEND, completed(&t, &serr, &rerr));
		ASSERT_EQ(ECONNREFUSED, serr);
		rig_free(t.rig);
	}
}

/* TRANSMIT: the peer's kernel has the message; whether its program reads it does not matter. */
TEST(message__transmit_unmatched)
{
	int serr = -1, rerr = -1;
	struct rig_conf conf;
	struct pair t;

	rig_conf_default(&conf, 8);
	conf.nodes = 2;
	pair_init(&t, &conf, 1, 5000, 5000);
	post_send(&t, WEFT_SQ_TRANSMIT, 1);
	rig_run(t.rig, NSEC_PER_SEC);
	ASSERT_EQ(SEND, completed(&t, &serr, &rerr));
	ASSERT_EQ(0, serr);
	post_send(&t, WEFT_SQ_DELIVERY, 1);
	rig_run(t.rig, NSEC_PER_SEC);
	ASSERT_EQ(SEND, completed(&t, &serr, &rerr));
	ASSERT_EQ(0, serr);
	rig_free(t.rig);
}

/* No endpoint there: the send fails when its flow has asked for long enough. */
TEST(message__refused)
{
	int serr = -1, rerr = -1;
	struct rig_conf conf;
	struct pair t;

	rig_conf_default(&conf, 9);
	conf.nodes = 2;
	pair_init(&t, &conf, 1, 5000, 5000);
	rig_ep_free(t.eb);
	post_send(&t, WEFT_SQ_DELIVERY, 1);
	rig_run(t.rig, 4ull * NSEC_PER_SEC);
	ASSERT_EQ(0, completed(&t, &serr, &rerr));
	rig_run(t.rig, 2ull * NSEC_PER_SEC);
	ASSERT_EQ(SEND, completed(&t, &serr, &rerr));
	ASSERT_EQ(ECONNREFUSED, serr);
	rig_free(t.rig);
}

/* ---- Numbers that wrap ----------------------------------------------------------- */

static bool flows_at(struct rig_node *node, u32 mseq)
{
	struct weft_path *path = rig_path(&node->core);
	struct weft_list *l;

	if (!path)
		return false;
	weft_lock(&path->lock);
	weft_list_for_each(l, &path->flow.list)
		weft_entry(l, struct weft_flow, node)->id.mseq = mseq - 1;
	weft_list_for_each(l, &path->flow.rlist)
		weft_entry(l, struct weft_rflow, node)->id.mseq = mseq;
	weft_unlock(&path->lock);
	weft_path_put(path);
	return true;
}

TEST(message__mseq_wraps)
{
	int serr = -1, rerr = -1;
	struct rig_conf conf;
	struct pair t;
	u32 i;

	rig_conf_default(&conf, 11);
	conf.nodes = 2;
	conf.loss = RIG_PPM / 10;
	conf.late = RIG_PPM / 10;
	pair_init(&t, &conf, 1, 1300, 1300);
	post_recv(&t, 1);
	post_send(&t, 0, 1);
	rig_run(t.rig, 2 * NSEC_PER_SEC);
	ASSERT_EQ(SEND | RECV, completed(&t, &serr, &rerr));
	ASSERT_TRUE(flows_at(&t.rig->node[0], 0xfffffffa) && flows_at(&t.rig->node[1], 0xfffffffa));
	for (i = 0; i < 16; i++) {
		memset(t.rb, 0, t.room);
		post_recv(&t, 1);
		post_send(&t, i & 1 ? WEFT_SQ_DELIVERY : 0, 1);
		rig_run(t.rig, 2 * NSEC_PER_SEC);
		ASSERT_EQ(SEND | RECV, completed(&t, &serr, &rerr));
		ASSERT_EQ(0, serr | rerr);
		ASSERT_EQ(0, memcmp(t.sb, t.rb, t.len));
	}
	rig_free(t.rig);
}

/* ---- The end at every step ------------------------------------------------------- */

#define END_SENDER	1
#define END_RECEIVER	2
#define END_KILLED	4	/* end the process, else the endpoint */

/* Return: the transfer was over before step @step. */
static bool end_at(struct __test_metadata *_metadata, u32 end, u32 dst, size_t len, bool late,
		   u32 step)
{
	int serr = -1, rerr = -1;
	struct rig_conf conf;
	struct pair t;
	u32 seen, i;
	bool over;

	rig_conf_default(&conf, 12 + step);
	conf.nodes = 2;
	conf.cold = step & 1 ? RIG_PPM / 2 : 0;
	conf.bounce = step & 2 ? RIG_PPM / 2 : 0;
	conf.core.window_bytes = 64 << 10;
	pair_init(&t, &conf, dst, len, len);
	if (!late)
		post_recv(&t, 1);
	post_send(&t, WEFT_SQ_DELIVERY, 1);
	for (i = 0; i < step; i++) {
		if (late && i == 12)
			post_recv(&t, 1);
		rig_step(t.rig, t.rig->now + NSEC_PER_MSEC);
	}
	seen = completed(&t, &serr, &rerr);
	over = seen == (SEND | RECV);
	if (end & END_SENDER) {
		t.ca = NULL;
		if (end & END_KILLED)
			rig_proc_end(t.a, true);
		else
			rig_ep_free(t.ea);
	}
	if (end & END_RECEIVER) {
		t.cb = NULL;
		if (end & END_KILLED)
			rig_proc_end(t.b, true);
		else
			rig_ep_free(t.eb);
	}
	rig_run(t.rig, 30ull * NSEC_PER_SEC);
	seen |= completed(&t, &serr, &rerr);
	/* a send always ends; a receive may wait for another message */
	if (!(end & END_SENDER)) {
		ASSERT_TRUE(seen & SEND);
	}
	if (end == END_RECEIVER && seen & RECV && !rerr) {
		ASSERT_EQ(0, memcmp(t.sb, t.rb, len));
	}
	ASSERT_EQ(0, t.rig->nmem);
	rig_free(t.rig);
	return over;
}

static void end_always(struct __test_metadata *_metadata, u32 end)
{
	static const size_t some[] = { 100, 5000, 200000 };
	u32 i, dst, late, step;

	for (i = 0; i < ARRAY_SIZE(some); i++)
		for (dst = 0; dst < 2; dst++)
			for (late = 0; late < 2; late++)
				for (step = 0; step < 120; step += step < 40 ? 1 : 7)
					if (end_at(_metadata, end, dst, some[i], late, step))
						break;
}

TEST(message__sender_ends)
{
	end_always(_metadata, END_SENDER);
	end_always(_metadata, END_SENDER | END_KILLED);
}

TEST(message__receiver_ends)
{
	end_always(_metadata, END_RECEIVER);
	end_always(_metadata, END_RECEIVER | END_KILLED);
}

TEST(message__both_end)
{
	end_always(_metadata, END_SENDER | END_RECEIVER);
	end_always(_metadata, END_SENDER | END_RECEIVER | END_KILLED);
}

/* Memory kept for a program is charged to that program, whichever thread runs when it comes. */
TEST(message__charged)
{
	static const size_t some[] = { 5000, 100 };
	int serr = -1, rerr = -1;
	struct rig_conf conf;
	struct pair t;
	u64 before, sender;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(some); i++) {
		rig_conf_default(&conf, 14);
		conf.nodes = 2;
		pair_init(&t, &conf, 1, some[i], some[i]);
		before = t.b->mc->charged;
		sender = t.a->mc->charged;
		post_send(&t, 0, 1);
		rig_run(t.rig, 50 * NSEC_PER_MSEC);
		EXPECT_TRUE(t.b->mc->charged - before >= some[i]);
		EXPECT_EQ(sender, t.a->mc->charged);
		post_recv(&t, 1);
		rig_run(t.rig, 50 * NSEC_PER_MSEC);
		ASSERT_TRUE(completed(&t, &serr, &rerr) & RECV);
		EXPECT_EQ(0, rerr);
		EXPECT_EQ(0, memcmp(t.sb, t.rb, some[i]));
		rig_free(t.rig);
	}
}

/* ---- Allocations that fail at every step ----------------------------------------------- */

static void lack(struct __test_metadata *_metadata, u32 dst, size_t len, bool late, u32 nth)
{
	int serr = -1, rerr = -1;
	struct rig_conf conf;
	struct pair t;

	rig_conf_default(&conf, 13);
	conf.nodes = 2;
	conf.cold = nth & 1 ? RIG_PPM : 0;
	pair_init(&t, &conf, dst, len, len);
	weft_host_fail_nth(nth);
	if (!late)
		post_recv(&t, 1);
	post_send(&t, WEFT_SQ_DELIVERY, 1);
	rig_run(t.rig, 50 * NSEC_PER_MSEC);
	if (late)
		post_recv(&t, 1);
	rig_run(t.rig, 20ull * NSEC_PER_SEC);
	weft_host_fail_nth(0);
	ASSERT_TRUE(completed(&t, &serr, &rerr) & SEND);
	if (serr) {
		ASSERT_EQ(ENOMEM, serr);
	} else if (late && rerr > 0) {
		/* the message was kept, which is a delivery: the receive fails alone */
		ASSERT_EQ(ENOMEM, rerr);
	} else {
		ASSERT_EQ(0, memcmp(t.sb, t.rb, len));
	}
	rig_free(t.rig);
}

TEST(message__no_memory)
{
	static const size_t some[] = { 0, 100, 500, 5000, 40000, 300000 };
	u32 i, dst, late, nth;

	for (i = 0; i < ARRAY_SIZE(some); i++)
		for (dst = 0; dst < 2; dst++)
			for (late = 0; late < 2; late++)
				for (nth = 1; nth < 24; nth++)
					lack(_metadata, dst, some[i], late, nth);
}

TEST_HARNESS_MAIN
