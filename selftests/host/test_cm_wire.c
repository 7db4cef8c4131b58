// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connections: chunks in an order, or with contents, that a correct node does not send
 */
#include "lone.h"
#include "harness.h"

#define SVC	4000

FIXTURE(cm_wire)
{
	struct lone t;
	struct side s;
	struct rig_ep *pep;
};

FIXTURE_SETUP(cm_wire)
{
	lone_init(&self->t, 0);
	side_init(&self->s, &self->t.rig->node[0]);
	self->pep = side_listen(&self->s, SVC, 8);
}

FIXTURE_TEARDOWN(cm_wire)
{
	lone_fini(&self->t);
}

/* A chunk arrives. Its numbers are small, so that they often name existing objects. */
static int cm_in(struct lone *t, u8 op, u32 req, u32 rsp, const struct weft_flowid *f)
{
	struct weft_w_cm w = { .op = op, .req = cpu_to_be32(req), .rsp = cpu_to_be32(rsp) };
	int err;

	weft_wire_flow_put(&w.flow, f);
	weft_lock(&t->path->lock);
	err = weft_cm_rx(t->path, &w, (const u8 *)"abc", 3, t->out);
	weft_unlock(&t->path->lock);
	lone_drop(t);
	weft_flush(t->out);
	return err;
}

/* A number in use lately, or any small number. */
static u32 near(struct rig *rig, u32 last)
{
	return rig_below(rig, 2) ? last - rig_below(rig, 6) : rig_below(rig, 6);
}

TEST_F(cm_wire, random)
{
	struct lone *t = &self->t;
	u32 round;

	for (round = 0; round < 20000; round++) {
		u32 req = near(t->rig, t->core->next_conn), rsp = near(t->rig, t->core->next_conn);
		u32 conn = t->core->next_conn - rig_below(t->rig, 5);
		struct weft_flowid f = {
			.ssvc = rig_below(t->rig, 3),
			.dsvc = SVC,
			.sgen = near(t->rig, t->core->next_gen),
			.dgen = near(t->rig, t->core->next_gen),
		};
		struct weft_event ev;
		struct weft_list *l;

		if (rig_below(t->rig, 50) == 0)
			weft_host_fail_nth(1 + rig_below(t->rig, 3));
		if (!rig_below(t->rig, 5))
			f.dsvc = be16_to_cpu(self->s.ep->ep->addr.port);
		cm_in(t, 1 + rig_below(t->rig, WEFT_CM_FINACK), req, rsp, &f);
		weft_host_fail_nth(0);
		switch (rig_below(t->rig, 12)) {
		case 0:
			while (rig_eq_read(self->s.eq, &ev, NULL))
				if (ev.type == WEFT_EV_CONNREQ)
					break;
			rig_accept(self->s.ep, conn, NULL, 0);
			break;
		case 1:
			rig_reject(self->pep, conn, NULL, 0);
			break;
		case 2:
			rig_shutdown(self->s.ep);
			break;
		case 3:
			rig_ep_free(self->s.ep);
			self->s.ep = side_msg(&self->s);
			break;
		case 4:
			rig_ep_free(self->pep);
			self->pep = side_listen(&self->s, SVC, 8);
			break;
		case 5:
			weft_lock(&t->path->lock);
			l = weft_list_first(&t->path->cm.conns);
			if (l && weft_entry(l, struct weft_conn, node)->until.at != U64_MAX)
				weft_cm_expire(weft_entry(l, struct weft_conn, node), t->out);
			weft_unlock(&t->path->lock);
			break;
		case 6:
			rig_connect(self->s.ep, 1, SVC, NULL, 0);
			break;
		case 7:
			/* our packets leave, and are acknowledged */
			lone_output(t);
			lone_drop(t);
			lone_ack(t, t->lane->snd_nxt, NULL, 0, 0);
			break;
		}
		weft_flush(t->out);
	}
}

