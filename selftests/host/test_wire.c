// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets: decoding returns what encoding wrote; decoding refuses cut, forged or random packets,
 * and reads nothing beyond their end
 */
#include "core/wire/wire.h"
#include "harness.h"

/*
 * A packet in memory of exactly its length, so that the address sanitizer finds each byte too far.
 */
static u8 *exact(const void *data, u32 len)
{
	u8 *p = malloc(len ? len : 1);

	memcpy(p, data, len);
	return p;
}

TEST(wire__header)
{
	struct weft_hdr in = {
		.type = WEFT_PKT_DATA, .flags = WEFT_PKT_PSN | WEFT_PKT_ACKNOW, .lane = 3,
		.path = 0x01020304, .token = 0x1112131415161718, .psn = 0xfffffffe,
		.ack = 0x80000001, .window = 0xfedc, .ack_delay = 1234567,
	};
	static const u8 want[WEFT_WIRE_HDR] = {
		0x42, 3, 3, 8, 1, 2, 3, 4, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
		0xff, 0xff, 0xff, 0xfe, 0x80, 0, 0, 1, 0, 0, 0xfe, 0xdc, 0, 0x12, 0xd6, 0x87,
	};
	struct weft_chunks rest;
	struct weft_hdr out;
	u8 pkt[WEFT_WIRE_HDR + 4];
	u32 len;

	memset(pkt, 0xaa, sizeof(pkt));
	weft_wire_hdr_put(pkt, &in);
	ASSERT_EQ(0, memcmp(pkt, want, sizeof(want)));
	ASSERT_EQ(0, weft_wire_hdr_get(pkt, sizeof(pkt), &out, &rest));
	EXPECT_EQ(in.type, out.type);
	EXPECT_EQ(in.flags, out.flags);
	EXPECT_EQ(in.lane, out.lane);
	EXPECT_EQ(in.path, out.path);
	EXPECT_EQ(in.token, out.token);
	EXPECT_EQ(in.psn, out.psn);
	EXPECT_EQ(in.ack, out.ack);
	EXPECT_EQ(in.window, out.window);
	EXPECT_EQ(in.ack_delay, out.ack_delay);
	EXPECT_EQ(pkt + WEFT_WIRE_HDR, rest.at);
	EXPECT_EQ(4, rest.left);
	for (len = 0; len < WEFT_WIRE_HDR; len++) {
		u8 *p = exact(pkt, len);

		EXPECT_EQ(-EINVAL, weft_wire_hdr_get(p, len, &out, &rest));
		free(p);
	}
}

TEST(wire__datagram)
{
	struct weft_dgram in = { .ssvc = 0x102, .dsvc = 0x304, .flags = WEFT_MSG_DATA, .len = 5,
				 .data = 0x1112131415161718 };
	static const u8 want[] = { 1, 2, 3, 4, 0, 2, 0, 5, 0x11, 0x12, 0x13, 0x14,
				   0x15, 0x16, 0x17, 0x18 };
	u8 pkt[sizeof(want) + 8];
	struct weft_dgram out;
	u32 len;

	memset(pkt, 0xaa, sizeof(pkt));
	weft_wire_dgram_put(pkt, &in);
	ASSERT_EQ(0, memcmp(pkt, want, sizeof(want)));
	for (len = 0; len <= sizeof(pkt); len++) {
		u8 *p = exact(pkt, len);
		struct weft_chunks rest = { .at = p, .left = len };

		/* bytes behind the payload do not count */
		ASSERT_EQ(len < sizeof(want) + 5 ? -EINVAL : 0, weft_wire_dgram_get(&rest, &out));
		free(p);
	}
	EXPECT_EQ(in.ssvc, out.ssvc);
	EXPECT_EQ(in.dsvc, out.dsvc);
	EXPECT_EQ(in.data, out.data);
	EXPECT_EQ(5, out.len);
	/* flags without a meaning here are ignored */
	pkt[4] = 0xff;
	pkt[5] = 0xff;
	ASSERT_EQ(0, weft_wire_dgram_get(&(struct weft_chunks){ pkt, sizeof(pkt) }, &out));
	EXPECT_EQ(WEFT_MSG_DATA | WEFT_MSG_SOLICITED, out.flags);
	EXPECT_EQ(pkt + sizeof(want), out.pay);
}

TEST(wire__header_refused)
{
	struct weft_hdr h = { .type = WEFT_PKT_HELLO };
	struct weft_chunks rest;
	struct weft_hdr out;
	u8 pkt[64] = { 0 };

	weft_wire_hdr_put(pkt, &h);
	ASSERT_EQ(0, weft_wire_hdr_get(pkt, sizeof(pkt), &out, &rest));
	/* in the version before a token did not depend on both sides */
	pkt[0] = 0x31;
	EXPECT_EQ(-EPROTO, weft_wire_hdr_get(pkt, sizeof(pkt), &out, &rest));
	pkt[0] = 0x40;
	EXPECT_EQ(-EINVAL, weft_wire_hdr_get(pkt, sizeof(pkt), &out, &rest));
	pkt[0] = 0x47;
	EXPECT_EQ(-EINVAL, weft_wire_hdr_get(pkt, sizeof(pkt), &out, &rest));
	pkt[0] = 0x41;
	pkt[3] = 7;
	EXPECT_EQ(-EINVAL, weft_wire_hdr_get(pkt, sizeof(pkt), &out, &rest));
	pkt[3] = 17;
	EXPECT_EQ(-EINVAL, weft_wire_hdr_get(pkt, sizeof(pkt), &out, &rest));
	pkt[3] = 16;
	EXPECT_EQ(0, weft_wire_hdr_get(pkt, sizeof(pkt), &out, &rest));
	EXPECT_EQ(0, rest.left);
	pkt[25] = 1;
	EXPECT_EQ(-EINVAL, weft_wire_hdr_get(pkt, sizeof(pkt), &out, &rest));
}

