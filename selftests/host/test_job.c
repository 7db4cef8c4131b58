// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs: names, keys, and permissions
 *
 * Endpoints of one job hear each other, those of different jobs do not. That holds between nodes
 * and within one: messages, connections, datagrams, groups. An authentication code is valid for one
 * path, one flow and one kind. Packets with a wrong code change nothing.
 */
#include "core/api/internal.h"
#include "cm_fixture.h"
#include "rig.h"

#define SLOTS	64
#define LEN	100

static const struct weft_job_key key_a = { .secret = { 1, 2 }, .print = { 3, 4 } };
static const struct weft_job_key key_b = { .secret = { 5, 6 }, .print = { 7, 8 } };
static const struct weft_job_who nobody_named;

static bool may_yes(const struct weft_job_who *who, const void *arg)
{
	return true;
}

/* Return: the user is @arg. */
static bool may_user(const struct weft_job_who *who, const void *arg)
{
	u32 i;

	for (i = 0; i < who->nuid; i++)
		if (who->uid[i] == *(const u32 *)arg)
			return true;
	return false;
}

static struct weft_job *enter(struct weft_core *core, const struct weft_job_key *key)
{
	return weft_job_enter(core, key, may_yes, NULL);
}

static void quit(struct weft_job *job)
{
	if (!job)
		return;
	weft_job_leave(job);
	weft_job_put(job);
}

/* Endpoints that @proc makes from now on are in the job; NULL: in the default one. */
static void use(struct rig_proc *proc, const char *name, const struct weft_job_key *key)
{
	struct weft_core *core = &proc->node->core;
	int err;

	quit(proc->job);
	proc->job = NULL;
	if (!key)
		return;
	err = weft_job_add(core, name, key, &nobody_named);
	if (err && err != -EEXIST)
		abort();
	proc->job = enter(core, key);
	if (IS_ERR(proc->job))
		abort();
}

static struct rig *new_rig(void)
{
	struct rig_conf conf;

	rig_conf_default(&conf, 21);
	conf.nodes = 2;
	conf.jitter = 0;
	return rig_new(&conf);
}

/* ---- What the administrator does ------------------------------------------------- */

TEST(job__names_and_keys)
{
	static const char *const good[] = {
		"a", "A9", "my-job_1.x", "0123456789012345678901234567890",
	};
	static const char *const bad[] = {
		"", "-a", ".", "_x", "a b", "a/b", "\xe4", "a\n",
		"01234567890123456789012345678901",
	};
	struct weft_job_who many = { .nuid = WEFT_JOB_WHO + 1 };
	struct weft_job_info info;
	u64 pos = 0;
	struct weft_job_key key = key_a;
	struct rig *rig = new_rig();
	struct weft_core *core = &rig->node[0].core;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-EINVAL, weft_job_add(core, bad[i], &key_a, &nobody_named));
	EXPECT_EQ(-EINVAL, weft_job_add(core, "a", &key_a, &many));
	EXPECT_EQ(0, core->njobs);
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		key.print[1] = 100 + i;
		EXPECT_EQ(0, weft_job_add(core, good[i], &key, &nobody_named));
		ASSERT_TRUE(weft_job_look(core, &pos, &info));
		EXPECT_EQ(0, strcmp(good[i], info.name));
	}
	EXPECT_FALSE(weft_job_look(core, &pos, &info));
	/* a job that goes meanwhile hides no other */
	pos = 0;
	ASSERT_TRUE(weft_job_look(core, &pos, &info));
	EXPECT_EQ(0, weft_job_del(core, info.name));
	ASSERT_TRUE(weft_job_look(core, &pos, &info));
	EXPECT_EQ(0, strcmp(good[1], info.name));
	key.print[1] = 100;
	EXPECT_EQ(0, weft_job_add(core, good[0], &key, &nobody_named));
	key.print[1] = 100 + ARRAY_SIZE(good) - 1;
	EXPECT_EQ(-EEXIST, weft_job_add(core, "a", &key_b, &nobody_named));
	EXPECT_EQ(-EADDRINUSE, weft_job_add(core, "b", &key, &nobody_named));
	EXPECT_EQ(0, weft_job_add(core, "b", &key_b, &nobody_named));
	EXPECT_EQ(-EADDRINUSE, weft_job_set(core, "b", &key, NULL));
	EXPECT_EQ(-ENOENT, weft_job_set(core, "c", &key, NULL));
	EXPECT_EQ(-EINVAL, weft_job_set(core, "b", NULL, &many));
	EXPECT_EQ(0, weft_job_set(core, "b", &key_b, NULL));
	EXPECT_EQ(0, weft_job_set(core, "b", &key_a, NULL));
	EXPECT_EQ(-EKEYREJECTED, PTR_ERR(enter(core, &key_b)));
	EXPECT_EQ(-ENOENT, weft_job_del(core, "c"));
	EXPECT_EQ(0, weft_job_del(core, "b"));
	EXPECT_EQ(-ENOENT, weft_job_del(core, "b"));
	EXPECT_EQ(ARRAY_SIZE(good), core->njobs);
	rig_free(rig);
}

