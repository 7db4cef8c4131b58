// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A node under a flood of packets from raw sockets on its link
 *
 * The flood has garbage, packets with forged path ids and tokens, and first packets of handshakes
 * from any addresses. Some senders listen for the answers, finish their handshakes and ask for
 * connections without end. Messages of other endpoints arrive meanwhile, all and intact. Paths and
 * requests stay within their limits. Afterwards no state of the flood is left.
 * TIMEOUT: 150
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/if_ether.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "looks.h"
#include "raw.h"
#include "wpair.h"

#define PORT	 9471
#define NET	 0x0a4d0000u /* 10.77.0.0 */
#define VICTIM	 2
#define FIRST	 100 /* last byte of the first peer's address */
#define PEERS	 32
#define PATHS	 16   /* the limits of the victim */
#define REQUESTS 4
#define PACKETS	 4000 /* at least so many packets, of all kinds */
#define ASKED	 50   /* requests for connections among them */
#define MESSAGES 200
#define WAIT_MS	 800000 /* on a kernel with debug checks */
#define LONGEST	 20000

#define HEAD  32 /* a packet's header */
#define HELLO 56
#define CM    36 /* with the chunk's head */

/* Values of the wire format (wire.rst). */
#define OFFER	  0xa5	/* each byte of a peer's offer */
#define PKT_HELLO 0x41
#define PKT_DATA  0x42
#define INIT	  1
#define COOKIE	  2
#define ACK	  3
#define WITH_PSN  2
#define CHUNK_CM  7
#define REQ	  1

/**
 * struct peer - a sender that finishes its handshake
 * @up: the handshake is finished
 * @path: path id of packets to the victim
 * @token: their token
 * @psn: of the next packet
 * @cookie: the cookie to be repeated
 */
struct peer {
	bool up;
	__be32 path;
	__be64 token;
	__u32 psn;
	__be64 cookie;
};

/**
 * struct shared - what the flood and the test tell each other
 * @stop: end the flood
 * @packets: packets sent
 * @up: handshakes finished
 * @asked: requests sent
 */
struct shared {
	volatile bool stop;
	volatile unsigned int packets;
	volatile unsigned int up;
	volatile unsigned int asked;
};

/**
 * struct packet - an IPv4 packet
 * @ip: header
 * @udp: header
 * @data: payload
 */
struct packet {
	struct iphdr ip;
	struct udphdr udp;
	unsigned char data[1400];
} __attribute__((packed));

static struct shared *shared;
static struct peer peers[PEERS];
static unsigned int seed = 1;
static __u16 service;	/* of the listener */
static int out, in;

static unsigned int any(unsigned int n)
{
	return (unsigned int)rand_r(&seed) % n;
}

static void any_bytes(unsigned char *p, size_t n)
{
	while (n--)
		*p++ = rand_r(&seed) >> 8;
}

/* ---- The flood ------------------------------------------------------------------------------- */

static void put16(unsigned char *p, __u16 v)
{
	v = htobe16(v);
	memcpy(p, &v, sizeof(v));
}

static void put32(unsigned char *p, __u32 v)
{
	v = htobe32(v);
	memcpy(p, &v, sizeof(v));
}

/* Send @len bytes of @p->data from 10.77.0.@from. Return: done. */
static bool send_from(struct packet *p, unsigned int from, size_t len)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(NET + VICTIM) };
	size_t all = offsetof(struct packet, data) + len, i;
	const unsigned char *b = (unsigned char *)p;
	__u32 sum;

	memset(&p->ip, 0, sizeof(p->ip) + sizeof(p->udp));
	p->ip.version = 4;
	p->ip.ihl = 5;
	p->ip.ttl = 64;
	p->ip.protocol = IPPROTO_UDP;
	p->ip.saddr = htonl(NET + from);
	p->ip.daddr = to.sin_addr.s_addr;
	p->ip.tot_len = htons(all);
	p->udp.source = htons(PORT);
	p->udp.dest = htons(PORT);
	p->udp.len = htons(sizeof(p->udp) + len);
	/* the addresses and the following bytes, protocol and length */
	sum = IPPROTO_UDP + sizeof(p->udp) + len;
	for (i = offsetof(struct packet, ip.saddr); i < all; i++)
		sum += i & 1 ? b[i] : b[i] << 8;
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~(sum + (sum >> 16)) & 0xffff;
	p->udp.check = htons(sum ? sum : 0xffff);
	/* the queue may be full for a moment */
	if (sendto(out, p, all, 0, (void *)&to, sizeof(to)) < 0)
		return errno == ENOBUFS || errno == EAGAIN;
	shared->packets++;
	return true;
}

