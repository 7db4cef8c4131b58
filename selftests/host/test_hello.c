// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handshake: stateless until the cookie comes back; losses, crossing, restarts, GONE
 */
#include "rig.h"
#include "core/api/internal.h"
#include "harness.h"

#define MS	((weft_ns)NSEC_PER_MSEC)

FIXTURE(hello)
{
	struct rig *rig;
	struct weft_core *a;
	struct weft_core *b;
	struct weft_out *out;
};

FIXTURE_SETUP(hello)
{
	struct rig_conf conf;

	rig_conf_default(&conf, 7);
	self->rig = rig_new(&conf);
	self->a = &self->rig->node[0].core;
	self->b = &self->rig->node[1].core;
	self->out = calloc(1, sizeof(*self->out));
	weft_out_init(self->out, self->b);
	self->out->now = self->rig->now;
}

FIXTURE_TEARDOWN(hello)
{
	weft_flush(self->out);
	free(self->out);
	rig_free(self->rig);
}

/* ---- One packet at a time -------------------------------------------- */

static void hello_from(struct rig *rig, u32 node, u16 port, struct weft_sockaddr *src)
{
	rig_node_addr(&rig->conf, node, port, src);
}

/* A HELLO arrives at the core of @out. @hdr: path id and token of the header. */
static void hello_in(struct weft_out *out, const struct weft_sockaddr *src,
		     const struct weft_hello *in, u32 path, u64 token)
{
	struct weft_hdr h = { .type = WEFT_PKT_HELLO, .path = path, .token = token };
	u8 buf[WEFT_WIRE_HDR + sizeof(struct weft_w_hello)];
	struct weft_rx rx = { .data = buf, .len = sizeof(buf), .src = *src };
	struct weft_chunks rest;

	weft_wire_hdr_put(buf, &h);
	weft_wire_hello_put(buf + WEFT_WIRE_HDR, in);
	if (weft_wire_hdr_get(buf, sizeof(buf), &h, &rest))
		weft_host_die(__FILE__, __LINE__, "bad header");
	weft_hello_rx(out->core, &rx, &h, &rest, out);
}

/* Return: the operation of the last answer, 0: no answer. */
static u8 hello_out(struct weft_out *out, struct weft_hdr *h, struct weft_hello *hello)
{
	struct weft_chunks rest;
	struct weft_tx *tx;

	if (!out->ntx)
		return 0;
	tx = &out->tx[out->ntx - 1];
	if (tx->rec || weft_wire_hdr_get(tx->raw, tx->len, h, &rest) || h->type != WEFT_PKT_HELLO ||
	    weft_wire_hello_get(&rest, hello))
		weft_host_die(__FILE__, __LINE__, "no HELLO");
	return hello->op;
}

static void hello_drop(struct weft_out *out)
{
	while (out->ntx)
		if (out->tx[--out->ntx].path)
			weft_path_put(out->tx[out->ntx].path);
}

static struct weft_hello hello_init(void)
{
	return (struct weft_hello){
		.op = WEFT_HELLO_INIT,
		.incarnation = 99,
		.path = 0x777,
		.max_payload = 1300,
		.offer = 0xabcdef,
		.ack_delay = 40,
		.nonce = 4711,
	};
}

static u32 npaths(struct weft_core *core)
{
	struct weft_path *path;
	u32 n, pos = 0;

	for (n = 0; (path = weft_path_next(core, &pos)); n++)
		weft_path_put(path);
	return n;
}

/* The path to the other node, without a reference: the path stays in the tables. */
static struct weft_path *path_of(struct weft_core *core)
{
	struct weft_path *path = rig_path(core);

	if (path)
		weft_path_put(path);
	return path;
}

