/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - packets between two nodes: paths, lanes, records, classes
 *
 * The functions that this folder offers to the folders above it, and its files to one another. The
 * comment at each definition names the locks that the function needs.
 */
#ifndef WEFT_TRANSPORT_H
#define WEFT_TRANSPORT_H

#include "core/transport/calls.h"
#include "core/transport/upcalls.h"

/* ---- frame.c -------------------------------------------------------------------- */

struct weft_rec *weft_rec_new(struct weft_path *path);
void weft_rec_put(struct weft_path *path, struct weft_rec *rec, struct weft_out *out);
void weft_rec_drop(struct weft_path *path, struct weft_rec *rec, struct weft_out *out);
void weft_rec_withdraw(struct weft_rec *rec, struct weft_out *out);
void weft_rec_trim(struct weft_rec *rec, u32 n);
struct weft_rec *weft_rec_split(struct weft_path *path, struct weft_rec *rec, u32 n,
				struct weft_out *out);
u32 weft_rec_space(const struct weft_rec *rec);
struct weft_tx *weft_frame_new(struct weft_out *out, u32 len);
struct weft_tx *weft_frame_plain(struct weft_path *path, u32 len, u32 zeros, struct weft_out *out);
void weft_frame_dgram(struct weft_path *path, struct weft_rec *rec, u64 auth, struct weft_out *out);
void weft_frame_emit(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
		     struct weft_out *out);
void weft_frame_ack(struct weft_path *path, struct weft_lane *lane, struct weft_out *out);
void weft_ctl_put(struct weft_path *path, u8 lane, struct weft_ctl *ctl);
bool weft_ctl_build(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
		    struct weft_out *out);
void weft_ctl_drop(struct weft_ctl *ctl, struct weft_out *out);
struct weft_ctl_chunk *weft_ctl_chunk_new(const struct weft_path *path);

/* ---- mtu.c ---------------------------------------------------------------------- */

struct weft_mtu *weft_mtu_new(void);
void weft_mtu_reset(struct weft_path *path);
void weft_mtu_begin(struct weft_path *path, u32 peer, weft_ns now);
void weft_mtu_stay(struct weft_path *path);
void weft_mtu_refit(struct weft_path *path, u32 fit, struct weft_out *out);
void weft_mtu_told(struct weft_path *path, const struct weft_w_mtu *w, struct weft_out *out);
void weft_mtu_probe_rx(struct weft_path *path, u32 size, struct weft_out *out);
void weft_mtu_probed(struct weft_path *path, u32 size, struct weft_out *out);
void weft_mtu_doubt(struct weft_path *path, const struct weft_rec *rec, weft_ns now);
weft_ns weft_mtu_due(struct weft_path *path, struct weft_out *out);
weft_ns weft_mtu_wait(const struct weft_path *path);

/* Return: true if the peer answers packets of the base size only, as far as is known. */
static inline bool weft_mtu_narrow(const struct weft_path *path)
{
	return path->mtu->state == WEFT_MTU_CHECK && (path->mtu->answered || path->mtu->lost);
}

/* Return: bytes of the first packet of a record, which is the longest one. */
static inline u32 weft_rec_size(const struct weft_rec *rec)
{
	return WEFT_WIRE_HDR + rec->len + (rec->pay ? rec->seg : 0);
}

/* ---- echo.c --------------------------------------------------------------------- */

weft_ns weft_echo_due(struct weft_path *path, struct weft_out *out);
void weft_echo_rx(struct weft_path *path, const struct weft_w_echo *w, struct weft_out *out);
void weft_echo_back(struct weft_path *path, const struct weft_w_echoed *w, weft_ns now);
void weft_echo_bury(struct weft_path *path);
void weft_echo_forget(struct weft_core *core);
struct weft_echo *weft_echo_running(struct weft_path *path, u32 no);
void weft_echo_over(struct weft_echo *e, int err);
struct weft_echo *weft_echo_new(weft_ns now);
int weft_echo_launch(struct weft_core *core, const struct weft_sockaddr *addr, struct weft_echo *e,
		     struct weft_out *out, u32 *no);