static bool next(struct side *s, u32 type)
{
	struct weft_event ev;

	return rig_eq_read(s->eq, &ev, NULL) && ev.type == type;
}

/* Ask for a connection. Return: its id. @f: the flow that the responder will name. */
static u32 asking(struct lone *t, struct side *s, struct weft_flowid *f)
{
	struct weft_conn *conn;

	if (rig_connect(s->ep, 1, SVC, NULL, 0))
		weft_host_die(__FILE__, __LINE__, "cannot connect");
	lone_output(t);
	conn = s->ep->ep->cm.conn;
	*f = (struct weft_flowid){
		.ssvc = 77, .dsvc = conn->fid.ssvc, .sgen = 900, .dgen = conn->fid.sgen
	};
	return conn->id;
}

/* The packet with REP was lost, the packet with FIN was not. */
TEST_F(cm_wire, fin_first)
{
	struct lone *t = &self->t;
	struct weft_flowid f;
	u32 id;

	id = asking(t, &self->s, &f);
	EXPECT_EQ(0, cm_in(t, WEFT_CM_FIN, id, 50, &f));
	EXPECT_FALSE(weft_eq_ready(&self->s.eq->eq));
	EXPECT_EQ(WEFT_EPS_CONNECTING, side_state(self->s.ep));
	EXPECT_EQ(0, cm_in(t, WEFT_CM_REP, id, 50, &f));
	EXPECT_TRUE(next(&self->s, WEFT_EV_CONNECTED));
	EXPECT_TRUE(next(&self->s, WEFT_EV_SHUTDOWN));
	EXPECT_FALSE(weft_eq_ready(&self->s.eq->eq));
	EXPECT_EQ(WEFT_EPS_CLOSED, side_state(self->s.ep));
	EXPECT_TRUE(weft_list_empty(&t->path->cm.conns));
	EXPECT_EQ(0, t->path->flow.nrflow);
}

/* The flow that REP names exists already, or its allocation fails. */
TEST_F(cm_wire, rep_flow)
{
	struct lone *t = &self->t;
	struct weft_flowid f;
	u32 id;

	id = asking(t, &self->s, &f);
	weft_host_fail_nth(1);
	EXPECT_EQ(-ENOMEM, cm_in(t, WEFT_CM_REP, id, 50, &f));
	weft_host_fail_nth(0);
	EXPECT_EQ(WEFT_EPS_CONNECTING, side_state(self->s.ep));
	/* no flow has id 0 */
	EXPECT_EQ(0, cm_in(t, WEFT_CM_REP, id, 0, &f));
	EXPECT_EQ(WEFT_EPS_CONNECTING, side_state(self->s.ep));
	EXPECT_EQ(0, cm_in(t, WEFT_CM_REP, id, 50, &f));
	EXPECT_TRUE(next(&self->s, WEFT_EV_CONNECTED));
	/* only once */
	EXPECT_EQ(0, cm_in(t, WEFT_CM_REP, id, 50, &f));
	EXPECT_FALSE(weft_eq_ready(&self->s.eq->eq));

	self->s.ep = side_msg(&self->s);
	id = asking(t, &self->s, &f);
	EXPECT_EQ(0, cm_in(t, WEFT_CM_REP, id, 51, &f));
	EXPECT_TRUE(next(&self->s, WEFT_EV_CONN_FAILED));
	EXPECT_EQ(WEFT_EPS_CLOSED, side_state(self->s.ep));
	EXPECT_EQ(1, lone_count(&t->path->cm.conns));

	/* one flow too many: the request ends, and REP is accepted */
	self->s.ep = side_msg(&self->s);
	id = asking(t, &self->s, &f);
	f.sgen++;
	t->path->flow.nrflow += WEFT_RFLOWS_MAX;
	EXPECT_EQ(0, cm_in(t, WEFT_CM_REP, id, 52, &f));
	t->path->flow.nrflow -= WEFT_RFLOWS_MAX;
	EXPECT_TRUE(next(&self->s, WEFT_EV_CONN_FAILED));
	EXPECT_EQ(1, lone_count(&t->path->cm.conns));
}

