/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - transport/: functions that adapters call, part of api.h: paths
 *
 * Locks: none is held by the caller.
 */
#ifndef WEFT_TRANSPORT_CALLS_H
#define WEFT_TRANSPORT_CALLS_H

#include "core/base/env.h"
#include "core/object/conf.h"
#include "core/wire/wire.h"
#include <linux/weft.h>

struct weft_core;
struct weft_out;
struct weft_path;

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
 * @counts: what it has counted
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
	struct weft_path_counts counts;
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

/* Bounds of a probe, for the administrator */
#define WEFT_ECHO_COUNT		65535			/* packets */
#define WEFT_ECHO_SIZE_MIN	60			/* bytes of UDP payload */
#define WEFT_ECHO_SIZE_MAX	65000
#define WEFT_ECHO_INTERVAL	(60 * NSEC_PER_SEC)	/* longest time between two packets */

/**
 * struct weft_echo_conf - what a probe sends
 * @count: packets, 1 to WEFT_ECHO_COUNT
 * @size: bytes of UDP payload of each, WEFT_ECHO_SIZE_MIN to WEFT_ECHO_SIZE_MAX
 * @interval: time between two of them, NSEC_PER_MSEC to WEFT_ECHO_INTERVAL
 */
struct weft_echo_conf {
	u32 count;
	u32 size;
	weft_ns interval;
};

/**
 * struct weft_echo_info - what a probe has found so far
 * @state: WEFT_ECHOS_*
 * @err: errno that ended it, 0: none. EHOSTUNREACH: no handshake. EOPNOTSUPP: the node does not
 *	answer probes. EMSGSIZE: the path carries less. ECANCELED: nobody has read the result
 * @hello: how long the handshake took, 0: the path was there
 * @count: packets to send
 * @sent: packets sent
 * @came: packets that have come to the node, as it has reported
 * @answered: packets that it has answered, as it has reported
 * @back: packets whose answers have come
 * @exact: @came and @answered were reported after the last packet
 * @rtt_min: shortest round-trip time, if @back
 * @rtt_avg: its mean
 * @rtt_max: the longest one
 * @rtt_dev: its standard deviation
 * @max_payload: bytes of the largest packet of the path
 */
struct weft_echo_info {
	u32 state;
	u32 err;
	weft_ns hello;
	u32 count;
	u32 sent;
	u32 came;
	u32 answered;
	u32 back;
	bool exact;
	weft_ns rtt_min;
	weft_ns rtt_avg;
	weft_ns rtt_max;
	weft_ns rtt_dev;
	u32 max_payload;
};

/**
 * weft_echo_start - begin to probe the path to a node; makes the path if there is none
 * @core: the core
 * @addr: the node
 * @conf: what to send
 * @now: time
 * @out: the caller flushes it
 * @no: out: number of the probe
 *
 * Context: may sleep.
 * Return: 0; -EBUSY: the path is being probed; -EUSERS: too many probes; -EADDRINUSE: an address of
 * this node; or an error of weft_path_find() or of the path's end.
 */
int weft_echo_start(struct weft_core *core, const struct weft_sockaddr *addr,
		    const struct weft_echo_conf *conf, weft_ns now, struct weft_out *out, u32 *no);
/* What has probe @no found? A probe whose result nobody reads ends. Return: 0, -ENOENT. */
int weft_echo_look(struct weft_core *core, u32 no, weft_ns now, struct weft_echo_info *info);
/* End a probe, and forget its result. Return: 0, -ENOENT. */
int weft_echo_end(struct weft_core *core, u32 no);

/**
 * struct weft_question_info - a question to another node
 * @state: WEFT_ECHOS_*
 * @err: errno that ended it, 0: none. EHOSTUNREACH: no handshake. EOPNOTSUPP: the node does not
 *	know questions. ETIMEDOUT: it did not answer
 * @answer: the answer, if @state is WEFT_ECHOS_OVER and @err is 0
 */
struct weft_question_info {
	u32 state;
	u32 err;
	struct weft_answer answer;
};

/**
 * weft_question_start - ask what an endpoint of another node waits for
 * @core: the core
 * @from: endpoint of this node, of the same job
 * @peer: the endpoint that is asked about
 * @uid: user that asks, owner of @from; WEFT_NOTE_NO_UID: the administrator, for any endpoint
 * @now: time
 * @out: the caller flushes it
 * @no: out: number of the question
 *
 * A question of which nobody reads the answer ends like a probe.
 *
 * Context: may sleep.
 * Return: as weft_echo_start(); -ENOENT: no such endpoint of this user.
 */
int weft_question_start(struct weft_core *core, const struct weft_sockaddr *from,
			const struct weft_sockaddr *peer, u32 uid, weft_ns now,
			struct weft_out *out, u32 *no);
/*
 * What has come of question @no of user @uid (WEFT_NOTE_NO_UID: of any)? It is forgotten when it is
 * over. Return: 0, -ENOENT.
 */
int weft_question_look(struct weft_core *core, u32 no, u32 uid, weft_ns now,
		       struct weft_question_info *info);

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