TEST_F(hello, stateless)
{
	struct weft_hello in = hello_init(), re;
	struct weft_sockaddr src, other;
	long live = weft_host_live();
	struct weft_path *path;
	struct weft_hdr h;
	u64 cookie;

	hello_from(self->rig, 0, WEFT_WIRE_PORT, &src);
	hello_in(self->out, &src, &in, 0, 0);
	ASSERT_EQ(WEFT_HELLO_COOKIE, hello_out(self->out, &h, &re));
	EXPECT_EQ(live, weft_host_live());
	EXPECT_EQ(0, npaths(self->b));
	EXPECT_EQ(in.path, h.path);
	EXPECT_EQ(in.offer, h.token);
	EXPECT_EQ(in.nonce, re.nonce);
	EXPECT_NE(0, re.cookie);
	EXPECT_TRUE(weft_addr_eq(&src, &self->out->tx[0].to));
	EXPECT_EQ(WEFT_WIRE_HDR + sizeof(struct weft_w_hello), self->out->tx[0].len);
	cookie = re.cookie;
	hello_drop(self->out);

	/* a wrong cookie, another node's, that of another nonce or incarnation */
	in.cookie = cookie ^ 1;
	hello_in(self->out, &src, &in, 0, 0);
	EXPECT_EQ(WEFT_HELLO_COOKIE, hello_out(self->out, &h, &re));
	in.cookie = cookie;
	other = src;
	other.addr[3] ^= 0x40;
	hello_in(self->out, &other, &in, 0, 0);
	EXPECT_EQ(WEFT_HELLO_COOKIE, hello_out(self->out, &h, &re));
	in.nonce++;
	hello_in(self->out, &src, &in, 0, 0);
	EXPECT_EQ(WEFT_HELLO_COOKIE, hello_out(self->out, &h, &re));
	in.nonce--;
	in.incarnation++;
	hello_in(self->out, &src, &in, 0, 0);
	EXPECT_EQ(WEFT_HELLO_COOKIE, hello_out(self->out, &h, &re));
	in.incarnation--;
	EXPECT_EQ(0, npaths(self->b));
	hello_drop(self->out);

	hello_in(self->out, &src, &in, 0, 0);
	ASSERT_EQ(WEFT_HELLO_ACK, hello_out(self->out, &h, &re));
	path = path_of(self->b);
	ASSERT_NE(NULL, path);
	EXPECT_EQ(1, npaths(self->b));
	EXPECT_EQ(WEFT_PATHS_UP, path->state);
	EXPECT_EQ(in.path, h.path);
	EXPECT_EQ(in.offer, h.token);
	EXPECT_EQ(path->id, re.path);
	EXPECT_EQ(path->offer, re.offer);
	EXPECT_EQ(self->b->incarnation, re.incarnation);
	EXPECT_EQ(in.nonce, re.nonce);
	EXPECT_EQ(in.path, path->peer_id);
	EXPECT_EQ(in.offer, path->peer_offer);
	EXPECT_EQ(1300, path->mtu->peer);
	EXPECT_EQ(WEFT_PAYLOAD_MIN, path->max_payload);
	EXPECT_GE(path->peer_ack_delay, 39 * NSEC_PER_USEC);
	EXPECT_LE(path->peer_ack_delay, 41 * NSEC_PER_USEC);
	hello_drop(self->out);

	/* the answer was lost: the same again */
	hello_in(self->out, &src, &in, 0, 0);
	EXPECT_EQ(WEFT_HELLO_ACK, hello_out(self->out, &h, &re));
	EXPECT_EQ(path, path_of(self->b));
	EXPECT_EQ(path->id, re.path);
	hello_drop(self->out);

	/* cookies expire */
	self->out->now += 60 * NSEC_PER_SEC;
	hello_in(self->out, &src, &in, 0, 0);
	EXPECT_EQ(WEFT_HELLO_COOKIE, hello_out(self->out, &h, &re));
	EXPECT_NE(cookie, re.cookie);
	hello_drop(self->out);
}

/* Get a path up as node 0. Return: the cookie. */
static u64 hello_up(struct rig *rig, struct weft_out *out, struct weft_hello *in)
{
	struct weft_sockaddr src;
	struct weft_hello re;
	struct weft_hdr h;

	hello_from(rig, 0, WEFT_WIRE_PORT, &src);
	in->cookie = 0;
	hello_in(out, &src, in, 0, 0);
	hello_out(out, &h, &re);
	in->cookie = re.cookie;
	hello_drop(out);
	hello_in(out, &src, in, 0, 0);
	if (hello_out(out, &h, &re) != WEFT_HELLO_ACK)
		weft_host_die(__FILE__, __LINE__, "no path");
	hello_drop(out);
	return in->cookie;
}

