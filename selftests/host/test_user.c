// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users: what they take of a port is counted, bounded, and given back
 */
#include "core/api/internal.h"
#include "rig.h"
#include "harness.h"

FIXTURE(user)
{
	struct rig *rig;
	struct weft_core *core;
	struct rig_proc *mine, *other;
};

FIXTURE_SETUP(user)
{
	struct rig_conf conf;

	rig_conf_default(&conf, 3);
	self->rig = rig_new(&conf);
	self->core = &self->rig->node[0].core;
	self->mine = rig_proc_new(&self->rig->node[0]);
	self->mine->uid = 100;
	self->other = rig_proc_new(&self->rig->node[0]);
	self->other->uid = 200;
}

FIXTURE_TEARDOWN(user)
{
	rig_free(self->rig);
}

/* What "limit show" reports. */
static struct weft_limit_info limit(struct weft_core *core, const char *name)
{
	struct weft_limit_info info;
	u32 n;

	for (n = 0; weft_limit_look(core, n, &info); n++)
		if (!strcmp(info.name, name))
			return info;
	abort();
}

/* Return: the use that it reports. */
static u64 used(struct weft_core *core, const char *name)
{
	struct weft_limit_info info = limit(core, name);

	return info.counts ? info.used : U64_MAX;
}

static struct rig_ep *endpoint(struct rig_proc *proc)
{
	return rig_ep_new(proc, WEFT_EP_RDM, 0, 64, 64, 0);
}

TEST_F(user, endpoints)
{
	struct weft_user_info info;
	u64 pos = 0;
	u32 i;

	ASSERT_EQ(0, weft_limit_set(self->core, "endpoints-user", 3));
	for (i = 0; i < 3; i++)
		ASSERT_TRUE(endpoint(self->mine));
	EXPECT_FALSE(endpoint(self->mine));
	EXPECT_EQ(1, rig_counter(&self->rig->node[0], WEFT_CNT_limit_endpoints));
	EXPECT_EQ(3, used(self->core, "endpoints-user"));
	EXPECT_TRUE(weft_user_look(self->core, &pos, &info));
	EXPECT_EQ(100, info.uid);
	EXPECT_EQ(3, info.endpoints);
	EXPECT_TRUE(info.memory >= 3 * 16384);
	EXPECT_FALSE(weft_user_look(self->core, &pos, &info));
	/* another user has its own count, and the largest one is reported */
	ASSERT_TRUE(endpoint(self->other));
	EXPECT_EQ(3, used(self->core, "endpoints-user"));
	pos = 0;
	EXPECT_TRUE(weft_user_look(self->core, &pos, &info));
	rig_proc_end(self->mine, true);
	rig_run(self->rig, NSEC_PER_SEC);
	/* a user that goes meanwhile hides no other */
	EXPECT_TRUE(weft_user_look(self->core, &pos, &info));
	EXPECT_EQ(200, info.uid);
	EXPECT_EQ(1, used(self->core, "endpoints-user"));
	EXPECT_EQ(1, rig_counter(&self->rig->node[0], WEFT_CNT_limit_endpoints));
}

/* Who takes most now, who has taken most, and who was refused last, also when they are gone */
TEST_F(user, peaks)
{
	struct weft_limit_info info = limit(self->core, "endpoints-user");
	u32 i;

	EXPECT_EQ(0, info.used + info.peak + info.hits);
	EXPECT_EQ(WEFT_NOTE_NO_UID, info.used_by);
	EXPECT_EQ(WEFT_NOTE_NO_UID, info.peak_by);
	EXPECT_EQ(WEFT_NOTE_NO_UID, info.hit_by);
	ASSERT_EQ(0, weft_limit_set(self->core, "endpoints-user", 4));
	for (i = 0; i < 4; i++)
		ASSERT_TRUE(endpoint(self->mine));
	EXPECT_FALSE(endpoint(self->mine));
	for (i = 0; i < 3; i++)
		ASSERT_TRUE(endpoint(self->other));
	info = limit(self->core, "endpoints-user");
	EXPECT_EQ(4, info.used);
	EXPECT_EQ(100, info.used_by);
	EXPECT_EQ(4, info.peak);
	EXPECT_EQ(100, info.peak_by);
	EXPECT_EQ(1, info.hits);
	EXPECT_EQ(100, info.hit_by);
	rig_proc_end(self->mine, true);
	rig_run(self->rig, NSEC_PER_SEC);
	info = limit(self->core, "endpoints-user");
	EXPECT_EQ(3, info.used);
	EXPECT_EQ(200, info.used_by);
	EXPECT_EQ(4, info.peak);
	EXPECT_EQ(100, info.peak_by);
	/* a refused object is no peak */
	ASSERT_TRUE(endpoint(self->other));
	EXPECT_FALSE(endpoint(self->other));
	info = limit(self->core, "endpoints-user");
	EXPECT_EQ(4, info.peak);
	EXPECT_EQ(100, info.peak_by);
	EXPECT_EQ(2, info.hits);
	EXPECT_EQ(200, info.hit_by);
	ASSERT_EQ(0, weft_limit_set(self->core, "endpoints-user", 5));
	ASSERT_TRUE(endpoint(self->other));
	rig_proc_end(self->other, true);
	rig_run(self->rig, NSEC_PER_SEC);
	info = limit(self->core, "endpoints-user");
	EXPECT_EQ(0, info.used);
	EXPECT_EQ(WEFT_NOTE_NO_UID, info.used_by);
	EXPECT_EQ(5, info.peak);
	EXPECT_EQ(200, info.peak_by);
}

