// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests for a connection on a path that the peer alone has given up. The requester repeats the
 * request on another path, once, within its time. Other events may come between.
 */
#include "cm_fixture.h"

#define SEC	((weft_ns)NSEC_PER_SEC)

FIXTURE(renew)
{
	struct rig *rig;
	struct side a;
	struct side b;
	struct rig_ep *pep;
	struct weft_event ev;
	u8 data[WEFT_CM_DATA_MAX];
};

/* @node gives its path up, if there is one. */
static void give_up(struct rig_node *node, int err)
{
	struct weft_path *path = rig_path(&node->core);
	struct weft_out *out = rig_out(node);

	if (!path)
		return;
	weft_lock(&path->lock);
	weft_path_fail(path, err, out);
	weft_unlock(&path->lock);
	weft_path_put(path);
	rig_leave(node, out);
}

/* Both nodes have a path; then the listener's node drops it, and the other does not know. */
FIXTURE_SETUP(renew)
{
	struct rig_conf conf;

	rig_conf_default(&conf, 12);
	self->rig = rig_new(&conf);
	side_init(&self->a, &self->rig->node[0]);
	side_init(&self->b, &self->rig->node[1]);
	self->pep = side_listen(&self->b, SVC, 4);
	if (ask(self->rig, &self->a, 1, NULL) ||
	    EVENT(&self->b) != WEFT_EV_CONNREQ ||
	    rig_reject(self->pep, self->ev.conn, NULL, 0) ||
	    EVENT(&self->a) != WEFT_EV_CONN_FAILED)
		abort();
	rig_run(self->rig, 50 * MS);
	give_up(&self->rig->node[1], ETIMEDOUT);
	self->a.ep = side_msg(&self->a);
}

FIXTURE_TEARDOWN(renew)
{
	rig_free(self->rig);
}

TEST_F(renew, asked_again)
{
	ASSERT_EQ(0, ask(self->rig, &self->a, 1, "private"));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	EXPECT_EQ(7, self->ev.data_len);
	EXPECT_EQ(0, memcmp(self->data, "private", 7));
	ASSERT_EQ(0, rig_accept(self->b.ep, self->ev.conn, NULL, 0));
	ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->a));
	ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->b));
	EXPECT_TRUE(NO_EVENT(&self->a));
	EXPECT_TRUE(NO_EVENT(&self->b));
	ASSERT_EQ(0, rig_shutdown(self->a.ep));
	ASSERT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->b));
	ASSERT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->a));
}

/* A restarted node is the same case for the requester. */
TEST_F(renew, restarted)
{
	struct side c;

	rig_crash(&self->rig->node[1]);
	ASSERT_EQ(0, ask(self->rig, &self->a, 1, NULL));
	rig_run(self->rig, 20 * MS);
	rig_start(&self->rig->node[1]);
	side_init(&c, &self->rig->node[1]);
	ASSERT_NE(NULL, side_listen(&c, SVC, 4));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&c));
	ASSERT_EQ(0, rig_accept(c.ep, self->ev.conn, NULL, 0));
	ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->a));
}

/* The time limit covers both attempts. */
TEST_F(renew, bound)
{
	weft_ns t = rig_now(self->rig);

	ASSERT_EQ(0, rig_connect_within(self->a.ep, 1, SVC, NULL, 0, 2 * SEC));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
	EXPECT_EQ(ETIMEDOUT, self->ev.status);
	EXPECT_GE(rig_now(self->rig) - t, 2 * SEC);
	EXPECT_LE(rig_now(self->rig) - t, 2 * SEC + 100 * MS);
	EXPECT_TRUE(NO_EVENT(&self->a));
}

/* And the node is gone. */
TEST_F(renew, silence)
{
	struct weft_path *path;
	u32 n;

	ASSERT_EQ(0, ask(self->rig, &self->a, 1, NULL));
	/* until the old path is gone */
	for (n = 0; n < 1000 && rig_counter(&self->rig->node[0], WEFT_CNT_paths_dead) < 1; n++)
		ASSERT_TRUE(rig_step(self->rig, rig_now(self->rig) + SEC));
	rig_cut(self->rig, 0, 1, true);
	ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
	EXPECT_EQ(EHOSTUNREACH, self->ev.status);
	EXPECT_EQ(WEFT_EPS_CLOSED, side_state(self->a.ep));
	path = rig_path(&self->rig->node[0].core);
	EXPECT_EQ(NULL, path);
	EXPECT_TRUE(NO_EVENT(&self->a));
}

