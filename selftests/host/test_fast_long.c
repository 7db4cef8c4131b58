// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages of 257 bytes to 64 KiB that are copied once, into the memory of their receive
 *
 * The fast path takes them, within the node and from another node. Other cases take the slow path,
 * and programs see no difference.
 */
#include "core/api/internal.h"
#include "core/matching/matching.h"
#include "core/messaging/messaging.h"
#include "two.h"
#include "harness.h"

#define TAG	9
#define DATA	0xdada
#define ROOM	8192	/* of one receive, where several wait */

static void settle(struct two *t)
{
	rig_run(t->rig, 100 * NSEC_PER_MSEC);
}

static int get(struct two *t, bool tagged, u8 *p, u32 len, u64 context)
{
	struct rig_op op = { .tagged = tagged, .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY,
			     .context = context, .tag = tagged ? TAG : 0, .n = 1 };

	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)p, len };
	return rig_recv(t->eb, &op);
}

/* Write a send into the ring. With WEFT_SQ_MORE the doorbell is stored by the next one. */
static int put(struct two *t, bool tagged, const void *p, u32 len, u64 context, u32 flags)
{
	struct rig_op op = { .tagged = tagged, .flags = WEFT_SQ_COMPLETION | flags, .peer = t->to,
			     .more = flags & WEFT_SQ_MORE, .context = context,
			     .tag = tagged ? TAG : 0, .data = flags & WEFT_SQ_DATA ? DATA : 0,
			     .n = 1 };

	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)p, len };
	t->ea->status.flags &= ~WEFT_ST_SQ_NOTIFY;
	return rig_send(t->ea, &op);
}

/* The fast path looks at the send ring. Return: true if it has sent all. */
static bool fast(struct two *t)
{
	struct weft_out *out = rig_out(t->a->node);
	bool done = weft_ep_fast(t->ea->ep, out);

	rig_leave(t->a->node, out);
	return done;
}

/* Everything in the send ring leaves and arrives. @near: the fast path alone does that. */
static void go(struct __test_metadata *_metadata, struct two *t, bool near)
{
	EXPECT_EQ(near, fast(t));
	rig_notify(t->ea, WEFT_NOTIFY_SQ);
	settle(t);
}

/* The next completion of the sender. */
static void sent(struct __test_metadata *_metadata, struct two *t, u64 context, int status)
{
	struct weft_cqe e;

	ASSERT_EQ(1, rig_cq_read(t->ca, &e));
	EXPECT_EQ(context, e.context);
	EXPECT_EQ(status, e.status);
}

/* The next completion of the receiver. Return: it brought the bytes with it. */
static bool got(struct __test_metadata *_metadata, struct two *t, const u8 *p, u32 len, u64 context,
		u16 flags)
{
	bool inl;
	struct weft_cqe e;

	EXPECT_EQ(1, rig_cq_read(t->cb, &e));
	inl = e.flags & WEFT_CQE_INLINE;
	EXPECT_EQ(context, e.context);
	EXPECT_EQ(flags & WEFT_CQE_TAGGED ? TAG : 0, e.tag);
	EXPECT_EQ(flags & WEFT_CQE_DATA ? DATA : 0, e.data);
	EXPECT_EQ(flags, e.flags & ~WEFT_CQE_INLINE);
	EXPECT_EQ(len, e.len);
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(0, e.olen);
	EXPECT_EQ(0, e.src);
	EXPECT_EQ(inl ? (u64)(uintptr_t)p : 0, e.buf);
	EXPECT_EQ(0, memcmp(p, t->buf, len));
	EXPECT_EQ(0xee, p[len]);
	return inl;
}

/* One message, for the oldest receive. @near: as in go(). Return: as got(). */
static bool pass(struct __test_metadata *_metadata, struct two *t, u32 len, bool near)
{
	bool inl;

	memset(t->room, 0xee, len + 1);
	EXPECT_EQ(0, get(t, false, t->room, TWO_ROOM, 1));
	EXPECT_EQ(0, put(t, false, t->buf, len, 2, 0));
	go(_metadata, t, near);
	inl = got(_metadata, t, t->room, len, 1, 0);
	sent(_metadata, t, 2, 0);
	return inl;
}

