// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits: each can be read and set, within its range
 *
 * Each limit is reached once: it holds traffic back and counts that. When it is lifted, everything
 * arrives.
 */
#include "cm_fixture.h"
#include "two.h"

#define SHORT	900	/* fits into one packet: only a limit makes the sender announce it */

/* Look up the limit @name. Return: there is one. */
static bool look(struct weft_core *core, const char *name, struct weft_limit_info *info)
{
	u32 n;

	for (n = 0; weft_limit_look(core, n, info); n++)
		if (!strcmp(info->name, name))
			return true;
	return false;
}

static u64 hits(struct weft_core *core, const char *name)
{
	struct weft_limit_info info;

	return look(core, name, &info) ? info.hits : U64_MAX;
}

TEST(table)
{
	struct weft_limit_info info, again;
	struct rig_conf conf;
	struct rig *rig;
	struct weft_core *core;
	u32 n, i;

	rig_conf_default(&conf, 1);
	rig = rig_new(&conf);
	core = &rig->node[0].core;
	for (n = 0; weft_limit_look(core, n, &info); n++) {
		ASSERT_TRUE(info.min <= info.value && info.value <= info.max);
		/*
		 * The backlog has no counter of hits: a listener that asks for more gets a
		 * smaller backlog.
		 */
		EXPECT_TRUE(info.has_hits || !strcmp(info.unit, "ms") ||
			    !strcmp(info.name, "backlog"));
		ASSERT_EQ(-ERANGE, weft_limit_set(core, info.name, info.min - 1));
		ASSERT_EQ(-ERANGE, weft_limit_set(core, info.name, info.max + 1));
		ASSERT_EQ(0, weft_limit_set(core, info.name, info.min));
		ASSERT_TRUE(weft_limit_look(core, n, &again));
		ASSERT_EQ(info.min, again.value);
		ASSERT_EQ(0, weft_limit_set(core, info.name, info.max));
		ASSERT_TRUE(weft_limit_look(core, n, &again));
		ASSERT_EQ(info.max, again.value);
		ASSERT_EQ(0, weft_limit_set(core, info.name, info.value));
		for (i = 0; i < n; i++) {
			ASSERT_TRUE(weft_limit_look(core, i, &again));
			ASSERT_NE(0, strcmp(again.name, info.name));
		}
	}
	ASSERT_TRUE(n > 5);
	/* all are as before: each is a setting of its own */
	for (i = 0; i < n; i++) {
		struct weft_conf def;

		weft_conf_default(&def);
		ASSERT_TRUE(weft_limit_look(core, i, &again));
		if (!strcmp(again.name, "dead-ms"))
			ASSERT_EQ(def.dead_ns, again.value * NSEC_PER_MSEC);
		if (!strcmp(again.name, "unexpected-node"))
			ASSERT_EQ(def.unexp_window, again.value);
	}
	ASSERT_EQ(-ENOENT, weft_limit_set(core, "nonesuch", 1));
	ASSERT_EQ(-ENOENT, weft_limit_set(core, "", 1));
	rig_free(rig);
}

FIXTURE(limit)
{
	struct two t;
};

FIXTURE_SETUP(limit)
{
	two_init(&self->t, 1, 256, 0);
}

FIXTURE_TEARDOWN(limit)
{
	rig_free(self->t.rig);
}

static int send_one(struct two *t, u32 to, u64 context, u32 len)
{
	struct rig_op op = {
		.flags = WEFT_SQ_COMPLETION, .peer = to, .context = context, .n = 1,
		.iov = { { .addr = (u64)(uintptr_t)t->buf, .len = len } },
	};

	return rig_send(t->ea, &op);
}

/* Receive @n messages of @len bytes one after the other. Return: all came, in order and intact. */
static bool receive(struct two *t, u32 n, u32 len)
{
	struct weft_cqe e;
	u32 i;

	for (i = 0; i < n; i++) {
		struct rig_op op = {
			.flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .context = i, .n = 1,
			.iov = { { .addr = (u64)(uintptr_t)t->room, .len = len } },
		};
		u32 ms;

		memset(t->room, 0xee, len);
		if (rig_recv(t->eb, &op))
			return false;
		for (ms = 0; ms < 5000 && !rig_cq_read(t->cb, &e); ms++)
			rig_run(t->rig, MS);
		if (ms == 5000 || e.status || e.len != len || memcmp(t->room, t->buf, len))
			return false;
	}
	return true;
}

/* Messages that a limit of either node has held back arrive when the limit permits them. */
static bool held_back(struct two *t, u32 node, const char *name, u64 value, u32 by, u32 n, u32 len)
{
	struct weft_core *core = &t->rig->node[node].core;
	u32 i;

	if (weft_limit_set(core, name, value))
		return false;
	for (i = 0; i < n; i++)
		if (send_one(t, t->to, i, len))
			return false;
	rig_run(t->rig, 200 * MS);
	return hits(&t->rig->node[by].core, name) && receive(t, n, len) &&
	       !rig_counter(&t->rig->node[0], WEFT_CNT_paths_dead);
}

