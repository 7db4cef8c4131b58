// SPDX-License-Identifier: GPL-2.0-only
/*
 * Paths without use. Both sides give them back, also while endpoints stay. A path that is needed is
 * kept, and a message sent at any moment arrives.
 */
#include "cm_fixture.h"

#define SEC	((weft_ns)NSEC_PER_SEC)
#define IDLE	SEC
#define LEN	3000
#define LONG	40000	/* the value must be asked for */

/**
 * struct world - two nodes with a connectionless endpoint each
 * @rig: world
 * @p: programs
 * @cq: their completions
 * @ep: their endpoints
 * @to: index of the other one
 * @buf: buffers
 * @len: bytes of a message
 */
struct world {
	struct rig *rig;
	struct rig_proc *p[2];
	struct rig_cq *cq[2];
	struct rig_ep *ep[2];
	u32 to[2];
	u8 *buf[2];
	u32 len;
};

static void world_init(struct world *w, u64 seed, u32 bad, u32 type)
{
	struct rig_conf conf;
	struct rig_av *av[2];
	u32 i;

	rig_conf_default(&conf, seed);
	conf.core.idle_ns = IDLE;
	conf.loss = bad;
	conf.dup = bad;
	conf.late = bad;
	conf.late_by = 2 * MS;
	w->len = LEN;
	w->rig = rig_new(&conf);
	for (i = 0; i < 2; i++) {
		w->p[i] = rig_proc_new(&w->rig->node[i]);
		w->cq[i] = rig_cq_new(w->p[i], 256);
		av[i] = rig_av_new(w->p[i]);
		w->ep[i] = rig_ep_new(w->p[i], type, 0, 64, 64, (u16)(i + 1));
		if (rig_ep_enable(w->ep[i], w->cq[i], w->cq[i], NULL, av[i]))
			abort();
		w->buf[i] = rig_buf(w->p[i], LONG);
	}
	for (i = 0; i < 2; i++)
		w->to[i] = (u32)rig_av_insert(av[i], !i, (u16)(2 - i), w->rig);
}

static bool post(struct world *w, u32 i, bool send, u64 context)
{
	struct rig_op op = {
		.flags = send ? WEFT_SQ_COMPLETION | WEFT_SQ_TRANSMIT : WEFT_RQ_COMPLETION,
		.peer = send ? w->to[i] : WEFT_SRC_ANY, .context = context, .n = 1,
		.iov = { { .addr = (u64)(uintptr_t)w->buf[i], .len = w->len } },
	};

	return !(send ? rig_send(w->ep[i], &op) : rig_recv(w->ep[i], &op));
}

/* Take @n completions of each side. Return: all are successes. */
static bool reap(struct world *w, u32 n0, u32 n1)
{
	u32 want[2] = { n0, n1 }, i, ms;
	struct weft_cqe e;

	for (i = 0; i < 2; i++) {
		for (ms = 0; want[i] && ms < 20000; ms++) {
			rig_run(w->rig, MS);
			while (want[i] && rig_cq_read(w->cq[i], &e) == 1) {
				if (e.status) {
					fprintf(stderr, "# node %u: status %u\n", i, e.status);
					return false;
				}
				want[i]--;
			}
		}
	}
	return !want[0] && !want[1];
}

/* A message from @i to the other node. */
static bool message(struct world *w, u32 i)
{
	return post(w, !i, false, 1) && post(w, i, true, 2) && reap(w, 1, 1);
}

static u32 paths(struct world *w)
{
	return w->rig->node[0].core.npaths + w->rig->node[1].core.npaths;
}

static u64 count(struct world *w, enum weft_counter c)
{
	return rig_counter(&w->rig->node[0], c) + rig_counter(&w->rig->node[1], c);
}

