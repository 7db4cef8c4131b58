/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - connections
 *
 * The functions that this folder offers to the folders above it, and its files to one another. The
 * comment at each definition names the locks that the function needs.
 */
#ifndef WEFT_CM_H
#define WEFT_CM_H

#include "core/cm/calls.h"
#include "core/rma/rma.h"

/* ---- cm.c ------------------------------------------------------------------------ */

void weft_conn_init(struct weft_conn *conn, struct weft_path *path, bool active);
int weft_conn_name(struct weft_conn *conn);
void weft_conn_unname(struct weft_conn *conn);
void weft_conn_list(struct weft_conn *conn, weft_ns now);
/* Remove a connection from the tables; its path is locked. */
void weft_conn_unlist(struct weft_conn *conn);
struct weft_conn *weft_conn_get(struct weft_core *core, u64 id);
void weft_cm_say(struct weft_conn *conn, u8 op);
void weft_cm_data(struct weft_conn *conn, const void *data, u32 len);
void weft_cm_event(struct weft_ep *ep, struct weft_qev *qev, u32 type, int status,
		   const struct weft_conn *conn, const void *data, u32 len, struct weft_out *out);
void weft_cm_until(struct weft_conn *conn, weft_ns at);
void weft_cm_state(struct weft_conn *conn, u8 state, weft_ns now);
void weft_cm_closed(struct weft_ep *ep, struct weft_out *out);
void weft_cm_withdraw(struct weft_conn *conn, struct weft_out *out);
void weft_cm_failed(struct weft_conn *conn, int err, const void *data, u32 len,
		    struct weft_out *out);
void weft_cm_over(struct weft_conn *conn, struct weft_out *out);
void weft_cm_down(struct weft_conn *conn, int err, struct weft_out *out);

/* ---- cm_wire.c ------------------------------------------------------------------- */

u32 weft_cm_chunk(struct weft_conn *conn, struct weft_rec *rec, u32 room, bool *more);

/* ---- connect.c ------------------------------------------------------------------- */

bool weft_cm_renew(struct weft_conn *conn, struct weft_out *out);

/* ---- listen.c -------------------------------------------------------------------- */

bool weft_cm_admit(struct weft_core *core);
void weft_cm_answered(struct weft_core *core);
bool weft_cm_queue(struct weft_conn *conn, struct weft_ep *pep, struct weft_out *out);
void weft_cm_unask(struct weft_conn *conn);
void weft_cm_kill_reqs(struct weft_ep *pep, struct weft_out *out);

/* ---- cm.c ----------------------------------------------------------------------- */

void weft_cm_reset(struct weft_conn *conn, int err, struct weft_out *out);
void weft_cm_expire(struct weft_conn *conn, struct weft_out *out);

/* ---- connect.c ------------------------------------------------------------------ */

void weft_cm_kill(struct weft_ep *ep, struct weft_out *out);
void weft_cm_abort(struct weft_ep *ep, int err, struct weft_out *out);
void weft_cm_ask_again(struct weft_ep *ep, struct weft_out *out);

#endif
