// SPDX-License-Identifier: GPL-2.0-only
/*
 * An endpoint, and a peer on another node: see near.h.
 */
#include "core/transport/emit.h"
#include "near.h"

void near_init(struct near *s)
{
	struct weft_flow *flow;
	struct rig_av *av;

	memset(s, 0, sizeof(*s));
	lone_init(&s->t, PSN);
	s->proc = rig_proc_new(&s->t.rig->node[0]);
	s->cq = rig_cq_new(s->proc, 64);
	av = rig_av_new(s->proc);
	s->ep = rig_ep_new(s->proc, WEFT_EP_RDM, 0, 16, 16, 2);
	s->room = rig_buf(s->proc, NEAR_ROOM);
	memset(s->room, 0xee, NEAR_ROOM);
	s->to = (u32)rig_av_insert(av, 1, SVC, s->t.rig);
	if (!s->ep || rig_ep_enable(s->ep, s->cq, s->cq, NULL, av))
		abort();
	/* use lane 0, which the test inspects; OPEN does not leave while the path is not up */
	weft_mutex_lock(&s->ep->ep->sq_mutex);
	s->t.path->state = WEFT_PATHS_HELLO;
	flow = weft_flow_find(s->ep->ep, s->to, 0, s->t.out);
	if (IS_ERR(flow))
		abort();
	flow->lane = 0;
	weft_mutex_unlock(&s->ep->ep->sq_mutex);
	s->h.type = WEFT_PKT_DATA;
	s->h.flags = WEFT_PKT_PSN;
	s->h.path = s->t.path->id;
	s->h.token = s->t.path->token;
	s->h.psn = PSN;
	s->h.ack = PSN;
	s->m.flow.ssvc = SVC;
	s->m.flow.dsvc = 2;
	s->m.flow.sgen = GEN;
	s->m.flow.mseq = 1;
	s->m.flags = WEFT_MSG_TAGGED;
	s->m.tag = 9;
	/* both flows are open */
	weft_lock(&s->t.path->lock);
	weft_ctl_drop(&flow->ctl, s->t.out);
	flow->accepted = true;
	flow->msg_limit = WEFT_CREDIT_MSGS;
	s->t.path->state = WEFT_PATHS_UP;
	s->t.path->busy = 0;
	if (!weft_rflow_new(s->t.path, &s->m.flow, s->ep->ep))
		abort();
	weft_unlock(&s->t.path->lock);
	s->rx.data = s->pkt;
	rig_node_addr(&s->t.rig->conf, 1, 0, &s->rx.src);
	s->rx.src.port = cpu_to_be16(s->t.core->conf.udp_port);
}

void near_fini(struct near *s)
{
	lone_fini(&s->t);
}

void near_take(struct near *s, const struct weft_rx *rx, u32 n)
{
	rig_rx(s->t.core, s->t.out->now, rx, n, s->t.out);
	weft_flush(s->t.out);
}

u32 near_run(struct near *s, u32 off, u32 len, u32 piece, u32 gap)
{
	u32 n = DIV_ROUND_UP(len, piece), seg = NEAR_HEAD + piece, i, k, at, part;
	struct weft_hdr h = s->h;
	u8 *buf, *p;

	s->rx.seg = n > 1 ? seg : 0;
	s->rx.stride = n > 1 && gap ? seg + gap : 0;
	s->rx.len = len + n * NEAR_HEAD;
	/* nothing behind the last packet, so that the address sanitizer finds each byte too far */
	buf = malloc(s->rx.len + (n - 1) * gap);
	memset(buf, 0xdd, s->rx.len + (n - 1) * gap);
	for (i = 0, p = buf; i < n; i++, p += seg + gap, h.psn++) {
		at = i * piece;
		part = min(piece, len - at);
		weft_wire_hdr_put(p, &h);
		weft_wire_eager_put(p + WEFT_WIRE_HDR, &s->m, off + at, part);
		for (k = 0; k < part; k++)
			p[NEAR_HEAD + k] = near_byte(off + at + k);
	}
	s->rx.data = buf;
	return n;
}

bool near_got(const struct near *s, u32 len)
{
	u32 i;

	for (i = 0; i < len && s->room[i] == near_byte(i); i++)
		;
	return i == len && s->room[len] == 0xee;
}
