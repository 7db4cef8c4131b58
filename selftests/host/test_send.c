// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends: a program with counters, bad payload memory, more sends than completions fit, endpoints
 * that are not connected, and the packets of messages that do not fit into one
 */
#include "core/api/internal.h"
#include "core/messaging/messaging.h"
#include "near.h"
#include "two.h"
#include "harness.h"

#define SECOND	((weft_ns)NSEC_PER_SEC)
#define WAIT	(SECOND / 2)

/* a short send, one that the kernel copies, and one that stays in memory */
static const u32 lens[] = { 100, 5000, TWO_LONG };

/* A send from memory that is not the program's fails, and later sends leave, in order. */
TEST(send__bad_source)
{
	struct two t;
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(lens); i++) {
		u32 len = lens[i / 2];

		two_init(&t, 1, 64, i & 1 ? RIG_PPM : 0);
		ASSERT_EQ(0, two_get(&t, t.room, TWO_ROOM, 7));
		ASSERT_EQ(0, two_put(&t, (void *)64, len, 1, WEFT_SQ_DELIVERY));
		EXPECT_EQ(EFAULT, two_status(&t, t.ca, 1, WAIT));
		if (len == TWO_LONG) {
			/*
			 * the receiver had given a grant: it is told that the message is withdrawn
			 */
			EXPECT_EQ(ECONNRESET, two_status(&t, t.cb, 7, WAIT));
			ASSERT_EQ(0, two_get(&t, t.room, TWO_ROOM, 7));
		}
		EXPECT_EQ(-1, two_status(&t, t.cb, 7, WAIT));
		ASSERT_EQ(0, two_put(&t, t.buf, len, 2, WEFT_SQ_DELIVERY));
		EXPECT_EQ(0, two_status(&t, t.ca, 2, WAIT));
		EXPECT_EQ(0, two_status(&t, t.cb, 7, WAIT));
		EXPECT_EQ(0, memcmp(t.room, t.buf, len));
		rig_free(t.rig);
	}
}

/* A program without completion queues counts sends that left, and sends that failed. */
static void counted(struct __test_metadata *_metadata, u32 dst)
{
	struct rig_cq *cntr;
	struct rig_ep *ep;
	struct two t;
	u32 i;

	two_init(&t, dst, 64, 0);
	cntr = rig_cq_new(t.a, 0);
	ep = rig_ep_new(t.a, WEFT_EP_RDM, 0, 64, 16, 9);
	ep->tx_cntr = &cntr->cq;
	ASSERT_EQ(0, rig_ep_enable(ep, NULL, NULL, NULL, t.va));
	t.ea = ep;
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		ASSERT_EQ(0, two_get(&t, t.room, TWO_ROOM, i));
		ASSERT_EQ(0, two_put(&t, t.buf, lens[i], 0, WEFT_SQ_DELIVERY));
		EXPECT_EQ(0, two_status(&t, t.cb, i, WAIT));
		EXPECT_EQ(i + 1, cntr->status.done);
		EXPECT_EQ(0, cntr->status.failed);
	}
	ASSERT_EQ(0, two_put(&t, (void *)64, 5000, 0, 0));
	rig_run(t.rig, SECOND);
	EXPECT_EQ(1, cntr->status.failed);
	/* no endpoint has the address */
	t.to = (u32)rig_av_insert(t.va, dst, 99, t.rig);
	ASSERT_EQ(0, two_put(&t, t.buf, 8, 0, WEFT_SQ_DELIVERY));
	rig_run(t.rig, 6 * SECOND);
	EXPECT_EQ(2, cntr->status.failed);
	EXPECT_EQ(ARRAY_SIZE(lens), cntr->status.done);
	rig_free(t.rig);
}

TEST(send__counted_remote)
{
	counted(_metadata, 1);
}

TEST(send__counted_local)
{
	counted(_metadata, 0);
}

