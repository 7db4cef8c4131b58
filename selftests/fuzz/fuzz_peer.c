// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzing: a malicious peer that knows the protocol. The input decides which packets it sends and
 * how the program acts meanwhile. Each second input also changes bytes of the packets while the
 * core reads them.
 */
#include "changing.h"
#include "fuzz.h"
#include "victim.h"

static void change(u32 where, void *arg)
{
	const struct weft_rx *rx;
	struct victim *v = arg;

	if (victim_pick(v, 4))
		return;
	rx = &changing.rx[victim_pick(v, changing.n)];
	if (rx->len)
		((u8 *)rx->data)[victim_pick(v, rx->len)] ^= 1u << victim_pick(v, 8);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct victim v;
	u32 n;

	victim_init(&v, 1, data, min_t(u32, len, 4096));
	changing.fn = len && data[len - 1] & 1 ? change : NULL;
	changing.arg = &v;
	for (n = 0; n < 400 && v.left && v.path->state != WEFT_PATHS_DEAD; n++) {
		victim_attack(&v);
		if (!victim_pick(&v, 3))
			victim_go_on(&v);
	}
	/* further decisions use random numbers */
	v.data = NULL;
	changing.fn = NULL;
	for (n = 0; n < 20; n++)
		victim_go_on(&v);
	victim_fini(&v);
	return 0;
}
