// SPDX-License-Identifier: GPL-2.0-only
/*
 * Endpoints that an engine or a timer polls: what their program sees, what the engine does and what
 * it leaves to workers
 *
 * Real threads test the change between polling and notify calls.
 */
#include <sched.h>

#include "core/api/internal.h"
#include "rig.h"
#include "two.h"
#include "harness.h"

#define RING	256
#define NOTIFICATIONS	(WEFT_ST_SQ_NOTIFY | WEFT_ST_RQ_NOTIFY)

/**
 * struct pair - two endpoints of a node
 * @rig: world
 * @proc: their program
 * @a: sends
 * @b: receives
 * @ca: completions of sends
 * @cb: completions of receives
 * @buf: bytes to send
 */
struct pair {
	struct rig *rig;
	struct rig_proc *proc;
	struct rig_ep *a, *b;
	struct rig_cq *ca, *cb;
	u8 *buf;
};

static void pair_init(struct pair *t, u32 cold)
{
	struct rig_conf conf;
	struct rig_av *av;

	memset(t, 0, sizeof(*t));
	rig_conf_default(&conf, 1);
	conf.nodes = 1;
	conf.cold = cold;
	t->rig = rig_new(&conf);
	t->proc = rig_proc_new(&t->rig->node[0]);
	t->ca = rig_cq_new(t->proc, 2 * RING);
	t->cb = rig_cq_new(t->proc, 2 * RING);
	av = rig_av_new(t->proc);
	t->a = rig_ep_new(t->proc, WEFT_EP_RDM, 0, RING, RING, 1);
	t->b = rig_ep_new(t->proc, WEFT_EP_RDM, 0, RING, RING, 2);
	t->buf = rig_buf(t->proc, 4096);
	if (rig_ep_enable(t->a, t->ca, t->ca, NULL, av) ||
	    rig_ep_enable(t->b, t->cb, t->cb, NULL, av) || rig_av_insert(av, 0, 2, t->rig))
		abort();
}

static void pair_fini(struct pair *t)
{
	rig_free(t->rig);
}

static int post_send(struct pair *t, u64 context, u32 len, u32 flags)
{
	struct rig_op op = {
		.flags = WEFT_SQ_COMPLETION | flags, .context = context, .tag = context,
		.tagged = true, .n = 1,
	};

	op.iov[0].addr = (uintptr_t)t->buf;
	op.iov[0].len = len;
	return rig_send(t->a, &op);
}

static int post_recv(struct pair *t, u64 context)
{
	struct rig_op op = {
		.flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .context = context,
		.tagged = true, .ignore = ~0ull,
	};

	return rig_recv(t->b, &op);
}

static u32 poll(struct pair *t, struct rig_ep *ep)
{
	struct weft_out *out = rig_out(&t->rig->node[0]);
	u32 left;

	left = weft_ep_poll(ep->ep, rig_time(t->rig), out);
	rig_leave(&t->rig->node[0], out);
	return left;
}

static void hand(struct pair *t, struct rig_ep *ep)
{
	struct weft_out *out = rig_out(&t->rig->node[0]);

	weft_ep_hand(ep->ep, rig_time(t->rig), out);
	rig_leave(&t->rig->node[0], out);
}

static u32 completions(struct rig_cq *cq)
{
	struct weft_cqe e;
	u32 n = 0;

	while (rig_cq_read(cq, &e) > 0)
		n++;
	return n;
}

