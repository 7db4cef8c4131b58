// SPDX-License-Identifier: GPL-2.0-only
/*
 * Announced messages at the sender: grants in any order and to any length, and memory that turns
 * out to be bad
 */
#include "near.h"
#include "two.h"
#include "harness.h"

#define LEN	100000
#define RID	0x77

/* Send the peer a long message. Return: the send, which has been announced. */
static struct weft_txm *announced(struct __test_metadata *_metadata, struct near *s, u64 context)
{
	struct rig_op op = { .flags = WEFT_SQ_COMPLETION, .peer = s->to, .context = context,
			     .n = 1 };
	struct weft_flow *flow = s->ep->ep->flow.recent;
	struct weft_txm *txm;

	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)rig_buf(s->proc, LEN), LEN };
	EXPECT_EQ(0, rig_send(s->ep, &op));
	rig_notify(s->ep, WEFT_NOTIFY_SQ);
	if (weft_list_empty(&flow->txms))
		abort();
	txm = weft_entry(flow->txms.prev, struct weft_txm, node);
	EXPECT_NE(0, txm->sid);
	EXPECT_EQ(0, txm->bulk.granted);
	return txm;
}

static void grant(struct near *s, u32 sid, u64 upto)
{
	struct weft_w_grant w = { .sid = cpu_to_be32(sid), .rid = cpu_to_be32(RID),
				  .upto = cpu_to_be64(upto) };
	struct weft_path *path = s->t.path;

	weft_lock(&path->lock);
	if (weft_send_grant(path, 0, &w, s->t.out))
		abort();
	weft_path_output(path, s->t.out);
	weft_unlock(&path->lock);
	weft_flush(s->t.out);
}

static void done(struct near *s, u32 sid, u16 status)
{
	struct weft_w_done w = { .sid = cpu_to_be32(sid), .status = cpu_to_be16(status) };

	weft_lock(&s->t.path->lock);
	weft_send_placed(s->t.path, &w, s->t.out);
	weft_unlock(&s->t.path->lock);
	weft_flush(s->t.out);
}

/* The sender sends up to the grant, and no GRANT takes anything back. */
TEST(rdv__grants)
{
	struct weft_txm *txm;
	struct weft_cqe e;
	struct near s;

	near_init(&s);
	txm = announced(_metadata, &s, 1);
	grant(&s, txm->sid, 3000);
	EXPECT_EQ(3000, txm->bulk.granted);
	EXPECT_EQ(3000, txm->sent);
	EXPECT_EQ(RID, txm->bulk.rid);
	grant(&s, txm->sid, 2000);
	EXPECT_EQ(3000, txm->bulk.granted);
	grant(&s, txm->sid, 6000);
	EXPECT_EQ(6000, txm->sent);
	/* beyond the end of the message */
	grant(&s, txm->sid, U64_MAX);
	EXPECT_EQ(LEN, txm->bulk.granted);
	EXPECT_LE(txm->sent, LEN);
	EXPECT_EQ(0, rig_cq_read(s.cq, &e));
	done(&s, txm->sid, 0);
	ASSERT_EQ(1, rig_cq_read(s.cq, &e));
	EXPECT_EQ(1, e.context);
	EXPECT_EQ(0, e.status);
	near_fini(&s);
}

/* A grant for an unknown message is refused, and its sender is told. */
TEST(rdv__unknown)
{
	struct weft_txm *txm;
	struct weft_cqe e;
	struct near s;
	u32 n, sid;

	near_init(&s);
	txm = announced(_metadata, &s, 1);
	sid = txm->sid;
	done(&s, sid + 1, 0);
	EXPECT_EQ(0, rig_cq_read(s.cq, &e));
	n = s.t.lane->snd_nxt;
	grant(&s, sid + 1, 3000);
	EXPECT_EQ(n + 1, s.t.lane->snd_nxt);
	EXPECT_EQ(0, txm->bulk.granted);
	/* the program is gone */
	grant(&s, sid, 0);
	ASSERT_EQ(1, rig_cq_read(s.cq, &e));
	EXPECT_EQ(0, e.status);
	/* the message is complete: no answer follows */
	done(&s, sid, EIO);
	EXPECT_EQ(0, rig_cq_read(s.cq, &e));
	n = s.t.lane->snd_nxt;
	grant(&s, sid, 3000);
	EXPECT_EQ(n + 1, s.t.lane->snd_nxt);
	near_fini(&s);
}