TEST_F(hello, restarted)
{
	struct weft_hello in = hello_init();
	struct weft_path *old;
	u32 id;

	hello_up(self->rig, self->out, &in);
	old = path_of(self->b);
	weft_path_get(old);
	id = old->id;

	/* another incarnation */
	in.incarnation++;
	in.path++;
	hello_up(self->rig, self->out, &in);
	weft_flush(self->out);
	EXPECT_EQ(WEFT_PATHS_DEAD, old->state);
	EXPECT_EQ(1, npaths(self->b));
	EXPECT_NE(old, path_of(self->b));
	EXPECT_NE(id, path_of(self->b)->id);
	EXPECT_EQ(1, rig_counter(&self->rig->node[1], WEFT_CNT_peer_restarts));
	EXPECT_EQ(1, self->rig->node[1].note[WEFT_NOTE_RESTARTED].count);
	weft_path_put(old);

	/* the same incarnation, but it has lost its state */
	old = path_of(self->b);
	weft_path_get(old);
	in.path++;
	hello_up(self->rig, self->out, &in);
	weft_flush(self->out);
	EXPECT_EQ(WEFT_PATHS_DEAD, old->state);
	EXPECT_EQ(1, npaths(self->b));
	EXPECT_EQ(1, rig_counter(&self->rig->node[1], WEFT_CNT_peer_restarts));
	weft_path_put(old);
}

/* A malformed packet gets no answer, and changes nothing. */
TEST_F(hello, bad)
{
	struct weft_hello in = hello_init();
	struct weft_sockaddr src;
	u32 i, bad = 0;

	hello_from(self->rig, 0, WEFT_WIRE_PORT + 1, &src);
	hello_in(self->out, &src, &in, 0, 0);
	EXPECT_EQ(++bad, rig_counter(&self->rig->node[1], WEFT_CNT_rx_bad));
	hello_from(self->rig, 0, WEFT_WIRE_PORT, &src);
	in.max_payload = WEFT_PAYLOAD_MIN - 1;
	hello_in(self->out, &src, &in, 0, 0);
	EXPECT_EQ(++bad, rig_counter(&self->rig->node[1], WEFT_CNT_rx_bad));
	in = hello_init();
	in.path = 0;
	hello_in(self->out, &src, &in, 0, 0);
	EXPECT_EQ(++bad, rig_counter(&self->rig->node[1], WEFT_CNT_rx_bad));

	/* answers without a question */
	in = hello_init();
	for (i = 0; i < 100; i++) {
		in.op = i & 1 ? WEFT_HELLO_ACK : WEFT_HELLO_COOKIE;
		hello_in(self->out, &src, &in, weft_random(), weft_random());
		hello_in(self->out, &src, &in, i, 0);
	}
	EXPECT_EQ(0, self->out->ntx);
	EXPECT_EQ(0, npaths(self->b));
}

/* Without memory or space the packet is dropped; the next INIT succeeds. */
TEST_F(hello, shortage)
{
	struct weft_hello in = hello_init(), re;
	struct weft_sockaddr src;
	struct weft_hdr h;

	hello_from(self->rig, 0, WEFT_WIRE_PORT, &src);
	hello_in(self->out, &src, &in, 0, 0);
	hello_out(self->out, &h, &re);
	in.cookie = re.cookie;
	hello_drop(self->out);
	weft_host_fail_nth(1);
	hello_in(self->out, &src, &in, 0, 0);
	weft_host_fail_nth(0);
	EXPECT_EQ(0, self->out->ntx);
	EXPECT_EQ(0, npaths(self->b));
	self->out->ntx = WEFT_OUT_TX;
	hello_in(self->out, &src, &in, 0, 0);
	EXPECT_EQ(WEFT_OUT_TX, self->out->ntx);
	self->out->ntx = 0;
	hello_in(self->out, &src, &in, 0, 0);
	EXPECT_EQ(WEFT_HELLO_ACK, hello_out(self->out, &h, &re));
	hello_drop(self->out);
}

