// SPDX-License-Identifier: GPL-2.0-only
/*
 * The core of a port: made whole or not at all, its numbers, owners of services, packets that
 * belong to no path, and batches of packets
 */
#include "core/api/internal.h"
#include "near.h"
#include "harness.h"

/* Each allocation fails once: no object is left, and the next try succeeds. */
TEST(core__init)
{
	struct weft_sockaddr addr;
	struct weft_core *core;
	struct rig_conf conf;
	struct rig *rig;
	u64 failed;
	long live;
	u32 n;
	int r;

	rig_conf_default(&conf, 1);
	rig = rig_new(&conf);
	live = weft_host_live();
	rig_node_addr(&conf, 0, 0, &addr);
	core = calloc(1, sizeof(*core));
	for (n = 1;; n++) {
		memset(core, 0, sizeof(*core));
		failed = weft_host_failed();
		weft_host_fail_nth(n);
		r = weft_core_init(core, &conf.core, &addr, 1, &rig->node[0]);
		weft_host_fail_nth(0);
		if (weft_host_failed() == failed)
			break;
		ASSERT_EQ(-ENOMEM, r);
		weft_host_quiesce();
		ASSERT_EQ(live, weft_host_live());
		ASSERT_LT(n, 20);
	}
	EXPECT_GT(n, 3);
	ASSERT_EQ(0, r);
	EXPECT_TRUE(weft_core_own(core, &addr));
	addr.addr[3]++;
	EXPECT_FALSE(weft_core_own(core, &addr));
	/* generations are never 0 */
	core->next_gen = U32_MAX - 1;
	EXPECT_EQ(U32_MAX, weft_core_gen(core));
	EXPECT_EQ(1, weft_core_gen(core));
	weft_core_exit(core);
	weft_host_quiesce();
	EXPECT_EQ(live, weft_host_live());
	rig_free(rig);
	free(core);
}

TEST(core__service)
{
	struct weft_ep *ep;
	struct near s;
	u32 svc = 0;

	near_init(&s);
	ep = weft_core_service(s.t.core, 2);
	EXPECT_EQ(s.ep->ep, ep);
	weft_ep_put(ep);
	EXPECT_EQ(NULL, weft_core_service(s.t.core, 3));
	EXPECT_EQ(ep, weft_service_next(s.t.core, &svc));
	EXPECT_EQ(2, svc++);
	weft_ep_put(ep);
	EXPECT_EQ(NULL, weft_service_next(s.t.core, &svc));
	near_fini(&s);
}

/* A packet of the near peer: a message of @len bytes. */
static void make(struct near *s, u32 len)
{
	memset(s->pkt, 0, sizeof(s->pkt));
	s->m.len = len;
	weft_wire_hdr_put(s->pkt, &s->h);
	weft_wire_eager_put(s->pkt + WEFT_WIRE_HDR, &s->m, 0, len);
	s->rx.len = WEFT_WIRE_HDR + weft_wire_size(sizeof(struct weft_w_eager) + len);
}

static u64 counted(struct near *s, enum weft_counter c)
{
	return rig_counter(&s->t.rig->node[0], c);
}

/* Packets of no path, with the wrong token, or that are malformed, change nothing. */
TEST(core__strays)
{
	struct near s;
	u32 len;

	near_init(&s);
	for (len = 1; len < WEFT_WIRE_HDR; len++) {
		make(&s, 8);
		s.rx.len = len;
		near_take(&s, &s.rx, 1);
		EXPECT_EQ(len, counted(&s, WEFT_CNT_rx_bad));
	}
	make(&s, 8);
	s.pkt[0] ^= 0x80;
	near_take(&s, &s.rx, 1);
	EXPECT_EQ(1, counted(&s, WEFT_CNT_rx_version));
	s.h.token++;
	make(&s, 8);
	near_take(&s, &s.rx, 1);
	EXPECT_EQ(1, counted(&s, WEFT_CNT_rx_unknown));
	s.h.token--;
	s.h.path++;
	make(&s, 8);
	near_take(&s, &s.rx, 1);
	EXPECT_EQ(2, counted(&s, WEFT_CNT_rx_unknown));
	EXPECT_EQ(PSN, s.t.lane->rcv_nxt);
	EXPECT_EQ(0, counted(&s, WEFT_CNT_msgs_received));
	s.h.path--;
	make(&s, 8);
	near_take(&s, &s.rx, 1);
	EXPECT_EQ(PSN + 1, s.t.lane->rcv_nxt);
	EXPECT_EQ(1, counted(&s, WEFT_CNT_msgs_received));
	near_fini(&s);
}

/* A batch of packets with stray and bad ones: the core takes those of the path, in order. */
TEST(core__batch)
{
	enum { N = 12 };
	struct weft_rx rx[N];
	u8 pkt[N][256];
	struct near s;
	u32 i, psn = 0;

	near_init(&s);
	for (i = 0; i < N; i++) {
		rx[i] = s.rx;
		rx[i].data = pkt[i];
		if (i % 4 == 1) {
			/* of a path that does not exist */
			s.h.path ^= 1;
			make(&s, 8);
			s.h.path ^= 1;
		} else if (i % 4 == 2) {
			make(&s, 8);
			s.pkt[0] ^= 0x80;
		} else {
			s.h.psn = PSN + psn++;
			make(&s, 8);
			s.m.flow.mseq++;
		}
		memcpy(pkt[i], s.pkt, s.rx.len);
		rx[i].len = s.rx.len;
	}
	near_take(&s, rx, N);
	EXPECT_EQ(PSN + psn, s.t.lane->rcv_nxt);
	EXPECT_EQ(psn, counted(&s, WEFT_CNT_msgs_received));
	EXPECT_EQ(N / 4, counted(&s, WEFT_CNT_rx_version));
	EXPECT_EQ(N / 4, counted(&s, WEFT_CNT_rx_unknown));
	EXPECT_EQ(N, counted(&s, WEFT_CNT_rx_packets));
	near_fini(&s);
}

TEST_HARNESS_MAIN
