// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors that the simulator has found, each as short as possible
 */
#include "lone.h"
#include "harness.h"

/* A packet of the peer of a path: a header, followed by space for chunks. */
static u32 begin(struct weft_path *path, u8 *pkt, u32 psn)
{
	struct weft_hdr h = {
		.type = WEFT_PKT_DATA, .flags = WEFT_PKT_PSN, .path = path->id,
		.token = path->token, .psn = psn, .window = 4096
	};

	h.ack = path->lane[0].snd_una;
	weft_wire_hdr_put(pkt, &h);
	return WEFT_WIRE_HDR;
}

static void arrive(struct weft_core *core, const u8 *pkt, u32 len, struct weft_out *out)
{
	struct weft_rx rx = { .data = pkt, .len = len };

	rig_rx(core, out->now, &rx, 1, out);
}

/*
 * Two packets, each of which needs memory twice. An allocation fails in the middle of the later
 * packet. The earlier packet comes after that. It must not wait for the later one, because the peer
 * may never send that one again before.
 */
TEST(found__part)
{
	u8 pkt[2][256];
	u32 len[2], i, k;
	struct lone t;

	lone_init(&t, 100);
	for (i = 0; i < 2; i++) {
		len[i] = begin(t.path, pkt[i], 100 + i);
		for (k = 0; k < 2; k++)
			len[i] += weft_wire_grant_put(pkt[i] + len[i], 900 + 2 * i + k, 1, 100);
	}
	weft_host_fail_nth(2);
	arrive(t.core, pkt[1], len[1], t.out);
	weft_host_fail_nth(0);
	EXPECT_EQ(100, t.lane->rcv_nxt);
	EXPECT_EQ(0, t.lane->rcv_ahead);
	arrive(t.core, pkt[0], len[0], t.out);
	EXPECT_EQ(101, t.lane->rcv_nxt);
	arrive(t.core, pkt[1], len[1], t.out);
	EXPECT_EQ(102, t.lane->rcv_nxt);
	/* no GRANT was answered twice */
	lone_drop(&t);
	lone_fini(&t);
}

/* After several timeouts in a row, packets that were not sent again yet have their turn. */
TEST(found__starved)
{
	bool seen[6] = { false };
	struct lone t;
	u32 i, n;

	lone_init(&t, 0);
	for (i = 0; i < 6; i++)
		lone_send(&t);
	lone_drop(&t);
	for (n = 0; n < 6; n++) {
		lone_wait(&t, WEFT_RTO_MAX + 1);
		lone_timer(&t);
		for (i = 0; i < t.out->ntx; i++)
			if (t.out->tx[i].psn < 6)
				seen[t.out->tx[i].psn] = true;
		lone_drop(&t);
	}
	for (i = 0; i < 6; i++)
		EXPECT_TRUE(seen[i]);
	lone_fini(&t);
}

/* An endpoint is killed while its sends wait behind a window that never opens. */
TEST(found__expire)
{
	struct rig_op op = { .flags = WEFT_SQ_COMPLETION, .n = 1 };
	struct weft_path *path;
	struct rig_proc *proc;
	struct rig_conf conf;
	struct rig_cq *cq;
	struct rig_av *av;
	struct rig_ep *ep;
	struct rig *rig;
	u8 pkt[64];
	u32 i, len;

	rig_conf_default(&conf, 3);
	rig = rig_new(&conf);
	proc = rig_proc_new(&rig->node[0]);
	cq = rig_cq_new(proc, 1024);
	av = rig_av_new(proc);
	ep = rig_ep_new(proc, WEFT_EP_RDM, 0, 512, 16, 1);
	ASSERT_EQ(0, rig_av_insert(av, 1, 2, rig));
	ASSERT_EQ(0, rig_ep_enable(ep, cq, cq, NULL, av));
	op.iov[0].len = 1000;
	op.iov[0].addr = (uintptr_t)rig_buf(proc, 1000);
	ASSERT_EQ(0, rig_send(ep, &op));
	rig_run(rig, NSEC_PER_MSEC);
	path = rig_path(&rig->node[0].core);
	ASSERT_EQ(WEFT_PATHS_UP, path->state);
	rig_cut(rig, 0, 1, true);
	for (i = 0; i < 200; i++)
		ASSERT_EQ(0, rig_send(ep, &op));
	rig_ep_free(ep);
	/* the peer lives, and acknowledges nothing; the path lives longer than the sends */
	ASSERT_EQ(0, weft_limit_set(&rig->node[0].core, "dead-ms", 60000));
	for (i = 0; i < 30; i++) {
		struct weft_hdr h = {
			.type = WEFT_PKT_DATA, .path = path->id, .token = path->token,
			.lane = 3, .window = 4096
		};

		weft_wire_hdr_put(pkt, &h);
		len = WEFT_WIRE_HDR;
		rig_inject(&rig->node[0], &path->node.addr, pkt, len);
		rig_run(rig, NSEC_PER_SEC / 2);
	}
	EXPECT_EQ(WEFT_PATHS_UP, path->state);
	weft_path_put(path);
	rig_free(rig);
}

