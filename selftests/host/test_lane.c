// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lanes: received PSNs, acknowledgements, loss, round-trip time
 */
#include "lone.h"
#include "harness.h"

#define US	((weft_ns)NSEC_PER_USEC)
#define MS	((weft_ns)NSEC_PER_MSEC)
#define PSN	0xfffffff0u	/* so that PSNs wrap in each test */

FIXTURE(lane)
{
	struct lone t;
};

FIXTURE_SETUP(lane)
{
	lone_init(&self->t, PSN);
}

FIXTURE_TEARDOWN(lane)
{
	lone_fini(&self->t);
}

static void take(struct lone *t, u32 psn, bool acknow)
{
	weft_lock(&t->path->lock);
	weft_lane_take(t->path, t->lane, psn, 1, acknow, t->out->now);
	weft_unlock(&t->path->lock);
}

/* ---- Receiving ------------------------------------------------------- */

TEST_F(lane, seen)
{
	struct weft_lane *lane = self->t.lane;
	u32 i;

	EXPECT_EQ(WEFT_PSN_OLD, weft_lane_seen(lane, PSN - 1));
	EXPECT_EQ(WEFT_PSN_OLD, weft_lane_seen(lane, PSN - WEFT_WINDOW));
	EXPECT_EQ(WEFT_PSN_NEW, weft_lane_seen(lane, PSN));
	EXPECT_EQ(WEFT_PSN_NEW, weft_lane_seen(lane, PSN + WEFT_WINDOW - 1));
	EXPECT_EQ(WEFT_PSN_BEYOND, weft_lane_seen(lane, PSN + WEFT_WINDOW));
	EXPECT_EQ(WEFT_PSN_BEYOND, weft_lane_seen(lane, PSN + 0x7fffffff));
	for (i = 0; i < 100; i++) {
		take(&self->t, PSN + i, false);
		EXPECT_EQ(WEFT_PSN_OLD, weft_lane_seen(lane, PSN + i));
		EXPECT_EQ(PSN + i + 1, lane->rcv_nxt);
	}
	take(&self->t, PSN + 100 + WEFT_WINDOW - 1, false);
	EXPECT_EQ(WEFT_PSN_OLD, weft_lane_seen(lane, PSN + 100 + WEFT_WINDOW - 1));
	EXPECT_EQ(WEFT_PSN_NEW, weft_lane_seen(lane, PSN + 100));
	EXPECT_EQ(1, lane->rcv_ahead);
}

/* Packets in any order against a plain array. */
TEST_F(lane, take_random)
{
	enum { N = 40000 };
	struct weft_lane *lane = self->t.lane;
	u8 *got = calloc(N + WEFT_WINDOW, 1);
	u32 base = 0, round, i;

	for (round = 0; round < 200000 && base < N; round++) {
		u32 p = base + rig_below(self->t.rig, round % 7 ? 40 : WEFT_WINDOW + 10);
		int seen = weft_lane_seen(lane, PSN + p);
		u32 words[WEFT_SACK_BITS / 32], n;

		if (p >= base + WEFT_WINDOW) {
			ASSERT_EQ(WEFT_PSN_BEYOND, seen);
			continue;
		}
		ASSERT_EQ(got[p] ? WEFT_PSN_OLD : WEFT_PSN_NEW, seen);
		if (!got[p]) {
			got[p] = 1;
			take(&self->t, PSN + p, false);
			while (got[base])
				base++;
		}
		ASSERT_EQ(PSN + base, lane->rcv_nxt);
		if (round % 16)
			continue;
		n = weft_lane_sack(lane, words);
		ASSERT_TRUE(n >= 1 && n <= WEFT_SACK_BITS / 32);
		for (i = 0; i < WEFT_SACK_BITS; i++)
			ASSERT_EQ(got[base + 1 + i], i / 32 < n && words[i / 32] >> (i % 32) & 1);
	}
	EXPECT_GE(base, N);
	free(got);
}