TEST(wire__hello)
{
	struct weft_hello in = {
		.op = WEFT_HELLO_COOKIE, .caps = 1, .incarnation = 2, .path = 3, .max_payload = 4,
		.offer = 5, .ack_delay = 6, .nonce = 7, .cookie = 8,
	};
	u8 body[sizeof(struct weft_w_hello)];
	struct weft_hello out = { 0 };
	struct weft_chunks rest;
	u32 len;

	weft_wire_hello_put(body, &in);
	for (len = 0; len <= sizeof(body); len++) {
		u8 *p = exact(body, len);

		rest.at = p;
		rest.left = len;
		EXPECT_EQ(len < sizeof(body) ? -EINVAL : 0, weft_wire_hello_get(&rest, &out));
		free(p);
	}
	EXPECT_EQ(in.op, out.op);
	EXPECT_EQ(in.caps, out.caps);
	EXPECT_EQ(in.incarnation, out.incarnation);
	EXPECT_EQ(in.path, out.path);
	EXPECT_EQ(in.max_payload, out.max_payload);
	EXPECT_EQ(in.offer, out.offer);
	EXPECT_EQ(in.ack_delay, out.ack_delay);
	EXPECT_EQ(in.nonce, out.nonce);
	EXPECT_EQ(in.cookie, out.cookie);
	rest.at = body;
	rest.left = sizeof(body);
	body[0] = 0;
	EXPECT_EQ(-EINVAL, weft_wire_hello_get(&rest, &out));
	body[0] = 4;
	EXPECT_EQ(-EINVAL, weft_wire_hello_get(&rest, &out));
}

static const struct weft_head sample = {
	.flow = { .ssvc = 0x0102, .dsvc = 0x0304, .sgen = 0x05060708, .dgen = 9, .mseq = 10 },
	.tag = 0x1122334455667788, .data = 11, .len = 13, .flags = WEFT_MSG_TAGGED | WEFT_MSG_DATA,
};

static const struct weft_answer told = {
	.status = WEFT_ANSWER_OK, .program = 'T', .pid = 44, .comm = "a\x01 \xe4z\x7f", .full = 45,
	.recv = { 46, 47, 48, 49, true, false, true, 0 },
	.msg = { 50, 51, 52, 0, true, false, false, 0 },
	.send = { 53, 54, 55, 0, false, false, false, 56 },
	.wait = { 57, 58, 59, 60, true, true, false, 0 },
	.peer = { .family = AF_INET6, .port = 61, .addr = { 62, 63 } },
};

/* One chunk of every type behind one another. */
static u32 all_chunks(u8 *p)
{
	struct weft_w_cm cm = { .op = WEFT_CM_REQ, .req = cpu_to_be32(77) };
	struct weft_w_retired re = { .lane = 5, .psn = cpu_to_be32(35) };
	const struct weft_w_echo echo = { .no = cpu_to_be32(38), .seq = cpu_to_be32(39),
					  .stamp = cpu_to_be64(40), .rsvd = U64_MAX };
	u32 words[8] = { 1, 2, 3, 4, 5, 6, 7, 0x80000000 };
	u32 n = 0, k;

	k = weft_wire_eager_put(p + n, &sample, 2, 5);
	memcpy(p + n + k, "hello\0\0\0", 8);
	n += weft_wire_size(sizeof(struct weft_w_eager) + 5);
	n += weft_wire_rts_put(p + n, &sample, 21);
	n += weft_wire_grant_put(p + n, 22, 23, 1ull << 40);
	k = weft_wire_data_put(p + n, 24, 1ull << 33, 3);
	memcpy(p + n + k, "abc", 4);
	n += weft_wire_size(sizeof(struct weft_w_data) + 3);
	n += weft_wire_done_put(p + n, &sample.flow, 25, 26, WEFT_DONE_MATCHED);
	n += weft_wire_abort_put(p + n, &sample.flow, 27, 28);
	n += weft_wire_cm_put(p + n, &cm, "private", 7);
	n += weft_wire_ping_put(p + n);
	n += weft_wire_epgone_put(p + n, &sample.flow);
	n += weft_wire_credit_put(p + n, &sample.flow, 29, 30);
	n += weft_wire_mtu_put(p + n, 31, 32);
	n += weft_wire_retire_put(p + n, 33);
	n += weft_wire_retired_put(p + n, &re, words, 3);
	n += weft_wire_probe_put(p + n, 4);
	memset(p + n, 0, 4);
	n += 4;
	n += weft_wire_probed_put(p + n, 34);
	n += weft_wire_echo_put(p + n, 36, 37, 1ull << 50, 8);
	memset(p + n, 0, 8);
	n += 8;
	n += weft_wire_echoed_put(p + n, &echo, 41, 42);
	n += weft_wire_question_put(p + n, 43, 64, 65, 1ull << 47, 4);
	memset(p + n, 0, 4);
	n += 4;
	n += weft_wire_answer_put(p + n, 66, &told);
	n += weft_wire_begin_put(p + n, WEFT_CHUNK_HEAD, &sample, 0, 0);
	n += weft_wire_sack_put(p + n, words, 8);
	return n;
}

