// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the administrator sees of connections: each once, with its state on both sides
 */
#include "core/api/internal.h"
#include "cm_fixture.h"

/* Connections of a node in which it has the role @active; *@one: the last of them. */
static u32 conns(struct rig_node *node, bool active, struct weft_conn_info *one)
{
	struct weft_conn_info info[64];
	u64 next = 0;
	u32 i, n, found = 0;

	n = weft_core_conns(&node->core, rig_clock(node), &next, info, 64);
	for (i = 0; i < n; i++)
		if (info[i].active == active) {
			*one = info[i];
			found++;
		}
	return found;
}

/* The only one that the node has asked for, or (@active: false) has been asked for */
static struct weft_conn_info the_one(struct rig_node *node, bool active)
{
	struct weft_conn_info one;

	if (conns(node, active, &one) != 1)
		abort();
	return one;
}

TEST_F(cm, life)
{
	struct rig_node *a = &self->rig->node[0], *b = &self->rig->node[peer(self)];
	struct weft_conn_info info;

	EXPECT_EQ(0, conns(a, true, &info));
	ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), NULL));
	info = the_one(a, true);
	EXPECT_EQ(WEFT_CONNS_ASKING, info.state);
	EXPECT_EQ(SVC, be16_to_cpu(info.peer.port));
	EXPECT_EQ(rig_ep_service(self->a.ep), be16_to_cpu(info.near.addr.port));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	rig_run(self->rig, 300 * MS);
	/* a request is its listener's */
	info = the_one(b, false);
	EXPECT_EQ(WEFT_CONNS_ASKED, info.state);
	EXPECT_EQ(SVC, be16_to_cpu(info.near.addr.port));
	EXPECT_EQ(rig_ep_service(self->a.ep), be16_to_cpu(info.peer.port));
	EXPECT_LE(300 * MS, info.age);
	EXPECT_GT(320 * MS, info.age);
	ASSERT_EQ(0, rig_accept(self->b.ep, self->ev.conn, NULL, 0));
	info = the_one(b, false);
	/* within a node the other side has confirmed at once */
	EXPECT_EQ(variant->local ? WEFT_CONNS_UP : WEFT_CONNS_ACCEPTED, info.state);
	EXPECT_EQ(0, info.age);
	ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->a));
	ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->b));
	EXPECT_EQ(WEFT_CONNS_UP, the_one(a, true).state);
	EXPECT_EQ(WEFT_CONNS_UP, the_one(b, false).state);
	ASSERT_EQ(0, rig_shutdown(self->a.ep));
	if (variant->local) {
		EXPECT_EQ(0, conns(a, true, &info));
	} else {
		EXPECT_EQ(WEFT_CONNS_CLOSING, the_one(a, true).state);
	}
	ASSERT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->a));
	/* the acknowledgement of the end may be lost, too */
	rig_run(self->rig, variant->bad ? 10000 * MS : 300 * MS);
	EXPECT_EQ(0, conns(a, true, &info));
	EXPECT_EQ(0, conns(b, false, &info));
}

/* Requests in pieces of three, while some of them end. Those of the other side may be between. */
TEST_F(cm, pieces)
{
	struct rig_node *b = &self->rig->node[peer(self)];
	struct weft_conn_info info[3];
	u64 conn[10], next = 0;
	u32 i, n, seen = 0;
	struct rig_ep *pep = side_listen(&self->b, SVC + 1, 40);

	ASSERT_NE(NULL, pep);
	for (i = 0; i < 10; i++) {
		self->a.ep = side_msg(&self->a);
		ASSERT_EQ(0, rig_connect(self->a.ep, peer(self), SVC + 1, NULL, 0));
		ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
		conn[i] = self->ev.conn;
	}
	ASSERT_EQ(3, weft_core_conns(&b->core, 0, &next, info, 3));
	for (i = 0; i < 3; i++)
		if (!info[i].active)
			EXPECT_EQ(conn[seen++], info[i].no);
	ASSERT_LE(1, seen);
	/* one that was reported goes, and so does one that was not */
	ASSERT_EQ(0, rig_reject(pep, conn[0], NULL, 0));
	ASSERT_EQ(0, rig_reject(pep, conn[5], NULL, 0));
	while ((n = weft_core_conns(&b->core, 0, &next, info, 3)))
		for (i = 0; i < n; i++) {
			seen += seen == 5;
			if (!info[i].active)
				EXPECT_EQ(conn[seen++], info[i].no);
		}
	EXPECT_EQ(10, seen);
}

TEST_HARNESS_MAIN
