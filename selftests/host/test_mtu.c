// SPDX-License-Identifier: GPL-2.0-only
/*
 * The largest packet of a path: devices with unequal MTU, an MTU that changes under load, a network
 * that silently loses long packets; packets whose numbers are given up
 */
#include "lone.h"
#include "two.h"
#include "traffic.h"
#include "harness.h"

#define MS	((weft_ns)NSEC_PER_MSEC)
#define PSN	0xfffffff0u
#define GET	1000

static struct weft_path *path_of(struct rig_node *node)
{
	struct weft_path *path = rig_path(&node->core);

	if (!path)
		weft_host_die(__FILE__, __LINE__, "no path");
	weft_path_put(path);
	return path;
}

/* Send a message of @len bytes, and receive it. Return: both succeeded, with the right bytes. */
static bool message(struct two *t, u32 len)
{
	memset(t->room, 0xee, len + 1);
	return !two_get(t, t->room, TWO_ROOM, GET) && !two_put(t, t->buf, len, 1, 0) &&
	       !two_status(t, t->cb, GET, 1000 * MS) && !two_status(t, t->ca, 1, 0) &&
	       !memcmp(t->room, t->buf, len) && t->room[len] == 0xee;
}

static const u32 lens[] = { 8, 1300, 1500, 5000, 16000, TWO_LONG };

/* One device takes 9000 bytes, the other one 1500. No packet is lost for that reason. */
TEST(mtu__unequal)
{
	struct two t;
	u32 i, k;

	for (i = 0; i < 2; i++) {
		two_init(&t, 1, 64, 0);
		rig_fit(&t.rig->node[i], 8972);
		for (k = 0; k < ARRAY_SIZE(lens); k++)
			ASSERT_TRUE(message(&t, lens[k]));
		EXPECT_EQ(1472, path_of(&t.rig->node[0])->max_payload);
		EXPECT_EQ(1472, path_of(&t.rig->node[1])->max_payload);
		EXPECT_EQ(0, t.rig->nlost);
		EXPECT_EQ(0, rig_counter(&t.rig->node[0], WEFT_CNT_retransmits));
		EXPECT_EQ(0, rig_counter(&t.rig->node[0], WEFT_CNT_mtu_reduced));
		rig_free(t.rig);
	}
}

/*
 * The network carries less than both devices from the beginning on. The path uses what it carries,
 * within the exactness of the search, and no message waits for that.
 */
TEST(mtu__narrow)
{
	static const u32 fits[] = { 1472, 8972 };
	struct two t;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(fits); i++) {
		two_init(&t, 1, 64, 0);
		t.rig->conf.net.narrow = 1272;
		rig_fit(&t.rig->node[0], fits[i]);
		rig_fit(&t.rig->node[1], fits[i]);
		for (k = 0; k < ARRAY_SIZE(lens); k++)
			ASSERT_TRUE(message(&t, lens[k]));
		rig_run(t.rig, 5000 * MS);
		EXPECT_LE(path_of(&t.rig->node[0])->max_payload, 1272);
		EXPECT_GT(path_of(&t.rig->node[0])->max_payload, 1272 - 16);
		/* only probes are lost */
		EXPECT_EQ(0, rig_counter(&t.rig->node[0], WEFT_CNT_retransmits));
		EXPECT_EQ(0, rig_counter(&t.rig->node[0], WEFT_CNT_mtu_reduced));
		for (k = 0; k < ARRAY_SIZE(lens); k++)
			ASSERT_TRUE(message(&t, lens[k]));
		rig_free(t.rig);
	}
}

/* The network carries nothing above the base size, and later more: the search begins again. */
TEST(mtu__raise)
{
	struct two t;
	u32 i;

	two_init(&t, 1, 64, 0);
	t.rig->conf.net.narrow = WEFT_PAYLOAD_MIN;
	ASSERT_TRUE(message(&t, TWO_LONG));
	rig_run(t.rig, 5000 * MS);
	EXPECT_EQ(WEFT_PAYLOAD_MIN, path_of(&t.rig->node[0])->max_payload);
	t.rig->conf.net.narrow = 0;
	/* the path stays in use */
	for (i = 0; i < 7; i++) {
		rig_run(t.rig, 100000 * MS);
		ASSERT_TRUE(message(&t, 8));
	}
	EXPECT_EQ(1472, path_of(&t.rig->node[0])->max_payload);
	rig_free(t.rig);
}

