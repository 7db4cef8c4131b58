/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - what the files of the protocol offer one another; the objects are in obj.h and ep.h
 *
 * Each function says in its file which locks it wants.
 */
#ifndef WEFT_PROTO_H
#define WEFT_PROTO_H

#include "core/object/ep.h"
#include "core/base/job.h"
#include "core/matching/srq.h"

/*
 * Time since @then. An entry's time is taken before its locks are, so that another CPU may have
 * left a later one.
 */
static inline weft_ns weft_since(weft_ns now, weft_ns then)
{
	return now > then ? now - then : 0;
}

/* Tagged or untagged, by WEFT_MSG_* flags. */
static inline u8 weft_msg_kind(u16 flags)
{
	return flags & WEFT_MSG_TAGGED ? WEFT_TAGGED : WEFT_UNTAGGED;
}

/* Flags of a receive's completion, by WEFT_MSG_* flags. */
static inline u16 weft_recv_flags(u16 flags)
{
	return (flags & WEFT_MSG_TAGGED ? WEFT_CQE_TAGGED : 0) |
	       (flags & WEFT_MSG_DATA ? WEFT_CQE_DATA : 0) |
	       (flags & WEFT_MSG_SOLICITED ? WEFT_CQE_SOLICITED : 0) |
	       (flags & WEFT_MSG_GROUP ? WEFT_CQE_GROUP : 0);
}

/* ---- service.c ------------------------------------------------------------------- */

bool weft_service_used(struct weft_core *core, u16 svc);
int weft_service_claim(struct weft_ep *ep);
void weft_service_release(struct weft_ep *ep);
struct weft_ep *weft_core_service(struct weft_core *core, u16 svc);

/* ---- core.c ---------------------------------------------------------------------- */

u32 weft_core_gen(struct weft_core *core);
bool weft_core_own(const struct weft_core *core, const struct weft_sockaddr *addr);

/* ---- frame.c: records to bytes --------------------------------------------------- */

struct weft_rec *weft_rec_new(struct weft_path *path);
void weft_rec_put(struct weft_path *path, struct weft_rec *rec, struct weft_out *out);
void weft_rec_drop(struct weft_path *path, struct weft_rec *rec, struct weft_out *out);
void weft_rec_withdraw(struct weft_rec *rec, struct weft_out *out);
void weft_rec_trim(struct weft_rec *rec, u32 n);
struct weft_rec *weft_rec_split(struct weft_path *path, struct weft_rec *rec, u32 n,
				struct weft_out *out);
u32 weft_rec_room(const struct weft_path *path, const struct weft_rec *rec);
struct weft_tx *weft_frame_new(struct weft_out *out, u32 len);
void weft_frame_dgram(struct weft_path *path, struct weft_rec *rec, u64 seal,
		      struct weft_out *out);
void weft_frame_emit(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
		     struct weft_out *out);
void weft_frame_ack(struct weft_path *path, struct weft_lane *lane, struct weft_out *out);
void weft_ctl_put(struct weft_path *path, u8 lane, struct weft_ctl *ctl);
bool weft_ctl_build(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
		    struct weft_out *out);
void weft_ctl_drop(struct weft_ctl *ctl, struct weft_out *out);
struct weft_note *weft_note_new(const struct weft_path *path);

/* ---- class.c --------------------------------------------------------------------- */

#define WEFT_FIRST_MAX	1024	/* bytes of the longest datagram of class FIRST */

void weft_class_init(struct weft_path *path);
void weft_class_rtt(struct weft_path *path, const struct weft_lane *lane, weft_ns rtt, weft_ns now);
bool weft_class_crowded(const struct weft_path *path, const struct weft_flow *flow, weft_ns now);

/* WEFT_CLASS_* of a lane. */
static inline u8 weft_lane_class(const struct weft_lane *lane)
{
	return lane->no / WEFT_CLASS_LANES;
}

/* What is known of the way of a lane's packets; at first what is known of those of FIRST. */
static inline const struct weft_class *weft_class_of(const struct weft_path *path,
						     const struct weft_lane *lane)
{
	const struct weft_class *c = &path->class[weft_lane_class(lane)];

	return c->srtt ? c : &path->class[WEFT_CLASS_FIRST];
}

/* A flow's lane of class @class. */
static inline struct weft_lane *weft_class_lane(const struct weft_flow *flow, u8 class)
{
	return &flow->path->lane[class * WEFT_CLASS_LANES + flow->lane];
}

/* Class of a datagram of @len bytes. */
static inline u8 weft_class_dgram(u32 len)
{
	return len <= WEFT_FIRST_MAX ? WEFT_CLASS_FIRST : WEFT_CLASS_REST;
}

/* ---- lane.c ---------------------------------------------------------------------- */

#define WEFT_PSN_NEW	0
#define WEFT_PSN_OLD	1	/* has been received */
#define WEFT_PSN_BEYOND	2	/* of the window */

