/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random traffic over the rig, with a record of every operation
 *
 * Endpoints send each other messages of all lengths and kinds, and post receives that fit, in
 * random order. Each message arrives at most once; without trouble exactly once. It matches the
 * receive that takes it, with its bytes, tag, data, length and source. No message overtakes an
 * earlier one of its pair that the same receive would have taken. Each operation completes once. A
 * buffer is not touched after its completion, because it is freed then.
 */
#ifndef WEFT_TRAFFIC_H
#define WEFT_TRAFFIC_H

#include "rig.h"

/**
 * struct tr_conf - what a run is like
 * @rig: world
 * @msg: connected endpoints, else RDM ones
 * @trouble: endpoints and nodes die: operations may fail
 * @procs: processes of a node
 * @eps: RDM endpoints of a process
 * @msgs: messages that each endpoint sends
 * @max_len: bytes of the longest
 * @sq_slots: slots of send rings
 * @rq_slots: slots of receive rings
 * @cq_slots: slots of completion queues
 * @one_cq: one completion queue for both directions and all endpoints of a process
 * @classes: groups of messages to an endpoint, each with its own way of matching
 * @self: endpoints send to themselves too
 * @short_spaces: receives may be too short
 * @lazy: programs sleep until they are woken, and do not look at their queues before
 * @strangers: processes do not know all addresses from the beginning
 * @jobs: jobs that processes are in, beside the default one
 * @rma: one-sided operations that each endpoint posts
 * @measures: the administrator turns histograms on and off
 * @rest: where the world's state at the end is stored (rest.h), or NULL
 */
struct tr_conf {
	struct rig_conf rig;
	bool msg;
	bool trouble;
	u32 procs;
	u32 eps;
	u32 msgs;
	u32 max_len;
	u32 sq_slots;
	u32 rq_slots;
	u32 cq_slots;
	bool one_cq;
	u32 classes;
	bool self;
	bool short_spaces;
	bool lazy;
	bool strangers;
	u32 jobs;
	u32 rma;
	bool measures;
	char **rest;
};

/**
 * struct tr_msg - a message
 * @id: its number, from 1
 * @src: sending endpoint
 * @dst: receiving endpoint
 * @foreign: the receiver is in another job, and does not receive it
 * @tagged: tagged
 * @inl: inline: the payload was in the ring
 * @has_data: with remote CQ data: its number
 * @row: the message before has the same form, and they are posted at once
 * @class: the receives that fit
 * @flags: of the send
 * @tag: its tag
 * @len: bytes
 * @n: segments
 * @seg: their bytes
 * @posted: is in the ring, or was; from 1, in the order of its sender
 * @life: of its sender, when it was posted
 * @dst_life: of its receiver, then
 * @done: the send has completed
 * @status: with this
 * @by: the receive that took the message
 */
struct tr_msg {
	u64 id;
	struct tr_ep *src;
	struct tr_ep *dst;
	bool foreign;
	bool tagged;
	bool inl;
	bool has_data;
	bool row;
	u32 class;
	u32 flags;
	u64 tag;
	u32 len;
	u32 n;
	struct weft_iov seg[WEFT_IOV_MAX];
	u32 posted;
	u32 life;
	u32 dst_life;
	bool done;
	u32 status;
	struct tr_rcv *by;
};

/**
 * struct tr_rcv - a receive
 * @id: its number, from 1
 * @ep: endpoint
 * @tagged: tagged
 * @tag: tag
 * @ignore: bits of it that do not count
 * @from: the only sender, NULL: any
 * @room: bytes
 * @n: segments
 * @seg: their bytes
 * @posted: is in the ring, or was; from 1, in the order of its endpoint
 * @done: has completed
 * @stray: no message fits it: will be canceled
 */
struct tr_rcv {
	u64 id;
	struct tr_ep *ep;
	bool tagged;
	u64 tag;
	u64 ignore;
	struct tr_ep *from;
	u32 room;
	u32 n;
	struct weft_iov seg[WEFT_IOV_MAX];
	u32 posted;
	bool done;
	bool stray;
};

/**
 * struct tr_ep - an endpoint of the run
 * @proc: its process
 * @ep: the rig's endpoint, NULL: gone
 * @handle: its handle, 0: gone, and its completions have been read
 * @tx: its completion queue
 * @rx: its completion queue
 * @peer: the other end of a connection
 * @index: of its address in the vector of each process, by that process' number
 * @service: service number
 * @msgs: messages it sends
 * @nmsgs: how many
 * @next_msg: those before it have been posted
 * @rcvs: its receives
 * @nrcvs: how many
 * @next_rcv: those before it have been posted
 * @open_tx: sends and operations whose completion is due
 * @rma: the last one-sided operation; @tagged: a write
 * @rma_left: operations to be posted
 * @rma_target: the rig's process that it accesses
 * @rma_next: byte of the slot behind those that the operation accesses
 * @rma_open: completions of the operation that have not come
 * @rma_failed: an operation has failed: what its slots have is not known
 * @open_rx: receives without a completion
 * @shut: connected: SHUTDOWN has come
 * @ended: connected: its program has ended the connection, and what it had not received is dropped
 * @life: how often it has been made
 * @ncqe: completions that were read
 * @cqes: digest of them, whatever their order
 */
