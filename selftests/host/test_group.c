// SPDX-License-Identifier: GPL-2.0-only
/*
 * Multicast groups: which endpoints get a datagram, here and on other nodes; joining and leaving;
 * limits; packets that are forged; programs and ports that end
 */
#include "core/api/internal.h"
#include "rig.h"
#include "harness.h"

#define MEMBERS	4	/* two endpoints on each of two nodes */
#define CREDIT_AT	4096

/**
 * struct gang - members of groups
 * @rig: world
 * @proc: processes, on nodes 0, 0, 1, 1
 * @cq: completions of sends
 * @rcq: completions of receives
 * @ep: endpoints, services 10, 11, 12, 13
 * @buf: bytes to send, and received at CREDIT_AT
 */
struct gang {
	struct rig *rig;
	struct rig_proc *proc[MEMBERS];
	struct rig_cq *cq[MEMBERS];
	struct rig_cq *rcq[MEMBERS];
	struct rig_ep *ep[MEMBERS];
	u8 *buf[MEMBERS];
};

static void gang_init(struct gang *g, u16 family)
{
	struct rig_conf conf;
	u32 i, k;

	rig_conf_default(&conf, 5);
	conf.nodes = 2;
	conf.jitter = 0;
	conf.family = family;
	g->rig = rig_new(&conf);
	for (i = 0; i < MEMBERS; i++) {
		struct rig_av *av;

		g->proc[i] = rig_proc_new(&g->rig->node[i / 2]);
		g->cq[i] = rig_cq_new(g->proc[i], 256);
		g->rcq[i] = rig_cq_new(g->proc[i], 256);
		av = rig_av_new(g->proc[i]);
		g->ep[i] = rig_ep_new(g->proc[i], WEFT_EP_DGRAM, 0, 64, 64, 10 + i);
		for (k = 0; k < 3; k++)	/* member 3 is not in the senders' vectors */
			if (rig_av_insert(av, k / 2, 10 + k, g->rig) != (int)k)
				abort();
		if (rig_ep_enable(g->ep[i], g->cq[i], g->rcq[i], NULL, av))
			abort();
		g->buf[i] = rig_buf(g->proc[i], 2 * CREDIT_AT);
		for (k = 0; k < CREDIT_AT; k++)
			g->buf[i][k] = (u8)(i * 50 + k);
	}
}

static struct weft_sockaddr group_addr(u16 family, u8 last, u16 service)
{
	struct weft_sockaddr a = { .family = family, .port = cpu_to_be16(service) };

	a.addr[0] = family == AF_INET ? 239 : 0xff;
	a.addr[1] = 0x05;
	a.addr[family == AF_INET ? 3 : 15] = last;
	return a;
}

static int join(struct gang *g, u32 who, struct weft_sockaddr *addr, u32 flags, u32 *id)
{
	struct rig_node *node = g->proc[who]->node;
	struct weft_out *out = rig_out(node);
	int err = weft_group_join(g->ep[who]->ep, addr, flags, rig_clock(node), out, id);

	rig_leave(node, out);
	return err;
}

static int leave(struct gang *g, u32 who, u32 id)
{
	struct rig_node *node = g->proc[who]->node;
	struct weft_out *out = rig_out(node);
	int err = weft_group_leave(g->ep[who]->ep, id, rig_clock(node), out);

	rig_leave(node, out);
	return err;
}

static void post_all(struct gang *g, u32 len)
{
	u32 i;

	for (i = 0; i < MEMBERS; i++) {
		struct rig_op op = {
			.flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .context = 100 + i,
			.n = 1, .iov = { { (u64)(uintptr_t)g->buf[i] + CREDIT_AT, len } },
		};

		if (rig_recv(g->ep[i], &op))
			abort();
	}
}

static int send_group(struct gang *g, u32 who, u32 id, u32 len, u32 flags)
{
	struct rig_op op = {
		.flags = flags | WEFT_SQ_GROUP | WEFT_SQ_COMPLETION, .peer = id, .context = 7,
		.n = len ? 1 : 0, .iov = { { (u64)(uintptr_t)g->buf[who], len } },
	};
	struct weft_cqe e;

	if (rig_send(g->ep[who], &op))
		abort();
	return rig_cq_read(g->cq[who], &e) == 1 && e.flags & WEFT_CQE_SEND ? e.status : -1;
}

