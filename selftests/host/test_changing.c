// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets whose bytes change between two readings of the core (changing.h). The core uses what it
 * has checked, and accesses no memory outside of it.
 */
#include "changing.h"
#include "harness.h"
#include "two.h"
#include "victim.h"

/**
 * struct change - a change of one byte
 * @where: at that point, the first time
 * @off: of the packet
 * @to: its new value
 * @n: how often it was changed
 */
struct change {
	u32 where;
	u32 off;
	u8 to;
	u32 n;
};

static void change(u32 where, void *arg)
{
	struct change *c = arg;

	if (c->n || where != c->where || changing.rx->len <= c->off)
		return;
	(where == CHANGING_RUN ? changing.run : (u8 *)changing.rx->data)[c->off] = c->to;
	c->n++;
}

/* A message of @len bytes arrives as it was sent although @c changes a packet once. */
static bool arrives(struct change *c, u32 len)
{
	struct two t;
	bool ok;
	u32 i;

	two_init(&t, 1, 64, 0);
	for (i = 0; i < len; i++)
		t.buf[i] = (u8)(i * 7 + i / 256);
	/* the path and the flow are known from here on */
	ok = !two_get(&t, t.room, 8, 1) && !two_put(&t, t.buf, 8, 2, WEFT_SQ_TRANSMIT) &&
	     !two_status(&t, t.ca, 2, NSEC_PER_SEC) && !two_status(&t, t.cb, 1, 0);
	changing.fn = change;
	changing.arg = c;
	ok = ok && !two_get(&t, t.room, len, 3) && !two_put(&t, t.buf, len, 4, WEFT_SQ_TRANSMIT) &&
	     !two_status(&t, t.ca, 4, 10ull * NSEC_PER_SEC) && !two_status(&t, t.cb, 3, 0) &&
	     !memcmp(t.room, t.buf, len) && c->n == 1;
	changing.fn = NULL;
	if (ok && c->where == CHANGING_RUN)
		ok = rig_counter(&t.rig->node[1], WEFT_CNT_rx_runs);
	rig_free(t.rig);
	return ok;
}

/* The first packet of a run has another chunk, a shorter one or none when the run is placed. */
TEST(run)
{
	static const struct change changes[] = {
		{ CHANGING_RUN, WEFT_WIRE_HDR, 0x7f, 0 },
		{ CHANGING_RUN, WEFT_WIRE_HDR, WEFT_CHUNK_PING, 0 },
		{ CHANGING_RUN, WEFT_WIRE_HDR + 2, 0, 0 },
		{ CHANGING_RUN, WEFT_WIRE_HDR + 2, 0xff, 0 },
	};
	struct change c;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		c = changes[i];
		EXPECT_TRUE(arrives(&c, TWO_LONG));
	}
}

/* The lane of a short message is another one when the fast path uses it. */
TEST(lane)
{
	struct change c = { CHANGING_LOCK, offsetof(struct weft_w_hdr, lane), 0xff, 0 };

	EXPECT_TRUE(arrives(&c, 8));
}

static void by_chance(u32 where, void *arg)
{
	const struct weft_rx *rx;
	struct victim *v = arg;

	if (rig_below(v->rig, 3))
		return;
	rx = &changing.rx[rig_below(v->rig, changing.n)];
	if (rx->len)
		((u8 *)rx->data)[rig_below(v->rig, rx->len)] ^= 1u << rig_below(v->rig, 8);
}

/* A hostile peer whose packets change: nothing breaks, nothing leaks. */
TEST(hostile)
{
	struct victim v;
	u32 seed, n;

	for (seed = 1; seed < 40; seed++) {
		victim_init(&v, seed, NULL, 0);
		changing.fn = by_chance;
		changing.arg = &v;
		for (n = 0; n < 300 && v.path->state != WEFT_PATHS_DEAD; n++) {
			victim_attack(&v);
			if (!victim_pick(&v, 3))
				victim_go_on(&v);
		}
		changing.fn = NULL;
		victim_fini(&v);
	}
}

TEST_HARNESS_MAIN
