// SPDX-License-Identifier: GPL-2.0-only
/*
 * Peers that are gone: a node never answers, dies, or is another incarnation; an endpoint ends
 *
 * Also links: cut and mended, cut in one direction, or losing long packets. Operations under way
 * end with the errno and within the time of Documentation/transport.rst. When a peer is there
 * again, the same operations work.
 */
#include "cm_fixture.h"
#include "two.h"

#define SEC	((weft_ns)NSEC_PER_SEC)
#define MORE	((weft_ns)WEFT_RTO_MAX + 100 * MS)	/* tolerance of a time limit */
#define STEP	(10 * MS)
#define GET	100	/* contexts of receives begin here */
#define MANY	1000	/* sends that are posted at once */

/* Messages to send: each length at each level. */
static const u32 lens[] = { 8, 4000, TWO_LONG };
static const u32 levels[] = { 0, WEFT_SQ_TRANSMIT, WEFT_SQ_DELIVERY, WEFT_SQ_MATCH };
#define KINDS	(ARRAY_SIZE(lens) * ARRAY_SIZE(levels))

/* Return: the send completes as soon as its bytes are copied, before they have left. */
static bool copied(u32 kind)
{
	return !levels[kind / ARRAY_SIZE(lens)] && lens[kind % ARRAY_SIZE(lens)] < TWO_LONG;
}

/* Return: the send completes when its bytes have reached the node, whether received or not. */
static bool short_of_delivery(u32 kind)
{
	u32 level = levels[kind / ARRAY_SIZE(lens)];

	return (!level || level == WEFT_SQ_TRANSMIT) && lens[kind % ARRAY_SIZE(lens)] < TWO_LONG;
}

/**
 * struct end - how an operation ended
 * @n: number of its completions
 * @status: status of the completion
 * @at: time of the completion, since ends() was called
 */
struct end {
	u32 n;
	u32 status;
	weft_ns at;
};

static bool put(struct two *t, u32 kind)
{
	return !two_put(t, t->buf, lens[kind % ARRAY_SIZE(lens)], kind,
			levels[kind / ARRAY_SIZE(lens)]);
}

static bool put_all(struct two *t)
{
	u32 i;

	for (i = 0; i < KINDS; i++)
		if (!put(t, i))
			return false;
	return true;
}

/* Record all completions within @ns. @end: by context, @n of them. @cq: the queue to read. */
static void ends(struct two *t, struct rig_cq *cq, struct end *end, u32 n, weft_ns ns)
{
	weft_ns begin = rig_now(t->rig);
	struct weft_cqe e;

	memset(end, 0, n * sizeof(*end));
	while (rig_now(t->rig) < begin + ns) {
		rig_run(t->rig, STEP);
		while (rig_cq_read(cq, &e) == 1) {
			if (e.context >= n)
				abort();
			end[e.context].n++;
			end[e.context].status = e.status;
			end[e.context].at = rig_now(t->rig) - begin;
		}
	}
}

/* Return: a send ended once, with @err, between @from and @to. */
static bool ended(const struct end *end, u32 err, weft_ns from, weft_ns to)
{
	bool ok = end->n == 1 && end->status == err && end->at + STEP >= from && end->at <= to;

	if (!ok)
		fprintf(stderr, "# ended %u times, status %u after %llu ms\n", end->n, end->status,
			(unsigned long long)(end->at / MS));
	return ok;
}

/*
 * The same for all kinds of sends. @open: the peer had accepted the flow, and sends that complete
 * on copying have succeeded at once.
 */
static bool all_ended(const struct end *end, bool open, u32 err, weft_ns from, weft_ns to)
{
	bool ok = true;
	u32 i;

	for (i = 0; i < KINDS; i++)
		ok &= open && copied(i) ? ended(&end[i], 0, 0, STEP) :
					  ended(&end[i], err, from, to);
	return ok;
}

/* One message from A to B, received. */
static bool message(struct two *t)
{
	return !two_get(t, t->room, TWO_LONG, GET) &&
	       !two_put(t, t->buf, TWO_LONG, 1, WEFT_SQ_TRANSMIT) &&
	       !two_status(t, t->ca, 1, SEC) && !two_status(t, t->cb, GET, 0);
}

/* B's node has crashed and is a new incarnation now, with a program like the one before. */
static void restart(struct two *t)
{
	struct rig_av *av;

	rig_crash(&t->rig->node[1]);
	rig_start(&t->rig->node[1]);
	t->b = rig_proc_new(&t->rig->node[1]);
	t->cb = rig_cq_new(t->b, 64);
	av = rig_av_new(t->b);
	t->eb = rig_ep_new(t->b, WEFT_EP_RDM, 0, TWO_SLOTS, TWO_SLOTS, 2);
	if (rig_ep_enable(t->eb, t->cb, t->cb, NULL, av) || rig_av_insert(av, 0, 1, t->rig))
		abort();
	t->room = rig_buf(t->b, TWO_ROOM);
}

