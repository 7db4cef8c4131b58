// SPDX-License-Identifier: GPL-2.0-only
/*
 * Credit for messages that arrive before their receives. Kept messages count for their endpoint and
 * its user, and are bounded. A sender without credit waits, and no other sender does.
 */
#include <sys/wait.h>

#include "core/api/internal.h"
#include "harness.h"
#include "sums.h"
#include "two.h"

#define MANY	1000	/* slots of a sender's ring */
#define LEN	1000	/* bytes of most messages */

/**
 * struct room - two users on each node, who send each other messages
 * @rig: world
 * @core: of the receiving node
 * @to: of the senders: index of the receiver
 * @from: of the receivers: index of the sender
 * @src: sending endpoints
 * @dst: receiving endpoints
 * @sent: completions of the senders
 * @got: completions of the receivers
 * @buf: bytes to send
 * @room: buffer of receives
 */
FIXTURE(room)
{
	struct rig *rig;
	struct weft_core *core;
	u32 to[2], from[2];
	struct rig_ep *src[2], *dst[2];
	struct rig_cq *sent[2], *got[2];
	u8 *buf[2], *room[2];
};

FIXTURE_VARIANT(room)
{
	u32 node;	/* of the receivers */
};

FIXTURE_VARIANT_ADD(room, remote)
{
	.node = 1,
};

FIXTURE_VARIANT_ADD(room, local)
{
	.node = 0,
};

FIXTURE_SETUP(room)
{
	u32 i, j, node = variant->node;
	struct rig_conf conf;

	rig_conf_default(&conf, 3);
	conf.nodes = 2;
	self->rig = rig_new(&conf);
	self->core = &self->rig->node[node].core;
	for (i = 0; i < 2; i++) {
		struct rig_proc *a = rig_proc_new(&self->rig->node[0]);
		struct rig_proc *b = rig_proc_new(&self->rig->node[node]);
		struct rig_av *va = rig_av_new(a), *vb = rig_av_new(b);

		a->uid = 100 + i;
		b->uid = 200 + i;
		self->sent[i] = rig_cq_new(a, 4096);
		self->got[i] = rig_cq_new(b, 4096);
		/* the same lane for both */
		self->src[i] = rig_ep_new(a, WEFT_EP_RDM, 0, MANY, 16, (u16)(4 + 4 * i));
		self->dst[i] = rig_ep_new(b, WEFT_EP_RDM, 0, 16, 16, (u16)(40 + 4 * i));
		ASSERT_EQ(0, rig_ep_enable(self->src[i], self->sent[i], self->sent[i], NULL, va));
		ASSERT_EQ(0, rig_ep_enable(self->dst[i], self->got[i], self->got[i], NULL, vb));
		self->to[i] = (u32)rig_av_insert(va, node, (u16)(40 + 4 * i), self->rig);
		for (j = 0; j < 2; j++)
			self->from[j] = (u32)rig_av_insert(vb, 0, (u16)(4 + 4 * j), self->rig);
		/* each sender may send to the first receiver */
		ASSERT_TRUE(rig_av_insert(va, node, 40, self->rig) >= 0);
		self->buf[i] = rig_buf(a, LEN);
		self->room[i] = rig_buf(b, LEN);
		memset(self->buf[i], 'a' + (int)i, LEN);
	}
}

FIXTURE_TEARDOWN(room)
{
	/* check that nothing is left */
	rig_free(self->rig);
}

static int send_one(FIXTURE_DATA(room) * s, u32 who, u32 to, u32 len)
{
	struct rig_op op = {
		.flags = WEFT_SQ_COMPLETION, .peer = to, .n = 1,
		.iov = { { .addr = (u64)(uintptr_t)s->buf[who], .len = len } },
	};

	return rig_send(s->src[who], &op);
}

/* Receive a message of @len bytes. Return: it came. */
static bool receive_one(FIXTURE_DATA(room) * s, u32 who, u32 from, u32 len, u8 what)
{
	struct rig_op op = {
		.flags = WEFT_RQ_COMPLETION, .peer = from, .n = 1,
		.iov = { { .addr = (u64)(uintptr_t)s->room[who], .len = LEN } },
	};
	struct weft_cqe e;
	u32 ms;

	memset(s->room[who], 0, LEN);
	if (rig_recv(s->dst[who], &op))
		return false;
	for (ms = 0; ms < 1000 && !rig_cq_read(s->got[who], &e); ms++)
		rig_run(s->rig, NSEC_PER_MSEC);
	return ms < 1000 && !e.status && e.len == len &&
	       (!len || (s->room[who][0] == what && s->room[who][len - 1] == what));
}

