// SPDX-License-Identifier: GPL-2.0-only
/* Described in rest.h. One thread; no locks. */
#include "core/api/internal.h"
#include "rest.h"

#define QUIET	(2 * NSEC_PER_SEC)

#define U(s, f)	fprintf(to, " " #f " %llu", (unsigned long long)(s)->f)

static u32 length(const struct weft_list *head)
{
	const struct weft_list *l;
	u32 n = 0;

	weft_list_for_each(l, head)
		n++;
	return n;
}

static void lane(FILE *to, const char *at, const struct weft_lane *l)
{
	u32 i, bits = 0;

	for (i = 0; i < WEFT_WINDOW_WORDS; i++)
		bits += __builtin_popcountll(l->bits[i]);
	fprintf(to, "= %s lane %u: bits %u open %u sent %u lost %u ctl %u send %u data %u", at,
		l->no, bits, weft_lane_filled(l), length(&l->sent), length(&l->lost),
		length(&l->ctlq), length(&l->sendq), length(&l->dataq));
	U(l, flight); U(l, rcv_ahead); U(l, rcv_unacked); U(l, ack_now); U(l, ack_at);
	U(l, rto_at); U(l, backoff); U(l, probed);
	fprintf(to, "\n%s lane %u:", at, l->no);
	U(l, limited); U(l, snd_nxt); U(l, snd_una); U(l, cwnd); U(l, cwnd_cnt);
	U(l, ssthresh); U(l, recover); U(l, rack_at); U(l, rack_psn); U(l, rack_rtt);
	U(l, reo_mult); U(l, reo_keep); U(l, reo_next); U(l, again_lo); U(l, again_hi);
	U(l, reo_at); U(l, rcv_nxt); U(l, dup); U(l, rcv_at);
	fputc('\n', to);
}

static void flow(FILE *to, const char *at, const struct weft_flow *f)
{
	fprintf(to, "= %s flow %u to %u: parked %u", at, f->id.ssvc, f->id.dsvc,
		length(&f->parked));
	U(f, id.mseq); U(f, dead); U(f, closing); U(f, ended); U(f, nwait); U(f, unacked);
	fprintf(to, "\n%s flow %u to %u:", at, f->id.ssvc, f->id.dsvc);
	/* the core may or may not track what is on its way to a node that is gone */
	if (!f->unacked)
		fprintf(to, " txms %u ref %u", length(&f->txms), f->ref);
	U(f, lane); U(f, accepted); U(f, tx_used); U(f, tx_limit); U(f, msg_limit);
	fputc('\n', to);
}

static void rflow(FILE *to, const char *at, const struct weft_rflow *f)
{
	fprintf(to, "= %s flow from %u to %u: early %u partial %u", at, f->id.ssvc, f->id.dsvc,
		length(&f->early), length(&f->partial));
	U(f, id.mseq); U(f, gone); U(f, early_bytes); U(f, nwait); U(f, wait_bytes);
	fprintf(to, "\n%s flow from %u to %u:", at, f->id.ssvc, f->id.dsvc);
	U(f, src); U(f, src_ok); U(f, lane); U(f, in_bytes); U(f, told_msgs);
	U(f, told_bytes); U(f, tell_msgs); U(f, tell_bytes);
	fputc('\n', to);
}

static void path(FILE *to, u32 node, const struct weft_path *p)
{
	const struct weft_list *l;
	char at[40];
	u32 i;

	snprintf(at, sizeof(at), "node %u to %08x", node, *(const u32 *)p->node.addr.addr);
	fprintf(to, "= %s: rxms %u conns %u", at, length(&p->msg.rxms), length(&p->cm.conns));
	U(p, state); U(p, failing); U(p, busy); U(p, flight); U(p, flow.rx_open);
	U(p, nflow); U(p, flow.nrflow); U(p, ctl_pending); U(p, nsent);
	fprintf(to, "\n%s:", at);
	if (!p->flight)
		U(p, nwait);
	/* which size a search ends with depends on the packets that were sent meanwhile */
	U(p, max_payload);
	U(p, rtt_min); U(p, rtt_min_at); U(p, counts.retrans); U(p, tx_used);
	/*
	 * Not the window that was reported last: the fast path has placed a message before its
	 * acknowledgement leaves, the slow path after that.
	 */
	U(p, rx_gone); U(p, alive_at); U(p, heard_at);
	fputc('\n', to);
	for (i = 0; i < WEFT_CLASSES; i++) {
		fprintf(to, "%s class %u:", at, i);
		/*
		 * Not the times: the peer reports for how long it held an acknowledgement back, and
		 * with a fast path it may report that in another call, whose time differs.
		 */
		U(&p->class[i], rtt_at);
		fputc('\n', to);
	}
	for (i = 0; i < WEFT_LANES; i++)
		lane(to, at, &p->lane[i]);
	weft_list_for_each(l, &p->flow.list)
		flow(to, at, weft_entry(l, struct weft_flow, node));
	weft_list_for_each(l, &p->flow.rlist)
		rflow(to, at, weft_entry(l, struct weft_rflow, node));
}

char *rest_of(struct tr *tr)
{
	struct weft_path *p;
	size_t size = 0;
	char *text = NULL;
	FILE *to;
	u32 i, k;

	rig_run(tr->rig, QUIET);
	to = open_memstream(&text, &size);
	if (!to)
		tr_die(tr, "no memory to describe the world");
	/* Which operations a dying endpoint has completed depends on time. */
	for (i = 0; i < tr->neps && !tr->conf.trouble; i++)
		fprintf(to, "= endpoint %u: %u completions\nof which %016llx\n", i,
			tr->eps[i].ncqe, (unsigned long long)tr->eps[i].cqes);
	for (i = 0; i < tr->conf.rig.nodes; i++) {
		struct rig_node *node = &tr->rig->node[i];

		for (k = 0; node->up && (p = weft_path_next(&node->core, &k));) {
			path(to, i, p);
			weft_path_put(p);
		}
	}
	fclose(to);
	return text;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * Print the lines of @text, which is cut into lines, in order. @all: also those that depend on
 * time.
 */
static u32 lines(char *text, bool all, char ***to)
{
	char *l, *rest = text;
	u32 n = 0;

	*to = malloc((strlen(text) / 2 + 1) * sizeof(**to));
	while ((l = strsep(&rest, "\n")))
		if (*l && (all || *l == '='))
			(*to)[n++] = l;
	qsort(*to, n, sizeof(**to), by_text);
	return n;
}

u32 rest_differ(char *a, char *b, bool all)
{
	u32 i = 0, k = 0, n, m, bad = 0;
	char **la, **lb;

	n = lines(a, all, &la);
	m = lines(b, all, &lb);
	while (i < n || k < m) {
		int d = i == n ? 1 : k == m ? -1 : strcmp(la[i], lb[k]);

		bad += !!d;
		if (d)
			fprintf(stderr, "%s: %s\n", d < 0 ? "first" : "second",
				d < 0 ? la[i] : lb[k]);
		i += d <= 0;
		k += d >= 0;
	}
	free(la);
	free(lb);
	return bad;
}
