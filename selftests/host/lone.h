/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A path without a peer, and programs with one endpoint: what tests of lanes, packets and
 * connections look at
 *
 * The path belongs to node 0 of a rig whose events never happen; the test is the peer. What the
 * path puts out is looked at in @out and dropped.
 */
#ifndef WEFT_LONE_H
#define WEFT_LONE_H

#include "rig.h"
#include "core/api/internal.h"

#define LONE_ID		0x1234567u	/* what the peer is called */
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

/* @psn: the first one, on both sides of the first lane. */
void lone_init(struct lone *t, u32 psn);
void lone_fini(struct lone *t);

/* Let @ns pass. */
void lone_wait(struct lone *t, weft_ns ns);
/* Have the lane send what it can. */
void lone_output(struct lone *t);
/* Packet @psn has come on a lane of the path, and has been taken. */
void lone_take(struct lone *t, struct weft_lane *lane, u32 psn);
/* Send a packet with one short chunk. */
void lone_send(struct lone *t);
/* A note of @len bytes (a chunk that may be skipped) for the lane to send, at most 64. */
bool lone_note(struct lone *t, u32 len);
/* Forget the packets in the output. */
void lone_drop(struct lone *t);
/* The peer acknowledges. @words: SACK bitmap, @n words. */
void lone_ack(struct lone *t, u32 ack, const u32 *words, u32 n, u32 delay_us);
/* Do what is due. */
void lone_timer(struct lone *t);
u32 lone_count(const struct weft_list *head);
/* Do the lane's lists and counts agree, and are the lists in order? */
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

/* The endpoint is a MSG one, enabled. */
void side_init(struct side *s, struct rig_node *node);
struct rig_ep *side_msg(struct side *s);
struct rig_ep *side_listen(struct side *s, u16 svc, u32 backlog);
u32 side_state(struct rig_ep *ep);
/* Is there an event? @eq: struct rig_eq; for rig_until(). */
bool side_has_event(void *eq);
/* The next event within @ns. @data: room for private data, or NULL. Return: its type, 0: none. */
u32 side_event(struct rig *rig, struct side *s, struct weft_event *ev, void *data, weft_ns ns);

#endif