static bool limit(FIXTURE_DATA(room) * s, const char *name, u64 value)
{
	return !weft_limit_set(s->core, name, value);
}

/* The sender sends the first user's endpoint all that it can; the endpoint receives nothing. */
static bool flood(FIXTURE_DATA(room) * s, u32 len)
{
	u32 i;

	for (i = 0; i < 4 * MANY; i++)
		if (send_one(s, 0, s->to[0], len))
			break;
	rig_run(s->rig, 100 * NSEC_PER_MSEC);
	return true;
}

static void others_go_on(struct __test_metadata *_metadata, FIXTURE_DATA(room) * self, u32 len)
{
	struct weft_user *user = self->dst[0]->ep->user;
	u64 eager, most;
	u32 i;

	ASSERT_TRUE(limit(self, "messages-user", 100) && limit(self, "unexpected-user", 65536));
	ASSERT_TRUE(flood(self, len));
	EXPECT_TRUE(rig_counter(&self->rig->node[self->core == &self->rig->node[1].core],
				WEFT_CNT_limit_user) > 0);
	/* the limits, and a flow's own credit */
	most = 65536 + WEFT_CREDIT_BYTES;
	EXPECT_TRUE((u64)atomic64_read(&user->used[WEFT_USE_BYTES]) <= most);
	EXPECT_EQ(200, user->uid);
	EXPECT_EQ(0, self->dst[1]->ep->flow.kept_msgs);
	eager = rig_counter(&self->rig->node[0], WEFT_CNT_msgs_rendezvous);
	for (i = 0; i < 700; i++) {
		ASSERT_EQ(0, send_one(self, 1, self->to[1], len));
		ASSERT_TRUE(receive_one(self, 1, WEFT_SRC_ANY, len, 'b'));
	}
	/* as fast as before */
	EXPECT_EQ(eager, rig_counter(&self->rig->node[0], WEFT_CNT_msgs_rendezvous));
	EXPECT_EQ(0, rig_counter(&self->rig->node[0], WEFT_CNT_timeouts));
}

TEST_F(room, others_go_on_beside_short_ones)
{
	others_go_on(_metadata, self, 8);
}

TEST_F(room, others_go_on_beside_longer_ones)
{
	others_go_on(_metadata, self, LEN);
}

TEST_F(room, others_go_on_beside_empty_ones)
{
	others_go_on(_metadata, self, 0);
}

/* A sender alone goes beyond a limit by the credit that each flow has of its own, and no more. */
TEST_F(room, not_far_beyond)
{
	if (self->core == &self->rig->node[0].core)
		return;		/* within the node the sender keeps what is beyond */
	ASSERT_TRUE(limit(self, "unexpected-endpoint", 100000));
	ASSERT_TRUE(flood(self, LEN));
	EXPECT_TRUE(self->dst[0]->ep->flow.kept_bytes > 100000 - LEN);
	EXPECT_TRUE(self->dst[0]->ep->flow.kept_bytes <= 100000 + WEFT_CREDIT_BYTES);
}

TEST_F(room, not_many_beyond)
{
	if (self->core == &self->rig->node[0].core)
		return;
	ASSERT_TRUE(limit(self, "messages-user", 200));
	ASSERT_TRUE(flood(self, 8));
	EXPECT_TRUE(self->dst[0]->ep->flow.kept_msgs >= 200);
	EXPECT_TRUE(self->dst[0]->ep->flow.kept_msgs <= 200 + WEFT_CREDIT_MSGS);
}

/* The messages that were held back arrive, in order; then no message is kept. */
TEST_F(room, all_arrives)
{
	u32 i, n = 0;

	ASSERT_TRUE(limit(self, "messages-endpoint", 64) &&
		    limit(self, "unexpected-endpoint", 65536));
	for (; n < 900; n++) {
		self->buf[0][0] = (u8)n;
		self->buf[0][LEN - 1] = (u8)n;
		ASSERT_EQ(0, send_one(self, 0, self->to[0], n % 3 ? 1 : LEN));
		rig_run(self->rig, NSEC_PER_USEC);
	}
	rig_run(self->rig, 100 * NSEC_PER_MSEC);
	for (i = 0; i < n; i++)
		ASSERT_TRUE(receive_one(self, 0, WEFT_SRC_ANY, i % 3 ? 1 : LEN, (u8)i));
	rig_run(self->rig, 100 * NSEC_PER_MSEC);
	EXPECT_EQ(0, self->dst[0]->ep->flow.kept_msgs);
	EXPECT_EQ(0, self->dst[0]->ep->flow.kept_bytes);
	EXPECT_EQ(0, atomic64_read(&self->dst[0]->ep->user->used[WEFT_USE_MSGS]));
	EXPECT_EQ(0, atomic64_read(&self->dst[0]->ep->user->used[WEFT_USE_BYTES]));
}

