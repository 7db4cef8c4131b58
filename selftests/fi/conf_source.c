// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_cq(3) and fi_getinfo(3) on FI_SOURCE_ERR, rule by rule: senders that the vector does not hold.
 * Also receives that name a sender whose node is gone.
 * TIMEOUT: 200 LINKS: vnet loop
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include "link.h"
#include "looks.h"
#include "rows.h"

#define SERVICE	4712

/* B forgets A, whose address is @addr. */
static bool forget(void *addr, size_t *len)
{
	CHECK_EQ(fi_getname(&p.a.ep->fid, addr, len), 0);
	CHECK_EQ(fi_av_remove(p.b.av, &p.b.peer, 1, 0), 0);
	return true;
}

/* B's next completion is that of receive @n, from an unknown sender: @addr. */
static bool unknown(unsigned int n, size_t len, uint64_t flags, const void *addr, size_t alen,
		    struct fi_cq_err_entry *e)
{
	struct fi_cq_tagged_entry c;

	CHECK_EQ(completion(p.b.rxcq, &c, NULL, e), -FI_EAVAIL);
	CHECK_EQ(e->err, FI_EADDRNOTAVAIL);
	CHECK(e->op_context == ctx(n));
	CHECK_EQ(e->flags, FI_RECV | flags);
	CHECK_EQ(e->len, len);
	CHECK_EQ(e->olen, 0);
	CHECK_EQ(e->err_data_size, alen);
	CHECK(!memcmp(e->err_data, addr, alen));
	return true;
}

static bool send_data(size_t len, bool tagged, unsigned int n)
{
	pattern_fill(sbuf, len, n);
	if (tagged)
		CHECK_EQ(fi_tsenddata(p.a.ep, sbuf, len, NULL, 77, p.a.peer, 5, ctx(n)), 0);
	else
		CHECK_EQ(fi_senddata(p.a.ep, sbuf, len, NULL, 77, p.a.peer, ctx(n)), 0);
	return is_sent(n);
}

/* A message of a stranger is received, and its entry is an error that has the sender's address. */
static bool stranger(void)
{
	static const size_t lens[] = { 0, 1, 100, 960, 961, 1300, 5000, 1u << 20 };
	unsigned int tagged, ntags = p.o.type == FI_EP_DGRAM ? 1 : 2;
	size_t len = 64, i, most = p.o.type == FI_EP_DGRAM ? 1300 : ROOM;
	struct fi_cq_err_entry e;
	uint8_t addr[64];

	CHECK(p.a.info->caps & FI_SOURCE_ERR && p.a.info->rx_attr->caps & FI_SOURCE_ERR);
	CHECK(!(p.a.info->tx_attr->caps & FI_SOURCE_ERR));
	CHECK(forget(addr, &len));
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]) && lens[i] <= most; i++)
		for (tagged = 0; tagged < ntags; tagged++) {
			memset(rbuf, 0xee, lens[i] + 100);
			if (tagged)
				CHECK(post_tagged(rbuf, lens[i] + 50, 4, 1, 1));
			else
				CHECK(post_plain(rbuf, lens[i] + 50, 1));
			CHECK(send_data(lens[i], tagged, 2));
			CHECK(unknown(1, lens[i],
				      (tagged ? FI_TAGGED : FI_MSG) | FI_REMOTE_CQ_DATA, addr,
				      len, &e));
			CHECK_EQ(e.data, 77);
			CHECK_EQ(e.tag, tagged ? 5 : 0);
			CHECK(pattern_is(rbuf, lens[i], 2));
			CHECK(all_bytes(rbuf + lens[i], 100, 0xee));
		}
	return true;
}

