// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* fi_msg(3) and fi_cm(3) on FI_MULTICAST, rule by rule. TIMEOUT: 200 LINKS: vnet loop */
#include <arpa/inet.h>
#include <netinet/in.h>
#include "rows.h"

#define SERVICE	4711

/* Group number @n, of the pair's family. */
static void *group(unsigned int n, unsigned int service)
{
	static struct sockaddr_in6 a6;
	static struct sockaddr_in a;

	a = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(service) };
	a.sin_addr.s_addr = htonl(0xeffe0100 + n);
	a6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(service) };
	inet_pton(AF_INET6, "ff05::7765", &a6.sin6_addr);
	a6.sin6_addr.s6_addr[15] = n;
	return p.o.v6 ? (void *)&a6 : &a;
}

static bool join(struct side *s, const void *addr, uint64_t flags, struct fid_mc **mc)
{
	struct fi_eq_entry e;
	uint32_t type;

	CHECK_EQ(fi_join(s->ep, addr, flags, mc, sbuf), 0);
	CHECK_EQ(event(s->eq, &type, &e, sizeof(e)), sizeof(e));
	CHECK_EQ(type, FI_JOIN_COMPLETE);
	CHECK(e.fid == &(*mc)->fid);
	CHECK(e.context == sbuf);
	return true;
}

/* A join that fails with an event. */
static bool join_fails(struct side *s, const void *addr, int error)
{
	struct fi_eq_err_entry err = {};
	struct fid_mc *mc;
	struct fi_eq_entry e;
	uint32_t type;

	CHECK_EQ(fi_join(s->ep, addr, 0, &mc, sbuf), 0);
	CHECK_EQ(event(s->eq, &type, &e, sizeof(e)), -FI_EAVAIL);
	CHECK_EQ(fi_eq_readerr(s->eq, &err, 0), sizeof(err));
	CHECK(err.fid == &mc->fid);
	CHECK(err.context == sbuf);
	CHECK_EQ(err.err, error);
	CHECK_EQ(fi_send(s->ep, sbuf, 8, NULL, fi_mc_addr(mc), NULL), -FI_EINVAL);
	return !fi_close(&mc->fid);
}

static ssize_t send_mc(struct side *s, size_t len, fi_addr_t to, uint64_t flags)
{
	struct iovec iov = { sbuf, len };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = to, .context = ctx(2) };

	return fi_sendmsg(s->ep, &m, flags);
}

static bool sent(struct side *s)
{
	struct fi_cq_tagged_entry c;

	CHECK_EQ(completion(s->txcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == ctx(2));
	return true;
}

static bool post(struct side *s, void *buf, unsigned int n)
{
	CHECK_EQ(fi_recv(s->ep, buf, 2000, NULL, FI_ADDR_UNSPEC, ctx(n)), 0);
	return true;
}

/* A side's next completion: receive @n, of a datagram to a group. */
static bool got(struct side *s, void *buf, unsigned int n, size_t len, uint32_t seed,
		fi_addr_t from)
{
	struct fi_cq_tagged_entry c;
	fi_addr_t src;

	CHECK_EQ(completion(s->rxcq, &c, &src, NULL), 1);
	CHECK(c.op_context == ctx(n));
	CHECK_EQ(c.flags, FI_RECV | FI_MSG | FI_MULTICAST);
	CHECK_EQ(c.len, len);
	CHECK_EQ(src, from);
	CHECK(pattern_is(buf, len, seed));
	return all_bytes((uint8_t *)buf + len, 100, 0xee);
}

static bool know(struct side *s, struct side *whom, fi_addr_t *at)
{
	uint8_t addr[64];
	size_t len = sizeof(addr);

	*at = s->peer;
	if ((s == &p.a && whom == &p.b) || (s == &p.b && whom == &p.a))
		return true;
	CHECK_EQ(fi_getname(&whom->ep->fid, addr, &len), 0);
	CHECK_EQ(fi_av_insert(s->av, addr, 1, at, 0, NULL), 1);
	return true;
}

/* Three members on two nodes (or one): each gets what any of them sends, once. */
static bool all_members(void)
{
	static const size_t lens[] = { 0, 1, 100, 960, 1300 };
	struct side *s[] = { &p.a, &p.b, NULL };
	struct fid_mc *mc[3];
	struct side c;
	fi_addr_t from[3][3];
	unsigned int i, k, n;

	CHECK(side_open(&c, p.o.apart, &p.o));
	CHECK(side_endpoint(&c, c.info, &p.o));
	s[2] = &c;
	for (i = 0; i < 3; i++) {
		CHECK(join(s[i], group(1, SERVICE), 0, &mc[i]));
		for (k = 0; k < 3; k++)
			CHECK(know(s[i], s[k], &from[i][k]));
	}
	for (n = 0; n < 15; n++) {
		size_t len = lens[n / 3];

		memset(rbuf, 0xee, 3 * 4096);
		pattern_fill(sbuf, len, n);
		for (i = 0; i < 3; i++)
			CHECK(post(s[i], rbuf + 4096 * i, 10 + i));
		CHECK_EQ(send_mc(s[n % 3], len, fi_mc_addr(mc[n % 3]), FI_MULTICAST), 0);
		CHECK(sent(s[n % 3]));
		for (i = 0; i < 3; i++)
			CHECK(got(s[i], rbuf + 4096 * i, 10 + i, len, n, from[i][n % 3]));
	}
	for (i = 0; i < 3; i++) {
		CHECK(quiet(s[i]->rxcq));
		CHECK_EQ(fi_close(&mc[i]->fid), 0);
	}
	side_close(&c);
	return true;
}

/* The same with IPv6; a port within a node may lack such an address. */
static bool all_members6(void)
{
	struct opts o = { .type = p.o.type, .caps = FI_MULTICAST, .v6 = true, .apart = p.o.apart };
	struct fi_info *h = fi_allocinfo(), *info;
	int ret;

	CHECK(h);
	node_enter(0);
	h->fabric_attr->prov_name = strdup("weft");
	h->addr_format = FI_SOCKADDR_IN6;
	ret = fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, h, &info);
	fi_freeinfo(h);
	if (ret) {
		CHECK_EQ(ret, -FI_ENODATA);
		return nodes_are_one();
	}
	fi_freeinfo(info);
	CHECK(pair_open(&p, &o));
	return all_members();
}

