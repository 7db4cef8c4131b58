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

	for (i = 0; i < WEFT_WINDOW_NEW + 10; i++) {
		lone_send(t);
		lone_drop(t);
	}
	EXPECT_EQ(WEFT_WINDOW_NEW, lone_count(&t->lane->sent));
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
	fill_window(t, 24);
	psn += 24;
	lone_ack(t, psn, NULL, 0, 0);
	EXPECT_EQ(75, lane->cwnd);
	lane->ssthresh = WEFT_WINDOW;
	lane->cwnd = WEFT_WINDOW - 1;
	fill_window(t, 60);
	lone_ack(t, psn + 60, NULL, 0, 0);
	EXPECT_EQ(WEFT_WINDOW, lane->cwnd);
}

/* Slow start grows when at least half of the window was under way; later growth needs all of it. */
TEST_F(window, grow_half)
{
	struct lone *t = &self->t;
	struct weft_lane *lane = t->lane;
	u32 psn = PSN, n, slow;

	for (slow = 0; slow < 2; slow++)
		for (n = 15; n <= 16; n++) {
			lane->cwnd = 32;
			lane->ssthresh = slow ? WEFT_WINDOW : 32;
			fill_window(t, n);
			lane->limited = false;
			psn += n;
			lone_ack(t, psn, NULL, 0, 0);
			EXPECT_EQ(slow && n == 16 ? 48 : 32, lane->cwnd);
			EXPECT_FALSE(lane->limited);
		}
	/* packets that are acknowledged one by one count while enough are under way */
	lane->cwnd = 32;
	fill_window(t, 20);
	lane->limited = false;
	for (n = 1; n <= 20; n++)
		lone_ack(t, psn + n, NULL, 0, 0);
	EXPECT_EQ(32 + 4, lane->cwnd);
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
		t->lane->cwnd_cnt = (t->lane->cwnd - 2) * WEFT_CWND_UNIT;
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

/*
 * On a long way the first eight round-trip times of a round trip end slow start, if all of them are
 * longer than the shortest one by more than an eighth.
 */
TEST_F(window, grow_slow_start_of_a_long_way)
{
	struct lone *t = &self->t;
	u32 k, i, psn = PSN;

	for (k = 0; k < 3; k++) {
		t->lane->cwnd = 32;
		t->lane->ssthresh = WEFT_WINDOW;
		t->path->rtt_min = 40 * MS;
		t->path->rtt_min_at = t->out->now;
		fill_window(t, 40);
		lone_wait(t, k == 2 ? 46 * MS : 44 * MS);
		for (i = 0; i < 16; i++) {
			/* the eighth one has not waited, or the ninth one has */
			if (i == 8 && k == 1)
				lone_wait(t, 10 * MS);
			lone_ack(t, ++psn, NULL, 0, 0);
		}
		EXPECT_EQ(k == 2, t->lane->ssthresh < WEFT_WINDOW);
		psn = t->lane->snd_nxt;
		lone_ack(t, psn, NULL, 0, 0);
	}
}

/* ---- Loss ------------------------------------------------------------ */

/* All losses of one round trip reduce the window once. */
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
	/* the first acknowledgement has increased it by one */
	EXPECT_EQ((cwnd + 1) * 3 / 5, t->lane->cwnd);
	lone_drop(t);
	words[1] = 0x40;
	lone_ack(t, PSN, words, 2, 0);
	lone_wait(t, 2 * MS);
	lone_timer(t);
	EXPECT_EQ((cwnd + 1) * 3 / 5, t->lane->cwnd);
	EXPECT_TRUE(lone_sound(t));
}

/*
 * One of 40 is lost when round trips take about 500 us, 100 us without queues and @most at most.
 * Return: the window.
 */
static u32 lose_one(struct lone *t, weft_ns most)
{
	u32 words[2] = { 0x80000000u, 0 }, i;

	for (i = 0; i < 40; i++) {
		lone_send(t);
		lone_drop(t);
		lone_wait(t, US);
	}
	t->path->rtt_min = 100 * US;
	t->path->rtt_min_at = t->out->now;
	t->path->class[0].rtt_max = most;
	t->path->class[0].rtt_max_at = t->out->now;
	lone_wait(t, 500 * US);
	lone_ack(t, PSN, words, 2, 0);
	lone_wait(t, 2 * MS);
	lone_timer(t);
	lone_drop(t);
	return t->lane->cwnd;
}