void weft_lane_init(struct weft_lane *lane, u8 no);
void weft_lane_anew(struct weft_lane *lane);
int weft_lane_seen(const struct weft_lane *lane, u32 psn);
u32 weft_lane_fresh(const struct weft_lane *lane, u32 psn, u32 n);
void weft_lane_take(struct weft_path *path, struct weft_lane *lane, u32 psn, u32 n, bool acknow,
		    weft_ns now);
void weft_lane_acked(struct weft_path *path, struct weft_lane *lane, const struct weft_hdr *h,
		     const struct weft_chunk *sack, struct weft_out *out);
u32 weft_lane_segs(const struct weft_path *path, const struct weft_lane *lane);
struct weft_rec *weft_lane_open(struct weft_path *path, struct weft_lane *lane);
void weft_lane_output(struct weft_path *path, struct weft_lane *lane, struct weft_out *out);
void weft_lane_arm(struct weft_path *path, struct weft_lane *lane, weft_ns now);
void weft_lane_close(struct weft_path *path, struct weft_lane *lane, struct weft_out *out);
void weft_lane_timer(struct weft_path *path, struct weft_lane *lane, struct weft_out *out);
weft_ns weft_lane_next(const struct weft_lane *lane);
bool weft_lane_stuck(const struct weft_lane *lane, weft_ns most, weft_ns now);
void weft_lane_fini(struct weft_path *path, struct weft_lane *lane, struct weft_out *out);
u32 weft_lane_sack(const struct weft_lane *lane, u32 *words);

/* May a new packet be numbered, and the window take it? */
static inline bool weft_lane_numbers(const struct weft_lane *lane)
{
	return lane->snd_nxt - lane->snd_una < WEFT_WINDOW;
}

/* May a new message go at once: does nothing wait before it, and is there room in the window? */
static inline bool weft_lane_may_send(const struct weft_lane *lane)
{
	return weft_list_empty(&lane->sendq) && lane->flight < lane->cwnd &&
	       weft_lane_numbers(lane);
}

/* Does a packet that is being filled hold anything? One that does not may stand there for long. */
static inline bool weft_lane_filled(const struct weft_lane *lane)
{
	return unlikely(lane->open) && (lane->open->len || lane->open->pay);
}

/* A packet is in the network from @now on. */
static inline void weft_lane_away(struct weft_lane *lane, struct weft_rec *rec, weft_ns now)
{
	rec->state = WEFT_REC_FLIGHT;
	rec->sent_at = now;
	weft_list_add_tail(&lane->xmit, &rec->tnode);
	lane->flight += rec->nseg;
}

/* Is there something that room in the window may let go? */
static inline bool weft_lane_waits(const struct weft_lane *lane)
{
	return weft_lane_filled(lane) ||
	       !weft_list_empty(&lane->sendq) || !weft_list_empty(&lane->dataq) ||
	       !weft_list_empty(&lane->ctlq) || !weft_list_empty(&lane->lost);
}

/* ---- path.c ---------------------------------------------------------------------- */

struct weft_path *weft_path_alloc(struct weft_core *core, const struct weft_sockaddr *addr, u8 src);
struct weft_path *weft_path_list(struct weft_core *core, const struct weft_sockaddr *addr, u8 src,
				 weft_ns now);
struct weft_path *weft_path_lookup(struct weft_core *core, const struct weft_sockaddr *addr);
struct weft_path *weft_path_find(struct weft_core *core, const struct weft_sockaddr *addr,
				 struct weft_out *out);

#define WEFT_ID_INDEX	20	/* bits of a path id that are an index */

/* Where the path of an id stands, if there is one. */
static inline struct weft_path **weft_path_slot(struct weft_core *core, u32 id)
{
	return &core->path_ids[(id & ((1u << WEFT_ID_INDEX) - 1)) % core->path_slots];
}

/* The path of a packet, valid under weft_rcu_lock(), or NULL. */
static inline struct weft_path *weft_path_by_id(struct weft_core *core, u32 id)
{
	/* pairs with the release in weft_path_list() */
	struct weft_path *path = smp_load_acquire(weft_path_slot(core, id));

	return path && path->id == id ? path : NULL;
}

void weft_path_unlist(struct weft_path *path);
bool weft_path_gone(struct weft_path *path);
void weft_path_up(struct weft_path *path, weft_ns now);
void weft_path_needs(struct weft_path *path, weft_ns now);
void weft_path_deadline(struct weft_path *path, weft_ns at);
void weft_path_output(struct weft_path *path, struct weft_out *out);
void weft_path_more(struct weft_path *path, struct weft_out *out);
void weft_path_go_on(struct weft_path *path, struct weft_out *out);
void weft_path_fail(struct weft_path *path, int err, struct weft_out *out);
u32 weft_path_new_id(struct weft_path *path);

/* The path of a packet, referenced, or NULL. */
static inline struct weft_path *weft_path_enter(struct weft_core *core, u32 id)
{
	struct weft_path *path;

	weft_rcu_lock();
	path = weft_path_by_id(core, id);
	if (path && !refcount_inc_not_zero(&path->ref))
		path = NULL;
	weft_rcu_unlock();
	return path;
}

