// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers to questions of other nodes: who gets one, and what it says of receives, messages and
 * sends; bounds of the work and of the rate
 */
#include "core/api/internal.h"
#include "asking.h"
#include "harness.h"

static const struct weft_job_key key_a = { .secret = { 1, 2 }, .print = { 3, 4 } };
static const struct weft_job_key key_b = { .secret = { 5, 6 }, .print = { 7, 8 } };

static bool may_yes(const struct weft_job_who *who, const void *arg)
{
	return true;
}

/* A receive of the asked endpoint. @src: index of the only sender, or WEFT_SRC_ANY. */
static void post(struct asking *a, bool tagged, u64 tag, u64 ignore, u32 src)
{
	struct weft_rqe e = {
		.op = tagged ? WEFT_RQ_TRECV : WEFT_RQ_RECV,
		.nslots = 1,
		.flags = WEFT_RQ_COMPLETION,
		.src = src,
		.tag = tag,
		.ignore = ignore,
		.addr = (u64)(uintptr_t)a->t.room,
		.len = 64,
		.niov = 1,
	};

	two_entry(&a->t, &e);
	rig_run(a->t.rig, ASKING_MS);
}

/* A message of endpoint @from to its peer 0. */
static int put(struct rig_ep *from, bool tagged, u64 tag, const void *p, u32 len)
{
	struct rig_op op = {
		.tagged = tagged,
		.flags = WEFT_SQ_COMPLETION,
		.tag = tag,
		.n = 1,
		.iov = { { (u64)(uintptr_t)p, len } },
	};

	return rig_send(from, &op);
}

static const struct weft_held nothing;

static bool is_nothing(const struct weft_held *held)
{
	return !memcmp(held, &nothing, sizeof(nothing));
}

/* By default no question is answered, and the answer says that. */
TEST(answer__off)
{
	struct weft_answer none = { .status = WEFT_ANSWER_OFF };
	struct asking a;

	asking_init(&a, false);
	post(&a, true, 5, 0, WEFT_SRC_ANY);
	EXPECT_EQ(WEFT_ANSWER_OFF, asking_ask(&a));
	EXPECT_EQ(0, memcmp(&none, &a.info.answer, sizeof(none)));
	EXPECT_EQ(1, rig_counter(&a.t.rig->node[1], WEFT_CNT_questions_answered));
	rig_free(a.t.rig);
}

/* A program that has posted nothing: what it does. */
TEST(answer__program)
{
	static const char states[] = "RSDT";
	struct asking a;
	u32 i;

	asking_init(&a, true);
	for (i = 0; i < sizeof(states) - 1; i++) {
		a.t.rig->node[1].program = states[i];
		ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
		EXPECT_EQ(states[i], a.info.answer.program);
		EXPECT_EQ(a.t.eb->ep->conf.program.pid, a.info.answer.pid);
		EXPECT_EQ(0, strcmp(a.t.eb->ep->conf.program.comm, a.info.answer.comm));
		EXPECT_TRUE(is_nothing(&a.info.answer.recv));
		EXPECT_TRUE(is_nothing(&a.info.answer.msg));
		EXPECT_TRUE(is_nothing(&a.info.answer.send));
		EXPECT_TRUE(is_nothing(&a.info.answer.wait));
		EXPECT_EQ(0, a.info.answer.full);
		EXPECT_EQ(0, a.info.answer.peer.family);
	}
	rig_free(a.t.rig);
}

/* There is no such endpoint, or it has ended. */
TEST(answer__none)
{
	struct asking a;

	asking_init(&a, true);
	ASSERT_EQ(0, asking_start(&a, 1, 77));
	ASSERT_TRUE(rig_until(a.t.rig, asking_over, &a, 1000 * ASKING_MS));
	EXPECT_EQ(0, a.info.err);
	EXPECT_EQ(WEFT_ANSWER_NONE, a.info.answer.status);
	EXPECT_EQ(0, a.info.answer.pid);
	rig_ep_free(a.t.eb);
	EXPECT_EQ(WEFT_ANSWER_NONE, asking_ask(&a));
	rig_free(a.t.rig);
}

