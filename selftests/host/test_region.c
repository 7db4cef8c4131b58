// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regions: what may be registered, who may access it, the memory of an access, limits, and the end
 * of a region beside accesses of other threads
 */
#include "rig.h"
#include "harness.h"

static struct rig *world(struct rig_proc **proc)
{
	struct rig_conf conf;
	struct rig *rig;

	rig_conf_default(&conf, 1);
	rig = rig_new(&conf);
	*proc = rig_proc_new(&rig->node[0]);
	return rig;
}

static struct weft_region_conf good(u64 key)
{
	return (struct weft_region_conf){
		.key = key, .base = 100, .len = 30, .access = WEFT_REGION_READ, .n = 2,
		.seg = { { 0x1000, 10 }, { 0x500, 20 } },
	};
}

TEST(region__configuration)
{
	struct weft_region_conf conf;
	struct rig_proc *proc;
	struct rig *rig = world(&proc);
	struct weft_domain *d = &proc->domain;

	conf = good(1);
	EXPECT_EQ(0, weft_region_new(d, &conf));
	EXPECT_EQ(-EEXIST, weft_region_new(d, &conf));
	conf = good(2);
	conf.n = 0;
	EXPECT_EQ(-EINVAL, weft_region_new(d, &conf));
	conf.n = WEFT_IOV_MAX + 1;
	EXPECT_EQ(-EINVAL, weft_region_new(d, &conf));
	conf = good(2);
	conf.len++;
	EXPECT_EQ(-EINVAL, weft_region_new(d, &conf));
	conf = good(2);
	conf.access = 4;
	EXPECT_EQ(-EINVAL, weft_region_new(d, &conf));
	conf = good(2);
	conf.seg[0] = (struct weft_iov){ 0, ~0ull };
	EXPECT_EQ(-EINVAL, weft_region_new(d, &conf));
	conf = good(2);
	conf.seg[1].addr = ~0ull - 19;
	EXPECT_EQ(-EFAULT, weft_region_new(d, &conf));
	conf.seg[1].addr--;
	EXPECT_EQ(0, weft_region_new(d, &conf));
	/* the whole address space, without any right */
	conf = (struct weft_region_conf){ .key = ~0ull, .len = ~0ull, .n = 1,
					  .seg = { { 0, ~0ull } } };
	EXPECT_EQ(0, weft_region_new(d, &conf));
	rig_free(rig);
}

TEST(region__covers)
{
	struct weft_region_conf conf = good(7);
	struct rig_proc *proc;
	struct rig *rig = world(&proc);
	struct weft_region *r;

	ASSERT_EQ(0, weft_region_new(&proc->domain, &conf));
	EXPECT_EQ(NULL, weft_region_enter(&proc->domain, 0, 8));
	r = weft_region_enter(&proc->domain, 0, 7);
	ASSERT_TRUE(r);
	EXPECT_TRUE(weft_region_covers(r, WEFT_REGION_READ, 100, 30));
	EXPECT_TRUE(weft_region_covers(r, WEFT_REGION_READ, 129, 1));
	EXPECT_FALSE(weft_region_covers(r, WEFT_REGION_WRITE, 100, 30));
	EXPECT_FALSE(weft_region_covers(r, WEFT_REGION_READ, 99, 1));
	EXPECT_FALSE(weft_region_covers(r, WEFT_REGION_READ, 100, 31));
	EXPECT_FALSE(weft_region_covers(r, WEFT_REGION_READ, 130, 1));
	EXPECT_FALSE(weft_region_covers(r, WEFT_REGION_READ, 129, 2));
	EXPECT_FALSE(weft_region_covers(r, WEFT_REGION_READ, 129, ~0ull));
	EXPECT_FALSE(weft_region_covers(r, WEFT_REGION_READ, 0, ~0ull));
	EXPECT_FALSE(weft_region_covers(r, WEFT_REGION_READ, ~0ull, 200));
	weft_region_leave(r);
	rig_free(rig);
}