/* The initiator accepts only packets with its path, its token and its nonce. */
TEST_F(hello, initiator)
{
	struct weft_hello re = hello_init(), in;
	struct weft_sockaddr peer, src;
	struct weft_path *path;
	struct weft_hdr h;

	rig_node_addr(&self->rig->conf, 0, 0, &peer);
	src = peer;
	src.port = cpu_to_be16(WEFT_WIRE_PORT);
	path = weft_path_find(self->b, &peer, self->out);
	ASSERT_FALSE(IS_ERR(path));
	EXPECT_EQ(WEFT_PATHS_HELLO, path->state);
	ASSERT_EQ(WEFT_HELLO_INIT, hello_out(self->out, &h, &in));
	EXPECT_EQ(0, h.path);
	EXPECT_EQ(0, in.cookie);
	EXPECT_EQ(path->id, in.path);
	EXPECT_GT(path->hello_at, self->out->now);
	EXPECT_LE(path->timer_at, path->hello_at);
	hello_drop(self->out);

	re.op = WEFT_HELLO_COOKIE;
	re.cookie = 55;
	re.nonce = in.nonce;
	hello_in(self->out, &src, &re, in.path, in.offer ^ 1);
	re.nonce ^= 1;
	hello_in(self->out, &src, &re, in.path, in.offer);
	re.nonce ^= 1;
	hello_in(self->out, &src, &re, in.path ^ 1, in.offer);
	EXPECT_EQ(0, self->out->ntx);
	hello_in(self->out, &src, &re, in.path, in.offer);
	ASSERT_EQ(WEFT_HELLO_INIT, hello_out(self->out, &h, &in));
	EXPECT_EQ(55, in.cookie);
	hello_drop(self->out);
	/* an echo gets no answer */
	hello_in(self->out, &src, &re, in.path, in.offer);
	EXPECT_EQ(0, self->out->ntx);

	re.op = WEFT_HELLO_ACK;
	re.max_payload = 1280;
	hello_in(self->out, &src, &re, in.path, in.offer ^ 1);
	EXPECT_EQ(WEFT_PATHS_HELLO, path->state);
	hello_in(self->out, &src, &re, in.path, in.offer);
	EXPECT_EQ(WEFT_PATHS_UP, path->state);
	EXPECT_EQ(re.path, path->peer_id);
	EXPECT_EQ(re.offer, path->peer_offer);
	EXPECT_EQ(1280, path->mtu->peer);
	EXPECT_EQ(U64_MAX, path->hello_at);
	/* another packet is late, or forged */
	re.path++;
	hello_in(self->out, &src, &re, in.path, in.offer);
	EXPECT_EQ(re.path - 1, path->peer_id);
	hello_drop(self->out);
	weft_path_put(path);
}

/* ---- How a packet is authenticated ----------------------------------- */

/* A packet with a PING from @src. Return: the core accepted it. */
static bool ping_in(struct weft_out *out, struct weft_path *path, const struct weft_sockaddr *src,
		    u64 token)
{
	u8 buf[WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_ping)];
	struct weft_rx rx = { .data = buf, .len = sizeof(buf), .src = *src };
	u32 psn = path->lane[0].rcv_nxt;
	struct weft_hdr h = {
		.type = WEFT_PKT_DATA, .flags = WEFT_PKT_PSN, .path = path->id, .token = token,
		.psn = psn,
	};

	weft_wire_hdr_put(buf, &h);
	weft_wire_ping_put(buf + WEFT_WIRE_HDR);
	rig_rx(out->core, out->now, &rx, 1, out);
	return path->lane[0].rcv_nxt == psn + 1;
}

/* Path id and token authenticate, whatever address is in the IP header. */
TEST_F(hello, other_address)
{
	struct weft_hello in = hello_init();
	struct weft_sockaddr src, other;
	struct weft_path *path;

	hello_up(self->rig, self->out, &in);
	path = path_of(self->b);
	hello_from(self->rig, 0, WEFT_WIRE_PORT, &src);
	other = src;
	other.addr[3] ^= 0x40;
	EXPECT_FALSE(ping_in(self->out, path, &src, path->token ^ 1));
	EXPECT_EQ(1, rig_counter(&self->rig->node[1], WEFT_CNT_rx_unknown));
	EXPECT_FALSE(ping_in(self->out, path, &other, path->token ^ 1));
	EXPECT_TRUE(ping_in(self->out, path, &src, path->token));
	EXPECT_TRUE(ping_in(self->out, path, &other, path->token));
	/* answers go to the path's address */
	EXPECT_EQ(0, memcmp(&src.addr, &path->node.addr.addr, sizeof(src.addr)));
	EXPECT_EQ(1, npaths(self->b));
	hello_drop(self->out);
}

/* ---- GONE ------------------------------------------------------------ */

/*
 * The INIT of a path has reached two incarnations of the peer, which know its offer. Only packets
 * of the one that the path adopts are taken.
 */