TEST(poll__flags)
{
	struct rig_ep *fresh, *passive;
	struct pair t;

	pair_init(&t, 0);
	EXPECT_EQ(WEFT_ST_SQ_NOTIFY, t.a->status.flags);
	EXPECT_TRUE(weft_ep_hot(t.a->ep));
	EXPECT_EQ(0, t.a->status.flags);
	/* no notify call is made, only the engine processes entries */
	post_send(&t, 1, 8, WEFT_SQ_INLINE);
	EXPECT_EQ(0, completions(t.ca));
	EXPECT_EQ(0, poll(&t, t.a));
	EXPECT_EQ(1, completions(t.ca));
	/*
	 * while the engine polls, unexpected messages do not ask for notify calls; afterwards they
	 * do
	 */
	EXPECT_TRUE(weft_ep_hot(t.b->ep));
	EXPECT_EQ(WEFT_ST_UNEXP, t.b->status.flags);
	EXPECT_FALSE(weft_ep_cool(t.b->ep));
	EXPECT_EQ(NOTIFICATIONS | WEFT_ST_UNEXP, t.b->status.flags);
	EXPECT_TRUE(weft_ep_hot(t.b->ep));
	post_recv(&t, 7);
	EXPECT_EQ(0, completions(t.cb));
	EXPECT_EQ(0, poll(&t, t.b));
	EXPECT_EQ(1, completions(t.cb));
	EXPECT_EQ(0, t.b->status.flags);
	EXPECT_FALSE(weft_ep_cool(t.b->ep));
	EXPECT_FALSE(weft_ep_cool(t.a->ep));
	EXPECT_EQ(WEFT_ST_SQ_NOTIFY, t.a->status.flags);
	/* an endpoint that cannot post is not polled */
	fresh = rig_ep_new(t.proc, WEFT_EP_RDM, 0, 16, 16, 0);
	passive = rig_ep_new(t.proc, WEFT_EP_PASSIVE, 0, 0, 0, 9);
	EXPECT_FALSE(weft_ep_hot(fresh->ep));
	EXPECT_FALSE(weft_ep_hot(passive->ep));
	pair_fini(&t);
}

TEST(poll__cool_finds)
{
	struct pair t;

	pair_init(&t, 0);
	weft_ep_hot(t.a->ep);
	post_send(&t, 1, 8, WEFT_SQ_INLINE);
	EXPECT_TRUE(weft_ep_cool(t.a->ep));
	EXPECT_EQ(WEFT_ST_SQ_NOTIFY, t.a->status.flags);
	/* a worker processes it, without any other call */
	hand(&t, t.a);
	rig_run(t.rig, NSEC_PER_MSEC);
	EXPECT_EQ(1, completions(t.ca));
	weft_ep_hot(t.a->ep);
	EXPECT_FALSE(weft_ep_cool(t.a->ep));

	weft_ep_hot(t.b->ep);
	post_recv(&t, 7);
	EXPECT_TRUE(weft_ep_cool(t.b->ep));
	hand(&t, t.b);
	EXPECT_EQ(1, completions(t.cb));
	EXPECT_FALSE(weft_ep_cool(t.b->ep));
	pair_fini(&t);
}

