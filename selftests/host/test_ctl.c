// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control chunks: objects in the queue of a lane, answers without an object, and each kind's chunk
 */
#include "lone.h"
#include "core/cm/cm.h"
#include "harness.h"

FIXTURE(ctl)
{
	struct lone t;
};

FIXTURE_SETUP(ctl)
{
	lone_init(&self->t, 1000);
}

FIXTURE_TEARDOWN(ctl)
{
	lone_fini(&self->t);
}

TEST_F(ctl, chunks)
{
	struct lone *t = &self->t;
	u32 i, sum = 0;

	/* as many as fit share a packet */
	for (i = 0; i < 60; i++)
		lone_note(t, 64);
	lone_output(t);
	for (i = 0; i < t->out->ntx; i++) {
		EXPECT_LE(t->out->tx[i].len, t->path->max_payload);
		sum += t->out->tx[i].len - WEFT_WIRE_HDR;
	}
	EXPECT_EQ(60 * 64, sum);
	EXPECT_EQ(DIV_ROUND_UP(60, WEFT_REC_CHUNKS / 64), t->out->ntx);
}

TEST_F(ctl, ping)
{
	struct lone *t = &self->t;
	struct weft_chunk c;
	struct weft_hdr h;
	u32 i;

	weft_lock(&t->path->lock);
	for (i = 0; i < 3; i++)
		weft_ctl_put(t->path, 0, &t->path->ping);
	weft_unlock(&t->path->lock);
	EXPECT_TRUE(t->path->busy & 1);
	EXPECT_EQ(1, lone_count(&t->lane->ctlq));
	lone_output(t);
	ASSERT_EQ(1, t->out->ntx);
	EXPECT_EQ(1, lone_parse(&t->out->tx[0], &h, &c));
	EXPECT_EQ(WEFT_CHUNK_PING, c.type);
	EXPECT_TRUE(h.flags & WEFT_PKT_ACKNOW);
	EXPECT_FALSE(t->path->ping.queued);
}

TEST_F(ctl, dead)
{
	struct lone *t = &self->t;
	long live = weft_host_live();

	t->path->state = WEFT_PATHS_DEAD;
	lone_note(t, 8);
	EXPECT_EQ(live, weft_host_live());
	EXPECT_EQ(0, lone_count(&t->lane->ctlq));
	t->path->state = WEFT_PATHS_UP;

	lone_note(t, 8);
	EXPECT_EQ(live + 1, weft_host_live());
	weft_lock(&t->path->lock);
	weft_ctl_drop(weft_entry(t->lane->ctlq.next, struct weft_ctl, node), t->out);
	weft_unlock(&t->path->lock);
	EXPECT_EQ(live, weft_host_live());
}

/*
 * A connection's chunks leave one by one, in order, and hold the connection until they have left.
 */
TEST_F(ctl, conn)
{
	static const u8 ops[] = { WEFT_CM_REQ, WEFT_CM_RTU, WEFT_CM_FIN };
	struct weft_conn *conn = weft_alloc(sizeof(*conn));
	struct lone *t = &self->t;
	struct weft_chunks rest;
	struct weft_chunk c;
	struct weft_hdr h;
	u32 i;
	u8 *p;

	weft_conn_init(conn, t->path, true);
	conn->id = 11;
	conn->peer = 12;
	conn->fid = (struct weft_flowid){ 1, 2, 3, 4, 0 };
	conn->dlen = 5;
	memcpy(conn->data, "hello", 5);
	weft_lock(&t->path->lock);
	for (i = ARRAY_SIZE(ops); i--;)
		weft_cm_say(conn, ops[i]);
	weft_unlock(&t->path->lock);
	EXPECT_EQ(2, refcount_read(&conn->ref));
	lone_output(t);
	EXPECT_EQ(1, refcount_read(&conn->ref));
	EXPECT_EQ(0, conn->ops);
	ASSERT_EQ(2, t->out->ntx);
	p = lone_bytes(&t->out->tx[0]);
	ASSERT_EQ(0, weft_wire_hdr_get(p, t->out->tx[0].len, &h, &rest));
	ASSERT_EQ(0, weft_wire_check(&rest));
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		const struct weft_w_cm *w;
		struct weft_flowid f;

		/* FIN has its own packet */
		if (ops[i] == WEFT_CM_FIN) {
			EXPECT_FALSE(weft_wire_next(&rest, &c));
			free(p);
			p = lone_bytes(&t->out->tx[1]);
			ASSERT_EQ(0, weft_wire_hdr_get(p, t->out->tx[1].len, &h, &rest));
			ASSERT_EQ(0, weft_wire_check(&rest));
		}
		ASSERT_TRUE(weft_wire_next(&rest, &c));
		ASSERT_EQ(WEFT_CHUNK_CM, c.type);
		w = c.body;
		EXPECT_EQ(ops[i], w->op);
		EXPECT_EQ(11, be32_to_cpu(w->req));
		EXPECT_EQ(12, be32_to_cpu(w->rsp));
		EXPECT_EQ(i ? 0 : 5, c.paylen);
		weft_wire_flow_get(&w->flow, &f);
		EXPECT_EQ(1, f.ssvc);
		EXPECT_EQ(2, f.dsvc);
		EXPECT_EQ(3, f.sgen);
		EXPECT_EQ(4, f.dgen);
	}
	EXPECT_FALSE(weft_wire_next(&rest, &c));
	free(p);
	weft_conn_put(conn);
}