/* The endpoints are gone: the path is not needed. */
TEST(closed)
{
	struct world w;

	world_init(&w, 3, 0, WEFT_EP_RDM);
	ASSERT_TRUE(message(&w, 0));
	ASSERT_TRUE(message(&w, 1));
	rig_ep_free(w.ep[0]);
	rig_ep_free(w.ep[1]);
	rig_run(w.rig, IDLE / 2);
	EXPECT_EQ(2, paths(&w));
	rig_run(w.rig, 2 * IDLE);
	EXPECT_EQ(0, paths(&w));
	EXPECT_EQ(2, count(&w, WEFT_CNT_paths_idle));
	EXPECT_EQ(0, count(&w, WEFT_CNT_paths_dead));
	EXPECT_EQ(1, w.rig->node[0].note[WEFT_NOTE_PATH_UP].count);
	EXPECT_EQ(1, w.rig->node[0].note[WEFT_NOTE_PATH_IDLE].count);
	EXPECT_EQ(0, w.rig->node[0].note[WEFT_NOTE_PATH_DOWN].count);
	rig_free(w.rig);
}

/*
 * The endpoints stay and are silent: their flows close, then the path. Both come back when needed.
 */
TEST(silent)
{
	struct world w;
	u32 i;

	world_init(&w, 4, 0, WEFT_EP_RDM);
	for (i = 0; i < 4; i++) {
		ASSERT_TRUE(message(&w, i & 1));
		if (i & 2)
			ASSERT_TRUE(message(&w, !(i & 1)));
		rig_run(w.rig, 4 * IDLE);
		EXPECT_EQ(0, paths(&w));
	}
	EXPECT_EQ(8, count(&w, WEFT_CNT_paths_idle));
	EXPECT_EQ(0, count(&w, WEFT_CNT_paths_dead));
	EXPECT_EQ(0, count(&w, WEFT_CNT_peer_restarts));
	rig_free(w.rig);
}

/*
 * The administrator lowers idle-ms while paths rest. Their timers are due much later, and learn of
 * it.
 */
TEST(lowered)
{
	struct world w;
	u32 i;

	world_init(&w, 4, 0, WEFT_EP_RDM);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, weft_limit_set(&w.rig->node[i].core, "idle-ms", 300000));
	ASSERT_TRUE(post(&w, 1, false, 1) && post(&w, 0, true, 2));
	ASSERT_TRUE(reap(&w, 1, 1));
	rig_run(w.rig, 60 * SEC);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(1, w.rig->node[i].core.npaths);
		ASSERT_EQ(0, weft_limit_set(&w.rig->node[i].core, "idle-ms", 200));
	}
	for (i = 0; i < 2; i++) {
		u32 pos = 0;

		weft_softirqs_off();
		EXPECT_FALSE(weft_core_retime(&w.rig->node[i].core, &pos,
					      rig_clock(&w.rig->node[i])));
		weft_softirqs_on();
	}
	rig_run(w.rig, 10 * SEC);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, w.rig->node[i].core.npaths);
	rig_free(w.rig);
}

/* A path in rare use is never given back. */
TEST(used)
{
	struct world w;
	u32 i;

	world_init(&w, 5, 0, WEFT_EP_RDM);
	for (i = 0; i < 20; i++) {
		ASSERT_TRUE(message(&w, i & 1));
		rig_run(w.rig, IDLE * 3 / 4);
	}
	EXPECT_EQ(2, count(&w, WEFT_CNT_paths_made));
	EXPECT_EQ(0, count(&w, WEFT_CNT_paths_idle));
	rig_free(w.rig);
}

/* A message that has not been received yet keeps the path. */
TEST(unexpected)
{
	struct world w;

	world_init(&w, 6, 0, WEFT_EP_RDM);
	ASSERT_TRUE(post(&w, 0, true, 1));
	ASSERT_TRUE(reap(&w, 1, 0));
	rig_run(w.rig, 5 * IDLE);
	EXPECT_EQ(1, w.rig->node[1].core.npaths);
	ASSERT_TRUE(post(&w, 1, false, 1));
	ASSERT_TRUE(reap(&w, 0, 1));
	rig_run(w.rig, 5 * IDLE);
	EXPECT_EQ(0, paths(&w));
	rig_free(w.rig);
}