/* A timer polls the send ring: sends need no notify call, and leave when it expires. */
TEST(poll__timed)
{
	struct rig_ep *fresh, *passive;
	struct pair t;

	pair_init(&t, 0);
	EXPECT_TRUE(weft_ep_time(t.a->ep));
	EXPECT_EQ(WEFT_ST_SQ_TIMED, t.a->status.flags);
	post_send(&t, 1, 8, WEFT_SQ_INLINE);
	post_send(&t, 2, 8, 0);
	rig_run(t.rig, NSEC_PER_MSEC);
	EXPECT_EQ(0, completions(t.ca));
	weft_ep_untime(t.a->ep);
	EXPECT_EQ(WEFT_ST_SQ_NOTIFY, t.a->status.flags);
	/* a worker processes them */
	rig_run(t.rig, NSEC_PER_MSEC);
	EXPECT_EQ(2, completions(t.ca));
	/* once more without posts, and without a timer */
	EXPECT_TRUE(weft_ep_time(t.a->ep));
	weft_ep_untime(t.a->ep);
	weft_ep_untime(t.a->ep);
	EXPECT_EQ(WEFT_ST_SQ_NOTIFY, t.a->status.flags);
	EXPECT_FALSE(t.a->ep->tx.work.queued);
	/* a notify call processes posts as well */
	EXPECT_TRUE(weft_ep_time(t.a->ep));
	EXPECT_EQ(WEFT_ST_SQ_TIMED, t.a->status.flags);
	post_send(&t, 3, 8, WEFT_SQ_INLINE);
	rig_notify(t.a, WEFT_NOTIFY_SQ);
	EXPECT_EQ(1, completions(t.ca));
	weft_ep_untime(t.a->ep);
	EXPECT_FALSE(t.a->ep->tx.work.queued);
	/* messages that wait for a receive ask for notify calls all the same */
	EXPECT_TRUE(weft_ep_time(t.b->ep));
	EXPECT_EQ(WEFT_ST_SQ_TIMED | WEFT_ST_RQ_NOTIFY | WEFT_ST_UNEXP, t.b->status.flags);
	fresh = rig_ep_new(t.proc, WEFT_EP_RDM, 0, 16, 16, 0);
	passive = rig_ep_new(t.proc, WEFT_EP_PASSIVE, 0, 0, 0, 9);
	EXPECT_FALSE(weft_ep_time(fresh->ep));
	EXPECT_FALSE(weft_ep_time(passive->ep));
	weft_ep_untime(fresh->ep);
	pair_fini(&t);
}

/* An engine has precedence over the timer. */
TEST(poll__timed_hot)
{
	struct pair t;

	pair_init(&t, 0);
	EXPECT_TRUE(weft_ep_hot(t.a->ep));
	EXPECT_TRUE(weft_ep_time(t.a->ep));
	EXPECT_EQ(0, t.a->status.flags);
	EXPECT_FALSE(weft_ep_cool(t.a->ep));
	EXPECT_EQ(WEFT_ST_SQ_TIMED, t.a->status.flags);
	EXPECT_TRUE(weft_ep_hot(t.a->ep));
	weft_ep_untime(t.a->ep);
	EXPECT_EQ(0, t.a->status.flags);
	EXPECT_FALSE(weft_ep_cool(t.a->ep));
	EXPECT_EQ(WEFT_ST_SQ_NOTIFY, t.a->status.flags);
	pair_fini(&t);
}

/*
 * A ring that waits for the program to read does not keep the engine awake; it continues by itself.
 */
TEST(poll__stalled)
{
	struct weft_cqe e;
	struct pair t;
	u32 i, n = 0;

	pair_init(&t, 0);
	weft_ep_hot(t.a->ep);
	for (i = 0; i < 8 * RING; i++) {
		if (post_send(&t, i, 0, 0)) {
			while (poll(&t, t.a))
				;
			if (post_send(&t, i, 0, 0))
				break;
		}
	}
	EXPECT_LT(i, 8 * RING);
	EXPECT_EQ(0, poll(&t, t.a));
	EXPECT_FALSE(weft_ep_cool(t.a->ep));
	weft_ep_hot(t.a->ep);
	while (n < i) {
		u32 before = n;

		while (rig_cq_read(t.ca, &e) > 0)
			n++;
		rig_run(t.rig, NSEC_PER_MSEC);
		poll(&t, t.a);
		ASSERT_NE(before, n);
	}
	pair_fini(&t);
}

/*
 * Datagrams of any length up to the largest packet, in memory that is resident or not: an engine
 * copies them, or leaves them to a worker. None fails.
 */