FIXTURE(gone)
{
	struct two t;
	struct end end[KINDS];
};

FIXTURE_SETUP(gone)
{
	two_init(&self->t, 1, 64, 0);
}

FIXTURE_TEARDOWN(gone)
{
	rig_free(self->t.rig);
}

/* ---- Sends ------------------------------------------------------------------------ */

/* The peer has never answered: EHOSTUNREACH after connect-ms, for all kinds of sends. */
TEST_F(gone, unreachable)
{
	struct two *t = &self->t;
	u32 ms;

	rig_cut(t->rig, 0, 1, true);
	for (ms = 5000; ms; ms -= 4000) {
		ASSERT_EQ(0, weft_limit_set(&t->rig->node[0].core, "connect-ms", ms));
		ASSERT_TRUE(put_all(t));
		ends(t, t->ca, self->end, KINDS, 20 * SEC);
		EXPECT_TRUE(all_ended(self->end, false, EHOSTUNREACH, ms * MS, ms * MS + MORE));
		if (ms < 4000)
			break;
	}
	rig_cut(t->rig, 0, 1, false);
	EXPECT_TRUE(message(t));
}

/* A whole ring of sends ends in that time, not one after the other. */
TEST_F(gone, unreachable_many)
{
	struct end *end = calloc(MANY, sizeof(*end));
	struct two *t = &self->t;
	u32 i;

	rig_cut(t->rig, 0, 1, true);
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, two_put(t, t->buf, 4000, i, WEFT_SQ_TRANSMIT));
	ends(t, t->ca, end, MANY, 20 * SEC);
	for (i = 0; i < MANY; i++)
		ASSERT_TRUE(ended(&end[i], EHOSTUNREACH, 5 * SEC, 5 * SEC + MORE));
	free(end);
}

/* The peer dies while sends are under way: ETIMEDOUT after dead-ms. After that it never answers. */
TEST_F(gone, dead)
{
	struct two *t = &self->t;
	const struct rig_note *down = &t->rig->node[0].note[WEFT_NOTE_PATH_DOWN];

	ASSERT_TRUE(message(t));
	rig_crash(&t->rig->node[1]);
	ASSERT_TRUE(put_all(t));
	ends(t, t->ca, self->end, KINDS, 30 * SEC);
	EXPECT_TRUE(all_ended(self->end, true, ETIMEDOUT, 10 * SEC, 10 * SEC + MORE));
	/* the administrator hears of it */
	EXPECT_EQ(1, down->count);
	EXPECT_EQ(ETIMEDOUT, down->last.err);
	EXPECT_EQ(0, memcmp(&down->addr, &t->rig->node[1].core.addr[0], sizeof(down->addr)));
	ASSERT_TRUE(put_all(t));
	ends(t, t->ca, self->end, KINDS, 30 * SEC);
	EXPECT_TRUE(all_ended(self->end, false, EHOSTUNREACH, 5 * SEC, 5 * SEC + MORE));
	EXPECT_EQ(2, rig_counter(&t->rig->node[0], WEFT_CNT_paths_dead));
	EXPECT_EQ(2, down->count);
	EXPECT_EQ(EHOSTUNREACH, down->last.err);
}

/* Sends wait for a receive while no packet arrives: the sender asks the peer for a sign of life. */
TEST_F(gone, dead_while_they_wait)
{
	struct two *t = &self->t;
	u32 i, n = 0;

	ASSERT_TRUE(put_all(t));
	ends(t, t->ca, self->end, KINDS, SEC);
	/* sends of the level MATCHED, and announced ones */
	for (i = 0; i < KINDS; i++) {
		if (!self->end[i].n)
			n++;
		else
			EXPECT_EQ(0, self->end[i].status);
	}
	EXPECT_LE(6, n);
	rig_crash(&t->rig->node[1]);
	ends(t, t->ca, self->end, KINDS, 40 * SEC);
	for (i = 0; i < KINDS; i++) {
		if (!self->end[i].n)
			continue;
		EXPECT_TRUE(ended(&self->end[i], ETIMEDOUT, 10 * SEC, 15 * SEC + MORE));
		n--;
	}
	EXPECT_EQ(0, n);
}

