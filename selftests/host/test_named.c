// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is named in trace points: endpoints and their peers.
 */
#include "cm_fixture.h"
#include "two.h"
#include "trace/upcalls.h"

static bool is(const struct weft_sockaddr *addr, const struct rig_node *node, u16 service)
{
	struct weft_sockaddr want = node->core.addr[0];

	want.port = cpu_to_be16(service);
	return !memcmp(addr, &want, sizeof(want));
}

/* An endpoint, a peer in its address vector, and others. */
TEST(named__datagrams_and_rdm)
{
	struct weft_sockaddr addr;
	struct two t;

	two_init(&t, 1, 64, 0);
	t.ea->ep->conf.program.pid = 4711;
	EXPECT_EQ(4711, weft_named_ep(t.ea->ep, &addr));
	EXPECT_TRUE(is(&addr, &t.rig->node[0], rig_ep_service(t.ea)));
	EXPECT_EQ(&t.rig->node[0].core, weft_named_core(t.ea->ep));
	ASSERT_TRUE(weft_named_peer(t.ea->ep, t.to, &addr));
	EXPECT_TRUE(is(&addr, &t.rig->node[1], rig_ep_service(t.eb)));
	EXPECT_FALSE(weft_named_peer(t.ea->ep, WEFT_SRC_ANY, &addr));
	EXPECT_FALSE(weft_named_peer(t.ea->ep, t.to + 1, &addr));
	rig_free(t.rig);
}

/* The peer of a connection; before and after that there is none. */
TEST_F(cm, named)
{
	struct weft_sockaddr addr;

	EXPECT_FALSE(weft_named_peer(self->a.ep->ep, 0, &addr));
	ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), NULL));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	ASSERT_EQ(0, rig_accept(self->b.ep, self->ev.conn, NULL, 0));
	ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->a));
	ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->b));
	ASSERT_TRUE(weft_named_peer(self->b.ep->ep, 0, &addr));
	EXPECT_TRUE(is(&addr, &self->rig->node[0], rig_ep_service(self->a.ep)));
	ASSERT_TRUE(weft_named_peer(self->a.ep->ep, WEFT_SRC_ANY, &addr));
	EXPECT_EQ(self->rig->node[peer(self)].core.addr[0].addr[3], addr.addr[3]);
}

TEST_HARNESS_MAIN