/* The flag and the address of a group go together. */
static bool flag_and_address(void)
{
	uint64_t flags = FI_TRANSMIT | FI_MULTICAST;
	struct fid_mc *mc;
	fi_addr_t to, self;

	CHECK(join(&p.a, group(1, SERVICE), 0, &mc));
	to = fi_mc_addr(mc);
	CHECK_EQ(send_mc(&p.a, 8, to, 0), -FI_EINVAL);
	CHECK_EQ(send_mc(&p.a, 8, p.a.peer, FI_MULTICAST), -FI_EINVAL);
	CHECK_EQ(fi_send(p.a.ep, sbuf, 8, NULL, to, ctx(2)), -FI_EINVAL);
	CHECK_EQ(send_mc(&p.a, 8, to, FI_MULTICAST | FI_DELIVERY_COMPLETE), -FI_EOPNOTSUPP);
	/* an ordinary datagram of the same endpoint */
	CHECK(post_plain(rbuf, 64, 1));
	CHECK(send_plain(8, 1, 2));
	CHECK(is_received(1, 8, false, 0));
	/* as default of calls without flags */
	CHECK_EQ(fi_control(&p.a.ep->fid, FI_SETOPSFLAG, &flags), 0);
	pattern_fill(sbuf, 30, 4);
	CHECK(know(&p.a, &p.a, &self));
	CHECK(post(&p.a, rbuf + 8192, 3));
	CHECK(post(&p.a, rbuf + 12288, 4));
	CHECK_EQ(fi_send(p.a.ep, sbuf, 30, NULL, to, ctx(2)), 0);
	CHECK(sent(&p.a));
	CHECK_EQ(fi_inject(p.a.ep, sbuf, 30, to), 0);
	CHECK(got(&p.a, rbuf + 8192, 3, 30, 4, self));
	CHECK(got(&p.a, rbuf + 12288, 4, 30, 4, self));
	return !fi_close(&mc->fid);
}

/* Preconditions of a join. */
static bool needs(void)
{
	struct opts o = { .type = p.o.type, .caps = FI_MULTICAST };
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED };
	struct fi_av_attr av = { .type = FI_AV_TABLE };
	struct fid_mc *mc;
	struct side *s = &p.a;

	CHECK(side_open(s, 0, &o));
	CHECK_EQ(fi_cq_open(s->domain, &cq, &s->txcq, NULL), 0);
	CHECK_EQ(fi_av_open(s->domain, &av, &s->av, NULL), 0);
	CHECK_EQ(fi_endpoint(s->domain, s->info, &s->ep, NULL), 0);
	CHECK_EQ(fi_join(s->ep, group(1, SERVICE), 0, &mc, NULL), -FI_ENOEQ);
	CHECK_EQ(fi_ep_bind(s->ep, &s->txcq->fid, FI_TRANSMIT | FI_RECV), 0);
	CHECK_EQ(fi_ep_bind(s->ep, &s->av->fid, 0), 0);
	CHECK_EQ(fi_ep_bind(s->ep, &s->eq->fid, 0), 0);
	CHECK_EQ(fi_join(s->ep, group(1, SERVICE), 0, &mc, NULL), -FI_EOPBADSTATE);
	CHECK_EQ(fi_enable(s->ep), 0);
	CHECK_EQ(fi_join(s->ep, group(1, SERVICE), FI_PEEK, &mc, NULL), -FI_EBADFLAGS);
	CHECK(join(s, group(1, SERVICE), 0, &mc));
	CHECK_EQ(fi_close(&mc->fid), 0);
	pair_close(&p);
	/* an endpoint without FI_MULTICAST */
	o.caps = 0;
	CHECK(pair_open(&p, &o));
	CHECK_EQ(fi_join(p.a.ep, group(1, SERVICE), 0, &mc, NULL), -FI_EOPNOTSUPP);
	return true;
}