/* Receives: those that take messages of the asking endpoint, and the oldest of all. */
TEST(answer__receives)
{
	struct weft_answer *re;
	struct asking a;
	struct weft_sockaddr other;
	long index;

	asking_init(&a, true);
	re = &a.info.answer;
	index = rig_av_insert(a.t.b->avs, 0, 9, a.t.rig);
	ASSERT_LE(0, index);
	rig_node_addr(&a.t.rig->conf, 0, 9, &other);
	post(&a, true, 7, 0xf0, (u32)index);
	rig_run(a.t.rig, 2000 * ASKING_MS);
	ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	EXPECT_TRUE(is_nothing(&re->recv));
	EXPECT_EQ(1, re->wait.n);
	EXPECT_EQ(7, re->wait.tag);
	EXPECT_EQ(0xf0, re->wait.ignore);
	EXPECT_TRUE(re->wait.tagged);
	EXPECT_TRUE(re->wait.named);
	EXPECT_LE(2000, re->wait.ms);
	EXPECT_GT(2100, re->wait.ms);
	EXPECT_FALSE(re->wait.least);
	EXPECT_EQ(0, memcmp(&other, &re->peer, sizeof(other)));
	/* one for this endpoint, and one for any */
	post(&a, true, 8, 0xf, 0);
	post(&a, false, 0, 0, WEFT_SRC_ANY);
	ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	EXPECT_EQ(2, re->recv.n);
	EXPECT_EQ(8, re->recv.tag);
	EXPECT_EQ(0xf, re->recv.ignore);
	EXPECT_TRUE(re->recv.tagged);
	EXPECT_TRUE(re->recv.named);
	EXPECT_GT(100, re->recv.ms);
	EXPECT_EQ(3, re->wait.n);
	EXPECT_EQ(7, re->wait.tag);
	rig_free(a.t.rig);
}

/* The same over IPv6: the asking endpoint is recognized, the one that a receive names is told. */
TEST(answer__ipv6)
{
	struct weft_sockaddr other;
	struct rig_conf conf;
	struct rig_av *vb;
	struct asking a;
	long index;

	memset(&a, 0, sizeof(a));
	rig_conf_default(&conf, 6);
	conf.family = AF_INET6;
	a.t.rig = rig_new(&conf);
	a.t.rig->node[1].core.conf.questions = true;
	a.t.a = rig_proc_new(&a.t.rig->node[0]);
	a.t.b = rig_proc_new(&a.t.rig->node[1]);
	a.t.ca = rig_cq_new(a.t.a, 64);
	a.t.cb = rig_cq_new(a.t.b, 64);
	a.t.va = rig_av_new(a.t.a);
	vb = rig_av_new(a.t.b);
	a.t.ea = rig_ep_new(a.t.a, WEFT_EP_RDM, 0, 64, 64, 1);
	a.t.eb = rig_ep_new(a.t.b, WEFT_EP_RDM, 0, 64, 64, 2);
	ASSERT_EQ(0, rig_ep_enable(a.t.ea, a.t.ca, a.t.ca, NULL, a.t.va));
	ASSERT_EQ(0, rig_ep_enable(a.t.eb, a.t.cb, a.t.cb, NULL, vb));
	ASSERT_EQ(0, rig_av_insert(vb, 0, 1, a.t.rig));
	index = rig_av_insert(vb, 0, 9, a.t.rig);
	ASSERT_LE(0, index);
	a.uid = a.t.ea->ep->conf.uid;
	a.t.room = rig_buf(a.t.b, 64);
	rig_node_addr(&conf, 0, 9, &other);
	post(&a, true, 7, 0, (u32)index);
	post(&a, true, 8, 0, 0);
	ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	EXPECT_EQ(1, a.info.answer.recv.n);
	EXPECT_EQ(8, a.info.answer.recv.tag);
	EXPECT_EQ(2, a.info.answer.wait.n);
	EXPECT_EQ(0, memcmp(&other, &a.info.answer.peer, sizeof(other)));
	rig_free(a.t.rig);
}

