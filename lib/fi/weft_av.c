// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_av.c - address vectors
 *
 * The kernel holds the vector and assigns the indices. A fi_addr_t is the index, in maps and in
 * tables. The provider only records the used indices, so that a send to another index fails at
 * once. An address that is inserted again has the same fi_addr_t. It goes with the last of its
 * removals.
 *
 * With rx_ctx_bits an address stands for 2^bits endpoints with consecutive services: the contexts
 * of a scalable endpoint. They get as many consecutive indices. So an index is the fi_addr_t and
 * the number of the context. In these vectors, and in shared ones, the provider chooses the indices
 * in sequence. So removed indices rest.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <stdio.h>

#include "weft_fi.h"

#define WEFT_FI_AV_BATCH	256
#define WEFT_FI_HOST_MAX	256

/* The lock is held. An index is used now, or no longer: correct weft_fi_av.dense. */
static void weft_fi_av_count(struct weft_fi_av *av, uint32_t index, bool used)
{
	uint32_t dense = atomic_load_explicit(&av->dense, memory_order_relaxed);

	if (!used)
		dense = index < dense ? index : dense;
	else if (index == dense)
		do
			dense++;
		while (dense < WEFT_AV_MAX && weft_fi_av_used(av, dense));
	atomic_store_explicit(&av->dense, dense, memory_order_relaxed);
}

/* The lock is held. Return: 0, -FI_ENOMEM. */
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
	weft_fi_av_count(av, index, used);
	return 0;
}

/*
 * Return: the index of an address in a shared vector, or one whose addresses name contexts. The
 * number of the context is in the highest bits of the address.
 */
fi_addr_t weft_fi_av_wide(struct weft_fi_av *av, fi_addr_t addr)
{
	fi_addr_t context;

	if (av->shared)
		weft_fi_share_sync(av);
	if (!av->bits || addr >= FI_ADDR_NOTAVAIL)
		return addr;
	context = addr >> (64 - av->bits);
	addr &= UINT64_MAX >> av->bits;
	return addr < weft_fi_av_most(av->bits) ? weft_fi_av_place(av, addr, context) :
						  FI_ADDR_NOTAVAIL;
}

/* The lock is held. The kernel has an address at this index. */
static int weft_fi_av_took(struct weft_fi_av *av, uint32_t index)
{
	if (!weft_fi_av_mark(av, index, 1))
		return 0;
	weft_av_remove(av->av, &index, 1);
	return -FI_ENOMEM;
}

/*
 * The lock is held. Remove an address with all its contexts; other insertions may keep it. Return:
 * 0, -FI_EINVAL.
 */
int weft_fi_av_drop(struct weft_fi_av *av, fi_addr_t addr)
{
	struct weft_sockaddr there;
	int ret = -FI_EINVAL;
	uint32_t index, i;

	for (i = 0; i < 1u << av->bits; i++) {
		index = weft_fi_av_place(av, addr, i);
		if (!weft_fi_av_used(av, index))
			continue;
		ret = weft_av_remove(av->av, &index, 1);
		if (ret)
			break;
		weft_fi_av_mark(av, index, !weft_av_lookup(av->av, index, &there));
	}
	return ret;
}

/*
 * The lock is held. Insert an address with all its contexts at the index that the provider chose.
 * Services end at 65535: then there are fewer contexts. Return: 0, -FI_EINVAL, -FI_ENOMEM, -errno.
 */
int weft_fi_av_insert_at(struct weft_fi_av *av, const struct weft_sockaddr *addr, fi_addr_t at)
{
	uint32_t index, i;
	struct weft_sockaddr a = *addr;
	int ret = 0;

	for (i = 0; i < 1u << av->bits && !ret; i++) {
		if (i && ntohs(addr->port) + i > UINT16_MAX)
			break;
		a.port = htons(ntohs(addr->port) + i);
		index = weft_fi_av_place(av, at, i);
		ret = weft_av_insert_at(av->av, &a, 1, &index);
		if (ret >= 0)
			ret = ret == 1 ? weft_fi_av_took(av, index) : -FI_EINVAL;
	}
	if (ret && i > 1)
		weft_fi_av_drop(av, at);
	return ret;
}

/* The lock is held. Find the next free index among those that the provider chooses. */
static int weft_fi_av_next(struct weft_fi_av *av, fi_addr_t *at)
{
	fi_addr_t most = weft_fi_av_most(av->bits);
	fi_addr_t n;

	for (n = 0; n < most; n++) {
		*at = (av->next + n) % most;
		if (!weft_fi_av_used(av, *at)) {
			av->next = (*at + 1) % most;
			return 0;
		}
	}
	return -FI_ENOSPC;
}