/* Other kinds of endpoints have no groups. */
static bool not_there(void)
{
	struct opts o = { .type = p.o.type };
	struct fi_info *h = fi_allocinfo(), *info;
	struct fid_mc *mc;

	CHECK(h);
	node_enter(0);
	h->fabric_attr->prov_name = strdup("weft");
	h->ep_attr->type = p.o.type;
	h->caps = FI_MSG | FI_MULTICAST;
	CHECK_EQ(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, h, &info), -FI_ENODATA);
	fi_freeinfo(h);
	CHECK(pair_open(&p, &o));
	CHECK_EQ(fi_join(p.a.ep, group(1, SERVICE), 0, &mc, NULL), -FI_EOPNOTSUPP);
	return true;
}

/* The result of a join is an event. */
static bool results(void)
{
	struct sockaddr_in unicast = { .sin_family = AF_INET, .sin_port = htons(5) };
	struct sockaddr_in6 other = { .sin6_family = AF_INET6, .sin6_port = htons(5) };
	struct fid_mc *mc[64], *more;
	unsigned int i;

	unicast.sin_addr.s_addr = htonl(0x0a4d0001);
	other.sin6_addr.s6_addr[0] = 0xff;
	CHECK(join_fails(&p.a, &unicast, FI_EINVAL));
	CHECK(join_fails(&p.a, &other, FI_EINVAL));
	CHECK(join(&p.a, group(1, SERVICE), 0, &mc[0]));
	CHECK(join_fails(&p.a, group(1, SERVICE), FI_EALREADY));
	for (i = 1; i < 64; i++)
		CHECK(join(&p.a, group(1, SERVICE + i), 0, &mc[i]));
	CHECK(join_fails(&p.a, group(1, SERVICE - 1), FI_ENOSPC));
	CHECK_EQ(fi_close(&mc[5]->fid), 0);
	CHECK(join(&p.a, group(1, SERVICE - 1), 0, &mc[5]));
	for (i = 0; i < 64; i++)
		CHECK_EQ(fi_close(&mc[i]->fid), 0);
	/* service 0 is the endpoint's own */
	CHECK(join(&p.a, group(2, 0), 0, &mc[0]));
	CHECK(join(&p.b, group(2, 0), 0, &more));
	CHECK(post(&p.b, rbuf, 1));
	CHECK_EQ(send_mc(&p.a, 8, fi_mc_addr(mc[0]), FI_MULTICAST), 0);
	CHECK(sent(&p.a));
	CHECK(quiet(p.b.rxcq));
	CHECK_EQ(fi_close(&more->fid), 0);
	return !fi_close(&mc[0]->fid);
}

/* The address is valid from the event on. */
static bool address(void)
{
	struct fi_eq_entry e;
	struct fid_mc *mc;
	uint32_t type;

	CHECK_EQ(fi_join(p.a.ep, group(1, SERVICE), FI_SEND, &mc, NULL), 0);
	CHECK_EQ(send_mc(&p.a, 8, fi_mc_addr(mc), FI_MULTICAST), -FI_EINVAL);
	CHECK_EQ(event(p.a.eq, &type, &e, sizeof(e)), sizeof(e));
	CHECK_EQ(type, FI_JOIN_COMPLETE);
	CHECK_EQ(send_mc(&p.a, 8, fi_mc_addr(mc), FI_MULTICAST), 0);
	CHECK(sent(&p.a));
	return !fi_close(&mc->fid);
}

