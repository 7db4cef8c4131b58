// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_getinfo.c - fi_getinfo: selection of ports, endpoint types and addresses for a program
 *
 * Each port, endpoint type and address family gives one fi_info. Better ports come first: those
 * with a link, those that reach other nodes, those that own their NIC. A port matches if it has the
 * requested source address, and the route to the requested destination leads through it. The
 * kernel's routing decides that: a wrong interface would hang, not fail. If the program selects the
 * port itself, by source address or domain name, the routing is not asked. For an address of a port
 * of this node, that port is the route.
 *
 * A loopback address stands for this node. As no port has it, the port's own address is used.
 *
 * Utility providers such as ofi_rxm are refused. This provider has the features that they would
 * build out of FI_EP_MSG, and libfabric would list their offers first.
 */
#include <strings.h>
#include <unistd.h>

#include "weft_fi.h"

#define WEFT_FI_PORTS	64
#define WEFT_FI_FROM_UTIL	(1ULL << 59)	/* libfabric's own: a utility provider calls */
#define WEFT_FI_INTERNAL	(0xffULL << 56)	/* bits that libfabric reserves */
#define WEFT_FI_QUERY_FLAGS	(FI_SOURCE | FI_NUMERICHOST | FI_PROV_ATTR_ONLY | WEFT_FI_INTERNAL)

/**
 * struct weft_fi_wish - a requested source or destination address
 * @given: an address was requested
 * @v4: of family AF_INET; family 0: no such address
 * @v6: of family AF_INET6; family 0: no such address
 */
struct weft_fi_wish {
	bool given;
	struct weft_sockaddr v4;
	struct weft_sockaddr v6;
};

/**
 * struct weft_fi_query - a call of fi_getinfo
 * @version: API of the program
 * @hints: its hints, or NULL
 * @src: requested source
 * @dest: requested destination
 * @chosen: the program has selected the port
 * @here: a port of this node has the requested destination
 * @head: result
 * @tail: link for the next result
 */
struct weft_fi_query {
	uint32_t version;
	const struct fi_info *hints;
	struct weft_fi_wish src;
	struct weft_fi_wish dest;
	bool chosen;
	bool here;
	struct fi_info *head;
	struct fi_info **tail;
};

static const struct weft_sockaddr *weft_fi_wish_of(const struct weft_fi_wish *wish, int family)
{
	const struct weft_sockaddr *a = family == AF_INET ? &wish->v4 : &wish->v6;

	return a->family ? a : NULL;
}

static int weft_fi_wish_addr(struct weft_fi_wish *wish, const char *hint, const void *addr,
			     size_t len)
{
	struct weft_sockaddr a;
	int ret;

	ret = weft_addr_from_sockaddr(&a, addr, len);
	if (ret) {
		weft_fi_reason("hints->%s of %zu bytes is no whole sockaddr_in or sockaddr_in6",
			       hint, len);
		return -FI_ENODATA;
	}
	wish->given = true;
	*(a.family == AF_INET ? &wish->v4 : &wish->v6) = a;
	return 0;
}

static int weft_fi_wishes(struct weft_fi_query *query, const char *node, const char *service,
			  uint64_t flags)
{
	const struct fi_info *hints = query->hints;
	struct weft_fi_wish *named = flags & FI_SOURCE ? &query->src : &query->dest;
	int ret = 0;

	if (flags & FI_SOURCE && !node && !service) {
		weft_fi_reason("FI_SOURCE needs a node or a service");
		return -FI_EINVAL;
	}
	/* a service alone is a port number on this node, to listen on or to connect to */
	if (node || service) {
		ret = weft_fi_resolve(node, service, AF_UNSPEC, flags & FI_NUMERICHOST, &named->v4,
				      &named->v6);
		if (ret)
			return ret;
		named->given = true;
	}
	if (!hints)
		return 0;
	if (hints->src_addr && !query->src.given)
		ret = weft_fi_wish_addr(&query->src, "src_addr", hints->src_addr,
					hints->src_addrlen);
	if (!ret && hints->dest_addr && !query->dest.given)
		ret = weft_fi_wish_addr(&query->dest, "dest_addr", hints->dest_addr,
					hints->dest_addrlen);
	query->chosen = hints->domain_attr &&
			(hints->domain_attr->name || hints->domain_attr->domain);
	return ret;
}

