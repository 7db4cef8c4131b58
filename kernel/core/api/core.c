// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the core of one port: start, stop, and processing of packets
 *
 * Packets of one path that arrive together are processed under one lock, and acknowledged once.
 *
 * Locks: core->lock, core->svc_lock and path->lock, taken here. See Documentation/locking.rst.
 */
#include "core/api/monitor.h"

/**
 * weft_conf_default - fill in the default settings
 * @conf: out
 */
void weft_conf_default(struct weft_conf *conf)
{
	memset(conf, 0, sizeof(*conf));
	conf->udp_port = WEFT_WIRE_PORT;
	conf->max_payload = 65000;
	conf->eager_max = 64 << 10;
	conf->unexp_window = 4 << 20;
	conf->unexp_ep = 4 << 20;
	conf->unexp_user = 16 << 20;
	conf->msgs_ep = 65536;
	conf->msgs_user = 262144;
	conf->dgram_max = 64;
	conf->window_bytes = 1 << 20;
	conf->grant_bytes = 192 << 10;
	conf->ack_delay_ns = NSEC_PER_MSEC;
	conf->rto_min_ns = 5 * NSEC_PER_MSEC;
	conf->dead_ns = 10ull * NSEC_PER_SEC;
	conf->linger_ns = 120ull * NSEC_PER_SEC;
	conf->linger_user = 256;
	conf->keepalive_ns = 5ull * NSEC_PER_SEC;
	conf->connect_ns = 5ull * NSEC_PER_SEC;
	conf->accept_ns = 60ull * NSEC_PER_SEC;
	conf->max_paths = 16384;
	conf->backlog_max = 4096;
	conf->asked_max = 16384;
	conf->rec_max = 4096;
	conf->jobs_max = 256;
	conf->ctxs_user = 4096;
	conf->eps_user = 16384;
	conf->memory_user = 4ull << 30;
	conf->regions_user = 65536;
	conf->priorities = true;
	conf->fast = true;
	conf->rma_same_user = true;
	conf->idle_ns = 300ull * NSEC_PER_SEC;
}

/* Set up the path within the node. The adapter provides a timer for it, but no transmission. */
static int weft_core_init_local(struct weft_core *core)
{
	u32 fit;

	core->local->local = true;
	core->local->state = WEFT_PATHS_UP;
	core->local->max_payload = WEFT_REC_RAW + WEFT_WIRE_HDR;
	return weft_env_path_open(core->local, &fit);
}

/* Free the empty tables, and the counters. */
static void weft_core_untable(struct weft_core *core)
{
	weft_index_exit(&core->services);
	weft_index_exit(&core->conns);
	weft_hash_exit(&core->paths);
	weft_monitor_exit(core);
	weft_free(core->path_used);
	weft_free(core->path_ids);
	weft_counters_free(core->cnt);
	weft_counters_free(core->hist);
}

/* Make the tables and the counters. Return: 0, -ENOMEM. */
static int weft_core_tables(struct weft_core *core)
{
	if (weft_hash_init(&core->paths))
		return -ENOMEM;
	weft_index_init(&core->services);
	weft_index_init(&core->conns);
	core->cnt = weft_counters_new(WEFT_NCOUNTERS);
	core->hist = weft_counters_new(WEFT_NHISTS * WEFT_HIST_WORDS);
	core->path_ids = weft_alloc_sleep(core->path_slots * sizeof(*core->path_ids));
	core->path_used = weft_alloc_sleep(BITS_TO_LONGS(core->path_slots) * sizeof(long));
	if (!weft_monitor_init(core) && core->cnt && core->hist && core->path_ids &&
	    core->path_used)
		return 0;
	weft_core_untable(core);
	return -ENOMEM;
}