struct tr_ep {
	struct tr_proc *proc;
	struct rig_ep *ep;
	u32 handle;
	struct rig_cq *tx;
	struct rig_cq *rx;
	struct tr_ep *peer;
	u32 *index;
	u16 service;
	struct tr_msg **msgs;
	u32 nmsgs;
	u32 next_msg;
	struct tr_rcv **rcvs;
	u32 nrcvs;
	u32 next_rcv;
	u32 open_tx;
	struct tr_msg rma;
	u32 rma_left;
	const struct rig_proc *rma_target;
	u8 rma_next;
	u32 rma_open;
	bool rma_failed;
	u32 open_rx;
	bool shut;
	bool ended;
	u32 life;
	u32 ncqe;
	u64 cqes;
};

/**
 * struct tr_proc - a process of the run
 * @no: its number
 * @job: that its endpoints are in, 0: the default one
 * @proc: the rig's, NULL: gone
 * @av: its address vector
 * @eq: its event queue
 * @cq: its completion queues
 * @ncq: how many
 * @room: its region
 */
struct tr_proc {
	u32 no;
	u32 job;
	struct rig_proc *proc;
	struct rig_av *av;
	struct rig_eq *eq;
	struct rig_cq *cq[8];
	u32 ncq;
	u8 *room;
};

/**
 * struct tr - a run
 * @conf: what it is like
 * @rig: its world
 * @procs: processes
 * @nprocs: how many
 * @eps: endpoints
 * @neps: how many
 * @msgs: messages by number
 * @nmsgs: how many
 * @rcvs: receives by number
 * @nrcvs: how many
 * @open: messages that no receive has taken
 * @operations: one-sided operations that have succeeded
 * @faults: memory was bad: receives that took a message may have failed
 * @note: how to repeat the run
 */
struct tr {
	struct tr_conf conf;
	struct rig *rig;
	struct tr_proc *procs;
	u32 nprocs;
	struct tr_ep *eps;
	u32 neps;
	struct tr_msg **msgs;
	u32 nmsgs;
	struct tr_rcv **rcvs;
	u32 nrcvs;
	u32 open;
	u64 operations;
	bool faults;
	char note[160];
};

/* A run like any other. */
void tr_conf_random(struct tr_conf *conf, u64 seed);
/* @test: name for the line that says how to repeat the run, or a command with spaces that does. */
struct tr *tr_new(const struct tr_conf *conf, const char *test);
/* Post, read, let time pass, once. Return: something is left to do. */
bool tr_step(struct tr *tr);
/* Step until everything is done, at most @ns; die when it is not. */
void tr_finish(struct tr *tr, weft_ns ns);
/*
 * Post nothing for @ns, which is longer than any operation may wait for an unreachable node. Die
 * when a send still waits.
 */
void tr_bound(struct tr *tr, weft_ns ns);
/* Cancel receives that have not matched, and wait for that. */
void tr_cancel(struct tr *tr);
/* Check the order in which messages were taken, end everything, check for leaks. */
void tr_free(struct tr *tr);

/* For messages and one-sided operations: segments of new buffers; a length, at most @max. */
u32 tr_segments(struct tr *tr, struct rig_proc *proc, u32 len, struct weft_iov *seg);
u32 tr_some_len(struct tr *tr, u32 max);

/* Functions of evil.c, for trouble. */
void tr_kill_ep(struct tr *tr, struct tr_ep *ep);
/* The endpoint's program ends its connection. */
void tr_shut(struct tr_ep *ep);
void tr_kill_proc(struct tr *tr, struct tr_proc *proc, bool killed);
/* The rig's node has gone, with all its processes. */
void tr_forget_node(struct tr *tr, struct rig_node *node);
/*
 * Restart processes and endpoints that are gone, with the same services, on nodes that are up. RDM
 * only.
 */
void tr_revive(struct tr *tr);

/*
 * Post receives for all messages that may still arrive. The receives made for them may have gone
 * with an endpoint, and a long message waits for a receive for ever.
 */
void tr_mop(struct tr *tr);

/* Die with a message, the state of the world and the line that repeats the run. */
void __noreturn __printf(2, 3) tr_die(struct tr *tr, const char *fmt, ...);

/*
 * Seeds to run: @count from @first on. The environment can change that: WEFT_RUNS is the number of
 * runs, WEFT_SEED the one seed to run. WEFT_TEST names the only test that runs.
 */
u64 tr_first(const char *test, u64 first);
u64 tr_last(const char *test, u64 first, u64 count);

#endif