TEST_F(lane, ack_due)
{
	struct lone *t = &self->t;
	struct weft_lane *lane = t->lane;
	weft_ns delay = t->core->conf.ack_delay_ns;
	u32 psn = PSN + WEFT_ACK_EVERY - 1, i;

	/* some packets wait for their acknowledgement, up to a limit */
	for (i = 0; i < WEFT_ACK_EVERY - 2; i++)
		take(t, PSN + i, false);
	EXPECT_EQ(t->out->now + delay, lane->ack_at);
	lone_wait(t, 10 * US);
	delay -= 10 * US;
	take(t, psn - 1, false);
	EXPECT_FALSE(lane->ack_now);
	EXPECT_EQ(t->out->now + delay, lane->ack_at);
	lone_output(t);
	EXPECT_EQ(0, t->out->ntx);
	EXPECT_LE(t->path->timer_at, lane->ack_at);
	take(t, psn, false);
	lone_output(t);
	ASSERT_EQ(1, t->out->ntx);
	EXPECT_EQ(NULL, t->out->tx[0].rec);
	EXPECT_FALSE(lane->ack_now);
	EXPECT_EQ(U64_MAX, lane->ack_at);
	lone_drop(t);

	/* its timer expires */
	take(t, psn + 1, false);
	lone_wait(t, delay + 10 * US);
	lone_timer(t);
	EXPECT_EQ(1, t->out->ntx);
	lone_drop(t);

	/* the sender asks for it */
	take(t, psn + 2, true);
	lone_output(t);
	EXPECT_EQ(1, t->out->ntx);
	lone_drop(t);

	/* a gap, and its end */
	take(t, psn + 4, false);
	lone_output(t);
	EXPECT_EQ(1, t->out->ntx);
	lone_drop(t);
	take(t, psn + 3, false);
	lone_output(t);
	EXPECT_EQ(1, t->out->ntx);
	lone_drop(t);

	/* the acknowledgement leaves with a packet in the other direction */
	take(t, psn + 5, false);
	lone_send(t);
	ASSERT_EQ(1, t->out->ntx);
	EXPECT_NE(NULL, t->out->tx[0].rec);
	EXPECT_EQ(U64_MAX, lane->ack_at);
}

/* ---- Acknowledgements ------------------------------------------------ */

TEST_F(lane, acked)
{
	struct lone *t = &self->t;
	u32 i;

	for (i = 0; i < 20; i++)
		lone_send(t);
	EXPECT_EQ(20, t->out->ntx);
	for (i = 0; i < 20; i++)
		EXPECT_EQ(PSN + i, t->out->tx[i].psn);
	EXPECT_EQ(20, t->lane->flight);
	EXPECT_NE(U64_MAX, t->lane->rto_at);
	lone_drop(t);
	lone_wait(t, 30 * US);
	lone_ack(t, PSN + 7, NULL, 0, 0);
	EXPECT_EQ(13, t->lane->flight);
	EXPECT_EQ(PSN + 7, t->lane->snd_una);
	EXPECT_TRUE(lone_sound(t));
	/* an older one, and the same again */
	lone_ack(t, PSN + 3, NULL, 0, 0);
	lone_ack(t, PSN + 7, NULL, 0, 0);
	EXPECT_EQ(PSN + 7, t->lane->snd_una);
	EXPECT_EQ(13, t->lane->flight);
	lone_ack(t, PSN + 20, NULL, 0, 0);
	EXPECT_EQ(0, t->lane->flight);
	EXPECT_EQ(0, t->path->flight);
	EXPECT_EQ(U64_MAX, t->lane->rto_at);
	EXPECT_EQ(U64_MAX, weft_lane_next(t->lane));
	EXPECT_EQ(20, t->path->nrecs);
}

TEST_F(lane, acked_sack)
{
	struct lone *t = &self->t;
	u32 words[WEFT_SACK_BITS / 32] = { 0 }, i;

	for (i = 0; i < 100; i++) {
		lone_send(t);
		lone_drop(t);
	}
	lone_wait(t, 30 * US);
	/* all but 0, 10 and 50 */
	for (i = 1; i < 100; i++)
		if (i != 10 && i != 50)
			words[(i - 1) / 32] |= 1u << (i - 1) % 32;
	lone_ack(t, PSN, words, 4, 0);
	EXPECT_EQ(3, lone_count(&t->lane->sent));
	EXPECT_EQ(PSN, t->lane->snd_una);
	EXPECT_TRUE(lone_sound(t));
	lone_ack(t, PSN + 51, NULL, 0, 0);
	EXPECT_EQ(0, lone_count(&t->lane->sent));
	EXPECT_EQ(PSN + 51, t->lane->snd_una);
	lone_ack(t, PSN + 100, NULL, 0, 0);
	EXPECT_EQ(PSN + 100, t->lane->snd_una);
}

