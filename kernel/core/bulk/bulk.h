/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - rendezvous, grants and data placement
 *
 * The functions that this folder offers to the folders above it, and its files to one another. The
 * comment at each definition names the locks that the function needs.
 */
#ifndef WEFT_BULK_H
#define WEFT_BULK_H

#include "core/flow/flow.h"
#include "core/bulk/upcalls.h"

/*
 * Find the memory of a part of a message. *@off: in: offset in the message; out: in the result.
 * *@len: in: bytes; out: at most these, the bytes from there on. @tmp: memory for the result.
 */
static inline const struct weft_vec *weft_rxm_vec(const struct weft_rxm *rxm, u64 *off, u32 *len,
						  struct weft_vec *tmp)
{
	return likely(!rxm->rma) ? &rxm->rx.post->vec : weft_rma_vec(rxm->rma, off, len, tmp);
}

/* The same for a send. */
static inline const struct weft_vec *weft_txm_vec(const struct weft_txm *txm, u64 *off, u32 *len,
						  struct weft_vec *tmp)
{
	return likely(!txm->source) ? &txm->bulk.vec :
				      weft_rma_vec(txm->rxm->rma, off, len, tmp);
}

/* ---- window.c --------------------------------------------------------------------- */

void weft_win_drop(struct weft_win *win);
void weft_txm_defer(struct weft_txm *txm, struct weft_out *out);
bool weft_send_pin(struct weft_txm *txm, struct weft_win *w, struct weft_out *out);
void weft_rxm_defer(struct weft_rxm *rxm, struct weft_out *out);
int weft_rxm_pin(struct weft_rxm *rxm, struct weft_win *w);
int weft_rxm_take(struct weft_rxm *rxm, struct weft_win *w, struct weft_out *out);
void weft_rxm_unlist(struct weft_rxm *rxm);
void weft_rxm_gathered(struct weft_rxm *rxm);
bool weft_rxm_release(struct weft_rxm *rxm, struct weft_out *out);

/* ---- rdv.c ---------------------------------------------------------------------- */

bool weft_send_data(struct weft_path *path, struct weft_lane *lane, struct weft_txm *txm,
		    struct weft_rec *rec);
void weft_send_step(struct weft_txm *txm, struct weft_out *out);
int weft_send_grant(struct weft_path *path, u8 lane, const struct weft_w_grant *w,
		    struct weft_out *out);
void weft_send_placed(struct weft_path *path, const struct weft_w_done *w, struct weft_out *out);
void weft_send_late(struct weft_txm *txm);
void weft_send_work(struct weft_txm *txm, struct weft_out *out);

/* ---- announce.c ----------------------------------------------------------------- */

bool weft_announce_begin(struct weft_rxm *rxm);
bool weft_announce(struct weft_rxm *rxm, bool inl, struct weft_out *out);
void weft_rxm_placed(struct weft_rxm *rxm, struct weft_out *out);

/* ---- placement.c -------------------------------------------------------------------- */

void weft_rxm_start(struct weft_rxm *rxm, struct weft_out *out);
void weft_rxm_begin(struct weft_rxm *rxm, struct weft_out *out);
void weft_rxm_buffered(struct weft_rxm *rxm);
void weft_rxm_complete(struct weft_rxm *rxm);
void weft_rxm_step(struct weft_rxm *rxm, struct weft_out *out);
void weft_rxm_fail(struct weft_rxm *rxm, int err, struct weft_out *out);
void weft_rxm_finish(struct weft_rxm *rxm, int err, struct weft_out *out);
void weft_rxm_later(struct weft_rxm *rxm, struct weft_out *out);
int weft_rxm_fragment(struct weft_rxm *rxm, u32 off, const struct weft_chunk *c, u32 len, u32 skip,
		      struct weft_out *out);
int weft_place_data(struct weft_path *path, const struct weft_chunk *c, struct weft_out *out);
u32 weft_place_run(struct weft_path *path, const struct weft_chunk *c, u32 n, u32 last, u32 skip,
		   struct weft_out *out);
void weft_place_copied(const struct weft_copy *c, int err, struct weft_out *out);
void weft_rxm_work(struct weft_rxm *rxm, struct weft_out *out);

/* ---- local_copy.c --------------------------------------------------------------- */

void weft_local_step(struct weft_rxm *rxm, struct weft_out *out);
void weft_local_over(struct weft_rxm *rxm, int err, struct weft_out *out);

/* ---- grant.c -------------------------------------------------------------------- */

void weft_grants_init(struct weft_grants *g);
void weft_grant_join(struct weft_rxm *rxm, struct weft_out *out);
void weft_grant_came(struct weft_rxm *rxm, u64 n, struct weft_out *out);
void weft_grant_leave(struct weft_rxm *rxm, struct weft_out *out);
void weft_grant_timer(struct weft_path *path, struct weft_out *out);
void weft_grant_flush(struct weft_out *out);
u32 weft_grant_chunk(struct weft_rxm *rxm, u8 *dst, u32 room);

#endif