/* A receive in the ring of which the kernel has not been notified counts. */
TEST(answer__not_notified)
{
	struct weft_rqe e = {
		.op = WEFT_RQ_RECV, .nslots = 1, .flags = WEFT_RQ_COMPLETION,
		.src = WEFT_SRC_ANY, .len = 64, .niov = 1,
	};
	struct asking a;

	asking_init(&a, true);
	e.addr = (u64)(uintptr_t)a.t.room;
	rig_put_rq(a.t.eb, &e, 1);
	WRITE_ONCE(a.t.eb->doorbell.rq_tail, a.t.eb->rq_tail);
	ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	EXPECT_EQ(1, a.info.answer.recv.n);
	EXPECT_EQ(1, a.info.answer.wait.n);
	EXPECT_FALSE(a.info.answer.wait.tagged);
	EXPECT_FALSE(a.info.answer.wait.named);
	/* it may have waited for long; one that is notified has not */
	EXPECT_TRUE(a.info.answer.wait.least);
	EXPECT_TRUE(a.info.answer.recv.least);
	rig_run(a.t.rig, 100 * ASKING_MS);
	ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	EXPECT_TRUE(a.info.answer.wait.least);
	EXPECT_LE(100, a.info.answer.wait.ms);
	rig_free(a.t.rig);
}

/* Messages of the asking endpoint that wait there, the oldest one first. */
TEST(answer__messages)
{
	struct asking a;
	struct rig_ep *other;

	asking_init(&a, true);
	other = rig_ep_new(a.t.a, WEFT_EP_RDM, 0, 64, 64, 3);
	ASSERT_EQ(0, rig_ep_enable(other, a.t.ca, a.t.ca, NULL, a.t.va));
	/* of another endpoint of the node */
	ASSERT_EQ(0, put(other, true, 1, a.t.buf, 10));
	ASSERT_EQ(0, put(a.t.ea, true, 2, a.t.buf, 10));
	rig_run(a.t.rig, 1000 * ASKING_MS);
	ASSERT_EQ(0, put(a.t.ea, false, 0, a.t.buf, 10));
	ASSERT_EQ(0, put(a.t.ea, true, 4, a.t.buf, TWO_LONG));
	rig_run(a.t.rig, 1000 * ASKING_MS);
	ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	EXPECT_EQ(3, a.info.answer.msg.n);
	EXPECT_EQ(2, a.info.answer.msg.tag);
	EXPECT_TRUE(a.info.answer.msg.tagged);
	EXPECT_LE(1990, a.info.answer.msg.ms);
	EXPECT_TRUE(is_nothing(&a.info.answer.wait));
	rig_free(a.t.rig);
}

/* Sends of the asked endpoint to the asking one, and what they wait for. */
TEST(answer__sends)
{
	struct asking a;

	asking_init(&a, true);
	ASSERT_EQ(0, put(a.t.eb, true, 0x2b, a.t.room, 100 << 10));
	ASSERT_EQ(0, put(a.t.eb, true, 0x2c, a.t.room, 100 << 10));
	rig_run(a.t.rig, 1000 * ASKING_MS);
	ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	EXPECT_EQ(2, a.info.answer.send.n);
	EXPECT_EQ(0x2b, a.info.answer.send.tag);
	EXPECT_TRUE(a.info.answer.send.tagged);
	EXPECT_EQ(WEFT_FOR_RECEIVE, a.info.answer.send.waits);
	EXPECT_LE(990, a.info.answer.send.ms);
	rig_free(a.t.rig);
}

