// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of a path: loss in each direction, counted exactly; new paths and old ones; paths that
 * end; what the answering side keeps and how often it answers
 */
#include "lone.h"
#include "harness.h"

#define US	((weft_ns)NSEC_PER_USEC)
#define MS	((weft_ns)NSEC_PER_MSEC)
#define SEC	((weft_ns)NSEC_PER_SEC)
#define N	100

/**
 * struct world - nodes, and a probe from the first one to the second one
 * @rig: world
 * @core: core of the first node
 * @conf: what probes send
 * @no: number of the newest probe
 * @info: its result
 */
struct world {
	struct rig *rig;
	struct weft_core *core;
	struct weft_echo_conf conf;
	u32 no;
	struct weft_echo_info info;
};

static void world_init(struct world *w, struct rig_conf *conf)
{
	memset(w, 0, sizeof(*w));
	w->rig = rig_new(conf);
	w->core = &w->rig->node[0].core;
	w->conf = (struct weft_echo_conf){
		.count = N, .size = WEFT_ECHO_SIZE_MIN, .interval = MS,
	};
}

static void world_default(struct world *w)
{
	struct rig_conf conf;

	rig_conf_default(&conf, 21);
	world_init(w, &conf);
}

/* Begin a probe of the path to @node. Return: as weft_echo_start(). */
static int start(struct world *w, u32 node)
{
	struct weft_out *out = rig_out(&w->rig->node[0]);
	struct weft_sockaddr to;
	int err;

	rig_node_addr(&w->rig->conf, node, 0, &to);
	err = weft_echo_start(w->core, &to, &w->conf, rig_clock(&w->rig->node[0]), out, &w->no);
	rig_leave(&w->rig->node[0], out);
	return err;
}

static int look(struct world *w, u32 no)
{
	return weft_echo_look(w->core, no, rig_clock(&w->rig->node[0]), &w->info);
}

static bool is_over(void *arg)
{
	struct world *w = arg;

	return look(w, w->no) || w->info.state == WEFT_ECHOS_OVER;
}

/* Return: the probe is over within @ns. */
static bool ends(struct world *w, weft_ns ns)
{
	return rig_until(w->rig, is_over, w, ns) && !look(w, w->no);
}

/* A whole probe. Return: it is over, without an error. */
static bool whole(struct world *w)
{
	return !start(w, 1) && ends(w, 60 * SEC) && !w->info.err;
}

static struct weft_path *path_of(struct world *w)
{
	struct weft_path *path = rig_path(w->core);

	if (path)
		weft_path_put(path);
	return path;
}

/* Nothing is lost. The first probe makes the path, the second one finds it. */
TEST(echo__clean)
{
	static const u16 families[] = { AF_INET, AF_INET6 };
	struct rig_conf conf;
	struct world w;
	u32 i, k, last = 0;

	for (i = 0; i < 2; i++) {
		rig_conf_default(&conf, 3);
		conf.family = families[i];
		world_init(&w, &conf);
		for (k = 0; k < 2; k++) {
			ASSERT_TRUE(whole(&w));
			EXPECT_NE(last, w.no);
			last = w.no;
			EXPECT_EQ(N, w.info.count);
			EXPECT_EQ(N, w.info.sent);
			EXPECT_EQ(N, w.info.came);
			EXPECT_EQ(N, w.info.answered);
			EXPECT_EQ(N, w.info.back);
			EXPECT_TRUE(w.info.exact);
			/* two round trips */
			EXPECT_EQ(!k, !!w.info.hello);
			EXPECT_LE(w.info.hello, 4 * (conf.delay + conf.jitter));
			EXPECT_GE(w.info.rtt_min, 2 * conf.delay);
			EXPECT_LE(w.info.rtt_min, w.info.rtt_avg);
			EXPECT_LE(w.info.rtt_avg, w.info.rtt_max);
			EXPECT_LE(w.info.rtt_max, 2 * (conf.delay + conf.jitter));
			EXPECT_GT(w.info.rtt_dev, 0);
			EXPECT_LE(w.info.rtt_dev, 2 * conf.jitter);
			EXPECT_EQ(1472, w.info.max_payload);
		}
		EXPECT_EQ(2 * N, rig_counter(&w.rig->node[1], WEFT_CNT_probes_answered));
		EXPECT_EQ(1, w.core->npaths);
		rig_free(w.rig);
	}
}

