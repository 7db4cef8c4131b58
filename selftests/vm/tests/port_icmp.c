// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Forged reports that weft's packets are too long. The IP stack of node 0 believes them for some
 * minutes. A new path begins all the same, and a message of many packets arrives. No packet is cut
 * into fragments: with a few lost fragments the receiver's memory for them would fill up. A report
 * for IPv6 has no effect, because its smallest MTU is that of a path.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/icmp.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "check.h"
#include "wpair.h"

#define PORT	9471
#define LEN	(256u << 10)

/* What a router would send for a packet from node 0 to node 1. */
struct report {
	struct icmphdr icmp;
	struct iphdr ip;
	struct udphdr udp;
};

static uint16_t sum(const void *p, size_t len)
{
	const uint16_t *w = p;
	uint32_t s = 0;

	for (; len > 1; len -= 2)
		s += *w++;
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return ~s;
}

static bool forge(void)
{
	struct report r = {
		.icmp = { .type = ICMP_DEST_UNREACH, .code = ICMP_FRAG_NEEDED },
		.ip = { .version = 4, .ihl = 5, .tot_len = htons(1500), .frag_off = htons(0x4000),
			.ttl = 60, .protocol = IPPROTO_UDP },
		.udp = { .source = htons(PORT), .dest = htons(PORT), .len = htons(1480) },
	};
	struct sockaddr_in to = { .sin_family = AF_INET };
	int fd;

	r.icmp.un.frag.mtu = htons(576);
	r.ip.saddr = inet_addr("10.77.0.1");
	r.ip.daddr = inet_addr("10.77.0.2");
	to.sin_addr.s_addr = r.ip.saddr;
	r.ip.check = sum(&r.ip, sizeof(r.ip));
	r.icmp.checksum = sum(&r, sizeof(r));
	fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
	CHECK(fd >= 0);
	CHECK_EQ(sendto(fd, &r, sizeof(r), 0, (void *)&to, sizeof(to)), sizeof(r));
	close(fd);
	return true;
}

/* Until the stack has learnt from a report. */
static bool believed(void)
{
	uint64_t until = now_ms() + 20000;

	do {
		node_enter(1);
		CHECK(forge());
		node_enter(0);
	} while (system("ip route get 10.77.0.2 | grep -q ' mtu 576'") && now_ms() < until);
	CHECK_EQ(system("ip route get 10.77.0.2 | grep -q ' mtu 576'"), 0);
	return true;
}

static bool message(void)
{
	char *from = malloc(LEN), *to = malloc(LEN);
	struct wpair p;

	CHECK(from && to && wpair_open(&p, true));
	memset(from, 7, LEN);
	CHECK(wpair_move(&p, from, to, LEN));
	CHECK(!memcmp(from, to, LEN));
	free(from);
	free(to);
	return wpair_close(&p);
}

/* Return: the counter of IP fragments that node 0 has made. */
static long fragments(void)
{
	char line[512];
	long n = -1;
	FILE *f;

	node_enter(0);
	f = fopen("/proc/thread-self/net/snmp", "r");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "Ip: ", 4) && line[4] >= '0' && line[4] <= '9')
			sscanf(line, "Ip:%*d%*d%*d%*d%*d%*d%*d%*d%*d%*d%*d%*d%*d%*d%*d%*d%*d%*d%ld",
			       &n);
	if (f)
		fclose(f);
	return n;
}

static bool whole(long before)
{
	CHECK(before >= 0);
	CHECK_EQ(fragments(), before);
	/* later tests find a stack that has not heard of it */
	CHECK_EQ(system("ip route flush cache"), 0);
	return true;
}

int main(void)
{
	long before;

	if (nodes_are_one()) {
		printf("ok 1 reports # SKIP there is no link\n1..1\n");
		return 0;
	}
	result(believed(), "forged reports", "between nodes");
	before = fragments();
	result(message(), "a long message on a new path", "between nodes");
	result(whole(before), "no packet is cut", "between nodes");
	return results_end();
}