/*
 * The route was narrow when the path was opened, and no event tells that it is no more. A route
 * that becomes narrow without an event changes nothing. The path may be one that hears nothing.
 */
TEST(mtu__narrow_route)
{
	static const u32 types[] = { WEFT_EP_RDM, WEFT_EP_DGRAM };
	struct weft_cqe e;
	struct two t;
	u32 i, k;

	for (k = 0; k < ARRAY_SIZE(types); k++) {
		two_init_type(&t, types[k], 0, 1, 64, 0);
		t.rig->node[0].fit = WEFT_PAYLOAD_MIN;
		for (i = 0; i < 21; i++) {
			if (i == 1)
				t.rig->node[0].fit = 1472;
			if (i == 14)
				t.rig->node[0].fit = 1300;
			ASSERT_EQ(0, two_get(&t, t.room, TWO_ROOM, GET));
			ASSERT_EQ(0, two_put(&t, t.buf, 8, 1, 0));
			rig_run(t.rig, 100000 * MS);
			ASSERT_EQ(1, rig_cq_read(t.ca, &e));
			ASSERT_EQ(0, two_status(&t, t.cb, GET, 0));
			EXPECT_EQ(i < 6 ? WEFT_PAYLOAD_MIN : 1472,
				  i == 6 ? 1472 : path_of(&t.rig->node[0])->max_payload);
		}
		EXPECT_EQ(1472, path_of(&t.rig->node[1])->max_payload);
		rig_free(t.rig);
	}
}

/* The device's MTU changes: one call looks at some paths, and in the end all have changed. */
TEST(mtu__many)
{
	enum { PEERS = 150 };
	struct weft_path *path;
	struct rig_conf conf;
	struct rig_proc *proc;
	struct rig_cq *cq;
	struct rig_ep *ep;
	struct rig_av *av;
	struct rig *rig;
	u32 i, pos = 0;

	rig_conf_default(&conf, 1);
	conf.nodes = PEERS + 1;
	rig = rig_new(&conf);
	proc = rig_proc_new(&rig->node[0]);
	cq = rig_cq_new(proc, PEERS);
	av = rig_av_new(proc);
	ep = rig_ep_new(proc, WEFT_EP_RDM, 0, 256, 16, 1);
	ASSERT_EQ(0, rig_ep_enable(ep, cq, cq, NULL, av));
	for (i = 0; i < PEERS; i++) {
		struct rig_op op = { .peer = (u32)rig_av_insert(av, i + 1, 2, rig), .n = 1 };

		op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)rig_buf(proc, 8), 8 };
		ASSERT_EQ(0, rig_send(ep, &op));
	}
	rig_run(rig, 10 * MS);
	EXPECT_EQ(PEERS, rig->node[0].core.npaths);
	rig->node[0].fit = 1400;
	weft_softirqs_off();
	EXPECT_TRUE(weft_core_refit(&rig->node[0].core, &pos, rig_clock(&rig->node[0]),
				    rig_out(&rig->node[0])));
	weft_softirqs_on();
	rig_leave(&rig->node[0], rig_out(&rig->node[0]));
	rig_fit(&rig->node[0], 1400);
	for (i = pos = 0; (path = weft_path_next(&rig->node[0].core, &pos)); i++) {
		EXPECT_EQ(1400, path->max_payload);
		weft_path_put(path);
	}
	EXPECT_EQ(PEERS, i);
	rig_free(rig);
}

/* A path that is not in use is not kept by probes. */
TEST(mtu__idle)
{
	struct two t;

	two_init(&t, 1, 64, 0);
	t.rig->conf.net.narrow = WEFT_PAYLOAD_MIN;
	ASSERT_TRUE(message(&t, 8));
	rig_run(t.rig, 1000000 * MS);
	EXPECT_EQ(0, t.rig->node[0].core.npaths);
	EXPECT_EQ(0, t.rig->node[1].core.npaths);
	rig_free(t.rig);
}

/* Return: number of completions without an error, within @ns. */
static u32 reap(struct two *t, struct rig_cq *cq, weft_ns ns)
{
	struct weft_cqe e;
	u32 n = 0;

	rig_run(t->rig, ns);
	while (rig_cq_read(cq, &e) == 1)
		n += !e.status;
	return n;
}

/* Where the largest packet changes. */
enum place { DEVICE_HERE, DEVICE_THERE, NETWORK };