/* @dst: as in two_init(). The flow exists, and eager messages may be as long as the fast path's. */
static void init(struct __test_metadata *_metadata, struct two *t, u32 dst, u32 cq_slots)
{
	two_init(t, dst, cq_slots, 0);
	t->a->node->core.conf.eager_max = WEFT_FAST_BYTES;
	EXPECT_TRUE(pass(_metadata, t, 8, false));
}

/* ---- Lengths --------------------------------------------------------- */

/* All fields of an entry, and receives in the ring or (@posted) in the matching. */
static void lengths(struct __test_metadata *_metadata, u32 dst, bool posted)
{
	static const u32 len[] = { 257, 960, 961, 1024, 1404, 1405, 4096, 16384, 65535, 65536,
				   65537 };
	struct two t;
	u32 i, j;

	init(_metadata, &t, dst, 256);
	for (i = 0; i < ARRAY_SIZE(len); i++)
		for (j = 0; j < 4; j++) {
			bool tagged = j & 1, data = j & 2;

			memset(t.room, 0xee, len[i] + 1);
			ASSERT_EQ(0, get(&t, tagged, t.room, TWO_ROOM, i));
			if (posted)
				rig_notify(t.eb, WEFT_NOTIFY_RQ);
			EXPECT_EQ(posted, t.eb->ep->rx.match.nposts);
			ASSERT_EQ(0, put(&t, tagged, t.buf, len[i], 100 + i,
					 data ? WEFT_SQ_DATA : 0));
			go(_metadata, &t, !dst && len[i] <= WEFT_FAST_BYTES);
			EXPECT_FALSE(got(_metadata, &t, t.room, len[i], i,
					 (tagged ? WEFT_CQE_TAGGED : 0) |
						 (data ? WEFT_CQE_DATA : 0))) {
				TH_LOG("%u bytes", len[i]);
			}
			sent(_metadata, &t, 100 + i, 0);
			EXPECT_EQ(0, t.eb->ep->rx.match.nposts);
		}
	EXPECT_EQ(0, t.eb->ep->rx.misses);
	EXPECT_EQ(1 + 4 * ARRAY_SIZE(len), rig_counter(t.a->node, WEFT_CNT_msgs_sent));
	EXPECT_EQ(1 + 4 * ARRAY_SIZE(len), rig_counter(t.b->node, WEFT_CNT_msgs_received));
	rig_free(t.rig);
}

TEST(fast_long__lengths_local)
{
	lengths(_metadata, 0, false);
	lengths(_metadata, 0, true);
}

TEST(fast_long__lengths_remote)
{
	lengths(_metadata, 1, false);
	lengths(_metadata, 1, true);
}

/* Up to 256 bytes the completion brings the bytes, although the receive is resident. */
TEST(fast_long__spare)
{
	struct two t;
	u32 dst;

	for (dst = 0; dst < 2; dst++) {
		init(_metadata, &t, dst, 256);
		EXPECT_TRUE(pass(_metadata, &t, 1, !dst));
		EXPECT_TRUE(pass(_metadata, &t, WEFT_SPARE_MAX, !dst));
		EXPECT_FALSE(pass(_metadata, &t, WEFT_SPARE_MAX + 1, !dst));
		rig_free(t.rig);
	}
}

/* ---- Memory ---------------------------------------------------------- */

/* The receive is not resident: 16 short messages come in the queue, then one makes it resident. */
static void cold_room(struct __test_metadata *_metadata, u32 dst)
{
	struct two t;
	u32 i, round;

	init(_metadata, &t, dst, 256);
	t.b->mc->cold = RIG_PPM;
	for (round = 0; round < 2; round++) {
		for (i = 0; i < WEFT_MISSES; i++) {
			EXPECT_TRUE(pass(_metadata, &t, i & 1 ? WEFT_INLINE_MAX : 257, !dst));
			EXPECT_EQ(i + 1, t.eb->ep->rx.misses);
		}
		/* these always come in the queue */
		EXPECT_TRUE(pass(_metadata, &t, WEFT_SPARE_MAX, !dst));
		EXPECT_EQ(WEFT_MISSES, t.eb->ep->rx.misses);
		EXPECT_FALSE(pass(_metadata, &t, round ? WEFT_INLINE_MAX : 257, false));
		EXPECT_EQ(0, t.eb->ep->rx.misses);
	}
	EXPECT_TRUE(pass(_metadata, &t, 500, !dst));
	EXPECT_EQ(1, t.eb->ep->rx.misses);
	/* a longer one does not fit into an entry */
	EXPECT_FALSE(pass(_metadata, &t, WEFT_INLINE_MAX + 1, false));
	EXPECT_EQ(0, t.eb->ep->rx.misses);
	EXPECT_FALSE(pass(_metadata, &t, WEFT_FAST_BYTES, false));
	t.b->mc->cold = 0;
	EXPECT_FALSE(pass(_metadata, &t, 500, !dst));
	rig_free(t.rig);
}

