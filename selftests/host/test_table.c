// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of paths, services and connections: many entries, entries that are refused for lack of
 * memory, and the iterator over paths. Costs are the bench's (selftests/bench/core).
 */
#include "core/api/internal.h"
#include "near.h"
#include "two.h"
#include "harness.h"

#define MANY	5000

/* Each entry of a large table is found, and no other. */
TEST(table__hash)
{
	struct weft_hash_node *node = calloc(MANY, sizeof(*node));
	struct weft_sockaddr addr = { .family = AF_INET, .addr = { 10 } };
	long live = weft_host_live();
	struct weft_hash h;
	u32 i;

	ASSERT_EQ(0, weft_hash_init(&h));
	for (i = 0; i < MANY; i++) {
		memcpy(addr.addr + 1, &i, 3);
		addr.port = cpu_to_be16(i);
		EXPECT_EQ(NULL, weft_hash_find(&h, &addr));
		node[i].addr = addr;
		node[i].addr.port = 0;
		ASSERT_EQ(0, weft_hash_add(&h, &node[i]));
	}
	for (i = 0; i < MANY; i++) {
		memcpy(addr.addr + 1, &i, 3);
		/* the service is not compared, the scope is */
		addr.port = cpu_to_be16(i + 1);
		EXPECT_EQ(&node[i], weft_hash_find(&h, &addr));
		addr.scope = 1;
		EXPECT_EQ(NULL, weft_hash_find(&h, &addr));
		addr.scope = 0;
		if (i % 2)
			weft_hash_del(&h, &node[i]);
	}
	for (i = 0; i < MANY; i++) {
		memcpy(addr.addr + 1, &i, 3);
		EXPECT_EQ(i % 2 ? NULL : &node[i], weft_hash_find(&h, &addr));
		if (i % 2 == 0)
			weft_hash_del(&h, &node[i]);
	}
	weft_hash_exit(&h);
	EXPECT_EQ(live, weft_host_live());
	free(node);
}

TEST(table__keys)
{
	struct weft_key_node *node = calloc(MANY, sizeof(*node));
	long live = weft_host_live();
	struct weft_keys t;
	u32 i;

	ASSERT_EQ(0, weft_keys_init(&t));
	for (i = 0; i < MANY; i++) {
		/* keys that differ in the upper, or in the lower bits alone */
		node[i].key = i % 2 ? (u64)i << 48 : i;
		/* and equal ones in several zones */
		if (i % 4 > 1) {
			node[i].key = node[i - 2].key;
			node[i].zone = i;
		}
		EXPECT_EQ(NULL, weft_keys_find(&t, node[i].zone, node[i].key));
		ASSERT_EQ(0, weft_keys_add(&t, &node[i]));
	}
	EXPECT_EQ(-EEXIST, weft_keys_add(&t, &(struct weft_key_node){ .key = 4 }));
	EXPECT_EQ(-EEXIST, weft_keys_add(&t, &(struct weft_key_node){ .key = 4, .zone = 6 }));
	EXPECT_EQ(NULL, weft_keys_find(&t, 5, 4));
	for (i = 0; i < MANY; i++) {
		EXPECT_EQ(&node[i], weft_keys_find(&t, node[i].zone, node[i].key));
		if (i % 3)
			weft_keys_del(&t, &node[i]);
	}
	for (i = 0; i < MANY; i++) {
		EXPECT_EQ(i % 3 ? NULL : &node[i],
			  weft_keys_find(&t, node[i].zone, node[i].key));
		if (i % 3 == 0)
			weft_keys_del(&t, &node[i]);
	}
	weft_keys_exit(&t);
	EXPECT_EQ(live, weft_host_live());
	free(node);
}

TEST(table__index)
{
	static u32 obj[MANY];
	long live = weft_host_live();
	struct weft_index x;
	u32 i, no = 0;

	weft_index_init(&x);
	EXPECT_EQ(NULL, weft_index_get(&x, 0));
	EXPECT_EQ(NULL, weft_index_next(&x, &no));
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, weft_index_set(&x, i * 65537, &obj[i]));
	for (i = 0; i < MANY; i++) {
		no = i ? (i - 1) * 65537 + 1 : 0;
		EXPECT_EQ(&obj[i], weft_index_next(&x, &no));
		EXPECT_EQ(i * 65537, no);
		EXPECT_EQ(&obj[i], weft_index_next(&x, &no));
	}
	no++;
	EXPECT_EQ(NULL, weft_index_next(&x, &no));
	for (i = 0; i < MANY; i++) {
		EXPECT_EQ(&obj[i], weft_index_get(&x, i * 65537));
		EXPECT_EQ(NULL, weft_index_get(&x, i * 65537 + 1));
		weft_index_del(&x, i * 65537);
		EXPECT_EQ(NULL, weft_index_get(&x, i * 65537));
	}
	weft_index_exit(&x);
	EXPECT_EQ(live, weft_host_live());
}