/* The peer is a new incarnation: ECONNRESET when that is known. The next sends reach it. */
TEST_F(gone, restarted)
{
	struct two *t = &self->t;
	u32 i;

	ASSERT_TRUE(message(t));
	restart(t);
	ASSERT_TRUE(put_all(t));
	ends(t, t->ca, self->end, KINDS, 20 * SEC);
	EXPECT_TRUE(all_ended(self->end, true, ECONNRESET, 0, MORE));
	EXPECT_TRUE(message(t));
	/* also when sends wait and no packet arrives */
	for (i = 0; i < KINDS; i++)
		if (levels[i / ARRAY_SIZE(lens)] == WEFT_SQ_MATCH)
			ASSERT_TRUE(put(t, i));
	rig_run(t->rig, SEC);
	restart(t);
	ends(t, t->ca, self->end, KINDS, 20 * SEC);
	for (i = 0; i < KINDS; i++)
		if (levels[i / ARRAY_SIZE(lens)] == WEFT_SQ_MATCH)
			EXPECT_TRUE(ended(&self->end[i], ECONNRESET, 0, 5 * SEC + MORE));
	EXPECT_TRUE(message(t));
	/* a node learns an incarnation by a handshake only: in this test GONE came each time */
	EXPECT_EQ(2, rig_counter(&t->rig->node[0], WEFT_CNT_paths_dead));
}

/* Its port is deleted: ECONNRESET at once, and no more when the next one has the same address. */
TEST_F(gone, port_deleted)
{
	struct two *t = &self->t;
	u32 lost;

	for (lost = 0; lost < 2; lost++) {
		ASSERT_TRUE(message(t));
		ASSERT_TRUE(put_all(t));
		/* a notice that is lost: as a node that dies */
		rig_cut(t->rig, 0, 1, lost);
		rig_stop(&t->rig->node[1], ENODEV);
		ends(t, t->ca, self->end, KINDS, 20 * SEC);
		EXPECT_TRUE(all_ended(self->end, true, lost ? ETIMEDOUT : ECONNRESET,
				      lost ? 10 * SEC : 0, lost ? 10 * SEC + MORE : STEP));
		EXPECT_EQ(1, rig_counter(&t->rig->node[0], WEFT_CNT_peer_gone));
		rig_mend(t->rig);
		restart(t);
	}
	EXPECT_TRUE(message(t));
}

/* All peers are told, also those that do not fit into one output. */
/* An administrator gives the path up. The peer hears of that, and a new path is made. */
TEST_F(gone, path_deleted)
{
	struct two *t = &self->t;
	struct weft_core *core = &t->rig->node[0].core;
	struct weft_sockaddr to = t->rig->node[1].core.addr[0], nobody = to;
	struct weft_out *out = rig_out(&t->rig->node[0]);

	nobody.addr[3] ^= 0x55;
	ASSERT_TRUE(message(t));
	/* it waits for a receive */
	ASSERT_EQ(0, two_put(t, t->buf, TWO_LONG, 1, 0));
	rig_run(t->rig, 100 * MS);
	EXPECT_EQ(-ENOENT, weft_core_path_end(core, &nobody, true, ECONNABORTED,
					      rig_clock(&t->rig->node[0]), out));
	EXPECT_EQ(-EBUSY, weft_core_path_end(core, &to, false, ECONNABORTED,
					     rig_clock(&t->rig->node[0]), out));
	EXPECT_EQ(0, weft_core_path_end(core, &to, true, ECONNABORTED,
					rig_clock(&t->rig->node[0]), out));
	rig_leave(&t->rig->node[0], out);
	EXPECT_EQ(ECONNABORTED, two_status(t, t->ca, 1, SEC));
	EXPECT_EQ(1, rig_counter(&t->rig->node[0], WEFT_CNT_paths_dead));
	EXPECT_EQ(1, rig_counter(&t->rig->node[1], WEFT_CNT_paths_dead));
	/* the place of the message that was announced */
	ASSERT_EQ(0, two_get(t, t->room, TWO_LONG, GET));
	EXPECT_EQ(ECONNRESET, two_status(t, t->cb, GET, SEC));
	EXPECT_TRUE(message(t));
}

TEST(port_deleted_with_many)
{
	struct weft_sockaddr to;
	struct rig_conf conf;
	struct rig *rig;
	u32 i;

	rig_conf_default(&conf, 5);
	conf.nodes = 3 * WEFT_OUT_TX;
	rig = rig_new(&conf);
	rig_node_addr(&rig->conf, 0, 0, &to);
	for (i = 1; i < conf.nodes; i++) {
		struct rig_node *node = &rig->node[i];
		struct weft_path *path;

		node->out.now = rig->now;
		path = weft_path_find(&node->core, &to, &node->out);
		ASSERT_FALSE(IS_ERR(path));
		weft_path_put(path);
		weft_flush(&node->out);
		rig_run(rig, MS);
	}
	ASSERT_EQ(conf.nodes - 1, rig->node[0].core.npaths);
	rig_stop(&rig->node[0], ENODEV);
	rig_run(rig, MS);
	for (i = 1; i < conf.nodes; i++) {
		EXPECT_EQ(1, rig_counter(&rig->node[i], WEFT_CNT_peer_gone));
		EXPECT_EQ(0, rig->node[i].core.npaths);
	}
	rig_free(rig);
}

