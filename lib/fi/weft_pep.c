// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_pep.c - passive endpoints: listeners for connection requests
 */
#include "weft_fi.h"

static int weft_fi_pep_close(struct fid *fid)
{
	struct weft_fi_pep *pep = weft_container(fid, struct weft_fi_pep, fid.fid);
	int ret;

	ret = weft_fi_cm_close(&pep->cm);
	if (ret)
		return ret;
	weft_fi_req_drop_all(pep->cm.port, pep);
	weft_fi_port_put(pep->cm.port);
	fi_freeinfo(pep->info);
	free(pep);
	return 0;
}

static int weft_fi_pep_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct weft_fi_pep *pep = weft_container(fid, struct weft_fi_pep, fid.fid);

	if (!bfid || bfid->fclass != FI_CLASS_EQ)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "an event queue is bound to a passive endpoint, nothing else");
	if (flags)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EBADFLAGS,
				    "an event queue is bound without flags");
	if (pep->listening)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EOPBADSTATE,
				    "fi_pep_bind: it listens already");
	return weft_fi_cm_bind_eq(&pep->cm, pep->cm.port->fabric, bfid);
}

/*
 * Find the address of a passive endpoint. @fid may be invalid: it is compared, not dereferenced.
 * Return: true if the port has such a passive endpoint.
 */
bool weft_fi_pep_name(struct weft_fi_port *port, const struct fid *fid,
		      struct weft_sockaddr *addr)
{
	struct weft_fi_cm *cm = NULL;
	bool found;
	size_t i;

	pthread_mutex_lock(&port->lock);
	for (i = 0; i < WEFT_FI_HASH && !cm; i++) {
		for (cm = port->eps[i]; cm && cm->fid != fid; cm = cm->next)
			;
	}
	found = cm && fid->fclass == FI_CLASS_PEP && !weft_getname(cm->ep, addr);
	pthread_mutex_unlock(&port->lock);
	return found;
}

static int weft_fi_pep_backlog(struct weft_fi_pep *pep, int backlog)
{
	struct weft_eq *eq;
	int ret;

	if (backlog < 1)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "a backlog of %d: it must be 1 at least", backlog);
	if (pep->listening) {
		ret = weft_fi_eq_port(pep->cm.eq, pep->cm.port, &eq);
		if (!ret)
			ret = weft_listen(pep->cm.ep, eq, backlog);
		if (ret)
			return ret;
	}
	pep->backlog = backlog;
	return 0;
}

static int weft_fi_pep_control(struct fid *fid, int command, void *arg)
{
	struct weft_fi_pep *pep = weft_container(fid, struct weft_fi_pep, fid.fid);

	if (command != FI_BACKLOG)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_ENOSYS,
				    "fi_control: passive endpoints have FI_BACKLOG only");
	if (!arg)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "fi_control: FI_BACKLOG needs an int");
	return weft_fi_pep_backlog(pep, *(int *)arg);
}

static int weft_fi_pep_getopt(fid_t fid, int level, int optname, void *optval, size_t *optlen)
{
	struct weft_fi_pep *pep = weft_container(fid, struct weft_fi_pep, fid.fid);

	if (level != FI_OPT_ENDPOINT || optname != FI_OPT_CM_DATA_SIZE)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_ENOPROTOOPT,
				    "passive endpoints have the option FI_OPT_CM_DATA_SIZE only");
	return weft_fi_cm_getopt(optval, optlen, pep->cm.port->q.cm_data);
}

static int weft_fi_pep_setopt(fid_t fid, int level, int optname, const void *optval,
			      size_t optlen)
{
	return weft_fi_fail(FI_LOG_EP_CTRL, -FI_ENOPROTOOPT,
			    "passive endpoints have no option that can be set");
}

static struct fi_ops weft_fi_pep_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_pep_close,
	.bind = weft_fi_pep_bind,
	.control = weft_fi_pep_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

static struct fi_ops_ep weft_fi_pep_ops = {
	.size = sizeof(struct fi_ops_ep),
	.cancel = weft_fi_no_cancel,
	.getopt = weft_fi_pep_getopt,
	.setopt = weft_fi_pep_setopt,
	.tx_ctx = weft_fi_no_tx_ctx,
	.rx_ctx = weft_fi_no_rx_ctx,
	.rx_size_left = weft_fi_no_size_left,
	.tx_size_left = weft_fi_no_size_left,
};

static struct fi_ops_cm weft_fi_pep_cm_ops = {
	.size = sizeof(struct fi_ops_cm),
	.setname = weft_fi_setname,
	.getname = weft_fi_getname,
	.getpeer = weft_fi_no_getpeer,
	.connect = weft_fi_no_connect,
	.listen = weft_fi_listen,
	.accept = weft_fi_no_accept,
	.reject = weft_fi_reject,
	.shutdown = weft_fi_no_shutdown,
	.join = weft_fi_no_join,
};

/**
 * weft_fi_pep_open() - see fi_passive_ep(3)
 * @fabric: open fabric
 * @info: from fi_getinfo, of type FI_EP_MSG
 * @pep: out
 * @context: the program's context
 *
 * Return: 0, -FI_EINVAL, -FI_ENOMEM, -errno.
 */
int weft_fi_pep_open(struct fid_fabric *fabric, struct fi_info *info, struct fid_pep **pep,
		     void *context)
{
	struct weft_ep_attr attr = { .type = WEFT_EP_PASSIVE };
	struct weft_fi_port *port;
	struct weft_fi_pep *p;
	int ret;

	if (!info || !pep || !info->ep_attr || info->ep_attr->type != FI_EP_MSG)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "fi_passive_ep needs a fi_info of type FI_EP_MSG, and room");
	p = calloc(1, sizeof(*p));
	if (!p)
		return -FI_ENOMEM;
	p->info = fi_dupinfo(info);
	if (!p->info) {
		ret = -FI_ENOMEM;
		goto err_free;
	}
	p->info->handle = NULL;
	ret = weft_fi_port_get(weft_container(fabric, struct weft_fi_fabric, fid), info, &port);
	if (ret)
		goto err_info;
	weft_fi_fid_init(&p->fid.fid, FI_CLASS_PEP, context, &weft_fi_pep_fid_ops);
	p->fid.ops = &weft_fi_pep_ops;
	p->fid.cm = &weft_fi_pep_cm_ops;
	ret = weft_fi_key_attr(&attr, port->fabric, info->ep_attr,
			       info->domain_attr ? info->domain_attr->auth_key : NULL,
			       info->domain_attr ? info->domain_attr->auth_key_size : 0);
	if (ret)
		goto err_port;
	ret = weft_fi_cm_open(&p->cm, &p->fid.fid, port, p->info, &attr);
	if (ret)
		goto err_port;
	*pep = &p->fid;
	return 0;
err_port:
	weft_fi_port_put(port);
err_info:
	fi_freeinfo(p->info);
err_free:
	free(p);
	return ret;
}
