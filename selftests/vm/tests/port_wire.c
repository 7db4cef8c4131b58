// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a netdev port does with packets that no weft has made
 *
 * Packets come from a stranger's source port, have a wrong or no checksum, are empty or cut off.
 * Garbage has every length, and goes to group addresses, too. First packets of a handshake are
 * valid, also in IP fragments and behind an IPv6 extension header. Raw sockets on node 0 send the
 * packets to node 1, whose counters are checked.
 *
 *	port_wire [hello4 | hello6]	only send a first packet; status 0: it was answered
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/ip.h>
#include <linux/types.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "check.h"

#define PORT		9471
#define TYPE(n)		(4 << 4 | (n))	/* first byte of a packet: the version, and a type */
#define HELLO		(32 + 56)	/* header and HELLO */
#define PACKET_MAX	4096
#define SUM_OK		0		/* how the checksum is made */
#define SUM_WRONG	1
#define SUM_NONE	2

/**
 * struct packet - a UDP datagram to be sent
 * @v6: IP version 6
 * @sport: source port
 * @sum: SUM_*
 * @to: destination; NULL: the port of node 1
 * @len: bytes of @data
 * @data: payload
 */
struct packet {
	bool v6;
	unsigned int sport;
	int sum;
	const char *to;
	size_t len;
	unsigned char data[PACKET_MAX];
};

/* ---- Counters of the port of node 1 --------------------------------------------------------- */

static long long counter(const char *name)
{
	long long value = -1;
	char cmd[128];
	FILE *f;

	snprintf(cmd, sizeof(cmd), "node 1 cat /sys/class/weft/weft1/counters/%s", name);
	f = popen(cmd, "r");
	if (!f || fscanf(f, "%lld", &value) != 1)
		printf("# cannot read %s\n", name);
	if (f)
		pclose(f);
	return value;
}

/* Wait until a counter is @want. Return: its value. */
static long long counter_wait(const char *name, long long want)
{
	__u64 end = now_ms() + 3000;
	long long got;

	do {
		got = counter(name);
	} while (got < want && now_ms() < end);
	return got;
}

/* ---- Packets -------------------------------------------------------------------------------- */

static __u32 add(__u32 sum, const void *data, size_t len)
{
	const unsigned char *p = data;
	size_t i;

	for (i = 0; i < len; i++)
		sum += i & 1 ? p[i] : p[i] << 8;
	return sum;
}

static __u16 checksum(const struct packet *p, const void *udp, size_t len, const void *src,
		      const void *dst)
{
	size_t size = p->v6 ? 16 : 4;
	__u32 sum = IPPROTO_UDP + len;

	sum = add(add(add(sum, src, size), dst, size), udp, len);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	sum = ~sum & 0xffff;
	return htons(sum ? sum : 0xffff);
}

/* Send @p through raw socket @fd. */
static bool send_packet(int fd, const struct packet *p)
{
	const char *to = p->to ? p->to : p->v6 ? "fd77::2" : "10.77.0.2";
	struct sockaddr_in6 sin6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in sin = { .sin_family = AF_INET };
	unsigned char buf[sizeof(struct udphdr) + PACKET_MAX];
	struct udphdr *uh = (struct udphdr *)buf;
	size_t len = sizeof(*uh) + p->len;
	unsigned char src[16];
	ssize_t n;

	CHECK_EQ(inet_pton(p->v6 ? AF_INET6 : AF_INET, p->v6 ? "fd77::1" : "10.77.0.1", src), 1);
	if (p->v6)
		CHECK_EQ(inet_pton(AF_INET6, to, &sin6.sin6_addr), 1);
	else
		CHECK_EQ(inet_pton(AF_INET, to, &sin.sin_addr), 1);
	if (p->v6 && IN6_IS_ADDR_MULTICAST(&sin6.sin6_addr))
		sin6.sin6_scope_id = if_nametoindex("veth0");
	uh->source = htons(p->sport);
	uh->dest = htons(PORT);
	uh->len = htons(len);
	uh->check = 0;
	memcpy(buf + sizeof(*uh), p->data, p->len);
	if (p->sum != SUM_NONE)
		uh->check = checksum(p, buf, len, src, p->v6 ? (void *)&sin6.sin6_addr :
				     (void *)&sin.sin_addr);
	if (p->sum == SUM_WRONG)
		uh->check ^= htons(0x0100);
	n = sendto(fd, buf, len, 0, p->v6 ? (void *)&sin6 : (void *)&sin,
		   p->v6 ? sizeof(sin6) : sizeof(sin));
	if (n < 0)
		printf("# sendto: %s\n", strerror(errno));
	CHECK_EQ(n, len);
	return true;
}