static void change(struct two *t, enum place at, u32 size)
{
	if (at == NETWORK)
		t->rig->conf.net.narrow = size;
	else
		rig_fit(&t->rig->node[at == DEVICE_THERE], size);
}

/* 1500, 1400 and 1500 again; 9000, 1500 and 9000 again; under load. No path dies. */
TEST(mtu__change)
{
	static const u32 from[] = { 1472, 8972 }, to[] = { 1372, 1472 };
	const struct rig_note *raised;
	enum place at;
	struct two t;
	u32 i, j, k, len;

	for (k = 0; k < 2 * 3 * 8; k++) {
		i = k % 2;
		at = k / 2 % 3;
		two_init(&t, 1, 256, 0);
		t.rig->conf.net.narrow = from[i];
		rig_fit(&t.rig->node[0], from[i]);
		rig_fit(&t.rig->node[1], from[i]);
		ASSERT_TRUE(message(&t, 8));
		ASSERT_EQ(from[i], path_of(&t.rig->node[0])->max_payload);
		/* what the first search finds is no change */
		raised = &t.rig->node[0].note[WEFT_NOTE_MTU_RAISED];
		EXPECT_EQ(0, raised->count);
		for (j = 0; j < 3; j++) {
			ASSERT_EQ(0, two_get(&t, t.room + j * (TWO_LONG + 1), TWO_LONG, GET + j));
			ASSERT_EQ(0, two_put(&t, t.buf, j == 1 ? 16000 : TWO_LONG, j, 0));
		}
		/* the change meets the transfer at different times */
		rig_run(t.rig, (k / 6) * 15 * NSEC_PER_USEC);
		change(&t, at, to[i]);
		EXPECT_EQ(3, reap(&t, t.cb, 2000 * MS));
		EXPECT_EQ(3, reap(&t, t.ca, 0));
		for (j = 0; j < 3; j++) {
			len = j == 1 ? 16000 : TWO_LONG;
			EXPECT_EQ(0, memcmp(t.room + j * (TWO_LONG + 1), t.buf, len));
			EXPECT_EQ(0xee, t.room[j * (TWO_LONG + 1) + len]);
		}
		EXPECT_EQ(0, rig_counter(&t.rig->node[0], WEFT_CNT_paths_dead));
		EXPECT_LE(path_of(&t.rig->node[0])->max_payload, at == NETWORK ? from[i] : to[i]);
		change(&t, at, from[i]);
		ASSERT_TRUE(message(&t, TWO_LONG));
		if (at != NETWORK) {
			EXPECT_EQ(from[i], path_of(&t.rig->node[0])->max_payload);
			EXPECT_EQ(1, raised->count);
			EXPECT_EQ(to[i], raised->last.from);
			EXPECT_EQ(from[i], raised->last.to);
		}
		rig_free(t.rig);
	}
}

/* A short message passes, and no path dies, while long ones find out that the network is narrow. */
TEST(mtu__black_hole)
{
	struct two t;

	two_init(&t, 1, 64, 0);
	ASSERT_TRUE(message(&t, 8));
	t.rig->conf.net.narrow = 1272;
	ASSERT_EQ(0, two_get(&t, t.room, TWO_ROOM / 2, GET));
	ASSERT_EQ(0, two_put(&t, t.buf, TWO_LONG, 1, WEFT_SQ_TRANSMIT));
	ASSERT_EQ(0, two_get(&t, t.room + TWO_ROOM / 2, 8, GET + 1));
	ASSERT_EQ(0, two_put(&t, t.buf, 8, 2, WEFT_SQ_TRANSMIT));
	EXPECT_EQ(0, two_status(&t, t.cb, GET + 1, MS));
	EXPECT_EQ(0, two_status(&t, t.ca, 2, 0));
	EXPECT_EQ(0, two_status(&t, t.cb, GET, 1000 * MS));
	EXPECT_EQ(0, two_status(&t, t.ca, 1, 5 * MS));
	EXPECT_EQ(0, memcmp(t.room, t.buf, TWO_LONG));
	EXPECT_EQ(1, rig_counter(&t.rig->node[0], WEFT_CNT_mtu_reduced));
	EXPECT_EQ(1, t.rig->node[0].note[WEFT_NOTE_MTU].count);
	EXPECT_GT(t.rig->node[0].note[WEFT_NOTE_MTU].last.from,
		  t.rig->node[0].note[WEFT_NOTE_MTU].last.to);
	EXPECT_EQ(0, rig_counter(&t.rig->node[0], WEFT_CNT_paths_dead));
	rig_free(t.rig);
}

