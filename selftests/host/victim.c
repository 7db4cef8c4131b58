// SPDX-License-Identifier: GPL-2.0-only
/*
 * A node with a program, and a peer that sends arbitrary packets. One thread; no locks.
 */
#include "sums.h"
#include "victim.h"

#define KEY	5	/* of the program's region */
#define BASE	0x1000	/* address of its first byte */

/* Let peers access the program's memory. */
static void expose(struct victim *v)
{
	struct weft_region_conf conf = { .key = KEY, .base = BASE, .len = VICTIM_BUF, .n = 1,
					 .access = WEFT_REGION_READ | WEFT_REGION_WRITE };

	conf.seg[0] = (struct weft_iov){ (uintptr_t)v->buf, VICTIM_BUF };
	weft_region_new(&v->proc->domain, &conf);
}

void victim_init(struct victim *v, u64 seed, const u8 *data, u32 len)
{
	struct rig_proc *peer;
	struct rig_conf conf;
	struct rig_cq *cq;
	struct rig_av *av;
	struct rig_ep *ep;
	struct rig_op op = { .flags = WEFT_SQ_COMPLETION, .context = 1 };

	rig_conf_default(&conf, seed);
	conf.nodes = 2;
	conf.cold = RIG_PPM / 4;
	conf.bounce = RIG_PPM / 4;
	conf.core.window_bytes = 64 << 10;
	conf.core.msgs_ep = 200;
	conf.core.max_paths = 64;
	v->data = data;
	v->left = len;
	v->rig = rig_new(&conf);
	v->proc = rig_proc_new(&v->rig->node[0]);
	v->cq = rig_cq_new(v->proc, 256);
	v->eq = rig_eq_new(v->proc);
	av = rig_av_new(v->proc);
	v->ep = rig_ep_new(v->proc, WEFT_EP_RDM, WEFT_EPF_RMA | WEFT_EPF_REMOTE_READ |
			   WEFT_EPF_REMOTE_WRITE, 64, 64, VICTIM_SVC);
	v->pep = rig_ep_new(v->proc, WEFT_EP_PASSIVE, 0, 0, 0, VICTIM_SVC + 1);
	if (rig_av_insert(av, VICTIM_PEER, VICTIM_SVC, v->rig) ||
	    rig_ep_enable(v->ep, v->cq, v->cq, NULL, av) || rig_listen(v->pep, v->eq, 8))
		abort();
	v->buf = rig_buf(v->proc, VICTIM_BUF);
	expose(v);
	/* a remote endpoint, so that a path is made */
	peer = rig_proc_new(&v->rig->node[VICTIM_PEER]);
	cq = rig_cq_new(peer, 64);
	ep = rig_ep_new(peer, WEFT_EP_RDM, 0, 64, 64, VICTIM_SVC);
	if (rig_ep_enable(ep, cq, cq, NULL, rig_av_new(peer)) || rig_send(v->ep, &op))
		abort();
	rig_run(v->rig, 100 * NSEC_PER_MSEC);
	v->path = rig_path(&v->rig->node[0].core);
	if (!v->path || v->path->state != WEFT_PATHS_UP)
		abort();
}

u32 victim_pick(struct victim *v, u32 n)
{
	u32 x = 0, got = 0;

	if (!v->data)
		return rig_below(v->rig, n);
	if (n < 2)
		return 0;
	for (; v->left && got < 4 && (n - 1) >> (8 * got); got++, v->left--)
		x |= (u32)*v->data++ << (8 * got);
	return x % n;
}

static u32 pick(struct victim *v, u32 n)
{
	return victim_pick(v, n);
}

/* Any number. */
static u64 any(struct victim *v)
{
	return (u64)pick(v, U32_MAX) << 32 | pick(v, U32_MAX);
}

/* An existing flow, near the number of the message that is due; or another flow. */
static void any_flow(struct victim *v, struct weft_flowid *f)
{
	struct weft_list *l = weft_list_first(&v->path->flow.list);
	struct weft_list *r;
	u32 skip = pick(v, 64);

	if (v->path->flow.nrflow)
		skip %= v->path->flow.nrflow;
	weft_list_for_each(r, &v->path->flow.rlist) {
		if (skip && skip--)
			continue;
		if (!pick(v, 5))
			break;
		if (weft_entry(r, struct weft_rflow, node)->gone)
			continue;
		*f = weft_entry(r, struct weft_rflow, node)->id;
		f->mseq += pick(v, 3) ? 0 : pick(v, 5) - 1;
		return;
	}
	f->ssvc = pick(v, 3) + VICTIM_SVC;
	f->dsvc = pick(v, 4) ? VICTIM_SVC : pick(v, 4) + VICTIM_SVC - 1;
	f->sgen = pick(v, 4) && l ? weft_entry(l, struct weft_flow, node)->id.sgen :
				    (u32)any(v);
	f->dgen = pick(v, 3);
	f->mseq = pick(v, 4) ? 1 : pick(v, 30);
}