/* More sends than their completion queue has space for: none is lost, all complete in order. */
static void full(struct __test_metadata *_metadata, u32 dst, u32 flags)
{
	enum { N = 12 };
	struct rig_cq *small;
	struct weft_cqe e;
	struct rig_ep *ep;
	struct two t;
	u32 i;

	two_init(&t, dst, 64, 0);
	small = rig_cq_new(t.a, 4);
	ep = rig_ep_new(t.a, WEFT_EP_RDM, 0, 64, 16, 9);
	ASSERT_EQ(0, rig_ep_enable(ep, small, small, NULL, t.va));
	t.ea = ep;
	for (i = 0; i < N; i++) {
		ASSERT_EQ(0, two_get(&t, t.room, 64, i));
		ASSERT_EQ(0, two_put(&t, t.buf + i, 8, i, flags));
	}
	rig_run(t.rig, SECOND);
	for (i = 0; i < N; i++) {
		EXPECT_EQ(0, two_status(&t, t.cb, i, WAIT));
		EXPECT_EQ(0, two_status(&t, small, i, WAIT));
	}
	EXPECT_EQ(0, rig_cq_read(small, &e));
	EXPECT_EQ(0, memcmp(t.room, t.buf + N - 1, 8));
	rig_free(t.rig);
}

TEST(send__full_queue)
{
	u32 dst;

	for (dst = 0; dst < 2; dst++) {
		full(_metadata, dst, 0);
		full(_metadata, dst, WEFT_SQ_TRANSMIT);
		full(_metadata, dst, WEFT_SQ_DELIVERY);
	}
}

/* A connected endpoint sends nothing before it is connected, and nothing after. */
TEST(send__not_connected)
{
	struct rig_op op = { .flags = WEFT_SQ_COMPLETION, .n = 1 };
	struct weft_event ev;
	struct side a, b;
	struct weft_cqe e;
	struct rig_conf conf;
	struct rig *rig;
	u32 round;

	rig_conf_default(&conf, 5);
	rig = rig_new(&conf);
	side_init(&a, &rig->node[0]);
	side_init(&b, &rig->node[1]);
	ASSERT_NE(NULL, side_listen(&b, 40, 4));
	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)rig_buf(a.proc, 8), 8 };
	for (round = 0; round < 3; round++) {
		op.context = round;
		ASSERT_EQ(0, rig_send(a.ep, &op));
		rig_run(rig, SECOND / 10);
		ASSERT_EQ(1, rig_cq_read(a.cq, &e));
		EXPECT_EQ(round, e.context);
		EXPECT_EQ(round == 1 ? 0 : ENOTCONN, e.status);
		if (round == 0) {
			ASSERT_EQ(0, rig_connect(a.ep, 1, 40, NULL, 0));
			ASSERT_EQ(WEFT_EV_CONNREQ, side_event(rig, &b, &ev, NULL, SECOND));
			ASSERT_EQ(0, rig_accept(b.ep, ev.conn, NULL, 0));
			ASSERT_EQ(WEFT_EV_CONNECTED, side_event(rig, &a, &ev, NULL, SECOND));
		} else if (round == 1) {
			ASSERT_EQ(0, rig_shutdown(a.ep));
			ASSERT_EQ(WEFT_EV_SHUTDOWN, side_event(rig, &a, &ev, NULL, SECOND));
		}
	}
	rig_free(rig);
}

/* ---- Messages of several packets ------------------------------------- */

#define MSGS	8		/* messages of a test */
#define MOST	(64u << 10)	/* bytes of one */
#define CHUNKS	256

/**
 * struct seen - what the packets in the output contain
 * @n: chunks
 * @type: type of each
 * @mseq: message of each
 * @class: class of its packet
 * @tx: index of its packets in the output
 * @images: packets, or runs, that left without a copy
 * @got: bytes of each message
 * @byte: bytes of messages
 * @wrong: a packet is malformed
 */
struct seen {
	u32 n;
	u8 type[CHUNKS];
	u32 mseq[CHUNKS];
	u8 class[CHUNKS];
	u32 tx[CHUNKS];
	u32 images;
	u32 got[MSGS + 1];
	u8 byte[MSGS + 1][MOST];
	bool wrong;
};

