// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - reports of executed operations: one DONE for several in a row
 *
 * Operations of a flow that were executed straight from their packets, one directly after the
 * other, are reported together. An initiator that waits for one asks for its report at once. Other
 * reports wait for the next packet of their lane, which the delayed acknowledgement is at the
 * latest:
 *
 *	nothing --weft_report_add()--> in lane->owed --a packet leaves, or at once--> in lane->ctlq
 *	nothing <--the chunk is written (weft_report_chunk())-------------------------------/
 *
 * Locks: path->lock.
 */
#include "core/transport/transport.h"

/**
 * weft_report_init - initialize the reports of a flow
 * @rf: its receiving side
 */
void weft_report_init(struct weft_rflow *rf)
{
	weft_ctl_init(&rf->report.ctl, WEFT_CTL_REPORT);
	weft_list_init(&rf->report.owed);
}

/**
 * weft_report_fits - how many of the next messages of a flow may be reported by weft_report_add()?
 * @rf: the flow; its path is locked
 *
 * Return: their number; 0: the report that waits now leaves first.
 */
u32 weft_report_fits(struct weft_rflow *rf)
{
	weft_assert_held(&rf->path->lock);
	if (likely(!rf->report.n))
		return WEFT_REPORT_MOST;
	if (likely(rf->report.n < WEFT_REPORT_MOST && rf->report.last + 1 == rf->id.mseq))
		return WEFT_REPORT_MOST - rf->report.n;
	weft_ctl_put(rf->path, rf->lane, &rf->report.ctl);
	return 0;
}

/**
 * weft_report_add - report that the next messages of a flow have been executed
 * @rf: the flow; its path is locked
 * @n: number of messages, at most weft_report_fits()
 * @now: at once, else with the next packet
 */
void weft_report_add(struct weft_rflow *rf, u32 n, bool now)
{
	weft_assert_held(&rf->path->lock);
	rf->report.last = rf->id.mseq + n - 1;
	rf->report.n += n;
	if (now || rf->report.n == WEFT_REPORT_MOST)
		weft_ctl_put(rf->path, rf->lane, &rf->report.ctl);
	else if (!rf->report.ctl.queued && weft_list_empty(&rf->report.owed))
		weft_list_add_tail(&rf->path->lane[rf->lane].owed, &rf->report.owed);
}

/**
 * weft_report_due - a packet of a lane is about to leave: it carries the reports that wait
 * @path: the path, locked
 * @lane: the lane
 */
void weft_report_due(struct weft_path *path, struct weft_lane *lane)
{
	struct weft_list *l;

	weft_assert_held(&path->lock);
	while ((l = weft_list_first(&lane->owed))) {
		struct weft_rflow *rf = weft_entry(l, struct weft_rflow, report.owed);

		weft_list_del(l);
		weft_ctl_put(path, lane->no, &rf->report.ctl);
	}
}

/**
 * weft_report_chunk - write the report of a flow: DONE
 * @rf: the flow; its path is locked
 * @dst: buffer
 * @room: size of the buffer
 *
 * Return: bytes written; 0: not enough space, or nothing to report.
 */
u32 weft_report_chunk(struct weft_rflow *rf, u8 *dst, u32 room)
{
	struct weft_flowid id = rf->id;
	u32 n = rf->report.n;

	weft_assert_held(&rf->path->lock);
	if (!n || room < weft_wire_size(sizeof(struct weft_w_done)))
		return 0;
	id.mseq = rf->report.last;
	rf->report.n = 0;
	weft_list_del(&rf->report.owed);
	return weft_wire_done_put(dst, &id, n - 1, 0, WEFT_DONE_EXECUTED);
}

/**
 * weft_report_end - a flow ends: what it has not reported leaves as a chunk without an object
 * @rf: the flow; its path is locked
 * @out: output
 */
void weft_report_end(struct weft_rflow *rf, struct weft_out *out)
{
	struct weft_ctl_chunk *note;

	weft_assert_held(&rf->path->lock);
	weft_ctl_drop(&rf->report.ctl, out);
	if (!rf->report.n)
		return;
	weft_list_del(&rf->report.owed);
	note = weft_ctl_chunk_new(rf->path);
	if (!note)
		return;
	note->len = weft_report_chunk(rf, note->chunk, sizeof(note->chunk));
	weft_ctl_put(rf->path, rf->lane, &note->ctl);
}