/* Limits of the port have a peak, too, and nobody who uses them. */
TEST_F(user, peak_of_jobs)
{
	static const struct weft_job_who who;
	struct weft_job_key key = { .print = { 1 } };
	struct weft_limit_info info;

	ASSERT_EQ(0, weft_job_add(self->core, "a", &key, &who));
	key.print[0] = 2;
	ASSERT_EQ(0, weft_job_add(self->core, "b", &key, &who));
	ASSERT_EQ(0, weft_job_del(self->core, "a"));
	info = limit(self->core, "jobs");
	EXPECT_EQ(1, info.used);
	EXPECT_EQ(2, info.peak);
	EXPECT_EQ(WEFT_NOTE_NO_UID, info.used_by);
	EXPECT_EQ(WEFT_NOTE_NO_UID, info.peak_by);
}

TEST_F(user, memory)
{
	u64 one, most = 1 << 20;
	u32 n = 0;

	ASSERT_TRUE(endpoint(self->other));
	one = used(self->core, "memory-user");
	ASSERT_TRUE(one >= 16384 && one <= 65536);
	ASSERT_EQ(0, weft_limit_set(self->core, "memory-user", most));
	while (endpoint(self->mine))
		ASSERT_TRUE(++n < 1000);
	EXPECT_EQ(most / one, n);
	EXPECT_EQ(n * one, used(self->core, "memory-user"));
	EXPECT_EQ(1, rig_counter(&self->rig->node[0], WEFT_CNT_limit_memory));
	/* the other user is not concerned */
	EXPECT_TRUE(endpoint(self->other));
	rig_proc_end(self->mine, true);
	rig_run(self->rig, NSEC_PER_SEC);
	EXPECT_EQ(2 * one, used(self->core, "memory-user"));
}

TEST_F(user, shared_receives)
{
	struct rig_srq *srq;
	u64 one;

	srq = rig_srq_new(self->mine, 64, 64, 0, NULL);
	ASSERT_TRUE(srq);
	one = used(self->core, "memory-user");
	EXPECT_TRUE(one >= (64 + WEFT_PARTS) * sizeof(struct weft_post));
	/* more receives count, too; what cannot be counted changes nothing */
	ASSERT_EQ(0, rig_srq_resize(srq, 1024, 1024));
	EXPECT_TRUE(used(self->core, "memory-user") >= one + 960 * sizeof(struct weft_post));
	one = used(self->core, "memory-user");
	ASSERT_EQ(0, weft_limit_set(self->core, "memory-user", 1 << 20));
	EXPECT_EQ(-ENOSPC, rig_srq_resize(srq, 4096, 4096));
	EXPECT_FALSE(rig_srq_new(self->mine, 4096, 4096, 0, NULL));
	EXPECT_EQ(one, used(self->core, "memory-user"));
	rig_srq_free(srq);
	EXPECT_EQ(0, used(self->core, "memory-user"));
}

TEST_F(user, contexts)
{
	struct weft_user *user = weft_user_get(self->core, 300);

	ASSERT_TRUE(user);
	ASSERT_EQ(0, weft_limit_set(self->core, "contexts-user", 2));
	EXPECT_EQ(0, weft_user_take(self->core, user, WEFT_USE_CTXS, 1));
	EXPECT_EQ(0, weft_user_take(self->core, user, WEFT_USE_CTXS, 1));
	EXPECT_EQ(-ENOSPC, weft_user_take(self->core, user, WEFT_USE_CTXS, 1));
	EXPECT_EQ(1, rig_counter(&self->rig->node[0], WEFT_CNT_limit_contexts));
	EXPECT_EQ(2, used(self->core, "contexts-user"));
	weft_user_give(user, WEFT_USE_CTXS, 1);
	EXPECT_EQ(0, weft_user_take(self->core, user, WEFT_USE_CTXS, 1));
	weft_user_give(user, WEFT_USE_CTXS, 2);
	weft_user_put(self->core, user);
}

TEST_HARNESS_MAIN
