// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event queues
 */
#include "rig.h"
#include "core/queue/queue.h"
#include "harness.h"

static struct weft_qev *event(u32 handle, u32 type, u32 len)
{
	struct weft_qev *ev = weft_alloc(sizeof(*ev));

	ev->ev.handle = handle;
	ev->ev.type = type;
	ev->ev.data_len = len;
	memset(ev->data, type, sizeof(ev->data));
	return ev;
}

FIXTURE(eq)
{
	struct weft_core core;
	struct weft_out *out;
	struct rig_eq *eq;
};

FIXTURE_SETUP(eq)
{
	memset(&self->core, 0, sizeof(self->core));
	self->out = calloc(1, sizeof(*self->out));
	weft_out_init(self->out, &self->core);
	self->eq = calloc(1, sizeof(*self->eq));
	weft_eq_init(&self->eq->eq);
}

FIXTURE_TEARDOWN(eq)
{
	weft_flush(self->out);
	weft_eq_fini(&self->eq->eq);
	EXPECT_EQ(1, refcount_read(&self->eq->eq.ref));
	weft_eq_put(&self->eq->eq);
	free(self->out);
	EXPECT_EQ(0, weft_host_live());
}

TEST_F(eq, read)
{
	struct weft_eq *eq = &self->eq->eq;
	struct weft_event ev;
	u8 data[WEFT_CM_DATA_MAX];
	u32 len, i;

	EXPECT_FALSE(weft_eq_ready(eq));
	EXPECT_EQ(0, rig_eq_read(self->eq, &ev, data));
	for (len = 0; len <= WEFT_CM_DATA_MAX; len++)
		weft_eq_post(eq, event(len, 1 + len % 200, len), self->out);
	EXPECT_TRUE(weft_eq_ready(eq));
	EXPECT_EQ(2, refcount_read(&eq->ref));
	weft_flush(self->out);
	EXPECT_TRUE(self->eq->woken);
	EXPECT_EQ(1, refcount_read(&eq->ref));
	for (len = 0; len <= WEFT_CM_DATA_MAX; len++) {
		ASSERT_EQ(1, rig_eq_read(self->eq, &ev, data));
		ASSERT_EQ(len, ev.handle);
		ASSERT_EQ(len, ev.data_len);
		for (i = 0; i < len; i++)
			ASSERT_EQ(1 + len % 200, data[i]);
	}
	EXPECT_EQ(0, rig_eq_read(self->eq, &ev, data));
	weft_eq_post(eq, event(1, 1, 0), self->out);
}

/* An event is never cut, an event that does not fit stays in the queue, and the padding is zero. */
TEST_F(eq, room)
{
	struct weft_eq *eq = &self->eq->eq;
	u8 buf[sizeof(struct weft_event) + 16];
	u32 i, size = sizeof(struct weft_event) + 8;

	weft_eq_post(eq, event(1, 9, 5), self->out);
	for (i = 0; i < size; i++)
		ASSERT_EQ(-EMSGSIZE, weft_eq_read(eq, buf, i));
	memset(buf, 0x77, sizeof(buf));
	ASSERT_EQ(size, weft_eq_read(eq, buf, size));
	EXPECT_EQ(9, buf[size - 4]);
	EXPECT_EQ(0, buf[size - 3]);
	EXPECT_EQ(0, buf[size - 1]);
	EXPECT_EQ(0x77, buf[size]);
	EXPECT_EQ(-EAGAIN, weft_eq_read(eq, buf, 0));
}

TEST_F(eq, owned_and_purged)
{
	struct weft_eq *eq = &self->eq->eq;
	struct weft_qev own = { .owned = true, .ev = { .handle = 2, .type = 7 } };
	struct weft_event ev;

	weft_list_init(&own.node);
	EXPECT_FALSE(weft_eq_forget(eq, &own));
	weft_eq_post(eq, &own, self->out);
	EXPECT_TRUE(weft_eq_forget(eq, &own));
	EXPECT_FALSE(weft_eq_forget(eq, &own));
	weft_eq_post(eq, &own, self->out);
	ASSERT_EQ(1, rig_eq_read(self->eq, &ev, NULL));
	EXPECT_EQ(7, ev.type);
	weft_eq_post(eq, event(1, 1, 0), self->out);
	weft_eq_post(eq, event(2, 2, 0), self->out);
	weft_eq_post(eq, &own, self->out);
	weft_eq_post(eq, event(3, 3, 0), self->out);
	weft_eq_purge(eq, 2);
	EXPECT_FALSE(weft_eq_forget(eq, &own));
	ASSERT_EQ(1, rig_eq_read(self->eq, &ev, NULL));
	EXPECT_EQ(1, ev.type);
	ASSERT_EQ(1, rig_eq_read(self->eq, &ev, NULL));
	EXPECT_EQ(3, ev.type);
	EXPECT_EQ(0, rig_eq_read(self->eq, &ev, NULL));
}

TEST_HARNESS_MAIN