/* Return: the source address that the kernel's routing would use. */
static int weft_fi_route(const struct weft_sockaddr *dest, struct weft_sockaddr *src)
{
	struct sockaddr_storage ss;
	struct weft_sockaddr to = *dest;
	socklen_t len;
	int fd, ret;

	if (!to.port)
		to.port = 0x0900;	/* connect(2) requires a port; no packet is sent */
	len = weft_addr_to_sockaddr(&to, &ss);
	fd = socket(ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	ret = connect(fd, (struct sockaddr *)&ss, len);
	if (!ret) {
		len = sizeof(ss);
		ret = getsockname(fd, (struct sockaddr *)&ss, &len);
	}
	ret = ret ? -errno : weft_addr_from_sockaddr(src, (struct sockaddr *)&ss, len);
	close(fd);
	return ret;
}

/*
 * Test whether the route to a destination leads through the port. If so, and the program has not
 * chosen a source, *@src becomes the source address. Return: true if it does.
 */
static bool weft_fi_reaches(const struct weft_fi_query *query, const struct weft_ioc_query *q,
			    const struct weft_sockaddr *dest, struct weft_sockaddr *src)
{
	bool fixed = query->src.given && !weft_fi_addr_any(src);
	char buf[WEFT_FI_STRADDR];
	struct weft_sockaddr from;
	int ret;

	if (weft_fi_port_has(q, dest)) {
		if (!fixed)
			memcpy(src->addr, dest->addr, sizeof(src->addr));
		return true;
	}
	/* any port reaches a group: its members are the nodes that receive the packets */
	if (weft_fi_addr_group(dest))
		return true;
	if (!strcmp(q->driver, "loop")) {
		weft_fi_reason("%s: a loop port reaches only its own addresses, not %s",
			       q->name, weft_fi_addr_name(dest, buf, sizeof(buf)));
		return false;
	}
	if (fixed)
		return true;
	if (query->here && !query->chosen) {
		weft_fi_reason("%s: another port has the address %s; to go from here all the same, name this port in hints->domain_attr->name",
			       q->name, weft_fi_addr_name(dest, buf, sizeof(buf)));
		return false;
	}
	ret = weft_fi_route(dest, &from);
	if (!ret && weft_fi_port_has(q, &from)) {
		memcpy(src->addr, from.addr, sizeof(src->addr));
		return true;
	}
	/* the kernel's routing does not know a port without network device */
	if (query->chosen || !q->netdev[0])
		return true;
	weft_fi_reason("%s: the way to %s does not lead through %s; see 'ip route', or name the port in hints->domain_attr->name",
		       q->name, weft_fi_addr_name(dest, buf, sizeof(buf)), q->netdev);
	return false;
}

static bool weft_fi_local(const struct weft_ioc_query *q, const struct weft_sockaddr *a)
{
	return weft_fi_addr_any(a) || (weft_fi_addr_loopback(a) && !weft_fi_port_has(q, a));
}

/*
 * Find source and destination for a port and family. Return: true; false: the port does not match.
 */
static bool weft_fi_addresses(const struct weft_fi_query *query, const struct weft_ioc_query *q,
			      int family, struct weft_sockaddr *src, struct weft_sockaddr *dest)
{
	const struct weft_sockaddr *own = weft_fi_port_addr(q, family);
	const struct weft_sockaddr *from = weft_fi_wish_of(&query->src, family);
	const struct weft_sockaddr *to = weft_fi_wish_of(&query->dest, family);
	char buf[WEFT_FI_STRADDR];

	if (!own && (from || to))
		weft_fi_reason("%s: has no address of the family of %s; give the port one",
			       q->name, weft_fi_addr_name(from ? from : to, buf, sizeof(buf)));
	if (!own || (query->src.given && !from) || (query->dest.given && !to))
		return false;
	*src = *own;
	memset(dest, 0, sizeof(*dest));
	if (from) {
		if (!weft_fi_local(q, from)) {
			if (!weft_fi_port_has(q, from)) {
				weft_fi_reason("%s: has no address %s", q->name,
					       weft_fi_addr_name(from, buf, sizeof(buf)));
				return false;
			}
			*src = *from;
		}
		src->port = from->port;
	}
	if (!to)
		return true;
	*dest = *to;
	if (weft_fi_local(q, to)) {
		*dest = *src;
		dest->port = to->port;
		return true;
	}
	return weft_fi_reaches(query, q, dest, src);
}

static bool weft_fi_format(const struct fi_info *hints, int family, uint32_t *format)
{
	*format = family == AF_INET ? FI_SOCKADDR_IN : FI_SOCKADDR_IN6;
	if (!hints || hints->addr_format == FI_FORMAT_UNSPEC || hints->addr_format == *format)
		return true;
	if (hints->addr_format != FI_SOCKADDR)
		return false;
	*format = FI_SOCKADDR;
	return true;
}

/* Return: true if the port has addresses of the requested format. Logs a mismatch. */
static bool weft_fi_has_format(const struct fi_info *hints, const struct weft_ioc_query *q)
{
	uint32_t format = hints ? hints->addr_format : FI_FORMAT_UNSPEC;
	const char *offers = "FI_SOCKADDR_IN, FI_SOCKADDR_IN6 and FI_SOCKADDR";
	char text[64];

	if (format == FI_FORMAT_UNSPEC || format == FI_SOCKADDR ||
	    (format == FI_SOCKADDR_IN && weft_fi_port_addr(q, AF_INET)) ||
	    (format == FI_SOCKADDR_IN6 && weft_fi_port_addr(q, AF_INET6)))
		return true;
	if (!weft_fi_explains())
		return false;
	if (format == FI_SOCKADDR_IN)
		offers = "FI_SOCKADDR_IN6 only: it has no IPv4 address";
	else if (format == FI_SOCKADDR_IN6)
		offers = "FI_SOCKADDR_IN only: it has no IPv6 address";
	fi_tostr_r(text, sizeof(text), &format, FI_TYPE_ADDR_FORMAT);
	weft_fi_reason("%s: hints->addr_format asks for %s, weft offers %s", q->name, text,
		       offers);
	return false;
}

/* Return: 0, 1: the hints exclude the type with any family; -FI_ENOMEM. */
static int weft_fi_offer(struct weft_fi_query *query, const struct weft_ioc_query *q,
			 enum fi_ep_type type, int family)
{
	const struct fi_info *hints = query->hints;
	struct weft_sockaddr src, dest;
	struct fi_info *info;
	uint32_t format;
	int ret;

	if (!weft_fi_format(hints, family, &format) ||
	    !weft_fi_addresses(query, q, family, &src, &dest))
		return 0;
	ret = weft_fi_info_new(q, type, &info);
	if (ret)
		return ret;
	if (hints && weft_fi_info_check(info, hints, query->version)) {
		fi_freeinfo(info);
		return 1;
	}
	weft_fi_info_narrow(info, hints, query->version);
	info->addr_format = format;
	ret = weft_fi_key_hand(info, hints, query->version);
	if (!ret)
		ret = weft_fi_addr_dup(&src, &info->src_addr, &info->src_addrlen);
	if (!ret && dest.family)
		ret = weft_fi_addr_dup(&dest, &info->dest_addr, &info->dest_addrlen);
	if (ret) {
		fi_freeinfo(info);
		return ret;
	}
	if (hints && hints->handle && hints->handle->fclass == FI_CLASS_PEP)
		info->handle = hints->handle;
	weft_fi_opened(info, hints);
	*query->tail = info;
	query->tail = &info->next;
	return 0;
}

static int weft_fi_offer_port(struct weft_fi_query *query, const struct weft_ioc_query *q)
{
	static const struct {
		enum fi_ep_type type;
		uint64_t cap;
	} types[] = {
		{ FI_EP_RDM, WEFT_CAP_RDM },
		{ FI_EP_MSG, WEFT_CAP_MSG },
		{ FI_EP_DGRAM, WEFT_CAP_DGRAM },
	};
	const struct fi_info *hints = query->hints;
	enum fi_ep_type asked = hints && hints->ep_attr ? hints->ep_attr->type : FI_EP_UNSPEC;
	bool known = false;
	size_t i;
	int ret;

	if (!weft_fi_has_format(hints, q))
		return 0;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!(q->caps & types[i].cap) ||
		    (asked != FI_EP_UNSPEC && asked != types[i].type))
			continue;
		known = true;
		ret = weft_fi_offer(query, q, types[i].type, AF_INET);
		if (!ret)
			ret = weft_fi_offer(query, q, types[i].type, AF_INET6);
		if (ret < 0)
			return ret;
	}
	if (!known)
		weft_fi_reason("%s: hints->ep_attr->type asks for type %d, weft offers FI_EP_RDM, FI_EP_MSG and FI_EP_DGRAM",
			       q->name, asked);
	return 0;
}