/* Read a packet of @len bytes at @p. */
static void look_at(struct seen *seen, const struct weft_tx *tx, u32 index, const u8 *p, u32 len)
{
	struct weft_chunks rest;
	struct weft_chunk c;
	struct weft_head m;
	struct weft_hdr h;
	u32 off;

	if (weft_wire_hdr_get(p, len, &h, &rest) || weft_wire_check(&rest)) {
		seen->wrong = true;
		return;
	}
	while (weft_wire_next(&rest, &c)) {
		if ((c.type != WEFT_CHUNK_EAGER && c.type != WEFT_CHUNK_HEAD) ||
		    seen->n == CHUNKS)
			continue;
		weft_wire_head_get(c.body, &m);
		off = be32_to_cpu(((const struct weft_w_eager *)c.body)->off);
		seen->type[seen->n] = c.type;
		seen->mseq[seen->n] = m.flow.mseq;
		seen->class[seen->n] = tx->class;
		seen->tx[seen->n++] = index;
		if (m.flow.mseq > MSGS || off + c.paylen > MOST) {
			seen->wrong = true;
			return;
		}
		memcpy(seen->byte[m.flow.mseq] + off, c.pay, c.paylen);
		seen->got[m.flow.mseq] += c.paylen;
	}
}

/* Read all packets in the output, and drop them. An image equals the packets that are written. */
static void look(struct lone *t, struct seen *seen)
{
	u32 i, k, at, n;

	memset(seen, 0, sizeof(*seen));
	for (i = 0; i < t->out->ntx; i++) {
		const struct weft_tx *tx = &t->out->tx[i];
		u8 *all = malloc(weft_tx_size(tx));
		const void *image = NULL;

		seen->wrong |= weft_tx_write(tx, 0, tx->nseg, all) != 0;
		/* an image may have several parts */
		for (k = 0; k < tx->nseg; k += n) {
			n = tx->nseg - k;
			image = weft_tx_image(tx, k, &n);
			if (!image)
				break;
			seen->images += !k;
			at = k + n == tx->nseg ? weft_tx_size(tx) - k * tx->len : n * tx->len;
			seen->wrong |= memcmp(image, all + k * tx->len, at) != 0;
		}
		for (k = 0, at = 0; k < tx->nseg; at += weft_tx_len(tx, k++))
			look_at(seen, tx, i, all + at, weft_tx_len(tx, k));
		/* a part of the packets has the same image */
		n = 1;
		if (image && tx->nseg > 2)
			seen->wrong |= memcmp(weft_tx_image(tx, 1, &n), all + tx->len,
					      tx->len) != 0;
		free(all);
	}
	lone_drop(t);
}

/* The lane of class REST, which the functions of lone.h then use. */
static struct weft_lane *rest_lane(struct near *s)
{
	s->t.lane = &s->t.path->lane[WEFT_CLASS_REST * WEFT_CLASS_LANES];
	return s->t.lane;
}

/* A program whose sends to a peer are limited by nothing. @max: bytes of a packet. */
static void many_init(struct near *s, u32 max)
{
	struct weft_flow *flow;

	near_init(s);
	flow = s->ep->ep->flow.recent;
	s->t.core->conf.eager_max = MOST;
	weft_lock(&s->t.path->lock);
	s->t.path->tx_limit = (s->t.path->tx_used >> 10) + (4 << 10);
	flow->tx_limit = flow->tx_used + (4 << 20);
	s->t.path->max_payload = max;
	rest_lane(s)->cwnd = 256;
	weft_unlock(&s->t.path->lock);
	memset(s->room, 0, NEAR_ROOM);
}

/* Write a send of @len bytes into the ring. */
static void put(struct near *s, u32 len)
{
	struct rig_op op = { .peer = s->to, .n = 1 };
	u32 i;

	for (i = 0; i < len; i++)
		s->room[i] = near_byte(i);
	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)s->room, len };
	s->ep->status.flags &= ~WEFT_ST_SQ_NOTIFY;
	if (rig_send(s->ep, &op))
		abort();
}

/* Process the send ring; the packets stay in the output. */
static void drain(struct near *s)
{
	weft_mutex_lock(&s->ep->ep->sq_mutex);
	if (weft_send_drain(s->ep->ep, 0, s->t.out))
		abort();
	weft_mutex_unlock(&s->ep->ep->sq_mutex);
}

