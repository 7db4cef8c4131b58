// SPDX-License-Identifier: GPL-2.0-only
/*
 * Neighbours: two ports on a link that the test carries frames over, and frames that the test makes
 */
#include "rig.h"
#include "port/neigh.h"
#include "harness.h"

#define SEC	1000000000ULL

static const u8 mac_all[ETH_ALEN] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

/**
 * struct node - a port on the link
 * @t: its neighbours
 * @out: frames that it sends
 */
struct node {
	struct weft_neighs t;
	struct weft_neigh_out out;
};

static struct weft_sockaddr addr4(u8 net, u8 host)
{
	struct weft_sockaddr a = { .family = AF_INET, .addr = { 10, 77, net, host } };

	return a;
}

static struct weft_sockaddr addr6(u8 net, u8 host)
{
	struct weft_sockaddr a = { .family = AF_INET6, .addr = { 0xfd, 0x77, net } };

	a.addr[15] = host;
	return a;
}

static struct node *node_new(u8 host, u16 vlan)
{
	struct node *n = calloc(1, sizeof(*n));
	struct weft_neigh_place *p = &n->t.place;

	weft_neigh_init(&n->t);
	p->mac[0] = 0x52;
	p->mac[5] = host;
	p->vlan = vlan;
	p->naddr = 2;
	p->addr[0] = addr4(0, host);
	p->prefix[0] = 25;
	p->addr[1] = addr6(0, host);
	p->prefix[1] = 64;
	p->gw[0] = addr4(0, 100);
	return n;
}

static void node_free(struct node *n)
{
	weft_neigh_exit(&n->t);
	free(n);
}

/* Hand a frame to a node, as a driver does. */
static void take(struct node *n, const u8 *f, u32 len, weft_ns now)
{
	u32 head = ETH_HLEN;

	n->out.n = 0;
	if (f[12] == 0x81 && !f[13]) {
		if ((f[14] << 8 | f[15]) != n->t.place.vlan)
			return;
		head += 4;
	} else if (n->t.place.vlan) {
		return;
	}
	if (f[head - 2] == 8 && f[head - 1] == 6)
		weft_neigh_arp(&n->t, f + head, len - head, now, &n->out);
	else if (f[head - 2] == 0x86 && len - head >= 40)
		weft_neigh_nd(&n->t, f + head, len - head, now, &n->out);
}

/* Deliver all pending frames of @from to @to. Return: frames. */
static u32 carry(struct node *from, struct node *to, weft_ns now)
{
	u32 i, n = from->out.n;

	for (i = 0; i < n; i++)
		take(to, from->out.frame[i].data, from->out.frame[i].len, now);
	from->out.n = 0;
	return n;
}

/* Let time pass at a node. Return: frames that it sends. */
static u32 tick(struct node *n, weft_ns now)
{
	n->out.n = 0;
	if (n->t.due > now)
		return 0;
	weft_neigh_timer(&n->t, now, &n->out);
	return n->out.n;
}

static u8 state(struct node *n, u32 i)
{
	struct weft_neigh_info info;

	return weft_neigh_nth(&n->t, i, 0, &info) ? info.state : 0xff;
}

FIXTURE(neigh)
{
	struct node *a, *b;
	struct weft_sockaddr b4, b6;
	u8 mac[ETH_ALEN];
};

FIXTURE_SETUP(neigh)
{
	self->a = node_new(1, 0);
	self->b = node_new(2, 0);
	self->b4 = addr4(0, 2);
	self->b6 = addr6(0, 2);
}

FIXTURE_TEARDOWN(neigh)
{
	node_free(self->a);
	node_free(self->b);
	EXPECT_EQ(0, weft_host_live());
}

