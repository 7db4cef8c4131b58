// SPDX-License-Identifier: GPL-2.0-only
/*
 * A peer that has taken part in the handshake and then says anything: chunks of all kinds, that
 * name what there is and what there is not, in any order
 *
 * The programs of the node that is attacked go on sending and receiving; what they get from that
 * peer may be nonsense, but nothing breaks, nothing leaks, and everything ends.
 */
#include "victim.h"
#include "harness.h"

static void session(u64 seed, u32 packets)
{
	struct victim v;
	u32 i;

	victim_init(&v, seed, NULL, 0);
	for (i = 0; i < packets; i++) {
		victim_attack(&v);
		if (!victim_pick(&v, 3))
			victim_go_on(&v);
		if (v.path->state == WEFT_PATHS_DEAD)
			break;
	}
	victim_fini(&v);
}

TEST(hostile__peer)
{
	u64 seed;

	for (seed = 1; seed <= 60; seed++)
		session(seed, 1500);
}

/* The same while allocations fail: nothing is taken twice, nothing is lost track of. */
TEST(hostile__peer_no_memory)
{
	u64 seed;

	for (seed = 100; seed <= 120; seed++) {
		struct victim v;
		u32 i;

		victim_init(&v, seed, NULL, 0);
		weft_host_fail_rate(RIG_PPM / 20, seed);
		for (i = 0; i < 1500; i++) {
			victim_attack(&v);
			if (!victim_pick(&v, 3))
				victim_go_on(&v);
		}
		weft_host_fail_rate(0, 0);
		victim_fini(&v);
	}
}

TEST_HARNESS_MAIN