/*
 * The endpoint is missing, is destroyed, or its program is killed: ECONNREFUSED at once. A new flow
 * waits for the endpoint for connect-ms.
 */
TEST(vanished)
{
	struct end end[KINDS];
	u32 node, how, i, n;
	struct two t;

	for (node = 0; node < 2; node++) {
		for (how = 0; how < 3; how++) {
			two_init(&t, node, 64, 0);
			ASSERT_TRUE(message(&t));
			if (!how)
				rig_ep_free(t.eb);
			ASSERT_TRUE(put_all(&t));
			if (how) {
				ends(&t, t.ca, end, KINDS, SEC);
				for (i = 0, n = 0; i < KINDS; i++)
					n += !end[i].n;
				ASSERT_LT(0, n);
			}
			if (how == 1)
				rig_ep_free(t.eb);
			else if (how == 2)
				rig_proc_end(t.b, true);
			if (how) {
				ends(&t, t.ca, end, KINDS, 10 * SEC);
				for (i = 0; i < KINDS; i++) {
					if (!end[i].n)
						continue;
					EXPECT_TRUE(ended(&end[i], ECONNREFUSED, 0, 2 * STEP));
					n--;
				}
				EXPECT_EQ(0, n);
				ASSERT_TRUE(put_all(&t));
			}
			ends(&t, t.ca, end, KINDS, 10 * SEC);
			/*
			 * the endpoint's node may have received the bytes, which is all that this
			 * level asks
			 */
			for (i = 0; i < KINDS; i++)
				EXPECT_TRUE((node && short_of_delivery(i) && !end[i].status) ||
					    ended(&end[i], ECONNREFUSED, 0, 5 * SEC + MORE));
			EXPECT_EQ(0, rig_counter(&t.rig->node[0], WEFT_CNT_paths_dead));
			rig_free(t.rig);
		}
	}
}

/*
 * One side is killed or closes at any moment of a long transfer: memory goes first, or an endpoint.
 * The survivor gets the one error of the manual, or success. @killer: 0 the sender, 1 the receiver.
 */
static void midway(struct __test_metadata *_metadata, u32 node, u32 killer, bool killed)
{
	u32 step, n = 0, ok = 0;
	struct weft_cqe e;
	struct two t;

	for (step = 0; step < 60; step++) {
		struct rig_cq *cq;
		u32 want;

		two_init(&t, node, 64, 0);
		two_slow(&t);
		ASSERT_EQ(0, two_get(&t, t.room, TWO_LONG, GET));
		ASSERT_EQ(0, two_put(&t, t.buf, TWO_LONG, 1, WEFT_SQ_DELIVERY));
		rig_run(t.rig, step * 20 * NSEC_PER_USEC);
		cq = killer ? t.ca : t.cb;
		want = killer ? ECONNREFUSED : ECONNRESET;
		if (killed)
			rig_proc_end(killer ? t.b : t.a, true);
		else
			rig_ep_free(killer ? t.eb : t.ea);
		rig_run(t.rig, 8 * SEC);
		if (rig_cq_read(cq, &e) == 1) {
			EXPECT_EQ(killer ? 1 : GET, e.context);
			EXPECT_TRUE(!e.status || e.status == want) {
				TH_LOG("step %u status %u", step, e.status);
			}
			n++;
			ok += !e.status;
		} else {
			/* the receiver had not heard of the message */
			EXPECT_EQ(0, killer);
		}
		EXPECT_EQ(0, rig_cq_read(cq, &e));
		rig_free(t.rig);
	}
	EXPECT_LT(20, n);
	EXPECT_GT(n, ok);
}

TEST(midway_sender_killed)
{
	midway(_metadata, 0, 0, true);
	midway(_metadata, 1, 0, true);
}

TEST(midway_sender_closes)
{
	midway(_metadata, 0, 0, false);
	midway(_metadata, 1, 0, false);
}

TEST(midway_receiver_killed)
{
	midway(_metadata, 0, 1, true);
	midway(_metadata, 1, 1, true);
}

TEST(midway_receiver_closes)
{
	midway(_metadata, 0, 1, false);
	midway(_metadata, 1, 1, false);
}

/*
 * A cut that is mended before dead-ms is a delay: all messages arrive, once and in order. A longer
 * cut ends operations under way. After it is mended, traffic works again.
 */