/* The other node has gone silently: no operation waits for it, and the path is given back. */
TEST(crashed)
{
	struct world w;

	world_init(&w, 7, 0, WEFT_EP_RDM);
	ASSERT_TRUE(message(&w, 0));
	rig_crash(&w.rig->node[0]);
	rig_run(w.rig, 2 * IDLE + 11 * SEC);
	EXPECT_EQ(0, w.rig->node[1].core.npaths);
	rig_free(w.rig);
}

/* Messages at every moment of the path's end, from either side or both, on good and bad links. */
TEST(any_moment)
{
	struct world w;
	u32 n, k;

	for (k = 0; k < 8; k++) {
		world_init(&w, 20 + k, k & 1 ? RIG_PPM / 16 : 0, WEFT_EP_RDM);
		w.len = k & 4 ? LONG : LEN;
		ASSERT_TRUE(message(&w, 0));
		for (n = 0; n < 400; n++) {
			u32 steps = rig_below(w.rig, 24);
			u32 who = rig_below(w.rig, 3);

			if (k & 2 && !rig_below(w.rig, 4))
				rig_run(w.rig, IDLE * 2);
			/* no other events happen, so the next ones are those of the path's end */
			rig_run(w.rig, IDLE / 2);
			while (steps--)
				rig_step(w.rig, rig_now(w.rig) + 2 * IDLE);
			if (who != 0)
				ASSERT_TRUE(post(&w, 0, false, n) && post(&w, 1, true, n));
			if (who != 1)
				ASSERT_TRUE(post(&w, 1, false, n) && post(&w, 0, true, n));
			ASSERT_TRUE(reap(&w, who == 2 ? 2 : 1, who == 2 ? 2 : 1));
		}
		EXPECT_TRUE(count(&w, WEFT_CNT_paths_idle) > 20);
		EXPECT_EQ(0, count(&w, WEFT_CNT_paths_dead));
		rig_free(w.rig);
	}
}

/* Datagrams keep the path, in one direction too; when they end, it goes. */
TEST(datagrams)
{
	struct world w;
	struct weft_cqe e;
	u32 i;

	world_init(&w, 8, 0, WEFT_EP_DGRAM);
	for (i = 0; i < 20; i++) {
		struct rig_op op = { .flags = WEFT_SQ_COMPLETION, .peer = w.to[0], .n = 1,
				     .iov = { { .addr = (u64)(uintptr_t)w.buf[0], .len = 100 } } };

		ASSERT_TRUE(post(&w, 1, false, i));
		ASSERT_EQ(0, rig_send(w.ep[0], &op));
		rig_run(w.rig, IDLE * 3 / 4);
		ASSERT_EQ(1, rig_cq_read(w.cq[0], &e));
		ASSERT_EQ(1, rig_cq_read(w.cq[1], &e));
	}
	EXPECT_EQ(2, count(&w, WEFT_CNT_paths_made));
	rig_run(w.rig, 4 * IDLE);
	EXPECT_EQ(0, paths(&w));
	rig_free(w.rig);
}

/* A silent connection keeps the path. A request at any moment of its end arrives. */
TEST(connections)
{
	struct weft_event ev;
	struct rig_conf conf;
	struct side a, b;
	struct rig *rig;
	u32 n, steps;

	rig_conf_default(&conf, 9);
	conf.core.idle_ns = IDLE;
	rig = rig_new(&conf);
	side_init(&a, &rig->node[0]);
	side_init(&b, &rig->node[1]);
	ASSERT_NE(NULL, side_listen(&b, SVC, 4));
	for (n = 0; n < 60; n++) {
		ASSERT_EQ(0, ask(rig, &a, 1, NULL));
		ASSERT_EQ(WEFT_EV_CONNREQ, side_event(rig, &b, &ev, NULL, 10 * SEC));
		ASSERT_EQ(0, rig_accept(b.ep, ev.conn, NULL, 0));
		ASSERT_EQ(WEFT_EV_CONNECTED, side_event(rig, &a, &ev, NULL, 10 * SEC));
		ASSERT_EQ(WEFT_EV_CONNECTED, side_event(rig, &b, &ev, NULL, 10 * SEC));
		if (n % 20 == 0) {
			rig_run(rig, 5 * IDLE);
			EXPECT_EQ(1, rig->node[0].core.npaths);
		}
		ASSERT_EQ(0, rig_shutdown(a.ep));
		ASSERT_EQ(WEFT_EV_SHUTDOWN, side_event(rig, &b, &ev, NULL, 10 * SEC));
		ASSERT_EQ(WEFT_EV_SHUTDOWN, side_event(rig, &a, &ev, NULL, 10 * SEC));
		rig_ep_free(a.ep);
		rig_ep_free(b.ep);
		rig_run(rig, IDLE / 2);
		for (steps = n % 20; steps; steps--)
			rig_step(rig, rig_now(rig) + 2 * IDLE);
		a.ep = side_msg(&a);
		b.ep = side_msg(&b);
	}
	rig_run(rig, 4 * IDLE);
	EXPECT_EQ(0, rig->node[0].core.npaths + rig->node[1].core.npaths);
	EXPECT_EQ(0, rig_counter(&rig->node[0], WEFT_CNT_paths_dead));
	EXPECT_EQ(0, rig_counter(&rig->node[1], WEFT_CNT_paths_dead));
	EXPECT_TRUE(rig_counter(&rig->node[0], WEFT_CNT_paths_idle) > 5);
	rig_free(rig);
}