TEST(job__limit)
{
	struct rig *rig = new_rig();
	struct weft_core *core = &rig->node[0].core;

	ASSERT_EQ(0, weft_limit_set(core, "jobs", 1));
	EXPECT_EQ(0, weft_job_add(core, "a", &key_a, &nobody_named));
	EXPECT_EQ(-ENOSPC, weft_job_add(core, "b", &key_b, &nobody_named));
	EXPECT_EQ(0, weft_job_del(core, "a"));
	EXPECT_EQ(0, weft_job_add(core, "b", &key_b, &nobody_named));
	ASSERT_EQ(0, weft_limit_set(core, "jobs", 0));
	EXPECT_EQ(0, weft_job_del(core, "b"));
	EXPECT_EQ(-ENOSPC, weft_job_add(core, "b", &key_b, &nobody_named));
	weft_host_fail_nth(1);
	EXPECT_EQ(-ENOMEM, weft_job_add(core, "b", &key_b, &nobody_named));
	weft_host_fail_nth(0);
	EXPECT_EQ(2, rig_counter(&rig->node[0], WEFT_CNT_limit_jobs));
	rig_stop(&rig->node[0], ENODEV);
	rig_free(rig);
}

/*
 * Named users may use the job. While an endpoint is in it, neither its key nor the job is removed.
 */
TEST(job__who_may)
{
	struct weft_job_who who = { .nuid = 1, .uid = { 7 } };
	struct weft_job_info info;
	u64 pos = 0;
	struct rig *rig = new_rig();
	struct weft_core *core = &rig->node[0].core;
	struct weft_job *job;
	u32 me = 7;

	ASSERT_EQ(0, weft_job_add(core, "a", &key_a, &who));
	job = weft_job_enter(core, &key_a, may_user, &me);
	ASSERT_FALSE(IS_ERR(job));
	EXPECT_EQ(-EBUSY, weft_job_del(core, "a"));
	EXPECT_EQ(-EBUSY, weft_job_set(core, "a", &key_b, NULL));
	/* setting the same key changes nothing */
	EXPECT_EQ(0, weft_job_set(core, "a", &key_a, NULL));
	who.uid[0] = 8;
	EXPECT_EQ(0, weft_job_set(core, "a", NULL, &who));
	EXPECT_EQ(-EACCES, PTR_ERR(weft_job_enter(core, &key_a, may_user, &me)));
	pos = 0;
	ASSERT_TRUE(weft_job_look(core, &pos, &info));
	EXPECT_EQ(1, info.users);
	EXPECT_EQ(8, info.who.uid[0]);
	quit(job);
	me = 8;
	job = weft_job_enter(core, &key_a, may_user, &me);
	ASSERT_FALSE(IS_ERR(job));
	quit(job);
	who.nuid = 0;
	me = 9;
	EXPECT_EQ(0, weft_job_set(core, "a", &key_b, &who));
	EXPECT_EQ(-EKEYREJECTED, PTR_ERR(weft_job_enter(core, &key_a, may_user, &me)));
	job = weft_job_enter(core, &key_b, may_user, &me);
	ASSERT_FALSE(IS_ERR(job));
	quit(job);
	EXPECT_EQ(0, weft_job_del(core, "a"));
	rig_free(rig);
}

