/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A node with a program, and a peer that has taken part in the handshake and then sends arbitrary
 * chunks
 *
 * The chunks are of all kinds and in any order. They name objects that exist and objects that do
 * not.
 */
#ifndef WEFT_VICTIM_H
#define WEFT_VICTIM_H

#include "core/api/internal.h"
#include "rig.h"

#define VICTIM_PEER	1
#define VICTIM_SVC	7
#define VICTIM_BUF	(300u << 10)

/**
 * struct victim - a node with a program, and the path from the peer
 * @rig: world
 * @proc: the program
 * @cq: its completions
 * @eq: its events
 * @ep: its connectionless endpoint
 * @pep: its listener
 * @path: the path
 * @buf: memory to send from and receive into
 * @data: bytes that replace random numbers, or NULL
 * @left: bytes of @data that are left
 */
struct victim {
	struct rig *rig;
	struct rig_proc *proc;
	struct rig_cq *cq;
	struct rig_eq *eq;
	struct rig_ep *ep, *pep;
	struct weft_path *path;
	u8 *buf;
	const u8 *data;
	u32 left;
};

/* @data: @len bytes that decide what happens, NULL: random numbers do. */
void victim_init(struct victim *v, u64 seed, const u8 *data, u32 len);
/* End everything; check that nothing leaks. */
void victim_fini(struct victim *v);
/* A number below @n. */
u32 victim_pick(struct victim *v, u32 n);
/* Send a packet of the peer. */
void victim_attack(struct victim *v);
/* Let the program act meanwhile. */
void victim_go_on(struct victim *v);

#endif