/* The deviation of times that are known. */
TEST(echo__deviation)
{
	struct rig_conf conf;
	struct world w;
	u32 i;

	rig_conf_default(&conf, 3);
	conf.jitter = 1;
	world_init(&w, &conf);
	ASSERT_EQ(0, start(&w, 1));
	/* half of the packets take 40 us longer */
	for (i = 0; i < N; i++) {
		w.rig->conf.delay = conf.delay + (i % 2 ? 20 * US : 0);
		rig_run(w.rig, MS);
	}
	ASSERT_TRUE(ends(&w, SEC));
	EXPECT_EQ(N, w.info.back);
	EXPECT_GE(w.info.rtt_min, 20 * US);
	EXPECT_LE(w.info.rtt_max, 60 * US + 2);
	EXPECT_GE(w.info.rtt_avg, 39 * US);
	EXPECT_LE(w.info.rtt_avg, 41 * US);
	EXPECT_GE(w.info.rtt_dev, 20 * US - 500);
	EXPECT_LE(w.info.rtt_dev, 20 * US + 500);
	rig_free(w.rig);
}

/* Packets of a direction that are lost: those whose number modulo @of is below @lost. */
struct losses {
	u32 of;
	u32 to;
	u32 from;
};

/* Each lost packet is counted in its direction, also when the last ones are lost. */
TEST(echo__lost)
{
	static const struct losses all[] = {
		{ 5, 1, 0 }, { 5, 0, 1 }, { 10, 3, 0 }, { 10, 2, 9 }, { 2, 1, 0 }, { 2, 0, 1 },
		{ 3, 1, 2 },
	};
	u32 i, k, n, to, from;
	struct world w;

	for (k = 0; k < ARRAY_SIZE(all); k++) {
		world_default(&w);
		ASSERT_TRUE(whole(&w));
		ASSERT_EQ(0, start(&w, 1));
		/* the packet is sent at the end of the first part */
		to = 0;
		from = 0;
		for (i = N; i--;) {
			n = i % all[k].of;
			rig_cut_one(w.rig, 0, 1, n < all[k].to);
			rig_cut_one(w.rig, 1, 0, n < all[k].from);
			to += n < all[k].to;
			from += n >= all[k].to && n < all[k].from;
			rig_run(w.rig, i == N - 1 ? MS / 2 : MS);
		}
		rig_mend(w.rig);
		ASSERT_TRUE(ends(&w, 2 * SEC));
		EXPECT_EQ(0, w.info.err);
		EXPECT_TRUE(w.info.exact);
		EXPECT_EQ(N, w.info.sent);
		EXPECT_EQ(N - to, w.info.came);
		EXPECT_EQ(N - to, w.info.answered);
		EXPECT_EQ(N - to - from, w.info.back);
		/* the transport sees none of that */
		EXPECT_EQ(0, rig_counter(&w.rig->node[0], WEFT_CNT_retransmits));
		EXPECT_EQ(0, rig_counter(&w.rig->node[0], WEFT_CNT_timeouts));
		EXPECT_EQ(1, w.core->npaths);
		rig_free(w.rig);
	}
}

/* Packets come twice and late, and some are lost: none is counted twice. */
TEST(echo__twice)
{
	struct rig_conf conf;
	struct world w;
	u32 i;

	for (i = 0; i < 20; i++) {
		rig_conf_default(&conf, 100 + i);
		conf.dup = RIG_PPM / 2;
		conf.late = RIG_PPM / 4;
		conf.late_by = 10 * MS;
		conf.loss = i % 2 ? RIG_PPM / 10 : 0;
		world_init(&w, &conf);
		ASSERT_TRUE(whole(&w));
		EXPECT_TRUE(w.info.exact);
		EXPECT_LE(w.info.came, N);
		EXPECT_EQ(w.info.came, w.info.answered);
		EXPECT_LE(w.info.back, w.info.answered);
		EXPECT_EQ(!conf.loss, w.info.back == N);
		rig_free(w.rig);
	}
}