/* ---- Authentication codes -------------------------------------------------------------------- */

TEST(job__auths_differ)
{
	struct weft_sockaddr g = { .family = AF_INET, .port = 1, .addr = { 239, 1, 1, 1 } };
	struct weft_sockaddr from = { .family = AF_INET, .port = 2, .addr = { 10, 1, 1, 1 } };
	struct weft_flowid id = { .ssvc = 1, .dsvc = 2, .sgen = 3, .dgen = 4, .mseq = 5 }, other;
	struct rig *rig = new_rig();
	struct weft_core *core = &rig->node[0].core;
	struct weft_job *a, *b;
	u64 auth;

	ASSERT_EQ(0, weft_job_add(core, "a", &key_a, &nobody_named));
	ASSERT_EQ(0, weft_job_add(core, "b", &key_b, &nobody_named));
	a = enter(core, &key_a);
	b = enter(core, &key_b);
	EXPECT_EQ(0, weft_job_auth(NULL, 9, &id, WEFT_AUTH_FLOW));
	EXPECT_EQ(0, weft_job_auth_group(NULL, &g, &from));
	auth = weft_job_auth(a, 9, &id, WEFT_AUTH_FLOW);
	EXPECT_NE(0, auth);
	EXPECT_EQ(0, auth & ~WEFT_AUTH_MASK);
	EXPECT_EQ(auth, weft_job_auth(a, 9, &id, WEFT_AUTH_FLOW));
	EXPECT_NE(auth, weft_job_auth(b, 9, &id, WEFT_AUTH_FLOW));
	EXPECT_NE(auth, weft_job_auth(a, 8, &id, WEFT_AUTH_FLOW));
	EXPECT_NE(auth, weft_job_auth(a, 9, &id, WEFT_AUTH_CM));
	EXPECT_NE(auth, weft_job_auth(a, 9, &id, WEFT_AUTH_DGRAM));
	other = id;
	other.ssvc++;
	EXPECT_NE(auth, weft_job_auth(a, 9, &other, WEFT_AUTH_FLOW));
	other = id;
	other.dsvc++;
	EXPECT_NE(auth, weft_job_auth(a, 9, &other, WEFT_AUTH_FLOW));
	other = id;
	other.sgen++;
	EXPECT_NE(auth, weft_job_auth(a, 9, &other, WEFT_AUTH_FLOW));
	EXPECT_EQ(weft_job_auth(a, 9, &id, WEFT_AUTH_DGRAM),
		  weft_job_auth(a, 9, &other, WEFT_AUTH_DGRAM));
	other = id;
	other.dgen++;
	other.mseq++;
	EXPECT_EQ(auth, weft_job_auth(a, 9, &other, WEFT_AUTH_FLOW));
	auth = weft_job_auth_group(a, &g, &from);
	EXPECT_NE(0, auth);
	EXPECT_NE(auth, weft_job_auth_group(b, &g, &from));
	/* the interface does not count: each node has its own number for it */
	from.scope = 7;
	EXPECT_EQ(auth, weft_job_auth_group(a, &g, &from));
	from.addr[3]++;
	EXPECT_NE(auth, weft_job_auth_group(a, &g, &from));
	from.addr[3]--;
	from.port++;
	EXPECT_NE(auth, weft_job_auth_group(a, &g, &from));
	from.port--;
	g.addr[3]++;
	EXPECT_NE(auth, weft_job_auth_group(a, &g, &from));
	quit(a);
	quit(b);
	rig_free(rig);
}