/* A header that names a path. */
static void header(struct packet *p, __u8 type, __be32 path, __be64 token)
{
	memset(p->data, 0, HEAD);
	p->data[0] = type;
	p->data[3] = HEAD / 4;
	memcpy(p->data + 4, &path, sizeof(path));
	memcpy(p->data + 8, &token, sizeof(token));
}

/* The first packet of a handshake, or the one with the cookie. Each address has one nonce. */
static bool init(unsigned int from, __be64 cookie)
{
	struct packet p;
	unsigned char *h = p.data + HEAD;

	header(&p, PKT_HELLO, 0, 0);
	memset(h, 0, HELLO);
	h[0] = INIT;
	memset(h + 8, 0x5a, 8);		/* incarnation */
	put32(h + 16, from + 1);	/* path */
	put32(h + 20, 1452);		/* largest payload */
	memset(h + 24, OFFER, 8);
	put32(h + 32, 200);		/* longest wait before an acknowledgement */
	put32(h + 44, from);		/* nonce */
	memcpy(h + 48, &cookie, 8);
	return send_from(&p, from, HEAD + HELLO);
}

/* A request for a connection; no two are the same. */
static bool request(unsigned int k)
{
	struct packet p;
	unsigned char *c = p.data + HEAD;

	header(&p, PKT_DATA, peers[k].path, peers[k].token);
	p.data[1] = WITH_PSN;
	put32(p.data + 16, peers[k].psn++);
	memset(c, 0, CM);
	c[0] = CHUNK_CM;
	put16(c + 2, CM - 4);
	put16(c + 4, 77);			/* services */
	put16(c + 6, service);
	put32(c + 8, peers[k].psn);		/* generation of our end */
	c[20] = REQ;
	put32(c + 24, peers[k].psn);		/* our id */
	shared->asked++;
	return send_from(&p, FIRST + k, HEAD + CM);
}

/* A random packet, or a nearly valid one. */
static bool garbage(void)
{
	size_t len = any(4) ? HEAD + any(200) : any(sizeof(((struct packet *)0)->data));
	struct packet p;
	__be64 token;

	any_bytes(p.data, len > HEAD ? len : HEAD);
	any_bytes((void *)&token, sizeof(token));
	if (any(4))
		header(&p, 0x40 + any(7), htobe32(any(any(2) ? 64 : 1u << 30)), token);
	return send_from(&p, any(2) ? 1 + any(250) : FIRST + any(PEERS), len);
}

/* Read packets for peers. */
static void answers(void)
{
	unsigned char buf[2048], *h = buf + sizeof(struct iphdr) + sizeof(struct udphdr) + HEAD;
	const struct iphdr *ip = (void *)buf;
	unsigned int k;
	ssize_t n;

	while ((n = recv(in, buf, sizeof(buf), MSG_DONTWAIT)) > 0) {
		k = ntohl(ip->daddr) - NET - FIRST;
		if (n < h + HELLO - buf || ip->ihl != 5 || ip->protocol != IPPROTO_UDP ||
		    k >= PEERS || h[-HEAD] != PKT_HELLO || peers[k].up)
			continue;
		if (h[0] == COOKIE) {
			memcpy(&peers[k].cookie, h + 48, 8);
		} else if (h[0] == ACK) {
			memcpy(&peers[k].path, h + 16, 4);
			/* the peer's offer and ours, whose halves are equal */
			memcpy(&peers[k].token, h + 24, 8);
			peers[k].token ^= 0x0101010101010101ull * OFFER;
			peers[k].up = true;
			shared->up++;
		}
	}
}

