// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address vectors, and which addresses are valid
 */
#include "core/object/object.h"
#include "harness.h"

FIXTURE(av)
{
	struct weft_core core;
	struct weft_av *av;
};

static struct weft_sockaddr addr4(u32 n, u16 service)
{
	struct weft_sockaddr a = { .family = AF_INET, .port = cpu_to_be16(service) };

	a.addr[0] = 10;
	a.addr[1] = n >> 16;
	a.addr[2] = n >> 8;
	a.addr[3] = n;
	return a;
}

FIXTURE_SETUP(av)
{
	memset(&self->core, 0, sizeof(self->core));
	self->core.addr[0] = addr4(1, 0);
	self->core.naddr = 1;
	self->av = weft_av_new(&self->core);
	ASSERT_NE(NULL, self->av);
}

FIXTURE_TEARDOWN(av)
{
	weft_av_free(self->av);
	weft_host_quiesce();
	EXPECT_EQ(0, weft_host_live());
}

static bool there(struct weft_av *av, u32 index, const struct weft_sockaddr *a)
{
	struct weft_av_entry *e;
	bool r;

	weft_rcu_lock();
	e = weft_av_get(av, index);
	r = e && e->index == index && weft_addr_eq(&e->addr, a);
	weft_rcu_unlock();
	return r;
}