/* ---- Messages and datagrams -------------------------------------------------------- */

/**
 * struct pair - a sender and a receiver
 * @rig: world
 * @p: processes: the sender's, the receiver's
 * @cq: their completions
 * @ep: their endpoints, services 1 and 2
 * @av: the sender's vector: 0 is the receiver
 * @buf: bytes to send, and the buffer of receives
 */
struct pair {
	struct rig *rig;
	struct rig_proc *p[2];
	struct rig_cq *cq[2];
	struct rig_ep *ep[2];
	struct rig_av *av[2];
	u8 *buf[2];
};

/* @keys: of both, NULL: none. Names of jobs do not count between nodes. */
static void pair_init(struct pair *t, u32 type, u32 dst, const struct weft_job_key *k0,
		      const struct weft_job_key *k1)
{
	const struct weft_job_key *key[2] = { k0, k1 };
	u32 i;

	t->rig = new_rig();
	for (i = 0; i < 2; i++) {
		t->p[i] = rig_proc_new(&t->rig->node[i ? dst : 0]);
		use(t->p[i], k0 == k1 && !dst ? "x" : i ? "one" : "two", key[i]);
		t->cq[i] = rig_cq_new(t->p[i], 256);
		t->av[i] = rig_av_new(t->p[i]);
		t->ep[i] = rig_ep_new(t->p[i], type, 0, SLOTS, SLOTS, 1 + i);
		use(t->p[i], NULL, NULL);
		if (rig_ep_enable(t->ep[i], t->cq[i], t->cq[i], NULL, t->av[i]))
			abort();
		t->buf[i] = rig_buf(t->p[i], 1 << 20);
	}
	if (rig_av_insert(t->av[0], dst, 2, t->rig) || rig_av_insert(t->av[1], 0, 1, t->rig))
		abort();
}

/* Send @len bytes. Return: the status of the send's completion, -1: none. */
static int pair_send(struct pair *t, u32 len, u32 flags)
{
	struct rig_op op = {
		.flags = flags | WEFT_SQ_COMPLETION, .context = 5,
		.n = 1, .iov = { { (u64)(uintptr_t)t->buf[0], len } },
	};
	struct weft_cqe e;

	if (rig_send(t->ep[0], &op))
		abort();
	rig_run(t->rig, NSEC_PER_SEC);
	return rig_cq_read(t->cq[0], &e) == 1 && e.context == 5 ? e.status : -1;
}

static void pair_post(struct pair *t, u32 len)
{
	struct rig_op op = {
		.flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .context = 6,
		.n = 1, .iov = { { (u64)(uintptr_t)t->buf[1], len } },
	};

	if (rig_recv(t->ep[1], &op))
		abort();
}

static bool pair_got(struct pair *t, u32 len)
{
	struct weft_cqe e;

	return rig_cq_read(t->cq[1], &e) == 1 && !e.status && e.context == 6 && e.len == len &&
	       !memcmp(t->buf[0], t->buf[1], len);
}

static u64 wrong(struct pair *t, u32 i)
{
	return rig_counter(t->p[i]->node, WEFT_CNT_wrong_job);
}

/* Short messages, messages that fill packets, and announced ones. */
static const u32 lens[] = { 8, LEN, 5000, 100000 };

static void hear(struct __test_metadata *_metadata, u32 dst, const struct weft_job_key *key)
{
	struct pair t;
	u32 i, k;

	pair_init(&t, WEFT_EP_RDM, dst, key, key);
	for (k = 0; k < 3; k++)
		for (i = 0; i < ARRAY_SIZE(lens); i++) {
			pair_post(&t, lens[i]);
			EXPECT_EQ(0, pair_send(&t, lens[i], k ? WEFT_SQ_DELIVERY : 0));
			EXPECT_TRUE(pair_got(&t, lens[i]));
		}
	EXPECT_EQ(0, wrong(&t, 0) + wrong(&t, 1));
	rig_free(t.rig);
}

