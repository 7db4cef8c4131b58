// SPDX-License-Identifier: GPL-2.0-only
/*
 * Senders that the receiver's address vector does not hold. A receiver with WEFT_EPF_SOURCE gets
 * the sender's address. The tests cover all ways from a message to its completion.
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

/*
 * The same as two_init_type(), but the receiver's vector is empty. @cq_slots: of its completions.
 */
static void init(struct two *t, u32 type, u32 flags, u32 dst, u32 cq_slots, struct rig_av **vb)
{
	struct rig_conf conf;
	u32 i;

	rig_conf_default(&conf, 5);
	conf.nodes = 2;
	conf.jitter = 0;
	t->rig = rig_new(&conf);
	t->a = rig_proc_new(&t->rig->node[0]);
	t->b = rig_proc_new(&t->rig->node[dst]);
	t->ca = rig_cq_new(t->a, 256);
	t->cb = rig_cq_new(t->b, cq_slots);
	t->va = rig_av_new(t->a);
	*vb = rig_av_new(t->b);
	t->ea = rig_ep_new(t->a, type, 0, 256, 64, 1);
	t->eb = rig_ep_new(t->b, type, flags, 64, 64, 2);
	t->to = (u32)rig_av_insert(t->va, dst, 2, t->rig);
	if (rig_ep_enable(t->ea, t->ca, t->ca, NULL, t->va) ||
	    rig_ep_enable(t->eb, t->cb, t->cb, NULL, *vb))
		abort();
	t->buf = rig_buf(t->a, TWO_LONG);
	t->room = rig_buf(t->b, TWO_ROOM);
	for (i = 0; i < TWO_LONG; i++)
		t->buf[i] = (u8)(i * 7 + i / 256);
	memset(t->room, 0xee, TWO_ROOM);
}

static void settle(struct two *t)
{
	rig_run(t->rig, 200 * NSEC_PER_MSEC);
}

static struct rig_op op_of(const u8 *p, u32 len, bool tagged, u32 peer, u32 flags)
{
	struct rig_op op = {
		.tagged = tagged,
		.flags = flags,
		.peer = peer,
		.context = 40 + tagged,
		.tag = tagged ? 7 : 0,
		.n = len ? 1 : 0,
		.iov = { { (u64)(uintptr_t)p, len } },
	};

	return op;
}

static void send_one(struct two *t, u32 len, bool tagged)
{
	struct rig_op op = op_of(t->buf, len, tagged, t->to, 0);

	if (rig_send(t->ea, &op))
		abort();
}

static void post(struct two *t, u32 len, bool tagged, u32 flags)
{
	struct rig_op op = op_of(t->room, len, tagged, WEFT_SRC_ANY, WEFT_RQ_COMPLETION | flags);

	if (rig_recv(t->eb, &op))
		abort();
}

/* Return: this is the sender's address. */
static bool is_sender(struct two *t)
{
	struct weft_sockaddr want;

	rig_node_addr(&t->rig->conf, 0, 1, &want);
	return weft_addr_eq(&want, &t->cb->from);
}

/* The next completion names the sender, and @len bytes have arrived. */
static void told(struct __test_metadata *_metadata, struct two *t, u32 len, u32 room, bool tagged)
{
	struct weft_cqe e;

	memset(&t->cb->from, 0, sizeof(t->cb->from));
	ASSERT_EQ(1, rig_cq_read(t->cb, &e));
	EXPECT_EQ(WEFT_CQE_FROM | (tagged ? WEFT_CQE_TAGGED : 0), e.flags & ~WEFT_CQE_MULTI);
	EXPECT_EQ(2, e.nslots);
	EXPECT_EQ(WEFT_SRC_ANY, e.src);
	EXPECT_EQ(40 + tagged, e.context);
	EXPECT_EQ(tagged ? 7 : 0, e.tag);
	EXPECT_EQ(len, e.len);
	EXPECT_EQ(len > room ? EMSGSIZE : EADDRNOTAVAIL, e.status);
	EXPECT_EQ(len > room ? len - room : 0, e.olen);
	EXPECT_TRUE(is_sender(t));
	EXPECT_EQ(0, memcmp(t->room, t->buf, len < room ? len : room));
	EXPECT_EQ(0xee, t->room[len < room ? len : room]);
	ASSERT_EQ(0, rig_cq_read(t->cb, &e));
	memset(t->room, 0xee, len + 1);
}

static const u32 lens[] = { 0, 1, 64, 960, 961, 5000, TWO_LONG };

