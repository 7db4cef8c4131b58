// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_domain.c - domains: libfabric's view of an open port
 */
#include "weft_fi.h"

static int weft_fi_domain_close(struct fid *fid)
{
	struct weft_fi_domain *dom = weft_container(fid, struct weft_fi_domain, fid.fid);
	struct weft_fi_fabric *fabric = dom->fabric;
	struct weft_fi_domain **link;

	if (atomic_load(&dom->refs))
		return weft_fi_fail(FI_LOG_DOMAIN, -FI_EBUSY,
				    "objects of the domain are open: close them first");
	pthread_mutex_lock(&fabric->lock);
	for (link = &fabric->domains; *link != dom; link = &(*link)->next)
		;
	*link = dom->next;
	pthread_mutex_unlock(&fabric->lock);
	weft_fi_port_put(dom->port);
	pthread_mutex_destroy(&dom->mr_lock);
	pthread_mutex_destroy(&dom->left_lock);
	weft_fi_key_free(dom->key, dom->key_size);
	free(dom);
	return 0;
}

static int weft_fi_query_collective(struct fid_domain *domain, enum fi_collective_op coll,
				    struct fi_collective_attr *attr, uint64_t flags)
{
	return weft_fi_fail(FI_LOG_DOMAIN, -FI_EOPNOTSUPP, "there are no collective operations");
}

static int weft_fi_endpoint2(struct fid_domain *domain, struct fi_info *info,
			     struct fid_ep **ep, uint64_t flags, void *context)
{
	if (flags)
		return weft_fi_fail(FI_LOG_DOMAIN, -FI_ENOSYS, "fi_endpoint2 has no flags");
	return weft_fi_endpoint(domain, info, ep, context);
}

static int weft_fi_domain_control(struct fid *fid, int command, void *arg)
{
	struct weft_fi_domain *dom = weft_container(fid, struct weft_fi_domain, fid.fid);

	if (command == FI_MAP_RAW_MR || command == FI_UNMAP_KEY)
		return weft_fi_mr_raw_control(command, arg);
	if (command == FI_QUEUE_WORK || command == FI_CANCEL_WORK || command == FI_FLUSH_WORK)
		return weft_fi_work_control(dom, command, arg);
	return weft_fi_no_control(fid, command, arg);
}

static struct fi_ops weft_fi_domain_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_domain_close,
	.bind = weft_fi_no_bind,
	.control = weft_fi_domain_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

static struct fi_ops_domain weft_fi_domain_ops = {
	.size = sizeof(struct fi_ops_domain),
	.av_open = weft_fi_av_open,
	.cq_open = weft_fi_cq_open,
	.endpoint = weft_fi_endpoint,
	.scalable_ep = weft_fi_sep_open,
	.cntr_open = weft_fi_cntr_open,
	.poll_open = weft_fi_poll_open,
	.stx_ctx = weft_fi_stx_open,
	.srx_ctx = weft_fi_srx_open,
	.query_atomic = weft_fi_query_atomic,
	.query_collective = weft_fi_query_collective,
	.endpoint2 = weft_fi_endpoint2,
};

/* Addresses have the format of the info. With FI_SOCKADDR the address states its family. */
static int weft_fi_info_family(const struct fi_info *info, const struct weft_ioc_query *q)
{
	struct weft_sockaddr a;
	const struct weft_sockaddr *own;

	switch (info->addr_format) {
	case FI_SOCKADDR_IN:
		return AF_INET;
	case FI_SOCKADDR_IN6:
		return AF_INET6;
	}
	if (info->src_addr && !weft_addr_from_sockaddr(&a, info->src_addr, info->src_addrlen))
		return a.family;
	own = weft_fi_port_addr(q, AF_UNSPEC);
	return own ? own->family : AF_INET;
}

/**
 * weft_fi_domain() - see fi_domain(3)
 * @fabric: open fabric
 * @info: from fi_getinfo or FI_CONNREQ
 * @domain: out
 * @context: the program's context
 *
 * Return: 0, -FI_EINVAL, -FI_ENOMEM, -errno of opening the port.
 */
int weft_fi_domain(struct fid_fabric *fabric, struct fi_info *info, struct fid_domain **domain,
		   void *context)
{
	struct weft_fi_fabric *f = weft_container(fabric, struct weft_fi_fabric, fid);
	const struct fi_domain_attr *attr = info ? info->domain_attr : NULL;
	struct weft_fi_domain *dom, **link;
	int ret;

	if (!attr || !domain)
		return weft_fi_fail(FI_LOG_DOMAIN, -FI_EINVAL,
				    "fi_domain needs a fi_info with domain_attr, and room");
	dom = calloc(1, sizeof(*dom));
	if (!dom)
		return -FI_ENOMEM;
	ret = weft_fi_key_keep(attr, f->fid.api_version, &dom->key, &dom->key_size);
	if (!ret)
		ret = weft_fi_port_get(f, info, &dom->port);
	if (ret) {
		weft_fi_key_free(dom->key, dom->key_size);
		free(dom);
		return ret;
	}
	weft_fi_fid_init(&dom->fid.fid, FI_CLASS_DOMAIN, context, &weft_fi_domain_fid_ops);
	dom->fid.ops = &weft_fi_domain_ops;
	dom->fid.mr = &weft_fi_mr_ops;
	dom->fabric = f;
	dom->family = weft_fi_info_family(info, &dom->port->q);
	dom->locking = attr->threading != FI_THREAD_DOMAIN &&
		       attr->threading != FI_THREAD_COMPLETION;
	dom->prov_keys = attr->mr_mode & (WEFT_FI_MR_BASIC | FI_MR_PROV_KEY);
	dom->virt_addr = attr->mr_mode & (WEFT_FI_MR_BASIC | FI_MR_VIRT_ADDR);
	dom->rma_event = info->caps & FI_RMA_EVENT;
	pthread_mutex_init(&dom->mr_lock, NULL);
	pthread_mutex_init(&dom->left_lock, NULL);
	pthread_mutex_lock(&f->lock);
	for (link = &f->domains; *link; link = &(*link)->next)
		;
	*link = dom;
	dom->zone = ++dom->port->zones;
	pthread_mutex_unlock(&f->lock);
	*domain = &dom->fid;
	return 0;
}
