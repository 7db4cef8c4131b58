// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tag matching: its rules, equality with a simple model, and its cost
 */
#include <time.h>

#include "core/base/match.h"
#include "harness.h"

static struct weft_mpost *post(struct weft_match *m, struct weft_mpost *p, u8 kind, u32 src,
			       u64 tag, u64 ignore)
{
	p->kind = kind;
	p->src = src;
	p->tag = tag;
	p->ignore = ignore;
	weft_match_post(m, p);
	return p;
}

static void unexp(struct weft_match *m, struct weft_munexp *u, u8 kind, u32 src, u64 tag)
{
	u->kind = kind;
	u->src = src;
	u->tag = tag;
	weft_match_unexp_add(m, u);
}

/* Change the sender of one message. */
static void rekey(struct weft_match *m, const struct weft_munexp *u, u32 src)
{
	weft_match_rekey(m);
	while (m->at)
		weft_match_rekey_next(m, m->at == u ? src : m->at->src);
}

TEST(match__oldest_wins)
{
	struct weft_mpost p[6] = { 0 };
	struct weft_match m = { 0 };

	ASSERT_EQ(0, weft_match_init(&m, 16, 16));
	post(&m, &p[0], WEFT_TAGGED, 7, 5, 0);
	post(&m, &p[1], WEFT_TAGGED, WEFT_SRC_ANY, 5, 0);
	post(&m, &p[2], WEFT_TAGGED, WEFT_SRC_ANY, 0, ~0ull);
	post(&m, &p[3], WEFT_TAGGED, 7, 5, 0);
	post(&m, &p[4], WEFT_TAGGED, 8, 4, 1);
	post(&m, &p[5], WEFT_UNTAGGED, WEFT_SRC_ANY, 0, 0);
	EXPECT_EQ(6, m.nposts);
	EXPECT_EQ(&p[0], weft_match_arrive(&m, WEFT_TAGGED, 7, 5));
	EXPECT_EQ(&p[1], weft_match_arrive(&m, WEFT_TAGGED, 7, 5));
	EXPECT_EQ(&p[2], weft_match_arrive(&m, WEFT_TAGGED, 7, 5));
	EXPECT_EQ(&p[4], weft_match_arrive(&m, WEFT_TAGGED, 8, 5));
	EXPECT_NULL(weft_match_arrive(&m, WEFT_TAGGED, 8, 5));
	EXPECT_EQ(&p[3], weft_match_arrive(&m, WEFT_TAGGED, 7, 5));
	EXPECT_NULL(weft_match_arrive(&m, WEFT_TAGGED, 7, 0));
	EXPECT_EQ(&p[5], weft_match_arrive(&m, WEFT_UNTAGGED, WEFT_SRC_ANY, 0));
	EXPECT_EQ(0, m.nposts);
	weft_match_fini(&m);
	EXPECT_EQ(0, weft_host_live());
}

TEST(match__unknown_source)
{
	struct weft_mpost p[2] = { 0 };
	struct weft_munexp u[3] = { 0 };
	struct weft_match m = { 0 };

	ASSERT_EQ(0, weft_match_init(&m, 16, 16));
	post(&m, &p[0], WEFT_TAGGED, 3, 1, 0);
	EXPECT_NULL(weft_match_arrive(&m, WEFT_TAGGED, WEFT_SRC_ANY, 1));
	post(&m, &p[1], WEFT_TAGGED, WEFT_SRC_ANY, 1, 0);
	EXPECT_EQ(&p[1], weft_match_arrive(&m, WEFT_TAGGED, WEFT_SRC_ANY, 1));
	weft_match_post_del(&m, &p[0]);
	weft_match_post_del(&m, &p[0]);

	unexp(&m, &u[0], WEFT_TAGGED, WEFT_SRC_ANY, 1);
	unexp(&m, &u[1], WEFT_TAGGED, 3, 1);
	unexp(&m, &u[2], WEFT_TAGGED, WEFT_SRC_ANY, 1);
	EXPECT_EQ(&u[1], weft_match_find(&m, WEFT_TAGGED, 3, 1, 0));
	EXPECT_EQ(&u[0], weft_match_find(&m, WEFT_TAGGED, WEFT_SRC_ANY, 1, 0));
	/* the sender becomes known: this message is older than the known one */
	rekey(&m, &u[2], 3);
	EXPECT_EQ(&u[1], weft_match_find(&m, WEFT_TAGGED, 3, 1, 0));
	rekey(&m, &u[0], 3);
	EXPECT_EQ(&u[0], weft_match_find(&m, WEFT_TAGGED, 3, 1, 0));
	weft_match_unexp_del(&m, &u[0]);
	EXPECT_EQ(&u[1], weft_match_find(&m, WEFT_TAGGED, 3, 1, 0));
	weft_match_unexp_del(&m, &u[1]);
	EXPECT_EQ(&u[2], weft_match_find(&m, WEFT_TAGGED, 3, 1, 0));
	weft_match_unexp_del(&m, &u[2]);
	weft_match_unexp_del(&m, &u[2]);
	weft_match_fini(&m);
}

