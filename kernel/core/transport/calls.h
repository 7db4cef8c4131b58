/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - transport/: functions that adapters call, part of api.h: paths
 *
 * Locks: none is held by the caller.
 */
#ifndef WEFT_TRANSPORT_CALLS_H
#define WEFT_TRANSPORT_CALLS_H

#include "core/base/env.h"
#include <linux/weft.h>

/**
 * struct weft_path_info - state of a path, for the administrator
 * @addr: remote node
 * @state: WEFT_PATHS_*
 * @since: time when it came into this state
 * @heard: time when the peer was last heard, 0: never
 * @srtt: smoothed round-trip time, ns; 0: none yet
 * @rttvar: variation of the round-trip time, ns (RFC 6298)
 * @cwnd: congestion window, packets
 * @flight: unacknowledged packets
 * @nflow: number of flows
 * @retrans: packets sent again
 * @spurious: packets sent again although they had arrived
 * @timeouts: retransmission timeouts
 * @tx_packets: packets sent, without those that begin and end the path
 * @tx_bytes: bytes of these, without UDP, IP and Ethernet headers
 * @rx_packets: packets received
 * @rx_bytes: bytes of these
 * @max_payload: bytes of the largest packet
 */
struct weft_path_info {
	struct weft_sockaddr addr;
	u32 state;
	weft_ns since;
	weft_ns heard;
	weft_ns srtt;
	weft_ns rttvar;
	u32 cwnd;
	u32 flight;
	u32 nflow;
	u64 retrans;
	u64 spurious;
	u64 timeouts;
	u64 tx_packets;
	u64 tx_bytes;
	u64 rx_packets;
	u64 rx_bytes;
	u32 max_payload;
};

/*
 * Iterate over the paths. *@pos is 0 in the beginning. Paths that are made or end meanwhile may be
 * missing. Return: the next path, referenced; NULL: no more.
 */
struct weft_path *weft_path_next(struct weft_core *core, u32 *pos);
void weft_path_look(struct weft_path *path, struct weft_path_info *info);

/**
 * struct weft_version_info - a node that speaks another version, for the administrator
 * @addr: its address
 * @oldest: oldest version that it speaks
 * @newest: newest version that it speaks
 * @own: version that this node speaks
 */
struct weft_version_info {
	struct weft_sockaddr addr;
	u32 oldest;
	u32 newest;
	u32 own;
};

/* Iterate over these nodes. *@pos is 0 in the beginning. Return: false: no more. */
bool weft_version_next(struct weft_core *core, u32 *pos, struct weft_version_info *info);

/* Properties of a path for adapters. */
/* Remote node, with service 0; index of the own address. */
const struct weft_sockaddr *weft_path_addr(const struct weft_path *path);
u8 weft_path_src(const struct weft_path *path);
struct weft_core *weft_path_core(const struct weft_path *path);

/* True for the path within the node, which has no packets. */
bool weft_path_local(const struct weft_path *path);

/* Private pointer of the adapter, set by weft_env_path_open(). */
void **weft_path_port(struct weft_path *path);

#endif