TEST(fast_long__cold_room_local)
{
	cold_room(_metadata, 0);
}

TEST(fast_long__cold_room_remote)
{
	cold_room(_metadata, 1);
}

/* The sender's memory is not resident: the slow path reads it. */
static void cold_bytes(struct __test_metadata *_metadata, u32 dst)
{
	static const u32 len[] = { 100, 257, 960, 961, 4096, 65536 };
	struct two t;
	u32 i;

	init(_metadata, &t, dst, 256);
	t.a->mc->cold = RIG_PPM;
	for (i = 0; i < ARRAY_SIZE(len); i++)
		pass(_metadata, &t, len[i], false);
	EXPECT_EQ(0, t.eb->ep->rx.misses);
	rig_free(t.rig);
}

TEST(fast_long__cold_bytes)
{
	cold_bytes(_metadata, 0);
	cold_bytes(_metadata, 1);
}

/* The bytes are not the program's: the send fails, and the receive waits for the next message. */
static void bad_bytes(struct __test_metadata *_metadata, u32 dst)
{
	static const u32 len[] = { 100, 257, 960, 961, 16384 };
	struct weft_cqe e;
	struct two t;
	u32 i, cold;

	for (cold = 0; cold < 2; cold++) {
		init(_metadata, &t, dst, 256);
		t.b->mc->cold = cold ? RIG_PPM : 0;
		for (i = 0; i < ARRAY_SIZE(len); i++) {
			memset(t.room, 0xee, len[i] + 1);
			ASSERT_EQ(0, get(&t, false, t.room, TWO_ROOM, i));
			ASSERT_EQ(0, put(&t, false, (void *)64, len[i], 7, 0));
			go(_metadata, &t, false);
			sent(_metadata, &t, 7, EFAULT);
			EXPECT_EQ(0, rig_cq_read(t.cb, &e));
			ASSERT_EQ(0, put(&t, false, t.buf, len[i], 8, 0));
			go(_metadata, &t, !dst && !(cold && len[i] > WEFT_INLINE_MAX));
			got(_metadata, &t, t.room, len[i], i, 0);
			sent(_metadata, &t, 8, 0);
		}
		rig_free(t.rig);
	}
}

TEST(fast_long__bad_bytes)
{
	bad_bytes(_metadata, 0);
	bad_bytes(_metadata, 1);
}

/* The buffer of the receive is not the program's. */
static void bad_room(struct __test_metadata *_metadata, u32 dst)
{
	struct weft_cqe e;
	struct two t;

	init(_metadata, &t, dst, 256);
	ASSERT_EQ(0, get(&t, false, (void *)64, ROOM, 1));
	ASSERT_EQ(0, put(&t, false, t.buf, 4096, 7, 0));
	go(_metadata, &t, false);
	sent(_metadata, &t, 7, 0);
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(1, e.context);
	EXPECT_EQ(EFAULT, e.status);
	EXPECT_FALSE(pass(_metadata, &t, 4096, !dst));
	rig_free(t.rig);
}

TEST(fast_long__bad_room)
{
	bad_room(_metadata, 0);
	bad_room(_metadata, 1);
}

/* The receiver's memory goes: the receive of a long message fails, and a short one needs none. */
static void dead_room(struct __test_metadata *_metadata, u32 dst)
{
	const struct weft_cqe *slot;
	struct weft_cqe e;
	struct two t;
	u32 i;

	init(_metadata, &t, dst, 256);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, get(&t, false, t.room, TWO_ROOM, i));
	rig_memctx_die(t.b->mc);
	ASSERT_EQ(0, put(&t, false, t.buf, WEFT_INLINE_MAX + 1, 2, 0));
	go(_metadata, &t, false);
	sent(_metadata, &t, 2, 0);
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(0, e.context);
	EXPECT_EQ(EFAULT, e.status);
	ASSERT_EQ(0, put(&t, false, t.buf, WEFT_INLINE_MAX, 3, 0));
	go(_metadata, &t, !dst);
	sent(_metadata, &t, 3, 0);
	/* a read would copy the bytes to the memory that is gone */
	slot = &t.cb->slots[t.cb->head & 255];
	EXPECT_NE(t.cb->head, t.cb->status.tail);
	EXPECT_EQ(1, slot->context);
	EXPECT_EQ(0, slot->status);
	EXPECT_EQ(WEFT_CQE_INLINE, slot->flags);
	rig_free(t.rig);
}

