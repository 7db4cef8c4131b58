// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the receiver's window of packet numbers of a lane
 *
 * The window records the packets that have been taken, so that each is taken once. Acknowledgements
 * are made from it.
 *
 * Locks: path->lock, held by the caller.
 */
#include "core/transport/transport.h"

/**
 * weft_lane_seen - was this packet received before?
 * @lane: the lane
 * @psn: its PSN
 *
 * Return: WEFT_PSN_*.
 */
int weft_lane_seen(const struct weft_lane *lane, u32 psn)
{
	u32 d = psn - lane->rcv_nxt;

	if ((s32)d < 0)
		return WEFT_PSN_OLD;
	if (d >= WEFT_WINDOW)
		return WEFT_PSN_BEYOND;
	if (lane->rcv_ahead && lane->bits[(psn % WEFT_WINDOW) / 64] >> (psn % 64) & 1)
		return WEFT_PSN_OLD;
	return WEFT_PSN_NEW;
}

/**
 * weft_lane_fresh - number of packets that were not received before
 * @lane: the lane
 * @psn: PSN of the first, WEFT_PSN_NEW
 * @n: packets
 *
 * Return: 1 to @n, counted from the first packet; all of them are WEFT_PSN_NEW.
 */
u32 weft_lane_fresh(const struct weft_lane *lane, u32 psn, u32 n)
{
	u32 i;

	if (likely(!lane->rcv_ahead))
		return min_t(u32, n, WEFT_WINDOW - (psn - lane->rcv_nxt));
	for (i = 1; i < n; i++)
		if (weft_lane_seen(lane, psn + i) != WEFT_PSN_NEW)
			break;
	return i;
}

/* Move the beginning of the window behind the packets that have been received. */
static void weft_lane_advance(struct weft_lane *lane)
{
	while (lane->rcv_ahead) {
		u32 i = lane->rcv_nxt % WEFT_WINDOW;

		if (!(lane->bits[i / 64] >> (i % 64) & 1))
			break;
		lane->bits[i / 64] &= ~(1ull << (i % 64));
		lane->rcv_ahead--;
		lane->rcv_nxt++;
	}
}

/**
 * weft_lane_take - record packets that have been taken, and schedule their acknowledgement
 * @path: the path
 * @lane: the lane
 * @psn: PSN of the first
 * @n: number of packets, all WEFT_PSN_NEW
 * @acknow: the peer asks for an acknowledgement
 * @now: time
 */
void weft_lane_take(struct weft_path *path, struct weft_lane *lane, u32 psn, u32 n, bool acknow,
		    weft_ns now)
{
	lane->rcv_unacked += n;
	if (psn != lane->rcv_nxt) {
		path->busy |= 1u << lane->no;
		lane->rcv_ahead += n;
		for (; n; n--, psn++)
			lane->bits[(psn % WEFT_WINDOW) / 64] |= 1ull << (psn % 64);
		lane->ack_now = true;
		return;
	}
	lane->rcv_at = now;
	lane->rcv_nxt += n;
	if (unlikely(lane->rcv_ahead)) {
		lane->ack_now = true;
		weft_lane_advance(lane);
	}
	if (acknow || lane->rcv_unacked >= WEFT_ACK_EVERY)
		lane->ack_now = true;
	if (lane->ack_now) {
		path->busy |= 1u << lane->no;
	} else if (lane->ack_at == U64_MAX) {
		lane->ack_at = now + path->core->conf.ack_delay_ns;
		weft_path_deadline(path, lane->ack_at);
	}
}

/* Return: bit i: PSN @psn + i has been received, for 32 PSNs of the window. */
static u32 weft_lane_word(const struct weft_lane *lane, u32 psn)
{
	u32 bit = psn % WEFT_WINDOW, word = bit / 64;
	u64 bits = lane->bits[word] >> (bit % 64);

	if (bit % 64 > 32)
		bits |= lane->bits[(word + 1) % WEFT_WINDOW_WORDS] << (64 - bit % 64);
	return (u32)bits;
}

/**
 * weft_lane_skip - take PSNs for received, because their sender has given them up
 * @lane: the lane
 * @psn: end of these PSNs, at most WEFT_WINDOW beyond the beginning of the window
 * @words: out: bit i of word w: "beginning of the window + 32 w + i" had been received
 *
 * Return: number of words used.
 */
u32 weft_lane_skip(struct weft_lane *lane, u32 psn, u32 *words)
{
	u32 i, n = psn - lane->rcv_nxt;

	if ((s32)n <= 0)
		return 0;
	for (i = 0; i < DIV_ROUND_UP(n, 32); i++)
		words[i] = 0;
	for (i = 0; i < n; i++, lane->rcv_nxt++) {
		u32 b = lane->rcv_nxt % WEFT_WINDOW;

		if (!(lane->bits[b / 64] >> (b % 64) & 1))
			continue;
		lane->bits[b / 64] &= ~(1ull << (b % 64));
		lane->rcv_ahead--;
		words[i / 32] |= 1u << (i % 32);
	}
	weft_lane_advance(lane);
	return DIV_ROUND_UP(n, 32);
}

/**
 * weft_lane_sack - get the PSNs received beyond the cumulative acknowledgement
 * @lane: the lane
 * @words: out: bit i of word w: rcv_nxt + 1 + 32 w + i
 *
 * Return: number of words used.
 */
u32 weft_lane_sack(const struct weft_lane *lane, u32 *words)
{
	u32 i, n = 1, seen = 0;

	words[0] = 0;
	for (i = 0; i < WEFT_SACK_BITS / 32 && seen < lane->rcv_ahead; i++) {
		words[i] = weft_lane_word(lane, lane->rcv_nxt + 1 + 32 * i);
		seen += hweight32(words[i]);
		if (words[i])
			n = i + 1;
	}
	return n;
}
