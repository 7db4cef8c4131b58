// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the administrator sees of connections: each once, with its state on both sides
 */
#include "core/api/internal.h"
#include "cm_fixture.h"

/* The only connection of a node. */
static struct weft_conn_info the_one(struct rig_node *node)
{
	struct weft_conn_info info[2];
	u64 next = 0;

	if (weft_core_conns(&node->core, rig_clock(node), &next, info, 2) != 1)
		abort();
	return info[0];
}

static u32 number(struct rig_node *node)
{
	struct weft_conn_info info[64];
	u64 next = 0;

	return weft_core_conns(&node->core, rig_clock(node), &next, info, 64);
}

FIXTURE(look)
{
	struct rig *rig;
	struct side a;
	struct side b;
	struct rig_ep *pep;
	struct weft_event ev;
	u8 data[WEFT_CM_DATA_MAX];
};

FIXTURE_SETUP(look)
{
	struct rig_conf conf;

	rig_conf_default(&conf, 12);
	self->rig = rig_new(&conf);
	side_init(&self->a, &self->rig->node[0]);
	side_init(&self->b, &self->rig->node[1]);
	self->pep = side_listen(&self->b, SVC, 40);
	if (!self->pep)
		abort();
}

FIXTURE_TEARDOWN(look)
{
	rig_free(self->rig);
}

TEST_F(look, life)
{
	struct weft_conn_info info;

	EXPECT_EQ(0, number(&self->rig->node[0]));
	ASSERT_EQ(0, ask(self->rig, &self->a, 1, NULL));
	info = the_one(&self->rig->node[0]);
	EXPECT_EQ(WEFT_CONNS_ASKING, info.state);
	EXPECT_TRUE(info.active);
	EXPECT_EQ(SVC, be16_to_cpu(info.peer.port));
	EXPECT_EQ(rig_ep_service(self->a.ep), be16_to_cpu(info.near.addr.port));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	rig_run(self->rig, 300 * MS);
	/* a request is its listener's */
	info = the_one(&self->rig->node[1]);
	EXPECT_EQ(WEFT_CONNS_ASKED, info.state);
	EXPECT_FALSE(info.active);
	EXPECT_EQ(SVC, be16_to_cpu(info.near.addr.port));
	EXPECT_EQ(rig_ep_service(self->a.ep), be16_to_cpu(info.peer.port));
	EXPECT_LE(300 * MS, info.age);
	EXPECT_GT(320 * MS, info.age);
	ASSERT_EQ(0, rig_accept(self->b.ep, self->ev.conn, NULL, 0));
	info = the_one(&self->rig->node[1]);
	EXPECT_EQ(WEFT_CONNS_ACCEPTED, info.state);
	EXPECT_EQ(0, info.age);
	ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->a));
	ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->b));
	EXPECT_EQ(WEFT_CONNS_UP, the_one(&self->rig->node[0]).state);
	EXPECT_EQ(WEFT_CONNS_UP, the_one(&self->rig->node[1]).state);
	ASSERT_EQ(0, rig_shutdown(self->a.ep));
	EXPECT_EQ(WEFT_CONNS_CLOSING, the_one(&self->rig->node[0]).state);
	ASSERT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->a));
	rig_run(self->rig, 300 * MS);
	EXPECT_EQ(0, number(&self->rig->node[0]));
	EXPECT_EQ(0, number(&self->rig->node[1]));
}

/* Requests in pieces of three, while some of them end. */
TEST_F(look, pieces)
{
	struct weft_conn_info info[3];
	struct rig_node *node = &self->rig->node[1];
	u64 conn[10], next = 0;
	u32 i, n, found = 0;

	for (i = 0; i < 10; i++) {
		self->a.ep = side_msg(&self->a);
		ASSERT_EQ(0, ask(self->rig, &self->a, 1, NULL));
		ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
		conn[i] = self->ev.conn;
	}
	ASSERT_EQ(3, weft_core_conns(&node->core, 0, &next, info, 3));
	EXPECT_EQ(conn[0], info[0].no);
	EXPECT_EQ(conn[2], info[2].no);
	ASSERT_EQ(0, rig_reject(self->pep, conn[1], NULL, 0));
	ASSERT_EQ(0, rig_reject(self->pep, conn[3], NULL, 0));
	while ((n = weft_core_conns(&node->core, 0, &next, info, 3)))
		for (i = 0; i < n; i++)
			EXPECT_EQ(conn[4 + found++], info[i].no);
	EXPECT_EQ(6, found);
}

TEST_HARNESS_MAIN
