// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists
 */
#include "core/base/env.h"
#include "harness.h"

struct item {
	u32 n;
	struct weft_list l;
};

static u32 digits(struct weft_list *head)
{
	struct weft_list *l;
	u32 r = 0;

	weft_list_for_each(l, head)
		r = r * 10 + weft_entry(l, struct item, l)->n;
	return r;
}

TEST(list__order)
{
	struct item it[5] = { { 1 }, { 2 }, { 3 }, { 4 }, { 5 } };
	struct weft_list head, *l, *tmp;

	weft_list_init(&head);
	EXPECT_TRUE(weft_list_empty(&head));
	EXPECT_NULL(weft_list_first(&head));
	weft_list_add_tail(&head, &it[1].l);
	weft_list_add_tail(&head, &it[2].l);
	weft_list_add(&head, &it[0].l);
	EXPECT_EQ(123, digits(&head));
	EXPECT_EQ(&it[0].l, weft_list_first(&head));
	weft_list_add(&it[0].l, &it[3].l);
	weft_list_add_tail(&it[2].l, &it[4].l);
	EXPECT_EQ(14253, digits(&head));
	weft_list_del(&it[3].l);
	weft_list_del(&it[3].l);
	EXPECT_EQ(1253, digits(&head));
	weft_list_for_each_safe(l, tmp, &head)
		if (weft_entry(l, struct item, l)->n & 1)
			weft_list_del(l);
	EXPECT_EQ(2, digits(&head));
	EXPECT_TRUE(weft_list_empty(&it[0].l));
}

TEST(list__splice)
{
	struct item it[4] = { { 1 }, { 2 }, { 3 }, { 4 } };
	struct weft_list a, b;

	weft_list_init(&a);
	weft_list_init(&b);
	weft_list_splice_tail(&a, &b);
	EXPECT_TRUE(weft_list_empty(&a));
	weft_list_add_tail(&b, &it[2].l);
	weft_list_add_tail(&b, &it[3].l);
	weft_list_splice_tail(&a, &b);
	EXPECT_EQ(34, digits(&a));
	EXPECT_TRUE(weft_list_empty(&b));
	weft_list_add_tail(&b, &it[0].l);
	weft_list_splice_tail(&a, &b);
	weft_list_splice_tail(&a, &b);
	EXPECT_EQ(341, digits(&a));
	EXPECT_EQ(&a, it[0].l.next);
	EXPECT_EQ(&it[0].l, a.prev);
}

/* Published with the algorithm: key 00 .. 0f, message of the bytes 00, 01, ... */
TEST(list__siphash)
{
	static const u64 key[2] = { 0x0706050403020100, 0x0f0e0d0c0b0a0908 };
	u8 msg[64];
	u32 i;

	for (i = 0; i < sizeof(msg); i++)
		msg[i] = i;
	EXPECT_EQ(0x726fdb47dd0e0e31, weft_siphash(msg, 0, key));
	EXPECT_EQ(0x93f5f5799a932462, weft_siphash(msg, 8, key));
	EXPECT_EQ(0xa129ca6149be45e5, weft_siphash(msg, 15, key));
}

TEST_HARNESS_MAIN