struct weft_echo *weft_echo_by_no(struct weft_core *core, u32 no, bool asked);
void weft_echo_free(struct weft_core *core, struct weft_echo *e);

/* The path restarts with a handshake: the peer has no path. */
static inline void weft_echo_anew(struct weft_path *path)
{
	weft_assert_held(&path->lock);
	path->echo.peer_no = 0;
	if (weft_path_probed(path))
		path->echo.run->made = true;
}

/* ---- question.c ----------------------------------------------------------------- */

bool weft_question_put(struct weft_path *path, struct weft_out *out);
void weft_question_back(struct weft_path *path, const struct weft_w_answer *w);

/* ---- path_id.c ------------------------------------------------------------------ */

#define WEFT_ID_INDEX	20	/* bits of a path id that form an index */
#define WEFT_ID_MASK	((1u << WEFT_ID_INDEX) - 1)

/* Return: the slot of a path id in core->path_ids. */
static inline struct weft_path **weft_path_slot(struct weft_core *core, u32 id)
{
	return &core->path_ids[(id & WEFT_ID_MASK) % core->path_slots];
}

/* Return: the path of a packet, valid under weft_rcu_lock(), or NULL. */
static inline struct weft_path *weft_path_by_id(struct weft_core *core, u32 id)
{
	/* pairs with the release in weft_path_id_set() */
	struct weft_path *path = smp_load_acquire(weft_path_slot(core, id));

	return path && path->id == id ? path : NULL;
}

u32 weft_path_id_new(struct weft_core *core);
void weft_path_id_set(struct weft_path *path);
void weft_path_id_clear(struct weft_path *path);
u32 weft_path_slot_next(const struct weft_core *core, u32 slot);

/* ---- retire.c ------------------------------------------------------------------- */

void weft_retire_long(struct weft_path *path, struct weft_lane *lane, weft_ns now);
int weft_retire_output(struct weft_path *path, struct weft_lane *lane, struct weft_out *out);
int weft_retire_rx(struct weft_path *path, u8 no, const struct weft_w_retire *w);
int weft_retire_answer(struct weft_path *path, const struct weft_chunk *c, struct weft_out *out);
void weft_retire_fini(struct weft_path *path, struct weft_lane *lane, struct weft_out *out);

/* ---- class.c -------------------------------------------------------------------- */

#define WEFT_FIRST_MAX	1024	/* bytes of the longest datagram of class FIRST */

void weft_class_init(struct weft_path *path);
void weft_class_rtt(struct weft_path *path, const struct weft_lane *lane, weft_ns rtt, weft_ns now);
bool weft_class_queued(const struct weft_path *path, u8 class, weft_ns now);
bool weft_class_crowded(const struct weft_path *path, const struct weft_flow *flow, weft_ns now);

/* Return: WEFT_CLASS_* of a lane. */
static inline u8 weft_lane_class(const struct weft_lane *lane)
{
	return lane->no / WEFT_CLASS_LANES;
}

/*
 * Return: the round-trip times of the class of a lane; those of FIRST until its own are measured.
 */
static inline const struct weft_class *weft_class_of(const struct weft_path *path,
						     const struct weft_lane *lane)
{
	const struct weft_class *c = &path->class[weft_lane_class(lane)];

	return c->srtt ? c : &path->class[WEFT_CLASS_FIRST];
}

/* Return: a flow's lane of class @class. */
static inline struct weft_lane *weft_class_lane(const struct weft_flow *flow, u8 class)
{
	return &flow->path->lane[class * WEFT_CLASS_LANES + flow->lane];
}

/* Return: the class of a datagram of @len bytes. */
static inline u8 weft_class_dgram(u32 len)
{
	return len <= WEFT_FIRST_MAX ? WEFT_CLASS_FIRST : WEFT_CLASS_REST;
}

/* ---- loss.c ---------------------------------------------------------------------- */

/* Return: true if a packet before @psn, which has been sent, is not acknowledged. */
static inline bool weft_loss_waits(const struct weft_lane *lane, u32 psn)
{
	return psn - lane->snd_una - 1 < WEFT_WINDOW;
}