/* The address can be inserted as returned: from then on the sender is known. */
static bool inserted(void)
{
	struct fi_cq_err_entry e;
	uint8_t addr[64];
	size_t len = sizeof(addr);

	CHECK(forget(addr, &len));
	CHECK(post_plain(rbuf, 100, 1));
	CHECK(send_plain(100, 3, 2));
	CHECK(unknown(1, 100, FI_MSG, addr, len, &e));
	CHECK_EQ(fi_av_insert(p.b.av, e.err_data, 1, &p.b.peer, 0, NULL), 1);
	CHECK(post_plain(rbuf, 100, 1));
	CHECK(send_plain(100, 4, 2));
	CHECK(is_received(1, 100, false, 0));
	CHECK(pattern_is(rbuf, 100, 4));
	/* and B can answer it */
	CHECK_EQ(fi_recv(p.a.ep, rbuf, 100, NULL, FI_ADDR_UNSPEC, ctx(5)), 0);
	CHECK_EQ(fi_inject(p.b.ep, sbuf, 30, p.b.peer), 0);
	CHECK_EQ(completion(p.a.rxcq, &(struct fi_cq_tagged_entry){}, NULL, NULL), 1);
	return true;
}

/* A buffer of the program gets as much as it holds; err_data_size says how much that is. */
static bool own_room(void)
{
	struct fi_cq_err_entry e;
	struct fi_cq_tagged_entry c;
	uint8_t addr[64], room[64];
	size_t len = sizeof(addr), i;
	uint64_t until;
	ssize_t ret;

	CHECK(forget(addr, &len));
	for (i = 0; i < 3; i++) {
		size_t size = i == 0 ? sizeof(room) : i == 1 ? len : 5;

		memset(room, 0xee, sizeof(room));
		memset(&e, 0, sizeof(e));
		e.err_data = room;
		e.err_data_size = size;
		CHECK(post_plain(rbuf, 100, 1));
		CHECK(send_plain(100, 3, 2));
		until = now_ms() + WAIT_MS;
		do {
			ret = fi_cq_read(p.b.rxcq, &c, 1);
		} while (ret == -FI_EAGAIN && now_ms() < until);
		CHECK_EQ(ret, -FI_EAVAIL);
		CHECK_EQ(fi_cq_readerr(p.b.rxcq, &e, 0), 1);
		CHECK_EQ(e.err, FI_EADDRNOTAVAIL);
		CHECK(e.err_data == room);
		size = size < len ? size : len;
		CHECK_EQ(e.err_data_size, size);
		CHECK(!memcmp(room, addr, size));
		CHECK(all_bytes(room + size, sizeof(room) - size, 0xee));
	}
	return true;
}

/* A program without FI_SOURCE_ERR gets no error. */
static bool not_asked(void)
{
	struct fi_cq_tagged_entry c;
	uint8_t addr[64];
	size_t len = sizeof(addr);
	fi_addr_t src = 0;

	CHECK(!(p.b.info->caps & FI_SOURCE_ERR));
	CHECK(forget(addr, &len));
	CHECK(post_plain(rbuf, 100, 1));
	CHECK(send_plain(100, 3, 2));
	CHECK_EQ(completion(p.b.rxcq, &c, &src, NULL), 1);
	CHECK_EQ(src, FI_ADDR_NOTAVAIL);
	CHECK_EQ(c.len, 100);
	return true;
}

/* The message has been received: its counter says so, and its entry is suppressed like others. */
static bool a_success(void)
{
	struct fi_msg m = { .msg_iov = &(struct iovec){ rbuf, 100 }, .iov_count = 1 };
	struct fi_cq_err_entry e;
	uint8_t addr[64];
	size_t len = sizeof(addr);

	m.addr = FI_ADDR_UNSPEC;
	m.context = ctx(1);
	CHECK(forget(addr, &len));
	CHECK_EQ(fi_recvmsg(p.b.ep, &m, 0), 0);
	CHECK_EQ(fi_inject(p.a.ep, sbuf, 100, p.a.peer), 0);
	CHECK_EQ(fi_cntr_wait(p.b.rxcntr, 1, WAIT_MS), 0);
	CHECK_EQ(fi_recvmsg(p.b.ep, &m, FI_COMPLETION), 0);
	CHECK_EQ(fi_inject(p.a.ep, sbuf, 100, p.a.peer), 0);
	CHECK(unknown(1, 100, FI_MSG, addr, len, &e));
	CHECK_EQ(fi_cntr_wait(p.b.rxcntr, 2, WAIT_MS), 0);
	CHECK_EQ(fi_cntr_readerr(p.b.rxcntr), 0);
	return true;
}