/* No answer comes on a path that is up: the probe ends, and does not know the direction. */
TEST(echo__silent)
{
	struct world w;
	u32 i;

	for (i = 0; i < 2; i++) {
		world_default(&w);
		ASSERT_TRUE(whole(&w));
		rig_cut_one(w.rig, 1, 0, true);
		rig_cut_one(w.rig, 0, 1, i);
		ASSERT_EQ(0, start(&w, 1));
		ASSERT_TRUE(ends(&w, N * MS + 6 * SEC));
		EXPECT_EQ(0, w.info.err);
		EXPECT_FALSE(w.info.exact);
		EXPECT_EQ(N, w.info.sent);
		EXPECT_EQ(0, w.info.came);
		EXPECT_EQ(0, w.info.back);
		EXPECT_EQ(0, w.info.rtt_max);
		EXPECT_EQ(1, w.core->npaths);
		rig_free(w.rig);
	}
}

/* The node does not answer the handshake: the result outlives the path. */
TEST(echo__no_handshake)
{
	struct world w;

	world_default(&w);
	rig_cut(w.rig, 0, 1, true);
	ASSERT_EQ(0, start(&w, 1));
	EXPECT_EQ(0, look(&w, w.no));
	EXPECT_EQ(WEFT_ECHOS_WAIT, w.info.state);
	ASSERT_TRUE(ends(&w, 6 * SEC));
	EXPECT_EQ(EHOSTUNREACH, w.info.err);
	EXPECT_EQ(0, w.info.sent);
	EXPECT_EQ(0, w.core->npaths);
	EXPECT_EQ(0, look(&w, w.no));
	/* a firewall that is opened while the handshake lasts */
	ASSERT_EQ(0, start(&w, 1));
	rig_run(w.rig, SEC);
	rig_mend(w.rig);
	ASSERT_TRUE(ends(&w, 6 * SEC));
	EXPECT_EQ(0, w.info.err);
	EXPECT_GE(w.info.hello, SEC);
	EXPECT_EQ(N, w.info.back);
	EXPECT_EQ(2, w.core->nechoes);
	EXPECT_EQ(0, weft_echo_end(w.core, w.no));
	EXPECT_EQ(-ENOENT, weft_echo_end(w.core, w.no));
	EXPECT_EQ(-ENOENT, look(&w, w.no));
	EXPECT_EQ(1, w.core->nechoes);
	rig_free(w.rig);
}

/* What cannot be probed, and a path that is being probed. */
TEST(echo__refused)
{
	struct weft_out *out;
	struct rig_conf conf;
	struct world w;
	u32 no, i;

	rig_conf_default(&conf, 9);
	conf.nodes = 70;
	world_init(&w, &conf);
	EXPECT_EQ(-EADDRINUSE, start(&w, 0));
	w.rig->conf.family = AF_INET6;
	EXPECT_EQ(-EAFNOSUPPORT, start(&w, 1));
	w.rig->conf.family = AF_INET;
	EXPECT_EQ(0, w.core->nechoes);
	ASSERT_EQ(0, start(&w, 1));
	no = w.no;
	EXPECT_EQ(-EBUSY, start(&w, 1));
	rig_run(w.rig, 10 * MS);
	EXPECT_EQ(-EBUSY, start(&w, 1));
	EXPECT_EQ(0, look(&w, no));
	EXPECT_EQ(WEFT_ECHOS_SEND, w.info.state);
	w.no = no;
	ASSERT_TRUE(ends(&w, SEC));
	EXPECT_EQ(N, w.info.back);
	/* the next one takes its place */
	ASSERT_EQ(0, start(&w, 1));
	EXPECT_EQ(1, w.core->nechoes);
	EXPECT_EQ(-ENOENT, look(&w, no));
	for (i = 2; i <= 64; i++)
		ASSERT_EQ(0, start(&w, i));
	EXPECT_EQ(-EUSERS, start(&w, 65));
	EXPECT_EQ(64, w.core->nechoes);
	/* results that nobody reads are forgotten, and so is a probe whose path is gone */
	rig_run(w.rig, 21 * SEC);
	ASSERT_EQ(0, start(&w, 65));
	EXPECT_EQ(1, w.core->nechoes);
	/* the port goes while a probe runs */
	out = rig_out(&w.rig->node[0]);
	while (weft_core_stop(w.core, rig_clock(&w.rig->node[0]), ENODEV, out))
		rig_leave(&w.rig->node[0], out);
	EXPECT_EQ(0, look(&w, w.no));
	EXPECT_EQ(ENODEV, w.info.err);
	EXPECT_NE(0, start(&w, 65));
	rig_free(w.rig);
}

