// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_av.c - address vectors
 *
 * The kernel holds the vector and gives the indices; a fi_addr_t is the index, in maps as in
 * tables. Here stands only which indices are in use, so that a send to another one is refused by
 * the call.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <stdio.h>

#include "weft_fi.h"

#define WEFT_FI_AV_BATCH	256
#define WEFT_FI_HOST_MAX	256

static int weft_fi_av_mark(struct weft_fi_av *av, uint32_t index, uint8_t used)
{
	_Atomic uint8_t *chunk = av->used[index / WEFT_FI_AV_CHUNK];

	if (!chunk) {
		chunk = calloc(WEFT_FI_AV_CHUNK, sizeof(*chunk));
		if (!chunk)
			return -FI_ENOMEM;
		atomic_store_explicit(&av->used[index / WEFT_FI_AV_CHUNK], chunk,
				      memory_order_release);
	}
	atomic_store_explicit(&chunk[index % WEFT_FI_AV_CHUNK], used, memory_order_relaxed);
	return 0;
}

/* @index: @count of them, WEFT_SRC_ANY for an address that was refused */
static int weft_fi_av_put(struct weft_fi_av *av, const struct weft_sockaddr *addrs, size_t count,
			  uint32_t *index)
{
	size_t i;
	int ret;

	pthread_mutex_lock(&av->lock);
	ret = weft_av_insert(av->av, addrs, count, index);
	for (i = 0; i < count; i++) {
		if (ret < 0) {
			index[i] = WEFT_SRC_ANY;
		} else if (index[i] != WEFT_SRC_ANY && weft_fi_av_mark(av, index[i], 1)) {
			weft_av_remove(av->av, &index[i], 1);
			index[i] = WEFT_SRC_ANY;
		}
	}
	pthread_mutex_unlock(&av->lock);
	return ret < 0 ? ret : 0;
}

static int weft_fi_av_event_err(struct weft_fi_av *av, void *context, size_t i, int err)
{
	struct fi_eq_err_entry entry = {
		.fid = &av->fid.fid,
		.context = context,
		.data = i,
		.err = err,
		.prov_errno = err,
	};

	return weft_fi_eq_post_err(av->eq, &entry);
}

/**
 * struct weft_fi_av_call - an insertion under way
 * @av: address vector
 * @out: where the program wants the addresses, or NULL
 * @flags: of the call
 * @context: of the call; with FI_SYNC_ERR an array of int
 * @next: addresses dealt with
 * @good: inserted ones
 */
struct weft_fi_av_call {
	struct weft_fi_av *av;
	fi_addr_t *out;
	uint64_t flags;
	void *context;
	size_t next;
	size_t good;
};

/* tell the program what became of one address */
static void weft_fi_av_result(struct weft_fi_av_call *call, uint32_t index, int err)
{
	bool good = index != WEFT_SRC_ANY;

	if (good)
		err = 0;
	else if (!err)
		err = FI_EINVAL;
	if (call->out)
		call->out[call->next] = good ? index : FI_ADDR_NOTAVAIL;
	if (call->flags & FI_SYNC_ERR)
		((int *)call->context)[call->next] = err;
	else if (!good && call->av->flags & FI_EVENT)
		weft_fi_av_event_err(call->av, call->context, call->next, err);
	call->good += good;
	call->next++;
}

static void weft_fi_av_some(struct weft_fi_av_call *call, const struct weft_sockaddr *addrs,
			    size_t count)
{
	uint32_t index[WEFT_FI_AV_BATCH];
	size_t i;
	int ret;

	ret = weft_fi_av_put(call->av, addrs, count, index);
	for (i = 0; i < count; i++)
		weft_fi_av_result(call, index[i], ret < 0 ? -ret : 0);
}

static int weft_fi_av_begin(struct weft_fi_av_call *call, struct fid_av *fid, fi_addr_t *out,
			    uint64_t flags, void *context)
{
	struct weft_fi_av *av = weft_container(fid, struct weft_fi_av, fid);

	*call = (struct weft_fi_av_call) {
		.av = av, .out = out, .flags = flags, .context = context,
	};
	if (flags & ~(FI_MORE | FI_SYNC_ERR))
		return -FI_EBADFLAGS;
	if (av->flags & FI_EVENT && !av->eq)
		return -FI_ENOEQ;
	if (flags & FI_SYNC_ERR && (!context || av->flags & FI_EVENT))
		return -FI_EINVAL;
	return 0;
}

static int weft_fi_av_end(struct weft_fi_av_call *call)
{
	struct fi_eq_entry entry = {
		.fid = &call->av->fid.fid,
		.context = call->context,
		.data = call->good,
	};

	if (!(call->av->flags & FI_EVENT))
		return call->good;
	return weft_fi_eq_post(call->av->eq, FI_AV_COMPLETE, entry.fid, &entry, sizeof(entry));
}