/* Posted before and after, cut, tagged and not, on one node and between two. */
static void messages(struct __test_metadata *_metadata, u32 type, u32 dst)
{
	bool dgram = type == WEFT_EP_DGRAM;
	struct rig_av *vb;
	struct two t;
	u32 i, k;

	init(&t, type, WEFT_EPF_SOURCE, dst, 64, &vb);
	for (i = 0; i < ARRAY_SIZE(lens); i++)
		for (k = 0; k < 8; k++) {
			bool late = k & 1, tagged = k & 2;
			u32 room = k & 4 ? lens[i] / 2 : lens[i];

			if (dgram && (late || tagged || lens[i] > 1000))
				continue;
			if (late)
				send_one(&t, lens[i], tagged);
			if (late)
				settle(&t);
			post(&t, room, tagged, 0);
			if (late)
				rig_notify(t.eb, WEFT_NOTIFY_RQ);
			else
				send_one(&t, lens[i], tagged);
			settle(&t);
			told(_metadata, &t, lens[i], room, tagged);
		}
	rig_free(t.rig);
}

TEST(source__messages)
{
	messages(_metadata, WEFT_EP_RDM, 0);
	messages(_metadata, WEFT_EP_RDM, 1);
	messages(_metadata, WEFT_EP_DGRAM, 0);
	messages(_metadata, WEFT_EP_DGRAM, 1);
}

/* A sender in the vector is named by its index. Without WEFT_EPF_SOURCE no address is reported. */
TEST(source__known)
{
	struct weft_cqe e;
	struct rig_av *vb;
	struct two t;
	u32 dst, want;

	for (dst = 0; dst < 2; dst++)
		for (want = 0; want < 2; want++) {
			init(&t, WEFT_EP_RDM, want ? WEFT_EPF_SOURCE : 0, dst, 64, &vb);
			post(&t, 100, false, 0);
			send_one(&t, 100, false);
			settle(&t);
			if (want) {
				told(_metadata, &t, 100, 100, false);
			} else {
				ASSERT_EQ(1, rig_cq_read(t.cb, &e));
				EXPECT_EQ(0, e.flags & WEFT_CQE_FROM);
				EXPECT_EQ(WEFT_SRC_ANY, e.src);
			}
			EXPECT_EQ(0, rig_av_insert(vb, 0, 1, t.rig));
			post(&t, 100, false, 0);
			send_one(&t, 100, false);
			settle(&t);
			ASSERT_EQ(1, rig_cq_read(t.cb, &e));
			EXPECT_EQ(0, e.flags & WEFT_CQE_FROM);
			EXPECT_EQ(0, e.src);
			EXPECT_EQ(100, e.len);
			rig_free(t.rig);
		}
}

/*
 * Many messages wait when their sender becomes known. It is looked up for a part of them at a time,
 * and each receive that names the sender gets its message in the order of arrival.
 */
TEST(source__many)
{
	const u32 many = 5000;
	struct weft_cqe e;
	struct rig_av *vb;
	struct weft_ep *ep;
	struct rig_op op;
	struct two t;
	u32 i, dst;

	for (dst = 0; dst < 2; dst++) {
		init(&t, WEFT_EP_RDM, 0, dst, 64, &vb);
		ep = t.eb->ep;
		for (i = 0; i < many; i++) {
			memcpy(t.buf, &i, sizeof(i));
			send_one(&t, 8, true);
			if (i % 100 == 99)
				settle(&t);
		}
		ASSERT_EQ(many, ep->rx.match.nunexp);
		EXPECT_EQ(0, rig_av_insert(vb, 0, 1, t.rig));
		weft_lock(&ep->lock);
		EXPECT_FALSE(weft_recv_resolve(ep));
		weft_unlock(&ep->lock);
		/* one more arrives meanwhile */
		memcpy(t.buf, &many, sizeof(many));
		send_one(&t, 8, true);
		settle(&t);
		for (i = 0; i <= many; i++) {
			op = op_of(t.room, 8, true, 0, WEFT_RQ_COMPLETION);
			ASSERT_EQ(0, rig_recv(t.eb, &op));
			ASSERT_EQ(1, rig_cq_read(t.cb, &e));
			EXPECT_EQ(0, e.src);
			ASSERT_EQ(0, memcmp(t.room, &i, sizeof(i)));
		}
		rig_free(t.rig);
	}
}

/* Completions that wait for room keep the address. */
TEST(source__full)
{
	struct weft_cqe e;
	struct rig_av *vb;
	struct two t;
	u32 i, dst;

	for (dst = 0; dst < 2; dst++) {
		init(&t, WEFT_EP_RDM, WEFT_EPF_SOURCE, dst, 16, &vb);
		for (i = 0; i < 32; i++) {
			post(&t, 8, true, 0);
			send_one(&t, 8, true);
		}
		settle(&t);
		for (i = 0; i < 32; i++) {
			memset(&t.cb->from, 0, sizeof(t.cb->from));
			ASSERT_EQ(1, rig_cq_read(t.cb, &e));
			EXPECT_EQ(EADDRNOTAVAIL, e.status);
			EXPECT_EQ(WEFT_CQE_FROM | WEFT_CQE_TAGGED, e.flags);
			EXPECT_TRUE(is_sender(&t));
			settle(&t);
		}
		ASSERT_EQ(0, rig_cq_read(t.cb, &e));
		rig_free(t.rig);
	}
}

