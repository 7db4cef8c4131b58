// SPDX-License-Identifier: GPL-2.0-only
/*
 * A lane's windows: how many packets may be outstanding, and what makes the window grow or shrink
 */
#include "lone.h"
#include "harness.h"

#define US	((weft_ns)NSEC_PER_USEC)
#define MS	((weft_ns)NSEC_PER_MSEC)
#define PSN	0xfffffff0u	/* so that PSNs wrap in each test */

FIXTURE(window)
{
	struct lone t;
};

FIXTURE_SETUP(window)
{
	lone_init(&self->t, PSN);
}

FIXTURE_TEARDOWN(window)
{
	lone_fini(&self->t);
}

/* @n packets leave, and the window has held others back. */
static void fill_window(struct lone *t, u32 n)
{
	while (n--) {
		lone_send(t);
		lone_drop(t);
	}
	t->lane->limited = true;
}

/* No more PSNs are outstanding than the receiver remembers. */
TEST_F(window, outstanding)
{
	struct lone *t = &self->t;
	u32 i;

	for (i = 0; i < WEFT_WINDOW + 10; i++) {
		lone_send(t);
		lone_drop(t);
	}
	EXPECT_EQ(WEFT_WINDOW, lone_count(&t->lane->sent));
	EXPECT_EQ(10, lone_count(&t->lane->ctlq));
	EXPECT_FALSE(weft_lane_may_send(t->lane));
	lone_wait(t, US);
	lone_ack(t, PSN + 1, NULL, 0, 0);
	EXPECT_TRUE(t->path->busy & 1);
	lone_output(t);
	EXPECT_EQ(1, t->out->ntx);
	EXPECT_EQ(0, lone_count(&t->lane->ctlq));
	EXPECT_TRUE(lone_sound(t));
}

TEST_F(window, grow)
{
	struct lone *t = &self->t;
	struct weft_lane *lane = t->lane;
	u32 psn = PSN;

	/* a window that is not fully used does not grow */
	lone_send(t);
	lone_drop(t);
	lone_ack(t, ++psn, NULL, 0, 0);
	EXPECT_EQ(WEFT_CWND_INIT, lane->cwnd);
	/* slow start: one for each */
	lane->cwnd = 64;
	fill_window(t, 60);
	psn += 10;
	lone_ack(t, psn, NULL, 0, 0);
	EXPECT_EQ(74, lane->cwnd);
	/* then one for each window */
	lane->ssthresh = lane->cwnd;
	lane->limited = true;
	psn += 50;
	lone_ack(t, psn, NULL, 0, 0);
	EXPECT_EQ(74, lane->cwnd);
	fill_window(t, 60);
	psn += 60;
	lone_ack(t, psn, NULL, 0, 0);
	EXPECT_EQ(75, lane->cwnd);
	lane->ssthresh = WEFT_WINDOW;
	lane->cwnd = WEFT_WINDOW - 1;
	fill_window(t, 60);
	lone_ack(t, psn + 60, NULL, 0, 0);
	EXPECT_EQ(WEFT_WINDOW, lane->cwnd);
}

/* A window that is large enough does not grow while packets wait in queues. */
TEST_F(window, grow_calm)
{
	struct lone *t = &self->t;
	u32 k, psn = PSN;

	for (k = 0; k < 3; k++) {
		t->lane->cwnd = k == 1 ? WEFT_CWND_CALM - 1 : WEFT_CWND_CALM;
		t->path->class[0].srtt = k == 2 ? 390 * US : 5 * MS;
		t->path->rtt_min = 100 * US;
		t->path->rtt_min_at = t->out->now;
		fill_window(t, 2);
		t->lane->cwnd_cnt = t->lane->cwnd - 2;
		psn += 2;
		lone_wait(t, k == 2 ? 390 * US : 5 * MS);
		lone_ack(t, psn, NULL, 0, 0);
		EXPECT_EQ(k == 2 ? WEFT_CWND_CALM + 1 : WEFT_CWND_CALM, t->lane->cwnd);
	}
}