TEST(wire__chunks)
{
	u8 buf[1024];
	u32 len = all_chunks(buf);
	u8 *p = exact(buf, len);
	struct weft_chunks it = { .at = p, .left = len };
	const struct weft_w_rts *an;
	const struct weft_w_eager *ea;
	const struct weft_w_abort *ab;
	const struct weft_w_grant *gr;
	const struct weft_w_data *da;
	const struct weft_w_done *dn;
	const struct weft_w_credit *rm;
	const struct weft_w_mtu *mt;
	const struct weft_w_retired *rd;
	const struct weft_w_echoed *ed;
	const struct weft_w_question *qu;
	const struct weft_w_echo *ec;
	struct weft_answer an_got;
	struct weft_head h;
	struct weft_chunk c;
	u32 i;

	ASSERT_EQ(0, len % 4);
	ASSERT_EQ(0, weft_wire_check(&it));
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_EAGER, c.type);
	ea = c.body;
	weft_wire_head_get(&ea->head, &h);
	EXPECT_EQ(0, memcmp(&h.flow, &sample.flow, sizeof(h.flow)));
	EXPECT_EQ(sample.tag, h.tag);
	EXPECT_EQ(sample.data, h.data);
	EXPECT_EQ(sample.len, h.len);
	EXPECT_EQ(sample.flags, h.flags);
	EXPECT_EQ(2, be32_to_cpu(ea->off));
	ASSERT_EQ(5, c.paylen);
	EXPECT_EQ(0, memcmp(c.pay, "hello", 5));
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_RTS, c.type);
	an = c.body;
	EXPECT_EQ(21, be32_to_cpu(an->sid));
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_GRANT, c.type);
	gr = c.body;
	EXPECT_EQ(22, be32_to_cpu(gr->sid));
	EXPECT_EQ(23, be32_to_cpu(gr->rid));
	EXPECT_EQ(1ull << 40, be64_to_cpu(gr->upto));
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_DATA, c.type);
	da = c.body;
	EXPECT_EQ(24, be32_to_cpu(da->rid));
	EXPECT_EQ(1ull << 33, be64_to_cpu(da->off));
	ASSERT_EQ(3, c.paylen);
	EXPECT_EQ(0, memcmp(c.pay, "abc", 3));
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_DONE, c.type);
	dn = c.body;
	EXPECT_EQ(25, be32_to_cpu(dn->sid));
	EXPECT_EQ(26, be16_to_cpu(dn->status));
	EXPECT_EQ(WEFT_DONE_MATCHED, be16_to_cpu(dn->kind));
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_ABORT, c.type);
	ab = c.body;
	EXPECT_EQ(27, be32_to_cpu(ab->sid));
	EXPECT_EQ(28, be16_to_cpu(ab->status));
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_CM, c.type);
	ASSERT_EQ(7, c.paylen);
	EXPECT_EQ(0, memcmp(c.pay, "private", 7));
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_PING, c.type);
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_EPGONE, c.type);
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_CREDIT, c.type);
	rm = c.body;
	EXPECT_EQ(29, be32_to_cpu(rm->flow.mseq));
	EXPECT_EQ(30, be32_to_cpu(rm->bytes));
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_MTU, c.type);
	mt = c.body;
	EXPECT_EQ(31, be32_to_cpu(mt->size));
	EXPECT_EQ(32, be32_to_cpu(mt->no));
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_RETIRE, c.type);
	EXPECT_EQ(33, be32_to_cpu(((const struct weft_w_retire *)c.body)->psn));
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_RETIRED, c.type);
	rd = c.body;
	EXPECT_EQ(5, rd->lane);
	EXPECT_EQ(35, be32_to_cpu(rd->psn));
	EXPECT_EQ(3, weft_wire_sack_word(&c, 2));
	EXPECT_EQ(0, weft_wire_sack_word(&c, 3));
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_PROBE, c.type);
	EXPECT_EQ(4, c.paylen);
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_PROBED, c.type);
	EXPECT_EQ(34, be32_to_cpu(((const struct weft_w_probed *)c.body)->size));
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_ECHO, c.type);
	ec = c.body;
	EXPECT_EQ(36, be32_to_cpu(ec->no));
	EXPECT_EQ(37, be32_to_cpu(ec->seq));
	EXPECT_EQ(1ull << 50, be64_to_cpu(ec->stamp));
	EXPECT_EQ(0, ec->rsvd);
	EXPECT_EQ(8, c.paylen);
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_ECHOED, c.type);
	ed = c.body;
	EXPECT_EQ(38, be32_to_cpu(ed->no));
	EXPECT_EQ(39, be32_to_cpu(ed->seq));
	EXPECT_EQ(40, be64_to_cpu(ed->stamp));
	EXPECT_EQ(41, be32_to_cpu(ed->came));
	EXPECT_EQ(42, be32_to_cpu(ed->answered));
	EXPECT_EQ(0, c.paylen);
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_QUESTION, c.type);
	qu = c.body;
	EXPECT_EQ(43, be32_to_cpu(qu->no));
	EXPECT_EQ(64, be16_to_cpu(qu->ssvc));
	EXPECT_EQ(65, be16_to_cpu(qu->dsvc));
	EXPECT_EQ(1ull << 47, be64_to_cpu(qu->auth));
	EXPECT_EQ(4, c.paylen);
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_ANSWER, c.type);
	EXPECT_EQ(66, be32_to_cpu(((const struct weft_w_answer *)c.body)->no));
	weft_wire_answer_get(c.body, &an_got);
	/* what a terminal would not print is replaced */
	EXPECT_EQ(0, strcmp("a? ?z?", an_got.comm));
	memcpy(an_got.comm, told.comm, sizeof(told.comm));
	EXPECT_EQ(0, memcmp(&told, &an_got, sizeof(told)));
	EXPECT_EQ(0, c.paylen);
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_HEAD, c.type);
	EXPECT_EQ(0, c.paylen);
	memset(&h, 0, sizeof(h));
	weft_wire_head_get(&((const struct weft_w_eager *)c.body)->head, &h);
	EXPECT_EQ(sample.tag, h.tag);
	EXPECT_EQ(sample.len, h.len);
	EXPECT_EQ(sample.flow.mseq, h.flow.mseq);
	ASSERT_TRUE(weft_wire_next(&it, &c));
	ASSERT_EQ(WEFT_CHUNK_SACK, c.type);
	for (i = 0; i < 7; i++)
		EXPECT_EQ(i + 1, weft_wire_sack_word(&c, i));
	EXPECT_EQ(0x80000000, weft_wire_sack_word(&c, 7));
	EXPECT_EQ(0, weft_wire_sack_word(&c, 8));
	EXPECT_FALSE(weft_wire_next(&it, &c));
	free(p);
}