static void look(struct two *t, u8 op, u16 flags, u32 len)
{
	struct weft_rqe e = {
		.op = op,
		.nslots = 1,
		.flags = flags,
		.src = WEFT_SRC_ANY,
		.context = 41,
		.tag = op == WEFT_RQ_PEEK ? 7 : 0,
		.addr = len ? (u64)(uintptr_t)t->room : 0,
		.len = len,
		.niov = len ? 1 : 0,
	};

	two_entry(t, &e);
	settle(t);
}

/* A peek, a claim and a discard name the sender, too; without data. */
TEST(source__peek)
{
	struct weft_cqe e;
	struct rig_av *vb;
	struct two t;
	u32 dst;

	for (dst = 0; dst < 2; dst++) {
		init(&t, WEFT_EP_RDM, WEFT_EPF_SOURCE, dst, 64, &vb);
		look(&t, WEFT_RQ_PEEK, 0, 0);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(ENOMSG, e.status);
		EXPECT_EQ(WEFT_CQE_TAGGED, e.flags);
		send_one(&t, 100, true);
		settle(&t);
		look(&t, WEFT_RQ_PEEK, 0, 100);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(EADDRNOTAVAIL, e.status);
		EXPECT_EQ(0, e.buf);
		EXPECT_EQ(100, e.len);
		EXPECT_EQ(WEFT_CQE_TAGGED | WEFT_CQE_FROM, e.flags);
		EXPECT_TRUE(is_sender(&t));
		EXPECT_EQ(0xee, t.room[0]);
		look(&t, WEFT_RQ_PEEK, WEFT_RQ_KEEP, 0);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		look(&t, WEFT_RQ_CLAIM, WEFT_RQ_COMPLETION, 100);
		told(_metadata, &t, 100, 100, true);
		send_one(&t, 5000, true);
		settle(&t);
		look(&t, WEFT_RQ_PEEK, WEFT_RQ_KEEP, 0);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		memset(&t.cb->from, 0, sizeof(t.cb->from));
		look(&t, WEFT_RQ_DISCARD, 0, 0);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(EADDRNOTAVAIL, e.status);
		EXPECT_EQ(0, e.len);
		EXPECT_EQ(WEFT_CQE_TAGGED | WEFT_CQE_FROM, e.flags);
		EXPECT_TRUE(is_sender(&t));
		rig_free(t.rig);
	}
}

/*
 * Each part of a multi-receive buffer has its sender, and the last part still releases the buffer.
 */
TEST(source__multi)
{
	struct weft_cqe e;
	struct rig_av *vb;
	struct two t;
	u32 i, dst;

	for (dst = 0; dst < 2; dst++) {
		init(&t, WEFT_EP_RDM, WEFT_EPF_SOURCE, dst, 64, &vb);
		post(&t, 296, false, WEFT_RQ_MULTI);
		for (i = 0; i < 3; i++) {
			send_one(&t, 96 + 8 * (i == 2), false);
			settle(&t);
			memset(&t.cb->from, 0, sizeof(t.cb->from));
			ASSERT_EQ(1, rig_cq_read(t.cb, &e));
			EXPECT_EQ(EADDRNOTAVAIL, e.status);
			EXPECT_EQ(WEFT_CQE_FROM | (i == 2 ? WEFT_CQE_MULTI : 0), e.flags);
			EXPECT_EQ((u64)(uintptr_t)t.room + 96 * i, e.buf);
			EXPECT_TRUE(is_sender(&t));
		}
		ASSERT_EQ(0, rig_cq_read(t.cb, &e));
		rig_free(t.rig);
	}
}

/* A receive that fails has no sender. */
TEST(source__failed)
{
	struct weft_cqe e;
	struct rig_av *vb;
	struct two t;

	init(&t, WEFT_EP_RDM, WEFT_EPF_SOURCE, 1, 64, &vb);
	post(&t, 100, false, 0);
	rig_notify(t.eb, WEFT_NOTIFY_RQ);
	ASSERT_EQ(0, rig_cancel(t.eb, 40));
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(ECANCELED, e.status);
	EXPECT_EQ(0, e.flags);
	EXPECT_EQ(1, e.nslots);
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