/* Slow start ends when packets begin to wait in queues. */
TEST_F(window, grow_slow_start_ends)
{
	struct lone *t = &self->t;
	u32 k, psn = PSN;

	for (k = 0; k < 2; k++) {
		t->lane->cwnd = 32;
		t->path->class[0].srtt = (k ? 260 : 240) * US;
		t->path->rtt_min = 100 * US;
		t->path->rtt_min_at = t->out->now;
		fill_window(t, 8);
		psn += 8;
		lone_wait(t, (k ? 260 : 240) * US);
		lone_ack(t, psn, NULL, 0, 0);
		EXPECT_EQ(k ? 32 : 40, t->lane->cwnd);
		EXPECT_EQ(k ? 32 : WEFT_WINDOW, t->lane->ssthresh);
	}
}

/* The slow start of DATA does not end before two runs fit. */
TEST_F(window, grow_slow_start_of_data)
{
	struct lone *t = &self->t;
	u32 k, runs = 2 * WEFT_RUN_BYTES / t->path->max_payload, psn;

	t->lane = &t->path->lane[WEFT_CLASS_DATA * WEFT_CLASS_LANES];
	psn = t->lane->snd_nxt;
	for (k = 0; k < 2; k++) {
		t->lane->cwnd = runs - 1 + k;
		t->path->rtt_min = 100 * US;
		t->path->rtt_min_at = t->out->now;
		fill_window(t, 8);
		psn += 8;
		lone_wait(t, MS);
		lone_ack(t, psn, NULL, 0, 0);
		EXPECT_EQ(k ? runs : WEFT_WINDOW, t->lane->ssthresh);
	}
}

/* ---- Loss ------------------------------------------------------------ */

/* All losses of one round trip halve the window once. */
TEST_F(window, reduce)
{
	struct lone *t = &self->t;
	u32 words[2] = { 0x80000000u, 0 }, cwnd = t->lane->cwnd, i;

	for (i = 0; i < 40; i++) {
		lone_send(t);
		lone_drop(t);
		lone_wait(t, US);
	}
	lone_wait(t, 500 * US);
	lone_ack(t, PSN, words, 2, 0);
	lone_wait(t, 500 * US);
	lone_timer(t);
	EXPECT_EQ(cwnd / 2, t->lane->cwnd);
	lone_drop(t);
	words[1] = 0x40;
	lone_ack(t, PSN, words, 2, 0);
	lone_wait(t, 2 * MS);
	lone_timer(t);
	EXPECT_EQ(cwnd / 2, t->lane->cwnd);
	EXPECT_TRUE(lone_sound(t));
}

/* One of 40 is lost while round trips take @srtt, 100 us without queues. Return: the window. */
static u32 lose_one(struct lone *t, weft_ns srtt)
{
	u32 words[2] = { 0x80000000u, 0 }, i;

	for (i = 0; i < 40; i++) {
		lone_send(t);
		lone_drop(t);
		lone_wait(t, US);
	}
	t->path->class[0].srtt = srtt;
	t->path->rtt_min = 100 * US;
	t->path->rtt_min_at = t->out->now;
	lone_wait(t, 500 * US);
	lone_ack(t, PSN, words, 2, 0);
	lone_wait(t, 2 * MS);
	lone_timer(t);
	lone_drop(t);
	return t->lane->cwnd;
}

/* Losses without queues do not show missing bandwidth. */
TEST_F(window, reduce_calm)
{
	u32 cwnd = 64;

	self->t.lane->cwnd = cwnd;

	EXPECT_EQ(cwnd - cwnd / 16, lose_one(&self->t, 240 * US));
}

TEST_F(window, reduce_queue)
{
	u32 cwnd = self->t.lane->cwnd;

	EXPECT_EQ(cwnd / 2, lose_one(&self->t, 260 * US));
}

TEST_HARNESS_MAIN