/* A message that is cut has the error of a cut message, with its sender. */
static bool cut(void)
{
	struct fi_cq_err_entry e = {};
	uint8_t addr[64];
	size_t len = sizeof(addr);

	CHECK(forget(addr, &len));
	CHECK(post_plain(rbuf, 60, 1));
	CHECK(send_plain(100, 3, 2));
	CHECK(is_failed(1, FI_ETRUNC, &e));
	CHECK_EQ(e.olen, 40);
	CHECK_EQ(e.len, 100);
	CHECK_EQ(e.err_data_size, len);
	CHECK(!memcmp(e.err_data, addr, len));
	CHECK(pattern_is(rbuf, 60, 3));
	return all_bytes(rbuf + 60, 100, 0xee);
}

/* Each message in a multi-receive buffer has its sender. */
static bool packed(void)
{
	struct fi_msg m = { .msg_iov = &(struct iovec){ rbuf, 304 }, .iov_count = 1 };
	struct fi_cq_err_entry e;
	uint8_t addr[64];
	size_t len = sizeof(addr), i;

	m.addr = FI_ADDR_UNSPEC;
	m.context = ctx(1);
	CHECK(forget(addr, &len));
	CHECK_EQ(fi_recvmsg(p.b.ep, &m, FI_MULTI_RECV | FI_COMPLETION), 0);
	for (i = 0; i < 3; i++) {
		CHECK(send_plain(96, i, 2));
		CHECK(unknown(1, 96, FI_MSG | (i == 2 ? FI_MULTI_RECV : 0), addr, len, &e));
		CHECK(e.buf == rbuf + 96 * i);
		CHECK(pattern_is(rbuf + 96 * i, 96, i));
	}
	return true;
}

/* A peek, a claim and a discard name the sender too. */
static bool waiting(void)
{
	struct fi_cq_err_entry e = {};
	struct fi_cq_tagged_entry c;
	uint64_t until = now_ms() + WAIT_MS;
	uint8_t addr[64];
	size_t len = sizeof(addr);

	CHECK(forget(addr, &len));
	CHECK(send_tagged(100, 5, 3, 2));
	do {
		CHECK_EQ(look(FI_PEEK | FI_CLAIM, NULL, 0, 5, 0, 1), 0);
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, &e), -FI_EAVAIL);
	} while (e.err == FI_ENOMSG && now_ms() < until);
	CHECK_EQ(e.err, FI_EADDRNOTAVAIL);
	CHECK_EQ(e.len, 100);
	CHECK_EQ(e.err_data_size, len);
	CHECK(!memcmp(e.err_data, addr, len));
	CHECK_EQ(look(FI_CLAIM, rbuf, 100, 0, 0, 1), 0);
	CHECK(unknown(1, 100, FI_TAGGED, addr, len, &e));
	CHECK_EQ(e.tag, 5);
	return pattern_is(rbuf, 100, 3);
}