/* The receiver cannot place the message: the send fails with that errno, whatever is under way. */
TEST(rdv__failed)
{
	struct weft_txm *txm;
	struct weft_cqe e;
	struct near s;

	near_init(&s);
	txm = announced(_metadata, &s, 4);
	grant(&s, txm->sid, 3000);
	done(&s, txm->sid, EFAULT);
	ASSERT_EQ(1, rig_cq_read(s.cq, &e));
	EXPECT_EQ(4, e.context);
	EXPECT_EQ(EFAULT, e.status);
	EXPECT_EQ(0, rig_cq_read(s.cq, &e));
	near_fini(&s);
}

/* The memory is not resident, and a worker finds that it is bad: both sides get the errno. */
TEST(rdv__cold_fault)
{
	struct rig_op op = { .flags = WEFT_SQ_COMPLETION, .context = 1, .n = 1 };
	struct weft_cqe e;
	struct two t;
	u32 dst;

	for (dst = 0; dst < 2; dst++) {
		two_init(&t, dst, 64, RIG_PPM);
		t.a->mc->fault = RIG_PPM;
		op.peer = t.to;
		op.flags = WEFT_SQ_COMPLETION;
		op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.buf, TWO_LONG };
		ASSERT_EQ(0, rig_send(t.ea, &op));
		op.peer = WEFT_SRC_ANY;
		op.flags = WEFT_RQ_COMPLETION;
		op.iov[0].addr = (u64)(uintptr_t)t.room;
		ASSERT_EQ(0, rig_recv(t.eb, &op));
		rig_run(t.rig, NSEC_PER_SEC);
		ASSERT_EQ(1, rig_cq_read(t.ca, &e));
		EXPECT_EQ(EFAULT, e.status);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(ECONNRESET, e.status);
		EXPECT_EQ(0, e.len);
		rig_free(t.rig);
	}
}

/*
 * DONE of eager messages in any order: each ends its own send, once, and is found by its number.
 * Sends that ask for no DONE are in no table.
 */
TEST(rdv__eager_any_order)
{
	static const u32 order[] = { 7, 0, 3, 3, 6, 1, 99, 5, 4, 2, 7 };
	struct rig_op op = { .n = 1 };
	struct weft_flowid id;
	struct weft_w_done w;
	struct weft_cqe e;
	struct near s;
	u32 i, left = 8;

	near_init(&s);
	s.t.path->tx_limit = 64;
	op.peer = s.to;
	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)rig_buf(s.proc, 1000), 1000 };
	for (i = 0; i < 16; i++) {
		op.context = i;
		op.flags = WEFT_SQ_COMPLETION | (i < 8 ? WEFT_SQ_DELIVERY : WEFT_SQ_TRANSMIT);
		ASSERT_EQ(0, rig_send(s.ep, &op));
	}
	rig_notify(s.ep, WEFT_NOTIFY_SQ);
	id = s.ep->ep->flow.recent->id;
	EXPECT_EQ(8, s.t.path->msg.sids.n);
	lone_drop(&s.t);
	lone_ack(&s.t, s.t.lane->snd_nxt, NULL, 0, 0);
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(1, rig_cq_read(s.cq, &e));
		EXPECT_EQ(8 + i, e.context);
	}
	EXPECT_EQ(0, rig_cq_read(s.cq, &e));
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		bool known = order[i] < 8;
		u32 k;

		for (k = 0; k < i; k++)
			known &= order[k] != order[i];
		memset(&w, 0, sizeof(w));
		id.mseq = s.ep->ep->flow.recent->id.mseq - 15 + order[i];
		weft_wire_flow_put(&w.flow, &id);
		w.status = cpu_to_be16(order[i]);
		weft_lock(&s.t.path->lock);
		weft_send_placed(s.t.path, &w, s.t.out);
		weft_unlock(&s.t.path->lock);
		weft_flush(s.t.out);
		ASSERT_EQ(known, rig_cq_read(s.cq, &e));
		left -= known;
		EXPECT_EQ(left, s.t.path->msg.sids.n);
		if (!known)
			continue;
		EXPECT_EQ(order[i], e.context);
		EXPECT_EQ(order[i], e.status);
	}
	EXPECT_EQ(0, left);
	near_fini(&s);
}