static int weft_fi_av_insert(struct fid_av *fid, const void *addr, size_t count,
			     fi_addr_t *fi_addr, uint64_t flags, void *context)
{
	struct weft_sockaddr addrs[WEFT_FI_AV_BATCH];
	struct weft_fi_av_call call;
	size_t size, i, n = 0;
	int family, ret;

	ret = weft_fi_av_begin(&call, fid, fi_addr, flags, context);
	if (ret)
		return ret;
	if (count && !addr)
		return -FI_EINVAL;
	family = call.av->domain->family;
	size = weft_fi_addr_size(family);
	for (i = 0; i < count; i++) {
		/* an unreadable address keeps its place: the kernel refuses family 0 */
		if (weft_fi_addr_read(&addrs[n], (const char *)addr + i * size, family) ||
		    !addrs[n].port)
			memset(&addrs[n], 0, sizeof(addrs[n]));
		if (++n == WEFT_FI_AV_BATCH || i == count - 1) {
			weft_fi_av_some(&call, addrs, n);
			n = 0;
		}
	}
	return weft_fi_av_end(&call);
}

/* one node and service by name */
static void weft_fi_av_name(struct weft_fi_av_call *call, const char *node, const char *service)
{
	int family = call->av->domain->family;
	struct weft_sockaddr v4, v6;
	int ret;

	ret = weft_fi_resolve(node, service, family, false, &v4, &v6);
	if (ret)
		weft_fi_av_result(call, WEFT_SRC_ANY, -ret);
	else
		weft_fi_av_some(call, family == AF_INET ? &v4 : &v6, 1);
}

static int weft_fi_av_insertsvc(struct fid_av *fid, const char *node, const char *service,
				fi_addr_t *fi_addr, uint64_t flags, void *context)
{
	struct weft_fi_av_call call;
	int ret;

	ret = weft_fi_av_begin(&call, fid, fi_addr, flags, context);
	if (ret)
		return ret;
	if (!node || !service)
		return -FI_EINVAL;
	weft_fi_av_name(&call, node, service);
	return weft_fi_av_end(&call);
}

/*
 * The @i-th node after @node: an address counts up, of a name the number at its end, with as many
 * digits as it has (node09, node10).
 */
static int weft_fi_av_nth(const char *node, size_t i, char *buf, size_t len)
{
	struct in6_addr in6;
	struct in_addr in;
	size_t stem, sum;
	int at, n;

	if (inet_pton(AF_INET, node, &in) == 1) {
		in.s_addr = htonl(ntohl(in.s_addr) + i);
		return inet_ntop(AF_INET, &in, buf, len) ? 0 : -FI_EINVAL;
	}
	if (inet_pton(AF_INET6, node, &in6) == 1) {
		for (at = 15, sum = i; at >= 0 && sum; at--, sum >>= 8) {
			sum += in6.s6_addr[at];
			in6.s6_addr[at] = sum;
		}
		return inet_ntop(AF_INET6, &in6, buf, len) ? 0 : -FI_EINVAL;
	}
	for (stem = strlen(node); stem && isdigit((unsigned char)node[stem - 1]); stem--)
		;
	if (!node[stem])
		n = i ? -1 : snprintf(buf, len, "%s", node);
	else
		n = snprintf(buf, len, "%.*s%0*llu", (int)stem, node, (int)strlen(node + stem),
			     strtoull(node + stem, NULL, 10) + i);
	return n < 0 || (size_t)n >= len ? -FI_EINVAL : 0;
}

static int weft_fi_av_insertsym(struct fid_av *fid, const char *node, size_t nodecnt,
				const char *service, size_t svccnt, fi_addr_t *fi_addr,
				uint64_t flags, void *context)
{
	char host[WEFT_FI_HOST_MAX], svc[16];
	struct weft_fi_av_call call;
	unsigned long first;
	size_t i, j;
	char *end;
	int ret;

	ret = weft_fi_av_begin(&call, fid, fi_addr, flags, context);
	if (ret)
		return ret;
	if (!node || !service)
		return -FI_EINVAL;
	first = strtoul(service, &end, 10);
	if (*end || !*service)
		return -FI_EINVAL;
	for (i = 0; i < nodecnt; i++) {
		ret = weft_fi_av_nth(node, i, host, sizeof(host));
		for (j = 0; j < svccnt; j++) {
			snprintf(svc, sizeof(svc), "%lu", first + j);
			if (ret)
				weft_fi_av_result(&call, WEFT_SRC_ANY, -ret);
			else
				weft_fi_av_name(&call, host, svc);
		}
	}
	return weft_fi_av_end(&call);
}

static int weft_fi_av_remove(struct fid_av *fid, fi_addr_t *fi_addr, size_t count, uint64_t flags)
{
	struct weft_fi_av *av = weft_container(fid, struct weft_fi_av, fid);
	uint32_t index;
	int err, ret = 0;
	size_t i;

	if (flags)
		return -FI_EBADFLAGS;
	pthread_mutex_lock(&av->lock);
	for (i = 0; i < count; i++) {
		err = -FI_EINVAL;
		if (weft_fi_av_has(av, fi_addr[i])) {
			index = fi_addr[i];
			err = weft_av_remove(av->av, &index, 1);
			if (!err)
				weft_fi_av_mark(av, index, 0);
		}
		if (err && !ret)
			ret = err;
	}
	pthread_mutex_unlock(&av->lock);
	return ret;
}

