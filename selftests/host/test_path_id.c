// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests of core/transport/path_id.c: unused ids beside a model that tries one id after the other,
 * and slots in use.
 */
#include "core/api/internal.h"
#include "harness.h"

#define SLOTS	200
#define INDEX	((1u << WEFT_ID_INDEX) - 1)

/* A core that has nothing but path ids, and paths that have nothing else. */
struct ids {
	struct weft_core core;
	struct weft_path path[SLOTS];
	struct weft_path *slot[SLOTS];
	unsigned long used[BITS_TO_LONGS(SLOTS)];
};

static struct ids *ids_new(u32 slots, u32 next)
{
	struct ids *ids = calloc(1, sizeof(*ids));

	if (!ids)
		abort();
	weft_lock_init(&ids->core.lock, WEFT_RANK_CORE);
	ids->core.path_slots = slots;
	ids->core.path_ids = ids->slot;
	ids->core.path_used = ids->used;
	ids->core.next_path = next;
	weft_lock(&ids->core.lock);
	return ids;
}

static void ids_free(struct ids *ids)
{
	weft_unlock(&ids->core.lock);
	free(ids);
}

static void take(struct ids *ids, u32 id)
{
	struct weft_path *path = &ids->path[(id & INDEX) % ids->core.path_slots];

	path->core = &ids->core;
	path->id = id;
	weft_path_id_set(path);
}

/* The next unused id from @next on; @next is then the one behind it. Return: 0: none. */
static u32 model(const struct ids *ids, u32 *next)
{
	u32 i;

	for (i = 0; i < 2 * SLOTS; i++) {
		u32 id = (*next)++;

		if (id && !ids->slot[(id & INDEX) % ids->core.path_slots])
			return id;
	}
	return 0;
}

/* Take and drop ids at random, and compare each with the model's. */
static void compare(struct __test_metadata *_metadata, u32 slots, u32 next)
{
	struct ids *ids = ids_new(slots, next);
	u32 i, n = 0, at = 0;

	for (i = 0; i < 40 * slots; i++) {
		/* nearly full for half of the time, then nearly empty */
		bool more = weft_random() % 8 < (i / (10 * slots) % 2 ? 2 : 6);

		if (more && n < slots) {
			u32 id = model(ids, &next);

			EXPECT_EQ(id, weft_path_id_new(&ids->core));
			EXPECT_EQ(next, ids->core.next_path);
			take(ids, id);
			n++;
		} else if (n) {
			at = weft_path_slot_next(&ids->core, weft_random() % slots);
			if (at == slots)
				at = weft_path_slot_next(&ids->core, 0);
			EXPECT_TRUE(at < slots);
			weft_path_id_clear(ids->slot[at]);
			n--;
		}
	}
	ids_free(ids);
}

/* Ids ascend, skip those in use, and begin again behind the last slot and the last index. */
TEST(path_id__model)
{
	static const u32 slots[] = { 1, 2, 63, 64, 65, 128, 199, SLOTS };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		compare(_metadata, slots[i], 1);
		compare(_metadata, slots[i], INDEX - slots[i] / 2);
		compare(_metadata, slots[i], 5 * (INDEX + 1) - 1);
		/* past id 0 */
		compare(_metadata, slots[i], 0u - slots[i] / 2);
		compare(_metadata, slots[i], 0);
	}
}

/* Without an unused slot there is no id; a slot that is cleared gives one again. */
TEST(path_id__full)
{
	struct ids *ids = ids_new(SLOTS, 77);
	u32 i, id;

	for (i = 0; i < SLOTS; i++)
		take(ids, weft_path_id_new(&ids->core));
	EXPECT_EQ(0, weft_path_id_new(&ids->core));
	weft_path_id_clear(ids->slot[3]);
	id = weft_path_id_new(&ids->core);
	EXPECT_EQ(3, (id & INDEX) % SLOTS);
	EXPECT_GT(id, 77 + SLOTS - 1);
	ids_free(ids);
}

/* A packet's id finds its path alone: not an earlier id of the same slot. */
TEST(path_id__lookup)
{
	struct ids *ids = ids_new(64, 10);

	take(ids, 10);
	EXPECT_EQ(&ids->path[10], weft_path_by_id(&ids->core, 10));
	EXPECT_EQ(NULL, weft_path_by_id(&ids->core, 10 + 64));
	weft_path_id_clear(&ids->path[10]);
	EXPECT_EQ(NULL, weft_path_by_id(&ids->core, 10));
	ids_free(ids);
}

/* The search returns each slot in use, in order, and then the number of slots. */
TEST(path_id__slot_next)
{
	static const u32 used[] = { 0, 1, 63, 64, 127, 130, SLOTS - 1 };
	struct ids *ids = ids_new(SLOTS, 1);
	u32 i, at = 0;

	EXPECT_EQ(SLOTS, weft_path_slot_next(&ids->core, 0));
	for (i = 0; i < ARRAY_SIZE(used); i++)
		take(ids, 5 * SLOTS + used[i]);
	for (i = 0; i < ARRAY_SIZE(used); i++, at++) {
		at = weft_path_slot_next(&ids->core, at);
		EXPECT_EQ(used[i], at);
	}
	EXPECT_EQ(SLOTS, weft_path_slot_next(&ids->core, at));
	ids_free(ids);
}

TEST_HARNESS_MAIN
