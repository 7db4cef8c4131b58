// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_fabric.c - fabrics, and their open ports
 *
 * A port is opened when the first domain, passive endpoint or event queue of a fabric needs it, and
 * closed after the last. Fabrics share nothing. So a forked child with its own fabric is
 * independent of its parent.
 */
#include <strings.h>

#include "weft_fi.h"

static pthread_mutex_t weft_fi_fabrics_lock = PTHREAD_MUTEX_INITIALIZER;
static struct weft_fi_fabric *weft_fi_fabrics;

bool weft_fi_is_open(const struct fid_fabric *fabric)
{
	struct weft_fi_fabric *f;

	pthread_mutex_lock(&weft_fi_fabrics_lock);
	for (f = weft_fi_fabrics; f && &f->fid != fabric; f = f->next)
		;
	pthread_mutex_unlock(&weft_fi_fabrics_lock);
	return f;
}

/* Return: the first open domain of a port, in one fabric or in any. The list's lock is held. */
static struct weft_fi_domain *weft_fi_first(const struct fid_fabric *fabric, const char *port)
{
	struct weft_fi_domain *dom = NULL;
	struct weft_fi_fabric *f;

	for (f = weft_fi_fabrics; f && !dom; f = f->next) {
		if (fabric && fabric != &f->fid)
			continue;
		pthread_mutex_lock(&f->lock);
		for (dom = f->domains; dom && strcmp(dom->port->q.name, port); dom = dom->next)
			;
		pthread_mutex_unlock(&f->lock);
	}
	return dom;
}

bool weft_fi_is_domain(const struct fid_domain *domain, const char *port)
{
	struct weft_fi_domain *dom = NULL;
	struct weft_fi_fabric *f;
	bool same;

	pthread_mutex_lock(&weft_fi_fabrics_lock);
	for (f = weft_fi_fabrics; f && !dom; f = f->next) {
		pthread_mutex_lock(&f->lock);
		for (dom = f->domains; dom && &dom->fid != domain; dom = dom->next)
			;
		pthread_mutex_unlock(&f->lock);
	}
	same = dom && !strcmp(dom->port->q.name, port);
	pthread_mutex_unlock(&weft_fi_fabrics_lock);
	return same;
}

/* Fill in the open fabric and domain: those of the hints, else the first ones. */
void weft_fi_opened(struct fi_info *info, const struct fi_info *hints)
{
	struct weft_fi_domain *dom;

	if (hints && hints->fabric_attr)
		info->fabric_attr->fabric = hints->fabric_attr->fabric;
	if (hints && hints->domain_attr)
		info->domain_attr->domain = hints->domain_attr->domain;
	pthread_mutex_lock(&weft_fi_fabrics_lock);
	if (!info->domain_attr->domain) {
		dom = weft_fi_first(info->fabric_attr->fabric, info->domain_attr->name);
		if (dom)
			info->domain_attr->domain = &dom->fid;
	}
	if (!info->fabric_attr->fabric && weft_fi_fabrics)
		info->fabric_attr->fabric = &weft_fi_fabrics->fid;
	pthread_mutex_unlock(&weft_fi_fabrics_lock);
}

/**
 * weft_fi_limit_advice() - advice after a failure that a limit of the port may have caused
 * @ret: errno of the kernel
 *
 * Return: text to append to the message for @ret, may be empty.
 */
const char *weft_fi_limit_advice(int ret)
{
	return ret == -FI_ENOSPC ?
		"; your user is at a limit of the port, see \"weftctl limit show\"" : "";
}

static int weft_fi_port_open(struct weft_fi_fabric *fabric, const char *name,
			     struct weft_fi_port **out)
{
	struct weft_fi_port *port = calloc(1, sizeof(*port));
	int ret;

	if (!port)
		return -FI_ENOMEM;
	ret = weft_open(name, &port->ctx);
	if (ret) {
		WEFT_WARN(DOMAIN, "%s: cannot be opened: %s%s\n", name, fi_strerror(-ret),
			  weft_fi_limit_advice(ret));
		free(port);
		return ret;
	}
	ret = weft_query(port->ctx, &port->q);
	if (ret) {
		weft_close(port->ctx);
		free(port);
		return ret;
	}
	port->fabric = fabric;
	pthread_mutex_init(&port->lock, NULL);
	weft_fi_late_init(&port->late);
	port->next = fabric->ports;
	fabric->ports = port;
	atomic_fetch_add(&fabric->refs, 1);
	*out = port;
	return 0;
}

/**
 * weft_fi_port_get() - get the port that a fi_info names, opened if needed
 * @fabric: open fabric
 * @info: the name of its domain is the port's name
 * @port: out: to be returned with weft_fi_port_put()
 *
 * Return: 0, -FI_EINVAL (no name), -errno.
 */