/* A silent peer is no sign of a narrow network. */
TEST(mtu__silence)
{
	struct two t;

	two_init(&t, 1, 64, 0);
	ASSERT_TRUE(message(&t, 8));
	rig_cut(t.rig, 0, 1, true);
	ASSERT_EQ(0, two_get(&t, t.room, TWO_LONG, GET));
	ASSERT_EQ(0, two_put(&t, t.buf, 5000, 1, WEFT_SQ_TRANSMIT));
	rig_run(t.rig, 5000 * MS);
	rig_cut(t.rig, 0, 1, false);
	EXPECT_EQ(0, two_status(&t, t.cb, GET, 3000 * MS));
	EXPECT_EQ(0, two_status(&t, t.ca, 1, 0));
	EXPECT_EQ(0, rig_counter(&t.rig->node[0], WEFT_CNT_mtu_reduced));
	EXPECT_EQ(1472, path_of(&t.rig->node[0])->max_payload);
	rig_free(t.rig);
}

/* A long datagram waits until its path is known to carry it; a longer one is refused. */
TEST(mtu__datagram)
{
	struct weft_cqe e;
	struct two t;
	u32 i;

	for (i = 0; i < 2; i++) {
		two_init_type(&t, WEFT_EP_DGRAM, 0, 1, 64, 0);
		t.rig->conf.net.narrow = i ? WEFT_PAYLOAD_MIN : 0;
		ASSERT_EQ(0, two_get(&t, t.room, TWO_LONG, GET));
		ASSERT_EQ(0, two_put(&t, t.buf, 1400, 1, 0));
		EXPECT_EQ(i ? -1 : 0, two_status(&t, t.cb, GET, 1000 * MS));
		EXPECT_EQ(0, two_status(&t, t.ca, 1, 0));
		EXPECT_EQ(i, rig_counter(&t.rig->node[0], WEFT_CNT_dgrams_dropped));
		two_put(&t, t.buf, 1400, 2, 0);
		rig_run(t.rig, MS);
		ASSERT_EQ(1, rig_cq_read(t.ca, &e));
		EXPECT_EQ(i ? EMSGSIZE : 0, e.status);
		rig_free(t.rig);
	}
}

/* ---- Retirement, one packet at a time ---------------------------------------------------- */

FIXTURE(retire)
{
	struct lone t;
};

FIXTURE_SETUP(retire)
{
	lone_init(&self->t, PSN);
}

FIXTURE_TEARDOWN(retire)
{
	lone_fini(&self->t);
}

/* All packets of the lane have become too long. */
static void too_long(struct lone *t)
{
	u32 size = t->path->max_payload;

	weft_lock(&t->path->lock);
	t->path->max_payload = WEFT_WIRE_HDR;
	weft_retire_long(t->path, t->lane, t->out->now);
	t->path->max_payload = size;
	weft_unlock(&t->path->lock);
}

/* RETIRED comes. Return: as weft_retire_answer(). */
static int answer(struct lone *t, const struct weft_w_retired *re, u32 bits)
{
	u8 buf[64];
	struct weft_chunks rest = { .at = buf };
	struct weft_chunk c;
	int err;

	rest.left = weft_wire_retired_put(buf, re, &bits, 1);
	if (!weft_wire_next(&rest, &c))
		weft_host_die(__FILE__, __LINE__, "no chunk");
	weft_lock(&t->path->lock);
	err = weft_retire_answer(t->path, &c, t->out);
	weft_unlock(&t->path->lock);
	return err;
}

/* Return: the PSN of packet @i of the output. @chunks: out: its chunks; @type: of the first. */
static u32 sent(struct lone *t, u32 i, int *chunks, u8 *type)
{
	struct weft_chunk first;
	struct weft_hdr h;

	*chunks = lone_parse(&t->out->tx[i], &h, &first);
	*type = first.type;
	return h.psn;
}