/* A packet tells of @window. The path is locked. */
static inline void weft_path_window(struct weft_path *path, u16 window)
{
	u16 d = (u16)(window - (u16)path->tx_limit);

	if (d < 0x8000)
		path->tx_limit += d;
}

/* ---- scarce.c -------------------------------------------------------------------- */

void weft_scarce_look(struct weft_core *core, weft_ns now);
bool weft_scarce_waits(struct weft_ep *ep, struct weft_out *out);
void weft_scarce_again(struct weft_core *core, struct weft_out *out);

/* ---- idle.c ---------------------------------------------------------------------- */

bool weft_idle_press(struct weft_path *path, weft_ns now);
weft_ns weft_idle_due(struct weft_path *path, struct weft_out *out);
void weft_idle_work(struct weft_ep *ep, struct weft_out *out);
void weft_idle_bye(struct weft_path *path, const struct weft_rx *rx, const struct weft_hdr *h,
		   struct weft_out *out);
bool weft_idle_left(struct weft_path *path, struct weft_out *out);
void weft_idle_stay(struct weft_path *path, weft_ns now);

/* ---- hello.c --------------------------------------------------------------------- */

void weft_hello_rx(struct weft_core *core, const struct weft_rx *rx, const struct weft_hdr *h,
		   const struct weft_chunks *rest, struct weft_out *out);
void weft_hello_send(struct weft_path *path, struct weft_out *out);
void weft_gone_send(struct weft_core *core, const struct weft_rx *rx, const struct weft_hdr *h,
		    struct weft_out *out);
void weft_gone_rx(struct weft_core *core, const struct weft_rx *rx, const struct weft_hdr *h,
		  struct weft_out *out);

/* ---- flow.c ---------------------------------------------------------------------- */

struct weft_flow *weft_flow_find(struct weft_ep *ep, u32 dst, struct weft_out *out);
struct weft_flow *weft_flow_new(struct weft_ep *ep, struct weft_path *path,
				const struct weft_sockaddr *peer);
int weft_flow_add(struct weft_flow *flow);
void weft_flow_recent(struct weft_ep *ep, struct weft_flow *flow);
void weft_flow_free(struct weft_flow *flow);
u8 weft_flow_lane(const struct weft_flowid *id);
void weft_flow_put(struct weft_flow *flow);
void weft_flow_unlist(struct weft_flow *flow);
void weft_flow_forget(struct weft_flow *flow, struct weft_out *out);
void weft_flow_check(struct weft_flow *flow, struct weft_out *out);
void weft_flow_fail(struct weft_flow *flow, int err, struct weft_out *out);
void weft_flow_withdraw(struct weft_flow *flow, int err, struct weft_out *out);
void weft_flow_expire(struct weft_flow *flow, struct weft_out *out);
struct weft_flow *weft_flow_by_gen(struct weft_path *path, u32 gen);
struct weft_rflow *weft_rflow_find(struct weft_path *path, u16 ssvc, u32 sgen);
struct weft_rflow *weft_rflow_new(struct weft_path *path, const struct weft_flowid *id,
				  struct weft_ep *ep);
struct weft_rflow *weft_rflow_bind(struct weft_path *path, const struct weft_head *h);
void weft_rflow_free(struct weft_rflow *rf, struct weft_out *out);
void weft_rflow_gone(struct weft_rflow *rf, struct weft_out *out);
u32 weft_rflow_look(struct weft_rflow *rf, u32 gen);

/*
 * The sender's index in the receiver's address vector; as weft_rflow_look(), but the endpoint may
 * have no vector.
 */
static inline u32 weft_rflow_src(struct weft_rflow *rf)
{
	u32 gen;

	if (unlikely(!rf->ep->av))
		return WEFT_SRC_ANY;
	gen = weft_av_gen(rf->ep->av);
	return likely(rf->src_ok && rf->src_gen == gen) ? rf->src : weft_rflow_look(rf, gen);
}

/* ---- job.c ----------------------------------------------------------------------- */

void weft_job_forget_all(struct weft_core *core);
struct weft_job *weft_job_join(struct weft_job *job);
struct weft_job *weft_job_get(struct weft_job *job);
const char *weft_job_name(const struct weft_job *job);
u64 weft_job_seal(const struct weft_job *job, u64 token, const struct weft_flowid *id, u32 kind);
u64 weft_job_seal_group(const struct weft_job *job, const struct weft_sockaddr *group,
			const struct weft_sockaddr *from);
void weft_job_cm_seal(const struct weft_conn *conn, struct weft_w_cm *w);
bool weft_job_cm_ok(struct weft_path *path, const struct weft_job *job, const struct weft_w_cm *w,
		    const struct weft_flowid *f);
void weft_flow_seal(struct weft_flow *flow);

/* The token in seals of what is sent: the receiver's. Within the node one path is for both. */
static inline u64 weft_path_challenge(const struct weft_path *path)
{
	return path->local ? path->token : path->peer_token;
}

/* ---- room.c: messages that come before their receives ---------------------------- */

