// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random traffic through trouble: processes, endpoints and nodes die and come back, links are cut,
 * memory lacks, packets are forged. What comes, comes once, in order and whole; every operation
 * of who lives on ends in bounded time; nothing leaks.
 */
#include "traffic.h"
#include "kselftest_harness.h"

#define EVIL_EP		1	/* endpoints close */
#define EVIL_PROC	2	/* processes end or are killed */
#define EVIL_NODE	4	/* nodes crash, or their ports go, and come back */
#define EVIL_CUT	8	/* links are cut for shorter and longer */
#define EVIL_ALLOC	16	/* allocations fail */
#define EVIL_FAULT	32	/* memory that programs named is not there */
#define EVIL_NOISE	64	/* forged packets */
#define EVIL_REVIVE	128	/* what is gone comes back */
#define EVIL_SHUT	256	/* connections are shut down */

/* Bytes that may be a packet of somebody, to anybody. */
static void noise(struct tr *tr)
{
	struct rig *rig = tr->rig;
	struct rig_node *to = &rig->node[rig_below(rig, rig->conf.nodes)];
	struct weft_sockaddr src;
	u8 pkt[512];
	u32 i, len = rig_below(rig, sizeof(pkt));

	for (i = 0; i < len; i++)
		pkt[i] = rig_below(rig, 3) ? rig_below(rig, 10) : rig_below(rig, 256);
	if (len >= 32 && rig_below(rig, 8)) {
		pkt[0] = 0x11 + rig_below(rig, 3);
		pkt[3] = 8;
		pkt[24] = 0;
		pkt[25] = 0;
	}
	rig_node_addr(&rig->conf, rig_below(rig, 9), 0, &src);
	src.port = cpu_to_be16(rig_below(rig, 4) ? rig->conf.core.udp_port : rig_below(rig, 65536));
	if (to->up)
		rig_inject(to, &src, pkt, len);
}

static void cut(struct tr *tr, bool all)
{
	u32 a = rig_below(tr->rig, tr->conf.rig.nodes), b = rig_below(tr->rig, tr->conf.rig.nodes);

	if (all)
		memset(tr->rig->cut, 0, sizeof(tr->rig->cut));
	else if (a != b)
		rig_cut(tr->rig, a, b, !tr->rig->cut[a][b]);
}

static void node_trouble(struct tr *tr)
{
	struct rig_node *node = &tr->rig->node[rig_below(tr->rig, tr->conf.rig.nodes)];

	if (!node->up) {
		rig_start(node);
		return;
	}
	if (rig_below(tr->rig, 2))
		rig_crash(node);
	else
		rig_stop(node, ENODEV);
	tr_forget_node(tr, node);
	if (rig_below(tr->rig, 2))
		rig_start(node);
}

static void one_evil(struct tr *tr, u32 evil)
{
	struct tr_proc *p = &tr->procs[rig_below(tr->rig, tr->nprocs)];
	struct tr_ep *ep = &tr->eps[rig_below(tr->rig, tr->neps)];

	switch (1u << rig_below(tr->rig, 9) & evil) {
	case EVIL_EP:
		tr_kill_ep(tr, ep);
		break;
	case EVIL_PROC:
		tr_kill_proc(tr, p, rig_below(tr->rig, 3));
		break;
	case EVIL_NODE:
		node_trouble(tr);
		break;
	case EVIL_CUT:
		cut(tr, !rig_below(tr->rig, 4));
		if (!rig_below(tr->rig, 4))
			rig_run(tr->rig, rig_below(tr->rig, 2) ? NSEC_PER_SEC : 20 * NSEC_PER_SEC);
		break;
	case EVIL_ALLOC:
		weft_host_fail_rate(rig_below(tr->rig, 2) ? 0 : rig_below(tr->rig, RIG_PPM / 4),
				    rig_random(tr->rig));
		break;
	case EVIL_FAULT:
		if (p->proc)
			p->proc->mc->fault = rig_below(tr->rig, 3) ? 0 : RIG_PPM / 8;
		break;
	case EVIL_NOISE:
		noise(tr);
		break;
	case EVIL_REVIVE:
		weft_host_fail_rate(0, 0);
		tr_revive(tr);
		break;
	case EVIL_SHUT:
		if (ep->ep && !ep->shut)
			rig_shutdown(ep->ep);
		break;
	}
}