/* Acknowledgements that a correct peer never sends change nothing. */
TEST_F(lane, acked_hostile)
{
	struct lone *t = &self->t;
	u32 all[WEFT_SACK_BITS / 32], i;

	memset(all, 0xff, sizeof(all));
	for (i = 0; i < 4; i++)
		lone_send(t);
	lone_drop(t);
	lone_wait(t, 30 * US);
	lone_ack(t, PSN + 5, NULL, 0, 0);
	lone_ack(t, PSN + 5, all, 8, 0);
	lone_ack(t, PSN + 0x7fffffff, all, 8, 0);
	EXPECT_EQ(4, t->lane->flight);
	EXPECT_EQ(PSN, t->lane->snd_una);
	/* "before" all of them */
	lone_ack(t, PSN + 0x80000010, all, 8, U32_MAX);
	lone_ack(t, PSN - 1000, all, 8, U32_MAX);
	EXPECT_EQ(4, t->lane->flight);
	/* beyond what was sent */
	lone_ack(t, PSN, all, 8, U32_MAX);
	EXPECT_EQ(1, lone_count(&t->lane->sent));
	lone_ack(t, PSN + 4, all, 8, U32_MAX);
	EXPECT_EQ(0, lone_count(&t->lane->sent));
	EXPECT_EQ(PSN + 4, t->lane->snd_nxt);
	EXPECT_TRUE(lone_sound(t));
	EXPECT_LE(t->path->class[0].rto, WEFT_RTO_MAX);
}

TEST_F(lane, acked_random)
{
	struct lone *t = &self->t;
	u32 round;

	for (round = 0; round < 20000; round++) {
		u32 words[WEFT_SACK_BITS / 32], n = rig_below(t->rig, 9), i;
		u32 ack = t->lane->snd_una + rig_below(t->rig, 64) - 8;

		lone_wait(t, rig_below(t->rig, 100000));
		switch (rig_below(t->rig, 4)) {
		case 0:
			for (i = 0; i < WEFT_SACK_BITS / 32; i++)
				words[i] = rig_random(t->rig) & rig_random(t->rig);
			if (!rig_below(t->rig, 10))
				ack = rig_random(t->rig);
			lone_ack(t, ack, words, n, rig_below(t->rig, 200));
			break;
		case 1:
			lone_timer(t);
			break;
		default:
			lone_send(t);
		}
		ASSERT_TRUE(lone_sound(t));
		ASSERT_LE(t->lane->snd_nxt - t->lane->snd_una, WEFT_WINDOW);
		if (lone_count(&t->lane->sent))
			ASSERT_NE(U64_MAX, t->lane->rto_at);
		lone_drop(t);
	}
}

/* ---- Loss ------------------------------------------------------------ */

/* The shortest round trip is valid for some time, then the next one is. */
TEST_F(lane, rtt_min)
{
	struct lone *t = &self->t;
	u32 psn = PSN;

	lone_send(t);
	lone_drop(t);
	lone_wait(t, 100 * US);
	lone_ack(t, ++psn, NULL, 0, 0);
	EXPECT_EQ(100 * US, t->path->rtt_min);
	lone_send(t);
	lone_drop(t);
	lone_wait(t, 300 * US);
	lone_ack(t, ++psn, NULL, 0, 0);
	EXPECT_EQ(100 * US, t->path->rtt_min);
	lone_wait(t, WEFT_RTT_FRESH);
	lone_send(t);
	lone_drop(t);
	lone_wait(t, 300 * US);
	lone_ack(t, ++psn, NULL, 0, 0);
	EXPECT_EQ(300 * US, t->path->rtt_min);
}

/* Acknowledgements are lost for some time: packets that were not sent again give no measurement. */
TEST_F(lane, rtt_lost)
{
	struct lone *t = &self->t;
	u32 i;

	for (i = 0; i < 10; i++)
		lone_send(t);
	lone_drop(t);
	lone_wait(t, 100 * US);
	lone_ack(t, PSN + 1, NULL, 0, 0);
	EXPECT_EQ(100 * US, t->path->class[0].srtt);
	/* the probe, then the timeout: two are sent again */
	for (i = 0; i < 2; i++) {
		t->out->now = t->lane->rto_at;
		lone_timer(t);
		lone_drop(t);
	}
	EXPECT_LT(0, lone_count(&t->lane->lost));
	lone_wait(t, 3000 * MS);
	lone_ack(t, PSN + 10, NULL, 0, 0);
	EXPECT_EQ(100 * US, t->path->class[0].srtt);
	EXPECT_TRUE(lone_sound(t));
}