weft_ns weft_loss_window(const struct weft_path *path, const struct weft_lane *lane);
void weft_loss_lost(struct weft_lane *lane);
void weft_loss_again(struct weft_lane *lane, const struct weft_rec *rec);
void weft_loss_dup(struct weft_path *path, struct weft_lane *lane, u32 psn);

/* ---- cwnd.c ---------------------------------------------------------------------- */

void weft_cwnd_init(struct weft_lane *lane);
void weft_cwnd_acked(struct weft_path *path, struct weft_lane *lane, u32 acked, weft_ns now);
void weft_cwnd_lost(struct weft_path *path, struct weft_lane *lane, u32 psn);
void weft_cwnd_timeout(struct weft_lane *lane);

/* ---- lane.c --------------------------------------------------------------------- */

#define WEFT_PSN_NEW	0
#define WEFT_PSN_OLD	1	/* received before */
#define WEFT_PSN_BEYOND	2	/* beyond the window */

void weft_lane_init(struct weft_lane *lane, u8 no, u64 *bits);
void weft_lane_anew(struct weft_lane *lane);
void weft_lane_acked(struct weft_path *path, struct weft_lane *lane, const struct weft_hdr *h,
		     const struct weft_chunk *sack, struct weft_out *out);
u32 weft_lane_segs(const struct weft_path *path, const struct weft_lane *lane);
struct weft_rec *weft_lane_open(struct weft_path *path, struct weft_lane *lane);
struct weft_rec *weft_lane_room(struct weft_path *path, struct weft_lane *lane, u32 need,
				struct weft_out *out);
void weft_lane_output(struct weft_path *path, struct weft_lane *lane, struct weft_out *out);
void weft_lane_withdraw(struct weft_path *path, struct weft_lane *lane, const struct weft_txm *txm,
			struct weft_out *out);
void weft_lane_arm(struct weft_path *path, struct weft_lane *lane, weft_ns now);
void weft_lane_close(struct weft_path *path, struct weft_lane *lane, struct weft_out *out);
void weft_lane_timer(struct weft_path *path, struct weft_lane *lane, struct weft_out *out);
weft_ns weft_lane_next(const struct weft_lane *lane);
bool weft_lane_stuck(const struct weft_path *path, const struct weft_lane *lane, weft_ns now);
u32 weft_lane_fini(struct weft_path *path, struct weft_lane *lane, struct weft_out *out);

/* Return: true if a new packet may have the next PSN. */
static inline bool weft_lane_numbers(const struct weft_lane *lane)
{
	return !lane->retire && lane->snd_nxt - lane->snd_una < WEFT_WINDOW_NEW;
}

/* Return: true if a new message may be sent now: no message waits and the window has space. */
static inline bool weft_lane_may_send(const struct weft_lane *lane)
{
	return weft_list_empty(&lane->sendq) && lane->flight < lane->cwnd &&
	       weft_lane_numbers(lane);
}

/* Return: true if the open packet holds bytes. An empty open packet may exist for long. */
static inline bool weft_lane_filled(const struct weft_lane *lane)
{
	return unlikely(lane->open) && (lane->open->len || lane->open->pay);
}

/* Put a packet into the list of those in the network, from @now on. */
static inline void weft_lane_away(struct weft_lane *lane, struct weft_rec *rec, weft_ns now)
{
	rec->state = WEFT_REC_FLIGHT;
	rec->sent_at = now;
	weft_list_add_tail(&lane->xmit, &rec->tnode);
	lane->flight += rec->nseg;
}

/* Return: true if something waits that can be sent when the window has space. */
static inline bool weft_lane_waits(const struct weft_lane *lane)
{
	return weft_lane_filled(lane) ||
	       !weft_list_empty(&lane->sendq) || !weft_list_empty(&lane->dataq) ||
	       !weft_list_empty(&lane->ctlq) || !weft_list_empty(&lane->lost);
}

/* ---- report.c ------------------------------------------------------------------- */

void weft_report_init(struct weft_rflow *rf);
u32 weft_report_fits(struct weft_rflow *rf);
void weft_report_add(struct weft_rflow *rf, u32 n, bool now);
void weft_report_due(struct weft_path *path, struct weft_lane *lane);
u32 weft_report_chunk(struct weft_rflow *rf, u8 *dst, u32 room);
void weft_report_end(struct weft_rflow *rf, struct weft_out *out);