TEST(fast_long__dead_room)
{
	dead_room(_metadata, 0);
	dead_room(_metadata, 1);
}

/* The receiver ends as after kill -9: sends fail, and no byte is written. */
static void dead(struct __test_metadata *_metadata, u32 dst)
{
	struct weft_cqe e;
	struct two t;

	init(_metadata, &t, dst, 256);
	ASSERT_EQ(0, get(&t, false, t.room, TWO_ROOM, 1));
	rig_proc_end(t.b, true);
	ASSERT_EQ(0, put(&t, false, t.buf, 4096, 2, WEFT_SQ_DELIVERY));
	EXPECT_FALSE(fast(&t));
	rig_notify(t.ea, WEFT_NOTIFY_SQ);
	rig_run(t.rig, 10ull * NSEC_PER_SEC);
	ASSERT_EQ(1, rig_cq_read(t.ca, &e));
	EXPECT_EQ(2, e.context);
	EXPECT_EQ(ECONNREFUSED, e.status);
	rig_free(t.rig);
}

TEST(fast_long__dead)
{
	dead(_metadata, 0);
	dead(_metadata, 1);
}

/* ---- Receives -------------------------------------------------------- */

/* A receive that is too short takes the slow path. */
static void short_room(struct __test_metadata *_metadata, u32 dst)
{
	static const u32 len[] = { 257, 960, 961, 4096, 65536 };
	struct weft_cqe e;
	struct two t;
	u32 i, posted;

	init(_metadata, &t, dst, 256);
	for (i = 0; i < ARRAY_SIZE(len); i++)
		for (posted = 0; posted < 2; posted++) {
			memset(t.room, 0xee, len[i]);
			ASSERT_EQ(0, get(&t, false, t.room, len[i] - 1, i));
			if (posted)
				rig_notify(t.eb, WEFT_NOTIFY_RQ);
			ASSERT_EQ(0, put(&t, false, t.buf, len[i], 7, 0));
			go(_metadata, &t, false);
			sent(_metadata, &t, 7, 0);
			ASSERT_EQ(1, rig_cq_read(t.cb, &e));
			EXPECT_EQ(i, e.context);
			EXPECT_EQ(EMSGSIZE, e.status);
			EXPECT_EQ(len[i], e.len);
			EXPECT_EQ(1, e.olen);
			EXPECT_EQ(0, memcmp(t.room, t.buf, len[i] - 1));
			EXPECT_EQ(0xee, t.room[len[i] - 1]);
		}
	rig_free(t.rig);
}

TEST(fast_long__short_room)
{
	short_room(_metadata, 0);
	short_room(_metadata, 1);
}

/* The message comes before its receive, and another message is already in the matching. */
static void late(struct __test_metadata *_metadata, u32 dst)
{
	struct two t;

	init(_metadata, &t, dst, 256);
	memset(t.room, 0xee, 2 * ROOM);
	ASSERT_EQ(0, put(&t, false, t.buf, 3000, 5, 0));
	go(_metadata, &t, false);
	ASSERT_EQ(0, put(&t, true, t.buf, 4000, 6, 0));
	go(_metadata, &t, false);
	ASSERT_EQ(0, get(&t, true, t.room, ROOM, 1));
	ASSERT_EQ(0, get(&t, false, t.room + ROOM, ROOM, 2));
	settle(&t);
	EXPECT_FALSE(got(_metadata, &t, t.room, 4000, 1, WEFT_CQE_TAGGED));
	EXPECT_FALSE(got(_metadata, &t, t.room + ROOM, 3000, 2, 0));
	sent(_metadata, &t, 5, 0);
	sent(_metadata, &t, 6, 0);
	EXPECT_FALSE(pass(_metadata, &t, 4096, !dst));
	rig_free(t.rig);
}