static void any_head(struct victim *v, struct weft_head *h, u32 paylen)
{
	memset(h, 0, sizeof(*h));
	if (!pick(v, 20))
		h->auth = any(v) & WEFT_AUTH_MASK;
	any_flow(v, &h->flow);
	h->tag = pick(v, 3);
	h->data = 9;
	h->flags = pick(v, 32) & (pick(v, 10) ? ~WEFT_MSG_CONNECTED : ~0u);
	switch (pick(v, 4)) {
	case 0:
		h->len = (u64)1 << pick(v, 64);
		break;
	case 1:
		h->len = pick(v, 200000);
		break;
	default:
		h->len = paylen + pick(v, 2) * pick(v, 3000);
		break;
	}
	h->len = max_t(u64, h->len, paylen);
}

static u32 any_id(struct victim *v)
{
	return pick(v, 10) ? v->path->msg.next_id - pick(v, 30) : (u32)any(v);
}

static u64 any_off(struct victim *v)
{
	return pick(v, 4) ? pick(v, VICTIM_BUF) : any(v);
}

static u32 pad(u8 *dst, u32 n, u32 len)
{
	memset(dst + n, 0x5a, len);
	n += len;
	while (n & 3)
		dst[n++] = 0;
	return n;
}

/* A request of a one-sided operation, often a sound one. Return: bytes with those to be written. */
static u32 any_request(struct victim *v, u8 *dst, u32 pay)
{
	struct weft_req r = { .op = (u8)(pick(v, 20) ? 1 + pick(v, 5) : pick(v, 256)),
			      .nseg = (u8)(pick(v, 3) ? 1 : pick(v, WEFT_IOV_MAX + 1)),
			      .uid = pick(v, 10) ? v->ep->ep->conf.uid : (u32)any(v) };
	bool atomic = weft_req_atomic(r.op), fetches = weft_req_fetches(r.op);
	bool follow = r.op != WEFT_RMA_READ && pick(v, 4);
	u32 i;

	if (atomic) {
		r.aop = (u8)pick(v, 20);
		r.atype = (u8)pick(v, 12);
		r.sid = follow ? 0 : 1 + pick(v, 100);
		if (follow)
			pay &= ~7;
		/* the payload has operands and compare operands */
		if (r.op == WEFT_RMA_COMPARE)
			pay &= ~15;
	}

	if (fetches || (!follow && !atomic)) {
		r.id = pick(v, 2) ? 1 + pick(v, 100) : (u32)any(v);
		r.id = fetches ? r.id | WEFT_RMA_ID : r.id & ~WEFT_RMA_ID;
	}
	for (i = 0; i < r.nseg; i++) {
		r.seg[i].key = pick(v, 10) ? KEY : any(v);
		r.seg[i].addr = pick(v, 10) ? BASE + pick(v, VICTIM_BUF) : any(v);
		if (atomic && pick(v, 10))
			r.seg[i].addr &= ~7ull;
		r.seg[i].len = pick(v, 20) ? pick(v, pick(v, 2) ? 2000 : VICTIM_BUF / 8) : any(v);
		if (follow)
			r.seg[i].len = i ? 0 : r.op == WEFT_RMA_COMPARE ? pay / 2 : pay;
		else if (atomic)
			r.seg[i].len &= 0x3f8;
		r.len += r.seg[i].len;
	}
	if (fetches)
		r.granted = pick(v, 3) ? r.len : min_t(u64, r.len, pick(v, 3000));
	i = weft_wire_req_put(dst, &r);
	if (!follow || (atomic && r.aop == WEFT_AOP_READ))
		return i;
	memset(dst + i, 0x5a, pay);
	return i + pay;
}

/* An operation in its message. Return: bytes of the chunk. */
static u32 any_operation(struct victim *v, u8 *dst)
{
	u8 req[WEFT_REQ_MAX + 300];
	struct weft_head h;
	u32 len = any_request(v, req, pick(v, 300)), n;

	any_head(v, &h, len);
	h.flags = (h.flags & ~WEFT_MSG_CONNECTED) | WEFT_MSG_RMA;
	if (pick(v, 20))
		h.len = len;
	n = weft_wire_eager_put(dst, &h, 0, len);
	memcpy(dst + n, req, len);
	for (n += len; n & 3; n++)
		dst[n] = 0;
	return n;
}