/* Messages come and go while senders change; afterwards the order is that of arrival. */
TEST(match__rekey)
{
	struct weft_munexp u[6] = { 0 };
	struct weft_match m = { 0 };
	u32 i;

	ASSERT_EQ(0, weft_match_init(&m, 16, 16));
	weft_match_rekey(&m);
	EXPECT_NULL(m.at);
	for (i = 0; i < 3; i++)
		unexp(&m, &u[i], WEFT_TAGGED, WEFT_SRC_ANY, 1);
	unexp(&m, &u[3], WEFT_UNTAGGED, WEFT_SRC_ANY, 0);
	weft_match_rekey(&m);
	/* untagged ones first */
	EXPECT_EQ(&u[3], m.at);
	weft_match_rekey_next(&m, 5);
	EXPECT_EQ(&u[0], m.at);
	weft_match_rekey_next(&m, 5);
	EXPECT_EQ(&u[1], m.at);
	/* the next one goes, and one that is done */
	weft_match_unexp_del(&m, &u[1]);
	EXPECT_EQ(&u[2], m.at);
	weft_match_unexp_del(&m, &u[3]);
	unexp(&m, &u[4], WEFT_TAGGED, 5, 1);
	weft_match_rekey_next(&m, 5);
	EXPECT_EQ(&u[4], m.at);
	weft_match_rekey_next(&m, 5);
	EXPECT_NULL(m.at);
	EXPECT_EQ(&u[0], weft_match_find(&m, WEFT_TAGGED, 5, 1, 0));
	weft_match_unexp_del(&m, &u[0]);
	EXPECT_EQ(&u[2], weft_match_find(&m, WEFT_TAGGED, 5, 1, 0));
	weft_match_unexp_del(&m, &u[2]);
	EXPECT_EQ(&u[4], weft_match_find(&m, WEFT_TAGGED, 5, 1, 0));
	/* the last one goes while it is the next */
	weft_match_rekey(&m);
	weft_match_unexp_del(&m, &u[4]);
	EXPECT_NULL(m.at);
	weft_match_fini(&m);
}

TEST(match__walk)
{
	struct weft_mpost p[3] = { 0 };
	struct weft_munexp u[3] = { 0 };
	struct weft_match m = { 0 };

	ASSERT_EQ(0, weft_match_init(&m, 16, 16));
	EXPECT_NULL(weft_match_post_next(&m, NULL));
	post(&m, &p[0], WEFT_TAGGED, 3, 1, 2);
	post(&m, &p[1], WEFT_UNTAGGED, 3, 0, 0);
	post(&m, &p[2], WEFT_TAGGED, 3, 1, 0);
	EXPECT_EQ(&p[0], weft_match_post_next(&m, NULL));
	EXPECT_EQ(&p[1], weft_match_post_next(&m, &p[0]));
	EXPECT_EQ(&p[2], weft_match_post_next(&m, &p[1]));
	EXPECT_NULL(weft_match_post_next(&m, &p[2]));
	unexp(&m, &u[0], WEFT_TAGGED, 3, 1);
	unexp(&m, &u[1], WEFT_UNTAGGED, 3, 0);
	unexp(&m, &u[2], WEFT_TAGGED, 3, 2);
	EXPECT_EQ(&u[0], weft_match_unexp_next(&m, WEFT_TAGGED, NULL));
	EXPECT_EQ(&u[2], weft_match_unexp_next(&m, WEFT_TAGGED, &u[0]));
	EXPECT_NULL(weft_match_unexp_next(&m, WEFT_TAGGED, &u[2]));
	EXPECT_EQ(&u[1], weft_match_unexp_next(&m, WEFT_UNTAGGED, NULL));
	while (weft_match_post_next(&m, NULL))
		weft_match_post_del(&m, weft_match_post_next(&m, NULL));
	for (int i = 0; i < 3; i++)
		weft_match_unexp_del(&m, &u[i]);
	weft_match_fini(&m);
}