TEST(mended)
{
	struct end end[TWO_SLOTS];
	u32 i, s;
	struct two t;

	for (s = 1; s < 20; s += 2) {
		two_init(&t, 1, 64, 0);
		ASSERT_TRUE(message(&t));
		rig_cut(t.rig, 0, 1, true);
		for (i = 0; i < TWO_SLOTS; i++) {
			ASSERT_EQ(0, two_get(&t, t.room + i * 4000, 4000, i));
			ASSERT_EQ(0, two_put(&t, t.buf + i, 4000, i, WEFT_SQ_DELIVERY));
		}
		rig_run(t.rig, s * SEC);
		rig_cut(t.rig, 0, 1, false);
		ends(&t, t.ca, end, TWO_SLOTS, 20 * SEC);
		for (i = 0; i < TWO_SLOTS; i++)
			EXPECT_TRUE(ended(&end[i], s < 10 ? 0 : ETIMEDOUT, 0, MORE));
		ends(&t, t.cb, end, TWO_SLOTS, STEP);
		for (i = 0; i < TWO_SLOTS; i++) {
			EXPECT_EQ(s < 10, end[i].n);
			if (!end[i].n)
				continue;
			EXPECT_EQ(0, end[i].status);
			EXPECT_EQ(0, memcmp(t.room + i * 4000, t.buf + i, 4000));
		}
		EXPECT_EQ(s > 10, rig_counter(&t.rig->node[0], WEFT_CNT_paths_dead));
		/* the receives are still posted: the next messages take them */
		for (i = 0; i < TWO_SLOTS && s > 10; i++)
			ASSERT_EQ(0, two_put(&t, t.buf + i, 4000, i, WEFT_SQ_DELIVERY));
		ends(&t, t.cb, end, TWO_SLOTS, SEC);
		for (i = 0; i < TWO_SLOTS && s > 10; i++)
			EXPECT_TRUE(ended(&end[i], 0, 0, STEP));
		rig_free(t.rig);
	}
}

/*
 * One direction is cut: the sender gets the same result as with both. So does a receive that had
 * begun.
 */
TEST(one_way)
{
	struct end end[GET + 1];
	struct two t;
	u32 way;

	for (way = 0; way < 2; way++) {
		two_init(&t, 1, 64, 0);
		ASSERT_TRUE(message(&t));
		rig_cut_one(t.rig, way, !way, true);
		ASSERT_EQ(0, two_get(&t, t.room, TWO_LONG, GET));
		ASSERT_EQ(0, two_put(&t, t.buf, TWO_LONG, 2, WEFT_SQ_TRANSMIT));
		ends(&t, t.ca, end, GET, 15 * SEC);
		EXPECT_TRUE(ended(&end[2], ETIMEDOUT, 10 * SEC, 10 * SEC + MORE));
		ends(&t, t.cb, end, GET + 1, 10 * SEC);
		/* the receiver has heard of the message, or not */
		EXPECT_EQ(way, end[GET].n);
		EXPECT_EQ(way ? ETIMEDOUT : 0, end[GET].status);
		ASSERT_EQ(0, two_put(&t, t.buf, TWO_LONG, 3, WEFT_SQ_TRANSMIT));
		ends(&t, t.ca, end, GET, 15 * SEC);
		EXPECT_TRUE(ended(&end[3], EHOSTUNREACH, 5 * SEC, 5 * SEC + MORE));
		rig_mend(t.rig);
		if (!way)
			ASSERT_EQ(0, rig_cancel(t.eb, GET));
		rig_run(t.rig, STEP);
		while (rig_cq_read(t.cb, &(struct weft_cqe) { 0 }))
			;
		EXPECT_TRUE(message(&t));
		rig_free(t.rig);
	}
}

/*
 * The network loses long packets and carries all others. The sender of a long message does not wait
 * for ever because short messages are acknowledged.
 */
TEST(narrow)
{
	static const u32 len[] = { 1300, 5000, TWO_LONG };
	struct weft_cqe e;
	weft_ns begin;
	struct two t;
	u32 i, n, got;

	for (i = 0; i < ARRAY_SIZE(len); i++) {
		two_init(&t, 1, 64, 0);
		ASSERT_TRUE(message(&t));
		t.rig->conf.net.narrow = 1000;
		ASSERT_EQ(0, two_get(&t, t.room, TWO_LONG, GET));
		ASSERT_EQ(0, two_put(&t, t.buf, len[i], 1, WEFT_SQ_TRANSMIT));
		begin = rig_now(t.rig);
		for (got = 0, n = 0; n < 300 && !got; n++) {
			two_get(&t, t.room + TWO_LONG, 8, GET + 1);
			two_put(&t, t.buf, 8, 2, WEFT_SQ_TRANSMIT);
			rig_run(t.rig, 100 * MS);
			while (rig_cq_read(t.ca, &e))
				got |= e.context == 1 ? e.status : 0;
		}
		EXPECT_EQ(ETIMEDOUT, got);
		EXPECT_GE(rig_now(t.rig) - begin, 10 * SEC);
		EXPECT_LE(rig_now(t.rig) - begin, 10 * SEC + MORE);
		t.rig->conf.net.narrow = 0;
		rig_run(t.rig, SEC);
		rig_ep_free(t.eb);
		rig_free(t.rig);
	}
}

/* ---- Connections ------------------------------------------------------------------ */