/* ---- rcv_window.c --------------------------------------------------------------- */

int weft_lane_seen(const struct weft_lane *lane, u32 psn);
u32 weft_lane_fresh(const struct weft_lane *lane, u32 psn, u32 n);
void weft_lane_take(struct weft_path *path, struct weft_lane *lane, u32 psn, u32 n, bool acknow,
		    weft_ns now);
u32 weft_lane_skip(struct weft_lane *lane, u32 psn, u32 *words);
u32 weft_lane_sack(const struct weft_lane *lane, u32 *words);

/* ---- path.c --------------------------------------------------------------------- */

struct weft_path *weft_path_alloc(struct weft_core *core, const struct weft_sockaddr *addr, u8 src);
int weft_path_open(struct weft_path *path);
struct weft_path *weft_path_list(struct weft_core *core, const struct weft_sockaddr *addr, u8 src,
				 weft_ns now);
struct weft_path *weft_path_lookup(struct weft_core *core, const struct weft_sockaddr *addr);

void weft_path_unlist(struct weft_path *path);
bool weft_path_gone(struct weft_path *path);
void weft_path_ask(struct weft_path *path, weft_ns quiet, struct weft_out *out);
void weft_path_up(struct weft_path *path, weft_ns now);
void weft_path_output(struct weft_path *path, struct weft_out *out);

/* Return: the path of a packet, referenced, or NULL. */
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

/*
 * Return: the eager window that the next packet reports to the peer, in KiB. The window never
 * shrinks, as in TCP (RFC 9293, 3.8.6). When the limit becomes smaller, the window stays unchanged
 * until the peer has used the difference.
 */
static inline u16 weft_path_rx_window(struct weft_path *path)
{
	u64 upto = path->rx_gone + READ_ONCE(path->core->conf.unexp_window);

	path->rx_told = max(path->rx_told, upto);
	return (u16)(path->rx_told >> 10);
}

/* Take the eager window @window of a packet. The path is locked. */
static inline void weft_path_window(struct weft_path *path, u16 window)
{
	u16 d = (u16)(window - (u16)path->tx_limit);

	weft_assert_held(&path->lock);
	if (d < 0x8000)
		path->tx_limit += d;
}

/* ---- find.c --------------------------------------------------------------------- */

struct weft_path *weft_path_find(struct weft_core *core, const struct weft_sockaddr *addr,
				 struct weft_out *out);

/* ---- reclaim.c ------------------------------------------------------------------- */

void weft_reclaim_look(struct weft_core *core, weft_ns now);
bool weft_reclaim_waits(struct weft_ep *ep, struct weft_out *out);

/* ---- idle.c --------------------------------------------------------------------- */

bool weft_idle_press(struct weft_path *path, weft_ns now);
weft_ns weft_idle_due(struct weft_path *path, struct weft_out *out);
void weft_idle_bye(struct weft_path *path, const struct weft_rx *rx, const struct weft_hdr *h,
		   struct weft_out *out);
bool weft_idle_left(struct weft_path *path, struct weft_out *out);
void weft_idle_stay(struct weft_path *path, weft_ns now);

/* ---- version.c ------------------------------------------------------------------ */

void weft_version_rx(struct weft_core *core, const struct weft_rx *rx, const void *pkt,
		     struct weft_out *out);

/* ---- hello.c -------------------------------------------------------------------- */

void weft_hello_rx(struct weft_core *core, const struct weft_rx *rx, const struct weft_hdr *h,
		   const struct weft_chunks *rest, struct weft_out *out);
void weft_hello_send(struct weft_path *path, struct weft_out *out);
void weft_gone_send(struct weft_core *core, const struct weft_rx *rx, const struct weft_hdr *h,
		    struct weft_out *out);
void weft_gone_tell(struct weft_path *path, struct weft_out *out);
void weft_gone_rx(struct weft_core *core, const struct weft_rx *rx, const struct weft_hdr *h,
		  struct weft_out *out);

#endif