/* The chunk of each kind needs its space. In less, nothing is written, and the object waits. */
TEST_F(ctl, space)
{
	static const struct {
		u8 kind;
		u8 type;
		u32 size;
	} kinds[] = {
		{ WEFT_CTL_TXM, WEFT_CHUNK_ABORT, sizeof(struct weft_w_abort) },
		{ WEFT_CTL_FLOW, WEFT_CHUNK_ABORT, sizeof(struct weft_w_abort) },
		{ WEFT_CTL_FLOW, WEFT_CHUNK_OPEN, sizeof(struct weft_w_open) },
		{ WEFT_CTL_RFLOW, WEFT_CHUNK_EPGONE, sizeof(struct weft_w_epgone) },
		{ WEFT_CTL_CREDIT, WEFT_CHUNK_CREDIT, sizeof(struct weft_w_credit) },
	};
	struct lone *t = &self->t;
	struct weft_flow flow = { .path = t->path, .id = { 1, 2, 3, 4, 5 }, .accepted = true };
	struct weft_flow asks = { .path = t->path, .id = { 1, 2, 3, 4, 5 } };
	struct weft_rflow rf = { .path = t->path, .id = { 1, 2, 3, 4, 5 } };
	struct weft_txm txm = { .flow = &flow, .mseq = 9, .sid = 10, .status = ETIMEDOUT };
	struct weft_rec *rec = calloc(1, sizeof(*rec));
	struct weft_chunks rest;
	struct weft_chunk c;
	bool more = false;
	u32 i, n;

	weft_ctl_init(&txm.ctl, WEFT_CTL_TXM);
	weft_ctl_init(&flow.ctl, WEFT_CTL_FLOW);
	weft_ctl_init(&asks.ctl, WEFT_CTL_FLOW);
	weft_ctl_init(&rf.ctl, WEFT_CTL_RFLOW);
	weft_ctl_init(&rf.credit, WEFT_CTL_CREDIT);
	weft_lock(&t->path->lock);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct weft_ctl *ctl = kinds[i].kind == WEFT_CTL_TXM ? &txm.ctl :
				       kinds[i].type == WEFT_CHUNK_OPEN ? &asks.ctl :
				       kinds[i].kind == WEFT_CTL_FLOW ? &flow.ctl :
				       kinds[i].kind == WEFT_CTL_RFLOW ? &rf.ctl : &rf.credit;

		n = weft_wire_size(kinds[i].size);
		EXPECT_EQ(0, weft_ctl_write(ctl, rec, n - 1, &more));
		ASSERT_EQ(n, weft_ctl_write(ctl, rec, n, &more));
		EXPECT_FALSE(more);
		rest.at = rec->raw;
		rest.left = n;
		ASSERT_EQ(0, weft_wire_check(&rest));
		ASSERT_TRUE(weft_wire_next(&rest, &c));
		EXPECT_EQ(kinds[i].type, c.type);
		if (c.type == WEFT_CHUNK_ABORT) {
			const struct weft_w_abort *w = c.body;
			struct weft_flowid id;

			/* of one message; or of all later ones */
			weft_wire_flow_get(&w->flow, &id);
			EXPECT_EQ(kinds[i].kind == WEFT_CTL_TXM ? 9 : 6, id.mseq);
			EXPECT_EQ(kinds[i].kind == WEFT_CTL_TXM ? 10 : 0, be32_to_cpu(w->sid));
		}
	}
	weft_unlock(&t->path->lock);
	free(rec);
}

TEST_HARNESS_MAIN