#define LOOKS	1000u	/* receives, or messages */

/* Receives and messages are found by their numbers, each passed about once in a series of calls. */
TEST(match__look)
{
	struct weft_mpost *p = calloc(LOOKS, sizeof(*p)), *got;
	struct weft_munexp *u = calloc(LOOKS, sizeof(*u)), *gotu;
	u32 i, steps, passed = 0;
	struct weft_match m = { 0 };

	ASSERT_EQ(0, weft_match_init(&m, 16, 16));
	steps = 9;
	EXPECT_NULL(weft_match_look_post(&m, 5, &steps));
	EXPECT_NULL(weft_match_look_unexp(&m, WEFT_TAGGED, 5, &steps));
	EXPECT_EQ(9, steps);
	for (i = 0; i < LOOKS; i++) {
		post(&m, &p[i], WEFT_TAGGED, 3, i, 0);
		unexp(&m, &u[i], WEFT_TAGGED, 4, i);
	}
	for (i = 0; i < LOOKS; i++) {
		steps = 10;
		EXPECT_EQ(&p[i], weft_match_look_post(&m, p[i].seq, &steps));
		EXPECT_EQ(&u[i], weft_match_look_unexp(&m, WEFT_TAGGED, u[i].seq, &steps));
		passed += 10 - steps;
	}
	EXPECT_GE(2 * LOOKS, passed);
	/* behind the last one; the next call begins there */
	steps = 10;
	EXPECT_NULL(weft_match_look_post(&m, p[LOOKS - 1].seq + 5, &steps));
	EXPECT_LT(0, steps);
	EXPECT_EQ(&p[LOOKS - 3], weft_match_look_post(&m, p[LOOKS - 3].seq, &steps));
	/* back, in parts: the steps bound what a call passes */
	for (i = 0, steps = 0; !steps; i++) {
		steps = 100;
		got = weft_match_look_post(&m, p[7].seq, &steps);
	}
	EXPECT_EQ(&p[7], got);
	EXPECT_EQ(LOOKS / 100, i);
	steps = 0;
	EXPECT_NULL(weft_match_look_post(&m, p[7].seq, &steps));
	/* those at which the searches have stopped go, and so do others */
	for (i = 0; i < 10; i++) {
		weft_match_post_del(&m, &p[i]);
		weft_match_unexp_del(&m, &u[LOOKS - 1 - i]);
	}
	steps = 10;
	EXPECT_EQ(&p[10], weft_match_look_post(&m, p[3].seq, &steps));
	EXPECT_EQ(&p[10], weft_match_look_post(&m, 0, &steps));
	steps = 2 * LOOKS;
	gotu = weft_match_look_unexp(&m, WEFT_TAGGED, u[LOOKS - 11].seq, &steps);
	EXPECT_EQ(&u[LOOKS - 11], gotu);
	EXPECT_NULL(weft_match_look_unexp(&m, WEFT_TAGGED, u[LOOKS - 1].seq, &steps));
	EXPECT_NULL(weft_match_look_unexp(&m, WEFT_UNTAGGED, 1, &steps));
	for (i = 0; i < LOOKS; i++) {
		weft_match_post_del(&m, &p[i]);
		weft_match_unexp_del(&m, &u[i]);
	}
	EXPECT_NULL(m.look_post);
	EXPECT_NULL(m.look_unexp);
	weft_match_fini(&m);
	free(p);
	free(u);
}