int weft_core_init(struct weft_core *core, const struct weft_conf *conf,
		   const struct weft_sockaddr *addr, u32 naddr, void *port)
{
	u32 i;

	BUILD_BUG_ON(WEFT_REC_RAW <
		     WEFT_INLINE_MAX + WEFT_WIRE_CHUNK + sizeof(struct weft_w_eager));
	core->conf = *conf;
	core->fast = conf->fast && !conf->histograms;
	core->port = port;
	core->incarnation = weft_random();
	core->secret[0] = weft_random();
	core->secret[1] = weft_random();
	core->key[0] = weft_random();
	core->key[1] = weft_random();
	core->next_gen = (u32)weft_random();
	core->next_path = (u32)weft_random();
	core->next_conn = (u32)weft_random();
	core->next_echo = (u32)weft_random();
	core->next_service = 0xc000;
	core->naddr = naddr;
	memset(core->hit_by, 0xff, sizeof(core->hit_by));	/* WEFT_NOTE_NO_UID */
	for (i = 0; i < WEFT_USES; i++)
		core->peak[i].uid = WEFT_NOTE_NO_UID;
	for (i = 0; i < naddr; i++) {
		core->addr[i] = addr[i];
		core->addr[i].port = 0;
	}
	weft_lock_init(&core->lock, WEFT_RANK_CORE);
	weft_lock_init(&core->svc_lock, WEFT_RANK_SVC);
	weft_lock_init(&core->user_lock, WEFT_RANK_LEAF);
	weft_list_init(&core->users);
	weft_lock_init(&core->job_lock, WEFT_RANK_LEAF);
	weft_list_init(&core->jobs);
	weft_grants_init(&core->grants);
	weft_lock_init(&core->grp_lock, WEFT_RANK_SVC);
	weft_mutex_init(&core->grp_mutex);
	weft_list_init(&core->groups);
	weft_list_init(&core->eps);
	weft_list_init(&core->retries);
	weft_list_init(&core->monitored);
	weft_list_init(&core->echoes);
	core->retry_at = U64_MAX;
	core->path_slots = conf->max_paths;
	if (weft_core_tables(core))
		return -ENOMEM;
	core->local = weft_path_alloc(core, &core->addr[0], 0);
	if (!core->local || weft_core_init_local(core)) {
		if (core->local)
			weft_path_put(core->local);
		weft_core_untable(core);
		return -ENOMEM;
	}
	return 0;
}

/* Fail the operations within the node. */
static void weft_core_stop_local(struct weft_core *core, int err, struct weft_out *out)
{
	struct weft_path *path = core->local;
	struct weft_list *l, *tmp;
	u32 i;

	weft_lock(&path->lock);
	for (i = 0; i < WEFT_LANES; i++) {
		if (path->lane[i].open)
			weft_rec_put(path, path->lane[i].open, out);
		path->lane[i].open = NULL;
	}
	while ((l = weft_list_first(&path->cm.conns)))
		weft_cm_reset(weft_entry(l, struct weft_conn, node), err, out);
	weft_list_for_each_safe(l, tmp, &path->flow.list) {
		struct weft_flow *flow = weft_entry(l, struct weft_flow, node);

		if (!flow->dead)
			weft_flow_fail(flow, err, out);
	}
	weft_unlock(&path->lock);
}

/* Report to all peers that their paths to this node end. */
static void weft_core_tell(struct weft_core *core, struct weft_out *out)
{
	struct weft_path *path;
	u32 pos = 0;

	while ((path = weft_path_next(core, &pos))) {
		weft_lock(&path->lock);
		if (!path->failing)
			weft_gone_tell(path, out);
		weft_unlock(&path->lock);
		weft_path_put(path);
		if (out->ntx > WEFT_OUT_TX / 2)
			weft_flush(out);
	}
}

bool weft_core_refit(struct weft_core *core, u32 *pos, weft_ns now, struct weft_out *out)
{
	struct weft_path *path = NULL;
	u32 n;

	out->now = now;
	for (n = 0; n < WEFT_PATH_BATCH && (path = weft_path_next(core, pos)); n++) {
		weft_lock(&path->lock);
		weft_mtu_refit(path, weft_env_path_fit(path), out);
		weft_path_output(path, out);
		weft_unlock(&path->lock);
		weft_path_put(path);
		if (out->ntx > WEFT_OUT_TX / 2)
			weft_flush(out);
	}
	return path;
}