/* A GRANT for message 0, which no announced message is, grants no eager send anything. */
TEST(rdv__grant_eager)
{
	struct rig_op op = { .n = 1, .flags = WEFT_SQ_COMPLETION | WEFT_SQ_DELIVERY };
	struct weft_list *l;
	struct near s;
	u32 i;

	near_init(&s);
	s.t.path->tx_limit = 64;
	op.peer = s.to;
	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)rig_buf(s.proc, 1000), 1000 };
	for (i = 0; i < 16; i++)
		ASSERT_EQ(0, rig_send(s.ep, &op));
	rig_notify(s.ep, WEFT_NOTIFY_SQ);
	EXPECT_EQ(16, s.t.path->msg.sids.n);
	/* one of them may be in the chain of number 0 */
	weft_list_for_each(l, &s.ep->ep->flow.recent->txms) {
		struct weft_txm *txm = weft_entry(l, struct weft_txm, node);

		weft_lock(&s.t.path->lock);
		weft_idtable_del(&s.t.path->msg.sids, &txm->bulk.idnode);
		weft_idtable_add(&s.t.path->msg.sids, &txm->bulk.idnode, 0);
		weft_unlock(&s.t.path->lock);
	}
	grant(&s, 0, 3000);
	weft_list_for_each(l, &s.ep->ep->flow.recent->txms)
		EXPECT_EQ(WEFT_TXM_SENT, weft_entry(l, struct weft_txm, node)->state);
	near_fini(&s);
}

/* A peer asks for unknown messages, and acknowledges nothing: pending answers are bounded. */
TEST(rdv__unknown_many)
{
	struct weft_w_grant w = { .rid = cpu_to_be32(RID), .upto = cpu_to_be64(3000) };
	struct weft_path *path;
	struct near s;
	u32 i;
	int err;

	near_init(&s);
	path = s.t.path;
	for (i = 0; i < 200000; i++) {
		w.sid = cpu_to_be32(0x10000000 + i);
		weft_lock(&path->lock);
		err = weft_send_grant(path, 0, &w, s.t.out);
		if (i % 32 == 0)
			weft_path_output(path, s.t.out);
		weft_unlock(&path->lock);
		if (i % 32 == 0)
			weft_flush(s.t.out);
		if (err)
			break;
	}
	EXPECT_EQ(-ENOMEM, err);
	EXPECT_EQ(WEFT_CTL_PENDING_MAX, path->ctl_pending);
	near_fini(&s);
}

/* Numbers are used again when all have been used, except those still in use. */
TEST(rdv__numbers_again)
{
	struct weft_path *path;
	struct weft_txm *txm;
	struct weft_cqe e;
	struct near s;
	u32 first;

	near_init(&s);
	path = s.t.path;
	path->msg.next_id = S32_MAX - 1;
	first = announced(_metadata, &s, 1)->sid;
	EXPECT_EQ(S32_MAX, first);
	EXPECT_EQ(1, announced(_metadata, &s, 2)->sid);
	path->msg.next_id = S32_MAX - 1;
	txm = announced(_metadata, &s, 3);
	EXPECT_NE(first, txm->sid);
	EXPECT_NE(1, txm->sid);
	done(&s, txm->sid, 0);
	ASSERT_EQ(1, rig_cq_read(s.cq, &e));
	EXPECT_EQ(3, e.context);
	near_fini(&s);
}

/* The chunk that withdraws a message must not overtake the chunk that announces it. */
TEST(rdv__withdrawn_behind)
{
	const struct weft_rec *rec;
	struct weft_txm *txm;
	struct weft_cqe e;
	struct weft_ep *ep;
	struct near s;
	u32 n;

	near_init(&s);
	txm = announced(_metadata, &s, 1);
	n = s.t.lane->snd_nxt;
	ep = s.ep->ep;
	weft_mutex_lock(&ep->sq_mutex);
	weft_ep_drop_sends(ep, ECANCELED, s.t.out);
	weft_mutex_unlock(&ep->sq_mutex);
	weft_flush(s.t.out);
	ASSERT_EQ(1, rig_cq_read(s.cq, &e));
	EXPECT_EQ(ECANCELED, e.status);
	/* ANNOUNCE may be lost, and arrive again behind it */
	EXPECT_EQ(n, s.t.lane->snd_nxt);
	lone_ack(&s.t, n, NULL, 0, 0);
	lone_output(&s.t);
	ASSERT_EQ(n + 1, s.t.lane->snd_nxt);
	rec = weft_entry(s.t.lane->sent.prev, const struct weft_rec, node);
	EXPECT_EQ(WEFT_CHUNK_ABORT, rec->raw[0]);
	lone_drop(&s.t);
	/* at once when the announcement is known to have arrived */
	txm = announced(_metadata, &s, 2);
	lone_ack(&s.t, s.t.lane->snd_nxt, NULL, 0, 0);
	n = s.t.lane->snd_nxt;
	EXPECT_EQ(0, txm->nrec);
	weft_mutex_lock(&ep->sq_mutex);
	weft_ep_drop_sends(ep, ECANCELED, s.t.out);
	weft_mutex_unlock(&ep->sq_mutex);
	weft_flush(s.t.out);
	EXPECT_EQ(n + 1, s.t.lane->snd_nxt);
	near_fini(&s);
}

TEST_HARNESS_MAIN
