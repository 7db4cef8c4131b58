// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - multicast groups of datagram endpoints
 *
 * A group is a multicast address and a service. It exists while it has members on this node:
 *
 *	none --first member--> known --last one leaves--> none
 *
 * The port accepts packets to the address while a group with that address has a receiving member.
 * Packets name no path and carry no token, because their sender does not know the receivers. They
 * are believed, as handshakes are, if they come from the UDP port that only a kernel has.
 *
 * A group that endpoints send to has a path for each source address. That path is in no table, has
 * no handshake and is always up. Each sending member has a flow on it, so its sends are processed
 * like all datagrams (dgram.c). Members on this node, the sender included, receive theirs at once.
 * Packets from an own address are ignored.
 *
 * Locks: core->grp_mutex covers joining and leaving, including the port's part, inside
 * ep->sq_mutex. core->grp_lock protects the lists of members: changes take it inside
 * core->grp_mutex, the delivery of a datagram takes it alone. ep->lock of each receiver is taken
 * inside it. See Documentation/locking.rst.
 */
#include "core/messaging/messaging.h"

/**
 * weft_group_member - find a group that an endpoint has joined
 * @ep: the endpoint; ep->sq_mutex is held
 * @id: the group's number
 *
 * Return: its membership, or NULL.
 */
struct weft_member *weft_group_member(struct weft_ep *ep, u32 id)
{
	struct weft_list *l;

	weft_mutex_assert_held(&ep->sq_mutex);
	weft_list_for_each(l, &ep->tx.groups) {
		struct weft_member *m = weft_entry(l, struct weft_member, node);

		if (m->id == id)
			return m;
	}
	return NULL;
}

/* Find a group. core->grp_mutex or core->grp_lock is held. */
static struct weft_group *weft_group_find(struct weft_core *core, const struct weft_sockaddr *addr)
{
	struct weft_list *l;

	weft_list_for_each(l, &core->groups) {
		struct weft_group *g = weft_entry(l, struct weft_group, node);

		if (weft_addr_eq(&g->addr, addr))
			return g;
	}
	return NULL;
}

/*
 * Return: true if a member receives datagrams to this address, of any service. grp_mutex is held.
 */
static bool weft_group_receives(struct weft_core *core, const struct weft_sockaddr *addr)
{
	struct weft_list *l, *k;

	weft_mutex_assert_held(&core->grp_mutex);
	weft_list_for_each(l, &core->groups) {
		struct weft_group *g = weft_entry(l, struct weft_group, node);

		if (!weft_addr_same_node(&g->addr, addr))
			continue;
		weft_list_for_each(k, &g->members)
			if (weft_entry(k, struct weft_member, gnode)->flags & WEFT_GROUP_RECV)
				return true;
	}
	return false;
}

/* ---- Sending --------------------------------------------------------------------- */

/* Get a path to a group for packets from an own address, referenced. grp_mutex is held. */
static struct weft_path *weft_group_path(struct weft_core *core, struct weft_group *g, u8 src)
{
	struct weft_path *path;
	struct weft_list *l;
	int err;

	weft_mutex_assert_held(&core->grp_mutex);
	weft_list_for_each(l, &g->members) {
		struct weft_member *m = weft_entry(l, struct weft_member, gnode);

		if (m->flow && m->flow->path->src == src) {
			weft_path_get(m->flow->path);
			return m->flow->path;
		}
	}
	path = weft_path_alloc(core, &g->addr, src);
	if (!path)
		return ERR_PTR(-ENOMEM);
	path->group = true;
	path->state = WEFT_PATHS_UP;
	err = weft_path_open(path);
	if (!err)
		return path;
	weft_path_put(path);
	return ERR_PTR(err);
}

/* Make a flow to a group. ep->sq_mutex and grp_mutex are held. */
static struct weft_flow *weft_group_flow(struct weft_ep *ep, struct weft_group *g)
{
	struct weft_core *core = ep->core;
	struct weft_flow *flow;
	struct weft_path *path;
	u8 src = 0;

	weft_mutex_assert_held(&ep->sq_mutex);
	weft_mutex_assert_held(&ep->core->grp_mutex);
	while (src + 1u < core->naddr && !weft_addr_same_node(&core->addr[src], &ep->addr))
		src++;
	path = weft_group_path(core, g, src);
	if (IS_ERR(path))
		return ERR_CAST(path);
	flow = weft_flow_new(ep, path, &g->addr);
	if (flow) {
		weft_lock(&path->lock);
		weft_flow_add(flow);
		weft_unlock(&path->lock);
		weft_list_add_tail(&ep->flow.list, &flow->ep_node);
	}
	weft_path_put(path);
	return flow ? flow : ERR_PTR(-ENOMEM);
}

/* ---- Joining and leaving --------------------------------------------------------- */

