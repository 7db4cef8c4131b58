// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulator: small worlds, in which everything that can go wrong does
 *
 * A seed makes a network, faults of it, programs and their traffic; the traffic checks itself
 * (selftests/host/traffic.h).
 */
#include "evil.h"
#include "rest.h"
#include "sim.h"

#define FIRST_OF(seed, salt)	((seed) * 0x9e3779b97f4a7c15ULL + (salt))

u64 sim_same;

static u32 pick(u64 *state, u32 n)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return n ? (*state >> 33) % n : 0;
}

#define PICK(state, ...)							\
	({ static const u64 _of[] = { __VA_ARGS__ };				\
	   _of[pick(state, ARRAY_SIZE(_of))]; })

static void make_network(struct rig_conf *rig, u64 *s)
{
	rig->net.bps = PICK(s, 0, 1000000000ull, 10000000000ull, 100000000000ull);
	rig->net.queue = PICK(s, 0, 20000, 100000, 1000000);
	rig->net.rack = PICK(s, 0, 0, 2, 3);
	rig->net.rack_bps = rig->net.bps * PICK(s, 1, 2, 4);
	rig->delay = PICK(s, 1000, 5000, 20000, 2000000);
	rig->loss = PICK(s, 0, 0, RIG_PPM / 1000, RIG_PPM / 100, RIG_PPM / 20);
	rig->dup = PICK(s, 0, 0, RIG_PPM / 100);
	rig->late = PICK(s, 0, 0, RIG_PPM / 50);
	rig->net.burst = PICK(s, 0, 0, 0, RIG_PPM / 1000);
	rig->net.burst_for = PICK(s, 5000, 500000, 20000000);
	rig->net.corrupt = PICK(s, 0, 0, RIG_PPM / 200);
	rig->clocks = PICK(s, 0, 6, 65);	/* 100 ppm, 1000 ppm */
	rig->cold = PICK(s, 0, 0, RIG_PPM / 4);
	rig->bounce = PICK(s, 0, 0, RIG_PPM / 4);
}

/* Limits as small as they can be: they hold back, and lose nothing. */
static void make_limits(struct weft_conf *core, u64 *s)
{
	if (pick(s, 2))
		core->unexp_ep = 65536;
	if (!pick(s, 3))
		core->unexp_user = 65536;
	if (pick(s, 2))
		core->msgs_ep = 64;
	if (!pick(s, 3))
		core->msgs_user = 64;
	if (pick(s, 2))
		core->rec_max = 64;
}

static u64 one(const struct sim_opts *o, u64 seed, bool slow, char **rest, bool *trouble)
{
	u64 s = FIRST_OF(seed, 77);
	struct tr_conf conf;
	char again[120];
	u32 evil;
	int n;

	n = snprintf(again, sizeof(again), "make sim SEED=%llu", (unsigned long long)seed);
	if (o->nodes)
		n += snprintf(again + n, sizeof(again) - n, " NODES=%u", o->nodes);
	if (o->loss >= 0)
		n += snprintf(again + n, sizeof(again) - n, " LOSS=%g", o->loss);
	if (slow || o->equal)
		snprintf(again + n, sizeof(again) - n, o->equal ? " EQUAL=1" : " SLOW=1");
	tr_conf_random(&conf, seed);
	make_network(&conf.rig, &s);
	conf.rig.nodes = 2 + pick(&s, 5);
	if (!pick(&s, 16))
		conf.rig.nodes = 2 + pick(&s, 31);
	if (o->nodes)
		conf.rig.nodes = o->nodes;
	if (conf.rig.nodes > 6) {
		conf.procs = 1;
		conf.eps = 1;
		conf.msgs = 12;
		conf.max_len = min(conf.max_len, 20000u);
	}
	conf.max_len = min(conf.max_len, 100000u);
	if (!pick(&s, 3))
		make_limits(&conf.rig.core, &s);
	/* more than a flow may have wait, so that limits of messages are reached */
	if (conf.rig.nodes < 4 && !pick(&s, 8)) {
		conf.msgs = 700;
		conf.sq_slots = 1024;
		conf.max_len = min(conf.max_len, 2000u);
	}
	conf.msg = !pick(&s, 4);
	if (conf.msg)
		conf.procs = 2;
	conf.jobs = PICK(&s, 0, 0, 1, 3);
	if (o->loss >= 0)
		conf.rig.loss = PERCENT(o->loss);
	evil = PICK(&s, 0, 0, EVIL_EP | EVIL_PROC | EVIL_REVIVE, EVIL_NODE | EVIL_REVIVE,
		    EVIL_CUT | EVIL_NOISE | EVIL_NARROW, EVIL_PART | EVIL_CUT,
		    EVIL_ALLOC | EVIL_FAULT,
		    EVIL_ALLOC | EVIL_PART | EVIL_NODE | EVIL_REVIVE, ~EVIL_SHUT);
	/* what was connected is not connected again */
	if (conf.msg)
		evil = (evil & ~EVIL_REVIVE) | (evil ? EVIL_SHUT : 0);
	if (conf.jobs && evil)
		evil |= EVIL_JOB;
	conf.rma = PICK(&s, 0, 0, 5, 40);
	conf.rig.squeeze = seed % 4 ? 0 : 10 + seed % 30;
	conf.rig.core.fast = !slow;
	conf.rest = rest;
	/* chance decides on memory each time that it is asked for, and a fast path does not ask */
	if (o->equal) {
		conf.rig.cold = 0;
		conf.rig.bounce = 0;
		evil &= ~(EVIL_ALLOC | EVIL_FAULT);
		/* it decides on the target of an operation, too, when the one before has ended */
		conf.rma = 0;
		/* chance also decides on new MTUs, and on when they come */
		conf.rig.squeeze = 0;
		/* it decides on the time of each entry, and a fast path of a ring reads none */
		conf.rig.skew = 0;
		/* and no path goes because it was idle for a moment longer */
		conf.rig.core.idle_ns = 300ull * NSEC_PER_SEC;
	}
	/* a send to another job is refused, sooner or later */
	*trouble = evil || conf.jobs;
	return evil_run(&conf, again, evil, sim_limits);
}

/*
 * Fast paths and none. About four of ten worlds have the same events then: everything is equal. In
 * others a message shared its packet, or waited for a copy or a worker: then counts are equal,
 * unless endpoints ended.
 */
static u64 both(const struct sim_opts *o, u64 seed)
{
	char *fast = NULL, *slow = NULL;
	bool trouble, same;
	u64 digest;
	u32 bad;

	digest = one(o, seed, false, &fast, &trouble);
	same = one(o, seed, true, &slow, &trouble) == digest;
	sim_same += same;
	bad = same || !trouble ? rest_differ(fast, slow, same) : 0;
	if (bad) {
		fprintf(stderr, "again: make sim SEED=%llu EQUAL=1\n", (unsigned long long)seed);
		weft_host_die(__FILE__, __LINE__,
			      "%u lines differ: first with fast paths, second without", bad);
	}
	free(fast);
	free(slow);
	return digest;
}

u64 sim_seed(const struct sim_opts *o, u64 seed)
{
	bool trouble;

	return o->equal ? both(o, seed) : one(o, seed, o->slow, NULL, &trouble);
}
