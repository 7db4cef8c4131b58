/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - functions that the files of api/ offer to one another
 *
 * The comment at each definition names the locks that the function needs.
 */
#ifndef WEFT_API_INTERNAL_H
#define WEFT_API_INTERNAL_H

#include "core/api/api.h"
#include "core/cm/cm.h"
#include "core/trigger/trigger.h"

/* ---- look.c, look_path.c -------------------------------------------------------- */

#define WEFT_LOOK_STEPS		512	/* objects looked at while the lock is held */
#define WEFT_LOOK_FLOWS		8192	/* flows compared for an answer: 90 endpoints with 90 */
#define WEFT_LOOK_GOES		4096	/* times that a call takes the lock */

void weft_look_addr(struct weft_av *av, u32 index, struct weft_sockaddr *addr);
void weft_look_near(struct weft_ep *ep, struct weft_near_info *near);
u32 weft_look_sends_to(struct weft_path *path, const struct weft_ep *ep, u16 service, weft_ns now,
		       struct weft_send_info *oldest);

/* ---- answer.c ------------------------------------------------------------------- */

void weft_answer_rx(struct weft_path *path, const struct weft_w_question *w, struct weft_out *out);

/* ---- teardown.c ----------------------------------------------------------------- */

void weft_path_more(struct weft_path *path, struct weft_out *out);

/* ---- tidy.c --------------------------------------------------------------------- */

void weft_idle_work(struct weft_ep *ep, struct weft_out *out);

/* ---- ep.c ----------------------------------------------------------------------- */

void weft_ep_stop(struct weft_ep *ep, int err, struct weft_out *out);

#endif