/* So many ignore masks can be posted, and all bits and none besides. */
TEST(match__masks)
{
	struct weft_mpost p[WEFT_MATCH_MASKS + 1] = { 0 }, all = { 0 }, none = { 0 }, same = { 0 };
	struct weft_match m = { 0 };
	u32 i;

	ASSERT_EQ(0, weft_match_init(&m, 16, 16));
	for (i = 0; i <= WEFT_MATCH_MASKS; i++) {
		p[i] = (struct weft_mpost){ .kind = WEFT_TAGGED, .src = WEFT_SRC_ANY,
					    .tag = 1ull << 63, .ignore = i + 1 };
		EXPECT_EQ(i < WEFT_MATCH_MASKS, weft_match_post(&m, &p[i]));
	}
	EXPECT_FALSE(p[i - 1].in);
	EXPECT_EQ(WEFT_MATCH_MASKS, m.nposts);
	post(&m, &all, WEFT_TAGGED, WEFT_SRC_ANY, 0, ~0ull);
	post(&m, &none, WEFT_TAGGED, WEFT_SRC_ANY, 1ull << 63, 0);
	post(&m, &same, WEFT_TAGGED, WEFT_SRC_ANY, 0, 1);
	EXPECT_TRUE(all.in && none.in && same.in);
	weft_match_post_del(&m, &all);
	/* the mask stays while a receive has it */
	EXPECT_EQ(&p[0], weft_match_arrive(&m, WEFT_TAGGED, 0, 1ull << 63 | 1));
	EXPECT_FALSE(weft_match_post(&m, &p[i - 1]));
	EXPECT_EQ(&same, weft_match_arrive(&m, WEFT_TAGGED, 0, 1));
	EXPECT_TRUE(weft_match_post(&m, &p[i - 1]));
	EXPECT_EQ(&p[i - 1], weft_match_arrive(&m, WEFT_TAGGED, 0, 1ull << 63 | 65));
	while (weft_match_post_next(&m, NULL))
		weft_match_post_del(&m, weft_match_post_next(&m, NULL));
	EXPECT_EQ(0, m.nmasks[WEFT_TAGGED]);
	weft_match_fini(&m);
}

TEST(match__no_memory)
{
	struct weft_match m;

	for (int i = 1; i <= 3; i++) {
		memset(&m, 0, sizeof(m));
		weft_host_fail_nth(i);
		EXPECT_EQ(-ENOMEM, weft_match_init(&m, 16, 16));
		weft_match_fini(&m);
	}
	EXPECT_EQ(0, weft_host_live());
}

/* ---- Against a model ------------------------------------------------- */

#define NODES	48

static bool fits(const struct weft_mpost *p, u8 kind, u32 src, u64 tag)
{
	return p->kind == kind && !((p->tag ^ tag) & ~p->ignore) &&
	       (p->src == WEFT_SRC_ANY || p->src == src);
}

/* The oldest entry of the model that fits; the model is the list of nodes alone. */
static struct weft_mpost *model_arrive(struct weft_mpost *p, u8 kind, u32 src, u64 tag)
{
	struct weft_mpost *best = NULL;

	for (u32 i = 0; i < NODES; i++)
		if (p[i].in && fits(&p[i], kind, src, tag) && (!best || p[i].seq < best->seq))
			best = &p[i];
	return best;
}

static struct weft_munexp *model_find(struct weft_munexp *u, const struct weft_mpost *want)
{
	struct weft_munexp *best = NULL;

	for (u32 i = 0; i < NODES; i++)
		if (u[i].in && fits(want, u[i].kind, u[i].src, u[i].tag) &&
		    (!best || u[i].seq < best->seq))
			best = &u[i];
	return best;
}

static u32 below(u32 n)
{
	return weft_random() % n;
}

static u32 any_src(void)
{
	return below(3) ? below(3) : WEFT_SRC_ANY;
}

static int run_seed(u64 seed)
{
	static const u64 ignores[] = { 0, 0, 0, 1, 2, 3, ~0ull, 1ull << 63 };
	struct weft_mpost p[NODES], want = { 0 };
	struct weft_munexp u[NODES];
	struct weft_match m = { 0 };
	u32 i, step, np = 0, nu = 0;

	memset(p, 0, sizeof(p));
	memset(u, 0, sizeof(u));
	weft_host_seed(seed);
	if (weft_match_init(&m, 16, 16))
		return -1;
	for (step = 0; step < 400; step++) {
		struct weft_mpost *hit, *model;
		struct weft_munexp *uhit;

		i = below(NODES);
		want.kind = below(2);
		want.src = any_src();
		want.tag = want.kind ? below(4) : 0;
		want.ignore = want.kind ? ignores[below(ARRAY_SIZE(ignores))] : 0;
		switch (below(7)) {
		case 0:
		case 1:
			if (p[i].in)
				break;
			post(&m, &p[i], want.kind, want.src, want.tag, want.ignore);
			np++;
			break;
		case 2:
			model = model_arrive(p, want.kind, want.src, want.tag);
			hit = weft_match_arrive(&m, want.kind, want.src, want.tag);
			if (hit != model || (hit && hit->in))
				return step + 1;
			np -= !!hit;
			break;
		case 3:
			np -= p[i].in;
			weft_match_post_del(&m, &p[i]);
			break;
		case 4:
			if (u[i].in)
				break;
			unexp(&m, &u[i], want.kind, want.src, want.tag);
			nu++;
			break;
		case 5:
			uhit = weft_match_find(&m, want.kind, want.src, want.tag, want.ignore);
			if (uhit != model_find(u, &want))
				return step + 1;
			if (uhit && below(2)) {
				weft_match_unexp_del(&m, uhit);
				nu--;
			}
			break;
		case 6:
			if (u[i].in)
				rekey(&m, &u[i], want.src);
			break;
		}
		if (m.nposts != np || m.nunexp != nu)
			return step + 1;
	}
	/* the remaining entries are found in order */
	for (i = 0; i < NODES; i++) {
		weft_match_post_del(&m, &p[i]);
		weft_match_unexp_del(&m, &u[i]);
	}
	weft_match_fini(&m);
	return m.nposts || m.nunexp;
}