TEST_F(hello, two_incarnations)
{
	struct weft_hello in = hello_init();
	struct weft_sockaddr src;
	struct weft_path *path;

	hello_from(self->rig, 0, WEFT_WIRE_PORT, &src);
	path = weft_path_find(self->b, &src, self->out);
	ASSERT_FALSE(IS_ERR(path));
	hello_drop(self->out);
	ASSERT_EQ(WEFT_PATHS_HELLO, path->state);
	/* before the handshake is over nothing is taken, and nothing answered */
	EXPECT_FALSE(ping_in(self->out, path, &src, path->offer ^ rol64(in.offer, 32)));
	EXPECT_EQ(0, self->out->ntx);
	in.incarnation++;
	in.offer ^= 0x123;
	hello_up(self->rig, self->out, &in);
	ASSERT_EQ(WEFT_PATHS_UP, path->state);
	EXPECT_FALSE(ping_in(self->out, path, &src, path->offer ^ rol64(in.offer ^ 0x123, 32)));
	EXPECT_FALSE(ping_in(self->out, path, &src, path->offer));
	EXPECT_TRUE(ping_in(self->out, path, &src, path->offer ^ rol64(in.offer, 32)));
	weft_path_put(path);
	weft_flush(self->out);
}

static void gone_in(struct weft_out *out, const struct weft_sockaddr *src, u32 path, u64 token)
{
	struct weft_hdr h = { .type = WEFT_PKT_GONE, .path = path, .token = token };
	struct weft_rx rx = { .src = *src };

	weft_gone_rx(out->core, &rx, &h, out);
}

TEST_F(hello, gone)
{
	struct weft_hello in = hello_init();
	struct weft_sockaddr src, other;
	struct weft_path *path;

	hello_up(self->rig, self->out, &in);
	path = path_of(self->b);
	weft_path_get(path);
	hello_from(self->rig, 0, WEFT_WIRE_PORT, &src);
	other = src;
	other.addr[3] ^= 0x40;
	gone_in(self->out, &src, in.path, path->peer_token ^ 1);
	gone_in(self->out, &src, in.path + 1, path->peer_token);
	gone_in(self->out, &src, path->id, path->token);
	gone_in(self->out, &other, in.path, path->peer_token);
	weft_flush(self->out);
	EXPECT_EQ(WEFT_PATHS_UP, path->state);
	gone_in(self->out, &src, in.path, path->peer_token);
	weft_flush(self->out);
	EXPECT_EQ(WEFT_PATHS_DEAD, path->state);
	EXPECT_EQ(0, npaths(self->b));
	weft_path_put(path);
}

TEST_F(hello, gone_rate)
{
	struct weft_hdr h = { .type = WEFT_PKT_DATA, .path = 5, .token = 6 }, re;
	struct weft_rx rx = { 0 };
	struct weft_chunks rest;
	u32 i, n = 0;

	hello_from(self->rig, 0, WEFT_WIRE_PORT, &rx.src);
	weft_gone_send(self->b, &rx, &h, self->out);
	ASSERT_EQ(1, self->out->ntx);
	ASSERT_EQ(0, weft_wire_hdr_get(self->out->tx[0].raw, self->out->tx[0].len, &re, &rest));
	EXPECT_EQ(WEFT_PKT_GONE, re.type);
	EXPECT_EQ(5, re.path);
	EXPECT_EQ(6, re.token);
	EXPECT_EQ(0, rest.left);
	hello_drop(self->out);
	/* of a flood of 100 000 in a second, only some get an answer */
	for (i = 0; i < 100000; i++) {
		self->out->now += 10000;
		weft_gone_send(self->b, &rx, &h, self->out);
		n += self->out->ntx;
		hello_drop(self->out);
	}
	EXPECT_LE(n, 20000);
	EXPECT_GE(n, 10);
}

/* ---- Two nodes ------------------------------------------------------- */

static bool both_up(void *arg)
{
	struct rig *rig = arg;
	struct weft_path *a = path_of(&rig->node[0].core), *b = path_of(&rig->node[1].core);

	return a && b && a->state == WEFT_PATHS_UP && b->state == WEFT_PATHS_UP &&
	       a->peer_id == b->id && b->peer_id == a->id && a->peer_token == b->token &&
	       b->peer_token == a->token && a->peer_inc == b->core->incarnation;
}