/* A chunk about packet sizes and retired packets. */
static u32 any_mtu_chunk(struct victim *v, u8 *dst)
{
	u32 words[WEFT_RETIRED_BITS / 32], n = pick(v, WEFT_RETIRED_BITS / 32 + 1), i;
	const struct weft_lane *lane = &v->path->lane[pick(v, WEFT_LANES)];
	struct weft_w_retired re = { .lane = (u8)pick(v, WEFT_LANES + 1) };

	switch (pick(v, 5)) {
	case 0:
		return weft_wire_mtu_put(dst, 1000 + pick(v, 1000), pick(v, 100));
	case 1:
		return weft_wire_retire_put(dst, lane->rcv_nxt + pick(v, 1200) - 100);
	case 2:
		/* as this node had retired packets in flight, or not */
		re.psn = cpu_to_be32(pick(v, 3) ? v->path->mtu->lane[lane->no].psn : pick(v, 100));
		re.from = cpu_to_be32(lane->snd_nxt - pick(v, 40));
		re.part[0].psn = cpu_to_be32(lane->snd_una + pick(v, 4));
		re.part[0].done = cpu_to_be32(pick(v, 4));
		for (i = 0; i < n; i++)
			words[i] = (u32)any(v);
		return weft_wire_retired_put(dst, &re, words, n);
	case 3:
		n = pick(v, 100);
		return pad(dst, weft_wire_probe_put(dst, n), n);
	default:
		return weft_wire_probed_put(dst, pick(v, 2) ? v->path->mtu->size : pick(v, 9000));
	}
}

/* A chunk of a probe, as of one that this node answers, or of one that it has sent, or not. */
static u32 any_echo_chunk(struct victim *v, u8 *dst)
{
	const struct weft_path_echo *e = &v->path->echo;
	u32 seq = pick(v, 5) ? pick(v, 200) : WEFT_ECHO_ASK, n = pick(v, 100);
	struct weft_w_echo w = { .seq = cpu_to_be32(seq), .stamp = cpu_to_be64(any(v)) };

	if (pick(v, 2))
		return pad(dst, weft_wire_echo_put(dst, e->peer_no + pick(v, 3), seq, 0, n), n);
	w.no = cpu_to_be32(e->run && pick(v, 4) ? e->run->no : pick(v, 100));
	return weft_wire_echoed_put(dst, &w, pick(v, 300), pick(v, 300));
}

/* Write one chunk. Return: its bytes. */
static u32 any_chunk(struct victim *v, u8 *dst, u32 room)
{
	u32 len = pick(v, 3) ? pick(v, 100) : pick(v, room - 100);
	struct weft_w_cm cm = { .op = (u8)pick(v, 8), .req = cpu_to_be32(pick(v, 5)) };
	struct weft_flowid f;
	struct weft_head h;

	any_flow(v, &f);
	any_head(v, &h, len);
	switch (pick(v, 17)) {
	case 14:
	case 15:
	case 16:
		return room < 1000 ? weft_wire_ping_put(dst) : any_operation(v, dst);
	case 0:
	case 1:
	case 2:
		return pad(dst, weft_wire_eager_put(dst, &h, (u32)(h.len - len), len), len);
	case 3:
	case 4:
		return weft_wire_rts_put(dst, &h, pick(v, 100));
	case 5:
		return weft_wire_grant_put(dst, any_id(v), pick(v, 100), any_off(v));
	case 6:
	case 7:
		return pad(dst, weft_wire_data_put(dst, any_id(v), any_off(v), len), len);
	case 8:
		return weft_wire_done_put(dst, &f, pick(v, 2) ? any_id(v) : 0, pick(v, 3),
					  pick(v, 3));
	case 9:
		return weft_wire_abort_put(dst, &f, pick(v, 3) ? pick(v, 100) : 0, pick(v, 200));
	case 10:
		weft_wire_flow_put(&cm.flow, &f);
		cm.rsp = cpu_to_be32(pick(v, 2) ? v->rig->node[0].core.next_conn - pick(v, 4) : 0);
		return weft_wire_cm_put(dst, &cm, "hello", 5);
	case 11:
		return pick(v, 4) ? any_mtu_chunk(v, dst) : any_echo_chunk(v, dst);
	default:
		switch (pick(v, 6)) {
		case 2:
		case 3:
			return weft_wire_open_put(dst, &f, pick(v, 9) ? 0 : any(v));
		case 0:
			return weft_wire_epgone_put(dst, &f);
		case 1:
			return weft_wire_credit_put(dst, &f, pick(v, 3000), (u32)any(v));
		}
		return weft_wire_ping_put(dst);
	}
}

