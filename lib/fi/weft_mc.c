// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_mc.c - multicast groups of FI_EP_DGRAM: fi_join, fi_mc_addr, fi_close
 *
 *   fi_join --joined in the kernel--> event unread --read--> joined: has an address
 *          \--failed--> error event unread --fi_close--> gone
 *   any state --fi_close--> gone: left
 *
 * The address of a group is a mark plus the number of the group at the endpoint. Entries of address
 * vectors do not have the mark. So each send checks the address against the flag FI_MULTICAST.
 *
 * tx.lock of an endpoint protects the list of its groups.
 */
#include "weft_fi.h"

static struct weft_fi_mc *weft_fi_mc_of(struct fid *fid)
{
	return weft_container(fid, struct weft_fi_mc, mc.fid);
}

/* The event of a group has been read: its address is valid from now on. */
void weft_fi_mc_told(struct fid *fid)
{
	struct weft_fi_mc *mc = weft_fi_mc_of(fid);

	mc->mc.fi_addr = WEFT_FI_GROUP_MARK | mc->group;
}

/**
 * weft_fi_mc_dest() - find the destination of a send with FI_MULTICAST
 * @ep: endpoint
 * @addr: address of a group that it has joined
 * @group: out: number of the group
 *
 * Return: 0, -FI_EINVAL.
 */
int weft_fi_mc_dest(struct weft_fi_ep *ep, fi_addr_t addr, uint32_t *group)
{
	struct weft_fi_mc *mc;

	weft_fi_lock(&ep->tx.lock);
	/* a group with an unread event has no address yet */
	for (mc = addr == FI_ADDR_NOTAVAIL ? NULL : ep->groups; mc; mc = mc->next)
		if (mc->mc.fi_addr == addr && mc->sends)
			break;
	if (mc)
		*group = mc->group;
	weft_fi_unlock(&ep->tx.lock);
	if (mc)
		return 0;
	return weft_fi_fail(FI_LOG_EP_DATA, -FI_EINVAL,
			    "FI_MULTICAST: %#llx is no group that the endpoint has joined and sends to: see fi_mc_addr",
			    (unsigned long long)addr);
}

static int weft_fi_mc_close(struct fid *fid)
{
	struct weft_fi_mc *mc = weft_fi_mc_of(fid), **link;
	struct weft_fi_ep *ep = mc->ep;

	weft_fi_lock(&ep->tx.lock);
	for (link = &ep->groups; *link != mc; link = &(*link)->next)
		;
	*link = mc->next;
	weft_fi_unlock(&ep->tx.lock);
	/*
	 * entries in the ring have been notified, and are sent; a port that has gone has no groups
	 */
	weft_fi_half_flush(&ep->tx);
	if (mc->joined)
		weft_group_leave(ep->cm.ep, mc->group);
	weft_fi_eq_forget(ep->cm.eq, fid);
	atomic_fetch_sub(&ep->ngroups, 1);
	free(mc);
	return 0;
}

static struct fi_ops weft_fi_mc_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_mc_close,
	.bind = weft_fi_no_bind,
	.control = weft_fi_no_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

/* Check the arguments of the call. *@dir: WEFT_GROUP_*. */
static int weft_fi_join_check(struct weft_fi_ep *ep, uint64_t flags, uint32_t *dir)
{
	uint64_t can = ep->caps & (FI_SEND | FI_RECV);

	if (!(ep->caps & FI_MULTICAST))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EOPNOTSUPP,
				    "fi_join: the endpoint has no FI_MULTICAST, which FI_EP_DGRAM may have: ask for it in hints->caps");
	if (!ep->cm.eq)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_ENOEQ,
				    "fi_join: an event queue tells of the result: fi_ep_bind one");
	if (!ep->enabled)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EOPBADSTATE,
				    "fi_join: the endpoint is not enabled: fi_enable first");
	if (flags & ~(FI_SEND | FI_RECV))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EBADFLAGS,
				    "fi_join has the flags FI_SEND and FI_RECV only");
	if (flags & ~can)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "fi_join: the endpoint was opened for the other direction only");
	if (!flags)
		flags = can;
	*dir = (flags & FI_SEND ? WEFT_GROUP_SEND : 0) | (flags & FI_RECV ? WEFT_GROUP_RECV : 0);
	return 0;
}

/* Join, and post the event. Return: 0, -FI_ENOMEM. */
static int weft_fi_mc_join(struct weft_fi_mc *mc, const void *addr, uint32_t dir)
{
	struct weft_fi_ep *ep = mc->ep;
	struct fi_eq_entry e = { .fid = &mc->mc.fid, .context = mc->mc.fid.context };
	struct fi_eq_err_entry err = { .fid = e.fid, .context = e.context };
	struct weft_sockaddr a;
	char buf[WEFT_FI_STRADDR];
	int ret;

	if (weft_fi_addr_read(&a, addr, ep->cm.family)) {
		ret = weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				   "fi_join: no address of the endpoint's format");
	} else {
		a.scope = 0;
		ret = weft_group_join(ep->cm.ep, &a, dir, &mc->group);
		if (ret)
			weft_fi_fail(FI_LOG_EP_CTRL, ret, "fi_join: %s: %s",
				     weft_fi_addr_name(&a, buf, sizeof(buf)), fi_strerror(-ret));
	}
	mc->joined = !ret;
	if (!ret)
		return weft_fi_eq_post(ep->cm.eq, FI_JOIN_COMPLETE, e.fid, &e, sizeof(e));
	err.err = -ret;
	err.prov_errno = -ret;
	return weft_fi_eq_post_err(ep->cm.eq, &err);
}

/**
 * weft_fi_join() - see fi_cm(3)
 * @fid: endpoint of datagrams with FI_MULTICAST, enabled, with an event queue
 * @addr: group, in the endpoint's address format; service 0: the endpoint's service
 * @flags: FI_SEND, FI_RECV; 0: the endpoint's capabilities
 * @mc: out
 * @context: the program's context
 *
 * An event reports the result.
 *
 * Return: 0, -FI_EOPNOTSUPP, -FI_ENOEQ, -FI_EOPBADSTATE, -FI_EBADFLAGS, -FI_EINVAL, -FI_ENOMEM.
 */
int weft_fi_join(struct fid_ep *fid, const void *addr, uint64_t flags, struct fid_mc **mc,
		 void *context)
{
	struct weft_fi_ep *ep = weft_fi_ep_of(fid);
	struct weft_fi_mc *m;
	uint32_t dir = 0;
	int ret;

	ret = weft_fi_join_check(ep, flags, &dir);
	if (!ret && !mc)
		ret = weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL, "fi_join: no room for the group");
	if (ret)
		return ret;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -FI_ENOMEM;
	weft_fi_fid_init(&m->mc.fid, FI_CLASS_MC, context, &weft_fi_mc_fid_ops);
	m->mc.fi_addr = FI_ADDR_NOTAVAIL;
	m->ep = ep;
	m->sends = dir & WEFT_GROUP_SEND;
	weft_fi_lock(&ep->tx.lock);
	m->next = ep->groups;
	ep->groups = m;
	weft_fi_unlock(&ep->tx.lock);
	atomic_fetch_add(&ep->ngroups, 1);
	ret = weft_fi_mc_join(m, addr, dir);
	if (ret) {
		weft_fi_mc_close(&m->mc.fid);
		return ret;
	}
	*mc = &m->mc;
	return 0;
}