#define WEFT_ROOM_MSGS		256		/* messages of a flow that nobody else's bound */
#define WEFT_ROOM_BYTES		(128u << 10)	/* and bytes of eager ones */
#define WEFT_ROOM_STEP		1024		/* that are on their way while there is room */
#define WEFT_ROOM_STEP_BYTES	(512u << 10)
#define WEFT_ROOM_NS		(20 * NSEC_PER_MSEC)

#define WEFT_FULL_NOT		0
#define WEFT_FULL_ENDPOINT	1	/* the endpoint keeps as much as it may */
#define WEFT_FULL_USER		2	/* all of its user's do */

struct weft_user *weft_user_get(struct weft_core *core, u32 uid);
void weft_user_put(struct weft_core *core, struct weft_user *user);
u8 weft_keep_full(const struct weft_ep *ep, u32 len);
void weft_keep_count(struct weft_core *core, u8 full);
void weft_keep(struct weft_rxm *rxm, u32 len);
void weft_keep_end(struct weft_rxm *rxm);
bool weft_room_orphaned(const struct weft_ep *ep);
void weft_room_init(struct weft_rflow *rf);
void weft_room_end(struct weft_rflow *rf);
void weft_room_look(struct weft_rflow *rf, struct weft_out *out);
void weft_room_wait(struct weft_rflow *rf, struct weft_rxm *rxm, u32 len);
void weft_room_ignore(struct weft_rxm *rxm, u32 len);
void weft_room_over(struct weft_rxm *rxm, struct weft_out *out);
void weft_room_timer(struct weft_path *path, struct weft_out *out);
void weft_room_park(struct weft_txm *txm);
void weft_room_told(struct weft_path *path, const struct weft_w_room *w);

/* A message of a flow has had its turn, with @eager bytes of eager payload. */
static inline void weft_room_pass(struct weft_rflow *rf, u32 eager, struct weft_out *out)
{
	rf->in_bytes += eager;
	if (unlikely((s32)(rf->id.mseq - rf->tell_msgs) >= 0 ||
		     (s32)(rf->in_bytes - rf->tell_bytes) >= 0))
		weft_room_look(rf, out);
}

/*
 * The eager window, to be told to the peer. It never goes back, as TCP's (RFC 9293, 3.8.6): when
 * the limit is made smaller it stands still until the peer has used so much more.
 */
static inline u16 weft_room_window(struct weft_path *path)
{
	u64 upto = path->rx_gone + READ_ONCE(path->core->conf.unexp_window);

	path->rx_told = max(path->rx_told, upto);
	return (u16)(path->rx_told >> 10);
}

/*
 * Has the sender been told that it may send an eager message of @len bytes that is new? It counts
 * whole messages, and so do @rx_open and @early_bytes: what comes late or again changes nothing.
 */
static inline bool weft_room_fits(const struct weft_rflow *rf, u32 len)
{
	const struct weft_path *path = rf->path;

	return (s32)(rf->told_bytes - rf->in_bytes - rf->early_bytes) >= (s32)len &&
	       path->rx_gone + path->rx_open + len <= path->rx_told;
}

/* Bytes of an eager message have been disposed of. */
static inline void weft_room_gone(struct weft_rxm *rxm, u32 len)
{
	rxm->open -= len;
	rxm->path->rx_open -= len;
	rxm->path->rx_gone += len;
}

/* Bytes of an eager message have come. */
static inline void weft_room_got(struct weft_rxm *rxm, u32 len)
{
	rxm->got += len;
	if (rxm->moved)
		weft_room_gone(rxm, len);
	else
		rxm->charged += len;
}

/* May a flow begin a message? */
static inline bool weft_room_begins(const struct weft_flow *flow)
{
	return (s32)(flow->msg_limit - flow->id.mseq) > 0;
}

/* Where its next send waits. */
static inline struct weft_list *weft_room_queue(struct weft_flow *flow)
{
	return likely(weft_list_empty(&flow->parked)) ? &flow->path->lane[flow->lane].sendq :
							&flow->parked;
}

/* May it go eager, as far as the receiver's node and its endpoint are concerned? */
static inline bool weft_room_eager(const struct weft_flow *flow, u32 len)
{
	const struct weft_path *path = flow->path;

	return path->tx_used + len <= path->tx_limit << 10 &&
	       (s32)(flow->tx_limit - flow->tx_used) >= (s32)len;
}

/* It does. */
static inline void weft_room_use(struct weft_flow *flow, u32 len)
{
	flow->path->tx_used += len;
	flow->tx_used += len;
}

/* ---- send.c ---------------------------------------------------------------------- */

int weft_send_drain(struct weft_ep *ep, int refuse, struct weft_out *out);
void weft_send_publish_held(struct weft_ep *ep);
bool weft_send_hand(struct weft_ep *ep);
void weft_send_release(struct weft_ep *ep, struct weft_txm *txm);
struct weft_txm *weft_send_take(struct weft_ep *ep, const struct weft_sq_entry *e,
				struct weft_flow *flow);