/* All @len bytes of message @mseq have been seen, each once. */
static bool complete(const struct seen *seen, u32 mseq, u32 len)
{
	u32 i;

	for (i = 0; i < len && seen->byte[mseq][i] == near_byte(i); i++)
		;
	return !seen->wrong && seen->got[mseq] == len && i == len;
}

/* Chunk @i is of this type, and of this message, in a packet of this class. */
static bool chunk(const struct seen *seen, u32 i, u8 type, u32 mseq, u8 class)
{
	return i < seen->n && seen->type[i] == type && seen->mseq[i] == mseq &&
	       seen->class[i] == class;
}

/* A message of several packets leaves as a run, in class REST, without a copy. */
TEST(send__run)
{
	static const u32 lens[] = { 1381, 2000, 2 * 1376, 5000, 16384 };
	struct seen *seen = malloc(sizeof(*seen));
	struct near s;
	u32 i, k;

	many_init(&s, 1472);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		put(&s, lens[i]);
		drain(&s);
		ASSERT_EQ(1, s.t.out->ntx);
		EXPECT_EQ(WEFT_CHUNK_EAGER, s.t.out->tx[0].run);
		EXPECT_EQ(DIV_ROUND_UP(lens[i], 1376), s.t.out->tx[0].nseg);
		look(&s.t, seen);
		EXPECT_TRUE(complete(seen, i + 1, lens[i])) TH_LOG("%u bytes", lens[i]);
		EXPECT_EQ(1, seen->images);
		for (k = 0; k < seen->n; k++)
			EXPECT_TRUE(chunk(seen, k, WEFT_CHUNK_EAGER, i + 1, WEFT_CLASS_REST));
	}
	lone_ack(&s.t, rest_lane(&s)->snd_nxt, NULL, 0, 0);
	EXPECT_EQ(0, s.t.path->nsent);
	near_fini(&s);
	free(seen);
}

/* Add what the output has of the first message to @all, and have its packets acknowledged. */
static void part(struct near *s, struct seen *seen, struct seen *all)
{
	look(&s->t, seen);
	all->wrong |= seen->wrong;
	memcpy(all->byte[1] + all->got[1], seen->byte[1] + all->got[1], seen->got[1]);
	all->got[1] += seen->got[1];
	lone_wait(&s->t, NSEC_PER_MSEC);
	lone_ack(&s->t, rest_lane(s)->snd_nxt, NULL, 0, 0);
	lone_output(&s->t);
}

/* Nothing of a message leaves while packets have @planned bytes. Then they have @size bytes. */
static void resized(struct near *s, u32 len, u32 planned, u32 size)
{
	struct weft_path *path = s->t.path;

	path->max_payload = planned;
	path->state = WEFT_PATHS_HELLO;
	put(s, len);
	drain(s);
	if (s->t.out->ntx)
		abort();
	weft_lock(&path->lock);
	path->state = WEFT_PATHS_UP;
	path->max_payload = size;
	weft_path_output(path, s->t.out);
	weft_unlock(&path->lock);
}

/* The bytes are where packets of another length were planned: they leave in packets that fit. */
TEST(send__run_of_another_length)
{
	static const u32 sizes[] = { WEFT_PAYLOAD_MIN, 1300, 1472, 4000, 8972 };
	static const u32 lens[] = { 1200, 1381, 5000, 9000, 16384, 40000, MOST };
	struct seen *seen = malloc(sizeof(*seen));
	u32 i, k, l, images = 0;
	struct near s;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (k = 0; k < ARRAY_SIZE(sizes); k++) {
			many_init(&s, sizes[i]);
			for (l = 0; l < ARRAY_SIZE(lens); l++) {
				resized(&s, lens[l], sizes[i], sizes[k]);
				look(&s.t, seen);
				EXPECT_TRUE(complete(seen, l + 1, lens[l])) {
					TH_LOG("%u bytes, planned for %u, sent in %u", lens[l],
					       sizes[i], sizes[k]);
				}
				/* a last packet may fit by chance, a run never does */
				if (i != k)
					EXPECT_GE(1, seen->images);
				images += i == k && seen->images;
			}
			near_fini(&s);
		}
	EXPECT_LT(10, images);
	free(seen);
}