static int weft_fi_query_port(const char *name, struct weft_ioc_query *q)
{
	struct weft_ctx *ctx;
	int ret;

	ret = weft_open(name, &ctx);
	if (!ret) {
		ret = weft_query(ctx, q);
		weft_close(ctx);
	}
	if (ret && ret != -ENODEV)
		weft_fi_reason_port(name, ret);
	else if (!ret && !q->link_up)
		weft_fi_reason("%s: the link is down", name);
	return ret;
}

/* Return: the rank of a port; the lowest is the best. */
static int weft_fi_rank(const struct weft_ioc_query *q)
{
	int rank = q->link_up ? 0 : 4;

	if (!strcmp(q->driver, "loop"))
		return rank + 2;
	return rank + !!strcmp(q->driver, "vnet");
}

/* Query the ports that can be opened, the best first. Return: number of ports, -FI_ENOMEM. */
static int weft_fi_query_ports(struct weft_ioc_query **ports)
{
	char names[WEFT_FI_PORTS][WEFT_NAME_MAX];
	int n, i, at, ret, known = 0, elsewhere = 0;
	struct weft_ioc_query q;

	n = weft_ports(names, WEFT_FI_PORTS);
	*ports = NULL;
	if (n <= 0) {
		weft_fi_reason_none(n);
		return 0;
	}
	*ports = calloc(WEFT_FI_PORTS, sizeof(**ports));
	if (!*ports)
		return -FI_ENOMEM;
	for (i = 0; i < n && i < WEFT_FI_PORTS; i++) {
		ret = weft_fi_query_port(names[i], &q);
		elsewhere += ret == -ENODEV;
		if (ret)
			continue;
		for (at = known; at && weft_fi_rank(&(*ports)[at - 1]) > weft_fi_rank(&q); at--)
			(*ports)[at] = (*ports)[at - 1];
		(*ports)[at] = q;
		known++;
	}
	if (elsewhere && !known)
		weft_fi_reason_elsewhere(elsewhere);
	return known;
}