#define STUCK(t, now)	weft_lane_stuck((t)->path, (t)->lane, now)

/* Another CPU may send a packet again after a timer's time was read. */
TEST_F(lane, stuck)
{
	struct lone *t = &self->t;
	const weft_ns most = t->core->conf.dead_ns;
	weft_ns begin;

	lone_send(t);
	lone_wait(t, 500 * MS);
	EXPECT_FALSE(STUCK(t, t->out->now));
	t->out->now = t->lane->rto_at;
	lone_timer(t);
	lone_drop(t);
	begin = t->out->now;
	EXPECT_FALSE(STUCK(t, begin));
	EXPECT_FALSE(STUCK(t, begin - 5 * MS));
	EXPECT_FALSE(STUCK(t, begin + most - 5 * MS));
	EXPECT_TRUE(STUCK(t, begin + most + 5 * MS));
	/* once more: the first transmission counts */
	t->out->now = t->lane->rto_at;
	lone_timer(t);
	lone_drop(t);
	EXPECT_TRUE(STUCK(t, begin + most + 5 * MS));
	lone_ack(t, PSN + 1, NULL, 0, 0);
	EXPECT_FALSE(STUCK(t, begin + most + 5 * MS));
}

/* RFC 6298: no packet arrives at all. */
TEST_F(lane, timeout)
{
	struct lone *t = &self->t;
	weft_ns rto = t->path->class[0].rto, wait = rto;
	u32 i;

	for (i = 0; i < 10; i++)
		lone_send(t);
	lone_drop(t);
	EXPECT_EQ(t->out->now + rto, t->lane->rto_at);
	lone_wait(t, rto - 1);
	lone_timer(t);
	EXPECT_EQ(0, t->out->ntx);
	lone_wait(t, 1);
	lone_timer(t);
	/* all is lost, and two leave at a time */
	EXPECT_EQ(1, rig_counter(&t->rig->node[0], WEFT_CNT_timeouts));
	EXPECT_EQ(WEFT_CWND_MIN, t->lane->cwnd);
	ASSERT_EQ(2, t->out->ntx);
	EXPECT_EQ(PSN, t->out->tx[0].psn);
	EXPECT_EQ(PSN + 1, t->out->tx[1].psn);
	EXPECT_EQ(8, lone_count(&t->lane->lost));
	EXPECT_TRUE(lone_sound(t));
	lone_drop(t);
	for (i = 0; i < 8; i++) {
		wait = min(wait * 2, WEFT_RTO_MAX);
		EXPECT_EQ(t->out->now + wait, t->lane->rto_at);
		t->out->now = t->lane->rto_at;
		lone_timer(t);
		ASSERT_EQ(3, t->out->ntx);
		/* the oldest always, and all others in turn */
		EXPECT_EQ(PSN, t->out->tx[0].psn);
		EXPECT_EQ(PSN + 1 + (2 * i + 1) % 9, t->out->tx[1].psn);
		EXPECT_EQ(PSN + 1 + (2 * i + 2) % 9, t->out->tx[2].psn);
		EXPECT_TRUE(lone_sound(t));
		lone_drop(t);
	}
	/* slow start up to three fifths of the old window, and no more back-off */
	EXPECT_EQ(WEFT_CWND_INIT * 3 / 5, t->lane->ssthresh);
	lone_ack(t, PSN + 2, NULL, 0, 0);
	EXPECT_EQ(0, t->lane->backoff);
	lone_output(t);
	EXPECT_EQ(WEFT_CWND_MIN + 3, t->lane->cwnd);
	EXPECT_EQ(WEFT_CWND_MIN + 1, t->out->ntx);
	lone_drop(t);
	lone_ack(t, PSN + 10, NULL, 0, 0);
	EXPECT_EQ(0, lone_count(&t->lane->sent));
}

/*
 * The peer lacks the oldest packet alone, and has more than SACK can name. The packets that it has
 * are not sent in place of the missing one.
 */
