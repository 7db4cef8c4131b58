// SPDX-License-Identifier: GPL-2.0-only
/*
 * A path without a peer, and programs with one endpoint. One thread.
 */
#include "lone.h"

void lone_init(struct lone *t, u32 psn)
{
	struct weft_sockaddr addr;
	struct rig_conf conf;

	rig_conf_default(&conf, 1);
	t->rig = rig_new(&conf);
	t->core = &t->rig->node[0].core;
	t->out = calloc(1, sizeof(*t->out));
	weft_out_init(t->out, t->core);
	t->out->now = t->rig->now;
	rig_node_addr(&conf, 1, 0, &addr);
	t->path = weft_path_find(t->core, &addr, t->out);
	lone_drop(t);
	weft_lock(&t->path->lock);
	t->path->peer_id = LONE_ID;
	t->path->peer_token = LONE_TOKEN;
	weft_path_up(t->path, t->out->now);
	/* the largest packet was found before */
	t->path->max_payload = t->path->mtu->own;
	t->path->busy = 0;
	weft_unlock(&t->path->lock);
	t->lane = &t->path->lane[0];
	t->lane->snd_nxt = psn;
	t->lane->snd_una = psn;
	t->lane->recover = psn;
	t->lane->growth.round = psn;
	t->lane->reo_next = psn;
	t->lane->again_lo = psn;
	t->lane->again_hi = psn;
	t->lane->rcv_nxt = psn;
}

void lone_fini(struct lone *t)
{
	struct weft_path *path = t->path;

	lone_drop(t);
	weft_lock(&path->lock);
	weft_path_fail(path, ETIMEDOUT, t->out);
	weft_unlock(&path->lock);
	weft_flush(t->out);
	if (path->state != WEFT_PATHS_DEAD || path->nconn || path->flow.nrflow || path->flight ||
	    !weft_list_empty(&path->cm.conns))
		weft_host_die(__FILE__, __LINE__, "something is left on a dead path");
	weft_path_put(path);
	free(t->out);
	rig_free(t->rig);
}

void lone_wait(struct lone *t, weft_ns ns)
{
	t->out->now += ns;
}

void lone_take(struct lone *t, struct weft_lane *lane, u32 psn)
{
	weft_lock(&t->path->lock);
	weft_lane_take(t->path, lane, psn, 1, false, t->out->now);
	weft_unlock(&t->path->lock);
}

void lone_output(struct lone *t)
{
	weft_lock(&t->path->lock);
	weft_lane_output(t->path, t->lane, t->out);
	weft_unlock(&t->path->lock);
}

bool lone_note(struct lone *t, u32 len)
{
	struct weft_ctl_chunk *note;

	weft_lock(&t->path->lock);
	note = weft_ctl_chunk_new(t->path);
	weft_unlock(&t->path->lock);
	if (!note)
		return false;
	note->len = len;
	memset(note->chunk, 0, len);
	note->chunk[0] = WEFT_CHUNK_SKIP | 0x7f;
	note->chunk[3] = len - WEFT_WIRE_CHUNK;
	weft_lock(&t->path->lock);
	weft_ctl_put(t->path, t->lane->no, &note->ctl);
	weft_unlock(&t->path->lock);
	return true;
}

void lone_send(struct lone *t)
{
	lone_note(t, 8);
	lone_output(t);
}

void lone_drop(struct lone *t)
{
	u32 i;

	for (i = 0; i < t->out->ntx; i++) {
		struct weft_tx *tx = &t->out->tx[i];

		if (tx->rec)
			weft_rec_drop(tx->path, tx->rec, t->out);
		if (tx->path)
			weft_path_put(tx->path);
	}
	t->out->ntx = 0;
	if (t->path->in_more) {
		weft_list_del(&t->path->more);
		t->path->in_more = false;
		weft_path_put(t->path);
	}
}

void lone_ack(struct lone *t, u32 ack, const u32 *words, u32 n, u32 delay_us)
{
	struct weft_hdr h = { .type = WEFT_PKT_DATA, .ack = ack, .ack_delay = delay_us };
	u8 buf[WEFT_WIRE_CHUNK + WEFT_SACK_BITS / 8];
	struct weft_chunk sack = { 0 };

	if (n) {
		struct weft_chunks rest = { .at = buf };

		rest.left = weft_wire_sack_put(buf, words, n);
		if (weft_wire_check(&rest) || !weft_wire_next(&rest, &sack))
			weft_host_die(__FILE__, __LINE__, "bad SACK");
	}
	weft_lock(&t->path->lock);
	weft_lane_acked(t->path, t->lane, &h, n ? &sack : NULL, t->out);
	weft_unlock(&t->path->lock);
}