bool weft_core_retime(struct weft_core *core, u32 *pos, weft_ns now)
{
	struct weft_path *path = NULL;
	u32 n;

	for (n = 0; n < WEFT_PATH_BATCH && (path = weft_path_next(core, pos)); n++) {
		weft_lock(&path->lock);
		if (!path->failing)
			weft_path_deadline(path, now);
		weft_unlock(&path->lock);
		weft_path_put(path);
	}
	return path;
}

bool weft_core_stop(struct weft_core *core, weft_ns now, int err, struct weft_out *out)
{
	struct weft_path *path;
	struct weft_list *l;
	bool more = false;
	u32 pos = 0;

	out->now = now;
	weft_lock(&core->lock);
	WRITE_ONCE(core->stopped, true);
	weft_unlock(&core->lock);
	/* before the first path fails: flushing fails endpoints in the order below */
	weft_core_tell(core, out);
	while ((path = weft_path_next(core, &pos))) {
		weft_lock(&path->lock);
		weft_path_fail(path, err, out);
		weft_unlock(&path->lock);
		weft_path_put(path);
		more = true;
	}
	for (;;) {
		struct weft_ep *ep = NULL;

		weft_lock(&core->lock);
		weft_list_for_each(l, &core->eps) {
			u32 state = READ_ONCE(weft_entry(l, struct weft_ep, node)->state);

			if (state != WEFT_EPS_ERROR && state != WEFT_EPS_DEAD) {
				ep = weft_entry(l, struct weft_ep, node);
				weft_ep_get(ep);
				break;
			}
		}
		weft_unlock(&core->lock);
		if (!ep)
			break;
		weft_ep_stop(ep, err, out);
		more |= weft_ep_drop_active(ep, err, out);
		weft_ep_put(ep);
	}
	/*
	 * after the remote paths: a program that sees the end of a connection has seen the reason
	 */
	weft_core_stop_local(core, err, out);
	return more;
}

void weft_core_exit(struct weft_core *core)
{
	struct weft_list *l;

	WARN_ON_ONCE(core->neps);
	WARN_ON_ONCE(core->npaths);
	l = weft_list_first(&core->local->cm.conns);
	WARN_ON_ONCE(l);
	weft_echo_forget(core);
	weft_job_forget_all(core);
	weft_path_put(core->local);
	weft_core_untable(core);
}

/* ---- Packets --------------------------------------------------------------------- */

/* Process EPGONE: the flow of @w, on which this node sends, has no endpoint. */
static void weft_rx_epgone(struct weft_path *path, const struct weft_w_epgone *w,
			   struct weft_out *out)
{
	struct weft_flowid id;
	struct weft_flow *flow;

	weft_wire_flow_get(&w->flow, &id);
	flow = weft_flow_by_gen(path, id.sgen);
	if (!flow || flow->dead)
		return;
	if (weft_contact_refused(flow, out->now))
		return;
	flow->ref++;
	if (flow->conn)
		weft_cm_reset(flow->conn, ECONNRESET, out);
	weft_flow_gave_up(path, weft_flow_fail(flow, ECONNREFUSED, out), ECONNREFUSED);
	weft_flow_put(flow);
}

/* Process CREDIT. The first one accepts a flow. */
static void weft_rx_credit(struct weft_path *path, const struct weft_w_credit *w,
			   struct weft_out *out)
{
	struct weft_flow *flow = weft_credit_told(path, w);

	if (likely(!flow || flow->accepted))
		return;
	flow->ref++;
	weft_send_accepted(flow, out);
	weft_flow_put(flow);
}