void weft_send_cqe(struct weft_ep *ep, const struct weft_sq_entry *e, struct weft_out *out);
struct weft_txm *weft_send_keep(struct weft_ep *ep, const struct weft_sq_entry *e,
				struct weft_flow *flow, const void *pay);
void weft_send_queue(struct weft_txm *txm, struct weft_out *out);
int weft_send_payload(struct weft_ep *ep, const struct weft_sq_entry *e, void *dst);

/*
 * Entries up to the ring's consumer index have been taken. ep->sq_mutex is held. While no send
 * holds a slot nobody else touches these indices: only who has the mutex makes one hold its slot.
 */
static inline void weft_send_publish(struct weft_ep *ep)
{
	/* whoever left the last slot has done with the indices: weft_send_release() */
	if (unlikely(smp_load_acquire(&ep->nheld))) {
		weft_send_publish_held(ep);
		return;
	}
	WRITE_ONCE(ep->sq_taken, ep->sq.cons);
	ep->sq_given = ep->sq.cons;
	/* barrier B */
	smp_store_release(&ep->conf.status->sq_head, ep->sq.cons);
}

/* The completion of a send. */
static inline void weft_send_fill(struct weft_cqe *c, const struct weft_ep *ep, u64 context,
				  u64 tag, u64 len, bool tagged, int status)
{
	c->context = context;
	c->tag = tag;
	c->data = 0;
	c->len = len;
	c->buf = 0;
	c->src = WEFT_SRC_ANY;
	c->flags = WEFT_CQE_SEND | (tagged ? WEFT_CQE_TAGGED : 0);
	c->ep = (u16)ep->conf.handle;
	c->olen = 0;
	c->status = status;
	c->rsvd = 0;
}

/*
 * The payload of a short entry, at most WEFT_INLINE_MAX bytes, which is still in the ring;
 * ep->sq_mutex is held. It is to be copied once, and not to be looked at: the program may change
 * what is in the ring. Sleeps. Return: where it stands, in the ring or copied to ep->scratch;
 * ERR_PTR(-EFAULT, -ENOMEM).
 */
static inline const void *weft_send_bytes(struct weft_ep *ep, const struct weft_sq_entry *e)
{
	const void *pay = e->inl ? weft_ring_inline(&ep->sq, e) : NULL;
	int err;

	if (likely(pay))
		return pay;
	err = weft_send_payload(ep, e, ep->scratch);
	return err ? ERR_PTR(err) : ep->scratch;
}

void weft_send_done(struct weft_txm *txm, int status, struct weft_out *out);
void weft_send_over(struct weft_txm *txm, struct weft_out *out);
void weft_send_abandon(struct weft_txm *txm, int status, struct weft_out *out);
void weft_send_acked(struct weft_txm *txm, struct weft_rec *rec, struct weft_out *out);
bool weft_send_build(struct weft_path *path, struct weft_txm *txm, struct weft_rec *rec,
		     weft_ns now);
void weft_txm_get(struct weft_txm *txm);
void weft_txm_put(struct weft_txm *txm, struct weft_out *out);

/* ---- rdv.c ----------------------------------------------------------------------- */

void weft_send_step(struct weft_txm *txm, struct weft_out *out);
bool weft_send_data(struct weft_path *path, struct weft_lane *lane, struct weft_txm *txm,
		    struct weft_rec *rec);
int weft_send_grant(struct weft_path *path, u8 lane, const struct weft_w_grant *w,
		    struct weft_out *out);
void weft_send_placed(struct weft_path *path, const struct weft_w_done *w, struct weft_out *out);
void weft_send_late(struct weft_txm *txm);
void weft_send_work(struct weft_txm *txm, struct weft_out *out);
void weft_txm_cold(struct weft_txm *txm, struct weft_out *out);
void weft_win_drop(struct weft_win *win);

/* ---- recv.c ---------------------------------------------------------------------- */

int weft_recv_eager(struct weft_path *path, const struct weft_chunk *c, struct weft_out *out);
int weft_recv_announce(struct weft_path *path, const struct weft_chunk *c, struct weft_out *out);
void weft_recv_abort(struct weft_path *path, const struct weft_w_abort *w, struct weft_out *out);
struct weft_rxm *weft_rxm_new(struct weft_path *path, struct weft_ep *ep);
void weft_rxm_init(struct weft_rxm *rxm, struct weft_path *path);
void weft_rxm_get(struct weft_rxm *rxm);
void weft_rxm_put(struct weft_rxm *rxm);
void weft_rxm_head(struct weft_rxm *rxm, const struct weft_head *h);

/* ---- post.c ---------------------------------------------------------------------- */

void weft_recv_drain(struct weft_ep *ep, struct weft_out *out);
void weft_recv_all(struct weft_ep *ep, struct weft_out *out);
void weft_recv_work(struct weft_ep *ep, struct weft_out *out);
struct weft_post *weft_recv_find(struct weft_ep *ep, u8 kind, u32 src, u64 tag, u64 len,
				 struct weft_out *out);
