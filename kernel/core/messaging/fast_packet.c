// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the fast path of packets with one short message
 *
 * The most frequent packet holds one EAGER chunk with a whole short message. It is the next packet
 * of its lane, its flow is known, and it is the message's turn. It acknowledges nothing, or the
 * only packet under way. Each field of such a packet is read once, in place, and fast_ring.c
 * delivers the message to its receive:
 *
 *	packet --(weft_fastpkt_rx())--> flow --(weft_fast_recv())--> completion queue
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

/*
 * Check the form of a packet of @len bytes. *@no: its lane; *@n: bytes of the message. The packet
 * may change meanwhile, so the compiler must not read these two again. Return: true if it matches.
 */
static inline bool weft_fastpkt_form(const struct weft_fastpkt *p, u32 len, u32 *no, u32 *n)
{
	u32 body, plen, lane;

	if (len < sizeof(*p))
		return false;
	lane = p->hdr.lane;
	OPTIMIZER_HIDE_VAR(lane);
	if (p->hdr.vt != (WEFT_WIRE_VERSION << 4 | WEFT_PKT_DATA) ||
	    p->hdr.words != WEFT_WIRE_HDR / 4 || p->hdr.job || lane >= WEFT_LANES ||
	    (p->hdr.flags & ~WEFT_PKT_ACKNOW) != WEFT_PKT_PSN ||
	    p->chunk.type != WEFT_CHUNK_EAGER || p->eager.off)
		return false;
	*no = lane;
	body = be16_to_cpu(p->chunk.len);
	OPTIMIZER_HIDE_VAR(body);
	plen = body - sizeof(p->eager);
	*n = plen;
	return plen <= WEFT_INLINE_MAX && be64_to_cpu(p->eager.head.len) == plen &&
	       len == WEFT_WIRE_HDR + weft_wire_size(body);
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
#define WEFT_FASTPKT_FLAGS	(WEFT_MSG_FLAGS & ~(WEFT_MSG_PLACED | WEFT_MSG_MATCHED))

/* Give the message to its receive. Return: true if it is received; false: nothing has changed. */
static inline bool weft_fastpkt_give(struct weft_path *path, const struct weft_fastpkt *p, u32 n,
				     struct weft_out *out)
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
	h.len = n;
	ep = rf->ep;
	weft_lock_inner(&ep->lock);
	if (likely(weft_recv_takes(ep, rf)))
		done = weft_fast_recv(ep, &h, weft_rflow_src(rf), p->pay, n, 0, out);
	weft_unlock_inner(&ep->lock);
	if (unlikely(!done))
		return false;
	rf->id.mseq++;
	weft_credit_pass(rf, n, out);
	path->rx_gone += n;
	return true;
}

/**
 * weft_fastpkt_rx - process a packet with one short message
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
	struct weft_path *path;
	struct weft_lane *lane;
	bool done = false;
	u32 no, n;

	BUILD_BUG_ON(sizeof(*p) != WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_eager));
	if (unlikely(!core->conf.fast) || (rx->seg && rx->seg != rx->len) ||
	    !weft_fastpkt_form(p, rx->len, &no, &n))
		return false;
	path = weft_path_by_id(core, be32_to_cpu(p->hdr.path));
	if (unlikely(!path))
		return false;
	weft_lock_inner(&path->lock);
	lane = &path->lane[no];
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
	done = weft_fastpkt_give(path, p, n, out);
	if (likely(done)) {
		weft_lane_take(path, lane, lane->rcv_nxt, 1, p->hdr.flags & WEFT_PKT_ACKNOW,
			       out->now);
		weft_path_output(path, out);
	}
out:
	weft_unlock_inner(&path->lock);
	if (likely(done)) {
		weft_count(core, msgs_received);
		weft_count(core, rx_packets);
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