/* The count of chunks equals the number of steps through them. */
TEST(wire__count)
{
	struct weft_chunk c, first;
	u8 buf[1024];
	u32 len = all_chunks(buf), n = 0;
	struct weft_chunks rest = { .at = buf, .left = len }, it = rest;

	while (weft_wire_next(&it, &c)) {
		struct weft_chunks one = { .at = (const u8 *)c.body - WEFT_WIRE_CHUNK };

		one.left = ALIGN(c.len, 4) + WEFT_WIRE_CHUNK;
		ASSERT_EQ(1, weft_wire_count(&one, &first));
		EXPECT_EQ(c.type, first.type);
		EXPECT_EQ(c.len, first.len);
		EXPECT_EQ(c.body, first.body);
		EXPECT_EQ(c.pay, first.pay);
		EXPECT_EQ(c.paylen, first.paylen);
		n++;
	}
	EXPECT_GT(n, 5);
	EXPECT_EQ(n, weft_wire_count(&rest, &first));
	EXPECT_EQ(buf + WEFT_WIRE_CHUNK, first.body);
	rest.left = 0;
	EXPECT_EQ(0, weft_wire_count(&rest, &first));
	rest.left = 3;
	EXPECT_EQ(-EINVAL, weft_wire_count(&rest, &first));
}

/* A packet that ends early is bad, except at the end of a chunk. */
TEST(wire__truncated)
{
	bool end[1024] = { [0] = true };
	u8 buf[1024];
	u32 len = all_chunks(buf);
	struct weft_chunks it = { .at = buf, .left = len };
	struct weft_chunk c;
	u32 n;

	while (weft_wire_next(&it, &c))
		for (n = ALIGN_DOWN(c.len, 4) == c.len ? c.len : c.len; n <= ALIGN(c.len, 4); n++)
			end[(const u8 *)c.body - buf + n] = true;
	for (n = 0; n <= len; n++) {
		u8 *p = exact(buf, n);
		struct weft_chunks rest = { .at = p, .left = n };

		EXPECT_EQ(end[n] ? 0 : -EINVAL, weft_wire_check(&rest)) TH_LOG("length %u", n);
		while (weft_wire_next(&rest, &c))
			;
		free(p);
	}
}

static int check1(u8 type, const void *body, u16 len, u32 room)
{
	u8 *p = calloc(1, 4 + room);
	struct weft_chunks rest = { .at = p, .left = 4 + room };
	int r;

	p[0] = type;
	p[2] = len >> 8;
	p[3] = len;
	memcpy(p + 4, body, room);
	r = weft_wire_check(&rest);
	free(p);
	return r;
}

TEST(wire__lengths)
{
	static const u16 fixed[] = {
		[1] = 56, 56, 16, 16, 24, 24, 32, 4, 20, 20, 24, 8, 4, 28, 4, 4, 40, 24, 24,
		[WEFT_CHUNK_QUESTION] = 16, 148,
	};
	u8 body[1024];
	u32 type, len;

	for (type = 0; type < 256; type++) {
		memset(body, 0, sizeof(body));
		if (type == WEFT_CHUNK_EAGER)
			body[39] = 200;			/* length of the message */
		if (type == WEFT_CHUNK_DONE)
			body[23] = WEFT_DONE_PLACED;
		if (type == WEFT_CHUNK_CM)
			body[16] = WEFT_CM_RTU;
		if (type == WEFT_CHUNK_WRITES) {
			body[17] = WEFT_MSG_RMA;
			body[29] = 5;			/* writes */
			body[31] = 20;			/* bytes of each */
		}
		for (len = 0; len < 400; len++) {
			int want = 0;

			if (type == WEFT_CHUNK_SACK)
				want = len && len % 4 == 0 && len <= 128 ? 0 : -EINVAL;
			else if (type == WEFT_CHUNK_HEAD)
				want = len == 56 ? 0 : -EINVAL;
			else if (type & WEFT_CHUNK_SKIP)
				want = 0;
			else if (!type || type >= ARRAY_SIZE(fixed))
				want = -EINVAL;
			else if (type == WEFT_CHUNK_EAGER)
				want = len > 56 && len <= 256 ? 0 : -EINVAL;
			else if (type == WEFT_CHUNK_DATA)
				want = len > 16 ? 0 : -EINVAL;
			else if (type == WEFT_CHUNK_RETIRED)
				want = len >= 28 && len <= 284 && len % 4 == 0 ? 0 : -EINVAL;
			else if (type == WEFT_CHUNK_WRITES)
				want = len == 40 + 5 * 32 ? 0 : -EINVAL;
			else if (type == WEFT_CHUNK_PROBE)
				want = len >= 4 ? 0 : -EINVAL;
			else if (type == WEFT_CHUNK_ECHO)
				want = len >= 24 ? 0 : -EINVAL;
			else if (type == WEFT_CHUNK_QUESTION)
				want = len >= 16 ? 0 : -EINVAL;
			else if (type == WEFT_CHUNK_CM)
				want = len >= 32 && len <= 288 ? 0 : -EINVAL;
			else
				want = len == fixed[type] ? 0 : -EINVAL;
			ASSERT_EQ(want, check1(type, body, len, len)) {
				TH_LOG("type %u length %u", type, len);
			}
		}
	}
}

/* An answer of a hostile node: the name has no end, the family and the state are unknown. */
TEST(wire__answer_hostile)
{
	struct weft_w_answer w;
	struct weft_answer a;
	u32 i;

	memset(&w, 0xff, sizeof(w));
	weft_wire_answer_get(&w, &a);
	EXPECT_EQ(15, strlen(a.comm));
	for (i = 0; i < 15; i++)
		EXPECT_EQ('?', a.comm[i]);
	EXPECT_EQ(0, a.program);
	EXPECT_EQ(0, a.peer.family);
	w.program = 'R';
	w.family = cpu_to_be16(AF_INET6 + 1);
	weft_wire_answer_get(&w, &a);
	EXPECT_EQ('R', a.program);
	EXPECT_EQ(0, a.peer.family);
	w.family = cpu_to_be16(4);
	weft_wire_answer_get(&w, &a);
	EXPECT_EQ(AF_INET, a.peer.family);
	EXPECT_EQ(0, a.peer.scope);
}