/* Ask, answer, hold a frame back meanwhile; in both families, with and without VLAN. */
TEST_F(neigh, resolve)
{
	const struct weft_sockaddr *to[] = { &self->b4, &self->b6 };
	u8 frame[100] = { [0] = 1, [60] = 42 };
	weft_ns now = 5 * SEC;
	u32 i, vlan;

	for (vlan = 0; vlan < 2; vlan++) {
		self->a->t.place.vlan = vlan * 7;
		self->b->t.place.vlan = vlan * 7;
		for (i = 0; i < 2; i++, now += 2 * WEFT_NEIGH_KEEP_NS) {
			u32 gen = self->a->t.gen;

			ASSERT_EQ(-EAGAIN, weft_neigh_find(&self->a->t, to[i], now, self->mac));
			frame[61]++;
			weft_neigh_hold(&self->a->t, to[i], frame, sizeof(frame));
			ASSERT_LE(self->a->t.due, now);
			ASSERT_EQ(1, tick(self->a, now));
			EXPECT_EQ(0, memcmp(self->a->out.frame[0].data + 6,
					    self->a->t.place.mac, 6));
			if (i) {
				EXPECT_EQ(0x33, self->a->out.frame[0].data[0]);
			} else {
				EXPECT_EQ(0, memcmp(self->a->out.frame[0].data, mac_all, 6));
			}
			EXPECT_LE(60, self->a->out.frame[0].len);
			ASSERT_EQ(1, carry(self->a, self->b, now));
			ASSERT_EQ(1, self->b->out.n);
			ASSERT_EQ(1, carry(self->b, self->a, now));
			EXPECT_NE(gen, self->a->t.gen);
			/* the frame that was held back goes to its destination */
			ASSERT_EQ(1, self->a->out.n);
			EXPECT_EQ(sizeof(frame), self->a->out.frame[0].len);
			EXPECT_EQ(frame[61], self->a->out.frame[0].data[61]);
			EXPECT_EQ(0, memcmp(self->a->out.frame[0].data, self->b->t.place.mac, 6));
			ASSERT_EQ(0, weft_neigh_find(&self->a->t, to[i], now, self->mac));
			EXPECT_EQ(0, memcmp(self->mac, self->b->t.place.mac, 6));
			EXPECT_EQ(WEFT_NEIGH_REACHABLE, state(self->a, self->a->t.n - 1));
			/* the node that was asked has learned the asking node */
			ASSERT_EQ(1, self->b->t.n);
			EXPECT_EQ(WEFT_NEIGH_STALE, state(self->b, 0));
			while (tick(self->b, now + 2 * WEFT_NEIGH_KEEP_NS) ||
			       self->b->t.due < now + 2 * WEFT_NEIGH_KEEP_NS)
				;
			EXPECT_EQ(0, self->b->t.n);
			while (self->a->t.n)
				tick(self->a, self->a->t.due);
		}
	}
}

/* The newest frame is held; a frame that is too long is not. */
TEST_F(neigh, held)
{
	u8 frame[WEFT_NEIGH_FRAME + 1] = { 0 };
	weft_ns now = SEC;

	ASSERT_EQ(-EAGAIN, weft_neigh_find(&self->a->t, &self->b4, now, self->mac));
	frame[30] = 1;
	weft_neigh_hold(&self->a->t, &self->b4, frame, 64);
	frame[30] = 2;
	EXPECT_TRUE(weft_neigh_hold(&self->a->t, &self->b4, frame, WEFT_NEIGH_FRAME));
	EXPECT_FALSE(weft_neigh_hold(&self->a->t, &self->b4, frame, WEFT_NEIGH_FRAME + 1));
	EXPECT_FALSE(weft_neigh_hold(&self->a->t, &self->b6, frame, 64));
	tick(self->a, now);
	carry(self->a, self->b, now);
	carry(self->b, self->a, now);
	ASSERT_EQ(1, self->a->out.n);
	EXPECT_EQ(WEFT_NEIGH_FRAME, self->a->out.frame[0].len);
	EXPECT_EQ(2, self->a->out.frame[0].data[30]);
}

/* No answer: three requests, refusal for a while, and anew. */
TEST_F(neigh, silence)
{
	weft_ns now = SEC;
	u32 asked = 0;

	ASSERT_EQ(-EAGAIN, weft_neigh_find(&self->a->t, &self->b4, now, self->mac));
	while (state(self->a, 0) != WEFT_NEIGH_FAILED) {
		now = max(now, self->a->t.due);
		asked += tick(self->a, now);
		ASSERT_GT(10, asked);
	}
	EXPECT_EQ(WEFT_NEIGH_ASKS, asked);
	EXPECT_EQ(SEC + 3 * WEFT_NEIGH_ASK_NS, now);
	EXPECT_EQ(-EHOSTUNREACH, weft_neigh_find(&self->a->t, &self->b4, now, self->mac));
	now += WEFT_NEIGH_FAIL_NS;
	EXPECT_EQ(-EAGAIN, weft_neigh_find(&self->a->t, &self->b4, now, self->mac));
	EXPECT_EQ(1, tick(self->a, now));
	/* a neighbour out of use is forgotten */
	while (self->a->t.due != U64_MAX)
		tick(self->a, self->a->t.due);
	EXPECT_EQ(0, self->a->t.n);
}

