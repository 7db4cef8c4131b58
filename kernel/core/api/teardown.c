// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the end of a failed path
 *
 * A path fails where its lock is held. weft_flush() later calls this file without locks. The path
 * is removed from the tables, and all operations on it fail.
 *
 * Locks: core->lock and path->lock, taken here one after the other.
 */
#include "core/api/monitor.h"

/*
 * Fail one object of @path. @lost: incremented by the messages that are given up. Return: true if
 * there may be more.
 */
static bool weft_path_strip(struct weft_path *path, u32 *lost, struct weft_out *out)
{
	int err = path->failing;
	struct weft_list *l;

	l = weft_list_first(&path->cm.conns);
	if (l) {
		weft_cm_reset(weft_entry(l, struct weft_conn, node), err, out);
		return true;
	}
	l = weft_list_first(&path->flow.list);
	if (l) {
		struct weft_flow *flow = weft_entry(l, struct weft_flow, node);

		flow->ref++;
		*lost += weft_flow_fail(flow, err, out);
		/* the endpoint drops its reference at its next use */
		weft_flow_unlist(flow);
		weft_flow_put(flow);
		return true;
	}
	l = weft_list_first(&path->flow.rlist);
	if (l)
		weft_rflow_free(weft_entry(l, struct weft_rflow, node), out);
	return l;
}

/* Fail incomplete messages; complete ones can still be received. */
static void weft_path_strip_rxms(struct weft_path *path, struct weft_out *out)
{
	struct weft_list keep, *l;

	weft_list_init(&keep);
	while ((l = weft_list_first(&path->msg.rxms))) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, node);

		weft_list_del(l);
		weft_list_add_tail(&keep, l);
		if (!rxm->whole) {
			weft_rxm_get(rxm);
			weft_rxm_fail(rxm, path->failing, out);
			weft_rxm_put(rxm);
		}
	}
	weft_list_splice_tail(&path->msg.rxms, &keep);
}

static void weft_path_bury(struct weft_path *path, struct weft_out *out)
{
	struct weft_core *core = path->core;
	u32 i, n = 0, lost = 0;
	bool heard, told;

	weft_lock(&core->lock);
	weft_path_unlist(path);
	weft_echo_bury(path);
	weft_unlock(&core->lock);

	weft_lock(&path->lock);
	if (path->state == WEFT_PATHS_DEAD) {
		weft_unlock(&path->lock);
		return;
	}
	heard = path->state != WEFT_PATHS_HELLO;
	path->state = WEFT_PATHS_DEAD;
	path->busy = 0;
	told = weft_monitor_bury(path, heard);
	if (path->unused) {
		weft_count(core, paths_idle);
		weft_path_note(path, WEFT_NOTE_PATH_IDLE, 0, 0, 0);
	} else {
		weft_count(core, paths_dead);
		weft_path_note(path, WEFT_NOTE_PATH_DOWN, path->failing, 0, 0);
	}
	while (weft_path_strip(path, &lost, out)) {
		if (++n % 64)
			continue;
		weft_unlock(&path->lock);
		weft_lock(&path->lock);
	}
	weft_path_strip_rxms(path, out);
	for (i = 0; i < WEFT_LANES; i++)
		lost += weft_lane_fini(path, &path->lane[i], out);
	weft_flow_gave_up(path, lost, path->failing);
	weft_unlock(&path->lock);
	if (told)
		weft_monitor_all(core, out->now);
}

/**
 * weft_path_more - continue a path
 * @path: taken off out->more; its reference is dropped
 * @out: output
 */
void weft_path_more(struct weft_path *path, struct weft_out *out)
{
	struct weft_list later, *l;
	bool failing;

	weft_lock(&path->lock);
	failing = path->failing && path->state != WEFT_PATHS_DEAD;
	weft_list_init(&later);
	weft_list_splice_tail(&later, &path->msg.later);
	while ((l = weft_list_first(&later))) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, bulk.later);

		weft_list_del(l);
		rxm->bulk.in_later = false;
		weft_rxm_step(rxm, out);
		weft_rxm_put(rxm);
	}
	if (!failing)
		weft_path_output(path, out);
	weft_unlock(&path->lock);
	if (failing)
		weft_path_bury(path, out);
	weft_path_put(path);
}
