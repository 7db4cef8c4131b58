// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzing: ARP and neighbour discovery of ports that own a device
 *
 * The input is packets. Two bytes come before each: its length, and its kind.
 */
#include "fuzz.h"
#include "port/neigh.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	static struct weft_neighs t;
	static struct weft_neigh_out out;
	struct weft_sockaddr to = { .family = AF_INET, .addr = { 10, 77, 0, 9 } };
	weft_ns now = NSEC_PER_SEC;
	u8 pkt[256], mac[8];

	memset(&t, 0, sizeof(t));
	weft_neigh_init(&t);
	t.place.mac[0] = 0x52;
	t.place.naddr = 2;
	t.place.addr[0] = to;
	t.place.addr[0].addr[3] = 1;
	t.place.prefix[0] = 25;
	t.place.addr[1].family = AF_INET6;
	t.place.addr[1].addr[0] = 0xfd;
	t.place.prefix[1] = 64;
	while (len > 2) {
		u32 take = min_t(u32, data[0], len - 2);
		u8 what = data[1];

		memcpy(pkt, data + 2, take);
		data += 2 + take;
		len -= 2 + take;
		out.n = 0;
		now += (u64)what * NSEC_PER_MSEC;
		switch (what % 5) {
		case 0:
			weft_neigh_arp(&t, pkt, take, now, &out);
			break;
		case 1:
			/* as the callers do */
			if (take >= 40)
				weft_neigh_nd(&t, pkt, take, now, &out);
			break;
		case 2:
			to.addr[3] = take;
			if (take & 1)
				weft_neigh_find(&t, &to, now, mac);
			else
				weft_neigh_find_stranger(&t, &to, now, mac);
			weft_neigh_hold(&t, &to, pkt, take);
			break;
		case 3:
			/* the caller learns the next hop */
			if (take >= 48) {
				u32 sum;

				pkt[0] = 0x60;
				pkt[6] = 58;
				pkt[7] = 255;
				pkt[42] = 0;
				pkt[43] = 0;
				sum = weft_neigh_sum(pkt + 40, take - 40, take + 58);
				memcpy(pkt + 42, &sum, 2);
				weft_neigh_nd(&t, pkt, take, now, &out);
			}
			break;
		default:
			now += NSEC_PER_SEC;
			weft_neigh_timer(&t, now, &out);
			break;
		}
	}
	weft_neigh_exit(&t);
	return 0;
}