/*
 * A neighbour in long use is probed every 30 s at its own address; after its end all nodes are
 * asked.
 */
TEST_F(neigh, probe)
{
	weft_ns now = SEC;
	u32 gen;

	weft_neigh_find(&self->a->t, &self->b4, now, self->mac);
	tick(self->a, now);
	carry(self->a, self->b, now);
	carry(self->b, self->a, now);
	/* nonce of the request; the node has answered */
	EXPECT_EQ(0, tick(self->a, self->a->t.due));
	now = self->a->t.due;
	EXPECT_EQ(SEC + WEFT_NEIGH_REACH_NS, now);
	EXPECT_EQ(0, tick(self->a, now));
	EXPECT_EQ(WEFT_NEIGH_STALE, state(self->a, 0));
	gen = self->a->t.gen;
	ASSERT_EQ(0, weft_neigh_find(&self->a->t, &self->b4, now, self->mac));
	ASSERT_EQ(1, tick(self->a, now));
	EXPECT_EQ(0, memcmp(self->a->out.frame[0].data, self->b->t.place.mac, 6));
	EXPECT_EQ(WEFT_NEIGH_PROBING, state(self->a, 0));
	carry(self->a, self->b, now);
	carry(self->b, self->a, now);
	EXPECT_EQ(WEFT_NEIGH_REACHABLE, state(self->a, 0));
	EXPECT_EQ(gen, self->a->t.gen);

	while (state(self->a, 0) != WEFT_NEIGH_STALE) {
		now = self->a->t.due;
		tick(self->a, now);
	}
	ASSERT_EQ(0, weft_neigh_find(&self->a->t, &self->b4, now, self->mac));
	while (state(self->a, 0) != WEFT_NEIGH_FAILED) {
		tick(self->a, now);
		now = self->a->t.due;
	}
	EXPECT_NE(gen, self->a->t.gen);
	EXPECT_EQ(-EHOSTUNREACH, weft_neigh_find(&self->a->t, &self->b4, now - 1, self->mac));
}

/* On the link, behind the gateway, unreachable. */
TEST_F(neigh, way)
{
	struct weft_sockaddr near = addr4(0, 127), far = addr4(0, 128), far6 = addr6(1, 2);
	struct weft_neigh_info info;

	EXPECT_TRUE(weft_neigh_reaches(&self->a->t, &near));
	EXPECT_TRUE(weft_neigh_reaches(&self->a->t, &far));
	EXPECT_TRUE(weft_neigh_reaches(&self->a->t, &self->b6));
	EXPECT_FALSE(weft_neigh_reaches(&self->a->t, &far6));
	EXPECT_EQ(-ENETUNREACH, weft_neigh_find(&self->a->t, &far6, 1, self->mac));
	EXPECT_EQ(-EAGAIN, weft_neigh_find(&self->a->t, &near, 1, self->mac));
	EXPECT_EQ(-EAGAIN, weft_neigh_find(&self->a->t, &far, 1, self->mac));
	ASSERT_TRUE(weft_neigh_nth(&self->a->t, 0, 1, &info));
	EXPECT_EQ(127, info.addr.addr[3]);
	ASSERT_TRUE(weft_neigh_nth(&self->a->t, 1, 1, &info));
	EXPECT_EQ(100, info.addr.addr[3]);
	EXPECT_FALSE(weft_neigh_nth(&self->a->t, 2, 1, &info));
}