/*
 * A flow has no credit, and some of its sends are held back. Others still wait in the lane, because
 * another flow has filled the window. The next send does not overtake these.
 */
TEST_F(room, no_overtaking)
{
	struct weft_flow *flow;
	u32 i, n = 0;

	if (self->core == &self->rig->node[0].core)
		return;		/* messages within the node have no lanes */
	ASSERT_TRUE(limit(self, "messages-endpoint", 64));
	/* both flows are open */
	ASSERT_EQ(0, send_one(self, 1, self->to[1], LEN));
	rig_run(self->rig, NSEC_PER_MSEC);
	do {
		self->buf[0][0] = (u8)n++;
		ASSERT_EQ(0, send_one(self, 0, self->to[0], 1));
		rig_run(self->rig, NSEC_PER_MSEC);
		flow = self->src[0]->ep->flow.recent;
		ASSERT_TRUE(flow);
	} while (weft_credit_begins(flow));
	for (i = 0; i < 2; i++) {
		u32 k;

		for (k = 0; k < 60; k++)
			ASSERT_EQ(0, send_one(self, 1, self->to[1], LEN));
		self->buf[0][0] = (u8)n++;
		ASSERT_EQ(0, send_one(self, 0, self->to[0], 1));
	}
	while (weft_list_empty(&flow->parked))
		ASSERT_TRUE(rig_step(self->rig, self->rig->now + NSEC_PER_MSEC));
	ASSERT_FALSE(weft_list_empty(&flow->path->lane[flow->lane].sendq));
	self->buf[0][0] = (u8)n++;
	ASSERT_EQ(0, send_one(self, 0, self->to[0], 1));
	for (i = 0; i < n; i++)
		ASSERT_TRUE(receive_one(self, 0, WEFT_SRC_ANY, 1, (u8)i));
}

/*
 * A flow had no credit because of another flow. It continues when the other flow's messages have
 * been received, even though its own have not.
 */
TEST_F(room, starves_no_longer)
{
	struct weft_cqe e;
	u32 i;

	if (self->core == &self->rig->node[0].core)
		return;		/* within the node the sender's sends are the bound */
	ASSERT_TRUE(limit(self, "messages-endpoint", 200));
	for (i = 0; i < 200; i++)
		ASSERT_EQ(0, send_one(self, 0, self->to[0], 8));
	rig_run(self->rig, 50 * NSEC_PER_MSEC);
	ASSERT_EQ(200, self->dst[0]->ep->flow.kept_msgs);
	/* the other flow has its own credit, and no more */
	for (i = 0; i < 400; i++)
		ASSERT_EQ(0, send_one(self, 1, self->to[1] + 1, 8));
	rig_run(self->rig, 50 * NSEC_PER_MSEC);
	ASSERT_EQ(200 + WEFT_CREDIT_MSGS, self->dst[0]->ep->flow.kept_msgs);
	ASSERT_TRUE(limit(self, "messages-endpoint", 400));
	for (i = 0; i < 200; i++)
		ASSERT_TRUE(receive_one(self, 0, self->from[0], 8, 'a'));
	rig_run(self->rig, 50 * NSEC_PER_MSEC);
	ASSERT_EQ(400, self->dst[0]->ep->flow.kept_msgs);
	for (i = 0; i < 400; i++)
		ASSERT_TRUE(receive_one(self, 0, self->from[1], 8, 'b'));
	for (i = 0; i < 400; i++)
		ASSERT_EQ(1, rig_cq_read(self->sent[1], &e));
}

/* Either end is destroyed while a flow has no credit. */
TEST_F(room, ends)
{
	ASSERT_TRUE(limit(self, "messages-endpoint", 64));
	ASSERT_TRUE(flood(self, 8));
	rig_proc_end(self->dst[0]->proc, true);
	rig_run(self->rig, 50 * NSEC_PER_MSEC);
	ASSERT_TRUE(send_one(self, 1, self->to[1], 8) == 0);
	ASSERT_TRUE(receive_one(self, 1, WEFT_SRC_ANY, 8, 'b'));
}