static int raw_socket(bool v6)
{
	int fd, one = 1, off = -1;

	fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_UDP);
	if (fd < 0)
		return -1;
	/* The test makes the checksums; a kernel without this option leaves them alone anyway. */
	if (v6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_CHECKSUM, &off, sizeof(off));
	setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &one, sizeof(one));
	return fd;
}

static bool send_one(const struct packet *p)
{
	int fd = raw_socket(p->v6);
	bool ok;

	CHECK(fd >= 0);
	ok = send_packet(fd, p);
	close(fd);
	return ok;
}

/* The first packet of a handshake, from an unknown node. */
static void hello(struct packet *p)
{
	static const unsigned char head[4] = { TYPE(1), 0, 0, 8 };
	unsigned char *h = p->data + 32;
	__u64 nonce = now_ms();
	__u32 v;

	memset(p->data, 0, sizeof(p->data));
	memcpy(p->data, head, sizeof(head));
	h[0] = 1;				/* INIT */
	memset(h + 8, 0x5a, 8);			/* incarnation */
	v = htobe32(0x01020304);
	memcpy(h + 16, &v, 4);			/* path */
	v = htobe32(1452);
	memcpy(h + 20, &v, 4);			/* largest payload */
	memset(h + 24, 0xa5, 8);		/* offer */
	v = htobe32(200);
	memcpy(h + 32, &v, 4);			/* longest wait before an answer */
	memcpy(h + 40, &nonce, 8);		/* nonce; the cookie is 0 */
	p->sport = PORT;
	p->len = HELLO;
}

/* ---- Cases ---------------------------------------------------------------------------------- */

/* The port counts one bad packet for @p, and sends no answer. */
static bool refused(const struct packet *p)
{
	long long bad = counter("rx_bad"), rx = counter("rx_packets"), tx = counter("tx_packets");

	CHECK(send_one(p));
	CHECK_EQ(counter_wait("rx_bad", bad + 1), bad + 1);
	CHECK_EQ(counter("rx_packets"), rx);
	CHECK_EQ(counter("tx_packets"), tx);
	return true;
}

static bool stranger(bool v6)
{
	struct packet p = { .v6 = v6 };

	hello(&p);
	p.sport = 40000;
	return refused(&p);
}

static bool wrong_sum(bool v6)
{
	struct packet p = { .v6 = v6 };

	hello(&p);
	p.sum = SUM_WRONG;
	return refused(&p);
}

static bool no_sum(bool v6)
{
	struct packet p = { .v6 = v6 };

	hello(&p);
	p.sum = SUM_NONE;
	return refused(&p);
}

static bool empty(bool v6)
{
	struct packet p = { .v6 = v6 };

	hello(&p);
	p.len = 0;
	return refused(&p);
}