/* What writes in a row have in common: numbers within their limits, and only flags of writes. */
TEST(wire__writes)
{
	struct weft_writes w = {
		.flow = { 1, 2, 3, 4, 5 }, .flags = WEFT_MSG_RMA | WEFT_MSG_PLACED, .auth = 6,
		.uid = 7, .n = 3, .len = 9, .key = 1ull << 63,
	}, got;
	u8 body[WEFT_WIRE_CHUNK + 1500] = { 0 };
	struct weft_chunk c = { .body = body + WEFT_WIRE_CHUNK };
	u32 i, len = weft_wire_writes_put(body, &w);
	bool known;

	ASSERT_EQ(WEFT_WIRE_CHUNK + sizeof(struct weft_w_writes), len);
	EXPECT_EQ(24, weft_writes_size(9));
	c.paylen = 3 * 24;
	ASSERT_EQ(0, weft_wire_writes_get(&c, &got));
	EXPECT_EQ(0, memcmp(&w.flow, &got.flow, sizeof(w.flow)));
	EXPECT_EQ(w.flags, got.flags);
	EXPECT_EQ(w.auth, got.auth);
	EXPECT_EQ(w.uid, got.uid);
	EXPECT_EQ(w.n, got.n);
	EXPECT_EQ(w.len, got.len);
	EXPECT_EQ(w.key, got.key);
	c.paylen++;
	EXPECT_EQ(-EINVAL, weft_wire_writes_get(&c, &got));
	for (i = 0; i <= WEFT_WRITES_MOST + 1; i++) {
		w.n = i;
		weft_wire_writes_put(body, &w);
		c.paylen = i * 24;
		EXPECT_EQ(i && i <= WEFT_WRITES_MOST ? 0 : -EINVAL,
			  weft_wire_writes_get(&c, &got)) TH_LOG("%u writes", i);
	}
	w.n = 1;
	for (i = 0; i <= WEFT_WRITES_BYTES + 1; i++) {
		w.len = i;
		weft_wire_writes_put(body, &w);
		c.paylen = weft_writes_size(i);
		EXPECT_EQ(i && i <= WEFT_WRITES_BYTES ? 0 : -EINVAL,
			  weft_wire_writes_get(&c, &got)) TH_LOG("%u bytes", i);
	}
	w.len = 8;
	for (i = 0; i <= WEFT_MSG_FLAGS; i++) {
		w.flags = (u16)i;
		weft_wire_writes_put(body, &w);
		c.paylen = 16;
		known = i & WEFT_MSG_RMA &&
			!(i & ~(WEFT_MSG_RMA | WEFT_MSG_PLACED | WEFT_MSG_CONNECTED));
		EXPECT_EQ(known ? 0 : -EINVAL, weft_wire_writes_get(&c, &got)) TH_LOG("%u", i);
	}
}

TEST(wire__contents)
{
	u8 body[128] = { 0 };

	/* empty fragment of an empty message, and of another */
	EXPECT_EQ(0, check1(WEFT_CHUNK_EAGER, body, 56, 56));
	body[39] = 8;
	EXPECT_EQ(-EINVAL, check1(WEFT_CHUNK_EAGER, body, 56, 56));
	/* beyond the message's end */
	EXPECT_EQ(0, check1(WEFT_CHUNK_EAGER, body, 64, 64));
	EXPECT_EQ(-EINVAL, check1(WEFT_CHUNK_EAGER, body, 65, 65));
	body[51] = 1;
	EXPECT_EQ(-EINVAL, check1(WEFT_CHUNK_EAGER, body, 64, 64));
	memset(body + 48, 0xff, 4);
	EXPECT_EQ(-EINVAL, check1(WEFT_CHUNK_EAGER, body, 64, 64));
	/* an offset that overflows */
	memset(body, 0xff, sizeof(body));
	EXPECT_EQ(-EINVAL, check1(WEFT_CHUNK_DATA, body, 17, 17));
	/* unknown kinds and operations */
	memset(body, 0, sizeof(body));
	EXPECT_EQ(-EINVAL, check1(WEFT_CHUNK_DONE, body, 24, 24));
	body[23] = 4;
	EXPECT_EQ(-EINVAL, check1(WEFT_CHUNK_DONE, body, 24, 24));
	/* executed: of at most 64 operations, none of which has failed */
	body[23] = 3;
	body[19] = 63;
	EXPECT_EQ(0, check1(WEFT_CHUNK_DONE, body, 24, 24));
	body[19] = 64;
	EXPECT_EQ(-EINVAL, check1(WEFT_CHUNK_DONE, body, 24, 24));
	body[19] = 0;
	body[21] = 5;
	EXPECT_EQ(-EINVAL, check1(WEFT_CHUNK_DONE, body, 24, 24));
	memset(body, 0, sizeof(body));
	body[23] = 4;
	EXPECT_EQ(-EINVAL, check1(WEFT_CHUNK_CM, body, 32, 32));
	body[16] = 7;
	EXPECT_EQ(-EINVAL, check1(WEFT_CHUNK_CM, body, 32, 32));
	/* an impossible length */
	EXPECT_EQ(-EINVAL, check1(WEFT_CHUNK_PING, body, 4, 3));
	EXPECT_EQ(-EINVAL, check1(0xff, body, 100, 99));
	EXPECT_EQ(0, check1(0xff, body, 0, 0));
}