/* Process a chunk. Return: 0: taken, negative errno: cannot be taken now. */
static int weft_rx_chunk(struct weft_path *path, u8 lane, const struct weft_chunk *c,
			 struct weft_out *out)
{
	switch (c->type) {
	case WEFT_CHUNK_EAGER:
		return weft_recv_eager(path, c, c->paylen, 0, out);
	case WEFT_CHUNK_HEAD:
		weft_recv_head(path, c, out);
		return 0;
	case WEFT_CHUNK_DATA:
		return weft_place_data(path, c, out);
	case WEFT_CHUNK_WRITES:
		return weft_recv_writes(path, c, out);
	case WEFT_CHUNK_RTS:
		return weft_recv_announce(path, c, out);
	case WEFT_CHUNK_GRANT:
		return weft_send_grant(path, lane, c->body, out);
	case WEFT_CHUNK_DONE:
		weft_send_placed(path, c->body, out);
		return 0;
	case WEFT_CHUNK_ABORT:
		weft_recv_abort(path, c->body, out);
		return 0;
	case WEFT_CHUNK_CM:
		return weft_cm_rx(path, c->body, c->pay, c->paylen, out);
	case WEFT_CHUNK_EPGONE:
		weft_rx_epgone(path, c->body, out);
		return 0;
	case WEFT_CHUNK_CREDIT:
		weft_rx_credit(path, c->body, out);
		return 0;
	case WEFT_CHUNK_OPEN:
		return weft_contact_rx(path, c->body);
	case WEFT_CHUNK_MTU:
		weft_mtu_told(path, c->body, out);
		return 0;
	case WEFT_CHUNK_RETIRE:
		return weft_retire_rx(path, lane, c->body);
	case WEFT_CHUNK_RETIRED:
		return weft_retire_answer(path, c, out);
	}
	return 0;
}

/*
 * Process the chunks of a new packet. Return: true if all are taken; false: the packet has to come
 * again.
 */
static bool weft_rx_take(struct weft_path *path, struct weft_lane *lane, u32 psn,
			 struct weft_chunks rest, struct weft_out *out)
{
	struct weft_part *part = &lane->part[psn != lane->rcv_nxt];
	u32 n = 0, skip = 0;
	struct weft_chunk c;

	if (unlikely(lane->part[0].done || lane->part[1].done)) {
		if (lane->part[1].done && lane->part[1].psn == psn)
			part = &lane->part[1];
		if (part->done && part->psn == psn) {
			skip = part->done;
		} else if (part->done) {
			struct weft_chunks it = rest;

			/* only one packet besides the next in turn can be remembered */
			if (weft_wire_next(&it, &c) && weft_wire_next(&it, &c))
				return false;
		}
	}
	while (weft_wire_next(&rest, &c)) {
		/* HEAD does not count: it is always taken */
		if (likely(c.type != WEFT_CHUNK_HEAD) && n++ < skip)
			continue;
		if (unlikely(weft_rx_chunk(path, lane->no, &c, out))) {
			if (n > 1) {
				part->psn = psn;
				part->done = n - 1;
			}
			return false;
		}
	}
	if (skip)
		part->done = 0;
	return true;
}

/* Return: true if weft_rx_early_end() and weft_rx_take() need only this single chunk. */
static bool weft_rx_alone(const struct weft_lane *lane, int chunks, const struct weft_chunk *c)
{
	return chunks == 1 && c->type != WEFT_CHUNK_CM &&
	       !(lane->part[0].done || lane->part[1].done);
}

/*
 * Check for a FIN that comes too early. FIN is taken only in its turn. So it follows the chunks
 * that report the end of this node's sends on the connection, and the request that it withdraws.
 * The sends of this node have to be acknowledged, too. Otherwise the packet comes again. Return:
 * true if it comes too early.
 */
static bool weft_rx_early_end(struct weft_path *path, struct weft_chunks rest, bool in_turn)
{
	struct weft_chunk c;

	while (weft_wire_next(&rest, &c)) {
		const struct weft_w_cm *cm = c.body;
		struct weft_flow *flow;

		if (likely(c.type != WEFT_CHUNK_CM) || cm->op != WEFT_CM_FIN)
			continue;
		flow = weft_flow_by_gen(path, be32_to_cpu(cm->flow.dgen));
		if (!in_turn || (flow && flow->unacked))
			return true;
	}
	return false;
}

/**
 * struct weft_rx_left - unprocessed packets of a struct weft_rx
 * @pkt: the first packet
 * @len: bytes of all of them
 * @seg: bytes of each but the last, which may be shorter
 * @stride: distance between the first bytes of two packets
 */
struct weft_rx_left {
	const u8 *pkt;
	u32 len;
	u32 seg;
	u32 stride;
};

/*
 * Process new packets as a run. @c: the first chunk of the first packet, decoded before. The bytes
 * of the packets may have changed since. Return: number of packets taken, 0: process them one by
 * one.
 */
