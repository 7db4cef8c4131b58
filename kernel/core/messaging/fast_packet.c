// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the fast path of packets with one message
 *
 * The most frequent packet holds one EAGER chunk with a whole short message. It is the next packet
 * of its lane, its flow is known, and it is the message's turn. It acknowledges nothing, or the
 * only packet under way. Each field of such a packet is read once, in place, and fast_ring.c
 * delivers the message to its receive. The same holds for a run of packets with a whole message:
 *
 *	packets --(weft_fastpkt_rx())--> flow --(weft_fast_recv())--> completion queue or receive
 *
 * Every other packet takes the slow path (core.c, recv.c, lane.c), which processes all of it again.
 * Steps done before are not repeated: an acknowledgement that has been processed is an old one the
 * second time. This file also makes such a packet, when the message is all that the path has to
 * send.
 *
 * Locks: path->lock and ep->lock, taken here; softirq context. See Documentation/locking.rst.
 */
#include "core/messaging/messaging.h"
#include "core/transport/ack.h"

/**
 * struct weft_fastpkt - a packet with one short message
 * @hdr: header
 * @chunk: head of its only chunk
 * @eager: the chunk
 * @pay: payload
 */
struct weft_fastpkt {
	struct weft_w_hdr hdr;
	struct weft_w_chunk chunk;
	struct weft_w_eager eager;
	u8 pay[];
} __packed;

/**
 * struct weft_fastpkt_form - form of a packet, or of a run of packets, with a whole message
 * @lane: number of its lane
 * @npkt: packets
 * @len: bytes of the message
 * @piece: bytes of the message in each packet but the last
 * @skip: bytes between two pieces
 * @acknow: a packet asks for an acknowledgement
 */
struct weft_fastpkt_form {
	u32 lane;
	u32 npkt;
	u32 len;
	u32 piece;
	u32 skip;
	bool acknow;
};

/*
 * Check a run of packets. @f: form of the first, @plen: bytes of the message in it. Return: true if
 * the run holds a whole message.
 */
static noinline bool weft_fastpkt_run(const struct weft_rx *rx, u32 plen,
				      struct weft_fastpkt_form *f)
{
	const u32 head = sizeof(struct weft_fastpkt);
	u32 stride = rx->stride ?: rx->seg;

	f->npkt = DIV_ROUND_UP(rx->len, rx->seg);
	/* the slow path would look at the packets of a part again */
	if (plen != rx->seg - head || f->len != rx->len - f->npkt * head)
		return false;
	f->piece = plen;
	f->skip = stride - plen;
	return weft_wire_run(rx->data, rx->len, rx->seg, stride, &f->acknow) == f->npkt;
}

/*
 * Check the form of packets. The bytes may change meanwhile, so the compiler must not read the lane
 * and the length again. Return: true if they hold a whole message, and nothing else.
 */
static inline bool weft_fastpkt_form(const struct weft_rx *rx, struct weft_fastpkt_form *f)
{
	const struct weft_fastpkt *p = (const void *)rx->data;
	u32 body, plen, lane, len = rx->seg ?: rx->len;
	u64 all;

	if (len < sizeof(*p))
		return false;
	lane = p->hdr.lane;
	OPTIMIZER_HIDE_VAR(lane);
	if (p->hdr.vt != (WEFT_WIRE_VERSION << 4 | WEFT_PKT_DATA) ||
	    p->hdr.words != WEFT_WIRE_HDR / 4 || p->hdr.job || lane >= WEFT_LANES ||
	    (p->hdr.flags & ~WEFT_PKT_ACKNOW) != WEFT_PKT_PSN ||
	    p->chunk.type != WEFT_CHUNK_EAGER || p->eager.off)
		return false;
	f->lane = lane;
	f->acknow = p->hdr.flags & WEFT_PKT_ACKNOW;
	body = be16_to_cpu(p->chunk.len);
	OPTIMIZER_HIDE_VAR(body);
	plen = body - sizeof(p->eager);
	all = be64_to_cpu(p->eager.head.len);
	OPTIMIZER_HIDE_VAR(all);
	if (unlikely(all > WEFT_FAST_BYTES))
		return false;
	f->len = (u32)all;
	if (unlikely(len != rx->len))
		return weft_fastpkt_run(rx, plen, f);
	f->npkt = 1;
	f->piece = plen;
	f->skip = 0;
	/* the last chunk may lack the padding */
	return all == plen && (len == WEFT_WIRE_HDR + weft_wire_size(body) ||
			       len == WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + body);
}

