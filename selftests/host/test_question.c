// SPDX-License-Identifier: GPL-2.0-only
/*
 * Questions to other nodes: packets that are lost, nodes that do not answer, who may read an
 * answer, forged answers, ends of what a question needs
 */
#include "core/api/internal.h"
#include "asking.h"
#include "harness.h"

#define SEC	((weft_ns)NSEC_PER_SEC)

static struct weft_path *path_of(struct asking *a)
{
	struct weft_path *path = rig_path(&a->t.rig->node[0].core);

	if (path)
		weft_path_put(path);
	return path;
}

/* The administrator begins a probe of the path. Return: as weft_echo_start(). */
static int probe(struct asking *a, u32 count, u32 *no)
{
	struct weft_echo_conf conf = { .count = count, .size = WEFT_ECHO_SIZE_MIN,
				       .interval = SEC };
	struct rig_node *near = &a->t.rig->node[0];
	struct weft_out *out = rig_out(near);
	struct weft_sockaddr to;
	int err;

	rig_node_addr(&a->t.rig->conf, 1, 0, &to);
	err = weft_echo_start(&near->core, &to, &conf, rig_clock(near), out, no);
	rig_leave(near, out);
	return err;
}

/* The first question makes the path, the others find it. */
TEST(question__asked)
{
	struct asking a;
	u32 i;

	asking_init(&a, true);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
		EXPECT_EQ('S', a.info.answer.program);
	}
	EXPECT_EQ(3, rig_counter(&a.t.rig->node[1], WEFT_CNT_questions_answered));
	EXPECT_EQ(0, rig_counter(&a.t.rig->node[0], WEFT_CNT_questions_answered));
	EXPECT_EQ(1, a.t.rig->node[0].core.npaths);
	EXPECT_EQ(0, a.t.rig->node[0].core.nechoes);
	rig_free(a.t.rig);
}

/* An answer is read once, by the user that asked or by the administrator. */
TEST(question__readers)
{
	struct weft_core *core;
	struct asking a;
	weft_ns now;
	u32 i;

	asking_init(&a, true);
	core = &a.t.rig->node[0].core;
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, asking_start(&a, 1, 2));
		rig_run(a.t.rig, SEC);
		now = rig_clock(&a.t.rig->node[0]);
		EXPECT_EQ(-ENOENT, weft_question_look(core, a.no, a.uid + 1, now, &a.info));
		/* it is no probe */
		EXPECT_EQ(-ENOENT, weft_echo_look(core, a.no, now, &(struct weft_echo_info){}));
		EXPECT_EQ(-ENOENT, weft_echo_end(core, a.no));
		ASSERT_EQ(0, weft_question_look(core, a.no, i ? a.uid : WEFT_NOTE_NO_UID, now,
						&a.info));
		EXPECT_EQ(WEFT_ECHOS_OVER, a.info.state);
		EXPECT_EQ(WEFT_ANSWER_OK, a.info.answer.status);
		EXPECT_EQ(-ENOENT, weft_question_look(core, a.no, a.uid, now, &a.info));
	}
	EXPECT_EQ(0, core->nechoes);
	rig_free(a.t.rig);
}

/* Users ask for their own endpoints, the administrator for all. */
TEST(question__whose)
{
	struct asking a;

	asking_init(&a, true);
	a.uid = a.t.ea->ep->conf.uid + 1;
	EXPECT_EQ(-ENOENT, asking_start(&a, 1, 2));
	a.uid = WEFT_NOTE_NO_UID;
	EXPECT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	a.uid = a.t.ea->ep->conf.uid;
	EXPECT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	EXPECT_EQ(0, a.t.rig->node[0].core.nechoes);
	/* an endpoint that has gone asks nothing */
	a.uid = WEFT_NOTE_NO_UID;
	a.t.ea->ep->addr.port = cpu_to_be16(99);
	EXPECT_EQ(-ENOENT, asking_start(&a, 1, 2));
	a.t.ea->ep->addr.port = cpu_to_be16(1);
	rig_free(a.t.rig);
}