TEST(poll__datagrams)
{
	static const u32 lens[] = { 0, 8, 192, 1000, 4000, 8000 };
	u32 dst, cold, i, n;
	struct weft_cqe e;

	for (dst = 0; dst < 2; dst++) {
		for (cold = 0; cold < 2; cold++) {
			struct rig_op op = { .flags = WEFT_SQ_COMPLETION, .n = 1 };
			u64 bytes = 0;
			struct two t;

			two_init_type(&t, WEFT_EP_DGRAM, 0, dst, 64, 0);
			rig_fit(&t.rig->node[0], 8972);
			rig_fit(&t.rig->node[1], 8972);
			t.rig->node[0].core.conf.eager_max = 2048;
			for (i = 0; i < ARRAY_SIZE(lens) + 1; i++)
				ASSERT_EQ(0, two_get(&t, t.room + i * 10000, 10000, i));
			/* the path finds the largest packet */
			ASSERT_EQ(0, two_put(&t, t.buf, 8, 99, 0));
			rig_run(t.rig, NSEC_PER_SEC);
			EXPECT_EQ(0, two_status(&t, t.ca, 99, 0));
			EXPECT_EQ(0, two_status(&t, t.cb, 0, 0));
			t.a->mc->cold = cold ? RIG_PPM : 0;
			weft_ep_hot(t.ea->ep);
			op.peer = t.to;
			for (i = 0; i < ARRAY_SIZE(lens); i++) {
				op.context = i;
				bytes += lens[i];
				op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.buf, lens[i] };
				ASSERT_EQ(0, rig_send(t.ea, &op));
			}
			for (i = 0; i < 10; i++) {
				struct weft_out *out = rig_out(&t.rig->node[0]);

				/* the engine itself makes no memory resident */
				t.a->mc->fault = RIG_PPM;
				weft_ep_poll(t.ea->ep, rig_time(t.rig), out);
				t.a->mc->fault = 0;
				rig_leave(&t.rig->node[0], out);
				rig_run(t.rig, NSEC_PER_MSEC);
			}
			for (n = 0; rig_cq_read(t.ca, &e) == 1; n++)
				EXPECT_EQ(0, e.status);
			EXPECT_EQ(ARRAY_SIZE(lens), n);
			for (n = 0; rig_cq_read(t.cb, &e) == 1; n++) {
				EXPECT_EQ(0, e.status);
				bytes -= e.len;
				EXPECT_EQ(0, memcmp(t.room + e.context * 10000, t.buf, e.len));
			}
			EXPECT_EQ(ARRAY_SIZE(lens), n);
			EXPECT_EQ(0, bytes);
			rig_free(t.rig);
		}
	}
}

/* Payload that is not resident is left to a worker, in order, and counted once. */
TEST(poll__cold)
{
	struct pair t;
	u32 i;

	pair_init(&t, RIG_PPM);
	weft_ep_hot(t.a->ep);
	post_send(&t, 1, 8, WEFT_SQ_INLINE);
	post_send(&t, 2, 0, 0);
	post_send(&t, 3, 100, 0);
	post_send(&t, 4, 8, WEFT_SQ_INLINE);
	post_send(&t, 5, 4000, 0);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, poll(&t, t.a));
		EXPECT_EQ(i ? 0 : 2, completions(t.ca));
	}
	rig_run(t.rig, NSEC_PER_MSEC);
	EXPECT_EQ(3, completions(t.ca));
	EXPECT_EQ(5, rig_counter(&t.rig->node[0], WEFT_CNT_msgs_sent));
	/* resident: at once */
	t.proc->mc->cold = 0;
	post_send(&t, 6, 100, 0);
	post_send(&t, 7, 4000, 0);
	EXPECT_EQ(0, poll(&t, t.a));
	EXPECT_EQ(2, completions(t.ca));
	/* memory that the program does not have */
	t.buf += 1 << 20;
	post_send(&t, 8, 100, 0);
	EXPECT_EQ(0, poll(&t, t.a));
	rig_run(t.rig, NSEC_PER_MSEC);
	EXPECT_EQ(1, completions(t.ca));
	pair_fini(&t);
}