/* Return: a bit for each member that got a datagram of @len bytes from @from. */
static u32 who_got(struct gang *g, u32 from, u32 len)
{
	struct weft_cqe e;
	u32 i, got = 0;

	for (i = 0; i < MEMBERS; i++) {
		while (rig_cq_read(g->rcq[i], &e) == 1) {
			if (e.status || e.len != len || e.context != 100 + i || got & 1u << i ||
			    !(e.flags & WEFT_CQE_GROUP) ||
			    e.src != (from == 3 ? WEFT_SRC_ANY : from) ||
			    memcmp(g->buf[i] + CREDIT_AT, g->buf[from], len))
				return 0xff;
			got |= 1u << i;
		}
	}
	return got;
}

static void settle(struct gang *g)
{
	rig_run(g->rig, 300 * NSEC_PER_MSEC);
}

static void members(struct __test_metadata *_metadata, u16 family)
{
	static const u32 lens[] = { 0, 1, 960, 961, 1400 };
	struct weft_sockaddr a = group_addr(family, 1, 500), b = group_addr(family, 1, 501);
	u32 i, id[MEMBERS], other;
	struct gang g;

	gang_init(&g, family);
	ASSERT_EQ(0, join(&g, 0, &a, WEFT_GROUP_SEND | WEFT_GROUP_RECV, &id[0]));
	ASSERT_EQ(0, join(&g, 1, &a, WEFT_GROUP_SEND, &id[1]));
	ASSERT_EQ(0, join(&g, 2, &a, WEFT_GROUP_RECV, &id[2]));
	ASSERT_EQ(0, join(&g, 3, &b, WEFT_GROUP_SEND | WEFT_GROUP_RECV, &other));
	EXPECT_EQ(1, g.rig->node[0].ngroups);
	EXPECT_EQ(1, g.rig->node[1].ngroups);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		post_all(&g, 2000);
		/*
		 * each receiving member gets one: the sender, one that only sends, the other node
		 */
		ASSERT_EQ(0, send_group(&g, 0, id[0], lens[i], i & 1 ? WEFT_SQ_TRANSMIT : 0));
		settle(&g);
		ASSERT_EQ(1 | 4, who_got(&g, 0, lens[i]));
		post_all(&g, 2000);
		ASSERT_EQ(0, send_group(&g, 1, id[1], lens[i], 0));
		settle(&g);
		ASSERT_EQ(1 | 4, who_got(&g, 1, lens[i]));
		/* another service of the same address is another group */
		ASSERT_EQ(0, send_group(&g, 3, other, lens[i], 0));
		settle(&g);
		ASSERT_EQ(8, who_got(&g, 3, lens[i]));
	}
	/* an endpoint that does not send, and numbers of no group */
	EXPECT_EQ(EINVAL, send_group(&g, 2, id[2], 8, 0));
	EXPECT_EQ(EINVAL, send_group(&g, 0, 77, 8, 0));
	EXPECT_EQ(EOPNOTSUPP, send_group(&g, 0, id[0], 8, WEFT_SQ_DELIVERY));
	EXPECT_EQ(EMSGSIZE, send_group(&g, 0, id[0], 4000, 0));
	/*
	 * the address of a member outside the vector is unknown; former members get no more
	 * datagrams
	 */
	ASSERT_EQ(0, join(&g, 3, &a, WEFT_GROUP_SEND, &id[3]));
	ASSERT_EQ(0, leave(&g, 0, id[0]));
	EXPECT_EQ(-ENOENT, leave(&g, 0, id[0]));
	EXPECT_EQ(0, g.rig->node[0].ngroups);
	EXPECT_EQ(EINVAL, send_group(&g, 0, id[0], 8, 0));
	post_all(&g, 2000);
	ASSERT_EQ(0, send_group(&g, 3, id[3], 20, 0));
	settle(&g);
	EXPECT_EQ(4, who_got(&g, 3, 20));
	/* the other group of this address still gets datagrams */
	ASSERT_EQ(0, leave(&g, 2, id[2]));
	EXPECT_EQ(1, g.rig->node[1].ngroups);
	ASSERT_EQ(0, leave(&g, 3, other));
	EXPECT_EQ(0, g.rig->node[1].ngroups);
	rig_free(g.rig);
}

TEST(group__members)
{
	members(_metadata, AF_INET);
	members(_metadata, AF_INET6);
}

