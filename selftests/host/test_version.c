// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nodes that speak another version: the answer to their packets, what their answer ends, forged
 * answers, and the upgrade of two nodes one after the other
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

#define MS	((weft_ns)NSEC_PER_MSEC)
#define SEC	((weft_ns)NSEC_PER_SEC)
#define OTHER	TWO_VERSION
#define TOKEN	0x1122334455667788ull

static struct weft_w_version last;	/* the newest VERSION that the other node received */
static u32 nanswers;

/* A node of the other version that remembers what it was told, and answers nothing. */
static void silent(struct rig_node *node, u32 from, const void *data, u32 len)
{
	if ((*(const u8 *)data & 15) == WEFT_PKT_VERSION) {
		memcpy(&last, data, sizeof(last));
		nanswers++;
	}
}

static void inject(struct two *t, const void *pkt, u32 len, u16 port)
{
	struct weft_sockaddr src;

	rig_node_addr(&t->rig->conf, 1, 0, &src);
	src.port = cpu_to_be16(port);
	rig_inject(&t->rig->node[0], &src, pkt, len);
	rig_run(t->rig, MS);
}

/* Nodes of another version that the administrator of node 0 sees. */
static u32 foreign(struct two *t, struct weft_version_info *info)
{
	u32 pos = 0, n = 0;

	while (weft_version_next(&t->rig->node[0].core, &pos, info))
		n++;
	return n;
}

/* The peer speaks another version: sends fail at once, and again when they are repeated. */
TEST(version__other)
{
	const struct rig_note *note;
	struct weft_version_info info;
	struct weft_sockaddr peer;
	struct two t;
	u32 i;

	two_init(&t, 1, 64, 0);
	note = &t.rig->node[0].note[WEFT_NOTE_VERSION];
	t.rig->node[1].recv = two_version;
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, two_put(&t, t.buf, 8, i, 0));
		EXPECT_EQ(EPROTONOSUPPORT, two_status(&t, t.ca, i, MS));
	}
	EXPECT_EQ(3, rig_counter(&t.rig->node[0], WEFT_CNT_rx_version));
	/* the administrator sees it, once */
	rig_node_addr(&t.rig->conf, 1, 0, &peer);
	ASSERT_EQ(1, foreign(&t, &info));
	i = 0;
	ASSERT_TRUE(weft_version_next(&t.rig->node[0].core, &i, &info));
	EXPECT_TRUE(weft_addr_same_node(&peer, &info.addr));
	EXPECT_EQ(OTHER, info.oldest);
	EXPECT_EQ(OTHER + 1, info.newest);
	EXPECT_EQ(WEFT_WIRE_VERSION, info.own);
	EXPECT_EQ(3, note->count);
	EXPECT_EQ(OTHER, note->last.from);
	EXPECT_EQ(OTHER + 1, note->last.to);
	EXPECT_TRUE(weft_addr_same_node(&peer, &note->addr));
	/* it is upgraded, or this node is: the next send finds it */
	t.rig->node[1].recv = NULL;
	ASSERT_EQ(0, two_get(&t, t.room, 8, 9));
	ASSERT_EQ(0, two_put(&t, t.buf, 8, 7, 0));
	EXPECT_EQ(0, two_status(&t, t.ca, 7, 100 * MS));
	EXPECT_EQ(0, two_status(&t, t.cb, 9, 0));
	EXPECT_EQ(0, foreign(&t, &info));
	rig_free(t.rig);
}

/* Many nodes of other versions: the last ones are remembered. */
TEST(version__many)
{
	struct weft_w_version w = { .vt = OTHER << 4 | 1, .token = TOKEN };
	struct weft_version_info info;
	struct weft_sockaddr src;
	struct two t;
	u32 i;

	two_init(&t, 1, 64, 0);
	rig_node_addr(&t.rig->conf, 1, 0, &src);
	src.port = cpu_to_be16(t.rig->conf.core.udp_port);
	for (i = 0; i < 3 * WEFT_FOREIGN; i++) {
		src.addr[3] = (u8)(100 + i);
		rig_inject(&t.rig->node[0], &src, &w, sizeof(w));
		rig_run(t.rig, MS);
	}
	EXPECT_EQ(WEFT_FOREIGN, foreign(&t, &info));
	rig_free(t.rig);
}