TEST(poll__turns)
{
	struct pair t;
	u32 i;

	pair_init(&t, 0);
	weft_ep_hot(t.a->ep);
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, post_send(&t, i, 0, 0));
	EXPECT_EQ(WEFT_POLL_MORE, poll(&t, t.a));
	EXPECT_EQ(64, completions(t.ca));
	EXPECT_EQ(0, poll(&t, t.a));
	EXPECT_EQ(36, completions(t.ca));
	/* another thread has the ring: the engine does not wait */
	post_send(&t, 1, 0, 0);
	pthread_mutex_lock(&t.a->ep->sq_mutex.mutex);
	EXPECT_EQ(WEFT_POLL_BUSY, poll(&t, t.a));
	pthread_mutex_unlock(&t.a->ep->sq_mutex.mutex);
	EXPECT_EQ(0, poll(&t, t.a));
	EXPECT_EQ(1, completions(t.ca));
	pair_fini(&t);
}

TEST(poll__corrupt)
{
	struct pair t;

	pair_init(&t, 0);
	weft_ep_hot(t.a->ep);
	t.a->doorbell.sq_tail = RING + 1;
	EXPECT_EQ(0, poll(&t, t.a));
	EXPECT_TRUE(t.a->status.flags & WEFT_ST_ERROR);
	EXPECT_EQ(0, poll(&t, t.a));
	EXPECT_FALSE(weft_ep_cool(t.a->ep));
	EXPECT_FALSE(weft_ep_hot(t.a->ep));
	hand(&t, t.a);
	pair_fini(&t);
}

static void poll_srq(struct pair *t, struct rig_srq *srq)
{
	struct weft_out *out = rig_out(&t->rig->node[0]);

	weft_srq_notify(srq->srq, rig_time(t->rig), out);
	rig_leave(&t->rig->node[0], out);
}

/* Shared receives: no notify call while an engine polls; entries after its last poll are found. */
TEST(poll__shared)
{
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .context = 7 };
	struct rig_op msg = { .flags = WEFT_SQ_COMPLETION };
	struct rig_srq *srq;
	struct rig_ep *ep;
	struct rig_av *av;
	struct pair t;

	pair_init(&t, 0);
	srq = rig_srq_new(t.proc, 16, 8, 0, NULL);
	av = rig_av_new(t.proc);
	ep = rig_ep_new(t.proc, WEFT_EP_RDM, WEFT_EPF_SRQ, 16, 0, 3);
	ASSERT_EQ(0, weft_ep_share(ep->ep, srq->srq, av->av));
	ASSERT_EQ(0, rig_ep_enable(ep, t.cb, t.cb, NULL, av));
	ASSERT_EQ(0, rig_av_insert(av, 0, 3, t.rig));
	/* a message waits: the program would notify */
	ASSERT_EQ(0, rig_send(ep, &msg));
	EXPECT_EQ(WEFT_ST_RQ_NOTIFY, srq->status.flags);
	EXPECT_TRUE(weft_srq_hot(srq->srq));
	EXPECT_EQ(0, srq->status.flags);
	ASSERT_EQ(0, rig_srq_recv(srq, &op, NULL));
	EXPECT_EQ(1, completions(t.cb));
	/* posted since the last poll */
	EXPECT_TRUE(weft_srq_cool(srq->srq));
	EXPECT_EQ(WEFT_ST_RQ_NOTIFY, srq->status.flags);
	EXPECT_TRUE(weft_srq_hot(srq->srq));
	poll_srq(&t, srq);
	EXPECT_EQ(1, completions(t.cb));
	/* no message waits any more: the next message finds entries posted from now on */
	ASSERT_EQ(0, rig_srq_recv(srq, &op, NULL));
	poll_srq(&t, srq);
	ASSERT_EQ(0, rig_srq_recv(srq, &op, NULL));
	EXPECT_FALSE(weft_srq_cool(srq->srq));
	EXPECT_EQ(0, srq->status.flags);
	ASSERT_EQ(0, rig_send(ep, &msg));
	EXPECT_EQ(2, completions(t.cb));
	/* a ring that cannot be decoded is not polled */
	srq->doorbell.rq_tail += 17;
	rig_send(ep, &msg);
	EXPECT_TRUE(srq->status.flags & WEFT_ST_ERROR);
	EXPECT_FALSE(weft_srq_hot(srq->srq));
	EXPECT_FALSE(weft_srq_cool(srq->srq));
	pair_fini(&t);
}