void lone_timer(struct lone *t)
{
	weft_lock(&t->path->lock);
	weft_lane_timer(t->path, t->lane, t->out);
	weft_lane_output(t->path, t->lane, t->out);
	weft_unlock(&t->path->lock);
}

u8 *lone_bytes(const struct weft_tx *tx)
{
	u8 *p = malloc(tx->len);

	weft_tx_header(tx, 0, p);
	if (!weft_tx_payload(tx, 0, p + tx->len - tx->pay))
		return p;
	free(p);
	return NULL;
}

int lone_parse(const struct weft_tx *tx, struct weft_hdr *h, struct weft_chunk *first)
{
	struct weft_chunks rest;
	struct weft_chunk c;
	u8 *p = lone_bytes(tx);
	int n = 0;

	if (!p || weft_wire_hdr_get(p, tx->len, h, &rest) || weft_wire_check(&rest))
		n = -1;
	while (n >= 0 && weft_wire_next(&rest, &c))
		if (!n++ && first)
			*first = c;
	free(p);
	return n;
}

u32 lone_count(const struct weft_list *head)
{
	const struct weft_list *l;
	u32 n = 0;

	weft_list_for_each(l, head)
		n++;
	return n;
}

bool lone_sound(const struct lone *t)
{
	const struct weft_lane *lane = t->lane;
	const struct weft_list *l;
	weft_ns at = 0;
	u32 psn = 0;

	if (lone_count(&lane->sent) != t->path->flight ||
	    lone_count(&lane->xmit) != lane->flight ||
	    lone_count(&lane->xmit) + lone_count(&lane->lost) != lone_count(&lane->sent) ||
	    lane->cwnd < WEFT_CWND_MIN || lane->cwnd > WEFT_WINDOW ||
	    (s32)(lane->snd_una - lane->snd_nxt) > 0)
		return false;
	weft_list_for_each(l, &lane->sent) {
		const struct weft_rec *rec = weft_entry(l, struct weft_rec, node);

		if (l != lane->sent.next && (s32)(rec->psn - psn) <= 0)
			return false;
		psn = rec->psn;
	}
	weft_list_for_each(l, &lane->xmit) {
		const struct weft_rec *rec = weft_entry(l, struct weft_rec, tnode);

		if (rec->sent_at < at || rec->state != WEFT_REC_FLIGHT)
			return false;
		at = rec->sent_at;
	}
	return true;
}

struct rig_ep *side_msg(struct side *s)
{
	struct rig_ep *ep = rig_ep_new(s->proc, WEFT_EP_MSG, 0, 64, 64, 0);

	if (!ep || rig_ep_enable(ep, s->cq, s->cq, s->eq, NULL))
		weft_host_die(__FILE__, __LINE__, "no endpoint");
	return ep;
}

void side_init(struct side *s, struct rig_node *node)
{
	s->proc = rig_proc_new(node);
	s->cq = rig_cq_new(s->proc, 256);
	s->eq = rig_eq_new(s->proc);
	s->ep = side_msg(s);
}

struct rig_ep *side_listen(struct side *s, u16 svc, u32 backlog)
{
	struct rig_ep *pep = rig_ep_new(s->proc, WEFT_EP_PASSIVE, 0, 0, 0, svc);

	if (!pep || rig_listen(pep, s->eq, backlog))
		weft_host_die(__FILE__, __LINE__, "nobody listens");
	return pep;
}

u32 side_state(struct rig_ep *ep)
{
	struct weft_ep_info info;

	weft_ep_look(ep->ep, &info);
	return info.state;
}

bool side_has_event(void *eq)
{
	return weft_eq_ready(&((struct rig_eq *)eq)->eq);
}

u32 side_event(struct rig *rig, struct side *s, struct weft_event *ev, void *data, weft_ns ns)
{
	if (!rig_until(rig, side_has_event, s->eq, ns) || !rig_eq_read(s->eq, ev, data))
		return 0;
	return ev->type;
}