static u32 weft_rx_run(struct weft_path *path, struct weft_lane *lane, const struct weft_hdr *h,
		       const struct weft_rx_left *left, const struct weft_chunk *c,
		       struct weft_out *out)
{
	bool acknow = h->flags & WEFT_PKT_ACKNOW;
	u32 n, all, last, seg = left->seg;

	all = weft_wire_run(left->pkt, left->len, seg, left->stride, &acknow);
	if (all == 1 || unlikely(c->paylen != seg - (u32)(c->pay - left->pkt)))
		return 0;
	n = weft_lane_fresh(lane, h->psn, all);
	last = n == all ? c->paylen - (n * seg - min(left->len, n * seg)) : c->paylen;
	if (c->type == WEFT_CHUNK_DATA)
		n = weft_place_run(path, c, n, last, left->stride - c->paylen, out);
	else if (weft_recv_eager(path, c, (n - 1) * c->paylen + last, left->stride - c->paylen,
				 out))
		n = 0;
	if (n) {
		weft_count(path->core, rx_runs);
		weft_lane_take(path, lane, h->psn, n, acknow, out->now);
	}
	return n;
}

/*
 * Process a packet without PSN: an acknowledgement, which may have SACK, a probe, or the answer to
 * one. @size: bytes of the packet.
 */
static void weft_rx_plain(struct weft_path *path, struct weft_lane *lane, const struct weft_hdr *h,
			  u32 size, struct weft_chunks rest, struct weft_out *out)
{
	struct weft_chunk c, sack, *sp = NULL;
	const struct weft_w_question *question = NULL;
	const struct weft_w_echo *echo = NULL;
	const struct weft_w_probed *w;
	bool probe = false;

	while (weft_wire_next(&rest, &c)) {
		switch (c.type) {
		case WEFT_CHUNK_SACK:
			sack = c;
			sp = &sack;
			break;
		case WEFT_CHUNK_PROBE:
			probe = true;
			break;
		case WEFT_CHUNK_PROBED:
			w = c.body;
			weft_mtu_probed(path, be32_to_cpu(w->size), out);
			break;
		case WEFT_CHUNK_ECHO:
			echo = c.body;
			break;
		case WEFT_CHUNK_ECHOED:
			weft_echo_back(path, c.body, out->now);
			break;
		case WEFT_CHUNK_QUESTION:
			question = c.body;
			break;
		case WEFT_CHUNK_ANSWER:
			weft_question_back(path, c.body);
			break;
		}
	}
	if (h->ack != lane->snd_una || sp)
		weft_lane_acked(path, lane, h, sp, out);
	/* one answer to a packet */
	if (probe)
		weft_mtu_probe_rx(path, size, out);
	else if (unlikely(echo))
		weft_echo_rx(path, echo, out);
	else if (unlikely(question))
		weft_answer_rx(path, question, out);
	if (unlikely(h->flags & WEFT_PKT_DUP))
		weft_loss_dup(path, lane, h->psn);
}

/*
 * Process the first packet of @left, of a path that is up and locked. Return: number of packets
 * done.
 */
static u32 weft_rx_path(struct weft_path *path, const struct weft_hdr *h,
			const struct weft_rx_left *left, const struct weft_chunks *rest,
			struct weft_out *out)
{
	struct weft_core *core = path->core;
	int seen, chunks = -EINVAL;
	struct weft_chunk first;
	struct weft_lane *lane;