/**
 * struct conns - two programs, one of which listens
 * @rig: world
 * @a: the requester
 * @b: the listener
 * @pep: its listening endpoint
 * @ev: the last event
 * @since: when the test began
 */
struct conns {
	struct rig *rig;
	struct side a, b;
	struct rig_ep *pep;
	struct weft_event ev;
	weft_ns since;
};

/* @asked: A has asked, and B has heard of it; @up: B has accepted. Else there is a path only. */
static bool conns_init(struct conns *c, bool asked, bool up)
{
	struct rig_conf conf;

	rig_conf_default(&conf, 11);
	c->rig = rig_new(&conf);
	side_init(&c->a, &c->rig->node[0]);
	side_init(&c->b, &c->rig->node[1]);
	c->pep = side_listen(&c->b, SVC, 4);
	if (ask(c->rig, &c->a, 1, NULL) ||
	    side_event(c->rig, &c->b, &c->ev, NULL, SEC) != WEFT_EV_CONNREQ)
		return false;
	if (up && (rig_accept(c->b.ep, c->ev.conn, NULL, 0) ||
		   side_event(c->rig, &c->a, &c->ev, NULL, SEC) != WEFT_EV_CONNECTED ||
		   side_event(c->rig, &c->b, &c->ev, NULL, SEC) != WEFT_EV_CONNECTED))
		return false;
	if (!asked && !up) {
		if (rig_reject(c->pep, c->ev.conn, NULL, 0) ||
		    side_event(c->rig, &c->a, &c->ev, NULL, SEC) != WEFT_EV_CONN_FAILED)
			return false;
		c->a.ep = side_msg(&c->a);
	}
	/* no side has more to send */
	rig_run(c->rig, SEC);
	c->since = rig_now(c->rig);
	return true;
}

/* The next event of @s is @type with @status, between @from and @to, and no other event follows. */
static bool told(struct conns *c, struct side *s, u32 type, u32 status, weft_ns from, weft_ns to)
{
	u32 was = side_event(c->rig, s, &c->ev, NULL, 200 * SEC);
	weft_ns at = rig_now(c->rig) - c->since;
	bool ok = was == type && c->ev.status == status && at >= from && at <= to &&
		  !side_event(c->rig, s, &c->ev, NULL, SEC);

	if (!ok)
		fprintf(stderr, "# event %u, status %u after %llu ms\n", was, c->ev.status,
			(unsigned long long)(at / MS));
	return ok;
}

static void again(struct conns *c)
{
	rig_crash(&c->rig->node[1]);
	rig_start(&c->rig->node[1]);
}

/* The requester learns how its request ends, whatever the other side was doing. */
TEST(asked)
{
	struct conns c;

	/* no answer at all: EHOSTUNREACH after connect-ms */
	ASSERT_TRUE(conns_init(&c, false, false));
	rig_stop(&c.rig->node[0], ENODEV);
	rig_start(&c.rig->node[0]);
	side_init(&c.a, &c.rig->node[0]);
	rig_cut(c.rig, 0, 1, true);
	ASSERT_EQ(0, ask(c.rig, &c.a, 1, NULL));
	EXPECT_TRUE(told(&c, &c.a, WEFT_EV_CONN_FAILED, EHOSTUNREACH, 5 * SEC, 5 * SEC + MORE));
	rig_free(c.rig);

	/* the node has died: ETIMEDOUT after dead-ms */
	ASSERT_TRUE(conns_init(&c, false, false));
	rig_crash(&c.rig->node[1]);
	ASSERT_EQ(0, ask(c.rig, &c.a, 1, NULL));
	EXPECT_TRUE(told(&c, &c.a, WEFT_EV_CONN_FAILED, ETIMEDOUT, 10 * SEC, 10 * SEC + MORE));
	rig_free(c.rig);

	/* the node dies before its program has answered: long before accept-ms */
	ASSERT_TRUE(conns_init(&c, true, false));
	rig_crash(&c.rig->node[1]);
	EXPECT_TRUE(told(&c, &c.a, WEFT_EV_CONN_FAILED, ETIMEDOUT, 10 * SEC, 15 * SEC + MORE));
	rig_free(c.rig);

	/*
	 * the node is a new one without a listener: ECONNREFUSED, at once or when that is noticed
	 */
	ASSERT_TRUE(conns_init(&c, false, false));
	again(&c);
	ASSERT_EQ(0, ask(c.rig, &c.a, 1, NULL));
	EXPECT_TRUE(told(&c, &c.a, WEFT_EV_CONN_FAILED, ECONNREFUSED, 0, MORE));
	rig_free(c.rig);
	ASSERT_TRUE(conns_init(&c, true, false));
	again(&c);
	EXPECT_TRUE(told(&c, &c.a, WEFT_EV_CONN_FAILED, ECONNREFUSED, 0, 5 * SEC + MORE));
	rig_free(c.rig);

	/* the listener is missing, or is destroyed */
	ASSERT_TRUE(conns_init(&c, false, false));
	rig_ep_free(c.pep);
	ASSERT_EQ(0, ask(c.rig, &c.a, 1, NULL));
	EXPECT_TRUE(told(&c, &c.a, WEFT_EV_CONN_FAILED, ECONNREFUSED, 0, STEP));
	rig_free(c.rig);
	ASSERT_TRUE(conns_init(&c, true, false));
	rig_ep_free(c.pep);
	EXPECT_TRUE(told(&c, &c.a, WEFT_EV_CONN_FAILED, ECONNREFUSED, 0, STEP));
	rig_free(c.rig);

	/* the link is mended in time */
	ASSERT_TRUE(conns_init(&c, false, false));
	rig_cut(c.rig, 0, 1, true);
	ASSERT_EQ(0, ask(c.rig, &c.a, 1, NULL));
	rig_run(c.rig, 8 * SEC);
	rig_cut(c.rig, 0, 1, false);
	ASSERT_EQ(WEFT_EV_CONNREQ, side_event(c.rig, &c.b, &c.ev, NULL, MORE));
	ASSERT_EQ(0, rig_accept(c.b.ep, c.ev.conn, NULL, 0));
	EXPECT_TRUE(told(&c, &c.a, WEFT_EV_CONNECTED, 0, 8 * SEC, 8 * SEC + MORE));
	rig_free(c.rig);
}