static bool flood(void)
{
	const struct sockaddr_ll link = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP),
					  .sll_ifindex = (int)if_nametoindex("veth0") };
	unsigned int k;
	bool ok = true;

	out = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
	in = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETH_P_IP));
	CHECK(out >= 0 && in >= 0);
	CHECK_EQ(bind(in, (void *)&link, sizeof(link)), 0);
	while (!shared->stop && ok) {
		k = any(PEERS);
		switch (any(4)) {
		case 0:
			ok = peers[k].up ? request(k) : init(FIRST + k, peers[k].cookie);
			break;
		case 1:
			ok = init(any(2) ? 1 + any(250) : FIRST + k, any(2) ? 0 : rand_r(&seed));
			break;
		default:
			ok = garbage();
		}
		answers();
	}
	CHECK(ok);
	return true;
}

/* ---- The victim ------------------------------------------------------------------------------ */

static long long counter(const char *name)
{
	char attr[64];

	snprintf(attr, sizeof(attr), "counters/%s", name);
	return port_attr(1, attr);
}

/* All that the flood must reach. */
static const char *const names[] = { "rx_bad", "rx_unknown", "limit_paths", "limit_requests",
				     "conns_refused" };
#define NAMES (sizeof(names) / sizeof(*names))
static long long before[NAMES];

/* Return: how much of a limit of the victim is used. */
static long long used(const char *name)
{
	long long n = -1;
	char cmd[128];
	FILE *f;

	snprintf(cmd, sizeof(cmd),
		 "node 1 weftctl limit show weft1 | sed -n 's/.* limit %s .* used \\([0-9]*\\).*/\\1/p'",
		 name);
	f = popen(cmd, "r");
	if (!f || fscanf(f, "%lld", &n) != 1)
		printf("# cannot read %s\n", name);
	if (f)
		pclose(f);
	return n;
}

static bool becomes(const char *name, long long want)
{
	uint64_t until = now_ms() + WAIT_MS;

	while (used(name) != want)
		CHECK(now_ms() < until);
	return true;
}

/* Listen on node 1, and answer no request. Return: the context, -1. */
static int listener(void)
{
	struct weft_ioc_eq q = { .size = sizeof(q) };
	struct weft_ioc_cm li = { .size = sizeof(li), .backlog = 64 };
	struct raw_ep pep;
	int fd;

	node_enter(1);
	fd = raw_open(1);
	node_enter(0);
	if (fd < 0 || raw(fd, WEFT_IOC_EQ_CREATE, &q) || !raw_ep_new(fd, WEFT_EP_PASSIVE, 0, &pep))
		return -1;
	li.handle = pep.e.handle;
	li.eq = q.handle;
	if (raw(fd, WEFT_IOC_LISTEN, &li))
		return -1;
	service = be16toh(li.addr.port);
	return fd;
}

/* Answers to peers find them, though no interface has their addresses. */
static bool neighbours(const char *what)
{
	char cmd[300];

	snprintf(cmd, sizeof(cmd),
		 "mac=$(node 0 cat /sys/class/net/veth0/address); for i in $(seq %d %d); do echo neigh %s 10.77.0.$i lladdr $mac dev veth1 nud permanent; done | node 1 ip -batch -",
		 FIRST, FIRST + PEERS - 1, what);
	CHECK_EQ(system(cmd), 0);
	return true;
}

/*
 * A message that waits all the time: its path is needed, however slow the machine is. A path
 * without use for a second is reclaimed when there are so many.
 */
static bool waits(struct wpair *p, const void *src, size_t len)
{
	CHECK_EQ(weft_tsend(p->a.ep, src, len, p->a.peer, 5, 0, 2,
			    WEFT_SQ_COMPLETION | WEFT_SQ_DELIVERY), 0);
	return true;
}