/* Lost packets: the question is sent again. All are lost: it ends. */
TEST(question__lost)
{
	struct asking a;
	weft_ns began;

	asking_init(&a, true);
	ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	ASSERT_EQ(0, asking_start(&a, 1, 2));
	rig_cut_one(a.t.rig, 1, 0, true);
	rig_run(a.t.rig, ASKING_MS);
	rig_mend(a.t.rig);
	ASSERT_TRUE(rig_until(a.t.rig, asking_over, &a, SEC));
	EXPECT_EQ(0, a.info.err);
	EXPECT_LT(2, rig_counter(&a.t.rig->node[1], WEFT_CNT_questions_answered));
	rig_cut(a.t.rig, 0, 1, true);
	began = rig_now(a.t.rig);
	EXPECT_EQ(-ETIMEDOUT, asking_ask(&a));
	EXPECT_GT(2 * SEC, rig_now(a.t.rig) - began);
	rig_free(a.t.rig);
}

/* A node that is not there, one that knows no questions, and the node itself. */
TEST(question__unanswered)
{
	struct asking a;

	asking_init(&a, true);
	rig_crash(&a.t.rig->node[1]);
	EXPECT_EQ(-EHOSTUNREACH, asking_ask(&a));
	rig_free(a.t.rig);

	asking_init(&a, true);
	ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	path_of(&a)->peer_caps &= ~WEFT_HELLO_QUESTION;
	EXPECT_EQ(-EOPNOTSUPP, asking_ask(&a));
	EXPECT_EQ(1, rig_counter(&a.t.rig->node[1], WEFT_CNT_questions_answered));
	EXPECT_EQ(-EADDRINUSE, asking_start(&a, 0, 2));
	rig_free(a.t.rig);
}

/* A path has one probe or question at a time. A path that ends leaves the result. */
TEST(question__one_at_a_time)
{
	struct weft_core *core;
	struct asking a;
	u32 first;

	asking_init(&a, true);
	core = &a.t.rig->node[0].core;
	ASSERT_EQ(0, asking_start(&a, 1, 2));
	first = a.no;
	EXPECT_EQ(-EBUSY, asking_start(&a, 1, 2));
	a.no = first;
	rig_crash(&a.t.rig->node[1]);
	ASSERT_TRUE(rig_until(a.t.rig, asking_over, &a, 20 * SEC));
	EXPECT_EQ(EHOSTUNREACH, a.info.err);
	EXPECT_EQ(0, core->npaths);
	EXPECT_EQ(0, core->nechoes);
	rig_free(a.t.rig);
}

/* A probe of the administrator ends a question; a question does not end a probe. */
TEST(question__gives_way)
{
	struct rig_node *near;
	struct asking a;
	u32 no, question;

	asking_init(&a, true);
	near = &a.t.rig->node[0];
	ASSERT_EQ(0, asking_start(&a, 1, 2));
	question = a.no;
	ASSERT_EQ(0, probe(&a, 9, &no));
	EXPECT_EQ(-EBUSY, asking_start(&a, 1, 2));
	EXPECT_EQ(-ENOENT, weft_question_look(&near->core, question, a.uid, rig_clock(near),
					      &a.info));
	EXPECT_EQ(0, weft_echo_end(&near->core, no));
	EXPECT_EQ(0, near->core.nechoes);
	EXPECT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	rig_free(a.t.rig);
}

