// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_ep_rdm.c - specifics of FI_EP_RDM and FI_EP_DGRAM: peers are indices in an address vector
 */
#include "weft_fi.h"

/* Check the requirements before an endpoint is enabled. */
int weft_fi_rdm_ready(const struct weft_fi_ep *ep)
{
	if (ep->av)
		return 0;
	return weft_fi_fail(FI_LOG_EP_CTRL, -FI_ENOAV,
			    "the endpoint needs an address vector: fi_ep_bind");
}

/* Refuse a call with an unknown address. */
int weft_fi_rdm_unknown(fi_addr_t addr)
{
	return weft_fi_fail(FI_LOG_EP_DATA, -FI_EINVAL,
			    "no address %llu in the address vector of the endpoint",
			    (unsigned long long)addr);
}

int weft_fi_rdm_source(const struct weft_fi_ep *ep, fi_addr_t addr, uint32_t *src)
{
	*src = WEFT_SRC_ANY;
	if (!ep->directed || addr == FI_ADDR_UNSPEC)
		return 0;
	return weft_fi_av_index(ep->av, addr, src) ? 0 : weft_fi_rdm_unknown(addr);
}

struct fi_ops_cm weft_fi_rdm_cm_ops = {
	.size = sizeof(struct fi_ops_cm),
	.setname = weft_fi_setname,
	.getname = weft_fi_getname,
	.getpeer = weft_fi_no_getpeer,
	.connect = weft_fi_no_connect,
	.listen = weft_fi_no_listen,
	.accept = weft_fi_no_accept,
	.reject = weft_fi_no_reject,
	.shutdown = weft_fi_no_shutdown,
	.join = weft_fi_join,
};