/* Completions that wait, as the program does not read its queue. */
TEST(answer__full)
{
	struct asking a;
	u32 i;

	memset(&a, 0, sizeof(a));
	two_init(&a.t, 1, 16, 0);
	a.t.rig->node[1].core.conf.questions = true;
	for (i = 0; i < 10; i++) {
		post(&a, false, 0, 0, WEFT_SRC_ANY);
		ASSERT_EQ(0, put(a.t.ea, false, 0, a.t.buf, 64));
	}
	for (; i < 30; i++) {
		post(&a, false, 0, 0, WEFT_SRC_ANY);
		ASSERT_EQ(0, put(a.t.ea, false, 0, a.t.buf, 64));
		rig_run(a.t.rig, ASKING_MS);
	}
	ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	EXPECT_LT(0, a.info.answer.full);
	EXPECT_GE(30, a.info.answer.full);
	rig_free(a.t.rig);
}

/* Receives of a shared queue are those of its endpoints. */
TEST(answer__shared)
{
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .n = 1 };
	struct rig_ep *ep;
	struct rig_srq *srq;
	struct rig_av *av;
	struct asking a;

	asking_init(&a, true);
	srq = rig_srq_new(a.t.b, 64, 64, 0, NULL);
	ASSERT_TRUE(srq);
	av = rig_av_new(a.t.b);
	ep = rig_ep_new(a.t.b, WEFT_EP_RDM, WEFT_EPF_SRQ, 64, 0, 5);
	ASSERT_EQ(0, weft_ep_share(ep->ep, srq->srq, av->av));
	ASSERT_EQ(0, rig_ep_enable(ep, a.t.cb, a.t.cb, NULL, av));
	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)a.t.room, 64 };
	ASSERT_EQ(0, rig_srq_recv(srq, &op, NULL));
	ASSERT_EQ(0, rig_srq_recv(srq, &op, NULL));
	ASSERT_EQ(0, asking_start(&a, 1, 5));
	ASSERT_TRUE(rig_until(a.t.rig, asking_over, &a, 1000 * ASKING_MS));
	EXPECT_EQ(WEFT_ANSWER_OK, a.info.answer.status);
	EXPECT_EQ(2, a.info.answer.recv.n);
	EXPECT_EQ(2, a.info.answer.wait.n);
	rig_free(a.t.rig);
}

/* A listener, and an endpoint that is not connected: what their program does. */
TEST(answer__listener)
{
	struct asking a;
	struct rig_ep *pep, *msg;
	struct rig_eq *eq;

	asking_init(&a, true);
	eq = rig_eq_new(a.t.b);
	pep = rig_ep_new(a.t.b, WEFT_EP_PASSIVE, 0, 0, 0, 30);
	ASSERT_EQ(0, rig_listen(pep, eq, 4));
	ASSERT_EQ(0, asking_start(&a, 1, 30));
	ASSERT_TRUE(rig_until(a.t.rig, asking_over, &a, 1000 * ASKING_MS));
	EXPECT_EQ(WEFT_ANSWER_OK, a.info.answer.status);
	EXPECT_EQ('S', a.info.answer.program);
	EXPECT_TRUE(is_nothing(&a.info.answer.wait));
	msg = rig_ep_new(a.t.b, WEFT_EP_MSG, 0, 64, 64, 31);
	ASSERT_EQ(0, rig_ep_enable(msg, a.t.cb, a.t.cb, eq, NULL));
	ASSERT_EQ(0, asking_start(&a, 1, 31));
	ASSERT_TRUE(rig_until(a.t.rig, asking_over, &a, 1000 * ASKING_MS));
	EXPECT_EQ(WEFT_ANSWER_OK, a.info.answer.status);
	EXPECT_TRUE(is_nothing(&a.info.answer.wait));
	rig_free(a.t.rig);
}

/* ---- Jobs ----------------------------------------------------------------------------------- */

static struct weft_job *enter(struct rig_proc *proc, const char *name,
			      const struct weft_job_key *key)
{
	static const struct weft_job_who all;
	struct weft_core *core = &proc->node->core;
	struct weft_job *job;

	if (weft_job_add(core, name, key, &all))
		abort();
	job = weft_job_enter(core, key, may_yes, NULL);
	if (IS_ERR(job))
		abort();
	return job;
}