/* The sender of a datagram to a group. */
static bool to_group(void)
{
	struct sockaddr_in g = { .sin_family = AF_INET, .sin_port = htons(SERVICE) };
	struct fi_msg m = { .msg_iov = &(struct iovec){ sbuf, 100 }, .iov_count = 1 };
	struct side *s[] = { &p.a, &p.b };
	struct fi_cq_err_entry e;
	struct fi_eq_entry done;
	struct fid_mc *mc[2];
	uint8_t addr[64];
	size_t len = sizeof(addr), i;
	uint32_t type;

	g.sin_addr.s_addr = htonl(0xeffe0120);
	for (i = 0; i < 2; i++) {
		CHECK_EQ(fi_join(s[i]->ep, &g, i ? FI_RECV : FI_SEND, &mc[i], NULL), 0);
		CHECK_EQ(event(s[i]->eq, &type, &done, sizeof(done)), sizeof(done));
		CHECK_EQ(type, FI_JOIN_COMPLETE);
	}
	CHECK(forget(addr, &len));
	CHECK(post_plain(rbuf, 200, 1));
	pattern_fill(sbuf, 100, 6);
	m.addr = fi_mc_addr(mc[0]);
	m.context = ctx(2);
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_MULTICAST), 0);
	CHECK(is_sent(2));
	CHECK(unknown(1, 100, FI_MSG | FI_MULTICAST, addr, len, &e));
	CHECK(pattern_is(rbuf, 100, 6));
	CHECK_EQ(fi_close(&mc[0]->fid), 0);
	return !fi_close(&mc[1]->fid);
}

static int offers(enum fi_ep_type type, uint64_t caps, uint64_t mode, struct fi_info **info)
{
	struct fi_info *h = fi_allocinfo();
	int ret;

	if (!h)
		return -FI_ENOMEM;
	node_enter(0);
	h->fabric_attr->prov_name = strdup("weft");
	h->ep_attr->type = type;
	h->caps = caps;
	h->mode = mode;
	h->domain_attr->max_err_data = sizeof(struct sockaddr_in6);
	ret = fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, h, info);
	fi_freeinfo(h);
	return ret;
}

/* Granted on request, with FI_SOURCE, and where senders can be unknown. */
static bool given(void)
{
	const uint64_t both = FI_MSG | FI_SOURCE | FI_SOURCE_ERR;
	struct fi_info *info;

	CHECK_EQ(offers(p.o.type, FI_MSG | FI_SOURCE, 0, &info), 0);
	CHECK(!(info->caps & FI_SOURCE_ERR) && !(info->rx_attr->caps & FI_SOURCE_ERR));
	fi_freeinfo(info);
	CHECK_EQ(offers(p.o.type, FI_MSG | FI_SOURCE_ERR, 0, &info), -FI_ENODATA);
	CHECK_EQ(offers(FI_EP_MSG, both, 0, &info), -FI_ENODATA);
	CHECK_EQ(offers(p.o.type, both | FI_VARIABLE_MSG, 0, &info), -FI_ENODATA);
	CHECK_EQ(offers(p.o.type, both, 1ULL << 51 | FI_MSG_PREFIX, &info), 0);
	CHECK_EQ(info->mode, FI_MSG_PREFIX);
	CHECK(info->caps & FI_SOURCE_ERR && info->rx_attr->caps & FI_SOURCE_ERR);
	CHECK(info->domain_attr->max_err_data >= sizeof(struct sockaddr_in6));
	fi_freeinfo(info);
	return true;
}

/* In prefix mode the length of such an entry counts the prefix, like that of any other entry. */
static bool prefixed(void)
{
	static const size_t lens[] = { 0, 100, 1300 };
	size_t prefix = p.b.info->ep_attr->msg_prefix_size, len = 64, i;
	struct fi_cq_err_entry e;
	uint8_t addr[64];

	CHECK_EQ(prefix, 16);
	CHECK(forget(addr, &len));
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		memset(rbuf, 0xee, 4096);
		pattern_fill(sbuf + prefix, lens[i], 2);
		CHECK(post_plain(rbuf, prefix + lens[i] + 50, 1));
		CHECK_EQ(fi_send(p.a.ep, sbuf, prefix + lens[i], NULL, p.a.peer, ctx(2)), 0);
		CHECK(is_sent(2));
		CHECK(unknown(1, prefix + lens[i], FI_MSG, addr, len, &e));
		CHECK(pattern_is(rbuf + prefix, lens[i], 2));
		CHECK(all_bytes(rbuf + prefix + lens[i], 100, 0xee));
	}
	return true;
}