void weft_recv_resolve(struct weft_ep *ep);
int weft_recv_long(struct weft_ep *ep, struct weft_out *out);
void weft_recv_matched(struct weft_ep *ep, struct weft_rxm *rxm, struct weft_post *post);
bool weft_recv_inline(struct weft_ep *ep, struct weft_post *post, struct weft_cqe *e,
		      const void *payload, struct weft_out *out);
void weft_recv_cqe(struct weft_cqe *e, const struct weft_ep *ep, struct weft_post *post,
		   u64 tag, u64 data, u64 len, u32 src, u16 flags);
void weft_recv_unexp(struct weft_ep *ep, struct weft_rxm *rxm, u32 src, struct weft_out *out);
/* Is the address of sender @src, in place of its index, to be told? Only a kept message has it. */
static inline bool weft_recv_strange(const struct weft_ep *ep, u32 src)
{
	return unlikely(ep->conf.flags & WEFT_EPF_SOURCE) && src == WEFT_SRC_ANY;
}

void weft_recv_from(const struct weft_ep *ep, struct weft_post *post, const struct weft_rxm *rxm,
		    struct weft_cqe *e);
void weft_recv_give(struct weft_ep *ep, struct weft_rxm *rxm, struct weft_post *post,
		    struct weft_out *out);
void weft_recv_status(struct weft_ep *ep);
void weft_post_free(struct weft_ep *ep, struct weft_post *post, struct weft_out *out);
bool weft_turn_of(struct weft_ep *ep, const struct weft_post *post, u32 src);
bool weft_post_inline(struct weft_ep *ep, struct weft_post *post, struct weft_cqe *e,
		      const void *payload, u64 n, struct weft_out *out);
void weft_post_turn(struct weft_ep *ep, struct weft_post *post, const struct weft_cqe *e,
		    struct weft_out *out);
void weft_post_done(struct weft_ep *ep, struct weft_post *post, const struct weft_cqe *e,
		    struct weft_out *out);
void weft_start_put(struct weft_rxm *rxm, struct weft_out *out);

/* ---- pass.c ---------------------------------------------------------------------- */

bool weft_pass_recv(struct weft_ep *ep, const struct weft_head *h, u32 src, const void *pay,
		    struct weft_out *out);
#define WEFT_PASS_RUN	64	/* entries that are sent in a row before anything else is asked */

bool weft_pass_send(struct weft_ep *ep, struct weft_out *out);
bool weft_pass_out(struct weft_ep *ep, struct weft_out *out);

/* The same where softirqs may be on. */
static inline bool weft_pass_try(struct weft_ep *ep, struct weft_out *out)
{
	bool done;

	if (ep->sq.cons == ep->sq.prod)
		return false;
	weft_softirqs_off();
	done = weft_pass_send(ep, out);
	weft_softirqs_on();
	return done;
}

/* ---- short.c --------------------------------------------------------------------- */

/* Head of a message that goes out. @flags: WEFT_SQ_*. */
static inline void weft_send_head(struct weft_head *h, const struct weft_flow *flow, u32 mseq,
				  u64 tag, u64 data, u64 len, bool tagged, u16 flags)
{
	h->flow = flow->id;
	h->flow.mseq = mseq;
	h->seal = flow->seal;
	h->tag = tag;
	h->data = data;
	h->len = len;
	h->flags = (tagged ? WEFT_MSG_TAGGED : 0) | (flags & WEFT_SQ_DATA ? WEFT_MSG_DATA : 0) |
		   (flags & WEFT_SQ_MATCH ? WEFT_MSG_MATCHED :
		    flags & (WEFT_SQ_DELIVERY | WEFT_SQ_TRACKED) ? WEFT_MSG_PLACED : 0) |
		   (flags & WEFT_SQ_SOLICITED ? WEFT_MSG_SOLICITED : 0) |
		   (flow->conn ? WEFT_MSG_CONNECTED : 0);
}

bool weft_short_rx(struct weft_core *core, const struct weft_rx *rx, struct weft_out *out);
bool weft_short_tx(struct weft_path *path, struct weft_lane *lane, struct weft_flow *flow,
		   const struct weft_head *h, const void *pay, struct weft_out *out);

/* Does the endpoint take messages of flow @rf? It is locked. */
static inline bool weft_recv_takes(const struct weft_ep *ep, const struct weft_rflow *rf)
{
	if (unlikely(ep->broken))
		return false;
	return rf->conn ? weft_ep_connected(ep) : ep->state == WEFT_EPS_ENABLED;
}

/* ---- cancel.c: receives and messages that end without each other ------------------ */

void weft_recv_fail(struct weft_ep *ep, struct weft_post *post, int err, struct weft_out *out);
bool weft_recv_cancel(struct weft_ep *ep, u64 context, struct weft_out *out);
void weft_recv_cancel_all(struct weft_ep *ep, int err, struct weft_out *out);
void weft_recv_drop_all(struct weft_ep *ep, struct weft_out *out);
bool weft_recv_was_cut(struct weft_ep *ep);
int weft_recv_cut(struct weft_ep *ep, u64 context, struct weft_out *out);