void victim_attack(struct victim *v)
{
	struct weft_path *path = v->path;
	struct weft_lane *lane = &path->lane[pick(v, WEFT_LANES)];
	struct weft_hdr h = {
		.type = WEFT_PKT_DATA,
		.flags = pick(v, 20) ? WEFT_PKT_PSN : pick(v, 4),
		.lane = lane->no,
		.path = path->id,
		.token = path->token,
		.psn = lane->rcv_nxt + (pick(v, 4) ? 0 : pick(v, 1200)),
		.ack = pick(v, 10) ? lane->snd_nxt : (u32)any(v),
		.window = (u16)any(v),
		.ack_delay = (u32)any(v),
	};
	struct weft_sockaddr src;
	u32 len = WEFT_WIRE_HDR, n;
	u8 pkt[1400];

	weft_wire_hdr_put(pkt, &h);
	for (n = pick(v, 5); n && len < 1000; n--)
		len += any_chunk(v, pkt + len, sizeof(pkt) - len - 100);
	/* now and then bytes that are no packet */
	if (!pick(v, 10))
		pkt[WEFT_WIRE_HDR + pick(v, len - WEFT_WIRE_HDR + 1)] ^= 1u << pick(v, 8);
	if (!pick(v, 20))
		len -= pick(v, len);
	rig_node_addr(&v->rig->conf, VICTIM_PEER, 0, &src);
	src.port = cpu_to_be16(v->rig->conf.core.udp_port);
	rig_inject(&v->rig->node[0], &src, pkt, len);
	if (path->flow.rx_open > v->rig->conf.core.unexp_window)
		weft_host_die(__FILE__, __LINE__, "the peer has %llu bytes open",
			      (unsigned long long)path->flow.rx_open);
	sums_check(path);
}

/* The program posts a one-sided operation, which its peer refuses or not. */
static void operate(struct victim *v)
{
	struct rig_rma op = { .write = pick(v, 2), .flags = WEFT_SQ_COMPLETION, .context = 7,
			      .n = 1, .nrem = 1 };
	u32 len = pick(v, VICTIM_BUF);

	op.iov[0] = (struct weft_iov){ (uintptr_t)v->buf, len };
	op.rem[0] = (struct weft_rma_iov){ .addr = BASE, .len = len, .key = KEY };
	rig_rma(v->ep, &op);
}

/* An administrator probes the path, reads the result, or forgets it. */
static void probe(struct victim *v)
{
	struct rig_node *node = &v->rig->node[0];
	struct weft_echo_conf conf = {
		.count = 1 + pick(v, 100), .size = WEFT_ECHO_SIZE_MIN + pick(v, 1500),
		.interval = NSEC_PER_MSEC,
	};
	struct weft_out *out = rig_out(node);
	struct weft_echo_info info;
	u32 no = node->core.next_echo;

	switch (pick(v, 3)) {
	case 0:
		weft_echo_start(&node->core, weft_path_addr(v->path), &conf, rig_clock(node), out,
				&no);
		break;
	case 1:
		if (!weft_echo_look(&node->core, no, rig_clock(node), &info) &&
		    (info.back > info.sent || info.answered > info.came || info.came > info.sent))
			weft_host_die(__FILE__, __LINE__, "more answers than packets");
		break;
	default:
		weft_echo_end(&node->core, no);
	}
	rig_leave(node, out);
}

/* Let the program act meanwhile. */
void victim_go_on(struct victim *v)
{
	struct rig_op op = { .tagged = pick(v, 2), .flags = 1, .context = 1 + pick(v, 5), .n = 1 };
	struct weft_event ev;
	struct weft_cqe e;
	u8 data[WEFT_CM_DATA_MAX];

	op.iov[0].addr = (u64)(uintptr_t)v->buf;
	op.iov[0].len = pick(v, VICTIM_BUF);
	if (op.tagged)
		op.tag = pick(v, 3);
	switch (pick(v, 8)) {
	case 5:
		operate(v);
		break;
	case 7:
		probe(v);
		break;
	case 6:
		if (!pick(v, 4) && !rig_region_end(v->proc, KEY))
			expose(v);
		break;
	case 0:
		op.flags = WEFT_SQ_COMPLETION | (pick(v, 2) ? WEFT_SQ_DELIVERY : 0);
		rig_send(v->ep, &op);
		break;
	case 1:
	case 2:
		op.flags = WEFT_RQ_COMPLETION;
		op.peer = WEFT_SRC_ANY;
		rig_recv(v->ep, &op);
		break;
	case 3:
		rig_cancel(v->ep, op.context);
		break;
	default:
		while (rig_cq_read(v->cq, &e) > 0)
			;
		while (rig_eq_read(v->eq, &ev, data) > 0)
			if (ev.type == WEFT_EV_CONNREQ && pick(v, 2))
				rig_reject(v->pep, ev.conn, NULL, 0);
		break;
	}
	rig_step(v->rig, v->rig->now + 100 * NSEC_PER_USEC);
}

void victim_fini(struct victim *v)
{
	weft_path_put(v->path);
	rig_run(v->rig, 40ull * NSEC_PER_SEC);
	rig_free(v->rig);
}