/* Check the form of an address. The unused bytes of an IPv4 address have to be 0. */
static bool weft_group_formed(const struct weft_sockaddr *addr)
{
	static const u8 zero[12];

	return weft_addr_is_group(addr) && !addr->scope &&
	       (addr->family != AF_INET || !memcmp(addr->addr + 4, zero, sizeof(zero)));
}

static int weft_group_check(const struct weft_ep *ep, const struct weft_sockaddr *addr, u32 flags)
{
	if (ep->conf.type != WEFT_EP_DGRAM || ep->state != WEFT_EPS_ENABLED || !flags)
		return -EINVAL;
	if (addr->family != AF_INET && addr->family != AF_INET6)
		return -EAFNOSUPPORT;
	if (!weft_group_formed(addr))
		return -EINVAL;
	return addr->family == ep->addr.family ? 0 : -EAFNOSUPPORT;
}

/* Remove a member, and the group if it was the last one. grp_mutex is held. */
static void weft_group_drop(struct weft_core *core, struct weft_member *m)
{
	struct weft_group *g = m->group;
	bool last;

	weft_mutex_assert_held(&core->grp_mutex);
	weft_lock(&core->grp_lock);
	weft_list_del(&m->gnode);
	last = weft_list_empty(&g->members);
	if (last) {
		weft_list_del(&g->node);
		core->ngroups--;
	}
	weft_unlock(&core->grp_lock);
	if (m->flags & WEFT_GROUP_RECV && !weft_group_receives(core, &g->addr))
		weft_env_group(core, &g->addr, false);
	if (last)
		weft_free(g);
}

/* Find a group or make it. grp_mutex is held. */
static struct weft_group *weft_group_get(struct weft_core *core, const struct weft_sockaddr *addr)
{
	struct weft_group *g = weft_group_find(core, addr);

	weft_mutex_assert_held(&core->grp_mutex);
	if (g)
		return g;
	if (core->ngroups >= WEFT_CORE_GROUPS)
		return ERR_PTR(-ENOSPC);
	g = weft_alloc_sleep(sizeof(*g));
	if (!g)
		return ERR_PTR(-ENOMEM);
	g->addr = *addr;
	weft_list_init(&g->members);
	weft_lock(&core->grp_lock);
	weft_list_add_tail(&core->groups, &g->node);
	core->ngroups++;
	weft_unlock(&core->grp_lock);
	return g;
}

/* Add a member to a group. @m: endpoint and flags are set. ep->sq_mutex and grp_mutex are held. */
static int weft_group_add(struct weft_member *m, const struct weft_sockaddr *addr)
{
	struct weft_core *core = m->ep->core;
	struct weft_group *g = weft_group_get(core, addr);
	bool heard;
	int err = 0;

	weft_mutex_assert_held(&m->ep->sq_mutex);
	weft_mutex_assert_held(&m->ep->core->grp_mutex);
	if (IS_ERR(g))
		return (int)PTR_ERR(g);
	heard = weft_group_receives(core, addr);
	m->group = g;
	weft_lock(&core->grp_lock);
	weft_list_add_tail(&g->members, &m->gnode);
	weft_unlock(&core->grp_lock);
	if (m->flags & WEFT_GROUP_SEND) {
		struct weft_flow *flow = weft_group_flow(m->ep, g);

		if (IS_ERR(flow))
			err = (int)PTR_ERR(flow);
		else
			m->flow = flow;
	}
	if (!err && m->flags & WEFT_GROUP_RECV && !heard) {
		err = weft_env_group(core, addr, true);
		/* so that the port is not asked to leave */
		if (err)
			m->flags &= ~WEFT_GROUP_RECV;
	}
	return err;
}

/* End a membership. ep->sq_mutex is held. */
static void weft_group_end(struct weft_member *m, struct weft_out *out)
{
	struct weft_core *core = m->ep->core;

	weft_mutex_assert_held(&m->ep->sq_mutex);
	weft_list_del(&m->node);
	m->ep->tx.ngroups--;
	weft_mutex_lock(&core->grp_mutex);
	weft_group_drop(core, m);
	weft_mutex_unlock(&core->grp_mutex);
	if (m->flow)
		weft_flow_forget(m->flow, out);
	weft_free(m);
}

static int weft_group_enter(struct weft_ep *ep, const struct weft_sockaddr *addr, u32 flags,
			    struct weft_out *out, u32 *id)
{
	struct weft_member *m;
	struct weft_list *l;
	int err;

	weft_list_for_each(l, &ep->tx.groups)
		if (weft_addr_eq(&weft_entry(l, struct weft_member, node)->group->addr, addr))
			return -EALREADY;
	if (ep->tx.ngroups >= WEFT_GROUPS_MAX)
		return -ENOSPC;
	m = weft_alloc_sleep(sizeof(*m));
	if (!m)
		return -ENOMEM;
	weft_list_init(&m->gnode);
	m->ep = ep;
	m->flags = flags;
	weft_mutex_lock(&ep->core->grp_mutex);
	err = weft_group_add(m, addr);
	weft_mutex_unlock(&ep->core->grp_mutex);
	if (err && !m->group) {
		weft_free(m);
		return err;
	}
	weft_list_add_tail(&ep->tx.groups, &m->node);
	ep->tx.ngroups++;
	if (err) {
		weft_group_end(m, out);
		return err;
	}
	m->id = ep->tx.next_group++;
	*id = m->id;
	return 0;
}