TEST_F(room, sender_ends)
{
	ASSERT_TRUE(limit(self, "messages-endpoint", 64));
	ASSERT_TRUE(flood(self, 8));
	rig_proc_end(self->src[0]->proc, true);
	rig_run(self->rig, 50 * NSEC_PER_MSEC);
	/* messages that have arrived can be received */
	ASSERT_TRUE(receive_one(self, 0, WEFT_SRC_ANY, 8, 'a'));
	ASSERT_EQ(0, send_one(self, 1, self->to[1], 8));
	ASSERT_TRUE(receive_one(self, 1, WEFT_SRC_ANY, 8, 'b'));
}

/* An endpoint sends the first receiver as much as a new flow may, and closes. */
static bool come_and_go(FIXTURE_DATA(room) * s, u16 svc)
{
	struct rig_proc *proc = s->src[1]->proc;
	struct rig_av *av = rig_av_new(proc);
	u32 node = s->core == &s->rig->node[1].core;
	struct rig_op op = { .n = 1, .peer = (u32)rig_av_insert(av, node, 40, s->rig) };
	struct rig_ep *ep = rig_ep_new(proc, WEFT_EP_RDM, 0, 512, 16, svc);
	struct weft_cqe e;
	bool refused = false;
	u32 i;

	op.iov[0].addr = (u64)(uintptr_t)s->buf[1];
	if (!ep || rig_ep_enable(ep, s->sent[1], s->sent[1], NULL, av))
		return false;
	for (i = 0; i < WEFT_CREDIT_MSGS; i++)
		if (rig_send(ep, &op))
			break;
	rig_run(s->rig, 2 * NSEC_PER_MSEC);
	op.flags = WEFT_SQ_COMPLETION | WEFT_SQ_DELIVERY;
	rig_send(ep, &op);
	rig_run(s->rig, 20 * NSEC_PER_MSEC);
	while (rig_cq_read(s->sent[1], &e))
		refused |= e.status == ECONNREFUSED;
	rig_ep_free(ep);
	rig_run(s->rig, 2 * NSEC_PER_MSEC);
	return refused;
}

/*
 * A sender that ends flows and begins others does not get a flow's own credit again and again. An
 * endpoint that keeps a limit's worth of messages of dead senders takes no new flow, until it has
 * received.
 */
TEST_F(room, come_and_go)
{
	struct weft_ep *ep = self->dst[0]->ep;
	u32 i, n, refused = 0;

	if (self->core == &self->rig->node[0].core)
		return;		/* within the node the sender's sends are the bound */
	ASSERT_TRUE(limit(self, "messages-endpoint", 1000));
	ASSERT_EQ(0, weft_limit_set(&self->rig->node[0].core, "connect-ms", 10));
	/* a flow that has begun before */
	ASSERT_EQ(0, send_one(self, 0, self->to[0], 0));
	rig_run(self->rig, NSEC_PER_MSEC);
	for (i = 0; i < 40; i++)
		refused += come_and_go(self, 100 + i);
	EXPECT_TRUE(ep->flow.kept_msgs <= 1000 + 2 * WEFT_CREDIT_MSGS);
	EXPECT_TRUE(refused >= 30);
	EXPECT_EQ(ep->flow.kept_msgs - 1, ep->flow.orphans);
	/* continues, and so does a sender to another endpoint */
	ASSERT_EQ(0, send_one(self, 0, self->to[0], 0));
	ASSERT_EQ(0, send_one(self, 1, self->to[1], 8));
	ASSERT_TRUE(receive_one(self, 1, WEFT_SRC_ANY, 8, 'b'));
	EXPECT_EQ(ep->flow.kept_msgs - 2, ep->flow.orphans);
	n = ep->flow.kept_msgs;
	for (i = 0; i < n; i++)
		ASSERT_TRUE(receive_one(self, 0, WEFT_SRC_ANY, 0, 0));
	EXPECT_EQ(0, ep->flow.orphans);
	EXPECT_FALSE(come_and_go(self, 200));
	EXPECT_EQ(WEFT_CREDIT_MSGS + 1, ep->flow.orphans);
	/* dropped messages do not count, either */
	rig_ep_free(self->dst[0]);
	rig_run(self->rig, NSEC_PER_MSEC);
}