/* FI_SEND and FI_RECV restrict a membership. */
static bool one_way(void)
{
	struct fid_mc *a, *b;
	fi_addr_t to;

	CHECK(join(&p.a, group(1, SERVICE), FI_SEND, &a));
	CHECK(join(&p.b, group(1, SERVICE), FI_RECV, &b));
	CHECK(post(&p.a, rbuf + 4096, 3));
	CHECK(post(&p.b, rbuf, 1));
	pattern_fill(sbuf, 77, 2);
	CHECK_EQ(send_mc(&p.a, 77, fi_mc_addr(a), FI_MULTICAST), 0);
	CHECK(sent(&p.a));
	CHECK(got(&p.b, rbuf, 1, 77, 2, p.b.peer));
	CHECK(quiet(p.a.rxcq));
	to = fi_mc_addr(b);
	CHECK_EQ(send_mc(&p.b, 77, to, FI_MULTICAST), -FI_EINVAL);
	CHECK_EQ(fi_close(&a->fid), 0);
	return !fi_close(&b->fid);
}

/* B's next completion is that of receive 1: a datagram sent before B joined may come first. */
static bool got_new(size_t len, uint32_t seed)
{
	struct fi_cq_tagged_entry c;

	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	if (!c.len) {
		CHECK(post(&p.b, rbuf, 1));
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	}
	CHECK(c.op_context == ctx(1));
	CHECK_EQ(c.flags, FI_RECV | FI_MSG | FI_MULTICAST);
	CHECK_EQ(c.len, len);
	return pattern_is(rbuf, len, seed);
}

/*
 * A member that has left gets nothing more. A third endpoint, on B's node, stays a member: when it
 * has received a datagram, that datagram has reached the node.
 */
static bool leaves(void)
{
	struct fid_mc *a, *b, *w;
	fi_addr_t old, from;
	struct side c;

	CHECK(side_open(&c, p.o.apart, &p.o));
	CHECK(side_endpoint(&c, c.info, &p.o));
	CHECK(join(&p.a, group(1, SERVICE), 0, &a));
	CHECK(join(&p.b, group(1, SERVICE), 0, &b));
	CHECK(join(&c, group(1, SERVICE), 0, &w));
	CHECK_EQ(fi_close(&p.b.ep->fid), -FI_EBUSY);
	CHECK(know(&p.a, &p.a, &old));
	CHECK(know(&c, &p.a, &from));
	CHECK(post(&p.a, rbuf + 4096, 3));
	CHECK(post(&c, rbuf + 8192, 4));
	CHECK(post(&p.b, rbuf, 1));
	CHECK_EQ(fi_close(&b->fid), 0);
	CHECK_EQ(send_mc(&p.a, 0, fi_mc_addr(a), FI_MULTICAST), 0);
	CHECK(sent(&p.a));
	CHECK(got(&p.a, rbuf + 4096, 3, 0, 0, old));
	CHECK(got(&c, rbuf + 8192, 4, 0, 0, from));
	CHECK(quiet(p.b.rxcq));
	old = fi_mc_addr(a);
	CHECK_EQ(fi_close(&a->fid), 0);
	CHECK_EQ(send_mc(&p.a, 8, old, FI_MULTICAST), -FI_EINVAL);
	/* joined again: everything is as before */
	CHECK(join(&p.b, group(1, SERVICE), 0, &b));
	CHECK(join(&p.a, group(1, SERVICE), FI_SEND, &a));
	pattern_fill(sbuf, 9, 9);
	CHECK_EQ(send_mc(&p.a, 9, fi_mc_addr(a), FI_MULTICAST), 0);
	CHECK(sent(&p.a));
	CHECK(got_new(9, 9));
	CHECK_EQ(fi_close(&a->fid), 0);
	CHECK_EQ(fi_close(&b->fid), 0);
	CHECK_EQ(fi_close(&w->fid), 0);
	side_close(&c);
	return true;
}

#define MULTI .o.caps = FI_MULTICAST

static const struct row rows[] = {
	ROW("MSG-058", ON_DGRAM, "A multicast send reaches all members, and tells its sender",
	    all_members, MULTI),
	ROW("MSG-058b", ON_DGRAM, "The same with IPv6", all_members6, .alone = true),
	ROW("MSG-059", ON_DGRAM, "FI_MULTICAST and the address of a group go together",
	    flag_and_address, MULTI),
	ROW("CM-044", ON_DGRAM, "A join needs an event queue, an enabled endpoint, FI_MULTICAST",
	    needs, .alone = true),
	ROW("CM-044b", ON_BOTH, "Endpoints that are not of datagrams have no groups", not_there,
	    .alone = true),
	ROW("CM-045", ON_DGRAM, "The result of a join is an event", results, MULTI),
	ROW("CM-046", ON_DGRAM, "The address of a group holds from the event on", address, MULTI),
	ROW("CM-047", ON_DGRAM, "FI_SEND and FI_RECV restrict a membership", one_way, MULTI),
	ROW("CM-048", ON_DGRAM, "Closing a group leaves it", leaves, MULTI),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