TEST(group__refused)
{
	struct weft_sockaddr a = group_addr(AF_INET, 1, 0), bad = a;
	struct rig_ep *rdm;
	struct gang g;
	u32 i, id, first;

	gang_init(&g, AF_INET);
	bad.addr[0] = 10;
	EXPECT_EQ(-EINVAL, join(&g, 0, &bad, WEFT_GROUP_SEND, &id));
	bad = a;
	bad.addr[5] = 1;
	EXPECT_EQ(-EINVAL, join(&g, 0, &bad, WEFT_GROUP_SEND, &id));
	bad = a;
	bad.scope = 1;
	EXPECT_EQ(-EINVAL, join(&g, 0, &bad, WEFT_GROUP_SEND, &id));
	bad = group_addr(AF_INET6, 1, 5);
	EXPECT_EQ(-EAFNOSUPPORT, join(&g, 0, &bad, WEFT_GROUP_SEND, &id));
	bad.family = 77;
	EXPECT_EQ(-EAFNOSUPPORT, join(&g, 0, &bad, WEFT_GROUP_SEND, &id));
	EXPECT_EQ(-EINVAL, join(&g, 0, &a, 0, &id));
	/* without a service the endpoint's service counts */
	ASSERT_EQ(0, join(&g, 0, &a, WEFT_GROUP_SEND | WEFT_GROUP_RECV, &first));
	EXPECT_EQ(10, be16_to_cpu(a.port));
	EXPECT_EQ(-EALREADY, join(&g, 0, &a, WEFT_GROUP_SEND, &id));
	for (i = 1; i < WEFT_GROUPS_MAX; i++) {
		bad = group_addr(AF_INET, 1, 1000 + i);
		ASSERT_EQ(0, join(&g, 0, &bad, WEFT_GROUP_RECV, &id));
	}
	bad = group_addr(AF_INET, 1, 5);
	EXPECT_EQ(-ENOSPC, join(&g, 0, &bad, WEFT_GROUP_SEND, &id));
	/* the port refuses: the membership has not changed */
	for (i = 0; i < RIG_GROUPS - 1; i++) {
		bad = group_addr(AF_INET, 10 + i, 5);
		ASSERT_EQ(0, join(&g, 1, &bad, WEFT_GROUP_RECV, &id));
	}
	bad = group_addr(AF_INET, 50, 5);
	EXPECT_EQ(-ENOSPC, join(&g, 1, &bad, WEFT_GROUP_SEND | WEFT_GROUP_RECV, &id));
	EXPECT_EQ(0, join(&g, 1, &bad, WEFT_GROUP_SEND, &id));
	EXPECT_EQ(RIG_GROUPS, g.rig->node[0].ngroups);
	/* other types of endpoints */
	rdm = rig_ep_new(g.proc[0], WEFT_EP_RDM, 0, 64, 64, 99);
	{
		struct weft_out *out = rig_out(g.proc[0]->node);

		EXPECT_EQ(-EINVAL, weft_group_join(rdm->ep, &a, WEFT_GROUP_SEND, 0, out, &id));
		rig_leave(g.proc[0]->node, out);
	}
	/* a process that is killed has left everything */
	rig_proc_end(g.proc[0], true);
	rig_proc_end(g.proc[1], true);
	EXPECT_EQ(0, g.rig->node[0].ngroups);
	EXPECT_EQ(0, g.rig->node[0].core.ngroups);
	rig_free(g.rig);
}

/* More groups on a port than it may have. */
TEST(group__port_limit)
{
	struct weft_sockaddr a;
	u32 i, k, id, n = 0;
	struct gang g;

	gang_init(&g, AF_INET);
	for (k = 0; k < 5; k++) {
		struct rig_ep *ep = rig_ep_new(g.proc[0], WEFT_EP_DGRAM, 0, 64, 64, 200 + k);
		struct rig_av *av = rig_av_new(g.proc[0]);

		ASSERT_EQ(0, rig_ep_enable(ep, g.cq[0], g.cq[0], NULL, av));
		for (i = 0; i < WEFT_GROUPS_MAX; i++) {
			struct weft_out *out = rig_out(g.proc[0]->node);
			int err;

			a = group_addr(AF_INET, 1, 1000 + 100 * k + i);
			err = weft_group_join(ep->ep, &a, WEFT_GROUP_SEND, 0, out, &id);
			rig_leave(g.proc[0]->node, out);
			ASSERT_EQ(n < WEFT_CORE_GROUPS ? 0 : -ENOSPC, err);
			n += !err;
		}
	}
	EXPECT_EQ(WEFT_CORE_GROUPS, n);
	rig_free(g.rig);
}