TEST_F(retire, sender)
{
	struct weft_w_retired re = { .psn = cpu_to_be32(PSN + 4), .from = cpu_to_be32(PSN + 1) };
	struct lone *t = &self->t;
	int i, n;
	u8 type;

	for (i = 0; i < 4; i++) {
		lone_note(t, 32);
		lone_send(t);
		lone_drop(t);
	}
	too_long(t);
	EXPECT_EQ(0, t->lane->flight);
	EXPECT_EQ(4, t->path->flight);
	/* until the answer comes only RETIRE is sent */
	lone_note(t, 16);
	lone_output(t);
	ASSERT_EQ(1, t->out->ntx);
	EXPECT_EQ(PSN + 4, sent(t, 0, &n, &type));
	EXPECT_EQ(WEFT_CHUNK_RETIRE, type);
	EXPECT_EQ(1, n);
	lone_drop(t);
	/* an acknowledgement decides nothing about retired packets */
	lone_ack(t, PSN + 5, NULL, 0, 0);
	EXPECT_EQ(4, t->path->flight);
	EXPECT_EQ(0, t->lane->flight);
	/* an answer to something else */
	re.psn = cpu_to_be32(PSN + 3);
	EXPECT_EQ(0, answer(t, &re, 2));
	EXPECT_EQ(4, t->path->flight);
	/*
	 * The first packet and the third one had been received. Of the fourth one, the first chunk
	 * had been taken.
	 */
	re.psn = cpu_to_be32(PSN + 4);
	re.part[1].psn = cpu_to_be32(PSN + 3);
	re.part[1].done = cpu_to_be32(1);
	EXPECT_EQ(0, answer(t, &re, 2));
	lone_output(t);
	ASSERT_EQ(3, t->out->ntx);
	EXPECT_EQ(PSN + 5, sent(t, 0, &n, &type));
	EXPECT_EQ(WEFT_WIRE_HDR + 32 + 8, t->out->tx[0].len);
	EXPECT_EQ(PSN + 6, sent(t, 1, &n, &type));
	EXPECT_EQ(WEFT_WIRE_HDR + 8, t->out->tx[1].len);
	/* then what has waited */
	EXPECT_EQ(PSN + 7, sent(t, 2, &n, &type));
	EXPECT_EQ(WEFT_WIRE_HDR + 16, t->out->tx[2].len);
	EXPECT_TRUE(lone_sound(t));
	lone_drop(t);
	lone_ack(t, PSN + 8, NULL, 0, 0);
	EXPECT_EQ(0, t->path->flight);
	EXPECT_EQ(0, t->path->nsent);
	EXPECT_EQ(0, t->lane->retire);
}

/* The receiver does not count the heads of messages among the chunks that it has taken. */
TEST_F(retire, heads)
{
	struct weft_w_retired re = { .psn = cpu_to_be32(PSN + 1), .from = cpu_to_be32(PSN) };
	const struct weft_head m = { .len = 5000 };
	struct lone *t = &self->t;
	struct weft_rec *rec;
	int i, n;
	u8 type;

	weft_lock(&t->path->lock);
	rec = weft_lane_open(t->path, t->lane);
	ASSERT_NE(NULL, rec);
	for (i = 0; i < 2; i++)
		rec->len += weft_wire_begin_put(rec->raw + rec->len, WEFT_CHUNK_HEAD, &m, 0, 0);
	weft_unlock(&t->path->lock);
	lone_note(t, 32);
	lone_note(t, 16);
	lone_output(t);
	ASSERT_EQ(1, t->out->ntx);
	EXPECT_EQ(WEFT_WIRE_HDR + 2 * 60 + 32 + 16, t->out->tx[0].len);
	EXPECT_EQ(PSN, sent(t, 0, &n, &type));
	EXPECT_EQ(2, n);
	EXPECT_EQ(WEFT_CHUNK_HEAD, type);
	lone_drop(t);
	too_long(t);
	lone_output(t);
	lone_drop(t);
	re.part[0].psn = cpu_to_be32(PSN);
	re.part[0].done = cpu_to_be32(1);
	EXPECT_EQ(0, answer(t, &re, 0));
	lone_output(t);
	ASSERT_EQ(1, t->out->ntx);
	EXPECT_EQ(PSN + 2, sent(t, 0, &n, &type));
	EXPECT_EQ(WEFT_WIRE_HDR + 16, t->out->tx[0].len);
	EXPECT_EQ(0, n);
	lone_drop(t);
	lone_ack(t, PSN + 3, NULL, 0, 0);
	EXPECT_EQ(0, t->path->nsent);
}