static bool garbage(bool v6)
{
	long long bad = counter("rx_bad"), tx = counter("tx_packets"), sent = 0;
	struct packet p = { .v6 = v6, .sport = PORT };
	int fd = raw_socket(v6);
	unsigned int i;

	CHECK(fd >= 0);
	for (p.len = 1; p.len <= 1450; p.len += p.len < 140 ? 1 : 97) {
		for (i = 0; i < p.len; i++)
			p.data[i] = random();
		/* unknown types; the second one is valid in other versions only */
		p.data[0] = p.len & 1 ? TYPE(9) : TYPE(15);
		CHECK(send_packet(fd, &p));
		sent++;
	}
	close(fd);
	CHECK_EQ(counter_wait("rx_bad", bad + sent), bad + sent);
	CHECK_EQ(counter("tx_packets"), tx);
	return true;
}

/* A packet of another version is answered once, and VERSION is not. */
static bool other_version(bool v6)
{
	long long seen = counter("rx_version"), tx = counter("tx_packets");
	struct packet p = { .v6 = v6 };

	hello(&p);
	p.data[0] = TYPE(1) + 0x10;
	CHECK(send_one(&p));
	CHECK_EQ(counter_wait("tx_packets", tx + 1), tx + 1);
	CHECK_EQ(counter("rx_version"), seen + 1);
	p.data[0] = TYPE(15) + 0x10;
	CHECK(send_one(&p));
	CHECK_EQ(counter_wait("rx_version", seen + 2), seen + 2);
	CHECK_EQ(counter("tx_packets"), tx + 1);
	return true;
}

/* One answer to a good first packet. */
static bool answered(const struct packet *p)
{
	long long bad = counter("rx_bad"), tx = counter("tx_packets");

	CHECK(send_one(p));
	CHECK_EQ(counter_wait("tx_packets", tx + 1), tx + 1);
	CHECK_EQ(counter("rx_bad"), bad);
	return true;
}

static bool good(bool v6)
{
	struct packet p = { .v6 = v6 };

	hello(&p);
	return answered(&p);
}

/* A HELLO may be longer than this version knows. */
static bool fragments(bool v6)
{
	struct packet p = { .v6 = v6 };

	hello(&p);
	p.len = 3000;
	return answered(&p);
}

static bool extension(bool v6)
{
	static const unsigned char pad[8] = { IPPROTO_UDP, 0, 1, 4, 0, 0, 0, 0 };
	long long tx = counter("tx_packets");
	struct packet p = { .v6 = v6 };
	int fd = raw_socket(v6);

	CHECK(fd >= 0);
	CHECK_EQ(setsockopt(fd, IPPROTO_IPV6, IPV6_DSTOPTS, pad, sizeof(pad)), 0);
	hello(&p);
	CHECK(send_packet(fd, &p));
	close(fd);
	CHECK_EQ(counter_wait("tx_packets", tx + 1), tx + 1);
	return true;
}

static bool group(bool v6)
{
	long long rx = counter("rx_packets"), tx = counter("tx_packets");
	struct packet p = { .v6 = v6, .to = v6 ? "ff02::1" : "10.77.0.255" };

	hello(&p);
	CHECK(send_one(&p));
	/* A valid packet follows, so that the first one has certainly arrived. */
	p.to = NULL;
	CHECK(send_one(&p));
	CHECK_EQ(counter_wait("tx_packets", tx + 1), tx + 1);
	CHECK_EQ(counter("rx_packets"), rx + 1);
	return true;
}

/*
 * A data packet that ends before its UDP header does, with more bytes behind. Its checksum counts
 * as verified, as in packets of a virtual machine on the same host.
 */