/* The program ends the request before, while, and after it is repeated. */
TEST_F(renew, ended_between)
{
	u32 n, steps;

	for (n = 0; n < 40; n++) {
		bool killed = n & 1;

		ASSERT_EQ(0, ask(self->rig, &self->a, 1, NULL));
		for (steps = 0; steps < n / 2; steps++)
			rig_step(self->rig, rig_now(self->rig) + 50 * MS);
		if (killed) {
			rig_ep_free(self->a.ep);
			EXPECT_TRUE(NO_EVENT(&self->a));
		} else {
			ASSERT_EQ(0, rig_shutdown(self->a.ep));
			ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
			EXPECT_EQ(ECANCELED, self->ev.status);
			EXPECT_TRUE(NO_EVENT(&self->a));
		}
		/* a request that had arrived was withdrawn */
		rig_run(self->rig, 2 * SEC);
		while (rig_eq_read(self->b.eq, &self->ev, NULL))
			EXPECT_EQ(-EINVAL, rig_accept(self->b.ep, self->ev.conn, NULL, 0));
		give_up(&self->rig->node[1], ETIMEDOUT);
		self->a.ep = side_msg(&self->a);
	}
}

/* Only once: the program is told of a peer that gives each path up at once. */
TEST_F(renew, twice)
{
	u32 n;

	ASSERT_EQ(0, ask(self->rig, &self->a, 1, NULL));
	for (n = 0; n < 1000 && rig_counter(&self->rig->node[0], WEFT_CNT_paths_dead) < 1; n++)
		ASSERT_TRUE(rig_step(self->rig, rig_now(self->rig) + SEC));
	/* the second path is up when its request has arrived */
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	give_up(&self->rig->node[0], ECONNRESET);
	ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
	EXPECT_EQ(ECONNRESET, self->ev.status);
	EXPECT_TRUE(NO_EVENT(&self->a));
}

/* The request cannot be repeated: the program is told, as of any other end. */
TEST_F(renew, not_again)
{
	u32 n;

	ASSERT_EQ(0, ask(self->rig, &self->a, 1, NULL));
	for (n = 0; n < 1000 && rig_counter(&self->rig->node[0], WEFT_CNT_paths_dead) < 1; n++)
		ASSERT_TRUE(rig_step(self->rig, rig_now(self->rig) + SEC));
	weft_host_fail_rate(1 << 16, 1);
	rig_run(self->rig, 50 * MS);
	weft_host_fail_rate(0, 1);
	ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
	EXPECT_EQ(ENOMEM, self->ev.status);
	EXPECT_EQ(WEFT_EPS_CLOSED, side_state(self->a.ep));
	EXPECT_TRUE(NO_EVENT(&self->a));
	EXPECT_TRUE(NO_EVENT(&self->b));
}

/* ---- Calls at the wrong time ---------------------------------------------- */

TEST(wrong_time)
{
	static const char too_much[WEFT_CM_DATA_MAX + 1];
	struct weft_event ev;
	struct rig_conf conf;
	struct side a, b;
	struct rig_ep *ep;
	struct rig *rig;

	rig_conf_default(&conf, 15);
	rig = rig_new(&conf);
	side_init(&a, &rig->node[0]);
	side_init(&b, &rig->node[1]);
	ASSERT_NE(NULL, side_listen(&b, SVC, 4));
	EXPECT_EQ(-EINVAL, rig_connect(a.ep, 1, 0, NULL, 0));
	EXPECT_EQ(-EINVAL, rig_connect(a.ep, 1, SVC, too_much, sizeof(too_much)));
	EXPECT_EQ(-EINVAL, rig_connect_within(a.ep, 1, SVC, NULL, 0, WEFT_CM_TIMEOUT_MAX + 1));
	EXPECT_EQ(-ENOTCONN, rig_shutdown(a.ep));
	EXPECT_EQ(-EINVAL, rig_accept(a.ep, 12345, NULL, 0));
	/* neither connectionless, nor before the endpoint is enabled */
	ep = rig_ep_new(a.proc, WEFT_EP_RDM, 0, 16, 16, 0);
	EXPECT_EQ(-EINVAL, rig_connect(ep, 1, SVC, NULL, 0));
	EXPECT_EQ(-EINVAL, rig_accept(ep, 1, NULL, 0));
	ep = rig_ep_new(a.proc, WEFT_EP_MSG, 0, 16, 16, 0);
	EXPECT_EQ(-EINVAL, rig_connect(ep, 1, SVC, NULL, 0));
	/* the refused calls have changed nothing */
	ASSERT_EQ(0, ask(rig, &a, 1, NULL));
	EXPECT_EQ(-EBUSY, ask(rig, &a, 1, NULL));
	ASSERT_EQ(WEFT_EV_CONNREQ, side_event(rig, &b, &ev, NULL, SEC));
	ASSERT_EQ(0, rig_accept(b.ep, ev.conn, NULL, 0));
	EXPECT_EQ(-EBUSY, rig_accept(b.ep, ev.conn, NULL, 0));
	ASSERT_EQ(WEFT_EV_CONNECTED, side_event(rig, &a, &ev, NULL, SEC));
	ASSERT_EQ(WEFT_EV_CONNECTED, side_event(rig, &b, &ev, NULL, SEC));
	EXPECT_EQ(-EISCONN, ask(rig, &a, 1, NULL));
	ASSERT_EQ(0, rig_shutdown(a.ep));
	ASSERT_EQ(WEFT_EV_SHUTDOWN, side_event(rig, &a, &ev, NULL, SEC));
	EXPECT_EQ(-EBUSY, ask(rig, &a, 1, NULL));
	EXPECT_EQ(0, rig_shutdown(a.ep));
	EXPECT_EQ(0, side_event(rig, &a, &ev, NULL, SEC));
	rig_free(rig);
}

