// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - services: the numbers of the endpoints of a node
 *
 * Locks: core->svc_lock, taken here unless a function says that its caller holds it.
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
	struct weft_list *l;

	weft_assert_held(&core->svc_lock);
	weft_list_for_each(l, &core->services[svc % WEFT_CORE_HASH])
		if (be16_to_cpu(weft_entry(l, struct weft_ep, svcnode)->addr.port) == svc)
			return true;
	return false;
}

/**
 * weft_service_claim - give an endpoint its service
 * @ep: the endpoint; the port of ep->addr is the service that it asks for, 0: any
 *
 * Return: 0, -EADDRINUSE.
 */
int weft_service_claim(struct weft_ep *ep)
{
	struct weft_core *core = ep->core;
	u16 svc = be16_to_cpu(ep->addr.port);
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
		ep->listed = true;
		weft_list_add_tail(&core->services[svc % WEFT_CORE_HASH], &ep->svcnode);
	}
	weft_unlock(&core->svc_lock);
	return err;
}

/**
 * weft_service_release - take an endpoint's service back
 * @ep: the endpoint
 */
void weft_service_release(struct weft_ep *ep)
{
	weft_lock(&ep->core->svc_lock);
	if (ep->listed)
		weft_list_del(&ep->svcnode);
	ep->listed = false;
	weft_unlock(&ep->core->svc_lock);
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
	struct weft_ep *found = NULL;
	struct weft_list *l;

	weft_lock(&core->svc_lock);
	weft_list_for_each(l, &core->services[svc % WEFT_CORE_HASH]) {
		struct weft_ep *ep = weft_entry(l, struct weft_ep, svcnode);

		if (be16_to_cpu(ep->addr.port) == svc) {
			weft_ep_get(ep);
			found = ep;
			break;
		}
	}
	weft_unlock(&core->svc_lock);
	return found;
}