/* ---- peek.c ----------------------------------------------------------------------- */

void weft_peek_apply(struct weft_ep *ep, const struct weft_rq_entry *e, struct weft_post *post,
		     struct weft_out *out);
void weft_claim_drop_all(struct weft_ep *ep, struct weft_out *out);

/* ---- announce.c: what is told of before it is received ------------------------------ */

int weft_announce_apply(struct weft_ep *ep, const struct weft_rq_entry *e, struct weft_post *post);
void weft_announce_none(struct weft_ep *ep, struct weft_post *post);
u64 weft_announce_room(const struct weft_post *post, u64 len);
void weft_announce_cqe(struct weft_cqe *e, const struct weft_post *post);
bool weft_announce_begin(struct weft_rxm *rxm);
bool weft_announce(struct weft_rxm *rxm, bool inl, struct weft_out *out);
void weft_rxm_placed(struct weft_rxm *rxm, struct weft_out *out);

/* ---- srq.c ----------------------------------------------------------------------- */

struct weft_mpost *weft_srq_take(struct weft_ep *ep, u8 kind, u32 src, u64 tag, u64 len,
				 struct weft_out *out);
void weft_srq_post_free(struct weft_ep *ep, struct weft_post *post, struct weft_out *out);
void weft_srq_leave(struct weft_ep *ep);
void weft_srq_last(struct weft_ep *ep, struct weft_out *out);
void weft_srq_flush(struct weft_out *out);
void weft_srq_work(struct weft_srq *srq, struct weft_out *out);

/* ---- multi.c ---------------------------------------------------------------------- */

struct weft_post *weft_multi_take(struct weft_ep *ep, struct weft_post *buf, u64 len);
void weft_multi_cqe(struct weft_cqe *e, struct weft_post *part);
void weft_multi_part_free(struct weft_ep *ep, struct weft_post *part, struct weft_out *out);
void weft_multi_retry(struct weft_ep *ep, struct weft_out *out);
void weft_multi_post(struct weft_ep *ep, struct weft_post *buf, u64 least, struct weft_out *out);
void weft_multi_end(struct weft_ep *ep, struct weft_post *buf, int err, struct weft_out *out);

/*
 * The receive for a message of @len bytes: it has left the queue, or is a part of one that has not.
 * NULL: none, the message waits. The endpoint is locked, and its ring has been drained.
 */
static inline struct weft_post *weft_post_match(struct weft_ep *ep, u8 kind, u32 src, u64 tag,
						u64 len, struct weft_out *out)
{
	struct weft_mpost *p = likely(!ep->srq) ? weft_match_arrive(&ep->match, kind, src, tag) :
						  weft_srq_take(ep, kind, src, tag, len, out);
	struct weft_post *post;

	if (!p)
		return NULL;
	post = container_of(p, struct weft_post, match);
	if (likely(!p->stays))
		return post;
	return ep->multi_wait ? NULL : weft_multi_take(ep, post, len);
}

/* ---- place.c --------------------------------------------------------------------- */

void weft_rxm_start(struct weft_rxm *rxm, struct weft_out *out);
void weft_rxm_begin(struct weft_rxm *rxm, struct weft_out *out);
void weft_rxm_buffered(struct weft_rxm *rxm);
void weft_rxm_complete(struct weft_rxm *rxm);
void weft_rxm_step(struct weft_rxm *rxm, struct weft_out *out);
void weft_rxm_fail(struct weft_rxm *rxm, int err, struct weft_out *out);
void weft_rxm_finish(struct weft_rxm *rxm, int err, struct weft_out *out);
void weft_rxm_later(struct weft_rxm *rxm, struct weft_out *out);
void weft_rxm_cold(struct weft_rxm *rxm, struct weft_out *out);
int weft_rxm_fragment(struct weft_rxm *rxm, u32 off, const u8 *pay, u32 len, struct weft_out *out);
int weft_place_data(struct weft_path *path, const struct weft_chunk *c, struct weft_out *out);
u32 weft_place_run(struct weft_path *path, const struct weft_chunk *c, u32 n, u32 last, u32 skip,
		   struct weft_out *out);
void weft_place_copied(const struct weft_copy *c, int err, struct weft_out *out);
void weft_rxm_work(struct weft_rxm *rxm, struct weft_out *out);

/* ---- grant.c ---------------------------------------------------------------------- */

void weft_grants_init(struct weft_grants *g);
void weft_grant_join(struct weft_rxm *rxm, struct weft_out *out);
void weft_grant_came(struct weft_rxm *rxm, u64 n, struct weft_out *out);
void weft_grant_leave(struct weft_rxm *rxm, struct weft_out *out);
void weft_grant_timer(struct weft_path *path, struct weft_out *out);
void weft_grant_flush(struct weft_out *out);

/* ---- fence.c ---------------------------------------------------------------------- */