/* ---- From polling to notify calls ---------------------------------------------------------- */

#define EDGE_MSGS	50000

/**
 * struct edge - a program and an engine, each with a thread
 * @t: endpoints
 * @lock: protects @on
 * @on: the engine polls @t.a
 * @joins: how often it began to
 * @stop: end
 */
struct edge {
	struct pair t;
	pthread_mutex_t lock;
	bool on;
	u32 joins;
	bool stop;
};

/* Wait for a random time, or give way to the other thread. */
static void pause_for(struct rig *rig)
{
	u32 i = rig_below(rig, 200);

	if (i < 20)
		sched_yield();
	for (; i; i--)
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Poll until no entry has come for a few rounds; from then on the program notifies. */
static void *edge_engine(void *arg)
{
	struct edge *e = arg;
	struct rig_ep *ep = e->t.a;
	u32 seen = 0, left = 0, idle = 0;

	while (!READ_ONCE(e->stop)) {
		u32 tail = READ_ONCE(ep->doorbell.sq_tail);

		rig_step(e->t.rig, rig_now(e->t.rig));
		if (!READ_ONCE(e->on)) {
			sched_yield();
			continue;
		}
		if (tail != seen || left) {
			seen = tail;
			left = poll(&e->t, ep);
			idle = 0;
			continue;
		}
		if (++idle < rig_below(e->t.rig, 20)) {
			sched_yield();
			continue;
		}
		/* weft_ep_cool() has to find entries posted since that poll */
		pause_for(e->t.rig);
		pthread_mutex_lock(&e->lock);
		if (weft_ep_cool(ep->ep)) {
			weft_ep_hot(ep->ep);
			left = WEFT_POLL_MORE;
		} else {
			WRITE_ONCE(e->on, false);
			left = WEFT_POLL_MORE;
		}
		pthread_mutex_unlock(&e->lock);
	}
	return NULL;
}

/* The same as kernel/dev does after a notify call. */
static void edge_join(struct edge *e)
{
	pthread_mutex_lock(&e->lock);
	if (!e->on && weft_ep_hot(e->t.a->ep)) {
		e->joins++;
		WRITE_ONCE(e->on, true);
	}
	pthread_mutex_unlock(&e->lock);
}

TEST(poll__edge)
{
	struct edge e = { .lock = PTHREAD_MUTEX_INITIALIZER };
	u32 sent = 0, done = 0;
	pthread_t thread;
	weft_ns since;

	pair_init(&e.t, 0);
	rig_fork(e.t.rig);
	pthread_create(&thread, NULL, edge_engine, &e);
	since = rig_now(e.t.rig);
	while (done < EDGE_MSGS) {
		u32 n = completions(e.t.ca);

		completions(e.t.cb);
		done += n;
		if (n)
			since = rig_now(e.t.rig);
		else
			sched_yield();
		/*
		 * a lost doorbell would hang the test: the program posts nothing before this send
		 * completes
		 */
		if (sent == done && sent < EDGE_MSGS) {
			pause_for(e.t.rig);
			post_recv(&e.t, sent);
			if (READ_ONCE(e.t.a->status.flags) & WEFT_ST_SQ_NOTIFY)
				edge_join(&e);
			ASSERT_EQ(0, post_send(&e.t, sent, 0, 0));
			sent++;
		}
		if (rig_now(e.t.rig) - since > 20 * NSEC_PER_SEC)
			break;
	}
	WRITE_ONCE(e.stop, true);
	pthread_join(thread, NULL);
	rig_join(e.t.rig);
	EXPECT_EQ(EDGE_MSGS, done);
	EXPECT_GT(e.joins, 1000);
	pair_fini(&e.t);
}

TEST_HARNESS_MAIN