TEST(fast_long__late)
{
	late(_metadata, 0);
	late(_metadata, 1);
}

/* The cancel of a posted receive may still be in the ring. */
static void canceled(struct __test_metadata *_metadata, u32 dst)
{
	struct weft_rqe cancel = { .op = WEFT_RQ_CANCEL, .nslots = 1, .src = WEFT_SRC_ANY,
				   .tag = 10 };
	struct weft_cqe e;
	struct two t;

	init(_metadata, &t, dst, 256);
	memset(t.room, 0xee, 2 * ROOM);
	ASSERT_EQ(0, get(&t, false, t.room, ROOM, 10));
	ASSERT_EQ(0, get(&t, false, t.room + ROOM, ROOM, 11));
	rig_notify(t.eb, WEFT_NOTIFY_RQ);
	EXPECT_EQ(2, t.eb->ep->rx.match.nposts);
	rig_put_rq(t.eb, &cancel, 1);
	t.eb->status.flags &= ~WEFT_ST_RQ_NOTIFY;
	rig_ring_rq(t.eb);
	ASSERT_EQ(0, put(&t, false, t.buf, 4096, 7, 0));
	go(_metadata, &t, false);
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(10, e.context);
	EXPECT_EQ(ECANCELED, e.status);
	EXPECT_EQ(0xee, t.room[0]);
	EXPECT_FALSE(got(_metadata, &t, t.room + ROOM, 4096, 11, 0));
	sent(_metadata, &t, 7, 0);
	rig_free(t.rig);
}

TEST(fast_long__canceled)
{
	canceled(_metadata, 0);
	canceled(_metadata, 1);
}

/* ---- Queues ---------------------------------------------------------- */

/* The queue is full: no message is lost, and the order stays. */
static void full(struct __test_metadata *_metadata, u32 dst)
{
	enum { N = 12, SLOTS = 8 };
	struct weft_cqe e;
	struct two t;
	u32 i;

	init(_metadata, &t, dst, SLOTS);
	memset(t.room, 0xee, N * ROOM);
	for (i = 0; i < N; i++) {
		ASSERT_EQ(0, get(&t, false, t.room + i * ROOM, ROOM, i));
		ASSERT_EQ(0, put(&t, false, t.buf, 1000 + 500 * i, i, 0));
		go(_metadata, &t, !dst && i < SLOTS);
		sent(_metadata, &t, i, 0);
	}
	for (i = 0; i < N; i++) {
		settle(&t);
		EXPECT_FALSE(got(_metadata, &t, t.room + i * ROOM, 1000 + 500 * i, i, 0));
	}
	EXPECT_EQ(0, rig_cq_read(t.cb, &e));
	rig_free(t.rig);
}

TEST(fast_long__full)
{
	full(_metadata, 0);
	full(_metadata, 1);
}

/* An entry with the bytes needs several slots of the queue. Without them the slow path places. */
TEST(fast_long__full_inline)
{
	struct weft_cqe e;
	struct two t;

	init(_metadata, &t, 0, 8);
	t.b->mc->cold = RIG_PPM;
	memset(t.room, 0xee, 3 * ROOM);
	ASSERT_EQ(0, get(&t, false, t.room, ROOM, 1));
	ASSERT_EQ(0, put(&t, false, t.buf, 257, 1, 0));
	go(_metadata, &t, true);
	ASSERT_EQ(0, get(&t, false, t.room + ROOM, ROOM, 2));
	ASSERT_EQ(0, put(&t, false, t.buf, 300, 2, 0));
	go(_metadata, &t, false);
	t.b->mc->cold = 0;
	ASSERT_EQ(0, get(&t, false, t.room + 2 * ROOM, ROOM, 3));
	ASSERT_EQ(0, put(&t, false, t.buf, 4000, 3, 0));
	go(_metadata, &t, true);
	EXPECT_TRUE(got(_metadata, &t, t.room, 257, 1, 0));
	EXPECT_FALSE(got(_metadata, &t, t.room + ROOM, 300, 2, 0));
	EXPECT_FALSE(got(_metadata, &t, t.room + 2 * ROOM, 4000, 3, 0));
	EXPECT_EQ(0, rig_cq_read(t.cb, &e));
	rig_free(t.rig);
}

/* ---- Several sends in one notify call -------------------------------- */