TEST(match__model)
{
	const char *env = getenv("WEFT_SEED");
	u64 seed = env ? strtoull(env, NULL, 0) : 1;
	u64 end = env ? seed : 4000;

	for (; seed <= end; seed++) {
		int step = run_seed(seed);

		ASSERT_EQ(0, step) {
			TH_LOG("step %d; again: WEFT_SEED=%llu test_match", step,
			       (unsigned long long)seed);
		}
	}
}

/* ---- Cost ------------------------------------------------------------ */

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/*
 * Time of @rounds exact matches, both sides, while @n others wait. Their tags are all equal or all
 * different, and their receives ignore @ignore.
 */
static double cost(u32 n, bool alike, u64 ignore, u32 rounds)
{
	struct weft_mpost *p = calloc(n + 1, sizeof(*p));
	struct weft_munexp *u = calloc(n + 1, sizeof(*u));
	struct weft_match m = { 0 };
	uintptr_t sink = 0;
	double t;
	u32 i;

	if (weft_match_init(&m, n, n))
		return -1;
	for (i = 0; i < n; i++) {
		post(&m, &p[i], WEFT_TAGGED, i & 1 ? WEFT_SRC_ANY : i, alike ? 1 : i + 2,
		     ignore);
		unexp(&m, &u[i], WEFT_TAGGED, i, alike ? 2 : (1ull << 32) + i);
	}
	t = seconds();
	for (i = 0; i < rounds; i++) {
		post(&m, &p[n], WEFT_TAGGED, WEFT_SRC_ANY, 1ull << 40, 0);
		sink |= (uintptr_t)weft_match_arrive(&m, WEFT_TAGGED, 5, 1ull << 40);
		unexp(&m, &u[n], WEFT_TAGGED, 5, 1ull << 41);
		sink |= (uintptr_t)weft_match_find(&m, WEFT_TAGGED, 5, 1ull << 41, 0);
		sink |= (uintptr_t)weft_match_find(&m, WEFT_TAGGED, WEFT_SRC_ANY, 1ull << 41, 0);
		weft_match_unexp_del(&m, &u[n]);
	}
	t = seconds() - t;
	if (!sink)
		t = -1;
	for (i = 0; i < n; i++) {
		weft_match_post_del(&m, &p[i]);
		weft_match_unexp_del(&m, &u[i]);
	}
	weft_match_fini(&m);
	free(p);
	free(u);
	return t;
}

/*
 * Ten thousand waiting entries cost about as much as sixteen. A scan would take some hundred times
 * as long. The test counts processor time, so that other programs do not matter.
 */
TEST(match__flat_cost)
{
	double few, many, alike, wild;

	weft_host_seed(7);
	few = cost(16, false, 0, 100000);
	many = cost(10000, false, 0, 100000);
	alike = cost(10000, true, 0, 100000);
	wild = cost(10000, false, 0xff00000000, 100000);
	TH_LOG("16: %.0f ns, 10000: %.0f ns, 10000 alike: %.0f ns, 10000 that ignore bits: %.0f ns",
	       few * 1e4, many * 1e4, alike * 1e4, wild * 1e4);
	EXPECT_LT(many, few * 100);
	EXPECT_LT(alike, few * 100);
	EXPECT_LT(wild, few * 100);
}

TEST_HARNESS_MAIN