int weft_group_join(struct weft_ep *ep, struct weft_sockaddr *addr, u32 flags, weft_ns now,
		    struct weft_out *out, u32 *id)
{
	int err;

	out->now = now;
	if (READ_ONCE(ep->core->stopped))
		return -ENODEV;
	weft_mutex_lock(&ep->sq_mutex);
	err = weft_group_check(ep, addr, flags);
	if (!err) {
		if (!addr->port)
			addr->port = ep->addr.port;
		err = weft_group_enter(ep, addr, flags, out, id);
	}
	weft_mutex_unlock(&ep->sq_mutex);
	return err;
}

int weft_group_leave(struct weft_ep *ep, u32 id, weft_ns now, struct weft_out *out)
{
	struct weft_member *m;

	out->now = now;
	weft_mutex_lock(&ep->sq_mutex);
	/* entries in the ring are still sent to the group */
	if (READ_ONCE(ep->state) == WEFT_EPS_ENABLED)
		weft_send_drain(ep, 0, out);
	m = weft_group_member(ep, id);
	if (m)
		weft_group_end(m, out);
	weft_mutex_unlock(&ep->sq_mutex);
	return m ? 0 : -ENOENT;
}

/**
 * weft_group_leave_all - leave all groups
 * @ep: the endpoint; ep->sq_mutex is held
 * @out: output
 *
 * Context: may sleep.
 */
void weft_group_leave_all(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_list *l;

	weft_mutex_assert_held(&ep->sq_mutex);
	while ((l = weft_list_first(&ep->tx.groups)))
		weft_group_end(weft_entry(l, struct weft_member, node), out);
}

/* ---- Receiving ------------------------------------------------------------------- */

/**
 * weft_group_deliver - give a datagram to all receiving members of its job on this node
 * @core: the core
 * @group: the group
 * @d: the datagram
 * @from: the sender
 * @out: output
 *
 * The authentication code is computed for each datagram and each job: it depends on the sender, of
 * which no state is kept.
 *
 * Context: no lock is held. The work is bounded by the endpoints of the port.
 */
void weft_group_deliver(struct weft_core *core, const struct weft_sockaddr *group,
			struct weft_dgram *d, const struct weft_sockaddr *from,
			struct weft_out *out)
{
	bool strange = false, taken = false;
	const struct weft_job *job = NULL;
	u64 auth = 0;	/* code of @job */
	struct weft_group *g;
	struct weft_list *l;
	u16 flags = d->flags;

	d->flags |= WEFT_MSG_GROUP;
	weft_lock(&core->grp_lock);
	g = weft_group_find(core, group);
	if (g) {
		weft_list_for_each(l, &g->members) {
			struct weft_member *m = weft_entry(l, struct weft_member, gnode);

			if (!(m->flags & WEFT_GROUP_RECV))
				continue;
			if (m->ep->job != job) {
				job = m->ep->job;
				auth = weft_job_auth_group(job, group, from);
			}
			strange |= auth != d->auth;
			if (auth != d->auth)
				continue;
			taken = true;
			weft_dgram_deliver(m->ep, d, from, out);
		}
	}
	weft_unlock(&core->grp_lock);
	if (strange && !taken)
		weft_count(core, wrong_job);
	d->flags = flags;
}

/**
 * weft_group_rx - process a datagram to a group
 * @core: the core
 * @rx: the packet
 * @hdr: its header
 * @rest: the bytes behind the header
 * @out: output
 *
 * Context: no lock is held.
 */
void weft_group_rx(struct weft_core *core, const struct weft_rx *rx, const struct weft_hdr *hdr,
		   const struct weft_chunks *rest, struct weft_out *out)
{
	struct weft_sockaddr from = rx->src, group = { .family = rx->src.family };
	struct weft_dgram d;

	from.port = 0;
	if (weft_core_own(core, &from))
		return;		/* echo of the link: members here already have theirs */
	if (rx->dst != WEFT_RX_GROUP || be16_to_cpu(rx->src.port) != core->conf.udp_port ||
	    weft_addr_check(&from) || weft_wire_dgram_get(rest, &d)) {
		weft_count(core, rx_bad);
		return;
	}
	d.auth = weft_wire_dgram_auth(hdr);
	from.port = cpu_to_be16(d.ssvc);
	memcpy(group.addr, rx->group, sizeof(group.addr));
	group.port = cpu_to_be16(d.dsvc);
	weft_group_deliver(core, &group, &d, &from, out);
}
