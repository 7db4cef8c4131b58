// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzing: a malicious peer that knows the protocol. The input decides which packets it sends and
 * how the program acts meanwhile.
 */
#include "fuzz.h"
#include "victim.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct victim v;
	u32 n;

	victim_init(&v, 1, data, min_t(u32, len, 4096));
	for (n = 0; n < 400 && v.left && v.path->state != WEFT_PATHS_DEAD; n++) {
		victim_attack(&v);
		if (!victim_pick(&v, 3))
			victim_go_on(&v);
	}
	/* further decisions use random numbers */
	v.data = NULL;
	for (n = 0; n < 20; n++)
		victim_go_on(&v);
	victim_fini(&v);
	return 0;
}