static bool came(struct wpair *p, void *dst, size_t len)
{
	struct weft_cqe e;

	CHECK_EQ(weft_trecv(p->b.ep, dst, len, WEFT_SRC_ANY, 5, 0, 1, WEFT_RQ_COMPLETION), 0);
	CHECK(wside_completion(&p->b, &e));
	CHECK_EQ(e.status, 0);
	CHECK_EQ(e.len, len);
	CHECK(pattern_is(dst, len, 77));
	CHECK(wside_completion(&p->a, &e));
	CHECK_EQ(e.status, 0);
	CHECK_EQ(e.context, 2);
	return true;
}

static bool enough(unsigned int messages)
{
	size_t i;

	for (i = 0; i < NAMES; i++)
		if (counter(names[i]) <= before[i])
			return false;
	return messages >= MESSAGES && shared->packets >= PACKETS && shared->asked >= ASKED;
}

/* Messages of other endpoints, until the flood has sent enough. */
static bool honest(struct wpair *p)
{
	static const size_t lens[] = { 8, 0, 64, 900, 4000, LONGEST };
	static char src[LONGEST], dst[LONGEST];
	uint64_t until = now_ms() + WAIT_MS;
	unsigned int i;

	for (i = 0; !enough(i); i++) {
		CHECK(wpair_check(p, src, dst, lens[i % (sizeof(lens) / sizeof(*lens))], i));
		CHECK(now_ms() < until);
		if (i % 50)
			continue;
		CHECK(used("paths") <= PATHS);
		CHECK(used("requests") <= REQUESTS);
	}
	printf("# %u messages beside %u packets, %u handshakes, %u requests\n", i, shared->packets,
	       shared->up, shared->asked);
	for (i = 0; i < NAMES; i++)
		printf("# %s %lld\n", names[i], counter(names[i]) - before[i]);
	return true;
}

static bool survived(void)
{
	static char src[5 * LONGEST], dst[5 * LONGEST];
	struct wpair p;
	int status, fd;
	size_t i;
	pid_t pid;
	bool ok;

	CHECK(neighbours("replace"));
	CHECK(port_limit(1, "paths", PATHS) && port_limit(1, "requests", REQUESTS));
	for (i = 0; i < NAMES; i++)
		before[i] = counter(names[i]);
	CHECK(wpair_open(&p, true));
	pattern_fill(src, sizeof(src), 77);
	CHECK(waits(&p, src, sizeof(src)));
	fd = listener();
	CHECK(fd >= 0);
	pid = fork();
	if (!pid)
		_exit(!flood());
	ok = honest(&p);
	shared->stop = true;
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(ok && !status);
	CHECK(came(&p, dst, sizeof(dst)));
	close(fd);
	CHECK(becomes("requests", 0));
	return wpair_close(&p);
}

/* Unused paths go, also those whose peer never answers; then all is as before. */
static bool recovered(void)
{
	uint64_t until = now_ms() + WAIT_MS;
	struct wpair p;
	char src[64], dst[64];
	int i;

	CHECK(neighbours("del"));
	for (i = 0; i < 2; i++)
		CHECK(port_limit(i, "idle-ms", 200) && port_limit(i, "dead-ms", 200));
	CHECK(becomes("paths", 0));
	while (port_attr(0, "paths"))
		CHECK(now_ms() < until);
	for (i = 0; i < 2; i++)
		CHECK(port_limit(i, "idle-ms", 300000) && port_limit(i, "dead-ms", 10000));
	CHECK(port_limit(1, "paths", 16384) && port_limit(1, "requests", 16384));
	CHECK(wpair_open(&p, true));
	CHECK(wpair_check(&p, src, dst, sizeof(src), 1));
	CHECK(wpair_close(&p));
	return nothing_left();
}

int main(void)
{
	const char *link = getenv("LINK");

	if (!link || strcmp(link, "veth")) {
		printf("ok 1 flood # SKIP there is no veth link\n1..1\n");
		return 0;
	}
	node_enter(0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	result(survived(), "messages of others", "beside a flood");
	result(recovered(), "all is as before", "after it");
	return results_end();
}
