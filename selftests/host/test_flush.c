// SPDX-License-Identifier: GPL-2.0-only
/*
 * Flushing an output: an empty one, copies before completions, a copy into memory that is gone, and
 * how often a flush wakes programs
 */
#include "core/api/internal.h"
#include "near.h"
#include "two.h"
#include "harness.h"

#define LEN	1500
#define PIECE	400	/* bytes of it in a packet */
#define GAP	50	/* bytes between two packets */

TEST(flush__nothing)
{
	struct rig_conf conf;
	struct weft_out *out = malloc(sizeof(*out));
	struct rig *rig;
	u64 sent;

	rig_conf_default(&conf, 1);
	rig = rig_new(&conf);
	memset(out, 0xee, sizeof(*out));
	weft_out_init(out, &rig->node[0].core);
	EXPECT_EQ(0, out->ntx + out->ncopy + out->now);
	EXPECT_TRUE(weft_list_empty(&out->wake) && weft_list_empty(&out->deferred));
	sent = rig->npackets;
	weft_flush(out);
	EXPECT_EQ(sent, rig->npackets);
	rig_free(rig);
	free(out);
}

/*
 * Between two parts of weft_flush_more() another CPU puts the path on its list. It stays there, and
 * on no other list.
 */
TEST(flush__path_on_another_list)
{
	struct weft_out *other = calloc(1, sizeof(*other)), *out;
	struct weft_path *path;
	struct near s;

	near_init(&s);
	out = s.t.out;
	path = s.t.path;
	weft_out_init(other, s.t.core);
	other->now = out->now;
	weft_lock(&path->lock);
	weft_path_go_on(path, out);
	EXPECT_EQ(&path->more, weft_list_first(&out->more));
	weft_list_del(&path->more);
	path->in_more = false;
	weft_path_go_on(path, other);
	weft_unlock(&path->lock);
	weft_path_more(path, out);
	weft_lock(&path->lock);
	weft_path_go_on(path, out);
	weft_unlock(&path->lock);
	EXPECT_TRUE(weft_list_empty(&out->more));
	EXPECT_EQ(&path->more, weft_list_first(&other->more));
	weft_flush(other);
	EXPECT_FALSE(path->in_more);
	near_fini(&s);
	free(other);
}

/*
 * Receive a message until its copies are in the output. The receive has two segments, so that the
 * fast path does not take it.
 */
static void begin(struct near *s)
{
	struct rig_op op = { .tagged = true, .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY,
			     .context = 7, .tag = 9, .n = 2 };
	u32 i;

	for (i = 0; i < 2; i++)
		op.iov[i] = (struct weft_iov){ (u64)(uintptr_t)s->room + i * LEN / 2, LEN / 2 };
	if (rig_recv(s->ep, &op))
		abort();
	s->m.len = LEN;
	near_run(s, 0, LEN, PIECE, GAP);
	rig_rx(s->t.core, s->t.out->now, &s->rx, 1, s->t.out);
}

static void end(struct near *s)
{
	free((void *)s->rx.data);
	near_fini(s);
}

/* The message has arrived in its receive. */
static void arrived(struct __test_metadata *_metadata, struct near *s)
{
	struct weft_cqe e;

	ASSERT_EQ(1, rig_cq_read(s->cq, &e));
	EXPECT_EQ(7, e.context);
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(LEN, e.len);
	EXPECT_TRUE(near_got(s, LEN));
}

/* The completion is written after the bytes have been copied. */
TEST(flush__copies_first)
{
	struct weft_cqe e;
	struct near s;

	near_init(&s);
	begin(&s);
	EXPECT_EQ(1, s.t.out->ncopy);
	EXPECT_EQ(0, rig_cq_read(s.cq, &e));
	weft_flush(s.t.out);
	EXPECT_EQ(0, s.t.out->ncopy);
	arrived(_metadata, &s);
	end(&s);
}

/* The memory goes before the copy: the receive fails, and the packet still counts as received. */
TEST(flush__memory_goes)
{
	struct weft_cqe e;
	struct near s;

	near_init(&s);
	begin(&s);
	ASSERT_EQ(1, s.t.out->ncopy);
	rig_memctx_die(s.proc->mc);
	weft_flush(s.t.out);
	ASSERT_EQ(1, rig_cq_read(s.cq, &e));
	EXPECT_EQ(7, e.context);
	EXPECT_EQ(EFAULT, e.status);
	EXPECT_EQ(0, e.len);
	EXPECT_EQ(PSN + DIV_ROUND_UP(LEN, PIECE), s.t.lane->rcv_nxt);
	EXPECT_EQ(0, s.t.rig->nmem);
	end(&s);
}

/* Without a receive the pieces of a run are gathered in kernel memory, and placed from there. */
TEST(flush__gathers)
{
	struct rig_op op = { .tagged = true, .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY,
			     .context = 7, .tag = 9, .n = 1 };
	struct near s;

	near_init(&s);
	s.m.len = LEN;
	near_run(&s, 0, LEN, PIECE, GAP);
	rig_rx(s.t.core, s.t.out->now, &s.rx, 1, s.t.out);
	ASSERT_EQ(1, s.t.out->ncopy);
	EXPECT_EQ(WEFT_COPY_RX_BUF, s.t.out->copy[0].kind);
	weft_flush(s.t.out);
	EXPECT_EQ(0, s.t.out->ncopy);
	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)s.room, LEN };
	ASSERT_EQ(0, rig_recv(s.ep, &op));
	rig_notify(s.ep, WEFT_NOTIFY_RQ);
	arrived(_metadata, &s);
	end(&s);
}

/* A waiting program is woken once for all completions, and not again before it waits again. */
TEST(flush__wakes)
{
	struct rig_op r = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .n = 1 };
	struct rig_op s = { .n = 1, .more = true };
	struct weft_cqe e;
	struct two t;
	u32 i, round;

	two_init(&t, 0, 64, 0);
	s.peer = t.to;
	s.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.buf, 8 };
	r.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.room, 64 };
	for (round = 0; round < 4; round++) {
		bool armed = !(round & 1);

		for (i = 0; i < 3; i++)
			ASSERT_EQ(0, rig_recv(t.eb, &r));
		t.cb->woken = false;
		if (armed)
			ASSERT_TRUE(rig_cq_arm(t.cb));
		for (i = 0; i < 3; i++) {
			s.more = i < 2;
			ASSERT_EQ(0, rig_send(t.ea, &s));
		}
		rig_run(t.rig, NSEC_PER_MSEC);
		EXPECT_EQ(armed, t.cb->woken);
		EXPECT_FALSE(READ_ONCE(t.cb->cq.armed));
		/* the program does not wait for a completion that is there already */
		EXPECT_FALSE(rig_cq_arm(t.cb));
		WRITE_ONCE(t.cb->cq.armed, false);
		for (i = 0; i < 3; i++)
			ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		ASSERT_EQ(0, rig_cq_read(t.cb, &e));
	}
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