/*
 * Process an acknowledgement of the only packet under way, when no send waits for it. Return: true
 * if it is done; false: nothing has changed, weft_lane_acked() has to process it.
 */
static bool weft_fastpkt_acked(struct weft_path *path, struct weft_lane *lane, u32 ack, u32 delay,
			       struct weft_out *out)
{
	struct weft_list *l = weft_list_first(&lane->sent);
	struct weft_rec *rec;
	weft_ns rtt;

	if (unlikely(lane->flight != 1 || ack != lane->snd_nxt || lane->limited || !l ||
		     weft_lane_waits(lane)))
		return false;
	rec = weft_entry(l, struct weft_rec, node);
	if (unlikely(rec->again || rec->nseg != 1))
		return false;
	rtt = weft_since(out->now, rec->sent_at);
	weft_ack_arrived(lane, rec->sent_at, rec->psn, rtt);
	weft_ack_record(path, lane, rec, out);
	weft_ack_rtt(path, lane, rtt, delay, out->now);
	lane->snd_una = ack;
	weft_ack_progress(lane);
	weft_ack_rest(lane);
	return true;
}

/* Process an acknowledgement that may be new. */
static inline void weft_fastpkt_ack(struct weft_path *path, struct weft_lane *lane,
				    const struct weft_w_hdr *w, struct weft_out *out)
{
	struct weft_hdr h;

	h.ack = be32_to_cpu(w->ack);
	h.ack_delay = be32_to_cpu(w->ack_delay);
	if (h.ack != lane->snd_una && !weft_fastpkt_acked(path, lane, h.ack, h.ack_delay, out))
		weft_lane_acked(path, lane, &h, NULL, out);
}

/* flags that a message of the fast path may have */
#define WEFT_FASTPKT_FLAGS	\
	(WEFT_MSG_FLAGS & ~(WEFT_MSG_PLACED | WEFT_MSG_MATCHED | WEFT_MSG_RMA))

/* Give the message to its receive. Return: true if it is received; false: nothing has changed. */
static inline bool weft_fastpkt_give(struct weft_path *path, const struct weft_fastpkt *p,
				     const struct weft_fastpkt_form *f, struct weft_out *out)
{
	const struct weft_w_head *w = &p->eager.head;
	struct weft_head h weft_unset;	/* the ids of the flow are not used */
	struct weft_rflow *rf;
	struct weft_ep *ep;
	bool done = false;
	u64 mark;

	rf = weft_rflow_find(path, be16_to_cpu(w->flow.ssvc), be32_to_cpu(w->flow.sgen));
	if (unlikely(!rf))
		return false;
	/* one comparison finds another authentication code and flags of the slow path */
	mark = be64_to_cpu(w->mark) ^ rf->auth;
	if (unlikely(rf->gone || rf->id.mseq != be32_to_cpu(w->flow.mseq) ||
		     mark & ~((u64)WEFT_FASTPKT_FLAGS << WEFT_AUTH_BITS) ||
		     !weft_list_empty(&rf->early) ||
		     (rf->conn && rf->conn->state != WEFT_CONN_UP)))
		return false;
	h.flags = mark >> WEFT_AUTH_BITS;
	h.tag = be64_to_cpu(w->tag);
	h.data = be64_to_cpu(w->data);
	h.len = f->len;
	ep = rf->ep;
	weft_lock_inner(&ep->lock);
	if (likely(weft_recv_takes(ep, rf)))
		done = weft_fast_recv(ep, &h, weft_rflow_src(rf), p->pay, f->piece, f->skip, out);
	weft_unlock_inner(&ep->lock);
	if (unlikely(!done))
		return false;
	rf->id.mseq++;
	weft_credit_pass(rf, f->len, out);
	path->rx_gone += f->len;
	return true;
}

