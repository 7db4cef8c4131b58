// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the reorder window: how long the sender waits for an overtaken packet
 *
 * A packet that a later one has overtaken is taken for lost after a round trip and this window
 * (lane.c). The window begins with a quarter of the smoothed round-trip time. The receiver reports
 * a packet that it had received before. If the sender had sent that packet again, the
 * retransmission was unnecessary. Then the window grows, once per round trip, up to a round-trip
 * time. It keeps that size for WEFT_REO_KEEP round trips with loss after the last such report (RFC
 * 8985, 6.2).
 *
 * Locks: path->lock, held by the caller.
 */
#include "core/transport/transport.h"

/**
 * weft_loss_window - length of the reorder window
 * @path: the path
 * @lane: the lane
 *
 * Return: time.
 */
weft_ns weft_loss_window(const struct weft_path *path, const struct weft_lane *lane)
{
	weft_ns srtt = weft_class_of(path, lane)->srtt;
	weft_ns reo = lane->reo_mult * max_t(weft_ns, srtt / 4, WEFT_REO_MIN);

	return min_t(weft_ns, reo, max_t(weft_ns, srtt, WEFT_REO_MULT * WEFT_REO_MIN));
}

/**
 * weft_loss_lost - count a round trip with loss
 * @lane: the lane
 */
void weft_loss_lost(struct weft_lane *lane)
{
	if (lane->reo_keep && !--lane->reo_keep)
		lane->reo_mult = 1;
}

/**
 * weft_loss_again - record the PSNs of lost packets that are sent again
 * @lane: the lane
 * @rec: their record
 */
void weft_loss_again(struct weft_lane *lane, const struct weft_rec *rec)
{
	u32 end = rec->psn + rec->nseg;

	if (!weft_loss_waits(lane, lane->again_hi)) {
		lane->again_lo = rec->psn;
		lane->again_hi = end;
		return;
	}
	if ((s32)(rec->psn - lane->again_lo) < 0)
		lane->again_lo = rec->psn;
	if ((s32)(end - lane->again_hi) > 0)
		lane->again_hi = end;
}

/**
 * weft_loss_dup - process the report of a packet that the peer had received before
 * @path: the path
 * @lane: the lane
 * @psn: its PSN
 *
 * Packets that the network has doubled, and probes, are no evidence of an unnecessary
 * retransmission, unless packets around them were sent again.
 */
void weft_loss_dup(struct weft_path *path, struct weft_lane *lane, u32 psn)
{
	if (psn - lane->again_lo >= lane->again_hi - lane->again_lo)
		return;
	path->counts.spurious++;
	weft_count(path->core, spurious);
	lane->reo_keep = WEFT_REO_KEEP;
	if (weft_loss_waits(lane, lane->reo_next))
		return;
	lane->reo_next = lane->snd_nxt;
	if (lane->reo_mult < WEFT_REO_MULT)
		lane->reo_mult++;
}
