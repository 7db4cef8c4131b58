// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trouble for random traffic. Processes, endpoints and nodes die and come back. Links are cut,
 * allocations fail, and packets are forged. One thread; no locks.
 */
#include "core/wire/wire.h"
#include "evil.h"
#include "rest.h"
#include "traffic_job.h"

/* longer than any operation waits for a node that is gone */
#define STAYS	(40 * (weft_ns)NSEC_PER_SEC)

/* Bytes that may form a packet from any node to any node. */
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
		pkt[0] = (WEFT_WIRE_VERSION << 4) + 1 + rig_below(rig, 6);
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
		rig_mend(tr->rig);
	else if (a != b && !rig_below(tr->rig, 3))
		rig_cut_one(tr->rig, a, b, !rig_is_cut(tr->rig, a, b));
	else if (a != b)
		rig_cut(tr->rig, a, b, !rig_is_cut(tr->rig, a, b));
}

/* The network falls into parts: a node hears the nodes of its own part only. */
static void partition(struct rig *rig)
{
	u32 n = rig->conf.nodes, k = 1 + rig_below(rig, n - 1), a, b;

	rig_mend(rig);
	for (a = 0; a < k; a++)
		for (b = k; b < n; b++)
			rig_cut(rig, a, b, true);
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

void evil_do(struct tr *tr, u32 evil)
{
	struct tr_proc *p = &tr->procs[rig_below(tr->rig, tr->nprocs)];
	struct tr_ep *ep = &tr->eps[rig_below(tr->rig, tr->neps)];

	switch (1u << rig_below(tr->rig, EVIL_KINDS) & evil) {
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
		tr->faults = true;
		weft_host_fail_rate(rig_below(tr->rig, 2) ? 0 : rig_below(tr->rig, RIG_PPM / 4),
				    rig_random(tr->rig));
		weft_host_fragment(rig_below(tr->rig, 2) ? 0 : 8192u << rig_below(tr->rig, 4));
		break;
	case EVIL_FAULT:
		tr->faults = true;
		if (p->proc)
			p->proc->mc->fault = rig_below(tr->rig, 3) ? 0 : RIG_PPM / 8;
		break;
	case EVIL_NOISE:
		noise(tr);
		break;
	case EVIL_REVIVE:
		weft_host_fail_rate(0, 0);
		weft_host_fragment(0);
		tr_revive(tr);
		break;
	case EVIL_PART:
		partition(tr->rig);
		break;
	case EVIL_SHUT:
		if (ep->ep && !ep->shut)
			tr_shut(ep);
		break;
	case EVIL_JOB:
		if (tr->conf.jobs)
			tr_job_admin(tr);
		break;
	case EVIL_NARROW:
		tr->rig->conf.net.narrow = 0;
		if (rig_below(tr->rig, 2))
			tr->rig->conf.net.narrow = 100 + rig_below(tr->rig, 1400);
		break;
	}
}

u64 evil_run(struct tr_conf *conf, const char *test, u32 evil,
	     void (*check)(struct rig_node *node))
{
	struct tr *tr;
	u64 digest;
	u32 i, n;

	conf->trouble = evil;
	tr = tr_new(conf, test);
	tr->rig->check = check;
	for (n = 100 + rig_below(tr->rig, 400); n; n--) {
		tr_step(tr);
		if (!rig_below(tr->rig, 10))
			evil_do(tr, evil);
	}
	weft_host_fail_rate(0, 0);
	weft_host_fragment(0);
	if (evil && rig_below(tr->rig, 2))
		tr_bound(tr, STAYS);
	rig_mend(tr->rig);
	tr->rig->conf.net.narrow = 0;
	for (i = 0; i < tr->nprocs; i++)
		if (tr->procs[i].proc)
			tr->procs[i].proc->mc->fault = 0;
	if (evil)
		tr_mop(tr);
	tr_finish(tr, 120 * NSEC_PER_SEC);
	tr_cancel(tr);
	if (conf->rest)
		*conf->rest = rest_of(tr);
	digest = tr->rig->digest;
	tr_free(tr);
	return digest;
}