/* The peer is restarted with another version while messages are under way. */
TEST(version__upgraded)
{
	struct two t;

	two_init(&t, 1, 64, 0);
	ASSERT_EQ(0, two_get(&t, t.room, 8, 9));
	ASSERT_EQ(0, two_put(&t, t.buf, 8, 1, 0));
	EXPECT_EQ(0, two_status(&t, t.ca, 1, 100 * MS));
	t.rig->node[1].recv = two_version;
	ASSERT_EQ(0, two_put(&t, t.buf, 8, 2, WEFT_SQ_TRANSMIT));
	EXPECT_EQ(EPROTONOSUPPORT, two_status(&t, t.ca, 2, 100 * MS));
	rig_free(t.rig);
}

/* A packet of another version is answered, once in a while. VERSION is not. */
TEST(version__answer)
{
	struct weft_w_version w = { .vt = OTHER << 4 | WEFT_PKT_HELLO,
				    .token = cpu_to_be64(TOKEN) };
	struct two t;
	u32 i;

	two_init(&t, 1, 64, 0);
	t.rig->node[1].recv = silent;
	nanswers = 0;
	inject(&t, &w, sizeof(w), WEFT_WIRE_PORT);
	ASSERT_EQ(1, nanswers);
	EXPECT_EQ(WEFT_WIRE_VERSION << 4 | WEFT_PKT_VERSION, last.vt);
	EXPECT_EQ(WEFT_WIRE_VERSION, last.oldest);
	EXPECT_EQ(WEFT_WIRE_VERSION, last.newest);
	EXPECT_EQ(TOKEN, be64_to_cpu(last.token));
	/* another port, VERSION, a packet that is too short */
	inject(&t, &w, sizeof(w), WEFT_WIRE_PORT + 1);
	inject(&t, &w, sizeof(w) - 1, WEFT_WIRE_PORT);
	w.vt = OTHER << 4 | WEFT_PKT_VERSION;
	inject(&t, &w, sizeof(w), WEFT_WIRE_PORT);
	EXPECT_EQ(1, nanswers);
	/* many at once */
	w.vt = OTHER << 4 | WEFT_PKT_DATA;
	for (i = 0; i < 50; i++) {
		struct weft_sockaddr src;

		rig_node_addr(&t.rig->conf, 1, 0, &src);
		src.port = cpu_to_be16(WEFT_WIRE_PORT);
		rig_inject(&t.rig->node[0], &src, &w, sizeof(w));
	}
	rig_run(t.rig, MS);
	EXPECT_EQ(2, nanswers);
	rig_free(t.rig);
}

/* A VERSION that answers no packet of the path changes nothing. */
TEST(version__forged)
{
	struct weft_w_version w = { .vt = OTHER << 4 | WEFT_PKT_VERSION, .oldest = OTHER,
				    .newest = OTHER };
	struct two t;
	u32 i;

	two_init(&t, 1, 64, 0);
	for (i = 0; i < 2; i++) {
		w.token = cpu_to_be64(i ? TOKEN : 0);
		inject(&t, &w, sizeof(w), WEFT_WIRE_PORT);
		ASSERT_EQ(0, two_get(&t, t.room, 8, 9));
		ASSERT_EQ(0, two_put(&t, t.buf, 8, i, 0));
		if (!i)
			inject(&t, &w, sizeof(w), WEFT_WIRE_PORT);
		EXPECT_EQ(0, two_status(&t, t.ca, i, 100 * MS));
		EXPECT_EQ(0, two_status(&t, t.cb, 9, 0));
		inject(&t, &w, sizeof(w), WEFT_WIRE_PORT);
	}
	EXPECT_EQ(0, rig_counter(&t.rig->node[0], WEFT_CNT_paths_dead));
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
