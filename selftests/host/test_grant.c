// SPDX-License-Identifier: GPL-2.0-only
/*
 * Grants: how many bytes of a long message each remote node may send
 */
#include "core/api/internal.h"
#include "rig.h"
#include "harness.h"

#define KIB	1024ull
#define MIB	(1024 * KIB)
#define ALL	(192 * KIB)	/* grant_bytes */
#define QUANTUM	(ALL / 16)	/* with many messages */
#define PATHS	20
#define MSGS	40

/**
 * struct port - a core, with what the test needs to feed its grants
 * @rig: its world
 * @core: the core
 * @out: output of all that is called
 */
struct port {
	struct rig *rig;
	struct weft_core *core;
	struct weft_out *out;
};

/**
 * struct run - a test
 * @t: the core
 * @path: its paths
 * @msg: messages by number, NULL: it has left
 * @n: how many there were
 */
struct run {
	struct port t;
	struct weft_path *path[PATHS];
	struct weft_rxm *msg[MSGS];
	u32 n;
};

FIXTURE(grant)
{
	struct run run;
};

FIXTURE_SETUP(grant)
{
	struct run *run = &self->run;
	struct weft_sockaddr addr;
	struct rig_conf conf;
	u32 i;

	rig_conf_default(&conf, 1);
	conf.nodes = PATHS + 1;
	conf.core.window_bytes = MIB;
	conf.core.grant_bytes = ALL;
	conf.core.max_paths = PATHS;
	run->t.rig = rig_new(&conf);
	run->t.core = &run->t.rig->node[0].core;
	run->t.out = calloc(1, sizeof(*run->t.out));
	weft_out_init(run->t.out, run->t.core);
	run->t.out->now = run->t.rig->now;
	run->n = 0;
	memset(run->msg, 0, sizeof(run->msg));
	for (i = 0; i < PATHS; i++) {
		rig_node_addr(&conf, i + 1, 0, &addr);
		run->path[i] = weft_path_find(run->t.core, &addr, run->t.out);
	}
	weft_flush(run->t.out);
}

static void leave(struct run *self, u32 i)
{
	struct weft_rxm *m = self->msg[i];

	if (!m)
		return;
	weft_lock(&m->path->lock);
	weft_grant_leave(m, self->t.out);
	weft_list_del(&m->node);
	m->path->nrxm--;
	weft_unlock(&m->path->lock);
	self->msg[i] = NULL;
	weft_grant_flush(self->t.out);
	weft_rxm_put(m);
}

/* The sums that must agree at any time. */
static bool sound(struct run *self)
{
	const struct weft_grants *g = &self->t.core->grants;
	u64 out = 0, spare = 0;
	u32 i, n = 0, paths = 0, map = 0;

	for (i = 0; i < MSGS; i++) {
		struct weft_rxm *m = self->msg[i];

		if (!m)
			continue;
		n++;
		out += m->bulk.gmsg.out;
		if (m->bulk.gmsg.given > m->bulk.room || m->bulk.gmsg.out > m->bulk.gmsg.given ||
		    !m->bulk.gmsg.out != weft_list_empty(&m->bulk.gmsg.busy))
			return false;
	}
	for (i = 0; i < PATHS; i++) {
		spare += self->path[i]->bulk.gspare;
		paths += !!self->path[i]->bulk.ngrant;
	}
	for (i = 0; i < WEFT_GRANT_CLASSES; i++)
		map |= (u32)!weft_list_empty(&g->wait[i]) << i;
	return n == g->nmsgs && paths == g->npaths && out == g->out + spare && map == g->map &&
	       (!g->map || g->keeper);
}

FIXTURE_TEARDOWN(grant)
{
	struct run *run = &self->run;
	u32 i;

	for (i = 0; i < MSGS; i++)
		leave(run, i);
	EXPECT_TRUE(sound(run));
	EXPECT_EQ(0, run->t.core->grants.out);
	EXPECT_TRUE(weft_list_empty(&run->t.core->grants.busy));
	for (i = 0; i < PATHS; i++) {
		weft_lock(&run->path[i]->lock);
		weft_path_fail(run->path[i], ETIMEDOUT, run->t.out);
		weft_unlock(&run->path[i]->lock);
		weft_flush(run->t.out);
		weft_path_put(run->path[i]);
	}
	free(run->t.out);
	rig_free(run->t.rig);
}

/* A message of @len bytes on path @p, from service @ssvc. Return: its number. */
static u32 join_from(struct run *self, u32 p, u64 len, u16 ssvc)
{
	struct weft_path *path = self->path[p];
	struct weft_rxm *m;

	weft_lock(&path->lock);
	m = weft_rxm_new(path, NULL);
	m->id.ssvc = ssvc;
	m->bulk.room = len;
	weft_grant_join(m, self->t.out);
	weft_unlock(&path->lock);
	weft_grant_flush(self->t.out);
	self->msg[self->n] = m;
	return self->n++;
}

