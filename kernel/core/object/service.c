// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - services: the numbers of the endpoints of a node
 *
 * Locks: core->svc_lock, taken here unless a function says that its caller holds it. A lookup takes
 * no lock: it runs for each packet to a new flow and for each datagram, of any sender.
 */
#include "core/object/object.h"

/**
 * weft_service_used - does an endpoint have a service?
 * @core: the core; core->svc_lock is held
 * @svc: the service
 *
 * Return: true if one has it.
 */
bool weft_service_used(struct weft_core *core, u16 svc)
{
	weft_assert_held(&core->svc_lock);
	return weft_index_get(&core->services, svc);
}

/**
 * weft_service_claim - give an endpoint its service
 * @ep: the endpoint; the port of ep->addr is the service that it asks for, 0: any
 *
 * Return: 0, -EADDRINUSE, -ENOMEM.
 */
int weft_service_claim(struct weft_ep *ep)
{
	struct weft_core *core = ep->core;
	__be16 wanted = ep->addr.port;
	u16 svc = be16_to_cpu(wanted);
	u32 i;
	int err = -EADDRINUSE;

	weft_lock(&core->svc_lock);
	if (svc) {
		if (!weft_service_used(core, svc))
			err = 0;
	} else {
		/* from the range for services without a requested number */
		for (i = 0; i < 0x4000 && err; i++) {
			svc = 0xc000 | (core->next_service++ & 0x3fff);
			if (!weft_service_used(core, svc))
				err = 0;
		}
	}
	if (!err) {
		if (!++core->next_gen)
			++core->next_gen;
		ep->gen = core->next_gen;
		ep->addr.port = cpu_to_be16(svc);
		/* a lookup that finds the endpoint sees both */
		err = weft_index_set(&core->services, svc, ep);
		ep->listed = !err;
	}
	if (err)
		ep->addr.port = wanted;
	weft_unlock(&core->svc_lock);
	return err;
}

/**
 * weft_service_release - take an endpoint's service back
 * @ep: the endpoint
 */
void weft_service_release(struct weft_ep *ep)
{
	struct weft_core *core = ep->core;

	weft_lock(&core->svc_lock);
	if (ep->listed)
		weft_index_del(&core->services, be16_to_cpu(ep->addr.port));
	ep->listed = false;
	weft_unlock(&core->svc_lock);
}

/**
 * weft_core_service - find the endpoint of a service
 * @core: the core
 * @svc: the service
 *
 * Return: the endpoint, referenced, or NULL.
 */
struct weft_ep *weft_core_service(struct weft_core *core, u16 svc)
{
	struct weft_ep *ep;

	weft_rcu_lock();
	ep = weft_index_get(&core->services, svc);
	if (ep && !refcount_inc_not_zero(&ep->ref))
		ep = NULL;
	weft_rcu_unlock();
	return ep;
}

/**
 * weft_service_next - iterate over the endpoints of a node
 * @core: the core
 * @svc: service at which to begin, at most U16_MAX + 1; out: that of the endpoint
 *
 * Return: the endpoint, referenced; NULL: no more.
 */
struct weft_ep *weft_service_next(struct weft_core *core, u32 *svc)
{
	struct weft_ep *ep;

	weft_rcu_lock();
	while ((ep = weft_index_next(&core->services, svc)) && !refcount_inc_not_zero(&ep->ref))
		++*svc;
	weft_rcu_unlock();
	return ep;
}