/* The sender of a message dies when a part of it has been received: the receive ends, too. */
TEST(found__partial)
{
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .context = 9, .n = 1 };
	struct weft_head head = { .len = 5000 };
	struct rig_proc *proc;
	struct weft_path *path;
	struct rig_conf conf;
	struct rig_cq *cq;
	struct weft_cqe e;
	struct rig_av *av;
	struct rig_ep *ep;
	struct rig *rig;
	u8 pkt[1400];
	u32 len;

	rig_conf_default(&conf, 4);
	rig = rig_new(&conf);
	proc = rig_proc_new(&rig->node[0]);
	cq = rig_cq_new(proc, 64);
	av = rig_av_new(proc);
	ep = rig_ep_new(proc, WEFT_EP_RDM, 0, 16, 16, 1);
	ASSERT_EQ(0, rig_av_insert(av, 1, 2, rig));
	ASSERT_EQ(0, rig_ep_enable(ep, cq, cq, NULL, av));
	op.peer = WEFT_SRC_ANY;
	op.iov[0].len = 5000;
	op.iov[0].addr = (uintptr_t)rig_buf(proc, 5000);
	ASSERT_EQ(0, rig_recv(ep, &op));
	/* make the path */
	op.n = 0;
	op.peer = 0;
	op.flags = 0;
	ASSERT_EQ(0, rig_send(ep, &op));
	rig_run(rig, 100 * NSEC_PER_MSEC);
	path = rig_path(&rig->node[0].core);
	ASSERT_EQ(WEFT_PATHS_UP, path->state);
	head.flow.ssvc = 2;
	head.flow.dsvc = 1;
	head.flow.sgen = 77;
	head.flow.mseq = 1;
	len = begin(path, pkt, path->lane[0].rcv_nxt);
	len += weft_wire_eager_put(pkt + len, &head, 0, 1000) + 1000;
	rig_crash(&rig->node[1]);
	rig_inject(&rig->node[0], &path->node.addr, pkt, len);
	rig_run(rig, 30 * NSEC_PER_SEC);
	EXPECT_EQ(WEFT_PATHS_DEAD, path->state);
	ASSERT_EQ(1, rig_cq_read(cq, &e));
	EXPECT_EQ(9, e.context);
	EXPECT_NE(0, e.status);
	weft_path_put(path);
	rig_free(rig);
}

/* FIN goes alone. */
TEST(found__fin)
{
	struct weft_rec *rec;
	struct lone t;
	struct weft_conn conn = { .ops = 1u << WEFT_CM_FIN };

	lone_init(&t, 0);
	conn.path = t.path;
	weft_ctl_init(&conn.ctl, WEFT_CTL_CONN);
	refcount_set(&conn.ref, 2);
	weft_lock(&t.path->lock);
	rec = weft_rec_new(t.path);
	rec->len = 8;
	weft_list_add_tail(&t.lane->ctlq, &conn.ctl.node);
	conn.ctl.queued = true;
	EXPECT_FALSE(weft_ctl_build(t.path, t.lane, rec, t.out));
	rec->len = 0;
	EXPECT_TRUE(weft_ctl_build(t.path, t.lane, rec, t.out));
	EXPECT_EQ(0, weft_rec_space(rec));
	weft_rec_put(t.path, rec, t.out);
	weft_unlock(&t.path->lock);
	lone_fini(&t);
}

TEST_HARNESS_MAIN
