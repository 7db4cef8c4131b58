// SPDX-License-Identifier: GPL-2.0-only
/* What sums.h says. One thread; no locks. */
#include "core/proto.h"
#include "sums.h"

#define WINDOW_MAX	(16ull << 20)	/* of "unexpected-node" */

static void check_early(const struct weft_rflow *rf)
{
	const struct weft_list *l;
	u32 early = 0;

	weft_list_for_each(l, &rf->early) {
		const struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, fnode);

		early += rxm->sid ? 0 : (u32)rxm->len;
	}
	if (early != rf->early_bytes && !rf->gone)
		weft_host_die(__FILE__, __LINE__, "flow: %u bytes came early, not %u", early,
			      rf->early_bytes);
}

void sums_check(const struct weft_path *path)
{
	const struct weft_list *l;
	u64 open = 0;
	u32 i;

	weft_list_for_each(l, &path->rxms)
		open += weft_entry(l, struct weft_rxm, node)->open;
	if (open != path->rx_open || open > WINDOW_MAX)
		weft_host_die(__FILE__, __LINE__, "path: %llu eager bytes are open, not %llu",
			      (unsigned long long)open, (unsigned long long)path->rx_open);
	for (i = 0; i < WEFT_PATH_HASH; i++)
		weft_list_for_each(l, &path->rflows[i])
			check_early(weft_entry(l, struct weft_rflow, node));
}