/* Regions are reported once, in the order in which they were made, while others come and go. */
TEST(region__look)
{
	struct weft_region_conf conf;
	struct weft_region_info info[4];
	struct rig_proc *proc;
	struct rig *rig = world(&proc);
	struct weft_domain *d = &proc->domain;
	struct weft_out *out;
	struct weft_region *r;
	u64 next = 0;
	u32 i;

	EXPECT_EQ(0, weft_domain_look(d, &next, info, 4));
	for (i = 0; i < 6; i++) {
		conf = good(100 - i);
		conf.zone = i;
		ASSERT_EQ(0, weft_region_new(d, &conf));
	}
	r = weft_region_enter(d, 1, 99);
	ASSERT_TRUE(r);
	ASSERT_EQ(4, weft_domain_look(d, &next, info, 4));
	weft_region_leave(r);
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(100 - i, info[i].key);
		EXPECT_EQ(i, info[i].zone);
		EXPECT_EQ(100, info[i].base);
		EXPECT_EQ(30, info[i].len);
		EXPECT_EQ(WEFT_REGION_READ, info[i].access);
		EXPECT_EQ(i == 1, info[i].users);
	}
	/* one that was reported goes, so does one that was not, and a new one comes */
	out = rig_out(&rig->node[0]);
	EXPECT_EQ(0, weft_region_end(d, 3, 97, rig_now(rig), out));
	EXPECT_EQ(0, weft_region_end(d, 4, 96, rig_now(rig), out));
	rig_leave(&rig->node[0], out);
	conf = good(97);
	conf.zone = 3;
	ASSERT_EQ(0, weft_region_new(d, &conf));
	ASSERT_EQ(2, weft_domain_look(d, &next, info, 4));
	EXPECT_EQ(95, info[0].key);
	EXPECT_EQ(97, info[1].key);
	/* a position that was reported is where a later call begins */
	next = info[1].no;
	EXPECT_EQ(1, weft_domain_look(d, &next, info, 4));
	EXPECT_EQ(0, weft_domain_look(d, &next, info, 4));
	rig_free(rig);
}

/* A key is unique in its zone. An endpoint finds it there first, then among regions without one. */
TEST(region__zones)
{
	struct weft_region_conf conf = good(5);
	struct weft_region *r;
	struct rig_proc *proc;
	struct rig *rig = world(&proc);
	struct weft_out *out = rig_out(&rig->node[0]);
	u32 zone;

	for (zone = 1; zone < 4; zone++) {
		conf.zone = zone;
		conf.base = zone;
		EXPECT_EQ(0, weft_region_new(&proc->domain, &conf));
		EXPECT_EQ(-EEXIST, weft_region_new(&proc->domain, &conf));
	}
	EXPECT_EQ(NULL, weft_region_enter(&proc->domain, 0, 5));
	EXPECT_EQ(NULL, weft_region_enter(&proc->domain, 4, 5));
	conf.zone = 0;
	conf.base = 99;
	EXPECT_EQ(0, weft_region_new(&proc->domain, &conf));
	ASSERT_EQ(0, weft_region_end(&proc->domain, 2, 5, 0, out));
	ASSERT_EQ(-ENOENT, weft_region_end(&proc->domain, 2, 5, 0, out));
	for (zone = 0; zone < 5; zone++) {
		r = weft_region_enter(&proc->domain, zone, 5);
		ASSERT_TRUE(r);
		EXPECT_EQ(zone == 1 || zone == 3 ? zone : 99, r->base);
		weft_region_leave(r);
	}
	rig_leave(&rig->node[0], out);
	rig_free(rig);
}

/* Return: base of the region with key 5 that an access finds by its hint, 0: none. */
static u64 again(struct weft_domain *d, u32 zone, struct weft_region_hint *hint)
{
	struct weft_region *r = weft_region_again(d, zone, 5, hint);
	u64 base = r ? r->base : 0;

	if (r)
		weft_region_leave(r);
	return base;
}