/* B's receive names A, whose node cannot be heard any more; no message for it is sent. */
static bool silence(void)
{
	struct fi_cq_err_entry e = {};
	struct fi_cq_tagged_entry c;

	CHECK_EQ(fi_recv(p.b.ep, rbuf, ROOM, NULL, FI_ADDR_UNSPEC, ctx(1)), 0);
	CHECK_EQ(fi_recv(p.b.ep, rbuf, 64, NULL, p.b.peer, ctx(2)), 0);
	/* the first receive takes this message, so that B knows A */
	CHECK_EQ(fi_send(p.a.ep, sbuf, 8, NULL, p.a.peer, ctx(3)), 0);
	CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == ctx(1));
	CHECK(link_cut());
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, &e), -FI_EAVAIL);
	CHECK(e.op_context == ctx(2) && (e.flags & (FI_RECV | FI_MSG)) == (FI_RECV | FI_MSG));
	CHECK_EQ(e.err, FI_ETIMEDOUT);
	/* a receive posted now gives A the time of a handshake to come back */
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 64, NULL, p.b.peer, 5, 0, ctx(4)), 0);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, &e), -FI_EAVAIL);
	CHECK(e.op_context == ctx(4));
	CHECK_EQ(e.err, FI_EHOSTUNREACH);
	return true;
}

static bool sender_is_gone(void)
{
	bool ok;

	if (!link_there())
		return pass_over("no link that can be cut");
	CHECK(port_limit(1, "keepalive-ms", 1000) && port_limit(1, "dead-ms", 1000) &&
	      port_limit(1, "connect-ms", 1000));
	ok = silence();
	ok &= link_mend();
	return port_limit(1, "keepalive-ms", 5000) && port_limit(1, "dead-ms", 10000) &&
	       port_limit(1, "connect-ms", 5000) && ok;
}

#define ASKS .o.caps = FI_SOURCE_ERR

static const struct row rows[] = {
	ROW("SRC-001", ON_FREE, "What comes from a sender that is not in the vector is an error entry FI_EADDRNOTAVAIL with its address, and is received",
	    stranger, ASKS),
	ROW("SRC-002", ON_FREE, "The address can be inserted as it is told", inserted, ASKS),
	ROW("SRC-003", ON_FREE, "The same with IPv6", inserted, ASKS, .o.v6 = true),
	ROW("SRC-004", ON_FREE, "Room that the program brings gets as much of the address as it holds",
	    own_room, ASKS),
	ROW("SRC-005", ON_FREE, "Without FI_SOURCE_ERR the source is FI_ADDR_NOTAVAIL", not_asked),
	ROW("SRC-006", ON_FREE, "The message counts as received; suppressed completions stay so",
	    a_success, ASKS, .o.selective = true, .o.counters = true),
	ROW("SRC-007", ON_FREE, "One that is cut is FI_ETRUNC, with the address", cut, ASKS),
	ROW("SRC-008", ON_FREE, "In a multi-receive buffer each message has its sender", packed,
	    .o.caps = FI_SOURCE_ERR | FI_MULTI_RECV),
	ROW("SRC-009", ON_RDM, "A peek and a claim tell the address too", waiting, ASKS),
	ROW("SRC-010", ON_DGRAM, "So does a datagram to a group", to_group,
	    .o.caps = FI_SOURCE_ERR | FI_MULTICAST),
	ROW("SRC-011", ON_FREE, "The capability is given only if asked for, with FI_SOURCE, not with FI_VARIABLE_MSG",
	    given, .alone = true, .once = true),
	ROW("SRC-012", ON_FREE, "In prefix mode its length counts the prefix", prefixed, ASKS,
	    .o.mode = FI_MSG_PREFIX, .o.prefix = 16),
	ROW("SRC-013", ON_RDM, "A receive that names its sender fails when that one's node is gone, whether anything is sent or not",
	    sender_is_gone, .o.caps = FI_DIRECTED_RECV),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
