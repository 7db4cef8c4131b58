// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program that was built with the headers of an earlier release, and runs with this libweft.so:
 * structures that have grown since. TAP on stdout.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "fake.h"

/* structures of WEFT_0.1, and what may follow them in memory */
struct attr_0_1 {
	uint32_t type;
	uint32_t flags;
	uint32_t sq_slots;
	uint32_t rq_slots;
	struct weft_sockaddr addr;
	const void *key;
	uint32_t key_size;
};

struct queues_0_1 {
	struct weft_cq *tx_cq;
	struct weft_cq *rx_cq;
	struct weft_cntr *tx_cntr;
	struct weft_cntr *rx_cntr;
	struct weft_eq *eq;
	struct weft_av *av;
	struct weft_srq *srq;
	void *beyond[8];
};

typedef int (*create_fn)(struct weft_ctx *ctx, struct attr_0_1 *attr, struct weft_ep **ep);
typedef int (*enable_fn)(struct weft_ep *ep, const struct queues_0_1 *q);

static void create(void)
{
	create_fn create_0_1 = (create_fn)dlvsym(RTLD_DEFAULT, "weft_ep_create", "WEFT_0.1");
	struct attr_0_1 attr = { .type = WEFT_EP_RDM, .sq_slots = 1, .rq_slots = 1 };
	struct weft_ep *old;

	/* padding may have any value */
	memset((char *)&attr.key_size + sizeof(attr.key_size), 0xff,
	       sizeof(attr) - offsetof(struct attr_0_1, key_size) - sizeof(attr.key_size));
	CHECK(!create_0_1(ctx, &attr, &old));
	CHECK(last_ep.type == WEFT_EP_RDM && !last_ep.zone && !last_ep.key && !last_ep.key_size);
	CHECK(attr.sq_slots == SLOTS && attr.rq_slots == SLOTS);
	CHECK(!weft_ep_destroy(old));
}

static void create_now(void)
{
	struct weft_ep_attr attr = {
		.type = WEFT_EP_RDM, .sq_slots = 1, .rq_slots = 1, .zone = 7
	};
	struct weft_ep *now;

	CHECK(!weft_ep_create(ctx, &attr, &now));
	CHECK(last_ep.zone == 7);
	CHECK(!weft_ep_destroy(now));
}

static void enable(void)
{
	enable_fn enable_0_1 = (enable_fn)dlvsym(RTLD_DEFAULT, "weft_ep_enable_all", "WEFT_0.1");
	struct queues_0_1 q = { .tx_cq = cq, .rx_cq = cq };

	/* nothing that can be read */
	memset(q.beyond, 0xff, sizeof(q.beyond));
	CHECK(!enable_0_1(ep, &q));
	CHECK(last_enable.tx_cq == last_enable.rx_cq && last_enable.tx_cq);
	CHECK(last_enable.tx_cntr == WEFT_HANDLE_NONE && last_enable.rx_cntr == WEFT_HANDLE_NONE);
	CHECK(last_enable.write_cntr == WEFT_HANDLE_NONE);
	CHECK(last_enable.read_cntr == WEFT_HANDLE_NONE);
	CHECK(last_enable.remote_write_cntr == WEFT_HANDLE_NONE);
	CHECK(last_enable.remote_read_cntr == WEFT_HANDLE_NONE);
}

static const struct test tests[] = {
	{ "WEFT_0.1: an endpoint has no zone", create },
	{ "WEFT_0.2: an endpoint has the zone that it asks for", create_now },
	{ "WEFT_0.1: an endpoint has no counters of one-sided operations", enable },
};

int main(void)
{
	return fake_run(tests, sizeof(tests) / sizeof(tests[0]));
}