TEST_F(lane, timeout_oldest)
{
	enum { N = 3 * WEFT_SACK_BITS / 2 };
	u32 all[WEFT_SACK_BITS / 32], i;
	struct lone *t = &self->t;

	memset(all, 0xff, sizeof(all));
	t->lane->cwnd = N;
	for (i = 0; i < N; i++) {
		lone_send(t);
		lone_drop(t);
	}
	lone_wait(t, 30 * US);
	lone_ack(t, PSN, all, WEFT_SACK_BITS / 32, 0);
	EXPECT_EQ(N - WEFT_SACK_BITS, lone_count(&t->lane->sent));
	for (i = 0; i < 12; i++) {
		t->out->now = t->lane->rto_at;
		lone_timer(t);
		ASSERT_LT(0, t->out->ntx);
		ASSERT_EQ(PSN, t->out->tx[0].psn);
		EXPECT_TRUE(lone_sound(t));
		lone_drop(t);
		/* the packet is lost again, and the peer's SACK stays the same */
		lone_ack(t, PSN, all, WEFT_SACK_BITS / 32, 0);
	}
	EXPECT_EQ(12, rig_counter(&t->rig->node[0], WEFT_CNT_timeouts));
	EXPECT_EQ(N - WEFT_SACK_BITS, lone_count(&t->lane->sent));
	lone_ack(t, PSN + N, NULL, 0, 0);
	EXPECT_EQ(0, lone_count(&t->lane->sent));
}

static void arm(struct lone *t)
{
	weft_lock(&t->path->lock);
	weft_lane_arm(t->path, t->lane, t->out->now);
	weft_unlock(&t->path->lock);
}

/* A packet of FIRST may wait behind DATA that is on its way: its timer waits as long. */
TEST_F(lane, timer_behind_data)
{
	struct lone *t = &self->t;
	struct weft_class *c = t->path->class;
	weft_ns alone;
	u32 i;

	for (i = 0; i < WEFT_CLASSES; i++) {
		c[i].srtt = i == WEFT_CLASS_DATA ? 40 * MS : 2 * MS;
		c[i].rttvar = MS;
		c[i].rto = i == WEFT_CLASS_DATA ? 50 * MS : 6 * MS;
	}
	lone_send(t);
	lone_drop(t);
	alone = t->lane->rto_at - t->out->now;
	EXPECT_GE(10 * MS, alone);
	/* a packet of DATA on its way */
	t->path->lane[WEFT_CLASS_DATA * WEFT_CLASS_LANES + 1].flight++;
	t->path->flight++;
	arm(t);
	EXPECT_EQ(t->out->now + 50 * MS, t->lane->rto_at);
	/* without a measurement the class has the initial timeout, which says nothing */
	c[WEFT_CLASS_DATA].srtt = 0;
	arm(t);
	EXPECT_EQ(t->out->now + alone, t->lane->rto_at);
	c[WEFT_CLASS_DATA].srtt = 40 * MS;
	t->path->lane[WEFT_CLASS_DATA * WEFT_CLASS_LANES + 1].flight--;
	t->path->flight--;
	arm(t);
	EXPECT_EQ(t->out->now + alone, t->lane->rto_at);
}

/* The last packets of a burst: a probe comes before the timeout. */
TEST_F(lane, probe)
{
	struct lone *t = &self->t;
	u32 cwnd, i;

	lone_send(t);
	lone_wait(t, 100 * US);
	lone_ack(t, PSN + 1, NULL, 0, 0);
	lone_drop(t);
	cwnd = t->lane->cwnd;
	for (i = 0; i < 3; i++)
		lone_send(t);
	lone_drop(t);
	EXPECT_LE(t->lane->rto_at, t->out->now + t->path->class[0].rto);
	t->out->now = t->lane->rto_at;
	lone_timer(t);
	ASSERT_EQ(1, t->out->ntx);
	EXPECT_EQ(PSN + 3, t->out->tx[0].psn);
	EXPECT_EQ(0, rig_counter(&t->rig->node[0], WEFT_CNT_timeouts));
	EXPECT_EQ(cwnd, t->lane->cwnd);
	EXPECT_EQ(3, t->lane->flight);
	lone_drop(t);
	t->out->now = t->lane->rto_at;
	lone_timer(t);
	EXPECT_EQ(1, rig_counter(&t->rig->node[0], WEFT_CNT_timeouts));
	EXPECT_EQ(2, t->out->ntx);
	EXPECT_TRUE(lone_sound(t));
}

/* ---- Time ------------------------------------------------------------ */