/* The hint of an access is not followed once a region that it would find has come or gone. */
TEST(region__again)
{
	struct weft_region_conf conf = good(5);
	struct weft_region_hint hint = { NULL };
	struct rig_proc *proc;
	struct rig *rig = world(&proc);
	struct weft_domain *d = &proc->domain;
	struct weft_out *out = rig_out(&rig->node[0]);
	struct weft_region *first;

	EXPECT_EQ(0, again(d, 3, &hint));
	ASSERT_EQ(0, weft_region_new(d, &conf));
	EXPECT_EQ(100, again(d, 3, &hint));
	first = hint.region;
	ASSERT_TRUE(first);
	EXPECT_EQ(100, again(d, 3, &hint));
	EXPECT_EQ(first, hint.region);
	EXPECT_EQ(NULL, weft_region_again(d, 3, 6, &hint));
	EXPECT_EQ(100, again(d, 3, &hint));
	EXPECT_EQ(100, again(d, 4, &hint));
	/* the zone's own region comes first */
	conf.zone = 3;
	conf.base = 200;
	ASSERT_EQ(0, weft_region_new(d, &conf));
	EXPECT_EQ(200, again(d, 3, &hint));
	EXPECT_EQ(100, again(d, 4, &hint));
	EXPECT_EQ(200, again(d, 3, &hint));
	ASSERT_EQ(0, weft_region_end(d, 3, 5, 0, out));
	EXPECT_EQ(100, again(d, 3, &hint));
	/* another one with the same key */
	ASSERT_EQ(0, weft_region_end(d, 0, 5, 0, out));
	conf.zone = 0;
	conf.base = 300;
	ASSERT_EQ(0, weft_region_new(d, &conf));
	EXPECT_EQ(300, again(d, 3, &hint));
	ASSERT_EQ(0, weft_region_end(d, 0, 5, 0, out));
	EXPECT_EQ(0, again(d, 3, &hint));
	rig_leave(&rig->node[0], out);
	rig_free(rig);
}

/* The memory of each part of an access to two regions. */
TEST(region__memory)
{
	struct weft_rma rma = { .role = WEFT_RMA_TARGET, .nuse = 2, .skip = 5 };
	u64 want[25] = { 0 }, off, addr;
	struct weft_region_conf conf = good(1);
	const struct weft_vec *vec;
	struct rig_proc *proc;
	struct rig *rig = world(&proc);
	struct weft_vec tmp;
	u32 i, k, len, at, n = 0;

	ASSERT_EQ(0, weft_region_new(&proc->domain, &conf));
	rma.use[0].region = weft_region_enter(&proc->domain, 0, 1);
	rma.use[0].off = 8;
	rma.use[0].len = 5;
	rma.use[1].region = weft_region_enter(&proc->domain, 0, 1);
	rma.use[1].off = 0;
	rma.use[1].len = 20;
	for (k = 0; k < 2; k++)
		for (i = 0; i < rma.use[k].len; i++) {
			u64 o = rma.use[k].off + i;

			want[n++] = o < 10 ? 0x1000 + o : 0x500 + o - 10;
		}
	for (i = 0; i < n; i++)
		for (k = 1; k <= n - i; k++) {
			off = 5 + i;
			len = k;
			vec = weft_rma_vec(&rma, &off, &len, &tmp);
			ASSERT_EQ(k, len);
			ASSERT_EQ(k, vec->len);
			for (at = 0, addr = 0; at < vec->n; at++)
				for (u32 b = 0; b < vec->seg[at].len; b++, addr++)
					ASSERT_EQ(want[i + addr], vec->seg[at].addr + b);
			ASSERT_EQ(k, addr);
		}
	weft_region_leave(rma.use[0].region);
	weft_region_leave(rma.use[1].region);
	rig_free(rig);
}