/* The lock is held. As weft_av_insert(), with indices that the provider chooses. */
static int weft_fi_av_choose(struct weft_fi_av *av, const struct weft_sockaddr *addrs,
			     size_t count, uint32_t *index)
{
	fi_addr_t at;
	size_t i;
	int ret;

	if (av->shared)
		return weft_fi_share_insert(av, addrs, count, index);
	for (i = 0; i < count; i++) {
		ret = weft_fi_av_next(av, &at);
		if (!ret)
			ret = weft_fi_av_insert_at(av, &addrs[i], at);
		index[i] = ret ? WEFT_SRC_ANY : at;
	}
	return 0;
}

/* @index: @count indices, WEFT_SRC_ANY for a refused address */
static int weft_fi_av_put(struct weft_fi_av *av, const struct weft_sockaddr *addrs, size_t count,
			  uint32_t *index)
{
	size_t i;
	int ret;

	pthread_mutex_lock(&av->lock);
	if (av->shared || av->bits)
		ret = weft_fi_av_choose(av, addrs, count, index);
	else
		ret = weft_av_insert(av->av, addrs, count, index);
	for (i = 0; i < count; i++) {
		if (ret < 0 || (index[i] != WEFT_SRC_ANY && !av->shared && !av->bits &&
				weft_fi_av_took(av, index[i])))
			index[i] = WEFT_SRC_ANY;
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
 * struct weft_fi_av_call - an insertion in progress
 * @av: address vector
 * @out: receives the program's addresses, or NULL
 * @flags: flags of the call
 * @context: context of the call; with FI_SYNC_ERR an array of int
 * @next: number of addresses processed
 * @good: number of addresses inserted
 */
struct weft_fi_av_call {
	struct weft_fi_av *av;
	fi_addr_t *out;
	uint64_t flags;
	void *context;
	size_t next;
	size_t good;
};

/* Report the result for one address to the program. */
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
		return weft_fi_fail(FI_LOG_AV, -FI_EBADFLAGS,
				    "insertion has no flags but FI_MORE and FI_SYNC_ERR");
	if (av->flags & FI_READ)
		return weft_fi_fail(FI_LOG_AV, -FI_EPERM,
				    "the shared vector was opened with FI_READ: insert where it was made");
	if (av->flags & FI_EVENT && !av->eq)
		return weft_fi_fail(FI_LOG_AV, -FI_ENOEQ,
				    "a vector with FI_EVENT needs an event queue: fi_av_bind");
	if (flags & FI_SYNC_ERR && (!context || av->flags & FI_EVENT))
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL,
				    "FI_SYNC_ERR needs an array of int as context, and a vector without FI_EVENT");
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
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL, "there are no addresses to insert");
	family = call.av->domain->family;
	size = weft_fi_addr_size(family);
	for (i = 0; i < count; i++) {
		/* an unreadable address gets family 0, which the kernel refuses */
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

/* Insert one node and service by name. */
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
	if (!node || (!service && !weft_fi_addr_text(node)))
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL,
				    "fi_av_insertsvc needs a node and a service, or both in one as fi_sockaddr_in://10.0.0.1:7000");
	weft_fi_av_name(&call, node, service);
	return weft_fi_av_end(&call);
}

/*
 * Make the @i-th node after @node. An address is incremented. For a name, the number at its end is
 * incremented, with the same number of digits (node09, node10).
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
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL,
				    "fi_av_insertsym needs a node and a service");
	first = strtoul(service, &end, 10);
	if (*end || !*service)
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL,
				    "the service of fi_av_insertsym must be a number");
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
	int err, ret = 0;
	uint32_t index;
	size_t i;

	if (flags)
		return weft_fi_fail(FI_LOG_AV, -FI_EBADFLAGS, "removal has no flags");
	if (count && !fi_addr)
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL, "there are no addresses to remove");
	if (av->flags & FI_READ)
		return weft_fi_fail(FI_LOG_AV, -FI_EPERM,
				    "the shared vector was opened with FI_READ: remove where it was made");
	pthread_mutex_lock(&av->lock);
	for (i = 0; i < count; i++) {
		err = -FI_EINVAL;
		if (weft_fi_av_index(av, fi_addr[i], &index)) {
			if (av->shared)
				weft_fi_share_remove(av, fi_addr[i]);
			err = weft_fi_av_drop(av, fi_addr[i]);
		}
		if (err && !ret)
			ret = err;
	}
	pthread_mutex_unlock(&av->lock);
	if (ret)
		weft_fi_fail(FI_LOG_AV, ret, "an address to remove is not in the vector");
	return ret;
}

static int weft_fi_av_lookup(struct fid_av *fid, fi_addr_t fi_addr, void *addr, size_t *addrlen)
{
	struct weft_fi_av *av = weft_container(fid, struct weft_fi_av, fid);
	struct weft_sockaddr a;
	uint32_t index;
	int ret;

	if (!addrlen || (*addrlen && !addr))
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL, "fi_av_lookup needs room and its length");
	if (!weft_fi_av_index(av, fi_addr, &index))
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL, "no address %llu in the vector",
				    (unsigned long long)fi_addr);
	pthread_mutex_lock(&av->lock);
	ret = weft_av_lookup(av->av, index, &a);
	pthread_mutex_unlock(&av->lock);
	if (ret)
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL,
				    "address %llu has been removed from the vector",
				    (unsigned long long)fi_addr);
	/* a short buffer is no error here: the required length shows it */
	ret = weft_fi_addr_write(&a, addr, addrlen);
	return ret == -FI_ETOOSMALL ? 0 : ret;
}

