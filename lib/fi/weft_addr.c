// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_addr.c - addresses: name resolution, comparison, the formats for programs
 *
 * The provider uses struct weft_sockaddr. Programs use struct sockaddr_in or sockaddr_in6
 * (FI_SOCKADDR_IN, FI_SOCKADDR_IN6, FI_SOCKADDR) and the text form FI_ADDR_STR.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>

#include "weft_fi.h"

#define WEFT_FI_NODE_MAX	256

size_t weft_fi_addr_size(int family)
{
	return family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

bool weft_fi_addr_same(const struct weft_sockaddr *a, const struct weft_sockaddr *b)
{
	return a->family == b->family && !memcmp(a->addr, b->addr, sizeof(a->addr)) &&
	       (!a->scope || !b->scope || a->scope == b->scope);
}

bool weft_fi_addr_any(const struct weft_sockaddr *a)
{
	static const uint8_t zero[sizeof(a->addr)];

	return !memcmp(a->addr, zero, sizeof(zero));
}

bool weft_fi_addr_group(const struct weft_sockaddr *a)
{
	return a->family == AF_INET ? (a->addr[0] & 0xf0) == 0xe0 : a->addr[0] == 0xff;
}

bool weft_fi_addr_loopback(const struct weft_sockaddr *a)
{
	return a->family == AF_INET ? a->addr[0] == IN_LOOPBACKNET :
		IN6_IS_ADDR_LOOPBACK((const struct in6_addr *)a->addr);
}

/* The text of fi_av_straddr(3). */
const char *weft_fi_addr_str(const struct weft_sockaddr *a, char *buf, size_t len)
{
	char host[INET6_ADDRSTRLEN];

	if (!inet_ntop(a->family, a->addr, host, sizeof(host)))
		snprintf(host, sizeof(host), "?");
	snprintf(buf, len, a->family == AF_INET6 ? "fi_sockaddr_in6://[%s]:%u" :
		 "fi_sockaddr_in://%s:%u", host, ntohs(a->port));
	return buf;
}

/* The name of a node, or of an endpoint, for the log: as weftctl and the trace points have it. */
const char *weft_fi_addr_name(const struct weft_sockaddr *a, char *buf, size_t len)
{
	const char *name;

	if (!a->port && inet_ntop(a->family, a->addr, buf, (socklen_t)len))
		return buf;
	name = strstr(weft_fi_addr_str(a, buf, len), "//") + 2;
	memmove(buf, name, strlen(name) + 1);
	return buf;
}

/* @family: expected family; AF_UNSPEC: the family in the address */
int weft_fi_addr_read(struct weft_sockaddr *a, const void *buf, int family)
{
	struct sockaddr_storage ss;
	const struct sockaddr *sa = (const struct sockaddr *)&ss;

	if (!buf)
		return -FI_EINVAL;
	/* addresses in an array need not be aligned */
	memcpy(&ss, buf, sizeof(ss.ss_family));
	if (family != AF_UNSPEC && ss.ss_family != family)
		return -FI_EINVAL;
	if (ss.ss_family != AF_INET && ss.ss_family != AF_INET6)
		return -FI_EINVAL;
	memcpy(&ss, buf, weft_fi_addr_size(ss.ss_family));
	return weft_addr_from_sockaddr(a, sa, weft_fi_addr_size(ss.ss_family));
}

/* Writes the part that fits; *@len becomes the required length. */
int weft_fi_addr_write(const struct weft_sockaddr *a, void *buf, size_t *len)
{
	struct sockaddr_storage ss;
	size_t room = *len;
	int need;

	need = weft_addr_to_sockaddr(a, &ss);
	if (need < 0)
		return need;
	*len = need;
	if (buf && room)
		memcpy(buf, &ss, room < *len ? room : *len);
	return room < *len ? -FI_ETOOSMALL : 0;
}

int weft_fi_addr_dup(const struct weft_sockaddr *a, void **buf, size_t *len)
{
	*len = weft_fi_addr_size(a->family);
	*buf = calloc(1, *len);
	if (!*buf)
		return -FI_ENOMEM;
	return weft_fi_addr_write(a, *buf, len);
}

const struct weft_sockaddr *weft_fi_port_addr(const struct weft_ioc_query *q, int family)
{
	uint32_t i;

	for (i = 0; i < q->naddr && i < sizeof(q->addr) / sizeof(q->addr[0]); i++) {
		if (family == AF_UNSPEC || q->addr[i].family == family)
			return &q->addr[i];
	}
	return NULL;
}

bool weft_fi_port_has(const struct weft_ioc_query *q, const struct weft_sockaddr *a)
{
	uint32_t i;

	for (i = 0; i < q->naddr && i < sizeof(q->addr) / sizeof(q->addr[0]); i++) {
		if (weft_fi_addr_same(&q->addr[i], a))
			return true;
	}
	return false;
}

/* Return: the scheme of an address in text form (FI_ADDR_STR), NULL: another form. */
static const char *weft_fi_scheme(const char *node)
{
	static const char * const schemes[] = {
		"fi_sockaddr://", "fi_sockaddr_in://", "fi_sockaddr_in6://",
	};
	size_t i;

	for (i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		if (!strncmp(node, schemes[i], strlen(schemes[i])))
			return schemes[i];
	}
	return NULL;
}

bool weft_fi_addr_text(const char *node)
{
	return weft_fi_scheme(node);
}

/*
 * Split a node of the form fi_sockaddr[_in|_in6]://host[:service] (FI_ADDR_STR). Return: 0, 1:
 * another form, -FI_EINVAL.
 */
static int weft_fi_split(const char *node, char *host, size_t len, const char **service)
{
	const char *scheme = weft_fi_scheme(node);
	const char *end = NULL;
	const char *text = node;

	if (!scheme)
		return 1;
	if (*service)
		return weft_fi_fail(FI_LOG_CORE, -FI_EINVAL,
				    "node '%s' has its service already, or none: pass no service",
				    node);
	node += strlen(scheme);
	if (*node == '[') {
		node++;
		end = strchr(node, ']');
		if (!end)
			goto bad;
	} else {
		end = node + strcspn(node, ":");
	}
	if ((size_t)(end - node) >= len)
		goto bad;
	memcpy(host, node, end - node);
	host[end - node] = '\0';
	if (*end == ']')
		end++;
	if (*end == ':' && end[1])
		*service = end + 1;
	else if (*end && *end != ':')
		goto bad;
	return 0;
bad:
	return weft_fi_fail(FI_LOG_CORE, -FI_EINVAL, "node '%s' is no address", text);
}

/**
 * weft_fi_resolve() - resolve a node and a service
 * @node: name, address, or address in the form of FI_ADDR_STR; NULL: any address
 * @service: name or number, or NULL
 * @family: AF_UNSPEC: any
 * @numeric: @node is an address: do not use the name service
 * @v4: out: first IPv4 address, family 0: none
 * @v6: out: first IPv6 address, family 0: none
 *
 * Return: 0, -FI_EINVAL, -FI_ENODATA (no address: the reason is in the log).
 */
int weft_fi_resolve(const char *node, const char *service, int family, bool numeric,
		    struct weft_sockaddr *v4, struct weft_sockaddr *v6)
{
	struct addrinfo want = { .ai_family = family, .ai_socktype = SOCK_DGRAM };
	struct addrinfo *list, *ai;
	char host[WEFT_FI_NODE_MAX];
	struct weft_sockaddr *slot;
	int ret;

	memset(v4, 0, sizeof(*v4));
	memset(v6, 0, sizeof(*v6));
	if (node) {
		ret = weft_fi_split(node, host, sizeof(host), &service);
		if (ret < 0)
			return ret;
		if (!ret) {
			node = host;
			numeric = true;
		}
	} else {
		want.ai_flags |= AI_PASSIVE;
	}
	if (numeric)
		want.ai_flags |= AI_NUMERICHOST;
	ret = getaddrinfo(node, service, &want, &list);
	if (ret) {
		weft_fi_reason("node '%s' service '%s': %s", node ? node : "",
			       service ? service : "", gai_strerror(ret));
		return ret == EAI_MEMORY ? -FI_ENOMEM : -FI_ENODATA;
	}
	for (ai = list; ai; ai = ai->ai_next) {
		if (ai->ai_family != AF_INET && ai->ai_family != AF_INET6)
			continue;
		slot = ai->ai_family == AF_INET ? v4 : v6;
		if (!slot->family)
			weft_addr_from_sockaddr(slot, ai->ai_addr, ai->ai_addrlen);
	}
	freeaddrinfo(list);
	return v4->family || v6->family ? 0 : -FI_ENODATA;
}