/* SHUTDOWN is reported when the last message has been placed. */
TEST_F(cm_wire, settled)
{
	struct lone *t = &self->t;
	struct weft_ep *ep = self->s.ep->ep;
	struct weft_list busy;
	struct weft_flowid f;
	u32 id;

	id = asking(t, &self->s, &f);
	EXPECT_EQ(0, cm_in(t, WEFT_CM_REP, id, 50, &f));
	EXPECT_TRUE(next(&self->s, WEFT_EV_CONNECTED));
	weft_list_add_tail(&ep->rx.active, &busy);
	EXPECT_EQ(0, cm_in(t, WEFT_CM_FIN, id, 50, &f));
	EXPECT_FALSE(weft_eq_ready(&self->s.eq->eq));
	weft_list_del(&busy);
	weft_cm_settled(ep, t->out);
	EXPECT_TRUE(next(&self->s, WEFT_EV_SHUTDOWN));
	weft_cm_settled(ep, t->out);
	EXPECT_FALSE(weft_eq_ready(&self->s.eq->eq));
}

/* A chunk with a valid id, of another flow. */
TEST_F(cm_wire, other_flow)
{
	struct lone *t = &self->t;
	struct weft_flowid f, g;
	u32 id;

	id = asking(t, &self->s, &f);
	g = f;
	g.dgen++;
	EXPECT_EQ(0, cm_in(t, WEFT_CM_REP, id, 50, &g));
	EXPECT_EQ(0, cm_in(t, WEFT_CM_REJ, id, 50, &g));
	EXPECT_EQ(WEFT_EPS_CONNECTING, side_state(self->s.ep));
	EXPECT_EQ(0, cm_in(t, WEFT_CM_REP, id, 50, &f));
	EXPECT_TRUE(next(&self->s, WEFT_EV_CONNECTED));
	EXPECT_EQ(0, cm_in(t, WEFT_CM_FIN, id, 51, &f));
	g = f;
	g.sgen++;
	EXPECT_EQ(0, cm_in(t, WEFT_CM_FIN, id, 50, &g));
	/* FIN has not been sent */
	EXPECT_EQ(0, cm_in(t, WEFT_CM_FINACK, id, 50, &f));
	EXPECT_EQ(WEFT_EPS_CONNECTED, side_state(self->s.ep));
	EXPECT_FALSE(weft_eq_ready(&self->s.eq->eq));
}

/* Chunks of a connection that does not exist. */
TEST_F(cm_wire, unknown)
{
	static const u8 want[] = {
		[WEFT_CM_REP] = WEFT_CM_FIN, [WEFT_CM_REJ] = 0, [WEFT_CM_RTU] = 0,
		[WEFT_CM_FIN] = WEFT_CM_FINACK, [WEFT_CM_FINACK] = 0,
	};
	struct weft_flowid f = { 1, SVC, 3, 4, 0 };
	struct lone *t = &self->t;
	u8 op;

	for (op = WEFT_CM_REP; op <= WEFT_CM_FINACK; op++) {
		const struct weft_w_cm *w;
		struct weft_chunks rest;
		struct weft_chunk c;
		struct weft_hdr h;
		u8 buf[256];

		ASSERT_EQ(0, cm_in(t, op, 71, 72, &f));
		lone_output(t);
		ASSERT_EQ(want[op] ? 1 : 0, t->out->ntx);
		if (!want[op])
			continue;
		weft_tx_header(&t->out->tx[0], 0, buf);
		ASSERT_EQ(0, weft_wire_hdr_get(buf, t->out->tx[0].len, &h, &rest));
		ASSERT_EQ(0, weft_wire_check(&rest));
		ASSERT_TRUE(weft_wire_next(&rest, &c));
		w = c.body;
		EXPECT_EQ(want[op], w->op);
		EXPECT_EQ(71, be32_to_cpu(w->req));
		EXPECT_EQ(72, be32_to_cpu(w->rsp));
		EXPECT_EQ(SVC, be16_to_cpu(w->flow.ssvc));
		EXPECT_EQ(4, be32_to_cpu(w->flow.sgen));
		EXPECT_EQ(3, be32_to_cpu(w->flow.dgen));
		lone_drop(t);
	}
	/* the allocation fails: the chunk is not accepted */
	weft_host_fail_nth(1);
	EXPECT_EQ(-ENOMEM, cm_in(t, WEFT_CM_FIN, 71, 72, &f));
	weft_host_fail_nth(1);
	EXPECT_EQ(-ENOMEM, cm_in(t, WEFT_CM_REQ, 71, 0, &f));
	weft_host_fail_nth(0);
	EXPECT_TRUE(weft_list_empty(&t->path->cm.conns));
	EXPECT_FALSE(weft_eq_ready(&self->s.eq->eq));
}

