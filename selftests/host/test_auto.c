// SPDX-License-Identifier: GPL-2.0-only
/*
 * When the engine `auto` polls
 */
#include "core/base/auto.h"
#include "harness.h"

/* Call every @gap. Return: the number of calls until the engine polls, 0: never. */
static u32 calls(weft_ns gap, u32 n)
{
	struct weft_rate r = { 0 };
	weft_ns now = 5 * NSEC_PER_SEC;
	u32 i;

	for (i = 1; i <= n; i++, now += gap)
		if (weft_rate_call(&r, now))
			return i;
	return 0;
}

TEST(auto__rate)
{
	struct weft_rate r = { 0 };
	u32 i;

	EXPECT_EQ(WEFT_AUTO_CALLS, calls(0, 1000));
	EXPECT_EQ(WEFT_AUTO_CALLS, calls(WEFT_AUTO_WINDOW / WEFT_AUTO_CALLS, 1000));
	/* slightly rarer calls never suffice */
	EXPECT_EQ(0, calls(WEFT_AUTO_WINDOW / (WEFT_AUTO_CALLS - 2), 100000));
	EXPECT_EQ(0, calls(NSEC_PER_SEC, 1000));
	/* the program must call often again each time */
	for (i = 1; i <= 10 * WEFT_AUTO_CALLS; i++)
		EXPECT_EQ(i % WEFT_AUTO_CALLS == 0, weft_rate_call(&r, NSEC_PER_SEC));
	/* a small step back in time does not begin a new measurement */
	r = (struct weft_rate) { 0 };
	for (i = 1; i < WEFT_AUTO_CALLS; i++)
		EXPECT_FALSE(weft_rate_call(&r, NSEC_PER_SEC + 100 - i));
	EXPECT_TRUE(weft_rate_call(&r, NSEC_PER_SEC));
}

TEST(auto__crowd)
{
	struct weft_crowd c = { 0 };
	weft_ns now = NSEC_PER_SEC, rest = WEFT_AUTO_REST_MIN;
	u32 i;

	EXPECT_FALSE(weft_crowd_rests(&c, now));
	/* short-lived pollers are no crowd */
	for (i = 0; i < 1000; i++, now += WEFT_AUTO_CROWD / 2)
		EXPECT_FALSE(weft_crowd_look(&c, i % 3 == 0, now));
	EXPECT_FALSE(weft_crowd_look(&c, true, now));
	/* pollers that stay are a crowd; each time the pause is longer */
	for (i = 0; i < 20; i++) {
		EXPECT_FALSE(weft_crowd_look(&c, false, now));
		EXPECT_FALSE(weft_crowd_look(&c, false, now + WEFT_AUTO_CROWD));
		now += WEFT_AUTO_CROWD + 1;
		EXPECT_TRUE(weft_crowd_look(&c, false, now));
		EXPECT_TRUE(weft_crowd_rests(&c, now));
		EXPECT_TRUE(weft_crowd_rests(&c, now + rest - 1));
		EXPECT_FALSE(weft_crowd_rests(&c, now + rest));
		now += rest;
		rest = min_t(weft_ns, 2 * rest, WEFT_AUTO_REST_MAX);
	}
	EXPECT_EQ(WEFT_AUTO_REST_MAX, rest);
	/* a quiet time makes the pause short again */
	now += 3 * WEFT_AUTO_REST_MAX;
	EXPECT_FALSE(weft_crowd_look(&c, false, now));
	now += WEFT_AUTO_CROWD + 1;
	EXPECT_TRUE(weft_crowd_look(&c, false, now));
	EXPECT_FALSE(weft_crowd_rests(&c, now + WEFT_AUTO_REST_MIN));
}

TEST_HARNESS_MAIN