/* The window leaves few bytes for the end. They come from two places of packets as planned. */
TEST(send__rest_of_another_length)
{
	struct seen *seen = malloc(sizeof(*seen)), *all;
	struct near s;
	u32 len;

	for (len = 1400; len < 9000; len += 97) {
		all = calloc(1, sizeof(*all));
		many_init(&s, 1472);
		rest_lane(&s)->cwnd = 2;
		rest_lane(&s)->ssthresh = 2;
		resized(&s, len, 1472, WEFT_PAYLOAD_MIN);
		while (s.t.out->ntx)
			part(&s, seen, all);
		EXPECT_TRUE(complete(all, 1, len)) TH_LOG("%u bytes", len);
		near_fini(&s);
		free(all);
	}
	free(seen);
}

/* A packet that is sent again is copied: the first one may still wait in a queue. */
TEST(send__run_again)
{
	struct seen *seen = malloc(sizeof(*seen));
	u32 words[WEFT_SACK_BITS / 32] = { 0x12 };
	u32 round, first;
	struct near s;

	for (round = 0; round < 3; round++) {
		many_init(&s, 1472);
		first = rest_lane(&s)->snd_nxt;
		put(&s, 16384);
		drain(&s);
		look(&s.t, seen);
		EXPECT_EQ(1, seen->images);
		EXPECT_TRUE(complete(seen, 1, 16384));
		/* some packets have arrived, or the first ones, or none */
		lone_wait(&s.t, NSEC_PER_MSEC);
		if (round)
			lone_ack(&s.t, round == 1 ? first : first + 3, words, round == 1, 0);
		look(&s.t, seen);
		EXPECT_EQ(0, seen->images);
		s.t.out->now = s.t.lane->rto_at;
		while (s.t.path->nsent && s.t.lane->rto_at != U64_MAX) {
			u32 i;

			s.t.out->now = max(s.t.out->now, s.t.lane->rto_at);
			lone_timer(&s.t);
			ASSERT_NE(0, s.t.out->ntx);
			look(&s.t, seen);
			EXPECT_FALSE(seen->wrong);
			EXPECT_EQ(0, seen->images);
			for (i = 0; i < 16384; i++)
				if (seen->byte[1][i] && seen->byte[1][i] != near_byte(i))
					break;
			EXPECT_EQ(16384, i);
			lone_wait(&s.t, NSEC_PER_MSEC);
			lone_ack(&s.t, s.t.lane->snd_una + s.t.lane->flight, NULL, 0, 0);
			look(&s.t, seen);
			EXPECT_EQ(0, seen->images);
		}
		EXPECT_EQ(0, s.t.path->nsent);
		near_fini(&s);
	}
	free(seen);
}

/* RETIRED comes: of @n packets from @psn on the peer has those of @bits. */
static void retired(struct lone *t, u32 psn, u32 n, u32 bits)
{
	struct weft_w_retired re = { .lane = t->lane->no, .psn = cpu_to_be32(psn + n),
				     .from = cpu_to_be32(psn) };
	u8 buf[64];
	struct weft_chunks rest = { .at = buf };
	struct weft_chunk c;

	rest.left = weft_wire_retired_put(buf, &re, &bits, 1);
	if (!weft_wire_next(&rest, &c))
		abort();
	weft_lock(&t->path->lock);
	if (weft_retire_answer(t->path, &c, t->out))
		abort();
	weft_lane_output(t->path, t->lane, t->out);
	weft_unlock(&t->path->lock);
}