/* ---- A peer that acknowledges nothing: pending answers are bounded ------------------ */

#define FLOOD	40000u

/* Send what the window permits. */
static void leave(struct lone *t)
{
	do {
		lone_drop(t);
		lone_output(t);
	} while (t->out->ntx);
	lone_drop(t);
}

/* Requests to a service that does not exist. */
TEST_F(cm_wire, answers_pile_up)
{
	struct weft_flowid f = { 1, SVC + 1, 3, 0, 0 };
	struct lone *t = &self->t;
	u32 i;

	for (i = 0; i < FLOOD; i++) {
		EXPECT_EQ(0, cm_in(t, WEFT_CM_REQ, 1 + i, 0, &f));
		if (i % 32 == 0)
			leave(t);
	}
	EXPECT_GE(WEFT_CTL_PENDING_ASKED, t->path->ctl_pending);
	EXPECT_GE(WEFT_CTL_PENDING_ASKED, lone_count(&t->lane->ctlq));
	/* other answers add some more; after that the peer must repeat its chunks */
	for (i = 0; i < FLOOD; i++)
		if (cm_in(t, WEFT_CM_FIN, 1 + i, 50, &f))
			break;
	EXPECT_EQ(-ENOMEM, cm_in(t, WEFT_CM_FIN, 1 + i, 50, &f));
	EXPECT_EQ(WEFT_CTL_PENDING_MAX, t->path->ctl_pending);
	EXPECT_EQ(WEFT_CTL_PENDING_MAX, lone_count(&t->lane->ctlq));
	/* when the peer acknowledges, all answers leave */
	do {
		lone_ack(t, t->lane->snd_nxt, NULL, 0, 0);
		leave(t);
	} while (!weft_list_empty(&t->lane->ctlq));
	EXPECT_EQ(0, t->path->ctl_pending);
	EXPECT_EQ(0, cm_in(t, WEFT_CM_FIN, 1 + i, 50, &f));
	EXPECT_EQ(1, t->path->ctl_pending);
}

/* Requests that are withdrawn at once do not wait for an answer, but use memory. */
TEST_F(cm_wire, withdrawn_pile_up)
{
	struct weft_flowid f = { 1, SVC, 3, 0, 0 };
	struct lone *t = &self->t;
	u32 i;

	for (i = 0; i < FLOOD; i++) {
		EXPECT_EQ(0, cm_in(t, WEFT_CM_REQ, 1 + i, 0, &f));
		EXPECT_EQ(0, cm_in(t, WEFT_CM_FIN, 1 + i, 0, &f));
		if (i % 32 == 0)
			leave(t);
		/* the FIN of a refused request has no effect */
		if (t->path->ctl_pending > WEFT_CTL_PENDING_ASKED)
			break;
	}
	EXPECT_EQ(0, t->core->nasked);
	EXPECT_TRUE(weft_list_empty(&t->path->cm.conns));
	EXPECT_GE(WEFT_CTL_PENDING_ASKED + 1, t->path->ctl_pending);
	do {
		lone_ack(t, t->lane->snd_nxt, NULL, 0, 0);
		leave(t);
	} while (!weft_list_empty(&t->lane->ctlq));
	EXPECT_EQ(0, t->path->ctl_pending);
}