TEST_F(av, insert)
{
	struct weft_sockaddr a;
	u32 i, index;

	for (i = 0; i < 5000; i++) {
		u32 gen = weft_av_gen(self->av);

		a = addr4(i / 7, 1 + i % 7);
		ASSERT_EQ(WEFT_SRC_ANY, weft_av_find(self->av, &a));
		ASSERT_EQ(0, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
		ASSERT_EQ(i, index);
		ASSERT_NE(gen, weft_av_gen(self->av));
	}
	for (i = 0; i < 5000; i++) {
		a = addr4(i / 7, 1 + i % 7);
		ASSERT_EQ(i, weft_av_find(self->av, &a));
		ASSERT_TRUE(there(self->av, i, &a));
	}
	weft_rcu_lock();
	EXPECT_NULL(weft_av_get(self->av, 5000));
	EXPECT_NULL(weft_av_get(self->av, 100000));
	EXPECT_NULL(weft_av_get(self->av, WEFT_AV_MAX));
	EXPECT_NULL(weft_av_get(self->av, WEFT_SRC_ANY));
	weft_rcu_unlock();
}

/* A removed index rests; then the lowest free index is taken. */
TEST_F(av, remove)
{
	struct weft_sockaddr a = addr4(1, 1);
	u32 i, index;

	for (i = 0; i < 200; i++) {
		a = addr4(i, 1);
		weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index);
	}
	EXPECT_EQ(-EINVAL, weft_av_remove(self->av, 200));
	EXPECT_EQ(-EINVAL, weft_av_remove(self->av, WEFT_SRC_ANY));
	ASSERT_EQ(0, weft_av_remove(self->av, 5));
	EXPECT_EQ(-EINVAL, weft_av_remove(self->av, 5));
	a = addr4(5, 1);
	EXPECT_EQ(WEFT_SRC_ANY, weft_av_find(self->av, &a));
	EXPECT_FALSE(there(self->av, 5, &a));
	ASSERT_EQ(0, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
	EXPECT_EQ(200, index);
	for (i = 100; i < 164; i++)
		ASSERT_EQ(0, weft_av_remove(self->av, i));
	a = addr4(500, 1);
	ASSERT_EQ(0, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
	EXPECT_EQ(5, index);
	EXPECT_EQ(5, weft_av_find(self->av, &a));
	EXPECT_TRUE(there(self->av, 5, &a));
	ASSERT_EQ(0, weft_av_remove(self->av, 5));
	EXPECT_EQ(WEFT_SRC_ANY, weft_av_find(self->av, &a));
	a = addr4(5, 1);
	EXPECT_TRUE(there(self->av, 200, &a));
	EXPECT_EQ(200, weft_av_find(self->av, &a));
}

/*
 * An address has one index, however often the program inserts it. The last removal frees the index.
 */
TEST_F(av, again)
{
	struct weft_sockaddr a = addr4(1, 1), b = addr4(2, 1);
	u32 gen, index;

	ASSERT_EQ(0, weft_av_insert(self->av, &b, WEFT_SRC_ANY, &index));
	ASSERT_EQ(0, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
	ASSERT_EQ(1, index);
	gen = weft_av_gen(self->av);
	ASSERT_EQ(0, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
	ASSERT_EQ(1, index);
	ASSERT_EQ(0, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
	ASSERT_EQ(1, index);
	EXPECT_EQ(1, weft_av_remove(self->av, 1));
	/* the second insertion has no effect */
	weft_av_withdraw(self->av, 1);
	EXPECT_EQ(1, weft_av_find(self->av, &a));
	EXPECT_TRUE(there(self->av, 1, &a));
	EXPECT_EQ(gen, weft_av_gen(self->av));
	/* on request an address gets a second index; a look-up finds the lowest index */
	ASSERT_EQ(0, weft_av_insert(self->av, &a, 7, &index));
	EXPECT_EQ(1, weft_av_find(self->av, &a));
	EXPECT_TRUE(there(self->av, 1, &a));
	EXPECT_TRUE(there(self->av, 7, &a));
	EXPECT_EQ(0, weft_av_remove(self->av, 1));
	EXPECT_EQ(7, weft_av_find(self->av, &a));
	ASSERT_EQ(0, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
	EXPECT_EQ(7, index);
	EXPECT_EQ(1, weft_av_remove(self->av, 7));
	EXPECT_EQ(0, weft_av_remove(self->av, 7));
	EXPECT_EQ(WEFT_SRC_ANY, weft_av_find(self->av, &a));
	EXPECT_EQ(-EINVAL, weft_av_remove(self->av, 7));
}

/* A chosen index may be free, resting, in use, or out of range. */
TEST_F(av, certain)
{
	struct weft_sockaddr a = addr4(1, 1), b = addr4(2, 1);
	u32 i, index, next = 100;

	ASSERT_EQ(0, weft_av_insert(self->av, &a, 3000, &index));
	EXPECT_EQ(3000, index);
	EXPECT_TRUE(there(self->av, 3000, &a));
	EXPECT_EQ(-EINVAL, weft_av_insert(self->av, &b, 3000, &index));
	EXPECT_EQ(-EINVAL, weft_av_insert(self->av, &b, WEFT_AV_MAX, &index));
	/* the lowest free index stays the same, and the search passes over indices in use */
	ASSERT_EQ(0, weft_av_insert(self->av, &b, 1, &index));
	for (i = 0; i < 3; i++) {
		b = addr4(next++, 1);
		ASSERT_EQ(0, weft_av_insert(self->av, &b, WEFT_SRC_ANY, &index));
		EXPECT_EQ(i ? i + 1 : 0, index);
	}
	/* when one of several resting indices is taken, the others still rest, in their order */
	for (i = 10; i < 20; i++)
		ASSERT_EQ(0, weft_av_insert(self->av, &a, i, &index));
	for (i = 10; i < 20; i++)
		ASSERT_EQ(0, weft_av_remove(self->av, i));
	ASSERT_EQ(0, weft_av_insert(self->av, &b, 15, &index));
	EXPECT_TRUE(there(self->av, 15, &b));
	for (i = 0; i < 6; i++) {
		b = addr4(next++, 1);
		ASSERT_EQ(0, weft_av_insert(self->av, &b, WEFT_SRC_ANY, &index));
		EXPECT_EQ(4 + i, index);
	}
	b = addr4(next++, 1);
	ASSERT_EQ(0, weft_av_insert(self->av, &b, WEFT_SRC_ANY, &index));
	EXPECT_EQ(20, index);
	for (i = 100; i < 156; i++) {
		ASSERT_EQ(0, weft_av_insert(self->av, &a, i, &index));
		ASSERT_EQ(0, weft_av_remove(self->av, i));
	}
	b = addr4(next++, 1);
	ASSERT_EQ(0, weft_av_insert(self->av, &b, WEFT_SRC_ANY, &index));
	EXPECT_EQ(10, index);
	EXPECT_EQ(-EINVAL, weft_av_remove(self->av, 14));
	EXPECT_EQ(0, weft_av_remove(self->av, 15));
}

TEST_F(av, full)
{
	struct weft_sockaddr a;
	u32 i, index;

	for (i = 0; i < WEFT_AV_MAX; i++) {
		a = addr4(i % 65536, 1 + i / 65536);
		if (weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index))
			break;
	}
	ASSERT_EQ(WEFT_AV_MAX, i);
	a = addr4(0, 60000);
	ASSERT_EQ(-ENOSPC, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
	/* a resting index is better than none */
	ASSERT_EQ(0, weft_av_remove(self->av, 77));
	ASSERT_EQ(0, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
	EXPECT_EQ(77, index);
	a = addr4(1, 60000);
	EXPECT_EQ(-ENOSPC, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
}

TEST_F(av, no_memory)
{
	u32 i, n = 0, index;

	weft_host_fail_rate(20000, 1);
	for (i = 0; i < 4000; i++) {
		struct weft_sockaddr a = addr4(i, 1);
		int r = weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index);

		if (r) {
			ASSERT_EQ(-ENOMEM, r);
			continue;
		}
		ASSERT_EQ(n, index);
		n++;
	}
	EXPECT_GT(weft_host_failed(), 1000);
	weft_host_fail_rate(0, 0);
	EXPECT_GT(n, 1000);
	weft_host_fail_nth(1);
	EXPECT_NULL(weft_av_new(&self->core));
	weft_host_fail_nth(2);
	EXPECT_NULL(weft_av_new(&self->core));
}

/* An insertion that is undone leaves no trace: its index is the next one again. */
TEST_F(av, withdraw)
{
	struct weft_sockaddr a = addr4(2, 7);
	u32 i, index, gen;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
		ASSERT_EQ(0, index);
		gen = weft_av_gen(self->av);
		weft_av_withdraw(self->av, index);
		EXPECT_NE(gen, weft_av_gen(self->av));
		EXPECT_EQ(WEFT_SRC_ANY, weft_av_find(self->av, &a));
		EXPECT_EQ(-EINVAL, weft_av_remove(self->av, index));
		weft_av_withdraw(self->av, index);
	}
	/* several insertions, also behind others */
	for (i = 0; i < 600; i++) {
		a = addr4(i, 7);
		ASSERT_EQ(0, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
	}
	for (i = 600; i-- > 5;)
		weft_av_withdraw(self->av, i);
	for (i = 5; i < 600; i++) {
		a = addr4(i, 7);
		ASSERT_EQ(0, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
		ASSERT_EQ(i, index);
	}
	/* a removed index rests, as always */
	ASSERT_EQ(0, weft_av_remove(self->av, 5));
	weft_av_withdraw(self->av, 5);
	a = addr4(600, 7);
	ASSERT_EQ(0, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
	EXPECT_EQ(600, index);
}

/* Random insertions and removals against an array. */
TEST_F(av, random)
{
	static struct weft_sockaddr want[4096];
	static u32 uses[4096];
	u32 i, k;

	memset(want, 0, sizeof(want));
	memset(uses, 0, sizeof(uses));
	weft_host_seed(11);
	for (i = 0; i < 30000; i++) {
		struct weft_sockaddr a = addr4(weft_random() % 64, 1 + weft_random() % 4);
		u32 index = weft_random() % 300;

		if (weft_random() % 2) {
			ASSERT_EQ(0, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
			ASSERT_LT(index, ARRAY_SIZE(want));
			ASSERT_TRUE(!uses[index] || weft_addr_eq(&want[index], &a));
			want[index] = a;
			uses[index]++;
		} else if (uses[index]) {
			ASSERT_EQ(--uses[index] ? 1 : 0, weft_av_remove(self->av, index));
		} else {
			ASSERT_EQ(-EINVAL, weft_av_remove(self->av, index));
		}
		for (k = 0; k < ARRAY_SIZE(want); k++)
			if (uses[k] && weft_addr_eq(&want[k], &a))
				break;
		ASSERT_EQ(k < ARRAY_SIZE(want) ? k : WEFT_SRC_ANY, weft_av_find(self->av, &a));
		index = weft_random() % ARRAY_SIZE(want);
		if (uses[index])
			ASSERT_TRUE(there(self->av, index, &want[index]));
	}
}

#define FEW	3
#define PLACES	3000

/* Addresses with many indices each: a look-up finds the lowest. */
TEST_F(av, many_places)
{
	u8 who[PLACES] = { 0 };		/* 1 + number of the address */
	struct weft_sockaddr a;
	u32 i, k, n, index;

	for (n = 0; n < 30000; n++) {
		i = weft_random() % PLACES;
		if (who[i] && weft_random() % 3) {
			ASSERT_EQ(0, weft_av_remove(self->av, i));
			who[i] = 0;
		} else if (!who[i]) {
			who[i] = 1 + weft_random() % FEW;
			a = addr4(who[i], 7);
			ASSERT_EQ(0, weft_av_insert(self->av, &a, i, &index));
			ASSERT_EQ(i, index);
		}
		for (k = 1; n % 10 == 0 && k <= FEW; k++) {
			a = addr4(k, 7);
			for (i = 0; i < PLACES && who[i] != k; i++)
				;
			ASSERT_EQ(i < PLACES ? i : WEFT_SRC_ANY, weft_av_find(self->av, &a));
		}
	}
}

/* A look-up takes constant time: a search of all places 200 000 times would take hours. */
TEST_F(av, no_chain)
{
	struct weft_sockaddr a = addr4(9, 7);
	u32 i, index;

	for (i = 200000; i--;)
		ASSERT_EQ(0, weft_av_insert(self->av, &a, i, &index));
	for (i = 0; i < 200000; i++)
		ASSERT_EQ(0, weft_av_find(self->av, &a));
	for (i = 200000; i < 400000; i++)
		ASSERT_EQ(0, weft_av_insert(self->av, &a, i, &index));
	for (i = 0; i < 400000; i++) {
		ASSERT_EQ(i, weft_av_find(self->av, &a));
		ASSERT_EQ(0, weft_av_remove(self->av, i));
	}
	EXPECT_EQ(WEFT_SRC_ANY, weft_av_find(self->av, &a));
}

TEST_F(av, addresses)
{
	struct weft_sockaddr a = addr4(1, 1);
	u32 index;

	a.port = 0;
	EXPECT_EQ(0, weft_addr_check(&a));
	EXPECT_EQ(-EINVAL, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
	a = addr4(1, 1);
	a.addr[4] = 1;
	EXPECT_EQ(-EINVAL, weft_addr_check(&a));
	a = addr4(1, 1);
	a.scope = 1;
	EXPECT_EQ(-EINVAL, weft_addr_check(&a));
	a = addr4(1, 1);
	a.addr[0] = 0;
	EXPECT_EQ(-EINVAL, weft_addr_check(&a));
	a.addr[0] = 224;
	EXPECT_EQ(-EINVAL, weft_addr_check(&a));
	a.addr[0] = 255;
	EXPECT_EQ(-EINVAL, weft_addr_check(&a));
	a.addr[0] = 127;
	EXPECT_EQ(0, weft_addr_check(&a));
	a.family = AF_UNIX;
	EXPECT_EQ(-EAFNOSUPPORT, weft_addr_check(&a));
	memset(&a, 0, sizeof(a));
	EXPECT_EQ(-EAFNOSUPPORT, weft_addr_check(&a));
	a.family = AF_INET6;
	a.port = cpu_to_be16(1);
	EXPECT_EQ(-EINVAL, weft_addr_check(&a));
	a.addr[0] = 0xff;
	EXPECT_EQ(-EINVAL, weft_addr_check(&a));
	a.addr[0] = 0xfe;
	a.addr[1] = 0x80;
	EXPECT_EQ(-EINVAL, weft_addr_check(&a));
	a.scope = 2;
	EXPECT_EQ(0, weft_addr_check(&a));
	a.addr[0] = 0xfd;
	EXPECT_EQ(0, weft_addr_check(&a));
	/* the node itself has no such address */
	EXPECT_EQ(-EAFNOSUPPORT, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
	self->core.addr[1].family = AF_INET6;
	self->core.naddr = 2;
	EXPECT_EQ(0, weft_av_insert(self->av, &a, WEFT_SRC_ANY, &index));
	/* the scope counts for link-local addresses only */
	a.scope = 0;
	EXPECT_EQ(index, weft_av_find(self->av, &a));
	memset(&a.addr, 0, sizeof(a.addr));
	a.addr[10] = 0xff;
	a.addr[11] = 0xff;
	a.addr[12] = 10;
	EXPECT_EQ(-EINVAL, weft_addr_check(&a));
}

TEST_F(av, compare)
{
	struct weft_sockaddr a = addr4(1, 1), b = addr4(1, 2), c = addr4(2, 1);
	static const u64 key[2] = { 1, 2 };

	EXPECT_TRUE(weft_addr_same_node(&a, &b));
	EXPECT_FALSE(weft_addr_eq(&a, &b));
	EXPECT_FALSE(weft_addr_same_node(&a, &c));
	EXPECT_EQ(weft_addr_hash(&a, key), weft_addr_hash(&b, key));
	EXPECT_NE(weft_addr_hash(&a, key), weft_addr_hash(&c, key));
}

TEST_HARNESS_MAIN