/* Decoding passes over optional unknown chunks. */
TEST(wire__skip)
{
	u8 buf[64] = { 0xf0, 9, 0, 5, 1, 2, 3, 4, 5, 0, 0, 0 };
	struct weft_chunks it = { .at = buf, .left = 12 };
	struct weft_chunk c;

	it.left += weft_wire_ping_put(buf + 12);
	ASSERT_EQ(0, weft_wire_check(&it));
	ASSERT_TRUE(weft_wire_next(&it, &c));
	EXPECT_EQ(WEFT_CHUNK_PING, c.type);
	EXPECT_FALSE(weft_wire_next(&it, &c));
}

/* Random bytes, and valid packets with random changes: no byte outside the packet is read. */
TEST(wire__random)
{
	u8 buf[1024];
	u32 i, k;

	weft_host_seed(1);
	for (i = 0; i < 200000; i++) {
		u32 len = weft_random() % 300;
		struct weft_chunks rest;
		struct weft_chunk c;
		struct weft_hello he;
		struct weft_hdr h;
		u32 seen = 0;
		u8 *p;

		if (i & 1) {
			struct weft_hdr good = { .type = 1 + weft_random() % 3 };

			weft_wire_hdr_put(buf, &good);
			len = WEFT_WIRE_HDR + all_chunks(buf + WEFT_WIRE_HDR);
			for (k = weft_random() % 4; k; k--)
				buf[weft_random() % len] = weft_random();
			len = weft_random() % 4 ? len : weft_random() % (len + 1);
		} else {
			for (k = 0; k < len; k++)
				buf[k] = weft_random() % 3 ? weft_random() % 12 : weft_random();
		}
		p = exact(buf, len);
		if (!weft_wire_hdr_get(p, len, &h, &rest)) {
			weft_wire_hello_get(&rest, &he);
			if (!weft_wire_check(&rest))
				while (weft_wire_next(&rest, &c))
					for (k = 0; k < c.paylen; k++)
						seen += c.pay[k];
		}
		free(p);
		ASSERT_NE(U32_MAX, seen);
	}
}

/* ---- Runs ------------------------------------------------------------ */

#define RUN_HEAD	(WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_eager))
#define RUN_PAY		100
#define RUN_N		5
#define RUN_MAX		(RUN_N * (RUN_HEAD + RUN_PAY))	/* bytes of a run, at most */
#define RUN_GAP		77				/* between packets of a wide run */
#define RUN_LAST	37

static const u8 run_types[] = { WEFT_CHUNK_DATA, WEFT_CHUNK_EAGER };

/* Return: bytes before the payload of a packet. */
static u32 run_head(u8 type)
{
	return type == WEFT_CHUNK_DATA ? WEFT_WIRE_DATA : RUN_HEAD;
}

/* Write the chunk of a packet of the run up to its payload. */
static void run_chunk(u8 *at, u8 type, u64 off, u32 n)
{
	struct weft_head m = sample;

	m.len = 1 << 20;
	if (type == WEFT_CHUNK_DATA)
		weft_wire_data_put(at, 42, off, n);
	else
		weft_wire_eager_put(at, &m, (u32)off, n);
}

static u32 run_put(u8 *buf, u8 type, u32 psn, u64 off)
{
	struct weft_hdr h = {
		.type = WEFT_PKT_DATA, .flags = WEFT_PKT_PSN, .lane = 3, .path = 0x12345678,
		.token = 0x1122334455667788ull, .ack = 77, .window = 5, .ack_delay = 9,
	};
	u32 i, n, len = 0;

	memset(buf, 0xee, RUN_MAX);
	for (i = 0; i < RUN_N; i++) {
		h.psn = psn + i;
		n = i + 1 == RUN_N ? RUN_LAST : RUN_PAY;
		weft_wire_hdr_put(buf + len, &h);
		run_chunk(buf + len + WEFT_WIRE_HDR, type, off + i * RUN_PAY, n);
		len += run_head(type) + n;
	}
	return len;
}

/* Return: packets that weft_wire_run() counts, without space between them. */
static u32 run_count(const u8 *buf, u8 type, u32 len)
{
	u32 seg = run_head(type) + RUN_PAY;
	bool acknow = false;

	return weft_wire_run(buf, len, seg, seg, &acknow);
}

/* The first offset of a run; that of DATA passes 32 bits. */
static u64 run_off(u8 type)
{
	return type == WEFT_CHUNK_DATA ? 0xfffffff0 : 1000;
}

static void run_whole(struct __test_metadata *_metadata, u8 type)
{
	u32 seg = run_head(type) + RUN_PAY, len, i;
	u8 *buf = malloc(RUN_MAX), *cut;
	bool acknow = false;

	len = run_put(buf, type, 0xfffffffe, run_off(type));
	EXPECT_EQ(RUN_N, weft_wire_run(buf, len, seg, seg, &acknow));
	/* the last one may be as long as the others, or be missing */
	EXPECT_EQ(RUN_N - 1, weft_wire_run(buf, (RUN_N - 1) * seg, seg, seg, &acknow));
	EXPECT_EQ(1, weft_wire_run(buf, seg, seg, seg, &acknow));
	EXPECT_FALSE(acknow);
	/* the run may be cut anywhere; bytes behind its end are not read */
	for (i = 1; i < len - (RUN_N - 1) * seg; i++) {
		cut = exact(buf, len - i);
		EXPECT_EQ(RUN_N - 1, weft_wire_run(cut, len - i, seg, seg, &acknow));
		free(cut);
	}
	/* packets too short for a chunk */
	for (i = 1; i <= run_head(type); i++)
		EXPECT_EQ(1, weft_wire_run(buf, 2 * run_head(type) + 2, i, i, &acknow));
	EXPECT_FALSE(acknow);
	/* a packet that asks for an acknowledgement */
	buf[2 * seg + 1] |= WEFT_PKT_ACKNOW;
	EXPECT_EQ(RUN_N, weft_wire_run(buf, len, seg, seg, &acknow));
	EXPECT_TRUE(acknow);
	free(buf);
}