/* A loss while queues are far from full does not show missing bandwidth. */
TEST_F(window, reduce_calm)
{
	/* an acknowledgement increases it by one before the loss is known */
	u32 cwnd = 64 + 1;

	self->t.lane->cwnd = 64;
	EXPECT_EQ(cwnd - cwnd / 16, lose_one(&self->t, MS));
}

TEST_F(window, reduce_queue)
{
	/* an acknowledgement increases it by one before the loss is known */
	u32 cwnd = self->t.lane->cwnd + 1;

	EXPECT_EQ(cwnd * 3 / 5, lose_one(&self->t, 800 * US));
	EXPECT_EQ(cwnd, self->t.lane->growth.w_max);
}

/* ---- CUBIC ----------------------------------------------------------- */

#define RTT	(40 * MS)

/* A round trip in which the whole window is sent and acknowledged. */
static void round_trip(struct lone *t)
{
	struct weft_lane *lane = t->lane;
	u32 n = lane->cwnd;

	fill_window(t, n);
	lone_wait(t, RTT);
	lone_ack(t, lane->snd_nxt, NULL, 0, 0);
}

/* Return: the number of round trips until the window has @upto packets, at most @most. */
static u32 round_trips(struct lone *t, u32 upto, u32 most)
{
	u32 n;

	for (n = 0; n < most && t->lane->cwnd < upto; n++)
		round_trip(t);
	return n;
}

/*
 * After a loss at 1000 packets the curve has its level after K = cbrt(300 / 0.4) = 9.1 s (RFC 9438,
 * 4.2), which are 227 round trips. It is steep first, level then, and steep again.
 */
TEST_F(window, cubic)
{
	struct lone *t = &self->t;
	struct weft_lane *lane = t->lane;
	u32 n;

	lane->cwnd = 700;
	lane->ssthresh = 700;
	lane->growth.w_max = 1000;
	/* 1000 - 0.4 * 4.5^3 = 963 after half of the time */
	n = round_trips(t, 963, 1000);
	EXPECT_LE(105, n);
	EXPECT_GE(120, n);
	n += round_trips(t, 1000, 1000);
	EXPECT_LE(180, n);
	EXPECT_GE(230, n);
	n += round_trips(t, 1038, 1000);
	EXPECT_LE(330, n);
	EXPECT_GE(350, n);
}

/*
 * A small window grows as with additive increase: three quarters of a packet in each round trip up
 * to the last window, then one.
 */
TEST_F(window, reno)
{
	struct lone *t = &self->t;
	struct weft_lane *lane = t->lane;
	u32 n;

	lane->cwnd = 14;
	lane->ssthresh = 14;
	lane->growth.w_max = 20;
	lane->growth.prior = 20;
	n = round_trips(t, 20, 1000);
	EXPECT_LE(8, n);
	EXPECT_GE(9, n);
	n = round_trips(t, 30, 1000);
	EXPECT_LE(10, n);
	EXPECT_GE(11, n);
}

/* On a long way a window grows for all flows that send, up to eight, as those of TCP would. */
TEST_F(window, flows)
{
	struct weft_flow flow[20] = { 0 };
	struct lone *t = &self->t;
	struct weft_lane *lane = t->lane;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(flow); i++) {
		flow[i].lane = i % WEFT_CLASS_LANES;
		/* the last ones have nothing under way */
		flow[i].unacked = i < 10;
		weft_list_add(&t->path->flow.list, &flow[i].node);
	}
	weft_lock(&t->path->lock);
	EXPECT_EQ(5, weft_path_senders(t->path, 0, 8));
	EXPECT_EQ(3, weft_path_senders(t->path, 1, 3));
	weft_unlock(&t->path->lock);
	lane->cwnd = 100;
	lane->ssthresh = 100;
	round_trip(t);
	n = round_trips(t, 150, 1000);
	EXPECT_LE(9, n);
	EXPECT_GE(11, n);
	/* a loss without a queue is that of one flow among five */
	n = lane->cwnd;
	lane->rack_rtt = t->path->rtt_min;
	weft_lock(&t->path->lock);
	weft_cwnd_lost(t->path, lane, lane->snd_nxt);
	weft_unlock(&t->path->lock);
	EXPECT_EQ(n - n / 20, lane->cwnd);
	for (i = 0; i < ARRAY_SIZE(flow); i++)
		weft_list_del(&flow[i].node);
}

TEST_HARNESS_MAIN