/* The core drops a packet that is not from a kernel, not from another node, or not to a group. */
TEST(group__forged)
{
	struct weft_sockaddr a = group_addr(AF_INET, 1, 500), src;
	struct weft_hdr h = { .type = WEFT_PKT_GROUP };
	struct weft_dgram d = { .ssvc = 10, .dsvc = 500, .len = 8, .flags = 0 };
	u8 pkt[WEFT_DGRAM_HEAD + 8] = {};
	struct rig_node *node;
	struct weft_cqe e;
	struct gang g;
	u32 id, bad;

	gang_init(&g, AF_INET);
	node = &g.rig->node[1];
	ASSERT_EQ(0, join(&g, 2, &a, WEFT_GROUP_RECV, &id));
	weft_wire_hdr_put(pkt, &h);
	weft_wire_dgram_put(pkt + WEFT_WIRE_HDR, &d);
	rig_node_addr(&g.rig->conf, 0, WEFT_WIRE_PORT, &src);
	post_all(&g, 100);
	bad = rig_counter(node, WEFT_CNT_rx_bad);

	/* to the node, from another port, from itself, from a group, too short, unknown service */
	rig_inject(node, &src, pkt, sizeof(pkt));
	src.port = cpu_to_be16(5000);
	rig_inject_group(node, &src, &a, pkt, sizeof(pkt));
	rig_inject_group(node, &a, &a, pkt, sizeof(pkt));
	rig_node_addr(&g.rig->conf, 0, WEFT_WIRE_PORT, &src);
	rig_inject_group(node, &src, &a, pkt, sizeof(pkt) - 1);
	settle(&g);
	EXPECT_EQ(bad + 4, rig_counter(node, WEFT_CNT_rx_bad));
	rig_node_addr(&g.rig->conf, 1, WEFT_WIRE_PORT, &src);
	rig_inject_group(node, &src, &a, pkt, sizeof(pkt));
	rig_node_addr(&g.rig->conf, 0, WEFT_WIRE_PORT, &src);
	d.dsvc = 501;
	weft_wire_dgram_put(pkt + WEFT_WIRE_HDR, &d);
	rig_inject_group(node, &src, &a, pkt, sizeof(pkt));
	/* packets of other kinds do not reach groups */
	h.type = WEFT_PKT_DATA;
	weft_wire_hdr_put(pkt, &h);
	rig_inject_group(node, &src, &a, pkt, sizeof(pkt));
	h.type = WEFT_PKT_DGRAM;
	weft_wire_hdr_put(pkt, &h);
	rig_inject_group(node, &src, &a, pkt, sizeof(pkt));
	settle(&g);
	EXPECT_EQ(bad + 4, rig_counter(node, WEFT_CNT_rx_bad));
	EXPECT_EQ(2, rig_counter(node, WEFT_CNT_rx_unknown));
	EXPECT_EQ(0, rig_cq_read(g.rcq[2], &e));
	/* the valid packet does */
	h.type = WEFT_PKT_GROUP;
	d.dsvc = 500;
	weft_wire_hdr_put(pkt, &h);
	weft_wire_dgram_put(pkt + WEFT_WIRE_HDR, &d);
	rig_inject_group(node, &src, &a, pkt, sizeof(pkt));
	settle(&g);
	ASSERT_EQ(1, rig_cq_read(g.rcq[2], &e));
	EXPECT_EQ(0, e.src);
	rig_free(g.rig);
}

/* A member without a receive gets no datagram, and the others do. */
TEST(group__no_receive)
{
	struct weft_sockaddr a = group_addr(AF_INET, 1, 500);
	struct rig_op op = {
		.flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .context = 102, .n = 1,
	};
	struct gang g;
	u32 i, id[MEMBERS];

	gang_init(&g, AF_INET);
	for (i = 0; i < MEMBERS; i++)
		ASSERT_EQ(0, join(&g, i, &a, WEFT_GROUP_SEND | WEFT_GROUP_RECV, &id[i]));
	op.iov[0].addr = (u64)(uintptr_t)g.buf[2] + CREDIT_AT;
	op.iov[0].len = 100;
	ASSERT_EQ(0, rig_recv(g.ep[2], &op));
	ASSERT_EQ(0, send_group(&g, 0, id[0], 50, 0));
	settle(&g);
	EXPECT_EQ(4, who_got(&g, 0, 50));
	EXPECT_EQ(2, rig_counter(&g.rig->node[0], WEFT_CNT_dgrams_dropped));
	EXPECT_EQ(1, rig_counter(&g.rig->node[1], WEFT_CNT_dgrams_dropped));
	/* the port is removed: no endpoint can join, members can leave */
	rig_stop(&g.rig->node[1], ENODEV);
	EXPECT_EQ(0, g.rig->node[1].ngroups);
	rig_free(g.rig);
}

TEST_HARNESS_MAIN