static bool cut_off(bool v6)
{
	static const struct virtio_net_hdr vh = {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.csum_start = ETH_HLEN + sizeof(struct iphdr),
		.csum_offset = offsetof(struct udphdr, check),
	};
	long long rx = counter("rx_packets"), tx = counter("tx_packets");
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP),
				  .sll_ifindex = if_nametoindex("veth0") };
	struct {
		struct virtio_net_hdr vh;
		struct ethhdr eth;
		struct iphdr ip;
		struct udphdr uh;
		unsigned char data[64];
	} __attribute__((packed)) f = { .vh = vh };
	struct packet p = { .v6 = v6 };
	int fd, one = 1;
	__u32 sum;
	FILE *mac;

	mac = popen("node 1 cat /sys/class/net/veth1/address", "r");
	CHECK(mac);
	CHECK_EQ(fscanf(mac, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &f.eth.h_dest[0], &f.eth.h_dest[1],
			&f.eth.h_dest[2], &f.eth.h_dest[3], &f.eth.h_dest[4], &f.eth.h_dest[5]),
		 6);
	pclose(mac);
	f.eth.h_source[0] = 2;
	f.eth.h_proto = htons(ETH_P_IP);
	f.ip.version = 4;
	f.ip.ihl = 5;
	f.ip.ttl = 64;
	f.ip.protocol = IPPROTO_UDP;
	f.ip.tot_len = htons(sizeof(f.ip) + 4);
	inet_pton(AF_INET, "10.77.0.1", &f.ip.saddr);
	inet_pton(AF_INET, "10.77.0.2", &f.ip.daddr);
	sum = add(0, &f.ip, sizeof(f.ip));
	f.ip.check = htons(~(sum + (sum >> 16)) & 0xffff);
	f.uh.source = htons(PORT);
	f.uh.dest = htons(PORT);
	f.uh.len = htons(4);
	f.uh.check = 1;
	f.data[0] = TYPE(2);			/* of a path */
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	CHECK(fd >= 0);
	CHECK_EQ(setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof(one)), 0);
	CHECK_EQ(sendto(fd, &f, sizeof(f), 0, (void *)&to, sizeof(to)), (ssize_t)sizeof(f));
	close(fd);
	hello(&p);
	CHECK(send_one(&p));
	CHECK_EQ(counter_wait("tx_packets", tx + 1), tx + 1);
	CHECK_EQ(counter("rx_packets"), rx + 1);
	return true;
}

/* A program cannot bind the UDP port on any address, nor share it. */
static bool reserved(bool v6)
{
	struct sockaddr_in6 any6 = { .sin6_family = AF_INET6, .sin6_port = htons(PORT) };
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	struct sockaddr_in local = any;
	int fd, one = 1;

	local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	CHECK(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one));
	if (v6) {
		CHECK_EQ(bind(fd, (void *)&any6, sizeof(any6)), -1);
		CHECK_EQ(errno, EADDRINUSE);
	} else {
		CHECK_EQ(bind(fd, (void *)&any, sizeof(any)), -1);
		CHECK_EQ(errno, EADDRINUSE);
		CHECK_EQ(bind(fd, (void *)&local, sizeof(local)), -1);
		CHECK_EQ(errno, EADDRINUSE);
	}
	close(fd);
	return true;
}

int main(int argc, char **argv)
{
	static const struct {
		bool (*fn)(bool v6);
		const char *name;
		int only;	/* 4, 6, 0: both */
	} cases[] = {
		{ reserved, "the UDP port is reserved", 0 },
		{ stranger, "from another source port", 0 },
		{ wrong_sum, "wrong checksum", 0 },
		{ no_sum, "no checksum", 4 },
		{ empty, "empty datagram", 0 },
		{ garbage, "garbage of many lengths", 0 },
		{ other_version, "another version", 0 },
		{ good, "a good first packet is answered once", 0 },
		{ fragments, "a good first packet in fragments", 0 },
		{ extension, "a good first packet behind an extension header", 6 },
		{ group, "to a group address", 0 },
		{ cut_off, "a UDP header that is cut off", 4 },
	};
	unsigned int i;

	if (nodes_are_one()) {
		printf("ok 1 wire # SKIP there is no link\n1..1\n");
		return 0;
	}
	node_enter(0);
	if (argc == 2)
		return !good(!strcmp(argv[1], "hello6"));
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (cases[i].only != 6)
			result(cases[i].fn(false), cases[i].name, "IPv4");
		if (cases[i].only != 4)
			result(cases[i].fn(true), cases[i].name, "IPv6");
	}
	return results_end();
}
