// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets that were overtaken and do not arrive: the reordering window, and how it learns that it
 * is too short
 */
#include "lone.h"
#include "harness.h"

#define US	((weft_ns)NSEC_PER_USEC)
#define MS	((weft_ns)NSEC_PER_MSEC)
#define PSN	0xfffffff0u	/* so that PSNs wrap in each test */

FIXTURE(rack)
{
	struct lone t;
};

FIXTURE_SETUP(rack)
{
	lone_init(&self->t, PSN);
}

FIXTURE_TEARDOWN(rack)
{
	lone_fini(&self->t);
}

static u64 spurious(struct lone *t)
{
	return rig_counter(&t->rig->node[0], WEFT_CNT_spurious);
}

static void told(struct lone *t, u32 psn)
{
	weft_lock(&t->path->lock);
	weft_loss_dup(t->path, t->lane, psn);
	weft_unlock(&t->path->lock);
}

/* @psn to @psn + 2 are sent, the second and third arrive, the first is sent again. */
static void overtaken(struct lone *t, u32 psn, weft_ns rtt)
{
	const u32 later = 3;
	u32 i;

	for (i = 0; i < 3; i++)
		lone_send(t);
	lone_drop(t);
	lone_wait(t, rtt);
	lone_ack(t, psn, &later, 1, 0);
	for (i = 0; i < 20 && weft_list_empty(&t->lane->lost); i++) {
		if (t->lane->reo_at == U64_MAX)
			break;
		t->out->now = t->lane->reo_at;
		lone_timer(t);
	}
	lone_output(t);
	lone_drop(t);
}

/* RFC 8985: a packet that was sent before an acknowledged one is lost, after some time. */
TEST_F(rack, lost)
{
	struct lone *t = &self->t;
	u32 bit3 = 1u << 2, cwnd = t->lane->cwnd, i;
	weft_ns sent = t->out->now, due;

	for (i = 0; i < 5; i++)
		lone_send(t);
	lone_drop(t);
	lone_wait(t, 100 * US);
	lone_ack(t, PSN, &bit3, 1, 0);
	/* it may only have been overtaken */
	EXPECT_EQ(0, lone_count(&t->lane->lost));
	due = t->lane->reo_at;
	EXPECT_GT(due, t->out->now);
	EXPECT_LT(due, sent + 200 * US);
	EXPECT_EQ(due, weft_lane_next(t->lane));
	EXPECT_LE(t->path->timer_at, due);
	t->out->now = due - 1;
	lone_timer(t);
	EXPECT_EQ(0, t->out->ntx);
	t->out->now = due;
	lone_timer(t);
	/* 0, 1, 2 are lost and sent again with the same PSNs; 4 was sent later */
	ASSERT_EQ(3, t->out->ntx);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(PSN + i, t->out->tx[i].psn);
		EXPECT_TRUE(t->out->tx[i].rec->again);
		EXPECT_TRUE(t->out->tx[i].acknow);
	}
	EXPECT_EQ(cwnd * 3 / 5, t->lane->cwnd);
	EXPECT_EQ(3, t->path->counts.retrans);
	EXPECT_TRUE(lone_sound(t));
	lone_drop(t);
	lone_wait(t, 100 * US);
	lone_ack(t, PSN + 5, NULL, 0, 0);
	EXPECT_EQ(0, lone_count(&t->lane->sent));
	EXPECT_EQ(U64_MAX, weft_lane_next(t->lane));
}

TEST_F(rack, reordered)
{
	struct lone *t = &self->t;
	u32 bit = 1, cwnd = t->lane->cwnd, i;

	for (i = 0; i < 2; i++)
		lone_send(t);
	lone_drop(t);
	lone_wait(t, 100 * US);
	lone_ack(t, PSN, &bit, 1, 0);
	lone_wait(t, 10 * US);
	lone_ack(t, PSN + 2, NULL, 0, 0);
	lone_wait(t, MS);
	lone_timer(t);
	EXPECT_EQ(0, t->out->ntx);
	EXPECT_EQ(cwnd, t->lane->cwnd);
	EXPECT_EQ(U64_MAX, t->lane->reo_at);
}

TEST_F(rack, reorder_window)
{
	struct lone *t = &self->t;
	u64 before = spurious(t);
	weft_ns first = 0, at;
	u32 psn = PSN, k;

	for (k = 0; k < 2 * WEFT_REO_MULT; k++, psn += 3) {
		at = t->out->now;
		overtaken(t, psn, 400 * US);
		at = t->out->now - at;
		if (!k)
			first = at;
		if (k == 1)
			EXPECT_LT(first, at);
		/* a packet that was not sent again, a duplicate all the same, the probe */
		told(t, psn + 1);
		told(t, psn - 10);
		EXPECT_EQ(before + k, spurious(t));
		told(t, psn);
		EXPECT_EQ(before + k + 1, spurious(t));
		EXPECT_EQ(min(k + 2, (u32)WEFT_REO_MULT), t->lane->reo_mult);
		/* once for each round trip */
		told(t, psn);
		before++;
		EXPECT_EQ(min(k + 2, (u32)WEFT_REO_MULT), t->lane->reo_mult);
		lone_ack(t, psn + 3, NULL, 0, 0);
	}
	/* never more than a round trip */
	EXPECT_GE(3 * 400 * US, at);
	/* the window shrinks again without new reports */
	for (k = 0; k < WEFT_REO_KEEP; k++, psn += 3) {
		EXPECT_LT(1, t->lane->reo_mult);
		overtaken(t, psn, 400 * US);
		lone_ack(t, psn + 3, NULL, 0, 0);
	}
	EXPECT_EQ(1, t->lane->reo_mult);
}

/* A duplicate is reported, once, by a packet that only acknowledges. */
TEST_F(rack, tell_duplicate)
{
	struct lone *t = &self->t;
	struct weft_chunks rest;
	struct weft_hdr h;
	u32 k;

	for (k = 0; k < 2; k++) {
		t->lane->dup = !k;
		t->lane->dup_psn = PSN - 5;
		t->lane->ack_now = true;
		lone_output(t);
		ASSERT_EQ(1, t->out->ntx);
		ASSERT_EQ(0, weft_wire_hdr_get(t->out->tx[0].raw, t->out->tx[0].len, &h, &rest));
		EXPECT_EQ(k ? 0 : WEFT_PKT_DUP, h.flags);
		EXPECT_EQ(k ? 0 : PSN - 5, h.psn);
		lone_drop(t);
	}
}

TEST_HARNESS_MAIN