/* B is told that the connection is up, and later that it has ended. */
static bool was_up(struct conns *c)
{
	return side_event(c->rig, &c->b, &c->ev, NULL, 15 * SEC + MORE) == WEFT_EV_CONNECTED &&
	       side_event(c->rig, &c->b, &c->ev, NULL, 15 * SEC + MORE) == WEFT_EV_SHUTDOWN &&
	       c->ev.status == ETIMEDOUT && side_state(c->b.ep) == WEFT_EPS_CLOSED;
}

/*
 * B has accepted. Its peer dies before or after B's confirmation is known there. B is told of both.
 */
TEST(accepted)
{
	u32 steps, n;
	struct conns c;

	for (steps = 0; steps < 24; steps++) {
		ASSERT_TRUE(conns_init(&c, true, false));
		ASSERT_EQ(0, rig_accept(c.b.ep, c.ev.conn, NULL, 0));
		for (n = 0; n < steps; n++)
			rig_step(c.rig, rig_now(c.rig) + 50 * NSEC_PER_USEC);
		rig_crash(&c.rig->node[0]);
		EXPECT_TRUE(was_up(&c));
		rig_free(c.rig);
	}
	/* REP is acknowledged, and its answer does not come: no packet is under way then */
	ASSERT_TRUE(conns_init(&c, true, false));
	ASSERT_EQ(0, rig_accept(c.b.ep, c.ev.conn, NULL, 0));
	rig_cut_one(c.rig, 0, 1, true);
	for (n = 0; n < 40000 && !rig_counter(&c.rig->node[1], WEFT_CNT_retransmits); n++)
		rig_run(c.rig, 5 * NSEC_PER_USEC);
	ASSERT_LT(n, 40000);
	rig_cut_one(c.rig, 0, 1, false);
	c.rig->conf.net.narrow = 40;
	rig_run(c.rig, MS);
	rig_crash(&c.rig->node[0]);
	ASSERT_EQ(0, c.b.ep->ep->cm.conn->path->flight);
	EXPECT_TRUE(was_up(&c));
	rig_free(c.rig);
}

/* A connection whose other end is gone: an event, and how its operations end. */
TEST(connected)
{
	/* the case; the status of the event; the status of a waiting send; the duration */
	static const struct {
		bool killed, closed, back, sends;
		u32 status, sent;
		u32 from, to;
	} rows[] = {
		/* a dead node is asked for a sign of life, or has to acknowledge */
		{ .status = ETIMEDOUT, .from = 10, .to = 15 },
		{ .sends = true, .status = ETIMEDOUT, .sent = ETIMEDOUT, .from = 10, .to = 10 },
		/* a new incarnation does not know the connection: it has ended */
		{ .back = true, .to = 5 },
		{ .back = true, .sends = true, .sent = ECONNRESET },
		{ .closed = true },
		{ .closed = true, .sends = true, .sent = ECONNRESET },
		{ .killed = true },
		{ .killed = true, .sends = true, .sent = ECONNRESET },
	};
	struct weft_cqe e;
	struct conns c;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig_op op = { .n = 1, .context = 5, .peer = WEFT_SRC_ANY };

		ASSERT_TRUE(conns_init(&c, true, true));
		op.flags = WEFT_RQ_COMPLETION;
		op.iov[0].addr = (uintptr_t)rig_buf(c.a.proc, 1000);
		op.iov[0].len = 1000;
		ASSERT_EQ(0, rig_recv(c.a.ep, &op));
		if (rows[i].killed)
			rig_proc_end(c.b.proc, true);
		else if (rows[i].closed)
			rig_ep_free(c.b.ep);
		else
			rig_crash(&c.rig->node[1]);
		if (rows[i].back)
			rig_start(&c.rig->node[1]);
		op.flags = WEFT_SQ_COMPLETION | WEFT_SQ_MATCH;
		op.context = 6;
		op.peer = 0;
		if (rows[i].sends)
			ASSERT_EQ(0, rig_send(c.a.ep, &op));
		EXPECT_TRUE(told(&c, &c.a, WEFT_EV_SHUTDOWN, rows[i].status, rows[i].from * SEC,
				 rows[i].to * SEC + MORE));
		/* before the event, a receive stops waiting, and a send ends */
		ASSERT_EQ(1, rig_cq_read(c.a.cq, &e));
		EXPECT_EQ(5, e.context);
		EXPECT_EQ(ECANCELED, e.status);
		ASSERT_EQ(rows[i].sends, rig_cq_read(c.a.cq, &e));
		if (rows[i].sends)
			EXPECT_EQ(rows[i].sent, e.status);
		EXPECT_EQ(WEFT_EPS_CLOSED, side_state(c.a.ep));
		rig_free(c.rig);
	}
}