static int weft_fi_av_lookup(struct fid_av *fid, fi_addr_t fi_addr, void *addr, size_t *addrlen)
{
	struct weft_fi_av *av = weft_container(fid, struct weft_fi_av, fid);
	struct weft_sockaddr a;
	int ret;

	if (!weft_fi_av_has(av, fi_addr))
		return -FI_EINVAL;
	pthread_mutex_lock(&av->lock);
	ret = weft_av_lookup(av->av, fi_addr, &a);
	pthread_mutex_unlock(&av->lock);
	if (ret)
		return -FI_EINVAL;
	/* a short buffer is no error here: the needed length says it */
	ret = weft_fi_addr_write(&a, addr, addrlen);
	return ret == -FI_ETOOSMALL ? 0 : ret;
}

static const char *weft_fi_av_straddr(struct fid_av *fid, const void *addr, char *buf, size_t *len)
{
	struct weft_sockaddr a;
	char text[80];
	size_t need;

	if (weft_fi_addr_read(&a, addr, AF_UNSPEC))
		return NULL;
	weft_fi_addr_str(&a, text, sizeof(text));
	need = strlen(text) + 1;
	if (buf && *len)
		snprintf(buf, *len, "%s", text);
	*len = need;
	return buf;
}

static int weft_fi_av_set(struct fid_av *av, struct fi_av_set_attr *attr,
			  struct fid_av_set **av_set, void *context)
{
	return -FI_ENOSYS;
}

static int weft_fi_av_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct weft_fi_av *av = weft_container(fid, struct weft_fi_av, fid.fid);

	if (bfid->fclass != FI_CLASS_EQ || flags || av->eq)
		return -FI_EINVAL;
	av->eq = weft_container(bfid, struct weft_fi_eq, fid.fid);
	atomic_fetch_add(&av->eq->refs, 1);
	return 0;
}

static int weft_fi_av_close(struct fid *fid)
{
	struct weft_fi_av *av = weft_container(fid, struct weft_fi_av, fid.fid);
	size_t i;
	int ret;

	if (atomic_load(&av->refs))
		return -FI_EBUSY;
	ret = weft_av_destroy(av->av);
	if (ret)
		return ret;
	if (av->eq) {
		weft_fi_eq_forget(av->eq, fid);
		atomic_fetch_sub(&av->eq->refs, 1);
	}
	for (i = 0; i < WEFT_AV_MAX / WEFT_FI_AV_CHUNK; i++)
		free((void *)av->used[i]);
	pthread_mutex_destroy(&av->lock);
	atomic_fetch_sub(&av->domain->refs, 1);
	free(av);
	return 0;
}

static struct fi_ops weft_fi_av_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_av_close,
	.bind = weft_fi_av_bind,
	.control = weft_fi_no_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

static struct fi_ops_av weft_fi_av_ops = {
	.size = sizeof(struct fi_ops_av),
	.insert = weft_fi_av_insert,
	.insertsvc = weft_fi_av_insertsvc,
	.insertsym = weft_fi_av_insertsym,
	.remove = weft_fi_av_remove,
	.lookup = weft_fi_av_lookup,
	.straddr = weft_fi_av_straddr,
	.av_set = weft_fi_av_set,
};

/**
 * weft_fi_av_open() - see fi_av_open(3)
 * @domain: open domain
 * @attr: no name (vectors are not shared) and no receive contexts in the addresses
 * @av: out
 * @context: of the program
 *
 * Return: 0, -FI_ENOSYS, -FI_EBADFLAGS, -FI_ENOMEM, -errno.
 */
int weft_fi_av_open(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av,
		    void *context)
{
	struct weft_fi_domain *dom = weft_container(domain, struct weft_fi_domain, fid);
	size_t count = attr->count < dom->port->q.max_av ? attr->count : dom->port->q.max_av;
	struct weft_fi_av *a;
	int ret;

	if (attr->name || attr->rx_ctx_bits)
		return -FI_ENOSYS;
	if (attr->flags & ~(FI_EVENT | FI_SYMMETRIC))
		return -FI_EBADFLAGS;
	a = calloc(1, sizeof(*a));
	if (!a)
		return -FI_ENOMEM;
	ret = weft_av_create(dom->port->ctx, count, &a->av);
	if (ret) {
		free(a);
		return ret;
	}
	weft_fi_fid_init(&a->fid.fid, FI_CLASS_AV, context, &weft_fi_av_fid_ops);
	a->fid.ops = &weft_fi_av_ops;
	a->domain = dom;
	a->flags = attr->flags;
	a->type = attr->type == FI_AV_UNSPEC ? FI_AV_TABLE : attr->type;
	attr->type = a->type;
	pthread_mutex_init(&a->lock, NULL);
	atomic_fetch_add(&dom->refs, 1);
	*av = &a->fid;
	return 0;
}
