// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion queues: order, payload, overflow, the user's index, waking
 */
#include "rig.h"
#include "core/queue/queue.h"
#include "harness.h"

#define SIZE	16

FIXTURE(cq)
{
	struct weft_core core;
	struct weft_out *out;
	struct weft_cq cq;
	struct weft_cqe slots[SIZE];
	struct weft_cq_doorbell bell;
	struct weft_cq_status status;
};

FIXTURE_SETUP(cq)
{
	memset(self, 0, sizeof(*self));
	self->core.cnt = weft_counters_new(WEFT_NCOUNTERS);
	self->out = calloc(1, sizeof(*self->out));
	weft_out_init(self->out, &self->core);
	weft_cq_init(&self->cq, &self->core, self->core.cnt, self->slots, SIZE, &self->bell,
		     &self->status);
}

FIXTURE_TEARDOWN(cq)
{
	free(self->out);
	weft_counters_free(self->core.cnt);
	EXPECT_EQ(0, weft_host_live());
}

static bool post(struct weft_cq *cq, struct weft_out *out, u64 context, const void *pay, u32 plen,
		 struct weft_ovf *ovf)
{
	struct weft_cqe e = { .context = context,
			      .len = plen,
			      .flags = plen ? WEFT_CQE_INLINE : 0 };

	return weft_cq_post(cq, &e, pay, plen, ovf, out);
}

/* Return: the context of the entry at @index, 0: there is no entry. */
static u64 peek(const struct weft_cqe *slots, u32 index)
{
	const struct weft_cqe *e = &slots[index % SIZE];

	return e->seq == index + 1 ? e->context : 0;
}

TEST_F(cq, order)
{
	u32 i;

	for (i = 0; i < 1000; i++) {
		ASSERT_EQ(0, peek(self->slots, i));
		ASSERT_TRUE(post(&self->cq, self->out, i + 1, NULL, 0, NULL));
		ASSERT_EQ(i + 1, peek(self->slots, i));
		ASSERT_EQ(i + 1, self->status.tail);
		ASSERT_EQ(1, self->slots[i % SIZE].nslots);
		self->bell.head = i + 1;
	}
}

TEST_F(cq, full)
{
	struct weft_ovf o[8] = { 0 };
	u32 i;

	for (i = 0; i < SIZE; i++)
		ASSERT_TRUE(post(&self->cq, self->out, i + 1, NULL, 0, NULL));
	EXPECT_FALSE(post(&self->cq, self->out, 99, NULL, 0, NULL));
	EXPECT_EQ(0, self->status.flags);
	for (i = 0; i < 3; i++) {
		EXPECT_FALSE(post(&self->cq, self->out, SIZE + i + 1, NULL, 0, &o[i]));
		EXPECT_TRUE(o[i].waits);
	}
	EXPECT_EQ(WEFT_ST_CQ_NOTIFY, self->status.flags);
	EXPECT_EQ(3, weft_counters_read(self->core.cnt, WEFT_CNT_cq_overflows));
	EXPECT_EQ(SIZE, self->status.tail);
	/* a notify call without space changes nothing */
	weft_cq_notify(&self->cq, 0, self->out);
	EXPECT_TRUE(o[0].waits);
	self->bell.head = 2;
	/* a later completion queues behind */
	EXPECT_FALSE(post(&self->cq, self->out, SIZE + 4, NULL, 0, &o[3]));
	weft_cq_notify(&self->cq, 0, self->out);
	EXPECT_FALSE(o[1].waits);
	EXPECT_TRUE(o[2].waits);
	EXPECT_EQ(WEFT_ST_CQ_NOTIFY, self->status.flags);
	self->bell.head = SIZE;
	weft_cq_notify(&self->cq, 0, self->out);
	EXPECT_EQ(0, self->status.flags);
	for (i = SIZE; i < SIZE + 4; i++)
		EXPECT_EQ(i + 1, peek(self->slots, i));
	EXPECT_EQ(SIZE + 4, self->status.tail);
	EXPECT_TRUE(post(&self->cq, self->out, 1, NULL, 0, NULL));
}