/* The earliest comes first, and objects of one time in their order, however often they move. */
TEST(table__timeq)
{
	static struct weft_timeq_node node[300];
	static u32 order[ARRAY_SIZE(node)];
	struct weft_timeq_node *got, *next;
	u32 i, k, n = 0, left = 0;
	struct weft_timeq q;
	u64 at;

	weft_timeq_init(&q);
	EXPECT_EQ(NULL, weft_timeq_first(&q));
	EXPECT_EQ(U64_MAX, weft_timeq_next(&q));
	for (i = 0; i < ARRAY_SIZE(node); i++)
		weft_timeq_node_init(&node[i]);
	srand(3);
	for (k = 0; k < 20000; k++) {
		i = (u32)rand() % ARRAY_SIZE(node);
		weft_timeq_set(&q, &node[i], rand() % 4 ? 1 + (u64)rand() % 50 : U64_MAX);
		order[i] = k;
	}
	for (i = 0; i < ARRAY_SIZE(node); i++)
		left += node[i].at != U64_MAX;
	EXPECT_EQ(NULL, weft_timeq_due(&q, 0));
	while (at = weft_timeq_next(&q), (got = weft_timeq_due(&q, 40))) {
		n++;
		EXPECT_EQ(U64_MAX, got->at);
		next = weft_timeq_first(&q);
		if (!next)
			continue;
		EXPECT_LE(at, next->at);
		if (next->at == at)
			EXPECT_LT(order[got - node], order[next - node]);
	}
	EXPECT_LT(40, at);
	for (i = 0; i < ARRAY_SIZE(node); i++) {
		n += node[i].at != U64_MAX;
		EXPECT_LT(40, node[i].at);
		weft_timeq_set(&q, &node[i], U64_MAX);
		/* a second time it does nothing */
		weft_timeq_set(&q, &node[i], U64_MAX);
	}
	EXPECT_EQ(left, n);
	EXPECT_EQ(NULL, weft_timeq_first(&q));
}

/* A service that finds no memory is refused, and can be asked for again. */
TEST(service__memory)
{
	struct weft_ep *ep = calloc(1, sizeof(*ep));
	struct near s;
	u32 n, svc = 3;
	int err;

	near_init(&s);
	ep->core = s.t.core;
	refcount_set(&ep->ref, 2);
	for (n = 1;; n++) {
		u64 failed = weft_host_failed();

		ep->addr.port = 0;
		weft_host_fail_nth(n);
		err = weft_service_claim(ep);
		weft_host_fail_nth(0);
		if (weft_host_failed() == failed)
			break;
		EXPECT_EQ(-ENOMEM, err);
		EXPECT_EQ(0, ep->addr.port);
		EXPECT_FALSE(ep->listed);
		weft_service_release(ep);
	}
	EXPECT_GT(n, 1);
	ASSERT_EQ(0, err);
	EXPECT_EQ(ep, weft_core_service(s.t.core, be16_to_cpu(ep->addr.port)));
	EXPECT_EQ(ep, weft_service_next(s.t.core, &svc));
	EXPECT_EQ(be16_to_cpu(ep->addr.port), svc);
	/* an endpoint without references is not found */
	refcount_set(&ep->ref, 0);
	EXPECT_EQ(NULL, weft_core_service(s.t.core, be16_to_cpu(ep->addr.port)));
	EXPECT_EQ(NULL, weft_service_next(s.t.core, &svc));
	weft_service_release(ep);
	free(ep);
	near_fini(&s);
}

/* A path that finds no memory leaves nothing, and the next attempt works. */
TEST(path__memory)
{
	struct weft_path *path = NULL;
	struct weft_sockaddr addr;
	struct rig_conf conf;
	struct weft_core *core;
	struct weft_out *out;
	struct rig *rig;
	u32 n;

	rig_conf_default(&conf, 2);
	conf.nodes = 2;
	rig = rig_new(&conf);
	core = &rig->node[0].core;
	rig_node_addr(&conf, 1, 0, &addr);
	out = rig_out(&rig->node[0]);
	for (n = 1; IS_ERR_OR_NULL(path); n++) {
		weft_host_fail_nth(n);
		path = weft_path_find(core, &addr, out);
		weft_host_fail_nth(0);
		if (!IS_ERR(path))
			break;
		EXPECT_EQ(-ENOMEM, PTR_ERR(path));
		EXPECT_EQ(0, core->npaths);
		EXPECT_EQ(NULL, weft_hash_find(&core->paths, &addr));
	}
	EXPECT_GT(n, 1);
	EXPECT_EQ(1, core->npaths);
	EXPECT_EQ(&path->node, weft_hash_find(&core->paths, &addr));
	weft_flush(out);
	weft_path_put(path);
	rig_free(rig);
}

/* The iterator returns each path once, and not one that ends. */
TEST(path__next)
{
	struct weft_path *path[3], *p;
	struct weft_sockaddr addr;
	struct rig_conf conf;
	struct weft_core *core;
	struct rig *rig;
	u32 i, n = 0, pos = 0, seen = 0;

	rig_conf_default(&conf, 4);
	conf.nodes = 4;
	rig = rig_new(&conf);
	core = &rig->node[0].core;
	EXPECT_EQ(NULL, weft_path_next(core, &pos));
	for (i = 0; i < 3; i++) {
		rig_node_addr(&conf, i + 1, 0, &addr);
		path[i] = weft_path_find(core, &addr, rig_out(&rig->node[0]));
		ASSERT_FALSE(IS_ERR(path[i]));
	}
	for (pos = 0; (p = weft_path_next(core, &pos)); n++) {
		for (i = 0; i < 3; i++)
			seen |= (u32)(p == path[i]) << i;
		weft_path_put(p);
	}
	EXPECT_EQ(3, n);
	EXPECT_EQ(7, seen);
	weft_lock(&core->lock);
	weft_path_unlist(path[1]);
	weft_unlock(&core->lock);
	for (n = 0, pos = 0; (p = weft_path_next(core, &pos)); n++) {
		EXPECT_NE(path[1], p);
		weft_path_put(p);
	}
	EXPECT_EQ(2, n);
	weft_flush(rig_out(&rig->node[0]));
	for (i = 0; i < 3; i++)
		weft_path_put(path[i]);
	rig_free(rig);
}

TEST_HARNESS_MAIN