/* The path ends during the probe: its administrator deletes it, or the peer's node restarts. */
TEST(echo__path_ends)
{
	struct weft_sockaddr to;
	struct weft_out *out;
	struct world w;
	u32 i;

	for (i = 0; i < 2; i++) {
		world_default(&w);
		ASSERT_EQ(0, start(&w, 1));
		rig_run(w.rig, 20 * MS);
		if (i) {
			rig_crash(&w.rig->node[1]);
			rig_start(&w.rig->node[1]);
		} else {
			rig_node_addr(&w.rig->conf, 1, 0, &to);
			out = rig_out(&w.rig->node[0]);
			EXPECT_EQ(0, weft_core_path_end(w.core, &to, false, ECONNABORTED,
							rig_clock(&w.rig->node[0]), out));
			rig_leave(&w.rig->node[0], out);
		}
		ASSERT_TRUE(ends(&w, SEC));
		EXPECT_EQ(i ? ECONNRESET : ECONNABORTED, w.info.err);
		EXPECT_GT(w.info.sent, 15);
		EXPECT_LT(w.info.sent, 25);
		EXPECT_GT(w.info.back, 15);
		EXPECT_EQ(1472, w.info.max_payload);
		EXPECT_EQ(0, w.core->npaths);
		ASSERT_TRUE(whole(&w));
		EXPECT_GT(w.info.hello, 0);
		rig_free(w.rig);
	}
}

/* Nobody reads the result any more: the probe ends. */
TEST(echo__unread)
{
	struct world w;

	world_default(&w);
	w.conf.count = 1000;
	w.conf.interval = 100 * MS;
	ASSERT_EQ(0, start(&w, 1));
	rig_run(w.rig, 5 * SEC);
	ASSERT_EQ(0, look(&w, w.no));
	EXPECT_EQ(WEFT_ECHOS_SEND, w.info.state);
	rig_run(w.rig, 20 * SEC);
	ASSERT_EQ(0, look(&w, w.no));
	EXPECT_EQ(ECANCELED, w.info.err);
	EXPECT_LE(w.info.sent, 151);
	EXPECT_GE(w.info.sent, 149);
	rig_free(w.rig);
}

/* A node of an older build does not answer: the handshake has told. */
TEST(echo__older_peer)
{
	struct weft_path *path;
	struct world w;

	world_default(&w);
	ASSERT_TRUE(whole(&w));
	path = path_of(&w);
	ASSERT_TRUE(path->peer_caps & WEFT_HELLO_ECHO);
	path->peer_caps &= ~WEFT_HELLO_ECHO;
	ASSERT_EQ(0, start(&w, 1));
	ASSERT_TRUE(ends(&w, MS));
	EXPECT_EQ(EOPNOTSUPP, w.info.err);
	EXPECT_EQ(0, w.info.sent);
	rig_free(w.rig);
}

/* Packets as long as the path carries; a new path may carry them only after a search. */
TEST(echo__size)
{
	static const struct {
		u32 narrow;
		u32 size;
		bool fits;
	} all[] = {
		{ 0, 1472, true }, { 0, 1473, false }, { 1300, 1232, true }, { 1300, 1280, true },
		{ 1300, 1301, false }, { 0, 61, true },
	};
	struct world w;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		world_default(&w);
		w.rig->conf.net.narrow = all[i].narrow;
		w.conf.size = all[i].size;
		ASSERT_EQ(0, start(&w, 1));
		ASSERT_TRUE(ends(&w, 60 * SEC));
		EXPECT_EQ(all[i].fits ? 0 : EMSGSIZE, w.info.err);
		EXPECT_EQ(all[i].fits ? N : 0, w.info.back);
		rig_free(w.rig);
	}
}