TEST(wire__run)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(run_types); i++)
		run_whole(_metadata, run_types[i]);
}

/*
 * Return: byte @at of a packet of a run may have any value. Flow and number of an EAGER say which
 * message it belongs to: the fields behind them are those of the first packet.
 */
static bool run_free(u8 type, u32 at)
{
	const u32 head = WEFT_WIRE_HDR + WEFT_WIRE_CHUNK;
	u32 rsvd = type == WEFT_CHUNK_DATA ? WEFT_WIRE_DATA - 12 : RUN_HEAD - 4;

	if (type == WEFT_CHUNK_EAGER && at >= head + sizeof(struct weft_w_flow) &&
	    at < head + sizeof(struct weft_w_head))
		return true;
	return at >= rsvd && at < rsvd + 4;
}

/* Any difference in the head of a packet, except PSN and offset, ends the run. */
TEST(wire__run_differs)
{
	u8 *buf = malloc(RUN_MAX);
	u32 k, i, at, bit, len;

	for (k = 0; k < ARRAY_SIZE(run_types); k++) {
		u8 type = run_types[k];

		for (i = 1; i < RUN_N; i++)
			for (at = 0; at < run_head(type); at++)
				for (bit = 0; bit < 8; bit++) {
					bool free = run_free(type, at) || (at == 1 && !bit);

					len = run_put(buf, type, 7, run_off(type));
					buf[i * (run_head(type) + RUN_PAY) + at] ^= 1u << bit;
					EXPECT_EQ(free ? RUN_N : i, run_count(buf, type, len))
						TH_LOG("byte %u of packet %u, type %u", at, i,
						       type);
				}
	}
	free(buf);
}

/* Flow and number say which message a chunk belongs to: another message ends the run. */
TEST(wire__run_of_another_message)
{
	struct weft_head m[] = { sample, sample, sample, sample, sample };
	u8 *buf = malloc(RUN_MAX);
	u32 k, len;

	for (k = 0; k < ARRAY_SIZE(m); k++)
		m[k].len = 1 << 20;
	m[0].flow.mseq++;
	m[1].flow.ssvc++;
	m[2].flow.dsvc++;
	m[3].flow.sgen++;
	m[4].flow.dgen++;
	for (k = 0; k < ARRAY_SIZE(m); k++) {
		u32 seg = RUN_HEAD + RUN_PAY;

		len = run_put(buf, WEFT_CHUNK_EAGER, 7, 0);
		weft_wire_eager_put(buf + 3 * seg + WEFT_WIRE_HDR, &m[k], 3 * RUN_PAY, RUN_PAY);
		EXPECT_EQ(3, run_count(buf, WEFT_CHUNK_EAGER, len)) TH_LOG("field %u", k);
	}
	free(buf);
}

/* The first packet has another chunk, or more chunks, or more header. */
TEST(wire__run_first)
{
	u8 *buf = malloc(RUN_MAX);
	u32 k, len;

	for (k = 0; k < ARRAY_SIZE(run_types); k++) {
		u8 type = run_types[k];

		len = run_put(buf, type, 7, 0);
		buf[WEFT_WIRE_HDR] = run_types[1 - k];
		EXPECT_EQ(1, run_count(buf, type, len));
		buf[WEFT_WIRE_HDR] = WEFT_CHUNK_HEAD;
		EXPECT_EQ(1, run_count(buf, type, len));
		len = run_put(buf, type, 7, 0);
		run_chunk(buf + WEFT_WIRE_HDR, type, 0, RUN_PAY - 20);
		EXPECT_EQ(1, run_count(buf, type, len));
		len = run_put(buf, type, 7, 0);
		buf[3] = 9;
		EXPECT_EQ(1, run_count(buf, type, len));
	}
	free(buf);
}

/* Packets may have other bytes between them. */
TEST(wire__run_wide)
{
	u8 *buf = malloc(RUN_MAX), *wide;
	bool acknow = false;
	u32 k, i, len;

	for (k = 0; k < ARRAY_SIZE(run_types); k++) {
		u32 head = run_head(run_types[k]), seg = head + RUN_PAY, stride = seg + RUN_GAP;

		len = run_put(buf, run_types[k], 7, 0);
		wide = malloc((RUN_N - 1) * stride + head + RUN_LAST);
		for (i = 0; i < RUN_N; i++)
			memcpy(wide + i * stride, buf + i * seg,
			       i + 1 < RUN_N ? seg : head + RUN_LAST);
		EXPECT_EQ(RUN_N, weft_wire_run(wide, len, seg, stride, &acknow));
		wide[3 * stride] ^= 1;
		EXPECT_EQ(3, weft_wire_run(wide, len, seg, stride, &acknow));
		free(wide);
	}
	free(buf);
}

/* The heads of later packets, made from the first one, equal those that are written as a whole. */
TEST(wire__run_heads)
{
	u8 *buf = malloc(RUN_MAX), *made;
	u32 k, i;

	for (k = 0; k < ARRAY_SIZE(run_types); k++) {
		u32 head = run_head(run_types[k]), seg = head + RUN_PAY;

		run_put(buf, run_types[k], 0xfffffffe, run_off(run_types[k]));
		made = exact(buf, (RUN_N - 2) * seg + head);
		for (i = 1; i < RUN_N - 1; i++)
			memset(made + i * seg, 0x55, head);
		weft_wire_heads_put(made, RUN_N - 1, seg, RUN_PAY, run_types[k]);
		EXPECT_EQ(0, memcmp(made, buf, (RUN_N - 2) * seg + head));
		free(made);
		/* one packet alone has no further head */
		made = exact(buf, head);
		weft_wire_heads_put(made, 1, seg, RUN_PAY, run_types[k]);
		EXPECT_EQ(0, memcmp(made, buf, head));
		free(made);
	}
	free(buf);
}