bool weft_fence_holds(struct weft_flow *flow, const struct weft_sq_entry *e);
int weft_fence_hold(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		    struct weft_out *out);
void weft_fence_check(struct weft_flow *flow, struct weft_out *out);
void weft_fence_run(struct weft_ep *ep, struct weft_out *out);
void weft_fence_drop(struct weft_flow *flow, int status, struct weft_out *out);

/* ---- dgram.c ---------------------------------------------------------------------- */

int weft_dgram_send(struct weft_ep *ep, const struct weft_sq_entry *e, struct weft_out *out);
void weft_dgram_output(struct weft_path *path, struct weft_out *out);
void weft_dgram_rx(struct weft_path *path, const struct weft_hdr *hdr,
		   const struct weft_chunks *rest, struct weft_out *out);
void weft_dgram_deliver(struct weft_ep *ep, const struct weft_dgram *d,
			const struct weft_sockaddr *from, struct weft_out *out);

/* ---- group.c ---------------------------------------------------------------------- */

struct weft_member *weft_group_member(struct weft_ep *ep, u32 id);
void weft_group_leave_all(struct weft_ep *ep, struct weft_out *out);
void weft_group_deliver(struct weft_core *core, const struct weft_sockaddr *group,
			struct weft_dgram *d, const struct weft_sockaddr *from,
			struct weft_out *out);
void weft_group_rx(struct weft_core *core, const struct weft_rx *rx, const struct weft_hdr *hdr,
		   const struct weft_chunks *rest, struct weft_out *out);

/* ---- local.c --------------------------------------------------------------------- */

int weft_local_fenced(struct weft_flow *flow, struct weft_txm *txm, struct weft_out *out);
u32 weft_local_src_find(struct weft_flow *flow, u32 gen);
bool weft_local_spare(struct weft_ep *ep);
int weft_local_send(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		    struct weft_out *out);
void weft_local_step(struct weft_rxm *rxm, struct weft_out *out);
void weft_local_over(struct weft_rxm *rxm, int err, struct weft_out *out);
void weft_local_copied(struct weft_rxm *rxm, u32 len, int err, struct weft_out *out);
void weft_local_withdraw(struct weft_txm *txm, int status, struct weft_out *out);
void weft_local_output(struct weft_path *path, struct weft_out *out);

/* The sender's index in the receiver's address vector. The receiver is locked, and not dead. */
static inline u32 weft_local_src(struct weft_flow *flow)
{
	struct weft_ep *lep = flow->lep;
	u32 gen;

	if (!lep->av)
		return WEFT_SRC_ANY;
	gen = weft_av_gen(lep->av);
	if (likely(flow->lsrc_ok && flow->lsrc_gen == gen))
		return flow->lsrc;
	return weft_local_src_find(flow, gen);
}

/* Does the receiver take messages? It is locked. */
static inline int weft_local_refused(const struct weft_ep *lep)
{
	if (lep->conf.type == WEFT_EP_MSG)
		return weft_ep_connected(lep) && !lep->broken ? 0 : -ENOTCONN;
	return lep->state == WEFT_EPS_ENABLED ? 0 : -ECONNREFUSED;
}

/* ---- cm.c ------------------------------------------------------------------------ */

int weft_cm_rx(struct weft_path *path, const struct weft_w_cm *w, const u8 *data, u32 len,
	       struct weft_out *out);
u32 weft_cm_chunk(struct weft_conn *conn, u8 op, void *dst, u32 room);
void weft_cm_first(struct weft_conn *conn, struct weft_out *out);
void weft_cm_quiet(struct weft_conn *conn, struct weft_out *out);
void weft_cm_settled(struct weft_ep *ep, struct weft_out *out);
void weft_cm_reset(struct weft_conn *conn, int err, struct weft_out *out);
void weft_cm_expire(struct weft_conn *conn, struct weft_out *out);
void weft_cm_kill(struct weft_ep *ep, struct weft_out *out);
void weft_cm_ask_again(struct weft_ep *ep, struct weft_out *out);
void weft_conn_put(struct weft_conn *conn);

/* ---- ep.c ------------------------------------------------------------------------ */

void weft_ep_get(struct weft_ep *ep);

/* Memory that something that comes for an endpoint takes; NULL: for none. As weft_alloc(). */
static inline void *weft_ep_alloc(const struct weft_ep *ep, size_t size)
{
	return ep ? weft_alloc_for(ep->conf.mc, size) : weft_alloc(size);
}

void weft_ep_st(struct weft_ep *ep, u32 set, u32 clear);
void weft_ep_error(struct weft_ep *ep, int err, struct weft_out *out);
void weft_ep_sq_cold(struct weft_ep *ep, struct weft_out *out);
void weft_ep_break(struct weft_ep *ep, int err, struct weft_out *out);
int weft_ep_ready(struct weft_ep *ep, const struct weft_ep_queues *q);
void weft_ep_drop_sends(struct weft_ep *ep, int status, struct weft_out *out);
void weft_ep_stop(struct weft_ep *ep, int err, struct weft_out *out);
bool weft_ep_drop_active(struct weft_ep *ep, int err, struct weft_out *out);

#endif
