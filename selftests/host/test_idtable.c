// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests of core/base/idtable.c: beside a model, while it grows, without memory, and empty again. */
#include "core/base/idtable.h"
#include "harness.h"

#define MOST	70000

struct thing {
	struct weft_idnode idnode;
	u32 id;
};

static struct weft_idtable table;
static struct thing thing[MOST];

static void begin(u32 salt)
{
	u32 i;

	memset(&table, 0, sizeof(table));
	weft_idtable_init(&table, salt);
	for (i = 0; i < MOST; i++)
		weft_idnode_init(&thing[i].idnode);
}

static void add(u32 i, u32 id)
{
	thing[i].id = id;
	weft_idtable_add(&table, &thing[i].idnode, id);
}

static u32 length(u32 id)
{
	struct weft_list *l;
	u32 n = 0;

	weft_list_for_each(l, weft_idtable_chain(&table, id))
		n++;
	return n;
}

/* Return: the things with this number. */
static u32 found(u32 id, struct thing **t)
{
	struct weft_list *l;
	u32 n = 0;

	weft_list_for_each(l, weft_idtable_chain(&table, id)) {
		struct thing *one = weft_entry(l, struct thing, idnode.list);

		if (one->id == id) {
			*t = one;
			n++;
		}
	}
	return n;
}

/* Parts of a table with @size chains. */
static long parts(u32 size)
{
	return fls(size / WEFT_IDTABLE_MIN) - 1;
}

/* Each number is found, in a short chain, whatever numbers a peer chooses. */
TEST(idtable__grows)
{
	static const u32 step[] = { 1, 16, 4096, 1u << 16, 0x144cbc89, 0x9e3779b1 };
	u32 i, k, longest;
	struct thing *t;

	for (k = 0; k < ARRAY_SIZE(step); k++) {
		begin(0x1234567 * k);
		for (i = longest = 0; i < MOST; i++) {
			add(i, i * step[k]);
			longest = max(longest, length(i * step[k]));
		}
		EXPECT_EQ(MOST, table.n);
		EXPECT_EQ(WEFT_IDTABLE_MAX, table.size);
		EXPECT_GE(MOST / WEFT_IDTABLE_MAX * 6, longest);
		for (i = 0; i < MOST; i++) {
			/* a number that is multiplied with 2^16 comes twice */
			ASSERT_LE(1, found(thing[i].id, &t));
			ASSERT_EQ(thing[i].id, t->id);
		}
		for (i = 0; i < MOST; i++)
			weft_idtable_del(&table, &thing[i].idnode);
		weft_idtable_exit(&table);
	}
}

/* A chain for each entry, and never more than one chain is split in a call. */
TEST(idtable__one_split)
{
	u32 i, size;

	begin(7);
	for (i = 0; i < MOST; i++) {
		size = table.size;
		add(i, i);
		EXPECT_EQ(clamp_t(u32, i + 1, WEFT_IDTABLE_MIN, WEFT_IDTABLE_MAX), table.size);
		ASSERT_GE(size + 1, table.size);
	}
	for (i = 0; i < MOST; i++)
		weft_idtable_del(&table, &thing[i].idnode);
	weft_idtable_exit(&table);
}

/* Random calls; numbers come several times. */
TEST(idtable__model)
{
	static u32 many[512];
	struct thing *t;
	u32 i, n, round;

	begin(99);
	memset(many, 0, sizeof(many));
	srand(5);
	for (round = 0; round < 300000; round++) {
		u32 most = round / 1000 % 2 ? 60 : 4000;

		i = (u32)rand() % most;
		if (weft_list_empty(&thing[i].idnode.list)) {
			add(i, (u32)rand() % ARRAY_SIZE(many));
			many[thing[i].id]++;
		} else {
			weft_idtable_del(&table, &thing[i].idnode);
			many[thing[i].id]--;
		}
		i = (u32)rand() % ARRAY_SIZE(many);
		ASSERT_EQ(many[i], found(i, &t));
	}
	for (i = n = 0; i < ARRAY_SIZE(many); i++)
		n += many[i];
	EXPECT_EQ(n, table.n);
	for (i = 0; i < MOST; i++) {
		weft_idtable_del(&table, &thing[i].idnode);
		/* a second time it does nothing */
		weft_idtable_del(&table, &thing[i].idnode);
	}
	EXPECT_EQ(0, table.n);
	weft_idtable_exit(&table);
}

/* Without memory chains become longer. Memory is asked for again when the entries have doubled. */
TEST(idtable__no_memory)
{
	struct thing *t;
	u32 i;

	begin(3);
	weft_host_fail_rate(65536, 1);
	for (i = 0; i < 1000; i++)
		add(i, i);
	EXPECT_EQ(WEFT_IDTABLE_MIN, table.size);
	weft_host_fail_rate(0, 0);
	for (; i < 2000; i++)
		add(i, i);
	EXPECT_LT(WEFT_IDTABLE_MIN, table.size);
	for (i = 0; i < 2000; i++) {
		ASSERT_EQ(1, found(i, &t));
		ASSERT_EQ(&thing[i], t);
	}
	for (i = 0; i < 2000; i++)
		weft_idtable_del(&table, &thing[i].idnode);
	weft_idtable_exit(&table);
}

/* An empty table gives large parts back, and keeps small ones. */
TEST(idtable__shrinks)
{
	long before = weft_host_live();
	u32 i, k;

	begin(3);
	for (k = 0; k < 3; k++) {
		for (i = 0; i < 5000; i++)
			add(i, i);
		EXPECT_EQ(parts(8192), weft_host_live() - before);
		for (i = 0; i < 5000; i++)
			weft_idtable_del(&table, &thing[i].idnode);
		EXPECT_EQ(WEFT_IDTABLE_KEEP, table.size);
		EXPECT_EQ(parts(WEFT_IDTABLE_KEEP), weft_host_live() - before);
	}
	for (i = 0; i < 600; i++)
		add(i, i);
	EXPECT_EQ(WEFT_IDTABLE_KEEP, table.size);
	for (i = 0; i < 600; i++)
		weft_idtable_del(&table, &thing[i].idnode);
	weft_idtable_exit(&table);
	EXPECT_EQ(before, weft_host_live());
}

TEST_HARNESS_MAIN