/* What the administrator sees: the fill, how many completions wait, and since when. */
TEST_F(cq, look)
{
	struct weft_ovf o[3] = { 0 };
	struct weft_cq_info info;
	u32 i;

	for (i = 0; i < SIZE; i++)
		ASSERT_TRUE(post(&self->cq, self->out, i + 1, NULL, 0, NULL));
	self->bell.head = 4;
	weft_cq_look(&self->cq, &info);
	EXPECT_EQ(SIZE, info.size);
	EXPECT_EQ(SIZE - 4, info.unread);
	EXPECT_EQ(0, info.waiting);
	self->bell.head = 0;
	for (i = 0; i < 3; i++) {
		self->out->now = 1000 + i;
		EXPECT_FALSE(post(&self->cq, self->out, 50 + i, NULL, 0, &o[i]));
	}
	EXPECT_TRUE(weft_cq_forget(&self->cq, &o[0]));
	EXPECT_FALSE(weft_cq_forget(&self->cq, &o[0]));
	weft_cq_look(&self->cq, &info);
	EXPECT_EQ(SIZE, info.unread);
	EXPECT_EQ(2, info.waiting);
	EXPECT_EQ(1000, info.full);
	EXPECT_FALSE(info.bad);
	self->bell.head = 2;
	weft_cq_notify(&self->cq, 5000, self->out);
	weft_cq_look(&self->cq, &info);
	EXPECT_EQ(0, info.waiting);
	/* it is full for the second time */
	EXPECT_FALSE(post(&self->cq, self->out, 60, NULL, 0, &o[0]));
	weft_cq_look(&self->cq, &info);
	EXPECT_EQ(1, info.waiting);
	EXPECT_EQ(5000, info.full);
	self->bell.head = 4 * SIZE;
	weft_cq_notify(&self->cq, 6000, self->out);
	weft_cq_look(&self->cq, &info);
	EXPECT_TRUE(info.bad);
}

/* A counter has numbers in place of a fill, as long as it has its page. */
TEST_F(cq, look_at_counter)
{
	struct weft_cq_info info;
	struct weft_cq cntr;

	weft_cq_init(&cntr, &self->core, self->core.cnt, NULL, 0, NULL, &self->status);
	weft_cq_count_many(&cntr, 7, self->out);
	weft_cq_count(&cntr, true, self->out);
	weft_cq_look(&cntr, &info);
	EXPECT_EQ(0, info.size);
	EXPECT_EQ(7, info.done);
	EXPECT_EQ(1, info.failed);
	weft_cntr_end(&cntr);
	weft_cq_look(&cntr, &info);
	EXPECT_EQ(0, info.done);
}

TEST_F(cq, polled)
{
	struct weft_ovf o[2] = { 0 };
	u32 i;

	EXPECT_TRUE(weft_cq_hot(&self->cq));
	EXPECT_FALSE(weft_cq_cool(&self->cq));
	for (i = 0; i < SIZE; i++)
		ASSERT_TRUE(post(&self->cq, self->out, i + 1, NULL, 0, NULL));
	EXPECT_FALSE(post(&self->cq, self->out, SIZE + 1, NULL, 0, &o[0]));
	EXPECT_EQ(WEFT_ST_CQ_NOTIFY, self->status.flags);
	/* while the engine polls the queue, the program is not asked to notify */
	EXPECT_TRUE(weft_cq_hot(&self->cq));
	EXPECT_EQ(0, self->status.flags);
	EXPECT_FALSE(post(&self->cq, self->out, SIZE + 2, NULL, 0, &o[1]));
	EXPECT_EQ(0, self->status.flags);
	/* no completion can be written: from now on the program is asked to notify */
	EXPECT_FALSE(weft_cq_cool(&self->cq));
	EXPECT_EQ(WEFT_ST_CQ_NOTIFY, self->status.flags);
	/* space that was made before the flag could be seen is found */
	EXPECT_TRUE(weft_cq_hot(&self->cq));
	self->bell.head = 2;
	EXPECT_TRUE(weft_cq_cool(&self->cq));
	weft_cq_notify(&self->cq, 0, self->out);
	EXPECT_FALSE(o[0].waits);
	EXPECT_FALSE(o[1].waits);
	EXPECT_EQ(0, self->status.flags);
	EXPECT_EQ(SIZE + 2, self->status.tail);
	EXPECT_FALSE(weft_cq_cool(&self->cq));
	self->bell.head = 3 * SIZE;
	for (i = 0; i < SIZE; i++)
		post(&self->cq, self->out, 1, NULL, 0, NULL);
	EXPECT_EQ(WEFT_ST_CQ_ERROR, self->status.flags);
	EXPECT_FALSE(weft_cq_hot(&self->cq));
}