/* A user has eight questions, so that others have some, too. */
TEST(question__limit)
{
	struct rig_conf conf;
	struct asking a;
	u32 i;

	memset(&a, 0, sizeof(a));
	rig_conf_default(&conf, 5);
	conf.nodes = 12;
	a.t.rig = rig_new(&conf);
	a.t.a = rig_proc_new(&a.t.rig->node[0]);
	a.t.ca = rig_cq_new(a.t.a, 64);
	a.t.va = rig_av_new(a.t.a);
	a.t.ea = rig_ep_new(a.t.a, WEFT_EP_RDM, 0, 64, 64, 1);
	ASSERT_EQ(0, rig_ep_enable(a.t.ea, a.t.ca, a.t.ca, NULL, a.t.va));
	a.uid = a.t.ea->ep->conf.uid;
	for (i = 1; i <= 8; i++)
		ASSERT_EQ(0, asking_start(&a, i, 2));
	EXPECT_EQ(-EUSERS, asking_start(&a, 9, 2));
	a.uid = WEFT_NOTE_NO_UID;
	EXPECT_EQ(0, asking_start(&a, 10, 2));
	EXPECT_EQ(9, a.t.rig->node[0].core.nechoes);
	rig_free(a.t.rig);
}

/* Nobody reads the answer: a later question forgets it. */
TEST(question__unread)
{
	struct weft_core *core;
	struct asking a;
	u32 i;

	asking_init(&a, true);
	core = &a.t.rig->node[0].core;
	ASSERT_EQ(0, asking_start(&a, 1, 2));
	rig_run(a.t.rig, 30 * SEC);
	EXPECT_EQ(1, core->nechoes);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	EXPECT_EQ(0, core->nechoes);
	rig_free(a.t.rig);
}

/* The asking endpoint ends, and its port goes, while the answer is under way. */
TEST(question__ends)
{
	struct asking a;

	asking_init(&a, true);
	ASSERT_EQ(0, asking_start(&a, 1, 2));
	rig_ep_free(a.t.ea);
	ASSERT_TRUE(rig_until(a.t.rig, asking_over, &a, SEC));
	EXPECT_EQ(WEFT_ANSWER_OK, a.info.answer.status);
	rig_free(a.t.rig);

	asking_init(&a, true);
	ASSERT_EQ(0, asking_start(&a, 1, 2));
	rig_stop(&a.t.rig->node[0], ENODEV);
	rig_free(a.t.rig);
}

/* Answers to what was not asked, and to a probe. */
TEST(question__forged)
{
	struct weft_w_answer w = { .status = WEFT_ANSWER_OFF };
	struct rig_node *near;
	struct weft_path *path;
	struct asking a;
	u32 no;

	asking_init(&a, true);
	near = &a.t.rig->node[0];
	ASSERT_EQ(WEFT_ANSWER_OK, asking_ask(&a));
	path = path_of(&a);
	ASSERT_EQ(0, probe(&a, 3, &no));
	rig_run(a.t.rig, SEC / 2);
	weft_lock(&path->lock);
	weft_question_back(path, &w);
	w.no = cpu_to_be32(no);
	weft_question_back(path, &w);
	EXPECT_EQ(WEFT_ECHOS_SEND, path->echo.run->state);
	weft_unlock(&path->lock);
	rig_run(a.t.rig, 5 * SEC);
	ASSERT_EQ(0, weft_echo_end(&near->core, no));

	/* another number; a second answer */
	rig_cut(a.t.rig, 0, 1, true);
	ASSERT_EQ(0, asking_start(&a, 1, 2));
	rig_run(a.t.rig, ASKING_MS);
	weft_lock(&path->lock);
	w.no = cpu_to_be32(a.no + 1);
	weft_question_back(path, &w);
	EXPECT_EQ(WEFT_ECHOS_ASK, path->echo.run->state);
	w.no = cpu_to_be32(a.no);
	weft_question_back(path, &w);
	EXPECT_EQ(WEFT_ECHOS_OVER, path->echo.run->state);
	w.status = WEFT_ANSWER_OK;
	weft_question_back(path, &w);
	weft_unlock(&path->lock);
	EXPECT_TRUE(asking_over(&a));
	EXPECT_EQ(WEFT_ANSWER_OFF, a.info.answer.status);
	rig_free(a.t.rig);
}

TEST_HARNESS_MAIN