TEST(region__limit)
{
	struct weft_region_conf conf = good(1);
	struct weft_domain d = { 0 };
	struct weft_user_info info;
	u64 pos;
	struct rig_proc *proc;
	struct rig *rig = world(&proc);
	struct weft_core *core = &rig->node[0].core;
	struct weft_user *user = weft_user_enter(core, 5, WEFT_USE_CTXS);
	struct weft_out *out;
	u32 i;

	ASSERT_EQ(0, weft_limit_set(core, "regions-user", 3));
	ASSERT_EQ(0, weft_domain_init(&d, core, user));
	for (i = 0; i < 3; i++, conf.key++)
		ASSERT_EQ(0, weft_region_new(&d, &conf));
	EXPECT_EQ(-ENOSPC, weft_region_new(&d, &conf));
	EXPECT_EQ(1, rig_counter(&rig->node[0], WEFT_CNT_limit_regions));
	/* a key that is in use takes nothing */
	out = rig_out(&rig->node[0]);
	ASSERT_EQ(0, weft_region_end(&d, 0, 2, 0, out));
	conf.key = 1;
	EXPECT_EQ(-EEXIST, weft_region_new(&d, &conf));
	conf.key = 2;
	EXPECT_EQ(0, weft_region_new(&d, &conf));
	pos = 0;
	ASSERT_TRUE(weft_user_look(core, &pos, &info));
	EXPECT_EQ(3, info.regions);
	weft_domain_end(&d, 0, out);
	weft_domain_exit(&d);
	pos = 0;
	ASSERT_TRUE(weft_user_look(core, &pos, &info));
	EXPECT_EQ(0, info.regions);
	weft_user_leave(core, user, WEFT_USE_CTXS);
	rig_leave(&rig->node[0], out);
	rig_free(rig);
}

#define ROUNDS	20000

/**
 * struct shared - what two threads share
 * @d: the domain
 * @hint: for weft_region_again(), NULL: accesses look the region up
 * @stop: the other thread is done
 * @got: accesses that began
 * @inside: an access is under way
 */
struct shared {
	struct weft_domain *d;
	struct weft_region_hint *hint;
	bool stop;
	u32 got;
	bool inside;
};

static void *accesses(void *arg)
{
	struct shared *s = arg;
	struct weft_region *r;

	while (!READ_ONCE(s->stop)) {
		r = s->hint ? weft_region_again(s->d, 0, 1, s->hint) :
		    weft_region_enter(s->d, 0, 1);
		if (!r)
			continue;
		WRITE_ONCE(s->inside, true);
		s->got++;
		/* the region is in use between the two stores */
		smp_mb();
		WRITE_ONCE(s->inside, false);
		weft_region_leave(r);
	}
	return NULL;
}

static void ends(struct __test_metadata *_metadata, struct weft_region_hint *hint)
{
	struct weft_region_conf conf = good(1);
	struct rig_proc *proc;
	struct rig *rig = world(&proc);
	struct shared s = { .d = &proc->domain, .hint = hint };
	struct weft_out *out;
	pthread_t thread;
	u32 i;

	rig_fork(rig);
	out = rig_out(&rig->node[0]);
	ASSERT_EQ(0, pthread_create(&thread, NULL, accesses, &s));
	for (i = 0; i < ROUNDS || !READ_ONCE(s.got); i++) {
		ASSERT_EQ(0, weft_region_new(&proc->domain, &conf));
		ASSERT_EQ(0, weft_region_end(&proc->domain, 0, 1, 0, out));
		EXPECT_FALSE(READ_ONCE(s.inside));
	}
	WRITE_ONCE(s.stop, true);
	pthread_join(thread, NULL);
	rig_leave(&rig->node[0], out);
	rig_join(rig);
	rig_free(rig);
}

/* After the end of a region no access is under way, whatever another thread does. */
TEST(region__threads)
{
	struct weft_region_hint hint = { NULL };

	ends(_metadata, NULL);
	ends(_metadata, &hint);
}

TEST_HARNESS_MAIN