TEST_F(lane, rtt)
{
	struct lone *t = &self->t;
	struct weft_path *path = t->path;

	path->peer_ack_delay = 50 * US;
	lone_send(t);
	lone_drop(t);
	lone_wait(t, 400 * US);
	lone_ack(t, PSN + 1, NULL, 0, 0);
	EXPECT_EQ(400 * US, path->class[0].srtt);
	EXPECT_EQ(200 * US, path->class[0].rttvar);
	lone_send(t);
	lone_drop(t);
	lone_wait(t, 300 * US);
	/* the peer delayed the acknowledgement for 100 of them */
	lone_ack(t, PSN + 2, NULL, 0, 100);
	EXPECT_EQ(375 * US, path->class[0].srtt);
	EXPECT_EQ(200 * US, path->class[0].rttvar);
	EXPECT_EQ(max(375 * US + 4 * 200 * US, t->core->conf.rto_min_ns) + 50 * US,
		  path->class[0].rto);
}

/* Karn's rule: a packet that was sent twice gives no measurement. */
TEST_F(lane, rtt_again)
{
	struct lone *t = &self->t;

	lone_send(t);
	lone_drop(t);
	t->out->now = t->lane->rto_at;
	lone_timer(t);
	lone_drop(t);
	lone_wait(t, US);
	lone_ack(t, PSN + 1, NULL, 0, 0);
	EXPECT_EQ(0, t->path->class[0].srtt);
	EXPECT_EQ(WEFT_RTO_INIT, t->path->class[0].rto);
}

/* ---- Missing memory and space ---------------------------------------- */

TEST_F(lane, output_full)
{
	struct lone *t = &self->t;
	u32 i;

	for (i = 0; i < WEFT_OUT_TX + 5; i++)
		lone_send(t);
	EXPECT_EQ(WEFT_OUT_TX, t->out->ntx);
	EXPECT_TRUE(t->path->in_more);
	EXPECT_TRUE(t->path->busy & 1);
	EXPECT_EQ(5, lone_count(&t->lane->ctlq));
	lone_drop(t);
	lone_output(t);
	EXPECT_EQ(1, t->out->ntx);
	EXPECT_FALSE(t->path->in_more);
	EXPECT_FALSE(t->path->busy & 1);
	lone_drop(t);

	/* an answer */
	take(t, PSN, true);
	t->out->ntx = WEFT_OUT_TX;
	lone_output(t);
	EXPECT_TRUE(t->lane->ack_now);
	t->out->ntx = 0;
	lone_drop(t);
	lone_output(t);
	EXPECT_EQ(1, t->out->ntx);
	lone_drop(t);

	/* a packet to send again */
	t->out->now = t->lane->rto_at;
	t->out->ntx = WEFT_OUT_TX;
	lone_timer(t);
	EXPECT_TRUE(t->path->in_more);
	EXPECT_EQ(WEFT_OUT_TX + 1, lone_count(&t->lane->lost));
	t->out->ntx = 0;
	lone_drop(t);
	lone_output(t);
	EXPECT_EQ(2, t->out->ntx);
	EXPECT_TRUE(lone_sound(t));
}

TEST_F(lane, output_no_memory)
{
	struct lone *t = &self->t;

	ASSERT_TRUE(lone_note(t, 8));
	weft_host_fail_nth(1);
	lone_output(t);
	EXPECT_EQ(0, t->out->ntx);
	EXPECT_TRUE(t->path->busy & 1);
	EXPECT_LE(t->path->timer_at, t->out->now + t->core->conf.ack_delay_ns);
	lone_output(t);
	EXPECT_EQ(1, t->out->ntx);
	EXPECT_FALSE(t->path->busy & 1);
}

/* A loss reduces the window even if half of all PSNs have passed since the last loss. */
TEST(recover_long_ago)
{
	static const u32 ago[] = { 1, WEFT_WINDOW, 0x7fffffff, 0x80000001, 0xc0000000 };
	const u32 words[1] = { 0x1f };
	u32 i, k;

	for (k = 0; k < ARRAY_SIZE(ago); k++) {
		struct lone t;

		lone_init(&t, PSN);
		t.lane->recover = PSN - ago[k];
		for (i = 0; i < 6; i++)
			lone_send(&t);
		lone_drop(&t);
		lone_wait(&t, MS);
		lone_ack(&t, PSN, words, 1, 0);
		lone_wait(&t, MS);
		lone_timer(&t);
		lone_drop(&t);
		EXPECT_EQ(1, t.path->counts.retrans);
		EXPECT_EQ(WEFT_CWND_INIT * 3 / 5, t.lane->cwnd);
		/* once for a round trip */
		lone_wait(&t, MS);
		lone_ack(&t, PSN, words, 1, 0);
		EXPECT_EQ(WEFT_CWND_INIT * 3 / 5, t.lane->cwnd);
		lone_fini(&t);
	}
}

TEST_HARNESS_MAIN