/* All answers of the handshake are lost until the responder begins to release the path. */
TEST(answers_lost)
{
	struct weft_path *path;
	struct world w;

	world_init(&w, 12, 0, WEFT_EP_RDM);
	ASSERT_TRUE(post(&w, 1, false, 1));
	ASSERT_TRUE(post(&w, 0, true, 1));
	/* INIT, COOKIE, INIT with the cookie, which makes the path */
	while (w.rig->npackets < 3)
		ASSERT_TRUE(rig_step(w.rig, U64_MAX));
	rig_cut_one(w.rig, 1, 0, true);
	rig_run(w.rig, MS);
	path = rig_path(&w.rig->node[1].core);
	ASSERT_NE(NULL, path);
	rig_run(w.rig, IDLE + 100 * MS);
	ASSERT_EQ(WEFT_PATHS_LEAVING, path->state);
	rig_mend(w.rig);
	ASSERT_TRUE(reap(&w, 1, 1));
	EXPECT_EQ(0, count(&w, WEFT_CNT_paths_dead));
	weft_path_put(path);
	rig_free(w.rig);
}

/*
 * Forged and strange packets: BYE needs the token. A BYE for a path in use gets the answer that it
 * is.
 */
TEST(bye)
{
	struct weft_path *path;
	struct weft_sockaddr src, group;
	struct weft_hdr h = { .type = WEFT_PKT_BYE };
	u8 pkt[WEFT_WIRE_HDR];
	struct world w;

	world_init(&w, 10, 0, WEFT_EP_RDM);
	ASSERT_TRUE(message(&w, 0));
	path = rig_path(&w.rig->node[0].core);
	rig_node_addr(&w.rig->conf, 1, w.rig->node[1].core.conf.udp_port, &src);
	h.path = path->id;
	h.token = path->token + 1;
	weft_wire_hdr_put(pkt, &h);
	rig_inject(&w.rig->node[0], &src, pkt, sizeof(pkt));
	h.token--;
	weft_wire_hdr_put(pkt, &h);
	rig_inject(&w.rig->node[0], &src, pkt, sizeof(pkt));
	rig_run(w.rig, MS);
	EXPECT_EQ(WEFT_PATHS_UP, path->state);
	EXPECT_EQ(0, path->failing);
	/* to a group: no own address could answer */
	rig_run(w.rig, IDLE * 3 / 4);
	rig_node_addr(&w.rig->conf, 0, 0, &group);
	rig_inject_group(&w.rig->node[0], &src, &group, pkt, sizeof(pkt));
	rig_run(w.rig, MS);
	EXPECT_EQ(0, path->failing);
	EXPECT_EQ(1, count(&w, WEFT_CNT_rx_bad));
	weft_path_put(path);
	ASSERT_TRUE(message(&w, 1));
	EXPECT_EQ(2, count(&w, WEFT_CNT_paths_made));
	rig_free(w.rig);
}

TEST_HARNESS_MAIN
