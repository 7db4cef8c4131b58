// SPDX-License-Identifier: GPL-2.0-only
/*
 * Paths: which path a node has, path ids, a silent peer's effect on operations under way, and
 * deadlines
 */
#include "core/api/internal.h"
#include "lone.h"
#include "two.h"
#include "harness.h"

#define SECOND	((weft_ns)NSEC_PER_SEC)

/* One path for each node; none to addresses of another family, nor from a port that is removed. */
TEST(path__find)
{
	struct weft_path *one, *two;
	struct weft_sockaddr addr;
	struct rig_conf conf;
	struct weft_core *core;
	struct weft_out *out;
	struct rig *rig;

	rig_conf_default(&conf, 3);
	conf.nodes = 3;
	rig = rig_new(&conf);
	core = &rig->node[0].core;
	out = rig_out(&rig->node[0]);
	rig_node_addr(&conf, 1, 77, &addr);
	one = weft_path_find(core, &addr, out);
	ASSERT_FALSE(IS_ERR(one));
	EXPECT_EQ(0, one->node.addr.port);
	addr.port = 0;
	two = weft_path_find(core, &addr, out);
	EXPECT_EQ(one, two);
	weft_path_put(two);
	rig_node_addr(&conf, 2, 0, &addr);
	two = weft_path_find(core, &addr, out);
	ASSERT_FALSE(IS_ERR(two));
	EXPECT_NE(one, two);
	EXPECT_NE(one->id, two->id);
	EXPECT_NE(one->token, two->token);
	EXPECT_EQ(2, core->npaths);
	/* memory of a remote node; see transport.rst */
	EXPECT_GE(8192, sizeof(*two));
	weft_path_put(two);
	/* the node is missing, and that is known */
	rig_node_addr(&conf, 9, 0, &addr);
	EXPECT_EQ(-EHOSTUNREACH, PTR_ERR(weft_path_find(core, &addr, out)));
	EXPECT_EQ(2, core->npaths);
	addr.family = AF_INET6;
	EXPECT_EQ(-EAFNOSUPPORT, PTR_ERR(weft_path_find(core, &addr, out)));
	weft_flush(out);
	while (weft_core_stop(core, rig_clock(&rig->node[0]), ENODEV, out))
		weft_flush(out);
	EXPECT_EQ(0, core->npaths);
	EXPECT_EQ(WEFT_PATHS_DEAD, one->state);
	rig_node_addr(&conf, 1, 0, &addr);
	EXPECT_EQ(-ENODEV, PTR_ERR(weft_path_find(core, &addr, out)));
	weft_path_put(one);
	rig_free(rig);
}

/* A link that is too narrow for the smallest packet that must pass. */
TEST(path__too_narrow)
{
	struct weft_sockaddr addr;
	struct rig_conf conf;
	struct rig *rig;

	rig_conf_default(&conf, 4);
	rig = rig_new(&conf);
	rig_node_addr(&conf, 1, 0, &addr);
	rig->node[0].fit = WEFT_PAYLOAD_MIN - 1;
	EXPECT_EQ(-ENETUNREACH,
		  PTR_ERR(weft_path_find(&rig->node[0].core, &addr, rig_out(&rig->node[0]))));
	EXPECT_EQ(0, rig->node[0].core.npaths);
	rig_free(rig);
}

/* An id is not used again soon; ids of rendezvous are never 0. */
TEST(path__ids)
{
	struct weft_sockaddr addr;
	struct weft_path *path;
	struct lone t;
	u32 id;

	lone_init(&t, 0);
	weft_lock(&t.path->lock);
	t.path->msg.next_id = S32_MAX - 1;
	EXPECT_EQ(S32_MAX, weft_path_new_id(t.path, 0));
	EXPECT_EQ(1, weft_path_new_id(t.path, 0));
	EXPECT_EQ(WEFT_RMA_ID | 2, weft_path_new_id(t.path, WEFT_RMA_ID));
	id = t.path->id;
	EXPECT_EQ(t.path, *weft_path_slot(t.core, id));
	weft_path_fail(t.path, ECONNRESET, t.out);
	/* the first reason counts */
	weft_path_fail(t.path, ETIMEDOUT, t.out);
	EXPECT_EQ(ECONNRESET, t.path->failing);
	weft_unlock(&t.path->lock);
	addr = t.path->node.addr;
	weft_flush(t.out);
	EXPECT_EQ(NULL, *weft_path_slot(t.core, id));
	path = weft_path_find(t.core, &addr, t.out);
	ASSERT_FALSE(IS_ERR(path));
	EXPECT_NE(t.path, path);
	EXPECT_NE(id, path->id);
	EXPECT_EQ(NULL, *weft_path_slot(t.core, id));
	weft_path_put(path);
	lone_fini(&t);
}