/* Return: true if a layering such as "weft" or "weft;ofi_rxm" names this provider. */
static bool weft_fi_named(const char *names)
{
	size_t len;
	bool core = false;

	for (; *names; names += len + (names[len] == ';')) {
		len = strcspn(names, ";");
		if (len == strlen(WEFT_FI_NAME) && !strncasecmp(names, WEFT_FI_NAME, len))
			return true;
		if (names[0] != '^' && strncmp(names, "ofi_", 4) && len)
			core = true;
	}
	return !core;
}

/* Return: 0: query->head has the offers; -FI_ENODATA, -FI_EINVAL, -FI_EBADFLAGS, -FI_ENOMEM. */
static int weft_fi_offers(struct weft_fi_query *query, const char *node, const char *service,
			  uint64_t flags)
{
	struct weft_ioc_query *ports;
	int n, i, ret;

	if (flags & ~WEFT_FI_QUERY_FLAGS) {
		weft_fi_reason("fi_getinfo has no flags but FI_SOURCE, FI_NUMERICHOST and FI_PROV_ATTR_ONLY: %#llx",
			       (unsigned long long)(flags & ~WEFT_FI_QUERY_FLAGS));
		return -FI_EBADFLAGS;
	}
	ret = weft_fi_wishes(query, node, service, flags);
	if (ret)
		return ret;
	n = weft_fi_query_ports(&ports);
	if (n < 0)
		return n;
	for (i = 0; i < n; i++)
		query->here |= weft_fi_port_has(&ports[i], &query->dest.v4) ||
			       weft_fi_port_has(&ports[i], &query->dest.v6);
	for (i = 0; i < n && !ret; i++)
		ret = weft_fi_offer_port(query, &ports[i]);
	free(ports);
	if (!ret && !query->head && n)
		weft_fi_reason("no port suits; what is said above stands against each");
	return ret || query->head ? ret : -FI_ENODATA;
}

/**
 * weft_fi_getinfo() - see fi_getinfo(3)
 * @version: API of the program
 * @node: name or address, or NULL
 * @service: name or number, or NULL
 * @flags: FI_SOURCE, FI_NUMERICHOST, FI_PROV_ATTR_ONLY
 * @hints: or NULL
 * @info: out
 *
 * Return: 0, -FI_ENODATA, -FI_EINVAL, -FI_EBADFLAGS, -FI_ENOMEM.
 */
int weft_fi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
		    const struct fi_info *hints, struct fi_info **info)
{
	const char *prov = hints && hints->fabric_attr ? hints->fabric_attr->prov_name : NULL;
	struct weft_fi_query query = { .version = version, .hints = hints };
	int ret;

	*info = NULL;
	if (flags & FI_PROV_ATTR_ONLY) {
		*info = fi_allocinfo();
		if (!*info)
			return -FI_ENOMEM;
		(*info)->fabric_attr->prov_version = WEFT_FI_VERSION;
		return 0;
	}
	if (flags & WEFT_FI_FROM_UTIL || (prov && !weft_fi_named(prov)))
		return -FI_ENODATA;
	query.tail = &query.head;
	weft_fi_reasons_begin(hints);
	ret = weft_fi_offers(&query, node, service, flags);
	weft_fi_reasons_end(!ret);
	if (ret)
		fi_freeinfo(query.head);
	else
		*info = query.head;
	return ret;
}
