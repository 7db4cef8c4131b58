// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - histograms of a port: turn them on and off, and read them
 *
 * While they are on, messages take the complete way: the fast paths do not keep the times that the
 * histograms need. Programs then notify of each receive, so that the kernel knows when it was
 * posted.
 *
 * The numbers are never set back, since each CPU adds to its own without a lock. Those of the time
 * before the histograms were turned on are subtracted instead.
 *
 * Locks: the adapter serialises the calls for one core. ep->lock is taken here; no mutex is, as its
 * holder may wait for memory of its program.
 */
#include "core/api/internal.h"

#define WEFT_HIST_WORDS_OF(name, unit, text)	{ #name, unit, text },
static const struct {
	const char *name, *unit, *text;
} weft_hist_words[] = { WEFT_HISTS(WEFT_HIST_WORDS_OF) };

/*
 * Endpoints take over the setting. An endpoint that begins to send within the node at this moment
 * may keep its fast path until it sends to another endpoint.
 */
static void weft_measure_all(struct weft_core *core)
{
	struct weft_ep *ep;
	u32 svc = 0;

	for (; (ep = weft_service_next(core, &svc)); svc++) {
		/* turned on again by the next send within the node, if it may be */
		WRITE_ONCE(ep->flow.near, false);
		weft_lock(&ep->lock);
		if (ep->state != WEFT_EPS_DEAD && ep->conf.type != WEFT_EP_PASSIVE)
			weft_recv_status(ep);
		weft_unlock(&ep->lock);
		weft_ep_put(ep);
		weft_yield();
	}
}

/* api.h describes the functions below. */
void weft_core_measure(struct weft_core *core, bool on)
{
	u32 i;

	if (on == core->conf.histograms)
		return;
	if (on)
		for (i = 0; i < ARRAY_SIZE(core->hist_base); i++)
			core->hist_base[i] = weft_counters_read(core->hist, i);
	WRITE_ONCE(core->conf.histograms, on);
	WRITE_ONCE(core->fast, core->conf.fast && !on);
	weft_measure_all(core);
}

bool weft_hist_look(struct weft_core *core, u32 n, struct weft_hist_info *info)
{
	u32 i, first = n * WEFT_HIST_WORDS;

	if (n >= WEFT_NHISTS)
		return false;
	info->name = weft_hist_words[n].name;
	info->unit = weft_hist_words[n].unit;
	info->text = weft_hist_words[n].text;
	for (i = 0; i < WEFT_HIST_BUCKETS; i++)
		info->count[i] = weft_counters_read(core->hist, first + i) -
				 core->hist_base[first + i];
	info->sum = weft_counters_read(core->hist, first + WEFT_HIST_BUCKETS) -
		    core->hist_base[first + WEFT_HIST_BUCKETS];
	return true;
}