TEST_F(cq, forget)
{
	struct weft_ovf o[2] = { 0 };
	u32 i;

	EXPECT_FALSE(weft_cq_forget(&self->cq, &o[0]));
	for (i = 0; i < SIZE; i++)
		post(&self->cq, self->out, i + 1, NULL, 0, NULL);
	post(&self->cq, self->out, 100, NULL, 0, &o[0]);
	post(&self->cq, self->out, 101, NULL, 0, &o[1]);
	EXPECT_TRUE(weft_cq_forget(&self->cq, &o[0]));
	EXPECT_FALSE(weft_cq_forget(&self->cq, &o[0]));
	EXPECT_EQ(WEFT_ST_CQ_NOTIFY, self->status.flags);
	self->bell.head = SIZE;
	weft_cq_notify(&self->cq, 0, self->out);
	EXPECT_FALSE(weft_cq_forget(&self->cq, &o[1]));
	EXPECT_EQ(101, peek(self->slots, SIZE));
	for (i = 1; i < SIZE; i++)
		post(&self->cq, self->out, i + 1, NULL, 0, NULL);
	post(&self->cq, self->out, 102, NULL, 0, &o[0]);
	EXPECT_TRUE(weft_cq_forget(&self->cq, &o[0]));
	EXPECT_EQ(0, self->status.flags);
}

/*
 * Payload of all lengths, of bytes that look like sequence numbers. The reader goes by these alone.
 */
TEST_F(cq, payload)
{
	u8 pay[WEFT_INLINE_MAX];
	u32 len, i, k, head = 0;

	for (len = 0; len <= WEFT_INLINE_MAX; len++) {
		u32 n = 1 + (len + 63) / 64;

		/*
		 * each slot's last word: the number that this slot will have in the next lap, or
		 * soon
		 */
		for (k = 0; k < len; k++) {
			u32 forged = head + 1 + k / 64 + 1 + SIZE * (1 + weft_random() % 2);

			pay[k] = k % 64 < 60 ? k * 7 + len : forged >> (8 * (k % 4));
		}
		ASSERT_EQ(0, peek(self->slots, head)) TH_LOG("slot %u seems to be there", head);
		ASSERT_TRUE(post(&self->cq, self->out, len + 1, pay, len, NULL));
		ASSERT_EQ(len + 1, peek(self->slots, head));
		ASSERT_EQ(n, self->slots[head % SIZE].nslots);
		for (k = 0; k < (n - 1) * 64; k++) {
			const u8 *s = (const u8 *)&self->slots[(head + 1 + k / 64) % SIZE];

			ASSERT_EQ(k < len ? pay[k] : 0, s[k % 64]);
		}
		head += n;
		ASSERT_EQ(head, self->status.tail);
		self->bell.head = head;
		for (i = 0; i < weft_random() % 4; i++) {
			ASSERT_EQ(0, peek(self->slots, head));
			post(&self->cq, self->out, 5000, NULL, 0, NULL);
			head++;
			self->bell.head = head;
		}
	}
}

/* An entry of several slots waits until all of them are free; its object keeps its payload. */
TEST_F(cq, payload_waits)
{
	struct weft_ovf o[2] = { 0 };
	u8 pay[200];
	u32 i;

	memset(pay, 0x42, sizeof(pay));
	for (i = 0; i < SIZE - 3; i++)
		post(&self->cq, self->out, i + 1, NULL, 0, NULL);
	EXPECT_FALSE(post(&self->cq, self->out, 50, pay, 200, NULL));
	EXPECT_FALSE(post(&self->cq, self->out, 50, pay, 200, &o[0]));
	EXPECT_FALSE(post(&self->cq, self->out, 51, NULL, 0, &o[1]));
	self->bell.head = 1;
	weft_cq_notify(&self->cq, 0, self->out);
	EXPECT_EQ(0, peek(self->slots, SIZE - 3));
	self->bell.head = 2;
	weft_cq_notify(&self->cq, 0, self->out);
	EXPECT_EQ(50, peek(self->slots, SIZE - 3));
	EXPECT_FALSE(o[0].waits);
	EXPECT_TRUE(o[1].waits);
	EXPECT_EQ(0x42, ((u8 *)self->slots)[0]);
	self->bell.head = 3;
	weft_cq_notify(&self->cq, 0, self->out);
	EXPECT_EQ(51, peek(self->slots, SIZE + 2));
}