/* One call moves 64 KiB; the rest takes the slow path, and the order stays. */
TEST(fast_long__bytes)
{
	enum { N = 6, LEN = WEFT_FAST_BYTES / 4 };
	struct weft_cqe e;
	struct two t;
	u32 i;

	init(_metadata, &t, 0, 256);
	memset(t.room, 0xee, N * (LEN + 1));
	for (i = 0; i < N; i++)
		ASSERT_EQ(0, get(&t, false, t.room + i * (LEN + 1), LEN, i));
	for (i = 0; i < N; i++)
		ASSERT_EQ(0, put(&t, false, t.buf, LEN, i, i + 1 < N ? WEFT_SQ_MORE : 0));
	EXPECT_FALSE(fast(&t));
	for (i = 0; i < 4; i++) {
		EXPECT_FALSE(got(_metadata, &t, t.room + i * (LEN + 1), LEN, i, 0));
		sent(_metadata, &t, i, 0);
	}
	EXPECT_EQ(0, rig_cq_read(t.cb, &e));
	EXPECT_EQ(0, rig_cq_read(t.ca, &e));
	EXPECT_EQ(N - 4, t.ea->ep->tx.ring.prod - t.ea->ep->tx.ring.cons);
	rig_notify(t.ea, WEFT_NOTIFY_SQ);
	settle(&t);
	for (i = 4; i < N; i++) {
		EXPECT_FALSE(got(_metadata, &t, t.room + i * (LEN + 1), LEN, i, 0));
		sent(_metadata, &t, i, 0);
	}
	rig_free(t.rig);
}

/* The limit ends a row of sends, but short ones in the ring do not count. */
TEST(fast_long__bytes_and_short)
{
	struct two t;
	u32 k;

	for (k = 0; k < 2; k++) {
		u32 len = k ? 257 : 200;

		init(_metadata, &t, 0, 256);
		memset(t.room, 0xee, TWO_ROOM);
		ASSERT_EQ(0, get(&t, false, t.room, WEFT_FAST_BYTES, 1));
		ASSERT_EQ(0, get(&t, false, t.room + TWO_LONG, ROOM, 2));
		ASSERT_EQ(0, put(&t, false, t.buf, WEFT_FAST_BYTES, 1, WEFT_SQ_MORE));
		ASSERT_EQ(0, put(&t, false, t.buf, len, 2, k ? 0 : WEFT_SQ_INLINE));
		EXPECT_EQ(!k, fast(&t));
		rig_notify(t.ea, WEFT_NOTIFY_SQ);
		settle(&t);
		EXPECT_FALSE(got(_metadata, &t, t.room, WEFT_FAST_BYTES, 1, 0));
		EXPECT_EQ(!k, got(_metadata, &t, t.room + TWO_LONG, len, 2, 0));
		sent(_metadata, &t, 1, 0);
		sent(_metadata, &t, 2, 0);
		rig_free(t.rig);
	}
}

/* Entries that the slow path refuses are refused, although the flow is known. */
TEST(fast_long__bad_sends)
{
	struct weft_sqe good = { .op = WEFT_SQ_SEND, .nslots = 1, .context = 5, .niov = 1,
				 .len = 300 }, s[5];
	struct weft_cqe e;
	struct two t;
	u32 i;

	init(_metadata, &t, 0, 256);
	good.dst = t.to;
	good.addr = (u64)(uintptr_t)t.buf;
	for (i = 0; i < ARRAY_SIZE(s); i++)
		s[i] = good;
	s[0].nrem = 1;
	s[1].raddr = 1;
	s[2].data = 1;
	s[3].tag = 1;
	s[4].niov = 2;
	memset(t.room, 0xee, ROOM);
	ASSERT_EQ(0, get(&t, false, t.room, ROOM, 1));
	for (i = 0; i < ARRAY_SIZE(s); i++) {
		rig_put_sq(t.ea, &s[i], 1);
		t.ea->status.flags &= ~WEFT_ST_SQ_NOTIFY;
		rig_ring_sq(t.ea);
		go(_metadata, &t, false);
		ASSERT_EQ(1, rig_cq_read(t.ca, &e));
		EXPECT_NE(0, e.status);
		EXPECT_EQ(0, rig_cq_read(t.cb, &e));
	}
	rig_put_sq(t.ea, &good, 1);
	rig_ring_sq(t.ea);
	go(_metadata, &t, true);
	got(_metadata, &t, t.room, 300, 1, 0);
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