/* The packets became too long: the missing ones are cut, and copied. */
TEST(send__run_retired)
{
	static const u32 had[] = { 0, 1, 0x12, 0x7ff, 0x801 };
	struct seen *seen = malloc(sizeof(*seen));
	u32 i, at, n = DIV_ROUND_UP(16384, 1376), psn, missing;
	struct near s;

	for (i = 0; i < ARRAY_SIZE(had); i++) {
		many_init(&s, 1472);
		psn = rest_lane(&s)->snd_nxt;
		put(&s, 16384);
		drain(&s);
		look(&s.t, seen);
		EXPECT_EQ(1, seen->images);
		weft_lock(&s.t.path->lock);
		s.t.path->max_payload = WEFT_PAYLOAD_MIN;
		weft_retire_long(s.t.path, s.t.lane, s.t.out->now);
		weft_lane_output(s.t.path, s.t.lane, s.t.out);
		weft_unlock(&s.t.path->lock);
		look(&s.t, seen);
		EXPECT_EQ(0, seen->n);
		retired(&s.t, psn, n, had[i]);
		look(&s.t, seen);
		EXPECT_FALSE(seen->wrong);
		EXPECT_EQ(0, seen->images);
		for (at = 0, missing = 0; at < 16384; at++)
			if (!(had[i] >> at / 1376 & 1)) {
				missing++;
				if (seen->byte[1][at] != near_byte(at))
					break;
			}
		EXPECT_EQ(16384, at);
		EXPECT_EQ(missing, seen->got[1]);
		lone_wait(&s.t, NSEC_PER_MSEC);
		lone_ack(&s.t, s.t.lane->snd_nxt, NULL, 0, 0);
		EXPECT_EQ(0, s.t.path->nsent);
		near_fini(&s);
	}
	free(seen);
}

/* The window holds a part of the message: it leaves in several runs, all without a copy. */
TEST(send__run_in_parts)
{
	struct seen *seen = malloc(sizeof(*seen)), *all = calloc(1, sizeof(*all));
	struct weft_lane *lane;
	struct near s;
	u32 n;

	many_init(&s, 1472);
	lane = rest_lane(&s);
	lane->cwnd = 5;
	lane->ssthresh = 5;
	put(&s, 16384);
	drain(&s);
	for (n = 0; s.t.out->ntx; n++) {
		EXPECT_GE(lane->cwnd, lane->flight);
		part(&s, seen, all);
		EXPECT_EQ(1, seen->images);
	}
	EXPECT_LE(3, n);
	EXPECT_TRUE(complete(all, 1, 16384));
	EXPECT_EQ(0, s.t.path->nsent);
	near_fini(&s);
	free(seen);
	free(all);
}

/* ---- Heads ----------------------------------------------------------- */

/* The next message, number @mseq, leaves alone in its packet, without a head before it. */
static void alone(struct __test_metadata *_metadata, struct near *s, struct seen *seen, u32 mseq)
{
	put(s, 8);
	drain(s);
	look(&s->t, seen);
	EXPECT_EQ(1, seen->n);
	EXPECT_TRUE(chunk(seen, 0, WEFT_CHUNK_EAGER, mseq, WEFT_CLASS_FIRST));
}

/* A later short message brings the head in its packet, before it. */
TEST(send__head)
{
	struct seen *seen = malloc(sizeof(*seen));
	struct weft_flow *flow;
	struct near s;
	u32 i;

	many_init(&s, 1472);
	flow = s.ep->ep->flow.recent;
	put(&s, 5000);
	put(&s, 8);
	drain(&s);
	look(&s.t, seen);
	EXPECT_TRUE(complete(seen, 1, 5000));
	EXPECT_TRUE(complete(seen, 2, 8));
	EXPECT_EQ(2 + DIV_ROUND_UP(5000, 1376), seen->n);
	EXPECT_TRUE(chunk(seen, 0, WEFT_CHUNK_HEAD, 1, WEFT_CLASS_FIRST));
	EXPECT_TRUE(chunk(seen, 1, WEFT_CHUNK_EAGER, 2, WEFT_CLASS_FIRST));
	EXPECT_EQ(seen->tx[0], seen->tx[1]);
	for (i = 2; i < seen->n; i++)
		EXPECT_TRUE(chunk(seen, i, WEFT_CHUNK_EAGER, 1, WEFT_CLASS_REST));
	/* once is enough */
	EXPECT_EQ(0, flow->nheadless);
	alone(_metadata, &s, seen, 3);
	near_fini(&s);
	free(seen);
}

