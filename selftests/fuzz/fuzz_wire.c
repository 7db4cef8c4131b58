// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzing: packets of any bytes, to a node with a path and a program
 *
 * The input is packets. Two bytes come before each: its length, and which fields are made valid, so
 * that decoding comes further.
 */
#include "fuzz.h"
#include "victim.h"

#define RIGHT_PATH	1	/* path id and token */
#define RIGHT_PSN	2	/* next PSN in turn */
#define RIGHT_ACK	4	/* acknowledges all that was sent */
#define STRANGER	8	/* comes from an address without a path */
#define FROM_USER	16	/* comes from another port */
#define GO_ON		32	/* the program acts */

static void make_right(struct victim *v, u8 *pkt, u8 what)
{
	struct weft_lane *lane = &v->path->lane[pkt[2] % WEFT_LANES];
	__be32 id = cpu_to_be32(v->path->id), psn = cpu_to_be32(lane->rcv_nxt);
	__be32 ack = cpu_to_be32(lane->snd_nxt);
	__be64 token = cpu_to_be64(v->path->token);

	if (what & RIGHT_PATH) {
		memcpy(pkt + 4, &id, 4);
		memcpy(pkt + 8, &token, 8);
		pkt[0] = WEFT_WIRE_VERSION << 4 | (pkt[0] & 7);
		pkt[3] = 8;
	}
	if (what & RIGHT_PSN)
		memcpy(pkt + 16, &psn, 4);
	if (what & RIGHT_ACK)
		memcpy(pkt + 20, &ack, 4);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct weft_sockaddr src;
	struct victim v;
	u8 pkt[256];
	u32 n;

	victim_init(&v, 1, NULL, 0);
	for (n = 0; len > 2 && n < 100; n++) {
		u32 take = min_t(u32, data[0], len - 2);
		u8 what = data[1];

		memcpy(pkt, data + 2, take);
		if (take >= WEFT_WIRE_HDR)
			make_right(&v, pkt, what);
		rig_node_addr(&v.rig->conf, what & STRANGER ? 900 : VICTIM_PEER, 0, &src);
		src.port = cpu_to_be16(what & FROM_USER ? 5 : v.rig->conf.core.udp_port);
		rig_inject(&v.rig->node[0], &src, pkt, take);
		rig_step(v.rig, v.rig->now + 10 * NSEC_PER_USEC);
		if (what & GO_ON)
			victim_go_on(&v);
		data += 2 + take;
		len -= 2 + take;
	}
	victim_fini(&v);
	return 0;
}