/* A probe keeps its path, and takes back one that is being released. */
TEST(echo__idle)
{
	struct rig_conf conf;
	struct world w;
	u32 i;

	rig_conf_default(&conf, 8);
	conf.core.idle_ns = SEC;
	world_init(&w, &conf);
	w.conf.count = 4;
	w.conf.interval = 5 * SEC;
	ASSERT_TRUE(whole(&w));
	EXPECT_EQ(4, w.info.back);
	EXPECT_EQ(1, rig_counter(&w.rig->node[0], WEFT_CNT_paths_made));
	EXPECT_EQ(1, w.core->npaths);
	w.conf.interval = MS;
	/* the peer has released the path, or wants to do so, too */
	for (i = 0; i < 2; i++) {
		rig_cut_one(w.rig, 1, 0, true);
		rig_cut_one(w.rig, 0, 1, i);
		while (path_of(&w)->state != WEFT_PATHS_LEAVING)
			rig_run(w.rig, 100 * MS);
		rig_run(w.rig, SEC);
		ASSERT_EQ(0, start(&w, 1));
		rig_mend(w.rig);
		ASSERT_TRUE(ends(&w, 5 * SEC));
		EXPECT_EQ(0, w.info.err);
		EXPECT_EQ(4, w.info.back);
		EXPECT_GT(w.info.hello, 0);
	}
	/* without a probe nobody needs the path */
	rig_run(w.rig, 5 * SEC);
	EXPECT_EQ(0, w.core->npaths);
	rig_free(w.rig);
}

/* ---- The answering side ------------------------------------------------------------ */

FIXTURE(answer) {
	struct lone t;
};

FIXTURE_SETUP(answer)
{
	lone_init(&self->t, 1);
}

FIXTURE_TEARDOWN(answer)
{
	lone_fini(&self->t);
}

/* A packet of probe @no comes. Return: it is answered, by @came and @answered. */
static bool echoed(struct lone *t, u32 no, u32 seq, u32 *came, u32 *answered)
{
	struct weft_w_echo w = {
		.no = cpu_to_be32(no), .seq = cpu_to_be32(seq), .stamp = cpu_to_be64(seq + 7ull),
	};
	const struct weft_w_echoed *e;
	struct weft_chunk c;
	struct weft_hdr h;
	bool sent;

	weft_lock(&t->path->lock);
	weft_echo_rx(t->path, &w, t->out);
	weft_unlock(&t->path->lock);
	sent = t->out->ntx;
	if (sent) {
		if (t->out->ntx != 1 || lone_parse(&t->out->tx[0], &h, &c) != 1 ||
		    c.type != WEFT_CHUNK_ECHOED || h.flags & WEFT_PKT_PSN ||
		    t->out->tx[0].len != WEFT_ECHO_SIZE_MIN)
			abort();
		e = (const void *)(t->out->tx[0].raw + WEFT_WIRE_HDR + WEFT_WIRE_CHUNK);
		if (be32_to_cpu(e->no) != no || be32_to_cpu(e->seq) != seq ||
		    be64_to_cpu(e->stamp) != seq + 7ull)
			abort();
		*came = be32_to_cpu(e->came);
		*answered = be32_to_cpu(e->answered);
	}
	lone_drop(t);
	return sent;
}

/* Packets come in any order, and twice. Only the newest probe is answered. */
TEST_F(answer, counts)
{
	static const u32 seqs[] = { 0, 1, 5, 3, 4, 2, 68, 6, 5 + 64, 133 };
	struct lone *t = &self->t;
	u32 i, came, answered;

	EXPECT_FALSE(echoed(t, 0, 0, &came, &answered));
	for (i = 0; i < ARRAY_SIZE(seqs); i++) {
		ASSERT_TRUE(echoed(t, 10, seqs[i], &came, &answered));
		EXPECT_EQ(i + 1, came);
		EXPECT_EQ(i + 1, answered);
		EXPECT_FALSE(echoed(t, 10, seqs[i], &came, &answered));
	}
	/* too late to be known */
	EXPECT_FALSE(echoed(t, 10, 133 - 64, &came, &answered));
	EXPECT_TRUE(echoed(t, 10, 133 - 63, &came, &answered));
	/* a packet that asks does not count */
	EXPECT_TRUE(echoed(t, 10, WEFT_ECHO_ASK, &came, &answered));
	EXPECT_TRUE(echoed(t, 10, WEFT_ECHO_ASK, &came, &answered));
	EXPECT_EQ(ARRAY_SIZE(seqs) + 1, came);
	EXPECT_EQ(ARRAY_SIZE(seqs) + 1, answered);
	EXPECT_FALSE(echoed(t, 9, 200, &came, &answered));
	EXPECT_TRUE(echoed(t, 11, 200, &came, &answered));
	EXPECT_EQ(1, came);
	EXPECT_EQ(1, answered);
	EXPECT_FALSE(echoed(t, 10, 201, &came, &answered));
}

