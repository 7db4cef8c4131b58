// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listeners: requests that wait, are refused, or are handed to another listener
 */
#include "cm_fixture.h"

TEST_F(cm, reject)
{
	ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), "x"));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	ASSERT_EQ(0, rig_reject(self->pep, self->ev.conn, "no", 2));
	EXPECT_EQ(-EINVAL, rig_reject(self->pep, self->ev.conn, "no", 2));
	EXPECT_EQ(-EINVAL, rig_accept(self->b.ep, self->ev.conn, NULL, 0));
	ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
	EXPECT_EQ(ECONNREFUSED, self->ev.status);
	EXPECT_EQ(2, self->ev.data_len);
	EXPECT_EQ(0, memcmp("no", self->data, 2));
	EXPECT_EQ(WEFT_EPS_CLOSED, side_state(self->a.ep));
	EXPECT_TRUE(NO_EVENT(&self->a));
}

TEST_F(cm, backlog)
{
	u64 first;
	u32 i;

	ASSERT_EQ(0, rig_listen(self->pep, self->b.eq, 2));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), NULL));
		if (i < 2)
			ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
		if (!i)
			first = self->ev.conn;
		self->a.ep = side_msg(&self->a);
	}
	ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
	EXPECT_EQ(ECONNREFUSED, self->ev.status);
	ASSERT_EQ(0, rig_accept(self->b.ep, first, NULL, 0));
	ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), NULL));
	do {
		ASSERT_NE(0, EVENT(&self->b));
	} while (self->ev.type == WEFT_EV_CONNECTED);
	EXPECT_EQ(WEFT_EV_CONNREQ, self->ev.type);
}

TEST_F(cm, listener_gone)
{
	u64 id;

	ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), NULL));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	id = self->ev.conn;
	self->a.ep = side_msg(&self->a);
	ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), NULL));
	ASSERT_TRUE(rig_until(self->rig, side_has_event, self->b.eq, 10 * NSEC_PER_SEC));
	rig_ep_free(self->pep);
	EXPECT_EQ(0, rig_eq_read(self->b.eq, &self->ev, NULL));
	EXPECT_EQ(-EINVAL, rig_accept(self->b.ep, id, NULL, 0));
	ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
	EXPECT_EQ(ECONNREFUSED, self->ev.status);
	ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
	EXPECT_EQ(ECONNREFUSED, self->ev.status);
}

/* ---- Handed to another listener -------------------------------------- */

TEST_F(cm, handoff)
{
	struct rig_ep *same = side_listen(&self->b, SVC + 1, 1);
	struct side other;
	u64 id;

	side_init(&other, self->b.proc->node);
	ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), "hello"));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	id = self->ev.conn;
	EXPECT_EQ(-EINVAL, rig_handoff(self->pep, 12345, SVC + 1));
	EXPECT_EQ(-EINVAL, rig_handoff(same, id, SVC + 1));
	EXPECT_EQ(-EINVAL, rig_handoff(same, id, SVC));
	EXPECT_EQ(-EINVAL, rig_handoff(self->pep, id, SVC));
	EXPECT_EQ(-ENOENT, rig_handoff(self->pep, id, SVC + 2));
	EXPECT_EQ(-ENOENT, rig_handoff(self->pep, id, rig_ep_service(self->b.ep)));

	/*
	 * within the program, and on to another listener; after handing on, a listener cannot
	 * answer
	 */
	ASSERT_EQ(0, rig_handoff(self->pep, id, SVC + 1));
	EXPECT_EQ(-EINVAL, rig_reject(self->pep, id, NULL, 0));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	EXPECT_EQ(same->handle, self->ev.handle);
	EXPECT_EQ(id, self->ev.conn);
	EXPECT_EQ(5, self->ev.data_len);
	EXPECT_EQ(0, memcmp("hello", self->data, 5));
	side_listen(&other, SVC + 3, 1);
	ASSERT_EQ(0, rig_handoff(same, id, SVC + 3));
	EXPECT_EQ(0, self->pep->ep->cm.nreqs);
	EXPECT_EQ(0, same->ep->cm.nreqs);
	EXPECT_EQ(-EINVAL, rig_accept(self->b.ep, id, NULL, 0));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&other));
	ASSERT_EQ(0, rig_accept(other.ep, self->ev.conn, "hi", 2));
	ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->a));
	EXPECT_EQ(2, self->ev.data_len);
	EXPECT_EQ(WEFT_EV_CONNECTED, EVENT(&other));
}

/*
 * The other backlog is full: the request stays, and can be answered. A listener that ends refuses
 * the requests that it was handed.
 */
TEST_F(cm, handoff_full)
{
	struct rig_ep *full = side_listen(&self->b, SVC + 1, 1);
	struct side c;
	u64 id;

	side_init(&c, &self->rig->node[0]);
	ASSERT_EQ(0, rig_connect(c.ep, peer(self), SVC + 1, NULL, 0));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), NULL));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	id = self->ev.conn;
	EXPECT_EQ(-EAGAIN, rig_handoff(self->pep, id, SVC + 1));
	EXPECT_EQ(1, self->pep->ep->cm.nreqs);
	EXPECT_TRUE(NO_EVENT(&self->b));
	ASSERT_EQ(0, rig_listen(full, self->b.eq, 2));
	ASSERT_EQ(0, rig_handoff(self->pep, id, SVC + 1));
	rig_ep_free(full);
	ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
	EXPECT_EQ(ECONNREFUSED, self->ev.status);
	EXPECT_EQ(WEFT_EV_CONN_FAILED, EVENT(&c));
}

#define CROWD	4200u	/* requests, four of which fill a packet: more than a window */

/*
 * Two nodes ask each other for more connections at once than their windows hold answers for. No
 * listener exists: all requests are refused, and the lane continues.
 */
TEST(crowd)
{
	struct rig_conf conf;
	struct weft_event ev;
	struct side s[2];
	u8 data[WEFT_CM_DATA_MAX] = { 0 };
	u32 i, n, refused[2] = { 0, 0 };
	struct rig *rig;

	rig_conf_default(&conf, 12);
	rig = rig_new(&conf);
	for (n = 0; n < 2; n++)
		side_init(&s[n], &rig->node[n]);
	for (i = 0; i < CROWD; i++)
		for (n = 0; n < 2; n++) {
			struct rig_ep *ep = rig_ep_new(s[n].proc, WEFT_EP_MSG, 0, 1, 1, 0);

			ASSERT_EQ(0, rig_ep_enable(ep, s[n].cq, s[n].cq, s[n].eq, NULL));
			ASSERT_EQ(0, rig_connect(ep, 1 - n, SVC, data, sizeof(data)));
		}
	rig_run(rig, 10ull * NSEC_PER_SEC);
	for (n = 0; n < 2; n++)
		while (rig_eq_read(s[n].eq, &ev, NULL))
			refused[n] += ev.type == WEFT_EV_CONN_FAILED && ev.status == ECONNREFUSED;
	EXPECT_EQ(CROWD, refused[0]);
	EXPECT_EQ(CROWD, refused[1]);
	rig_free(rig);
}

TEST_HARNESS_MAIN