/* An announcement moves an address, at most once in a second; a conflict is counted. */
TEST_F(neigh, announce)
{
	struct weft_neigh_info info;
	weft_ns now = SEC;
	u32 i;

	for (i = 0; i < 2; i++) {
		weft_neigh_find(&self->a->t, i ? &self->b6 : &self->b4, now, self->mac);
		tick(self->a, now);
		carry(self->a, self->b, now);
		carry(self->b, self->a, now);
		self->b->t.place.mac[4] = 9;
		self->b->out.n = 0;
		weft_neigh_announce(&self->b->t, i, &self->b->out);
		carry(self->b, self->a, now + 1);
		ASSERT_TRUE(weft_neigh_nth(&self->a->t, i, now, &info));
		EXPECT_EQ(0, info.mac[4]);
		weft_neigh_announce(&self->b->t, i, &self->b->out);
		carry(self->b, self->a, now + 2 * SEC);
		ASSERT_TRUE(weft_neigh_nth(&self->a->t, i, now, &info));
		EXPECT_EQ(9, info.mac[4]);
		self->b->t.place.mac[4] = 0;
		EXPECT_EQ(i, self->a->t.conflicts);
		self->b->t.place.addr[i] = self->a->t.place.addr[i];
		weft_neigh_announce(&self->b->t, i, &self->b->out);
		carry(self->b, self->a, now + 3 * SEC);
		EXPECT_EQ(i + 1, self->a->t.conflicts);
		EXPECT_EQ(0, self->a->t.due);
		now += 10 * SEC;
		tick(self->a, now);
	}
}

/* Another node checks that one of our addresses is free: our answer says that it is in use. */
TEST_F(neigh, duplicate)
{
	u8 *f, *icmp;
	u32 sum;

	weft_neigh_find(&self->a->t, &self->b6, SEC, self->mac);
	tick(self->a, SEC);
	f = self->a->out.frame[0].data;
	icmp = f + ETH_HLEN + 40;
	memset(f + ETH_HLEN + 8, 0, 16);	/* no sender address, so no option */
	f[ETH_HLEN + 5] = 24;
	memset(icmp + 2, 0, 2);
	sum = weft_neigh_sum(f + ETH_HLEN + 8, 32, 24 + 58);
	sum = (u16)~weft_neigh_sum(icmp, 24, sum);
	icmp[2] = sum >> 8;
	icmp[3] = (u8)sum;
	carry(self->a, self->b, SEC);
	ASSERT_EQ(1, self->b->out.n);
	f = self->b->out.frame[0].data;
	EXPECT_EQ(1, f[5]);			/* to all nodes */
	EXPECT_EQ(136, f[ETH_HLEN + 40]);
	EXPECT_EQ(0x20, f[ETH_HLEN + 44]);
	EXPECT_EQ(0, self->b->t.n);
}

/* Each wrong byte, and each length that is too short, makes an answer invalid. */
TEST_F(neigh, damage)
{
	u32 i, k, n, head, changed = 0;

	for (i = 0; i < 2; i++) {
		const struct weft_sockaddr *to = i ? &self->b6 : &self->b4;
		struct weft_neigh_frame good;

		weft_neigh_find(&self->a->t, to, SEC, self->mac);
		tick(self->a, SEC);
		carry(self->a, self->b, SEC);
		good = self->b->out.frame[0];
		head = i ? 40 + 32 : 28;
		for (n = ETH_HLEN; n < ETH_HLEN + head; n++) {
			u8 *cut = malloc(n);

			/* an allocation of its own for the sanitizer */
			memcpy(cut, good.data, n);
			take(self->a, cut, n, SEC);
			free(cut);
			ASSERT_EQ(-EAGAIN, weft_neigh_find(&self->a->t, to, SEC, self->mac));
		}
		/* (the beginning of IPv6 has no checksum: version, class, flow) */
		for (n = ETH_HLEN + (i ? 4 : 0); n < ETH_HLEN + head; n++) {
			for (k = 0; k < 8; k++) {
				struct weft_neigh_frame bad = good;

				bad.data[n] ^= 1 << k;
				take(self->a, bad.data, bad.len, SEC);
				if (!weft_neigh_find(&self->a->t, to, SEC, self->mac)) {
					/* ARP has no checksum: its Ethernet address */
					ASSERT_EQ(0, i);
					changed++;
					weft_neigh_exit(&self->a->t);
					weft_neigh_find(&self->a->t, to, SEC, self->mac);
				}
			}
		}
		take(self->a, good.data, good.len, SEC);
		EXPECT_EQ(0, weft_neigh_find(&self->a->t, to, SEC, self->mac));
	}
	EXPECT_LT(0, changed);
}

/*
 * Strangers fill half of the table at most. The port's own questions replace the entry that is
 * unused for longest.
 */