static const struct weft_req a_request = {
	.op = WEFT_RMA_READ, .nseg = 2, .uid = 0x01020304, .id = WEFT_RMA_ID | 5, .len = 0x300,
	.granted = 0x2ff,
	.seg = { { .key = 0x1112131415161718, .addr = 0x2122232425262728, .len = 0x100 },
		 { .key = 1, .addr = ~0ull, .len = 0x200 } },
};

TEST(wire__request)
{
	static const u8 want[] = {
		2, 2, 0, 0, 1, 2, 3, 4, 0x80, 0, 0, 5, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 2, 0xff,
		0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
		0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0, 0, 0, 0, 0, 0, 1, 0,
	};
	u8 buf[WEFT_REQ_MAX + 1];
	struct weft_req out;
	u32 len;

	memset(buf, 0xaa, sizeof(buf));
	ASSERT_EQ(80, weft_wire_req_put(buf, &a_request));
	EXPECT_EQ(0xaa, buf[80]);
	EXPECT_EQ(0, memcmp(want, buf, sizeof(want)));
	memset(&out, 0xee, sizeof(out));
	ASSERT_EQ(80, weft_wire_req_get(buf, 80, &out));
	EXPECT_EQ(a_request.op, out.op);
	EXPECT_EQ(a_request.nseg, out.nseg);
	EXPECT_EQ(a_request.uid, out.uid);
	EXPECT_EQ(a_request.id, out.id);
	EXPECT_EQ(a_request.len, out.len);
	EXPECT_EQ(a_request.granted, out.granted);
	EXPECT_EQ(0, memcmp(a_request.seg, out.seg, 2 * sizeof(out.seg[0])));
	for (len = 0; len < 80; len++) {
		u8 *p = exact(buf, len);

		EXPECT_EQ(-EINVAL, weft_wire_req_get(p, len, &out));
		free(p);
	}
	weft_wire_req_id(buf, 7);
	weft_wire_req_grant(buf, 0x123);
	EXPECT_EQ(7, be32_to_cpu(((struct weft_w_rma *)buf)->id));
	EXPECT_EQ(0x123, be64_to_cpu(((struct weft_w_rma *)buf)->granted));
}

/* Fields that do not agree. Each case changes a valid request, which @pay bytes follow. */
TEST(wire__request_refused)
{
	u8 buf[WEFT_REQ_MAX + 0x300];
	struct weft_req r, out;
	u32 head, i;

	for (i = 0; i < 30; i++) {
		u32 pay = 0;
		bool good = false;

		r = a_request;
		if (i >= 16) {
			r.op = i < 24 ? WEFT_RMA_COMPARE : WEFT_RMA_ATOMIC;
			r.aop = WEFT_AOP_SUM;
			r.atype = WEFT_ATYPE_INT64;
			pay = i < 24 ? 0x600 : 0x300;
			if (i >= 24) {
				r.id = 0;
				r.granted = 0;
			}
		} else if (i >= 8) {
			r.op = WEFT_RMA_WRITE;
			r.granted = 0;
			r.id = 0;
			pay = 0x300;
		}
		switch (i) {
		case 0:
			r.op = 0;
			break;
		case 1:
			r.op = 9;
			break;
		case 2:
			r.len++;
			break;
		case 3:
			r.id &= ~WEFT_RMA_ID;
			break;
		case 4:
			r.granted = 0x301;
			break;
		case 5:
			pay = 1;
			break;
		case 6:
			r.seg[0].len = ~0ull - 0x100;
			break;
		case 7:
			r.nseg = 0;
			break;
		case 8:
			good = true;
			break;
		case 9:
			pay--;
			break;
		case 10:
			r.granted = 1;
			break;
		case 11:
			r.id = WEFT_RMA_ID | 1;
			pay = 0;
			break;
		/* the bytes follow, or they are announced */
		case 12:
			r.id = 1;
			break;
		case 13:
			r.id = 1;
			pay = 0;
			good = true;
			break;
		case 14:
			r.aop = 1;
			break;
		case 15:
			r.sid = 1;
			break;
		/* atomic operations, with results and without */
		case 16:
		case 24:
			good = true;
			break;
		case 17:
		case 25:
			pay--;
			break;
		case 18:
			r.id = 1;
			break;
		case 26:
			r.id = WEFT_RMA_ID | 1;
			break;
		case 19:
			r.granted = 0x301;
			break;
		case 27:
			r.granted = 1;
			break;
		case 20:
		case 28:
			r.sid = 1;
			pay = 0;
			good = true;
			break;
		case 21:
			r.sid = WEFT_RMA_ID | 1;
			pay = 0;
			break;
		case 22:
			r.len = WEFT_ATOMIC_MAX_BYTES + 8;
			r.seg[0].len = r.len - 0x200;
			r.sid = 1;
			pay = 0;
			break;
		case 29:
			r.len = 0;
			r.nseg = 0;
			pay = 0;
			break;
		/* a read of the target has no operands */
		case 23:
			r.op = WEFT_RMA_FETCH;
			r.aop = WEFT_AOP_READ;
			pay = 0;
			good = true;
			break;
		}
		head = weft_wire_req_put(buf, &r);
		EXPECT_EQ(good ? (int)head : -EINVAL, weft_wire_req_get(buf, head + pay, &out))
			TH_LOG("case %u", i);
	}
	/* more segments than there may be */
	r = a_request;
	weft_wire_req_put(buf, &r);
	buf[1] = WEFT_IOV_MAX + 1;
	EXPECT_EQ(-EINVAL, weft_wire_req_get(buf, sizeof(buf), &out));
	/* which messages are free */
	EXPECT_EQ(0, weft_wire_counts(WEFT_MSG_RMA, WEFT_REQ_FREE));
	EXPECT_EQ(WEFT_REQ_FREE + 1, weft_wire_counts(WEFT_MSG_RMA, WEFT_REQ_FREE + 1));
	EXPECT_EQ(WEFT_REQ_FREE, weft_wire_counts(0, WEFT_REQ_FREE));
}

TEST_HARNESS_MAIN
