/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A path without a peer, and programs with one endpoint, for tests of lanes, packets and
 * connections
 *
 * The path belongs to node 0 of a rig whose events never happen. The test acts as the peer. The
 * test inspects in @out what the path sends, and drops it.
 */
#ifndef WEFT_LONE_H
#define WEFT_LONE_H

#include "rig.h"
#include "core/api/internal.h"

#define LONE_ID		0x1234567u	/* path id of the peer */
#define LONE_TOKEN	0x1122334455667788ull

/**
 * struct lone - a path without a peer
 * @rig: its world
 * @core: its core
 * @path: the path, UP
 * @lane: its first lane
 * @out: output of all that is called
 */
struct lone {
	struct rig *rig;
	struct weft_core *core;
	struct weft_path *path;
	struct weft_lane *lane;
	struct weft_out *out;
};

/* @psn: the first PSN, on both sides of the first lane. */
void lone_init(struct lone *t, u32 psn);
void lone_fini(struct lone *t);

/* Let @ns pass. */
void lone_wait(struct lone *t, weft_ns ns);
/* Have the lane send what its window permits. */
void lone_output(struct lone *t);
/* Packet @psn has arrived on a lane of the path, and the lane has accepted it. */
void lone_take(struct lone *t, struct weft_lane *lane, u32 psn);
/* Send a packet with one short chunk. */
void lone_send(struct lone *t);
/* Give the lane a chunk of @len bytes to send, at most 64. A receiver may skip this chunk. */
bool lone_note(struct lone *t, u32 len);
/* Forget the packets in the output. */
void lone_drop(struct lone *t);
/* The peer acknowledges. @words: SACK bitmap, @n words. */
void lone_ack(struct lone *t, u32 ack, const u32 *words, u32 n, u32 delay_us);
/* Do what is due. */
void lone_timer(struct lone *t);
/* The packet @tx as on the wire. Return: its bytes, for free(); NULL: the packet cannot be sent. */
u8 *lone_bytes(const struct weft_tx *tx);
/* The packet @tx as its receiver reads it. Return: number of chunks; -1: the packet is invalid. */
int lone_parse(const struct weft_tx *tx, struct weft_hdr *h, struct weft_chunk *first);
u32 lone_count(const struct weft_list *head);
/* Return: the lane's lists and counts agree, and the lists are in order. */
bool lone_sound(const struct lone *t);

/* ---- Programs -------------------------------------------------------- */

/**
 * struct side - a program with an endpoint
 * @proc: the program
 * @cq: its completions
 * @eq: its events
 * @ep: its endpoint
 */
struct side {
	struct rig_proc *proc;
	struct rig_cq *cq;
	struct rig_eq *eq;
	struct rig_ep *ep;
};

/* The endpoint has the type MSG and is enabled. */
void side_init(struct side *s, struct rig_node *node);
struct rig_ep *side_msg(struct side *s);
struct rig_ep *side_listen(struct side *s, u16 svc, u32 backlog);
u32 side_state(struct rig_ep *ep);
/* Return: an event waits. @eq: struct rig_eq; for rig_until(). */
bool side_has_event(void *eq);
/*
 * Take the next event within @ns. @data: space for private data, or NULL. Return: its type, 0:
 * none.
 */
u32 side_event(struct rig *rig, struct side *s, struct weft_event *ev, void *data, weft_ns ns);

#endif