/*
 * Messages that a flow keeps beyond a limit, by its own credit, stay when the flow ends. The sums
 * agree with that.
 */
TEST_F(room, stays_beyond_a_limit)
{
	struct rig_node *node = self->dst[0]->proc->node;
	struct weft_ep *ep = self->dst[0]->ep;
	u32 i, n;

	if (self->core == &self->rig->node[0].core)
		return;		/* within the node the sender keeps what is beyond */
	ASSERT_TRUE(limit(self, "messages-endpoint", 64));
	ASSERT_EQ(0, weft_limit_set(&self->rig->node[0].core, "connect-ms", 10));
	for (i = 0; i < 200; i++)
		ASSERT_EQ(0, send_one(self, 0, self->to[0], 8));
	rig_run(self->rig, 50 * NSEC_PER_MSEC);
	sums_check_kept(node);
	rig_ep_free(self->src[0]);
	rig_run(self->rig, 50 * NSEC_PER_MSEC);
	EXPECT_EQ(200, ep->flow.kept_msgs);
	EXPECT_EQ(200, ep->flow.orphans);
	sums_check_kept(node);
	/* no flow begins that would add to it */
	EXPECT_TRUE(come_and_go(self, 100));
	n = ep->flow.kept_msgs;
	EXPECT_EQ(200, n);
	for (i = 0; i < n; i++)
		ASSERT_TRUE(receive_one(self, 0, WEFT_SRC_ANY, 8, 'a'));
	EXPECT_FALSE(come_and_go(self, 101));
	sums_check_kept(node);
}

/* Return: the sums report an error with @msgs kept messages. Runs in a process that they abort. */
static bool sums_die(FIXTURE_DATA(room) * s, u32 msgs)
{
	struct weft_ep *ep = s->dst[0]->ep;
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		ep->flow.kept_msgs = msgs;
		atomic64_set(&ep->user->used[WEFT_USE_MSGS], msgs);
		sums_check_kept(s->dst[0]->proc->node);
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
	       WTERMSIG(status) == SIGABRT;
}

/* The sums detect more messages than the limits and the credit of all flows allow. */
TEST_F(room, more_than_flows_allow)
{
	/* the existing flow, and one that the sums may not have seen */
	u32 most = 2 * 64 + 2 * (WEFT_CREDIT_MSGS + WEFT_CREDIT_STEP);

	ASSERT_TRUE(limit(self, "messages-endpoint", 64));
	ASSERT_EQ(0, send_one(self, 0, self->to[0], 8));
	rig_run(self->rig, 50 * NSEC_PER_MSEC);
	EXPECT_FALSE(sums_die(self, most));
	EXPECT_TRUE(sums_die(self, most + 1));
}

/* Credit is never taken back, and a credit older than the known one changes nothing. */
TEST(absolute)
{
	struct weft_w_credit w = { 0 };
	struct weft_flow *flow;
	struct weft_path *path;
	struct two t;

	two_init(&t, 1, 256, 0);
	ASSERT_EQ(0, rig_send(t.ea, &(struct rig_op) { .peer = t.to }));
	rig_run(t.rig, NSEC_PER_MSEC);
	flow = t.ea->ep->flow.recent;
	path = flow->path;
	weft_lock(&path->lock);
	weft_wire_flow_put(&w.flow, &flow->id);
	w.flow.mseq = cpu_to_be32(flow->msg_limit + 10);
	w.bytes = cpu_to_be32(flow->tx_limit + 5000);
	weft_credit_told(path, &w);
	EXPECT_EQ(WEFT_CREDIT_MSGS + 10, flow->msg_limit);
	EXPECT_EQ(WEFT_CREDIT_BYTES + 5000, flow->tx_limit);
	w.flow.mseq = cpu_to_be32(flow->msg_limit - 1);
	w.bytes = cpu_to_be32(flow->tx_limit - 1);
	weft_credit_told(path, &w);
	EXPECT_EQ(WEFT_CREDIT_MSGS + 10, flow->msg_limit);
	EXPECT_EQ(WEFT_CREDIT_BYTES + 5000, flow->tx_limit);
	/* of no flow */
	w.flow.sgen = cpu_to_be32(flow->id.sgen + 1);
	w.flow.mseq = cpu_to_be32(flow->msg_limit + 1);
	weft_credit_told(path, &w);
	EXPECT_EQ(WEFT_CREDIT_MSGS + 10, flow->msg_limit);
	weft_unlock(&path->lock);
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