/**
 * weft_fastpkt_rx - process a packet, or a run of packets, with one message
 * @core: the core
 * @rx: received packets
 * @out: output; out->now is set
 *
 * The path is not referenced. RCU keeps its memory while softirqs are off. While the path is up and
 * not failing, a reference exists: that of the tables, or that of the code about to bury it.
 *
 * Context: softirqs are off, no lock is held.
 * Return: true if it is done; false: the packet takes the slow path.
 */
bool weft_fastpkt_rx(struct weft_core *core, const struct weft_rx *rx, struct weft_out *out)
{
	const struct weft_fastpkt *p = (const void *)rx->data;
	struct weft_fastpkt_form f weft_unset;
	struct weft_path *path;
	struct weft_lane *lane;
	bool done = false;

	BUILD_BUG_ON(sizeof(*p) != WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_eager));
	if (unlikely(!core->conf.fast) || !weft_fastpkt_form(rx, &f))
		return false;
	path = weft_path_by_id(core, be32_to_cpu(p->hdr.path));
	if (unlikely(!path))
		return false;
	weft_lock_inner(&path->lock);
	lane = &path->lane[f.lane];
	/* compute the address once */
	OPTIMIZER_HIDE_VAR(lane);
	if (unlikely(path->token != be64_to_cpu(p->hdr.token) || path->state != WEFT_PATHS_UP ||
		     path->failing || lane->rcv_ahead || lane->part[0].done || lane->part[1].done ||
		     be32_to_cpu(p->hdr.psn) != lane->rcv_nxt))
		goto out;
	path->heard_at = out->now;
	path->alive_at = out->now;
	weft_path_window(path, be16_to_cpu(p->hdr.window));
	weft_fastpkt_ack(path, lane, &p->hdr, out);
	done = weft_fastpkt_give(path, p, &f, out);
	if (likely(done)) {
		weft_lane_take(path, lane, lane->rcv_nxt, f.npkt, f.acknow, out->now);
		weft_path_output(path, out);
	}
out:
	weft_unlock_inner(&path->lock);
	if (likely(done)) {
		weft_count(core, msgs_received);
		weft_count_add(core, rx_packets, f.npkt);
		if (f.npkt > 1)
			weft_count(core, rx_runs);
		weft_count_add(core, rx_bytes, rx->len);
	}
	return done;
}

/**
 * weft_fastpkt_tx - put out a packet with one short message alone
 * @path: the path, locked, up
 * @lane: its flow's lane, which may send
 * @flow: its flow
 * @h: its head
 * @pay: its bytes, at most WEFT_INLINE_MAX
 * @out: output
 *
 * The effect equals that of weft_path_output() when nothing else is to be sent.
 * Return: true if it is put out; false: something else is to be sent as well, nothing has changed.
 */
bool weft_fastpkt_tx(struct weft_path *path, struct weft_lane *lane, struct weft_flow *flow,
		     const struct weft_head *h, const void *pay, struct weft_out *out)
{
	u32 size = weft_wire_size(sizeof(struct weft_w_eager) + (u32)h->len);
	struct weft_rec *rec;

	weft_assert_held(&path->lock);
	if (unlikely(out->ntx == WEFT_OUT_TX || !weft_fastpkt_alone(path, lane, size)))
		return false;
	rec = weft_lane_open(path, lane);
	if (unlikely(!rec))
		return false;
	weft_fastpkt_fill(rec, flow, h, pay, size);
	weft_lane_close(path, lane, out);
	return true;
}
