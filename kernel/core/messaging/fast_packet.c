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
 * A DONE that reports executed operations may follow that chunk, or be alone. So may DATA with the
 * bytes that a short operation has asked for.
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
 * @done: DONE of executed operations behind the message, NULL: none
 */
struct weft_fastpkt_form {
	u32 lane;
	u32 npkt;
	u32 len;
	u32 piece;
	u32 skip;
	bool acknow;
	const struct weft_w_done *done;
};

/* bytes of a chunk DONE */
#define WEFT_FASTPKT_DONE	(WEFT_WIRE_CHUNK + (u32)sizeof(struct weft_w_done))

/* Return: true if the last chunk of a packet, at @at, reports executed operations. */
static bool weft_fastpkt_done(const u8 *at, struct weft_fastpkt_form *f)
{
	const struct weft_w_chunk *c = (const void *)at;

	f->done = (const void *)(c + 1);
	return c->type == WEFT_CHUNK_DONE && be16_to_cpu(c->len) == sizeof(*f->done) &&
	       be16_to_cpu(f->done->kind) == WEFT_DONE_EXECUTED && !f->done->status;
}

/* Check the header of a packet, and take its lane. */
static inline bool weft_fastpkt_header(const struct weft_w_hdr *h, struct weft_fastpkt_form *f)
{
	u32 lane = h->lane;

	OPTIMIZER_HIDE_VAR(lane);
	f->lane = lane;
	f->acknow = h->flags & WEFT_PKT_ACKNOW;
	return h->vt == (WEFT_WIRE_VERSION << 4 | WEFT_PKT_DATA) &&
	       h->words == WEFT_WIRE_HDR / 4 && !h->job && lane < WEFT_LANES &&
	       (h->flags & ~WEFT_PKT_ACKNOW) == WEFT_PKT_PSN;
}

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
	u32 body, plen, len = rx->seg ?: rx->len;
	u64 all;

	if (!weft_fastpkt_header(&p->hdr, f) || p->chunk.type != WEFT_CHUNK_EAGER || p->eager.off)
		return false;
	f->done = NULL;
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
			       len == WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + body ||
			       (len == WEFT_WIRE_HDR + weft_wire_size(body) + WEFT_FASTPKT_DONE &&
				weft_fastpkt_done(rx->data + len - WEFT_FASTPKT_DONE, f)));
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
static __always_inline void weft_fastpkt_ack(struct weft_path *path, struct weft_lane *lane,
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

/* Have a one-sided operation executed. Return: true if it is done. */
static noinline bool weft_fastpkt_operate(struct weft_rflow *rf, const struct weft_fastpkt *p,
					  const struct weft_fastpkt_form *f, u64 mark,
					  struct weft_out *out)
{
	struct weft_head h weft_unset;	/* its other fields are not used */

	if (mark & ((1ull << WEFT_AUTH_BITS) - 1))
		return false;
	weft_wire_flow_get(&p->eager.head.flow, &h.flow);
	h.flags = mark >> WEFT_AUTH_BITS;
	h.len = f->len;
	return weft_rma_direct(rf, &h, p->pay, f->piece, f->skip, out);
}

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
		     !weft_list_empty(&rf->early) ||
		     (rf->conn && rf->conn->state != WEFT_CONN_UP)))
		return false;
	if (unlikely(mark & ~((u64)WEFT_FASTPKT_FLAGS << WEFT_AUTH_BITS)))
		return mark & (u64)WEFT_MSG_RMA << WEFT_AUTH_BITS &&
		       weft_fastpkt_operate(rf, p, f, mark, out);
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
	weft_trace_arrive(ep, &path->node.addr, rf->id.ssvc, rf->id.mseq, h.tag, h.len);
	rf->id.mseq++;
	weft_credit_pass(rf, f->len, out);
	path->rx_gone += f->len;
	return true;
}

/*
 * Find the path of a packet, lock it, and process the header. Return: the path; NULL: there is
 * none, or the slow path has to process the packet.
 */
static __always_inline struct weft_path *weft_fastpkt_enter(struct weft_core *core,
							    const struct weft_w_hdr *h, u32 no,
							    struct weft_lane **lanep,
							    struct weft_out *out)
{
	struct weft_path *path = weft_path_by_id(core, be32_to_cpu(h->path));
	struct weft_lane *lane;