static u32 join(struct run *self, u32 p, u64 len)
{
	return join_from(self, p, len, 0);
}

static void came(struct run *self, u32 i, u64 n)
{
	struct weft_path *path = self->msg[i]->path;

	weft_lock(&path->lock);
	weft_grant_came(self->msg[i], n, self->t.out);
	weft_unlock(&path->lock);
	weft_grant_flush(self->t.out);
}

#define ALLOWED(i)	(run->msg[i]->bulk.allowed)

TEST_F(grant, alone)
{
	struct run *run = &self->run;
	u32 a = join(run, 0, 10 * MIB), b;

	/* the second window comes when some bytes have arrived: until then others may join */
	EXPECT_EQ(MIB, ALLOWED(a));
	EXPECT_TRUE(sound(run));
	came(run, a, KIB);
	EXPECT_EQ(2 * MIB, ALLOWED(a));
	EXPECT_TRUE(sound(run));
	/* a second, shorter message from the same node waits until grant_bytes permit it */
	b = join(run, 0, MIB);
	EXPECT_EQ(0, ALLOWED(b));
	came(run, a, MIB - KIB);
	EXPECT_EQ(MIB, ALLOWED(b));
	EXPECT_EQ(2 * MIB, ALLOWED(a));
	came(run, a, MIB);
	EXPECT_EQ(3 * MIB, ALLOWED(a));
	EXPECT_TRUE(sound(run));
}

TEST_F(grant, several_nodes)
{
	struct run *run = &self->run;
	u32 i, n = 16;
	u64 sum = 0;

	for (i = 0; i < n; i++)
		join(run, i, 10 * MIB);
	EXPECT_TRUE(sound(run));
	/* grants of the first message from before the others came do not delay them */
	EXPECT_EQ(MIB, ALLOWED(0));
	EXPECT_EQ(MIB - ALL / 4, run->path[0]->bulk.gspare);
	for (i = 1; i < n; i++)
		sum += ALLOWED(i);
	EXPECT_LT(ALL / 2, sum);
	EXPECT_GE(ALL, sum + ALL / 4);
	/* bytes of the first message that do not count give no space to others */
	came(run, 0, MIB - ALL / 4);
	EXPECT_EQ(0, run->path[0]->bulk.gspare);
	for (i = 1; i < n; i++)
		sum -= ALLOWED(i);
	EXPECT_EQ(0, sum);
	EXPECT_TRUE(sound(run));
	/* bytes that count do */
	came(run, 0, ALL / 4);
	for (i = 1; i < n; i++)
		sum += ALLOWED(i);
	EXPECT_LT(3 * ALL / 4, sum + ALLOWED(0) - MIB);
	EXPECT_GE(ALL, sum + ALLOWED(0) - MIB);
	EXPECT_TRUE(sound(run));
}

TEST_F(grant, shortest_first)
{
	struct run *run = &self->run;
	u32 i, longest, shorter;

	for (i = 0; i < 12; i++)
		join(run, i, 10 * MIB);
	longest = join(run, 12, 100 * MIB);
	shorter = join(run, 13, 64 * KIB);
	EXPECT_EQ(0, ALLOWED(longest));
	EXPECT_EQ(0, ALLOWED(shorter));
	for (i = 1; i < 12 && !ALLOWED(shorter); i++)
		if (ALLOWED(i))
			came(run, i, ALLOWED(i));
	EXPECT_NE(0, ALLOWED(shorter));
	EXPECT_TRUE(sound(run));
}

TEST_F(grant, the_longest_is_not_starved)
{
	struct run *run = &self->run;
	u32 i, k, longest;

	for (i = 0; i < 12; i++)
		join(run, i, 10 * MIB);
	longest = join(run, 12, 100 * MIB);
	for (k = 0; k < 100 && !ALLOWED(longest); k++)
		for (i = 0; i < 12; i++)
			if (run->msg[i]->bulk.gmsg.out)
				came(run, i, QUANTUM);
	EXPECT_NE(0, ALLOWED(longest));
	EXPECT_TRUE(sound(run));
}