/* The answer to RETIRE, and the window after it. */
TEST_F(retire, receiver)
{
	struct weft_w_retire w = { .psn = cpu_to_be32(PSN + 40) };
	const struct weft_w_retired *re;
	struct lone *t = &self->t;
	struct weft_chunks rest;
	struct weft_chunk first;
	u8 *p;

	lone_take(t, t->lane, PSN);
	lone_take(t, t->lane, PSN + 2);
	lone_take(t, t->lane, PSN + 39);
	/* this one and the next one do not belong to the retired ones */
	lone_take(t, t->lane, PSN + 40);
	lone_take(t, t->lane, PSN + 42);
	t->lane->part[1].psn = PSN + 7;
	t->lane->part[1].done = 3;
	weft_lock(&t->path->lock);
	EXPECT_EQ(0, weft_retire_rx(t->path, 0, &w));
	weft_unlock(&t->path->lock);
	EXPECT_EQ(PSN + 41, t->lane->rcv_nxt);
	EXPECT_EQ(1, t->lane->rcv_ahead);
	EXPECT_EQ(WEFT_PSN_OLD, weft_lane_seen(t->lane, PSN + 7));
	EXPECT_EQ(WEFT_PSN_OLD, weft_lane_seen(t->lane, PSN + 42));
	EXPECT_EQ(0, t->lane->part[1].done);
	lone_output(t);
	ASSERT_EQ(2, t->out->ntx);
	p = lone_bytes(&t->out->tx[0]);
	rest.at = p + WEFT_WIRE_HDR;
	rest.left = t->out->tx[0].len - WEFT_WIRE_HDR;
	ASSERT_TRUE(weft_wire_next(&rest, &first));
	ASSERT_EQ(WEFT_CHUNK_RETIRED, first.type);
	re = first.body;
	EXPECT_EQ(PSN + 40, be32_to_cpu(re->psn));
	EXPECT_EQ(PSN + 1, be32_to_cpu(re->from));
	EXPECT_EQ(2, weft_wire_sack_word(&first, 0));
	EXPECT_EQ(1u << 6, weft_wire_sack_word(&first, 1));
	EXPECT_EQ(PSN + 7, be32_to_cpu(re->part[1].psn));
	EXPECT_EQ(3, be32_to_cpu(re->part[1].done));
	EXPECT_EQ(0, be32_to_cpu(re->part[0].done));
	free(p);
	lone_drop(t);
	lone_ack(t, PSN + 1, NULL, 0, 0);
	/* beyond any window: not from a sender that follows the rules */
	w.psn = cpu_to_be32(PSN + 42 + WEFT_WINDOW);
	weft_lock(&t->path->lock);
	EXPECT_EQ(0, weft_retire_rx(t->path, 0, &w));
	weft_unlock(&t->path->lock);
	EXPECT_EQ(PSN + 41, t->lane->rcv_nxt);
}

/* More requests than answers may wait: they come again. */
TEST_F(retire, bounded)
{
	struct weft_w_retire w = { .psn = cpu_to_be32(PSN) };
	struct lone *t = &self->t;
	u32 i;

	weft_lock(&t->path->lock);
	for (i = 0; i < WEFT_RETIRE_ANSWERS; i++)
		EXPECT_EQ(0, weft_retire_rx(t->path, 0, &w));
	EXPECT_EQ(-EBUSY, weft_retire_rx(t->path, 0, &w));
	weft_unlock(&t->path->lock);
}

/* ---- Random traffic while MTUs change ---------------------------------------------------- */

static void squeezed(const char *test, u64 first, u64 count, bool msg)
{
	u64 seed = tr_first(test, first), last = tr_last(test, first, count);
	struct tr_conf conf;
	struct tr *tr;

	for (; seed <= last; seed++) {
		tr_conf_random(&conf, seed);
		conf.msg = msg;
		conf.procs = msg ? 2 : conf.procs;
		conf.rig.max_payload = seed % 3 ? 8972 : 1472;
		conf.rig.loss = seed % 4 * RIG_PPM / 20;
		conf.rig.late = seed % 5 * RIG_PPM / 100;
		conf.rig.cold = RIG_PPM / 4 * (seed % 2);
		conf.rig.squeeze = 40;
		tr = tr_new(&conf, test);
		tr_finish(tr, 120 * NSEC_PER_SEC);
		tr_cancel(tr);
		tr_free(tr);
	}
}

TEST(mtu__squeeze)
{
	squeezed("mtu__squeeze", 1000, 60, false);
}

TEST(mtu__squeeze_connected)
{
	squeezed("mtu__squeeze_connected", 2000, 30, true);
}

TEST_HARNESS_MAIN