static const char *weft_fi_av_straddr(struct fid_av *fid, const void *addr, char *buf, size_t *len)
{
	struct weft_sockaddr a;
	char text[80];
	size_t need;

	if (!len || weft_fi_addr_read(&a, addr, AF_UNSPEC)) {
		weft_fi_fail(FI_LOG_AV, 0, "fi_av_straddr needs a sockaddr_in or sockaddr_in6");
		return NULL;
	}
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
	return weft_fi_fail(FI_LOG_AV, -FI_ENOSYS,
			    "fi_av_set: there are no collective operations");
}

static int weft_fi_av_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct weft_fi_av *av = weft_container(fid, struct weft_fi_av, fid.fid);

	if (!bfid || bfid->fclass != FI_CLASS_EQ || flags || av->eq)
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL,
				    "one event queue, without flags, is bound to a vector");
	if (weft_container(bfid, struct weft_fi_eq, fid.fid)->fabric != av->domain->fabric)
		return weft_fi_fail(FI_LOG_AV, -FI_EDOMAIN,
				    "the event queue is of another fabric than the vector");
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
		return weft_fi_fail(FI_LOG_AV, -FI_EBUSY,
				    "endpoints use the address vector: close them first");
	ret = weft_av_destroy(av->av);
	if (ret)
		return ret;
	weft_fi_share_close(av);
	/* its unread events stay, as required by fi_av(3) */
	if (av->eq)
		atomic_fetch_sub(&av->eq->refs, 1);
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

static int weft_fi_av_check(const struct fi_av_attr *attr)
{
	if (!attr)
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL, "fi_av_open needs attributes");
	if (attr->flags & ~(FI_EVENT | FI_SYMMETRIC | FI_READ))
		return weft_fi_fail(FI_LOG_AV, -FI_EBADFLAGS,
				    "a vector has no flags but FI_EVENT, FI_READ and FI_SYMMETRIC");
	if (attr->flags & FI_READ && !attr->name)
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL,
				    "FI_READ is for shared vectors: give a name");
	if (attr->type != FI_AV_UNSPEC && attr->type != FI_AV_MAP && attr->type != FI_AV_TABLE)
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL, "%d is no type of vector", attr->type);
	if (attr->rx_ctx_bits < 0 || attr->rx_ctx_bits > WEFT_FI_CTX_BITS)
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL, "rx_ctx_bits is %d, at most %d are possible",
				    attr->rx_ctx_bits, WEFT_FI_CTX_BITS);
	return 0;
}

/**
 * weft_fi_av_open() - see fi_av_open(3)
 * @domain: open domain
 * @attr: attributes of the vector; a vector with a name is shared with other processes
 * @av: out
 * @context: the program's context
 *
 * Return: 0, -FI_EINVAL, -FI_EBADFLAGS, -FI_ENOENT (FI_READ, and no such vector), -FI_ENOMEM,
 * -errno.
 */
int weft_fi_av_open(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av,
		    void *context)
{
	struct weft_fi_domain *dom = weft_container(domain, struct weft_fi_domain, fid);
	struct weft_fi_av *a;
	size_t count;
	int ret;

	if (!av)
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL, "no room for the vector");
	ret = weft_fi_av_check(attr);
	if (ret)
		return ret;
	a = calloc(1, sizeof(*a));
	if (!a)
		return -FI_ENOMEM;
	a->domain = dom;
	a->flags = attr->flags;
	a->bits = attr->rx_ctx_bits;
	a->type = attr->type == FI_AV_UNSPEC ? FI_AV_TABLE : attr->type;
	count = attr->count < dom->port->q.max_av ? attr->count : dom->port->q.max_av;
	ret = weft_av_create(dom->port->ctx, count, &a->av);
	if (ret)
		goto err_free;
	pthread_mutex_init(&a->lock, NULL);
	if (attr->name) {
		ret = weft_fi_share_open(a, attr);
		if (ret)
			goto err_av;
	}
	weft_fi_fid_init(&a->fid.fid, FI_CLASS_AV, context, &weft_fi_av_fid_ops);
	a->fid.ops = &weft_fi_av_ops;
	attr->type = a->type;
	atomic_fetch_add(&dom->refs, 1);
	*av = &a->fid;
	return 0;
err_av:
	weft_av_destroy(a->av);
err_free:
	free(a);
	return ret;
}