/*
 * A forged index puts the queue into error. The kernel writes no more entries, and no caller hangs.
 */
TEST_F(cq, forged_head)
{
	struct weft_ovf o[20] = { 0 };
	u32 i;

	for (i = 0; i < SIZE; i++)
		post(&self->cq, self->out, i + 1, NULL, 0, NULL);
	for (i = 0; i < 20; i++)
		EXPECT_FALSE(post(&self->cq, self->out, 50, NULL, 0, &o[i]));
	self->bell.head = SIZE + 1;
	WRITE_ONCE(self->cq.armed, true);
	weft_cq_notify(&self->cq, 0, self->out);
	EXPECT_EQ(WEFT_ST_CQ_ERROR, self->status.flags);
	for (i = 0; i < 20; i++)
		EXPECT_FALSE(o[i].waits);
	EXPECT_EQ(SIZE, self->status.tail);
	EXPECT_TRUE(weft_cq_news(&self->cq, SIZE));
	EXPECT_TRUE(weft_cq_ready(&self->cq));
	self->bell.head = SIZE;
	EXPECT_TRUE(post(&self->cq, self->out, 51, NULL, 0, NULL));
	EXPECT_EQ(SIZE, self->status.tail);
	weft_flush(self->out);
}

TEST_F(cq, wake)
{
	struct rig_cq *rcq = calloc(1, sizeof(*rcq));
	struct weft_cq *cq = &rcq->cq;

	rcq->slots = calloc(SIZE, sizeof(*rcq->slots));
	weft_cq_init(cq, &self->core, self->core.cnt, rcq->slots, SIZE, &rcq->doorbell,
		     &rcq->status);
	EXPECT_FALSE(weft_cq_ready(cq));
	post(cq, self->out, 1, NULL, 0, NULL);
	weft_flush(self->out);
	EXPECT_FALSE(rcq->woken);
	EXPECT_TRUE(weft_cq_ready(cq));
	EXPECT_TRUE(weft_cq_news(cq, 0));
	EXPECT_FALSE(weft_cq_news(cq, 1));
	rcq->head = 1;
	EXPECT_TRUE(rig_cq_arm(rcq));
	post(cq, self->out, 2, NULL, 0, NULL);
	post(cq, self->out, 3, NULL, 0, NULL);
	EXPECT_FALSE(rcq->woken);
	EXPECT_EQ(2, refcount_read(&cq->ref));
	weft_flush(self->out);
	EXPECT_TRUE(rcq->woken);
	EXPECT_EQ(1, refcount_read(&cq->ref));
	EXPECT_FALSE(cq->armed);
	rcq->woken = false;
	post(cq, self->out, 4, NULL, 0, NULL);
	weft_flush(self->out);
	EXPECT_FALSE(rcq->woken);
	weft_cq_put(cq);
}

/* A counter: numbers instead of entries, the same waking. */
TEST_F(cq, counts)
{
	struct rig_cq *rcq = calloc(1, sizeof(*rcq));
	struct weft_cq *cntr = &rcq->cq;

	weft_cq_init(cntr, &self->core, self->core.cnt, NULL, 0, &rcq->doorbell, &rcq->status);
	EXPECT_FALSE(weft_cq_ready(cntr));
	weft_cq_count(cntr, false, self->out);
	weft_cq_count(cntr, true, self->out);
	weft_cq_count(cntr, false, self->out);
	EXPECT_EQ(2, rcq->status.done);
	EXPECT_EQ(1, rcq->status.failed);
	EXPECT_EQ(3, rcq->status.tail);
	EXPECT_EQ(0, rcq->status.flags);
	EXPECT_TRUE(weft_cq_ready(cntr));
	rcq->doorbell.head = 3;
	EXPECT_FALSE(weft_cq_ready(cntr));
	WRITE_ONCE(cntr->armed, true);
	EXPECT_FALSE(weft_cq_news(cntr, 3));
	weft_cq_count(cntr, false, self->out);
	EXPECT_TRUE(weft_cq_news(cntr, 3));
	EXPECT_FALSE(rcq->woken);
	weft_flush(self->out);
	EXPECT_TRUE(rcq->woken);
	weft_cq_stir(cntr);
	EXPECT_TRUE(weft_cq_news(cntr, 4));
	EXPECT_EQ(3, rcq->status.done);
	weft_cq_put(cntr);
}

TEST_HARNESS_MAIN