TEST(job__same)
{
	hear(_metadata, 0, &key_a);
	hear(_metadata, 1, &key_a);
	hear(_metadata, 1, NULL);
}

static void deaf(struct __test_metadata *_metadata, u32 dst, const struct weft_job_key *k0,
		 const struct weft_job_key *k1)
{
	struct pair t;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		pair_init(&t, WEFT_EP_RDM, dst, k0, k1);
		/* the flow asks for the endpoint once more, after 10 ms */
		ASSERT_EQ(0, weft_limit_set(&t.rig->node[0].core, "connect-ms", 10));
		pair_post(&t, lens[i]);
		EXPECT_EQ(ECONNREFUSED, pair_send(&t, lens[i], WEFT_SQ_DELIVERY));
		EXPECT_FALSE(pair_got(&t, lens[i]));
		EXPECT_EQ(2, wrong(&t, dst));
		EXPECT_EQ(ECONNREFUSED, pair_send(&t, lens[i], WEFT_SQ_DELIVERY));
		EXPECT_FALSE(pair_got(&t, lens[i]));
		rig_free(t.rig);
	}
}

TEST(job__different)
{
	u32 dst;

	for (dst = 0; dst < 2; dst++) {
		deaf(_metadata, dst, &key_a, &key_b);
		deaf(_metadata, dst, &key_a, NULL);
		deaf(_metadata, dst, NULL, &key_a);
	}
}

/* The path is given back and made anew, with other tokens. */
TEST(job__path_anew)
{
	struct pair t;

	pair_init(&t, WEFT_EP_RDM, 1, &key_a, &key_a);
	pair_post(&t, LEN);
	EXPECT_EQ(0, pair_send(&t, LEN, 0));
	EXPECT_TRUE(pair_got(&t, LEN));
	ASSERT_EQ(0, weft_limit_set(&t.p[0]->node->core, "idle-ms", 100));
	ASSERT_EQ(0, weft_limit_set(&t.p[1]->node->core, "idle-ms", 100));
	rig_run(t.rig, 700ull * NSEC_PER_SEC);
	EXPECT_LT(0, rig_counter(t.p[0]->node, WEFT_CNT_paths_idle));
	pair_post(&t, LEN);
	EXPECT_EQ(0, pair_send(&t, LEN, WEFT_SQ_DELIVERY));
	EXPECT_TRUE(pair_got(&t, LEN));
	EXPECT_EQ(0, wrong(&t, 1));
	rig_free(t.rig);
}

/* A message with a wrong authentication code on an existing flow changes nothing. */
TEST(job__forged)
{
	struct weft_rflow *rf;
	struct weft_path *path;
	struct pair t;
	u64 auth;
	u32 i;

	pair_init(&t, WEFT_EP_RDM, 1, &key_a, &key_a);
	pair_post(&t, LEN);
	EXPECT_EQ(0, pair_send(&t, LEN, WEFT_SQ_DELIVERY));
	EXPECT_TRUE(pair_got(&t, LEN));
	path = rig_path(&t.p[1]->node->core);
	ASSERT_NE(NULL, path);
	ASSERT_FALSE(weft_list_empty(&path->flow.rlist));
	rf = weft_entry(weft_list_first(&path->flow.rlist), struct weft_rflow, node);
	EXPECT_NE(0, rf->auth);
	auth = rf->auth;
	rf->auth ^= 1;
	pair_post(&t, 1 << 20);
	for (i = 0; i < 2; i++) {
		pair_send(&t, i ? 1000 : LEN, 0);
		EXPECT_EQ(1 + i, wrong(&t, 1));
		EXPECT_FALSE(pair_got(&t, LEN));
		EXPECT_EQ(2, rf->id.mseq);
	}
	pair_send(&t, 100000, 0);
	EXPECT_EQ(3, wrong(&t, 1));
	EXPECT_EQ(2, rf->id.mseq);
	rf->auth = auth;
	weft_path_put(path);
	rig_free(t.rig);
}