/* More packets than answers: the report tells both. */
TEST_F(answer, rate)
{
	struct lone *t = &self->t;
	u32 i, n = 0, came, answered;

	for (i = 0; i < 3000; i++)
		n += echoed(t, 1, i, &came, &answered);
	EXPECT_EQ(1024, n);
	lone_wait(t, 20 * US);
	EXPECT_TRUE(echoed(t, 1, WEFT_ECHO_ASK, &came, &answered));
	EXPECT_EQ(3000, came);
	EXPECT_EQ(1024, answered);
	EXPECT_FALSE(echoed(t, 1, WEFT_ECHO_ASK, &came, &answered));
	lone_wait(t, 2 * US * 1000 * 1000);
	for (i = 0, n = 0; i < 3000; i++)
		n += echoed(t, 1, 3000 + i, &came, &answered);
	EXPECT_EQ(1024, n);
}

/* Answers that nobody asked for, and packets that are too short. */
TEST(echo__forged)
{
	struct weft_w_echo none = { .no = 0 };
	struct weft_hdr h = { .type = WEFT_PKT_DATA };
	struct weft_sockaddr from;
	struct weft_w_echoed re;
	struct weft_path *path;
	struct world w;
	u8 pkt[256];
	u32 len;

	world_default(&w);
	ASSERT_EQ(0, start(&w, 1));
	rig_run(w.rig, 20 * MS);
	path = path_of(&w);
	re = (struct weft_w_echoed){
		.no = cpu_to_be32(w.no + 1), .came = cpu_to_be32(1000),
		.answered = cpu_to_be32(2000),
	};
	weft_lock(&path->lock);
	/* another probe; a packet that was not sent; more than was sent; a time to come */
	weft_echo_back(path, &re, rig_clock(&w.rig->node[0]));
	EXPECT_LE(path->echo.run->came, N);
	re.no = cpu_to_be32(w.no);
	re.seq = cpu_to_be32(N + 1);
	weft_echo_back(path, &re, rig_clock(&w.rig->node[0]));
	EXPECT_LT(path->echo.run->came, path->echo.run->sent + 1);
	re.seq = cpu_to_be32(WEFT_ECHO_ASK);
	re.stamp = cpu_to_be64(U64_MAX);
	weft_echo_back(path, &re, rig_clock(&w.rig->node[0]));
	EXPECT_EQ(WEFT_ECHOS_SEND, path->echo.run->state);
	EXPECT_FALSE(path->echo.run->exact);
	EXPECT_EQ(path->echo.run->sent, path->echo.run->came);
	weft_unlock(&path->lock);
	rig_node_addr(&w.rig->conf, 1, 0, &from);
	from.port = cpu_to_be16(w.rig->conf.core.udp_port);
	h.path = path->id;
	h.token = path->token;
	for (len = 0; len <= sizeof(none); len++) {
		weft_wire_hdr_put(pkt, &h);
		memset(pkt + WEFT_WIRE_HDR, 0, sizeof(pkt) - WEFT_WIRE_HDR);
		weft_wire_echo_put(pkt + WEFT_WIRE_HDR, 5, 0, 0, 0);
		pkt[WEFT_WIRE_HDR + 3] = len;
		rig_inject(&w.rig->node[0], &from, pkt, WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + len);
		rig_run(w.rig, 10);
		EXPECT_EQ(min(len + 1, (u32)sizeof(none)),
			  rig_counter(&w.rig->node[0], WEFT_CNT_rx_bad));
		EXPECT_EQ(len == sizeof(none),
			  rig_counter(&w.rig->node[0], WEFT_CNT_probes_answered));
	}
	ASSERT_TRUE(ends(&w, SEC));
	rig_free(w.rig);
}

TEST_HARNESS_MAIN
