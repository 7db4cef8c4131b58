/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulator: kernel/core on many nodes, in virtual time
 *
 * It stands on the rig of the unit tests (selftests/host/rig.h), which has nodes, programs, links
 * and events. One thread; no locks.
 */
#ifndef WEFT_SIM_H
#define WEFT_SIM_H

#include "rig.h"

#define PERCENT(n)	((u32)((n) * RIG_PPM / 100.0))

/**
 * struct sim_opts - what was asked for
 * @seed: first seed
 * @seeds: how many
 * @nodes: nodes, 0: as the seed has it
 * @loss: percent of packets lost, below 0: as the seed has it
 * @msgs: messages of a large run
 * @verbose: say what happens
 * @report: measure; a folder for what comes of it
 * @quick: less of it
 * @rows: only rows of links.c whose names begin with this, NULL: all
 * @missed: list of targets that are missed today, NULL: the tree's
 * @slow: without fast paths
 * @equal: with fast paths and without, which must end alike
 */
struct sim_opts {
	u64 seed;
	u64 seeds;
	u32 nodes;
	double loss;
	u32 msgs;
	bool verbose;
	const char *report;
	bool quick;
	const char *rows;
	const char *missed;
	bool slow;
	bool equal;
};

/* ---- Small worlds with everything that can go wrong (seeds.c) -------------------- */

/* Runs with and without fast paths that had the same events. */
extern u64 sim_same;

/* One run. Dies when something is wrong. Return: digest of all events. */
u64 sim_seed(const struct sim_opts *o, u64 seed);

/* ---- What must hold at any time (limits.c) --------------------------------------- */

/* For rig->check: dies when a node's core holds more than it may, or waits for nothing. */
void sim_limits(struct rig_node *node);

/* ---- Messages of given sizes between many nodes (load.c) ------------------------- */

/**
 * struct load_msg - a message
 * @at: when its program wants to send it
 * @src: sending node
 * @dst: receiving node
 * @len: bytes
 * @seq: its number among those of this pair, from 1
 * @sent: the send has completed
 * @got: when it was received, 0: not yet
 * @to: where
 * @from: its bytes, of the sender
 */
struct load_msg {
	weft_ns at;
	u32 src;
	u32 dst;
	u32 len;
	u32 seq;
	bool sent;
	weft_ns got;
	u8 *to;
	u8 *from;
};

/**
 * struct load - a run
 * @rig: world
 * @node: programs, one on each node
 * @msgs: messages, in order of time
 * @n: how many
 * @check: fill them with bytes that are looked at when they come
 * @tell: each end of a send or a receive is progress of the run
 * @left: messages that have not been received, and sends that have not completed
 * @slots: slots of rings
 */
struct load {
	struct rig *rig;
	struct load_node *node;
	struct load_msg *msgs;
	u32 n;
	bool check;
	bool tell;
	u32 left;
	u32 slots;
};

struct load *load_new(const struct rig_conf *conf, u32 msgs, bool check);
/* Add a message; times do not go backwards. */
void load_add(struct load *l, weft_ns at, u32 src, u32 dst, u32 len);
/* Let the nodes of these messages get to know each other. Before load_add(). */
void load_meet(struct load *l, const struct load_msg *msgs, u32 n);
/* Let time pass until all has been received and completed; dies after @most. */
void load_run(struct load *l, weft_ns most);
/* End programs, check that nothing leaks. */
void load_free(struct load *l);

/* ---- What the transport is worth (report.c, sizes.c, window.c) ------------------- */

#define SIZES		5	/* workloads */
#define WEFT_HEAD_SIM	52	/* bytes of weft's in a full packet */

/* The size of workload @w below which the share @u (0 to 1) of all messages is; the mean size. */
u32 size_at(u32 w, double u);
double size_mean(u32 w);

/* Messages over a simple window protocol: @msgs gets the times. At most @most. */
void window_run(const struct rig_conf *conf, struct load_msg *msgs, u32 n, weft_ns most);

/*
 * Tables to standard output, figures to the folder o->report. Return: all is as good as it is to
 * be.
 */
bool sim_report(const struct sim_opts *o);

/* Slow, long and shared links (links.c): a table, and figures. Return: as sim_report(). */
bool links_report(const struct sim_opts *o, u64 seed);
/* How many scenarios that plays */
u64 links_runs(const struct sim_opts *o);

/* ---- How far a run is (progress.c) ------------------------------------------------ */

/* A run has @all of @what to do. */
void sim_progress(u64 all, const char *what);
/* @n more of them are done. */
void sim_done(u64 n);

/* A large run. Return: digest of all events. */
u64 sim_large(const struct sim_opts *o, u64 seed);

#endif