TEST_F(neigh, limit)
{
	struct weft_neigh_info info;
	struct weft_sockaddr to = addr4(0, 2);
	u32 i;

	self->a->t.place.prefix[0] = 8;
	self->b->t.place.prefix[0] = 8;
	for (i = 0; i < 3 * WEFT_NEIGH_MAX; i++) {
		self->b->t.place.addr[0].addr[2] = 1 + i / 250;
		self->b->t.place.addr[0].addr[3] = i % 250;
		to = self->a->t.place.addr[0];
		weft_neigh_exit(&self->b->t);
		weft_neigh_find(&self->b->t, &to, SEC, self->mac);
		tick(self->b, SEC);
		carry(self->b, self->a, SEC);
		/* the strangers get their answer all the same */
		ASSERT_EQ(1, self->a->out.n);
	}
	EXPECT_EQ(WEFT_NEIGH_MAX / 2, self->a->t.n);
	for (i = 0; i < 2 * WEFT_NEIGH_MAX; i++) {
		to.addr[1] = 78;
		to.addr[2] = i / 250;
		to.addr[3] = i % 250;
		ASSERT_EQ(-EAGAIN, weft_neigh_find(&self->a->t, &to, 2 * SEC + i, self->mac));
	}
	EXPECT_EQ(WEFT_NEIGH_MAX, self->a->t.n);
	for (i = 0; weft_neigh_nth(&self->a->t, i, 0, &info); i++)
		EXPECT_EQ(78, info.addr.addr[1]);
	/* all of them are asked for, a few at a time */
	for (i = 0; weft_neigh_timer(&self->a->t, 3 * SEC, &self->a->out); i++) {
		ASSERT_EQ(WEFT_NEIGH_OUT, self->a->out.n);
		self->a->out.n = 0;
	}
	EXPECT_EQ(WEFT_NEIGH_MAX / WEFT_NEIGH_OUT, i);
}

/* The request has the source address of the neighbour's link, whichever link that is. */
TEST_F(neigh, asked_from)
{
	struct weft_neigh_place *p = &self->a->t.place;
	const u8 *f = self->a->out.frame[0].data + ETH_HLEN;
	struct weft_sockaddr to = addr4(3, 2);
	u32 i;

	p->addr[2] = addr4(3, 1);
	p->prefix[2] = 24;
	p->addr[3] = addr6(3, 1);
	p->prefix[3] = 64;
	p->naddr = 4;
	for (i = 0; i < 2; i++) {
		weft_neigh_find(&self->a->t, &to, SEC, self->mac);
		ASSERT_EQ(1, tick(self->a, SEC));
		EXPECT_EQ(0, memcmp(f + (i ? 8 : 14), p->addr[2 + i].addr, i ? 16 : 4));
		to = addr6(3, 2);
	}
	/* a gateway outside the port's own links is asked for all the same */
	p->gw[0] = addr4(9, 9);
	to = addr4(7, 7);
	weft_neigh_find(&self->a->t, &to, SEC, self->mac);
	ASSERT_EQ(1, tick(self->a, SEC));
	EXPECT_EQ(0, memcmp(f + 14, p->addr[0].addr, 4));
}

/* Remove the option with the Ethernet address from a frame of neighbour discovery. */
static void strip(struct weft_neigh_frame *f)
{
	u8 *ip6 = f->data + ETH_HLEN, *icmp = ip6 + 40;
	u16 sum;

	f->len -= 8;
	ip6[5] -= 8;
	icmp[2] = 0;
	icmp[3] = 0;
	sum = ~weft_neigh_sum(icmp, ip6[5], weft_neigh_sum(ip6 + 8, 32, ip6[5] + 58));
	icmp[2] = sum >> 8;
	icmp[3] = sum;
}