int weft_fi_port_get(struct weft_fi_fabric *fabric, const struct fi_info *info,
		     struct weft_fi_port **port)
{
	const char *name = info && info->domain_attr ? info->domain_attr->name : NULL;
	struct weft_fi_port *p;
	int ret = 0;

	if (!name)
		return weft_fi_fail(FI_LOG_FABRIC, -FI_EINVAL,
				    "the fi_info has no domain_attr->name: take one from fi_getinfo");
	pthread_mutex_lock(&fabric->lock);
	for (p = fabric->ports; p && strcasecmp(p->q.name, name); p = p->next)
		;
	if (!p)
		ret = weft_fi_port_open(fabric, name, &p);
	if (!ret) {
		p->refs++;
		*port = p;
	}
	pthread_mutex_unlock(&fabric->lock);
	return ret;
}

void weft_fi_port_hold(struct weft_fi_port *port)
{
	pthread_mutex_lock(&port->fabric->lock);
	port->refs++;
	pthread_mutex_unlock(&port->fabric->lock);
}

void weft_fi_port_put(struct weft_fi_port *port)
{
	struct weft_fi_fabric *fabric = port->fabric;
	struct weft_fi_port **link;
	int ret;

	pthread_mutex_lock(&fabric->lock);
	if (--port->refs) {
		pthread_mutex_unlock(&fabric->lock);
		return;
	}
	for (link = &fabric->ports; *link != port; link = &(*link)->next)
		;
	*link = port->next;
	pthread_mutex_unlock(&fabric->lock);

	weft_fi_req_drop_all(port, NULL);
	weft_fi_late_fini(&port->late);
	ret = weft_close(port->ctx);
	if (ret)
		WEFT_WARN(DOMAIN, "%s: not closed: %s\n", port->q.name, fi_strerror(-ret));
	pthread_mutex_destroy(&port->lock);
	free(port);
	atomic_fetch_sub(&fabric->refs, 1);
}

static int weft_fi_fabric_close(struct fid *fid)
{
	struct weft_fi_fabric *fabric = weft_container(fid, struct weft_fi_fabric, fid.fid);
	struct weft_fi_fabric **link;

	if (atomic_load(&fabric->refs))
		return weft_fi_fail(FI_LOG_FABRIC, -FI_EBUSY,
				    "objects of the fabric are open: close them first");
	pthread_mutex_lock(&weft_fi_fabrics_lock);
	for (link = &weft_fi_fabrics; *link != fabric; link = &(*link)->next)
		;
	*link = fabric->next;
	pthread_mutex_unlock(&weft_fi_fabrics_lock);
	pthread_mutex_destroy(&fabric->lock);
	free(fabric);
	return 0;
}

static int weft_fi_domain2(struct fid_fabric *fabric, struct fi_info *info,
			   struct fid_domain **domain, uint64_t flags, void *context)
{
	if (flags)
		return weft_fi_fail(FI_LOG_FABRIC, -FI_ENOSYS, "fi_domain2 has no flags");
	return weft_fi_domain(fabric, info, domain, context);
}

static struct fi_ops weft_fi_fabric_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_fabric_close,
	.bind = weft_fi_no_bind,
	.control = weft_fi_no_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

static struct fi_ops_fabric weft_fi_fabric_ops = {
	.size = sizeof(struct fi_ops_fabric),
	.domain = weft_fi_domain,
	.passive_ep = weft_fi_pep_open,
	.eq_open = weft_fi_eq_open,
	.wait_open = weft_fi_set_open,
	.trywait = weft_fi_trywait,
	.domain2 = weft_fi_domain2,
};

/**
 * weft_fi_fabric() - see fi_fabric(3)
 * @attr: the name must be this provider's
 * @fabric: out
 * @context: the program's context
 *
 * Return: 0, -FI_EINVAL, -FI_ENOMEM.
 */
int weft_fi_fabric(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context)
{
	struct weft_fi_fabric *f, **link;

	if (!attr || !fabric || !attr->name || strcmp(attr->name, WEFT_FI_FABRIC))
		return weft_fi_fail(FI_LOG_FABRIC, -FI_EINVAL,
				    "fi_fabric needs the fabric_attr of a fi_info of this provider");
	f = calloc(1, sizeof(*f));
	if (!f)
		return -FI_ENOMEM;
	weft_fi_fid_init(&f->fid.fid, FI_CLASS_FABRIC, context, &weft_fi_fabric_fid_ops);
	f->fid.ops = &weft_fi_fabric_ops;
	f->fid.api_version = attr->api_version;
	pthread_mutex_init(&f->lock, NULL);
	pthread_mutex_lock(&weft_fi_fabrics_lock);
	for (link = &weft_fi_fabrics; *link; link = &(*link)->next)
		;
	*link = f;
	pthread_mutex_unlock(&weft_fi_fabrics_lock);
	*fabric = &f->fid;
	return 0;
}