TEST(job__datagrams)
{
	static const struct {
		const struct weft_job_key *k0, *k1;
		bool heard;
	} row[] = {
		{ NULL, NULL, true }, { &key_a, &key_a, true },
		{ &key_a, &key_b, false }, { NULL, &key_a, false }, { &key_a, NULL, false },
	};
	struct pair t;
	u32 i, n, k;

	for (i = 0; i < 2 * ARRAY_SIZE(row); i++) {
		const u32 r = i / 2, dst = i % 2;

		pair_init(&t, WEFT_EP_DGRAM, dst, row[r].k0, row[r].k1);
		/* the first one waits for the path */
		for (k = 0; k < 3; k++) {
			n = k == 2 ? 1200 : LEN;
			pair_post(&t, n);
			EXPECT_EQ(0, pair_send(&t, n, 0));
			EXPECT_EQ(row[r].heard, pair_got(&t, n));
			if (!row[r].heard)
				EXPECT_EQ(k + 1, wrong(&t, 1));
		}
		rig_free(t.rig);
	}
}

/* ---- Groups -------------------------------------------------------------------------- */

/* Two members on each of two nodes, in jobs a, b, a and none: which members hear which? */
TEST(job__groups)
{
	static const struct weft_job_key *const keys[] = { &key_a, &key_b, &key_a, NULL };
	static const u32 heard[] = { 1 << 0 | 1 << 2, 1 << 1, 1 << 0 | 1 << 2, 1 << 3 };
	struct weft_sockaddr addr = {
		.family = AF_INET, .port = cpu_to_be16(99), .addr = { 239, 5, 5, 5 },
	};
	struct rig *rig = new_rig();
	struct rig_ep *ep[4];
	struct rig_cq *cq[4];
	struct rig_proc *p;
	struct weft_cqe e;
	u8 *buf[4];
	u32 id[4], i, k, got;

	for (i = 0; i < 4; i++) {
		p = rig_proc_new(&rig->node[i / 2]);
		use(p, keys[i] == &key_a ? "a" : "b", keys[i]);
		cq[i] = rig_cq_new(p, 64);
		ep[i] = rig_ep_new(p, WEFT_EP_DGRAM, 0, SLOTS, SLOTS, 10 + i);
		use(p, NULL, NULL);
		ASSERT_EQ(0, rig_ep_enable(ep[i], cq[i], cq[i], NULL, rig_av_new(p)));
		buf[i] = rig_buf(p, 256);
		{
			struct weft_out *out = rig_out(p->node);

			ASSERT_EQ(0, weft_group_join(ep[i]->ep, &addr,
						     WEFT_GROUP_SEND | WEFT_GROUP_RECV,
						     rig_clock(p->node), out, &id[i]));
			rig_leave(p->node, out);
		}
	}
	for (i = 0; i < 4; i++) {
		struct rig_op send = {
			.flags = WEFT_SQ_GROUP, .peer = id[i],
			.n = 1, .iov = { { (u64)(uintptr_t)buf[i], LEN } },
		};

		for (k = 0; k < 4; k++) {
			struct rig_op recv = {
				.flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY,
				.n = 1, .iov = { { (u64)(uintptr_t)buf[k] + 128, LEN } },
			};

			ASSERT_EQ(0, rig_recv(ep[k], &recv));
		}
		ASSERT_EQ(0, rig_send(ep[i], &send));
		rig_run(rig, 300 * NSEC_PER_MSEC);
		for (k = 0, got = 0; k < 4; k++)
			while (rig_cq_read(cq[k], &e) == 1)
				got |= 1u << k;
		EXPECT_EQ(heard[i], got);
	}
	EXPECT_LT(0, rig_counter(&rig->node[0], WEFT_CNT_wrong_job));
	rig_free(rig);
}

