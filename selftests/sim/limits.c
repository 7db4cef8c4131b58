// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulator: what must hold at any time, whatever happens
 */
#include "core/api/internal.h"
#include "sim.h"
#include "sums.h"

#define MANY	64	/* paths that are looked at each time; of more only some are */

static void check_lane(const struct weft_path *path, const struct weft_lane *lane)
{
	u32 n = 0, seen = 0, flight = 0;
	struct weft_list *l;

	if (lane->snd_nxt - lane->snd_una > WEFT_WINDOW)
		weft_host_die(__FILE__, __LINE__, "lane: PSNs %u to %u", lane->snd_una,
			      lane->snd_nxt);
	if (lane->cwnd < WEFT_CWND_MIN || lane->cwnd > WEFT_WINDOW)
		weft_host_die(__FILE__, __LINE__, "lane: window of %u", lane->cwnd);
	weft_list_for_each(l, &lane->sent) {
		const struct weft_rec *rec = weft_entry(l, struct weft_rec, node);

		n += rec->nseg;
		flight += rec->state == WEFT_REC_FLIGHT ? rec->nseg : 0;
		if (++seen > WEFT_WINDOW)
			break;
	}
	if (n > WEFT_WINDOW || flight != lane->flight)
		weft_host_die(__FILE__, __LINE__, "lane: %u packets, %u in flight, not %u", n,
			      flight, lane->flight);
	/* nobody waits for ever: what is not acknowledged has a time at which something is done */
	if (n && path->state == WEFT_PATHS_UP && !path->failing && lane->rto_at == U64_MAX)
		weft_host_die(__FILE__, __LINE__, "lane: %u packets, and no timer", n);
}

static void check_path(const struct rig_node *node, const struct weft_path *path)
{
	const struct weft_conf *conf = &path->core->conf;
	u32 i;

	if (path->state == WEFT_PATHS_DEAD)
		return;
	/*
	 * what a flow has been told that it may begin still comes when the limit is reached, and
	 * stays when the flow ends (sums.c)
	 */
	if (path->nrxm > path->core->neps * (2ull * conf->msgs_ep +
					     (node->flows_most + 1) * 2 * WEFT_CREDIT_STEP) +
				 (u64)path->flow.nrflow * 2 * WEFT_CREDIT_STEP)
		weft_host_die(__FILE__, __LINE__, "path: %u messages", path->nrxm);
	if (path->nrecs > WEFT_REC_KEEP)
		weft_host_die(__FILE__, __LINE__, "path: %u idle records", path->nrecs);
	if (path->nflow > 2 * WEFT_RFLOWS_MAX)
		weft_host_die(__FILE__, __LINE__, "path: %u flows", path->nflow);
	if (path->tx_used > path->tx_limit << 10)
		weft_host_die(__FILE__, __LINE__, "path: %llu eager bytes of %llu KiB",
			      (unsigned long long)path->tx_used,
			      (unsigned long long)path->tx_limit);
	if (path->rx_gone + path->flow.rx_open > path->rx_told && path->rx_told)
		weft_host_die(__FILE__, __LINE__, "path: %llu eager bytes, %llu open, %llu told",
			      (unsigned long long)path->rx_gone,
			      (unsigned long long)path->flow.rx_open,
			      (unsigned long long)path->rx_told);
	if (path->flight && path->state == WEFT_PATHS_UP && !path->failing &&
	    path->timer_at == U64_MAX)
		weft_host_die(__FILE__, __LINE__, "path: %u packets, and no timer", path->flight);
	for (i = 0; i < WEFT_LANES; i++)
		check_lane(path, &path->lane[i]);
	sums_check(path);
}

static void check_grants(struct weft_core *core)
{
	const struct weft_grants *g = &core->grants;
	u64 most = max_t(u64, core->conf.grant_bytes, 2ull * core->conf.window_bytes);

	most += (u64)core->npaths * WEFT_GRANT_FAR;
	if (g->out > most)
		weft_host_die(__FILE__, __LINE__, "grants: %llu bytes", (unsigned long long)g->out);
	if (!g->nmsgs && (g->out || g->map || g->keeper || g->npaths))
		weft_host_die(__FILE__, __LINE__, "grants: %llu bytes of no message",
			      (unsigned long long)g->out);
	if (g->map && !g->keeper)
		weft_host_die(__FILE__, __LINE__, "grants: messages wait, and no timer");
}

void sim_limits(struct rig_node *node)
{
	struct weft_core *core = &node->core;
	struct weft_path *path;
	u32 n = 0, pos = rig_below(node->rig, core->path_slots);
	bool again = pos;

	check_grants(core);
	if (core->npaths > core->conf.max_paths)
		weft_host_die(__FILE__, __LINE__, "%u paths", core->npaths);
	/* nobody forges what a path's token is needed for */
	if (rig_counter(node, WEFT_CNT_beyond_credit))
		weft_host_die(__FILE__, __LINE__, "messages that their senders were not told of");
	if (core->npaths < MANY)
		sums_check_kept(node);
	/* from any slot to the end, then from the first */
	while (n++ < MANY) {
		path = weft_path_next(core, &pos);
		if (!path && again) {
			again = false;
			pos = 0;
			path = weft_path_next(core, &pos);
		}
		if (!path)
			break;
		check_path(node, path);
		weft_path_put(path);
	}
}