static void quit(struct weft_job *job)
{
	weft_job_leave(job);
	weft_job_put(job);
}

/* Ask from an endpoint of a job about one of a job; NULL: the default one. Return: the status. */
static int between(const struct weft_job_key *near, const struct weft_job_key *far, u64 *wrong)
{
	struct weft_job *jobs[2] = { NULL };
	struct rig_ep *first;
	struct asking a;
	int status, err;

	asking_init(&a, true);
	jobs[0] = near ? enter(a.t.a, "near", near) : NULL;
	jobs[1] = far ? enter(a.t.b, "far", far) : NULL;
	a.t.a->job = jobs[0];
	a.t.b->job = jobs[1];
	first = a.t.ea;
	a.t.ea = rig_ep_new(a.t.a, WEFT_EP_RDM, 0, 64, 64, 21);
	rig_ep_free(first);
	rig_ep_free(a.t.eb);
	a.t.eb = rig_ep_new(a.t.b, WEFT_EP_RDM, 0, 64, 64, 2);
	err = rig_ep_enable(a.t.ea, a.t.ca, a.t.ca, NULL, a.t.va) ?:
	      rig_ep_enable(a.t.eb, a.t.cb, a.t.cb, NULL, a.t.b->avs);
	status = err ?: asking_ask(&a);
	*wrong = rig_counter(&a.t.rig->node[1], WEFT_CNT_wrong_job);
	if (jobs[0])
		quit(jobs[0]);
	if (jobs[1])
		quit(jobs[1]);
	a.t.a->job = NULL;
	a.t.b->job = NULL;
	rig_free(a.t.rig);
	return status;
}

/* An answer is for members of the job alone. */
TEST(answer__jobs)
{
	u64 wrong;

	EXPECT_EQ(WEFT_ANSWER_OK, between(&key_a, &key_a, &wrong));
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(WEFT_ANSWER_NONE, between(&key_a, &key_b, &wrong));
	EXPECT_EQ(1, wrong);
	EXPECT_EQ(WEFT_ANSWER_NONE, between(NULL, &key_b, &wrong));
	EXPECT_EQ(1, wrong);
	EXPECT_EQ(WEFT_ANSWER_NONE, between(&key_a, NULL, &wrong));
	EXPECT_EQ(1, wrong);
}

/* ---- Bounds --------------------------------------------------------------------------------- */

/* Many receives: all are counted, and the first of them are looked at. */
TEST(answer__many)
{
	struct rig_cq *cq;
	struct asking a;
	u32 i;

	asking_init(&a, true);
	rig_ep_free(a.t.eb);
	cq = rig_cq_new(a.t.b, 64);
	a.t.eb = rig_ep_new(a.t.b, WEFT_EP_RDM, 0, 64, 2048, 2);
	ASSERT_EQ(0, rig_ep_enable(a.t.eb, cq, cq, NULL, a.t.b->avs));
	for (i = 0; i < 1500; i++)
		post(&a, true, i, 0, WEFT_SRC_ANY);
	ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	EXPECT_EQ(1500, a.info.answer.wait.n);
	EXPECT_EQ(512, a.info.answer.recv.n);
	EXPECT_EQ(0, a.info.answer.recv.tag);
	rig_free(a.t.rig);
}

/* Sixteen answers at once, and then one in 50 ms. */
TEST(answer__rate)
{
	struct asking a;
	u32 i;

	asking_init(&a, true);
	for (i = 0; i < 16; i++)
		ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	/* the question is sent again until a token is there */
	ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	EXPECT_EQ(17, rig_counter(&a.t.rig->node[1], WEFT_CNT_questions_answered));
	EXPECT_LE(50 * ASKING_MS, rig_now(a.t.rig));
	rig_free(a.t.rig);
}

TEST_HARNESS_MAIN