/* A node that is probed, or probes, at a known Ethernet address need not tell the address. */
TEST_F(neigh, no_option)
{
	weft_ns now = SEC;
	u32 gen;

	weft_neigh_find(&self->a->t, &self->b6, now, self->mac);
	tick(self->a, now);
	carry(self->a, self->b, now);
	/* a node that does not know the address learns none */
	self->a->out.frame[0] = self->b->out.frame[0];
	strip(&self->a->out.frame[0]);
	take(self->a, self->a->out.frame[0].data, self->a->out.frame[0].len, now);
	EXPECT_EQ(-EAGAIN, weft_neigh_find(&self->a->t, &self->b6, now, self->mac));
	carry(self->b, self->a, now);
	ASSERT_EQ(0, weft_neigh_find(&self->a->t, &self->b6, now, self->mac));
	gen = self->a->t.gen;

	while (state(self->a, 0) != WEFT_NEIGH_STALE) {
		now = self->a->t.due;
		tick(self->a, now);
	}
	ASSERT_EQ(0, weft_neigh_find(&self->a->t, &self->b6, now, self->mac));
	ASSERT_EQ(1, tick(self->a, now));
	strip(&self->a->out.frame[0]);
	carry(self->a, self->b, now);
	ASSERT_EQ(1, self->b->out.n);
	strip(&self->b->out.frame[0]);
	carry(self->b, self->a, now);
	EXPECT_EQ(WEFT_NEIGH_REACHABLE, state(self->a, 0));
	EXPECT_EQ(gen, self->a->t.gen);
}

/* Answers to forged addresses replace only neighbours out of use. */
TEST_F(neigh, made_up)
{
	struct weft_sockaddr to = addr4(0, 2);
	struct weft_neighs *t = &self->a->t;
	u32 i;

	t->place.prefix[0] = 8;
	self->b->t.place.prefix[0] = 8;
	weft_neigh_find(t, &self->b4, SEC, self->mac);
	tick(self->a, SEC);
	carry(self->a, self->b, SEC);
	carry(self->b, self->a, SEC);
	for (i = 0; i < 3 * WEFT_NEIGH_MAX; i++) {
		to.addr[1] = 78;
		to.addr[2] = i / 250;
		to.addr[3] = i % 250;
		ASSERT_EQ(i < WEFT_NEIGH_MAX - 1 ? -EAGAIN : -EHOSTUNREACH,
			  weft_neigh_find_stranger(t, &to, 2 * SEC, self->mac));
		/* a path uses its neighbour each second, or more seldom */
		if (!(i % 100))
			ASSERT_EQ(0, weft_neigh_find(t, &self->b4, SEC, self->mac));
	}
	EXPECT_EQ(WEFT_NEIGH_MAX, t->n);
	/*
	 * the port's own question always finds space, a stranger's when the oldest entry has aged
	 */
	to.addr[2] = 200;
	EXPECT_EQ(-EAGAIN, weft_neigh_find(t, &to, 2 * SEC, self->mac));
	to.addr[2] = 201;
	EXPECT_EQ(-EHOSTUNREACH, weft_neigh_find_stranger(t, &to, 3 * SEC, self->mac));
	/* another CPU's time may be later */
	EXPECT_EQ(-EHOSTUNREACH, weft_neigh_find_stranger(t, &to, SEC, self->mac));
	EXPECT_EQ(-EAGAIN,
		  weft_neigh_find_stranger(t, &to, 2 * SEC + WEFT_NEIGH_BUSY_NS, self->mac));
	EXPECT_EQ(WEFT_NEIGH_MAX, t->n);
}

/* Without memory no neighbour is stored, and nothing breaks. */
TEST_F(neigh, memory)
{
	weft_host_fail_nth(1);
	EXPECT_EQ(-ENOMEM, weft_neigh_find(&self->a->t, &self->b4, SEC, self->mac));
	EXPECT_EQ(0, self->a->t.n);
	EXPECT_EQ(-EAGAIN, weft_neigh_find(&self->a->t, &self->b4, SEC, self->mac));
}

TEST(sums)
{
	const u8 odd[] = { 0x12, 0x34, 0x56 };
	u8 group[ETH_ALEN];
	struct weft_sockaddr a = addr6(0, 0x42);

	EXPECT_EQ(0x6834, weft_neigh_sum(odd, 3, 0));
	EXPECT_EQ(0x0001, weft_neigh_sum("\xff\xff\x00\x01", 4, 0));
	EXPECT_EQ(1, weft_neigh_group(&a, group));
	EXPECT_EQ(0, memcmp(group, "\x33\x33\xff\0\0\x42", 6));
	a.family = AF_INET;
	EXPECT_EQ(0, weft_neigh_group(&a, group));
	EXPECT_STREQ("reachable", weft_neigh_state_name(WEFT_NEIGH_REACHABLE));
	EXPECT_STREQ("?", weft_neigh_state_name(99));
}

TEST_HARNESS_MAIN