TEST_F(limit, unexpected_node)
{
	struct two *t = &self->t;

	ASSERT_TRUE(held_back(t, 1, "unexpected-node", 65536, 0, 200, SHORT));
	/* the rest was announced */
	EXPECT_TRUE(rig_counter(&t->rig->node[0], WEFT_CNT_msgs_eager) >= 65536 / SHORT);
	EXPECT_TRUE(rig_counter(&t->rig->node[0], WEFT_CNT_msgs_rendezvous) > 0);
}

/* Each flow has a credit of its own, whatever the limit is; messages beyond that are announced. */
TEST_F(limit, unexpected_endpoint)
{
	struct two *t = &self->t;

	ASSERT_TRUE(held_back(t, 1, "unexpected-endpoint", 65536, 1, 200, SHORT));
	EXPECT_TRUE(rig_counter(&t->rig->node[0], WEFT_CNT_limit_unexp) > 0);
	EXPECT_TRUE(rig_counter(&t->rig->node[0], WEFT_CNT_msgs_rendezvous) > 0);
}

TEST_F(limit, unexpected_user)
{
	ASSERT_TRUE(held_back(&self->t, 1, "unexpected-user", 65536, 1, 200, SHORT));
}

TEST_F(limit, messages_endpoint)
{
	ASSERT_TRUE(held_back(&self->t, 1, "messages-endpoint", 64, 1, 600, 8));
	EXPECT_TRUE(rig_counter(&self->t.rig->node[0], WEFT_CNT_limit_messages) > 0);
	EXPECT_EQ(0, rig_counter(&self->t.rig->node[1], WEFT_CNT_limit_user));
}

TEST_F(limit, messages_user)
{
	ASSERT_TRUE(held_back(&self->t, 1, "messages-user", 64, 1, 600, 8));
	EXPECT_EQ(0, rig_counter(&self->t.rig->node[1], WEFT_CNT_limit_endpoint));
}

TEST_F(limit, packets_path)
{
	ASSERT_TRUE(held_back(&self->t, 0, "packets-path", 64, 0, 200, 1100));
}

/* While a limit holds a sender back, it can be raised, and set below the present use. */
TEST_F(limit, changed_under_way)
{
	struct weft_core *core = &self->t.rig->node[1].core;
	u32 i;

	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, send_one(&self->t, self->t.to, i, 4000));
	rig_run(self->t.rig, 20 * MS);
	ASSERT_EQ(0, weft_limit_set(core, "unexpected-node", 65536));
	ASSERT_EQ(0, weft_limit_set(core, "messages-endpoint", 64));
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, send_one(&self->t, self->t.to, i, 4000));
	rig_run(self->t.rig, 20 * MS);
	ASSERT_EQ(0, weft_limit_set(core, "unexpected-node", 1 << 20));
	rig_run(self->t.rig, 20 * MS);
	ASSERT_EQ(0, weft_limit_set(core, "messages-endpoint", 1000));
	ASSERT_TRUE(receive(&self->t, 200, 4000));
}

/*
 * A smaller limit does not take back credit that a node has been told. The node may use that
 * credit. It gets no more until the remaining credit is within the limit.
 */
TEST_F(limit, node_made_smaller)
{
	struct weft_core *core = &self->t.rig->node[1].core;
	struct two *t = &self->t;
	struct weft_path *path;
	u64 told;
	u32 i;

	ASSERT_EQ(0, send_one(t, t->to, 0, 4000));
	ASSERT_TRUE(receive(t, 1, 4000));
	path = t->ea->ep->flow.recent->path;
	told = path->tx_limit;
	ASSERT_EQ(4096, told);
	ASSERT_EQ(0, weft_limit_set(core, "unexpected-node", 65536));
	for (i = 0; path->tx_used + 65536 + 4000 <= told << 10; i++) {
		ASSERT_EQ(0, send_one(t, t->to, i, 4000));
		ASSERT_TRUE(receive(t, 1, 4000));
		ASSERT_EQ(told, path->tx_limit);
		while (rig_cq_read(t->ca, &(struct weft_cqe) { 0 }))
			;
	}
	/* from here on the new limit holds */
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, send_one(t, t->to, i, 4000));
		ASSERT_TRUE(receive(t, 1, 4000));
		ASSERT_TRUE((path->tx_limit << 10) - path->tx_used <= 65536 + 4000);
	}
	EXPECT_TRUE(path->tx_limit > told);
	EXPECT_EQ(0, rig_counter(&t->rig->node[0], WEFT_CNT_limit_unexp));
	/* all of that was within the credit */
	EXPECT_EQ(0, rig_counter(&t->rig->node[1], WEFT_CNT_beyond_credit));
	ASSERT_EQ(0, weft_limit_set(core, "unexpected-node", 1 << 20));
	ASSERT_EQ(0, send_one(t, t->to, 0, 4000));
	ASSERT_TRUE(receive(t, 1, 4000));
	rig_run(t->rig, MS);
	/* the last acknowledgement may have left before the message was placed */
	EXPECT_TRUE((path->tx_limit << 10) - path->tx_used > (1 << 20) - 2 * 4096);
}