/* A sender's authentication code is invalid from another node, or for another service. */
TEST(job__group_of_another_sender)
{
	struct weft_sockaddr addr = {
		.family = AF_INET, .port = cpu_to_be16(99), .addr = { 239, 5, 5, 5 },
	};
	struct weft_dgram d = { .ssvc = 10, .dsvc = 99, .len = 8 };
	u8 pkt[WEFT_DGRAM_HEAD + 8] = {};
	struct weft_sockaddr src, from;
	struct rig *rig = new_rig();
	struct rig_node *node = &rig->node[1];
	struct rig_op recv = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .n = 1 };
	struct weft_hdr h = { .type = WEFT_PKT_GROUP };
	struct rig_proc *p = rig_proc_new(node);
	struct weft_out *out;
	struct rig_ep *ep;
	struct rig_cq *cq;
	struct weft_cqe e;
	u32 id, k;
	u64 auth;

	use(p, "a", &key_a);
	cq = rig_cq_new(p, 64);
	ep = rig_ep_new(p, WEFT_EP_DGRAM, 0, SLOTS, SLOTS, 10);
	ASSERT_EQ(0, rig_ep_enable(ep, cq, cq, NULL, rig_av_new(p)));
	out = rig_out(node);
	ASSERT_EQ(0, weft_group_join(ep->ep, &addr, WEFT_GROUP_RECV, rig_clock(node), out, &id));
	rig_leave(node, out);
	rig_node_addr(&rig->conf, 0, WEFT_WIRE_PORT, &src);
	from = src;
	from.port = cpu_to_be16(10);
	auth = weft_job_auth_group(p->job, &addr, &from);
	h.psn = (u32)(auth >> 32);
	h.ack = (u32)auth;
	recv.iov[0].addr = (uintptr_t)rig_buf(p, 256);
	recv.iov[0].len = 256;
	for (k = 0; k < 3; k++) {
		ASSERT_EQ(0, rig_recv(ep, &recv));
		d.ssvc = k == 1 ? 11 : 10;
		rig_node_addr(&rig->conf, k == 2 ? 2 : 0, WEFT_WIRE_PORT, &src);
		weft_wire_hdr_put(pkt, &h);
		weft_wire_dgram_put(pkt + WEFT_WIRE_HDR, &d);
		rig_inject_group(node, &src, &addr, pkt, sizeof(pkt));
		rig_run(rig, 10 * NSEC_PER_MSEC);
		EXPECT_EQ(!k, rig_cq_read(cq, &e));
		EXPECT_EQ(k, rig_counter(node, WEFT_CNT_wrong_job));
	}
	use(p, NULL, NULL);
	rig_free(rig);
}

/* ---- Connections ----------------------------------------------------------------------- */

/* Make the sides' endpoints again, in jobs. */
static void sides(struct rig *rig, struct side *a, struct side *b, u32 node,
		  const struct weft_job_key *ka, const struct weft_job_key *kb,
		  struct rig_ep **pep)
{
	memset(a, 0, sizeof(*a));
	memset(b, 0, sizeof(*b));
	side_init(a, &rig->node[0]);
	side_init(b, &rig->node[node]);
	use(a->proc, ka == &key_a ? "a" : "b", ka);
	a->ep = side_msg(a);
	use(a->proc, NULL, NULL);
	use(b->proc, kb == &key_a ? "a" : "b", kb);
	b->ep = side_msg(b);
	*pep = side_listen(b, SVC, 4);
	use(b->proc, NULL, NULL);
}