/* ---- A peer that falls silent when what we have sent has been acknowledged --------- */

/* The peer acknowledges everything, and is silent from then on. Time passes. */
static void vanish(struct lone *t, weft_ns ns)
{
	weft_ns end = t->out->now + ns;
	u32 i;

	leave(t);
	for (i = 0; i < WEFT_LANES; i++) {
		struct weft_lane *lane = t->lane;

		t->lane = &t->path->lane[i];
		lone_ack(t, t->lane->snd_nxt, NULL, 0, 0);
		t->lane = lane;
	}
	if (t->path->flight)
		weft_host_die(__FILE__, __LINE__, "not acknowledged");
	while (t->out->now < end && t->path->state != WEFT_PATHS_DEAD) {
		lone_wait(t, 100 * NSEC_PER_MSEC);
		weft_core_timer(t->path, t->out->now, t->out);
		weft_flush(t->out);
	}
}

/* The peer has the acceptance, and does not confirm it. */
TEST_F(cm_wire, accepted_vanished)
{
	struct weft_flowid f = { 1, SVC, 3, 0, 0 };
	struct lone *t = &self->t;
	struct weft_event ev;

	ASSERT_EQ(0, cm_in(t, WEFT_CM_REQ, 9, 0, &f));
	ASSERT_TRUE(rig_eq_read(self->s.eq, &ev, NULL));
	ASSERT_EQ(WEFT_EV_CONNREQ, ev.type);
	ASSERT_EQ(0, rig_accept(self->s.ep, ev.conn, NULL, 0));
	vanish(t, 60 * NSEC_PER_SEC);
	ASSERT_TRUE(next(&self->s, WEFT_EV_CONNECTED));
	ASSERT_TRUE(rig_eq_read(self->s.eq, &ev, NULL));
	EXPECT_EQ(WEFT_EV_SHUTDOWN, ev.type);
	EXPECT_EQ(ETIMEDOUT, ev.status);
	EXPECT_EQ(WEFT_EPS_CLOSED, side_state(self->s.ep));
}

/* The peer has the request, and a day to answer. */
TEST_F(cm_wire, asked_vanished)
{
	struct lone *t = &self->t;
	struct weft_event ev;

	ASSERT_EQ(0, rig_connect_within(self->s.ep, 1, SVC, NULL, 0, WEFT_CM_TIMEOUT_MAX));
	vanish(t, 60 * NSEC_PER_SEC);
	ASSERT_TRUE(rig_eq_read(self->s.eq, &ev, NULL));
	EXPECT_EQ(WEFT_EV_CONN_FAILED, ev.type);
	EXPECT_EQ(ETIMEDOUT, ev.status);
	EXPECT_EQ(WEFT_EPS_CLOSED, side_state(self->s.ep));
}

/* The peer has asked, and gets no answer: its request does not stay in the backlog for ever. */
TEST_F(cm_wire, asker_vanished)
{
	struct weft_flowid f = { 1, SVC, 3, 0, 0 };
	struct lone *t = &self->t;

	ASSERT_EQ(0, cm_in(t, WEFT_CM_REQ, 9, 0, &f));
	EXPECT_EQ(1, self->pep->ep->cm.nreqs);
	vanish(t, 60 * NSEC_PER_SEC);
	EXPECT_EQ(0, self->pep->ep->cm.nreqs);
	EXPECT_EQ(0, t->core->nasked);
	EXPECT_FALSE(weft_eq_ready(&self->s.eq->eq));
}

TEST_HARNESS_MAIN