/* An endpoint in error ends its connection, if it has one, and the peer is told. */
TEST(shutdown_in_error)
{
	struct weft_rqe bad = { .op = WEFT_RQ_RECV, .nslots = 0 };
	struct weft_event ev;
	struct rig_conf conf;
	struct side a, b;
	struct rig *rig;
	u32 connected;

	for (connected = 0; connected < 2; connected++) {
		rig_conf_default(&conf, 16);
		rig = rig_new(&conf);
		side_init(&a, &rig->node[0]);
		side_init(&b, &rig->node[1]);
		ASSERT_NE(NULL, side_listen(&b, SVC, 4));
		if (connected) {
			ASSERT_EQ(0, ask(rig, &a, 1, NULL));
			ASSERT_EQ(WEFT_EV_CONNREQ, side_event(rig, &b, &ev, NULL, SEC));
			ASSERT_EQ(0, rig_accept(b.ep, ev.conn, NULL, 0));
			ASSERT_EQ(WEFT_EV_CONNECTED, side_event(rig, &a, &ev, NULL, SEC));
			ASSERT_EQ(WEFT_EV_CONNECTED, side_event(rig, &b, &ev, NULL, SEC));
		}
		rig_put_rq(a.ep, &bad, 1);
		rig_ring_rq(a.ep);
		rig_notify(a.ep, WEFT_NOTIFY_RQ);
		ASSERT_EQ(WEFT_EV_EP_ERROR, side_event(rig, &a, &ev, NULL, SEC));
		EXPECT_EQ(WEFT_EPS_ERROR, side_state(a.ep));
		EXPECT_EQ(connected ? 0 : -ENOTCONN, rig_shutdown(a.ep));
		EXPECT_EQ(connected ? WEFT_EV_SHUTDOWN : 0, side_event(rig, &b, &ev, NULL, SEC));
		rig_free(rig);
	}
}

/* ---- Without memory ------------------------------------------------------- */

/* Connect while the @n-th allocation fails. Return: 1: done, 0: refused at once, negative: lost. */
static int connect_failing(struct rig *rig, struct side *a, struct side *b, u32 node, u32 n)
{
	weft_ns bound = 3 * SEC;
	struct weft_event ev;
	u64 conn;
	u32 k;

	weft_host_fail_nth(n);
	if (ask(rig, a, node, "hello"))
		return 0;
	if (side_event(rig, b, &ev, NULL, bound) != WEFT_EV_CONNREQ)
		return -1;
	conn = ev.conn;
	for (k = 0; k < 2 && rig_accept(b->ep, conn, NULL, 0); k++)
		;
	if (k == 2)
		return -2;
	if (side_event(rig, a, &ev, NULL, bound) != WEFT_EV_CONNECTED)
		return -3;
	if (side_event(rig, b, &ev, NULL, bound) != WEFT_EV_CONNECTED)
		return -4;
	if (rig_shutdown(a->ep) || side_event(rig, b, &ev, NULL, bound) != WEFT_EV_SHUTDOWN ||
	    side_event(rig, a, &ev, NULL, bound) != WEFT_EV_SHUTDOWN)
		return -5;
	return 1;
}

/*
 * Each allocation fails once while two sides connect. The call returns an error, or connecting
 * takes longer; no request and no answer is lost.
 */
TEST(each_allocation)
{
	struct rig_conf conf;
	struct side a, b;
	struct rig *rig;
	u64 failed;
	u32 node, n;
	int r;

	for (node = 0; node < 2; node++) {
		for (n = 1;; n++) {
			rig_conf_default(&conf, 14);
			rig = rig_new(&conf);
			side_init(&a, &rig->node[0]);
			side_init(&b, &rig->node[node]);
			ASSERT_NE(NULL, side_listen(&b, SVC, 4));
			failed = weft_host_failed();
			r = connect_failing(rig, &a, &b, node, n);
			failed = weft_host_failed() - failed;
			weft_host_fail_nth(0);
			EXPECT_LE(0, r);
			if (r < 0)
				fprintf(stderr, "# node %u, allocation %u: step %d\n", node, n, -r);
			rig_free(rig);
			if (!failed)
				break;
			ASSERT_LT(n, 200);
		}
		EXPECT_GT(n, 4);
	}
}

TEST_HARNESS_MAIN