TEST(within_the_node)
{
	struct two t;

	two_init(&t, 0, 256, 0);
	ASSERT_TRUE(held_back(&t, 0, "unexpected-endpoint", 65536, 0, 200, 900));
	rig_free(t.rig);
}

TEST(paths)
{
	struct weft_limit_info info;
	struct rig_conf conf;
	struct weft_core *core;
	struct rig_proc *p;
	struct rig_av *av;
	struct rig_cq *cq;
	struct rig_ep *ep;
	struct rig_op op;
	struct rig *rig;

	rig_conf_default(&conf, 5);
	conf.nodes = 3;
	rig = rig_new(&conf);

	core = &rig->node[0].core;
	p = rig_proc_new(&rig->node[0]);
	cq = rig_cq_new(p, 64);
	av = rig_av_new(p);
	ep = rig_ep_new(p, WEFT_EP_RDM, 0, 64, 64, 1);
	ASSERT_EQ(0, rig_ep_enable(ep, cq, cq, NULL, av));
	ASSERT_EQ(0, weft_limit_set(core, "paths", 1));
	op = (struct rig_op) { .flags = WEFT_SQ_COMPLETION, .context = 1 };
	op.peer = (u32)rig_av_insert(av, 1, 2, rig);
	ASSERT_EQ(0, rig_send(ep, &op));
	/* test_reclaim.c tests one path more */
	ASSERT_TRUE(look(core, "paths", &info));
	EXPECT_TRUE(info.counts && info.used == 1 && info.value == 1 && !info.hits);
	rig_free(rig);
}

TEST(requests)
{
	struct weft_limit_info info;
	struct side a[3], b;
	struct weft_event ev, got;
	struct rig_conf conf;
	struct rig_ep *pep;
	struct rig *rig;
	u32 i;

	rig_conf_default(&conf, 5);
	rig = rig_new(&conf);
	side_init(&b, &rig->node[1]);
	pep = side_listen(&b, SVC, 4);
	ASSERT_NE(NULL, pep);
	ASSERT_EQ(0, weft_limit_set(&rig->node[1].core, "requests", 1));
	for (i = 0; i < 2; i++) {
		side_init(&a[i], &rig->node[0]);
		ASSERT_EQ(0, ask(rig, &a[i], 1, NULL));
		rig_run(rig, 50 * MS);
	}
	ASSERT_EQ(WEFT_EV_CONN_FAILED, side_event(rig, &a[1], &ev, NULL, 100 * MS));
	EXPECT_EQ(ECONNREFUSED, ev.status);
	EXPECT_EQ(1, hits(&rig->node[1].core, "requests"));
	ASSERT_TRUE(look(&rig->node[1].core, "requests", &info));
	EXPECT_EQ(1, info.used);
	ASSERT_EQ(WEFT_EV_CONNREQ, side_event(rig, &b, &ev, NULL, 100 * MS));
	ASSERT_EQ(0, rig_accept(b.ep, ev.conn, NULL, 0));
	ASSERT_EQ(WEFT_EV_CONNECTED, side_event(rig, &a[0], &got, NULL, 100 * MS));
	/* there is space again */
	side_init(&a[2], &rig->node[0]);
	ASSERT_EQ(0, ask(rig, &a[2], 1, NULL));
	rig_run(rig, 50 * MS);
	ASSERT_TRUE(look(&rig->node[1].core, "requests", &info));
	EXPECT_EQ(1, info.used);
	ASSERT_EQ(0, rig_shutdown(a[2].ep));
	rig_run(rig, 50 * MS);
	ASSERT_TRUE(look(&rig->node[1].core, "requests", &info));
	EXPECT_EQ(0, info.used);
	EXPECT_EQ(1, hits(&rig->node[1].core, "requests"));
	rig_free(rig);
}

/* A peer counts as dead after the time that is set. */
TEST_F(limit, dead_time)
{
	struct two *t = &self->t;
	struct rig_op op = {
		.flags = WEFT_SQ_COMPLETION | WEFT_SQ_TRANSMIT, .peer = t->to, .context = 1,
	};
	struct weft_cqe e;

	ASSERT_EQ(0, weft_limit_set(&t->rig->node[0].core, "dead-ms", 300));
	ASSERT_EQ(0, send_one(t, t->to, 0, 8));
	ASSERT_TRUE(receive(t, 1, 8));
	ASSERT_EQ(1, rig_cq_read(t->ca, &e));
	rig_cut(t->rig, 0, 1, true);
	ASSERT_EQ(0, rig_send(t->ea, &op));
	rig_run(t->rig, 250 * MS);
	EXPECT_EQ(0, rig_cq_read(t->ca, &e));
	rig_run(t->rig, 150 * MS);
	ASSERT_EQ(1, rig_cq_read(t->ca, &e));
	EXPECT_EQ(ETIMEDOUT, e.status);
}

TEST_HARNESS_MAIN