static void run(struct tr_conf *conf, const char *test, u32 evil)
{
	struct tr *tr;
	u32 i, n;

	conf->trouble = true;
	tr = tr_new(conf, test);
	for (n = 100 + rig_below(tr->rig, 400); n; n--) {
		tr_step(tr);
		if (!rig_below(tr->rig, 10))
			one_evil(tr, evil);
	}
	weft_host_fail_rate(0, 0);
	memset(tr->rig->cut, 0, sizeof(tr->rig->cut));
	for (i = 0; i < tr->nprocs; i++)
		if (tr->procs[i].proc)
			tr->procs[i].proc->mc->fault = 0;
	tr_mop(tr);
	tr_finish(tr, 120 * NSEC_PER_SEC);
	tr_cancel(tr);
	tr_free(tr);
}

/* Runs with seeds from @first on. @shape makes of a random run one of the kind of the test. */
static void runs(const char *test, u64 first, u64 count,
		 void (*shape)(struct tr_conf *conf, u64 seed), u32 evil)
{
	u64 seed = tr_first(test, first), last = tr_last(test, first, count);
	struct tr_conf conf;

	for (; seed <= last; seed++) {
		tr_conf_random(&conf, seed);
		shape(&conf, seed);
		run(&conf, test, evil);
	}
}

static void shape_endpoints(struct tr_conf *conf, u64 seed)
{
	conf->rig.loss = seed % 3 * RIG_PPM / 100;
}

TEST(storm__endpoints)
{
	runs("storm__endpoints", 10000, 40, shape_endpoints, EVIL_EP | EVIL_PROC | EVIL_REVIVE);
}

static void shape_nodes(struct tr_conf *conf, u64 seed)
{
	conf->rig.loss = seed % 3 * RIG_PPM / 100;
}

TEST(storm__nodes)
{
	runs("storm__nodes", 11000, 40, shape_nodes, EVIL_NODE | EVIL_REVIVE | EVIL_NOISE);
}

static void shape_links(struct tr_conf *conf, u64 seed)
{
	conf->rig.late = seed % 3 * RIG_PPM / 50;
}

TEST(storm__links)
{
	runs("storm__links", 12000, 40, shape_links, EVIL_CUT | EVIL_NOISE);
}

static void shape_memory(struct tr_conf *conf, u64 seed)
{
	conf->rig.cold = RIG_PPM / 4 * (seed % 4);
	conf->rig.bounce = RIG_PPM / 4 * (seed / 4 % 5);
}

TEST(storm__memory)
{
	runs("storm__memory", 13000, 40, shape_memory, EVIL_ALLOC | EVIL_FAULT | EVIL_EP);
}

static void shape_connected(struct tr_conf *conf, u64 seed)
{
	conf->msg = true;
	conf->procs = 2;
	conf->rig.loss = seed % 3 * RIG_PPM / 100;
}

TEST(storm__connected)
{
	runs("storm__connected", 14000, 40, shape_connected,
	     EVIL_EP | EVIL_PROC | EVIL_CUT | EVIL_SHUT | EVIL_NOISE);
}

static void shape_all(struct tr_conf *conf, u64 seed)
{
	conf->rig.cold = seed % 2 * RIG_PPM / 4;
	conf->rig.loss = seed % 3 * RIG_PPM / 100;
}

TEST(storm__all)
{
	runs("storm__all", 15000, 40, shape_all, ~EVIL_SHUT);
}

TEST_HARNESS_MAIN