	if (unlikely(!path))
		return NULL;
	weft_lock_inner(&path->lock);
	lane = &path->lane[no];
	/* compute the address once */
	OPTIMIZER_HIDE_VAR(lane);
	*lanep = lane;
	if (unlikely(path->token != be64_to_cpu(h->token) || path->state != WEFT_PATHS_UP ||
		     path->failing || lane->rcv_ahead || lane->part[0].done || lane->part[1].done ||
		     be32_to_cpu(h->psn) != lane->rcv_nxt)) {
		weft_unlock_inner(&path->lock);
		return NULL;
	}
	path->heard_at = out->now;
	path->alive_at = out->now;
	weft_path_window(path, be16_to_cpu(h->window));
	weft_fastpkt_ack(path, lane, h, out);
	/* the caller releases it, which sparse cannot follow */
	__release(&path->lock);
	return path;
}

/* Return: true if a short packet holds one chunk DATA, @c. The lengths are read once. */
static bool weft_fastpkt_data(const struct weft_rx *rx, struct weft_chunk *c)
{
	const struct weft_w_chunk *w = (const void *)(rx->data + WEFT_WIRE_HDR);
	const u32 head = WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_data);

	if (rx->len <= head || w->type != WEFT_CHUNK_DATA)
		return false;
	c->type = WEFT_CHUNK_DATA;
	c->len = be16_to_cpu(w->len);
	OPTIMIZER_HIDE_VAR(c->len);
	c->body = w + 1;
	c->pay = rx->data + head;
	c->paylen = c->len - sizeof(struct weft_w_data);
	return c->len > sizeof(struct weft_w_data) &&
	       rx->len == WEFT_WIRE_HDR + weft_wire_size(c->len);
}

/*
 * Process a packet that is too short for a message. Return: true if it held one report, or bytes
 * that a short operation has asked for.
 */
static noinline bool weft_fastpkt_report(struct weft_core *core, const struct weft_rx *rx,
					 struct weft_out *out)
{
	const struct weft_w_hdr *h = (const void *)rx->data;
	struct weft_fastpkt_form f weft_unset;
	struct weft_chunk c weft_unset;
	struct weft_path *path;
	struct weft_lane *lane;
	bool data, done = true;

	if (rx->seg || rx->len < WEFT_WIRE_HDR + WEFT_WIRE_CHUNK || !weft_fastpkt_header(h, &f))
		return false;
	data = weft_fastpkt_data(rx, &c);
	if (!data && (rx->len != WEFT_WIRE_HDR + WEFT_FASTPKT_DONE ||
		      !weft_fastpkt_done(rx->data + WEFT_WIRE_HDR, &f)))
		return false;
	path = weft_fastpkt_enter(core, h, f.lane, &lane, out);
	if (!path)
		return false;
	__acquire(&path->lock);
	if (data)
		done = !weft_place_data(path, &c, out);
	else
		weft_send_placed(path, f.done, out);
	if (likely(done)) {
		weft_lane_take(path, lane, lane->rcv_nxt, 1, f.acknow, out->now);
		weft_path_count_rx(path, 1, rx->len);
		weft_path_output(path, out);
	}
	weft_unlock_inner(&path->lock);
	if (likely(done)) {
		weft_count(core, rx_packets);
		weft_count_add(core, rx_bytes, rx->len);
	}
	return done;
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
	if (unlikely(!READ_ONCE(core->fast)))
		return false;
	if (unlikely((rx->seg ?: rx->len) < sizeof(*p)))
		return weft_fastpkt_report(core, rx, out);
	if (!weft_fastpkt_form(rx, &f))
		return false;
	path = weft_fastpkt_enter(core, &p->hdr, f.lane, &lane, out);
	if (unlikely(!path))
		return false;
	__acquire(&path->lock);
	done = weft_fastpkt_give(path, p, &f, out);
	if (likely(done)) {
		if (unlikely(f.done))
			weft_send_placed(path, f.done, out);
		weft_lane_take(path, lane, lane->rcv_nxt, f.npkt, f.acknow, out->now);
		weft_path_count_rx(path, f.npkt, rx->len);
		weft_path_output(path, out);
	}
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