	if (likely(h->lane < WEFT_LANES))
		chunks = weft_wire_count(rest, &first);
	if (unlikely(chunks < 0)) {
		weft_count(core, rx_bad);
		return 1;
	}
	lane = &path->lane[h->lane];
	path->heard_at = out->now;
	path->alive_at = out->now;
	weft_path_window(path, h->window);
	if (!(h->flags & WEFT_PKT_PSN)) {
		weft_rx_plain(path, lane, h, min(left->len, left->seg), *rest, out);
		return 1;
	}
	seen = weft_lane_seen(lane, h->psn);
	if (h->ack != lane->snd_una)
		weft_lane_acked(path, lane, h, NULL, out);
	if (likely(seen == WEFT_PSN_NEW)) {
		if (left->len > left->seg && chunks == 1) {
			u32 n = weft_rx_run(path, lane, h, left, &first, out);

			if (n)
				return n;
		}
		if (likely(weft_rx_alone(lane, chunks, &first)) ?
		    !weft_rx_chunk(path, lane->no, &first, out) :
		    ((weft_list_empty(&path->cm.conns) && h->psn == lane->rcv_nxt) ||
		     !weft_rx_early_end(path, *rest, h->psn == lane->rcv_nxt)) &&
		    weft_rx_take(path, lane, h->psn, *rest, out)) {
			weft_lane_take(path, lane, h->psn, 1, h->flags & WEFT_PKT_ACKNOW, out->now);
			return 1;
		}
		weft_count(core, rx_dropped);
	} else {
		weft_count(core, rx_duplicate);
		if (seen == WEFT_PSN_OLD) {
			lane->dup = true;
			lane->dup_psn = h->psn;
		}
	}
	/* an acknowledgement in any case */
	lane->ack_now = true;
	path->busy |= 1u << lane->no;
	return 1;
}

/* The lock is held over several packets, from enter to leave, which sparse cannot follow. */
static void weft_rx_leave(struct weft_path *path, struct weft_out *out)
{
	__acquire(&path->lock);
	weft_path_output(path, out);
	weft_unlock(&path->lock);
	weft_path_put(path);
}

/* Get the path of a packet, referenced and locked, or NULL. */
static struct weft_path *weft_rx_enter(struct weft_core *core, u32 id)
{
	struct weft_path *path = weft_path_enter(core, id);

	if (path) {
		weft_lock(&path->lock);
		__release(&path->lock);
	}
	return path;
}

/* Process a packet without a path. Return: true if done. */
static bool weft_rx_stray(struct weft_core *core, const struct weft_rx *rx,
			  const struct weft_hdr *h, const struct weft_chunks *rest,
			  struct weft_out *out)
{
	switch (h->type) {
	case WEFT_PKT_HELLO:
		weft_hello_rx(core, rx, h, rest, out);
		return true;
	case WEFT_PKT_GONE:
		weft_gone_rx(core, rx, h, out);
		return true;
	case WEFT_PKT_GROUP:
		weft_group_rx(core, rx, h, rest, out);
		return true;
	}
	return false;
}

/*
 * Process the first packet of @left, which is part of @rx. @pathp: the path of the packet before,
 * entered, or NULL. Return: number of packets done.
 */
static u32 weft_rx_one(struct weft_core *core, const struct weft_rx *rx,
		       const struct weft_rx_left *left, struct weft_path **pathp,
		       struct weft_out *out)
{
	struct weft_path *path = *pathp;
	struct weft_chunks rest;
	struct weft_hdr h;
	u32 n;
	int err = weft_wire_hdr_get(left->pkt, min(left->len, left->seg), &h, &rest);

	if (unlikely(err == -EPROTO)) {
		if (path)
			weft_rx_leave(path, out);
		*pathp = NULL;
		weft_version_rx(core, rx, left->pkt, out);
		return 1;
	}
	if (unlikely(err)) {
		weft_count(core, rx_bad);
		return 1;
	}
	if (path && (h.type != WEFT_PKT_DATA || path->id != h.path ||
		     out->ncopy > WEFT_OUT_COPY / 2)) {
		weft_rx_leave(path, out);
		path = NULL;
	}
	if (unlikely(out->ncopy > WEFT_OUT_COPY / 2 || out->ntx > WEFT_OUT_TX / 2)) {
		if (path)
			weft_rx_leave(path, out);
		path = NULL;
		weft_flush(out);
	}
	*pathp = path;
	if (unlikely(h.type != WEFT_PKT_DATA) && weft_rx_stray(core, rx, &h, &rest, out))
		return 1;
	if (!path) {
		path = weft_rx_enter(core, h.path);
		*pathp = path;
	}
	if (unlikely(!path || path->token != h.token)) {
		/* the peer may be UP before its ACK has come */
		if (!path || path->state != WEFT_PATHS_HELLO)
			weft_gone_send(core, rx, &h, out);
		return 1;
	}
	if (unlikely(h.type == WEFT_PKT_BYE)) {
		/* an answer needs an own address: not one of a group */
		if (rx->dst < core->naddr)
			weft_idle_bye(path, rx, &h, out);
		else
			weft_count(core, rx_bad);
		return 1;
	}
	if (unlikely(path->state == WEFT_PATHS_LEAVING))
		weft_idle_stay(path, out->now);
	if (unlikely(path->state != WEFT_PATHS_UP || path->failing))
		return 1;
	if (unlikely(h.type == WEFT_PKT_DGRAM)) {
		weft_path_count_rx(path, 1, min(left->len, left->seg));
		weft_dgram_rx(path, &h, &rest, out);
		return 1;
	}
	n = weft_rx_path(path, &h, left, &rest, out);
	weft_path_count_rx(path, n, min(n * left->seg, left->len));
	return n;
}