TEST_F(grant, one_of_many_has_its_part)
{
	struct run *run = &self->run;
	u32 i, k;

	for (i = 0; i < 12; i++)
		join(run, i, 10 * MIB);
	came(run, 0, MIB);
	for (k = 0; k < 100; k++) {
		for (i = 0; i < 12; i++)
			if (run->msg[i]->bulk.gmsg.out)
				came(run, i, QUANTUM);
		/* the first messages had more */
		for (i = 0; i < 12 && k > 10; i++)
			EXPECT_GE(ALL / 8, run->msg[i]->bulk.gmsg.out);
		EXPECT_GE(ALL, run->t.core->grants.out);
		EXPECT_TRUE(sound(run));
	}
	/* and all had their turns */
	for (i = 0; i < 12; i++)
		EXPECT_LT(QUANTUM * 20, ALLOWED(i));
}

/* Feed grants until message @i has all its bytes. Return: number of messages that have begun. */
static u32 feed(struct run *run, u32 i)
{
	u32 k, rounds, begun = 0;

	for (rounds = 0; rounds < 100000 && run->msg[i]->bulk.gmsg.given < run->msg[i]->bulk.room;
	     rounds++)
		for (k = 0; k < run->n; k++)
			if (run->msg[k]->bulk.gmsg.out)
				came(run, k, min(run->msg[k]->bulk.gmsg.out, QUANTUM));
	for (k = 0; k < run->n; k++)
		begun += !!ALLOWED(k);
	return begun;
}

/* Messages of one flow go one after the other, with one sending node and with two. */
TEST_F(grant, a_flow_in_order)
{
	struct run *run = &self->run;
	u32 i, nodes;

	for (nodes = 1; nodes <= 2; nodes++) {
		u32 first = run->n, begun;

		for (i = 0; i < 15; i++)
			join(run, 0, 10 * MIB);
		if (nodes == 2)
			join(run, 1, 100 * MIB);
		begun = feed(run, first);
		/* as many as the limits allow at once */
		EXPECT_LE(begun, nodes == 1 ? 3 : 10);
		EXPECT_EQ(10 * MIB, ALLOWED(first));
		EXPECT_TRUE(sound(run));
		for (i = 0; i < run->n; i++)
			leave(run, i);
		run->n = 0;
	}
}

/* A message does not wait for those of another program between the same nodes. */
TEST_F(grant, flows_take_turns)
{
	struct run *run = &self->run;
	u32 i, other;

	for (i = 0; i < 30; i++)
		join(run, 0, 10 * MIB);
	other = join_from(run, 0, 10 * MIB, 1);
	EXPECT_EQ(0, ALLOWED(other));
	EXPECT_LE(feed(run, other), 5);
	EXPECT_EQ(10 * MIB, ALLOWED(other));
	EXPECT_TRUE(sound(run));
}

/* Turns stay sound when messages end in any state and in any order. */
TEST_F(grant, turns_of_what_ends)
{
	struct run *run = &self->run;
	u32 i, k;

	for (i = 0; i < 36; i++)
		join_from(run, i % 3, (i % 5 + 1) * 700 * KIB, i % 7);
	for (k = 0; k < 36; k++) {
		for (i = 0; i < 36; i++)
			if (run->msg[i] && run->msg[i]->bulk.gmsg.out)
				came(run, i, min(run->msg[i]->bulk.gmsg.out, QUANTUM));
		EXPECT_TRUE(sound(run));
		leave(run, k * 5 % 36);
		EXPECT_TRUE(sound(run));
	}
	EXPECT_EQ(0, run->t.core->grants.map);
}

TEST_F(grant, who_stalls_does_not_count)
{
	struct run *run = &self->run;
	u32 i, waits, given = 0;
	u64 before;

	for (i = 0; i < 12; i++)
		join(run, i, 10 * MIB);
	for (waits = 0; waits < 12 && ALLOWED(waits); waits++)
		;
	ASSERT_NE(12, waits);
	/* a timer of a path is set */
	for (i = 0; i < 12; i++)
		given += run->path[i]->bulk.grant_at != U64_MAX;
	EXPECT_EQ(1, given);
	ASSERT_NE(NULL, run->t.core->grants.keeper);
	run->t.out->now += WEFT_GRANT_STALL;
	for (i = 0; i < 12; i++)
		if (run->path[i]->bulk.grant_at <= run->t.out->now)
			break;
	ASSERT_NE(12, i);
	weft_lock(&run->path[i]->lock);
	weft_grant_timer(run->path[i], run->t.out);
	weft_unlock(&run->path[i]->lock);
	weft_grant_flush(run->t.out);
	EXPECT_NE(0, ALLOWED(waits));
	EXPECT_TRUE(sound(run));
	/* the message gets no more until some bytes arrive */
	ASSERT_TRUE(run->msg[0]->bulk.gmsg.stalled);
	before = ALLOWED(0);
	for (i = 1; i < 12; i++)
		if (run->msg[i]->bulk.gmsg.out)
			came(run, i, run->msg[i]->bulk.gmsg.out);
	EXPECT_EQ(before, ALLOWED(0));
	came(run, 0, KIB);
	EXPECT_FALSE(run->msg[0]->bulk.gmsg.stalled);
	EXPECT_TRUE(sound(run));
}