TEST(job__connections)
{
	static const struct {
		const struct weft_job_key *ka, *kb;
		bool same;
	} row[] = {
		{ NULL, NULL, true }, { &key_a, &key_a, true },
		{ &key_a, &key_b, false }, { NULL, &key_a, false }, { &key_a, NULL, false },
	};
	struct weft_event ev;
	struct rig_ep *pep;
	struct side a, b;
	struct rig *rig;
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(row); i++) {
		rig = new_rig();
		sides(rig, &a, &b, i % 2, row[i / 2].ka, row[i / 2].kb, &pep);
		ASSERT_EQ(0, ask(rig, &a, i % 2, "hello"));
		if (row[i / 2].same) {
			ASSERT_EQ(WEFT_EV_CONNREQ, side_event(rig, &b, &ev, NULL, NSEC_PER_SEC));
			ASSERT_EQ(0, rig_accept(b.ep, ev.conn, NULL, 0));
			ASSERT_EQ(WEFT_EV_CONNECTED,
				  side_event(rig, &a, &ev, NULL, NSEC_PER_SEC));
			ASSERT_EQ(WEFT_EV_CONNECTED,
				  side_event(rig, &b, &ev, NULL, NSEC_PER_SEC));
			EXPECT_EQ(0, rig_counter(b.proc->node, WEFT_CNT_wrong_job));
		} else {
			ASSERT_EQ(WEFT_EV_CONN_FAILED,
				  side_event(rig, &a, &ev, NULL, NSEC_PER_SEC));
			EXPECT_EQ(ECONNREFUSED, ev.status);
			EXPECT_EQ(0, side_event(rig, &b, &ev, NULL, 100 * MS));
			EXPECT_EQ(1, rig_counter(b.proc->node, WEFT_CNT_wrong_job));
		}
		rig_free(rig);
	}
}

/* A listener in a job accepts with an endpoint of it; requests are handed on within the job. */
TEST(job__accept)
{
	struct rig_ep *pep, *other, *mine;
	struct weft_event ev;
	struct weft_out *out;
	struct side a, b;
	struct rig *rig;
	u32 node;

	for (node = 0; node < 2; node++) {
		rig = new_rig();
		sides(rig, &a, &b, node, &key_a, &key_a, &pep);
		mine = b.ep;
		other = side_listen(&b, SVC + 1, 4);
		b.ep = side_msg(&b);
		ASSERT_EQ(0, ask(rig, &a, node, NULL));
		ASSERT_EQ(WEFT_EV_CONNREQ, side_event(rig, &b, &ev, NULL, NSEC_PER_SEC));
		EXPECT_EQ(-EINVAL, rig_accept(b.ep, ev.conn, NULL, 0));
		out = rig_out(b.proc->node);
		EXPECT_EQ(-ENOENT, weft_cm_handoff(pep->ep, ev.conn, rig_ep_service(other),
						   rig_clock(b.proc->node), out));
		rig_leave(b.proc->node, out);
		ASSERT_EQ(0, rig_accept(mine, ev.conn, NULL, 0));
		ASSERT_EQ(WEFT_EV_CONNECTED, side_event(rig, &a, &ev, NULL, NSEC_PER_SEC));
		rig_free(rig);
	}
}

/*
 * A destroyed endpoint does not block its service, whatever is left of it; its state names the job.
 */
TEST(job__ends)
{
	struct weft_ep_info info;
	struct pair t;
	struct weft_core *core;

	pair_init(&t, WEFT_EP_RDM, 1, &key_a, &key_a);
	core = &t.p[0]->node->core;
	weft_ep_look(t.ep[0]->ep, &info);
	EXPECT_EQ(0, strcmp("two", info.job));
	EXPECT_EQ(-EBUSY, weft_job_del(core, "two"));
	pair_send(&t, 100000, WEFT_SQ_DELIVERY);
	rig_ep_free(t.ep[0]);
	EXPECT_EQ(0, weft_job_del(core, "two"));
	EXPECT_EQ(-EKEYREJECTED, PTR_ERR(enter(core, &key_a)));
	rig_run(t.rig, NSEC_PER_SEC);
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