/* A timer is only set earlier; the handler computes the next time. */
TEST(path__deadline)
{
	struct lone t;
	weft_ns at;

	lone_init(&t, 0);
	weft_lock(&t.path->lock);
	at = t.path->timer_at;
	ASSERT_NE(U64_MAX, at);
	weft_path_deadline(t.path, at + 1);
	EXPECT_EQ(at, t.path->timer_at);
	weft_path_deadline(t.path, at - 5);
	EXPECT_EQ(at - 5, t.path->timer_at);
	weft_unlock(&t.path->lock);
	weft_core_timer(t.path, at - 5, t.out);
	/* the timer was early, and is set anew */
	EXPECT_LE(at, t.path->timer_at);
	EXPECT_NE(U64_MAX, t.path->timer_at);
	EXPECT_EQ(WEFT_PATHS_UP, t.path->state);
	lone_drop(&t);
	lone_fini(&t);
}

/*
 * The peer is silent. Operations under way end on both sides within the time that is set. A message
 * that had arrived whole can still be received.
 */
TEST(path__silence)
{
	struct rig_op s = { .flags = WEFT_SQ_COMPLETION, .context = 1, .n = 1 };
	struct rig_op r = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .n = 1 };
	struct weft_path_info info;
	struct weft_path *path;
	struct weft_cqe e;
	struct two t;
	u32 i;

	two_init(&t, 1, 64, 0);
	s.peer = t.to;
	s.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.buf, 4000 };
	ASSERT_EQ(0, rig_send(t.ea, &s));
	rig_run(t.rig, SECOND / 10);
	ASSERT_EQ(1, rig_cq_read(t.ca, &e));
	s.context = 2;
	s.iov[0].len = TWO_LONG;
	ASSERT_EQ(0, rig_send(t.ea, &s));
	rig_run(t.rig, SECOND / 10);
	ASSERT_EQ(0, rig_cq_read(t.ca, &e));
	path = rig_path(&t.rig->node[0].core);
	weft_path_look(path, &info);
	EXPECT_EQ(WEFT_PATHS_UP, info.state);
	EXPECT_EQ(1, info.nflow);
	EXPECT_NE(0, info.srtt);
	EXPECT_TRUE(weft_addr_same_node(&info.addr, weft_path_addr(path)));
	EXPECT_FALSE(weft_path_local(path));
	EXPECT_EQ(&t.rig->node[0].core, weft_path_core(path));
	rig_cut(t.rig, 0, 1, true);
	/* receives: the whole message, then the long one, which begins and cannot continue */
	for (i = 0; i < 2; i++) {
		r.context = 10 + i;
		r.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.room + i * TWO_LONG, TWO_LONG };
		ASSERT_EQ(0, rig_recv(t.eb, &r));
		rig_notify(t.eb, WEFT_NOTIFY_RQ);
	}
	rig_run(t.rig, t.rig->conf.core.dead_ns + t.rig->conf.core.keepalive_ns + 5 * SECOND);
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(10, e.context);
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(0, memcmp(t.room, t.buf, 4000));
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(11, e.context);
	EXPECT_EQ(ETIMEDOUT, e.status);
	ASSERT_EQ(1, rig_cq_read(t.ca, &e));
	EXPECT_EQ(2, e.context);
	EXPECT_EQ(ETIMEDOUT, e.status);
	weft_path_look(path, &info);
	EXPECT_EQ(WEFT_PATHS_DEAD, info.state);
	EXPECT_EQ(0, info.nflow);
	EXPECT_EQ(0, info.flight);
	EXPECT_EQ(NULL, rig_path(&t.rig->node[0].core));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(1, rig_counter(&t.rig->node[i], WEFT_CNT_paths_dead));
	weft_path_put(path);
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