TEST_F(grant, who_leaves_makes_room)
{
	struct run *run = &self->run;
	u32 i, waits;

	for (i = 0; i < 12; i++)
		join(run, i, 10 * MIB);
	for (waits = 0; waits < 12 && ALLOWED(waits); waits++)
		;
	ASSERT_NE(12, waits);
	for (i = 0; i < 12; i++) {
		if (i == waits)
			continue;
		leave(run, i);
		EXPECT_TRUE(sound(run));
	}
	/* it is alone now, with the grants that the limit for several had left */
	EXPECT_NE(0, ALLOWED(waits));
	came(run, waits, run->msg[waits]->bulk.gmsg.out);
	EXPECT_EQ(2 * MIB, run->msg[waits]->bulk.gmsg.out);
}

/* Let @ns pass. */
static void pass(struct run *self, weft_ns ns)
{
	self->t.out->now += ns;
}

/*
 * Bytes that are always on a long way do not use up the limit: two nodes whose round trips take 40
 * ms are granted more with each round trip.
 */
TEST_F(grant, long_way)
{
	const weft_ns rtt = 40 * NSEC_PER_MSEC;
	struct run *run = &self->run;
	u32 a, b, k;
	u64 out = 0;

	for (k = 0; k < 2; k++) {
		run->path[k]->rtt_min = rtt;
		run->path[k]->class[WEFT_CLASS_FIRST].srtt = rtt;
	}
	a = join(run, 0, 100 * MIB);
	b = join(run, 1, 100 * MIB);
	for (k = 0; k < 20; k++) {
		u64 n = run->msg[a]->bulk.gmsg.out, m = run->msg[b]->bulk.gmsg.out;

		/* the first node was alone, and then measured nothing */
		if (k > 1)
			EXPECT_LE(out, n + m);
		out = n + m;
		pass(run, rtt);
		came(run, a, n);
		came(run, b, m);
		EXPECT_TRUE(sound(run));
	}
	EXPECT_LT(5 * ALL, out);
	/* the bytes on their way are those of nodes that send */
	EXPECT_EQ(run->path[0]->bulk.far + run->path[1]->bulk.far, run->t.core->grants.far);
	leave(run, b);
	EXPECT_EQ(run->path[0]->bulk.far, run->t.core->grants.far);
	leave(run, a);
	EXPECT_EQ(0, run->t.core->grants.far);
}

/* The same bytes without a long way do not change the limit. */
TEST_F(grant, short_way)
{
	struct run *run = &self->run;
	u32 a, b, k;

	for (k = 0; k < 2; k++)
		run->path[k]->rtt_min = 100 * NSEC_PER_USEC;
	a = join(run, 0, 100 * MIB);
	b = join(run, 1, 100 * MIB);
	came(run, a, MIB);
	for (k = 0; k < 20; k++) {
		pass(run, 100 * NSEC_PER_USEC);
		came(run, a, run->msg[a]->bulk.gmsg.out);
		came(run, b, run->msg[b]->bulk.gmsg.out);
	}
	EXPECT_EQ(0, run->t.core->grants.far);
	EXPECT_GE(ALL, run->t.core->grants.out);
}

/* A message stalls only when its sender had the time to answer: two round trips of @srtt. */
static bool stalls_in_time(struct run *run, weft_ns rtt_min, weft_ns srtt)
{
	bool right = true;
	u32 i;

	for (i = 0; i < 12; i++) {
		run->path[i]->rtt_min = rtt_min;
		run->path[i]->class[WEFT_CLASS_FIRST].srtt = srtt;
		join(run, i, 10 * MIB);
	}
	for (i = 0; i < 2; i++) {
		pass(run, i ? srtt : 2 * srtt - WEFT_GRANT_STALL);
		weft_lock(&run->path[0]->lock);
		weft_grant_timer(run->path[0], run->t.out);
		weft_unlock(&run->path[0]->lock);
		weft_grant_flush(run->t.out);
		right &= run->msg[0]->bulk.gmsg.stalled == i;
	}
	return right;
}

TEST_F(grant, stall_of_a_long_way)
{
	EXPECT_TRUE(stalls_in_time(&self->run, 40 * NSEC_PER_MSEC, 40 * NSEC_PER_MSEC));
}

/* The way is short, but its nodes or its queues are slow now. */
TEST_F(grant, stall_of_a_busy_way)
{
	EXPECT_TRUE(stalls_in_time(&self->run, 100 * NSEC_PER_USEC, 10 * NSEC_PER_MSEC));
}

TEST_HARNESS_MAIN