/* ---- Receives and datagrams -------------------------------------------------------- */

/*
 * A receive that a message has taken ends with it. A receive without a message waits for the next
 * one.
 */
TEST_F(gone, receives)
{
	struct two *t = &self->t;
	struct end end[GET + 2];
	u32 back;

	for (back = 0; back < 2; back++) {
		ASSERT_TRUE(message(t));
		ASSERT_EQ(0, two_get(t, t->room, TWO_LONG, GET));
		ASSERT_EQ(0, two_get(t, t->room + TWO_LONG, TWO_LONG, GET + 1));
		/* the message begins, and stops soon */
		t->rig->conf.net.narrow = 1000;
		ASSERT_EQ(0, two_put(t, t->buf, TWO_LONG, 1, 0));
		rig_run(t->rig, MS);
		rig_crash(&t->rig->node[0]);
		if (back) {
			rig_start(&t->rig->node[0]);
			t->a = NULL;
		}
		ends(t, t->cb, end, GET + 2, 30 * SEC);
		EXPECT_TRUE(ended(&end[GET], back ? ECONNRESET : ETIMEDOUT, 0,
				  back ? 5 * SEC + MORE : 15 * SEC + MORE));
		EXPECT_EQ(0, end[GET + 1].n);
		rig_free(t->rig);
		two_init(t, 1, 64, 0);
	}
}

static u64 count(struct two *t, u32 node, enum weft_counter c)
{
	return rig_counter(&t->rig->node[node], c);
}

/*
 * Datagrams never wait: they complete at once, and all those that do not arrive are counted.
 * @gone: what happens after a quarter of them; NULL: the peer is missing from the beginning.
 */
static void accounted(struct __test_metadata *_metadata, void (*gone)(struct two *t), u32 lost)
{
	struct two t;
	u64 all;
	u32 n;

	two_init_type(&t, WEFT_EP_DGRAM, 0, 1, 64, 0);
	rig_cut(t.rig, 0, 1, !gone);
	for (n = 0; n < 400; n++) {
		if (n == 100 && gone)
			gone(&t);
		if (n == 300)
			rig_mend(t.rig);
		ASSERT_EQ(0, two_put(&t, t.buf, 8, 1, WEFT_SQ_TRANSMIT));
		ASSERT_EQ(0, two_status(&t, t.ca, 1, 0));
		rig_run(t.rig, 100 * MS);
	}
	rig_run(t.rig, 30 * SEC);
	/* also those that arrive at an endpoint without receives */
	if (t.eb)
		rig_ep_free(t.eb);
	EXPECT_EQ(400, count(&t, 0, WEFT_CNT_dgrams_sent));
	all = count(&t, 0, WEFT_CNT_dgrams_dropped) + count(&t, 1, WEFT_CNT_dgrams_dropped) +
	      count(&t, 1, WEFT_CNT_no_service) + count(&t, 1, WEFT_CNT_rx_unknown);
	EXPECT_EQ(400, all + lost);
	rig_free(t.rig);
}

static void cut(struct two *t)
{
	rig_cut(t->rig, 0, 1, true);
}

static void close_it(struct two *t)
{
	rig_ep_free(t->eb);
	t->eb = NULL;
}

TEST(datagrams)
{
	accounted(_metadata, NULL, 0);
	/* in the network */
	accounted(_metadata, cut, 200);
	accounted(_metadata, close_it, 0);
	/* those that had reached the node before it ended; its counters begin anew */
	accounted(_metadata, restart, 100);
}

TEST_HARNESS_MAIN