static void begin(struct rig *rig, u32 from)
{
	struct rig_node *node = &rig->node[from];
	struct weft_sockaddr peer;
	struct weft_path *path;

	rig_node_addr(&rig->conf, !from, 0, &peer);
	node->out.now = rig->now;
	path = weft_path_find(&node->core, &peer, &node->out);
	if (!IS_ERR(path))
		weft_path_put(path);
	weft_flush(&node->out);
}

TEST_F(hello, two_nodes)
{
	u64 n;

	begin(self->rig, 0);
	EXPECT_TRUE(rig_until(self->rig, both_up, self->rig, MS));
	/* the exchange ends: four packets, and a probe of each side with its answer */
	rig_run(self->rig, 400 * MS);
	n = self->rig->npackets;
	EXPECT_GE(n, 4 + 2 * 2);
	/* the first probe may overtake the end of the handshake */
	EXPECT_LE(n, 4 + 2 * 2 + 1);
	rig_run(self->rig, NSEC_PER_SEC);
	EXPECT_EQ(n, self->rig->npackets);
}

TEST_F(hello, crossing)
{
	u32 i;

	for (i = 0; i < 50; i++) {
		begin(self->rig, 0);
		rig_run(self->rig, rig_below(self->rig, 50000));
		begin(self->rig, 1);
		ASSERT_TRUE(rig_until(self->rig, both_up, self->rig, MS));
		rig_run(self->rig, 100 * MS);
		ASSERT_TRUE(both_up(self->rig));
		ASSERT_EQ(1, npaths(self->a));
		ASSERT_EQ(1, npaths(self->b));
		rig_stop(&self->rig->node[0], ENODEV);
		rig_stop(&self->rig->node[1], ENODEV);
		rig_start(&self->rig->node[0]);
		rig_start(&self->rig->node[1]);
	}
}

TEST_F(hello, lossy)
{
	u32 i;

	self->rig->conf.loss = RIG_PPM / 3;
	self->rig->conf.dup = RIG_PPM / 4;
	self->rig->conf.late = RIG_PPM / 4;
	self->rig->conf.late_by = 30 * MS;
	for (i = 0; i < 30; i++) {
		begin(self->rig, i & 1);
		if (i % 3 == 0)
			begin(self->rig, !(i & 1));
		/* the responder's half may be the only path when every ACK was lost */
		EXPECT_TRUE(rig_until(self->rig, both_up, self->rig, 20 * NSEC_PER_SEC));
		rig_run(self->rig, 100 * MS);
		EXPECT_TRUE(both_up(self->rig));
		rig_stop(&self->rig->node[i & 1], ENODEV);
		rig_start(&self->rig->node[i & 1]);
		rig_stop(&self->rig->node[!(i & 1)], ENODEV);
		rig_start(&self->rig->node[!(i & 1)]);
	}
}

/* No node answers: requests with back-off, then the path fails. */
TEST_F(hello, nobody)
{
	rig_cut(self->rig, 0, 1, true);
	begin(self->rig, 0);
	EXPECT_EQ(1, npaths(self->a));
	rig_run(self->rig, self->a->conf.connect_ns - MS);
	EXPECT_EQ(1, npaths(self->a));
	rig_run(self->rig, 2 * NSEC_PER_SEC);
	EXPECT_EQ(0, npaths(self->a));
	EXPECT_GE(self->rig->npackets, 5);
	EXPECT_LE(self->rig->npackets, 10 + self->a->conf.connect_ns / NSEC_PER_SEC);
}

/* A node crashes and comes back. The other finds out by GONE or by INIT, and both paths are up. */
TEST_F(hello, crash)
{
	u64 inc = self->b->incarnation;

	begin(self->rig, 0);
	ASSERT_TRUE(rig_until(self->rig, both_up, self->rig, MS));
	/* the probes are answered: otherwise GONE would answer one of them */
	rig_run(self->rig, 400 * MS);
	rig_crash(&self->rig->node[1]);
	rig_start(&self->rig->node[1]);
	EXPECT_NE(inc, self->b->incarnation);
	begin(self->rig, 1);
	EXPECT_TRUE(rig_until(self->rig, both_up, self->rig, 100 * MS));
	EXPECT_EQ(1, rig_counter(&self->rig->node[0], WEFT_CNT_peer_restarts));
	EXPECT_EQ(1, npaths(self->a));
}

TEST_HARNESS_MAIN