void weft_core_rx(struct weft_core *core, weft_ns now, const struct weft_rx *rx, u32 n,
		  struct weft_out *out)
{
	u32 i, k, packets = 0, bytes = 0;
	struct weft_path *path = NULL;
	struct weft_rx_left left;

	out->now = now;
	if (likely(n == 1) && weft_fastpkt_rx(core, rx, out))
		return;
	for (i = 0; i < n; i++, rx++) {
		left.pkt = rx->data;
		left.len = rx->len;
		left.seg = rx->seg ?: rx->len;
		left.stride = rx->stride ?: left.seg;
		bytes += rx->len;
		while (left.len) {
			k = weft_rx_one(core, rx, &left, &path, out);
			packets += k;
			left.pkt += k * left.stride;
			left.len -= min(k * left.seg, left.len);
		}
	}
	if (path)
		weft_rx_leave(path, out);
	weft_count_add(core, rx_packets, packets);
	weft_count_add(core, rx_bytes, bytes);
}

void weft_core_work(struct weft_work *work, weft_ns now, struct weft_out *out)
{
	struct weft_rxm *rxm;
	struct weft_ep *ep;

	out->now = now;
	switch (work->kind) {
	case WEFT_WORK_SQ:
		ep = container_of(work, struct weft_ep, tx.work);
		weft_lock(&ep->lock);
		work->queued = false;
		weft_unlock(&ep->lock);
		weft_ep_notify(ep, WEFT_NOTIFY_SQ, now, out);
		weft_ep_put(ep);
		break;
	case WEFT_WORK_RQ:
		ep = container_of(work, struct weft_ep, rx.work);
		weft_recv_work(ep, out);
		weft_ep_put(ep);
		break;
	case WEFT_WORK_TXM:
		weft_send_work(container_of(work, struct weft_txm, bulk.work), out);
		break;
	case WEFT_WORK_RXM:
		rxm = container_of(work, struct weft_rxm, bulk.work);
		if (weft_rma_works(rxm))
			weft_rma_work(rxm, out);
		else
			weft_rxm_work(rxm, out);
		break;
	case WEFT_WORK_SRQ:
		weft_srq_work(container_of(work, struct weft_srq, work), out);
		break;
	case WEFT_WORK_BREAK:
		ep = container_of(work, struct weft_ep, brk_work);
		weft_cm_shutdown(ep, false, now, out);
		weft_ep_put(ep);
		break;
	case WEFT_WORK_ASK:
		ep = container_of(work, struct weft_ep, cm.ask_work);
		weft_cm_ask_again(ep, out);
		weft_ep_put(ep);
		break;
	case WEFT_WORK_TIDY:
		ep = container_of(work, struct weft_ep, tidy_work);
		weft_idle_work(ep, out);
		weft_ep_put(ep);
		break;
	case WEFT_WORK_TRIGGER:
		weft_trigger_work(container_of(work, struct weft_cq, trip.work), now, out);
		break;
	case WEFT_WORK_MONITOR:
		ep = container_of(work, struct weft_ep, mon.work);
		weft_monitor_work(ep, out);
		weft_ep_put(ep);
		break;
	}
}