/* Without a later message no head is sent, and none after the packets have arrived. */
TEST(send__head_not_needed)
{
	struct seen *seen = malloc(sizeof(*seen));
	struct weft_flow *flow;
	struct near s;
	u32 i;

	many_init(&s, 1472);
	flow = s.ep->ep->flow.recent;
	for (i = 1; i < 3; i++) {
		put(&s, 5000);
		drain(&s);
		look(&s.t, seen);
		EXPECT_TRUE(complete(seen, i, 5000));
		EXPECT_EQ(DIV_ROUND_UP(5000, 1376), seen->n);
		EXPECT_EQ(i, flow->nheadless);
	}
	lone_ack(&s.t, rest_lane(&s)->snd_nxt, NULL, 0, 0);
	EXPECT_EQ(0, flow->nheadless);
	EXPECT_TRUE(weft_list_empty(&flow->headless));
	alone(_metadata, &s, seen, 3);
	near_fini(&s);
	free(seen);
}

/* Up to four heads leave before a message; behind more it leaves alone. */
TEST(send__heads)
{
	enum { HEADS = 4 };
	struct seen *seen = malloc(sizeof(*seen));
	struct weft_lane *rest;
	struct near s;
	u32 n, i, psn;

	for (n = HEADS; n <= HEADS + 1; n++) {
		many_init(&s, 1472);
		rest = rest_lane(&s);
		psn = rest->snd_nxt + DIV_ROUND_UP(2000, 1376);
		for (i = 0; i < n; i++) {
			put(&s, 2000);
			drain(&s);
			look(&s.t, seen);
			ASSERT_TRUE(complete(seen, i + 1, 2000));
		}
		EXPECT_EQ(n, s.ep->ep->flow.recent->nheadless);
		if (n > HEADS) {
			put(&s, 8);
			drain(&s);
			look(&s.t, seen);
			EXPECT_EQ(1, seen->n);
			EXPECT_TRUE(complete(seen, n + 1, 8));
			/* the first one arrives */
			lone_wait(&s.t, NSEC_PER_MSEC);
			lone_ack(&s.t, psn, NULL, 0, 0);
			look(&s.t, seen);
			EXPECT_EQ(HEADS, s.ep->ep->flow.recent->nheadless);
		}
		put(&s, 300);
		drain(&s);
		look(&s.t, seen);
		ASSERT_EQ(HEADS + 1, seen->n);
		for (i = 0; i < HEADS; i++)
			EXPECT_TRUE(chunk(seen, i, WEFT_CHUNK_HEAD, n - HEADS + i + 1,
					  WEFT_CLASS_FIRST));
		EXPECT_TRUE(complete(seen, n > HEADS ? n + 2 : n + 1, 300));
		EXPECT_EQ(seen->tx[0], seen->tx[HEADS]);
		near_fini(&s);
	}
	free(seen);
}

/* The heads fill the packet: the message follows in the next one. */
TEST(send__heads_and_long)
{
	static const u32 lens[] = { WEFT_INLINE_MAX, WEFT_SHORT_MAX, WEFT_SHORT_MAX + 1, 1300 };
	struct seen *seen = malloc(sizeof(*seen));
	struct near s;
	u32 k, i;

	for (k = 0; k < ARRAY_SIZE(lens); k++) {
		many_init(&s, 1472);
		for (i = 0; i < 4; i++) {
			put(&s, 2000);
			drain(&s);
			look(&s.t, seen);
		}
		put(&s, lens[k]);
		drain(&s);
		look(&s.t, seen);
		ASSERT_EQ(5, seen->n);
		for (i = 0; i < 4; i++)
			EXPECT_TRUE(chunk(seen, i, WEFT_CHUNK_HEAD, i + 1, WEFT_CLASS_FIRST));
		EXPECT_TRUE(chunk(seen, 4, WEFT_CHUNK_EAGER, 5, WEFT_CLASS_FIRST));
		EXPECT_TRUE(complete(seen, 5, lens[k]));
		EXPECT_LE(seen->tx[0], seen->tx[4]);
		near_fini(&s);
	}
	free(seen);
}

TEST_HARNESS_MAIN
