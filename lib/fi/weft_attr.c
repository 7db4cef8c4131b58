// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_attr.c - attributes and capabilities: offer, check, result
 *
 * weft_fi_info_new() describes the maximum that a port offers for an endpoint type.
 * weft_fi_info_check() compares that with a program's hints, and logs each mismatch.
 * weft_fi_info_narrow() turns the offer into the result for the program.
 */
#include <stdio.h>
#include <strings.h>

#include "weft_fi.h"

#define WEFT_FI_TEXT	512	/* maximum bytes of a part of an explanation */

/* granted only on request */
#define WEFT_FI_PRIMARY		(FI_MSG | FI_TAGGED | FI_DIRECTED_RECV | FI_MULTI_RECV | \
				 FI_NAMED_RX_CTX | FI_MULTICAST | WEFT_FI_ONESIDED | FI_RMA_EVENT)
/* costly, and granted only on request, too */
#define WEFT_FI_COSTLY		(FI_FENCE | FI_VARIABLE_MSG | FI_SOURCE_ERR | FI_TRIGGER)
/* narrow the primary ones */
#define WEFT_FI_MODIFIERS	(FI_SEND | FI_RECV | WEFT_FI_RMA_TX | WEFT_FI_RMA_RX)
/* free: always granted */
#define WEFT_FI_SECONDARY	(FI_SOURCE | FI_SHARED_AV | FI_LOCAL_COMM | FI_REMOTE_COMM)

#define WEFT_FI_TX_CAPS		(FI_MSG | FI_TAGGED | FI_SEND | FI_NAMED_RX_CTX | FI_FENCE | \
				 FI_MULTICAST | FI_TRIGGER | WEFT_FI_ONESIDED | WEFT_FI_RMA_TX)
#define WEFT_FI_RX_CAPS		(FI_MSG | FI_TAGGED | FI_RECV | FI_DIRECTED_RECV | FI_SOURCE | \
				 FI_SOURCE_ERR | FI_MULTI_RECV | FI_VARIABLE_MSG | FI_TRIGGER | \
				 WEFT_FI_ONESIDED | WEFT_FI_RMA_RX | FI_RMA_EVENT)
#define WEFT_FI_DOMAIN_CAPS	(FI_SHARED_AV | FI_LOCAL_COMM | FI_REMOTE_COMM)

/* hints for one direction may have bits of the other direction or the domain, which are ignored */
#define WEFT_FI_TX_IGNORED	(FI_RECV | FI_DIRECTED_RECV | FI_SOURCE | FI_SOURCE_ERR | \
				 FI_MULTI_RECV | FI_VARIABLE_MSG | WEFT_FI_RMA_RX | FI_RMA_EVENT | \
				 WEFT_FI_DOMAIN_CAPS)
#define WEFT_FI_RX_IGNORED	(FI_SEND | WEFT_FI_RMA_TX | FI_FENCE | FI_NAMED_RX_CTX | \
				 FI_MULTICAST | WEFT_FI_DOMAIN_CAPS)

/*
 * The target's node processes operations and messages of a flow in the order of their posts. Reads
 * and writes of at most WEFT_FI_ORDER_SIZE bytes are executed then. A longer write ends later, and
 * a send after it is received before, unless the program requests FI_ORDER_SAW. Then the endpoint
 * delays what follows a long write.
 */
#define WEFT_FI_ORDER_RMA	(FI_ORDER_RAR | FI_ORDER_RAW | FI_ORDER_RAS | FI_ORDER_WAR | \
				 FI_ORDER_WAW | FI_ORDER_WAS | FI_ORDER_SAR | FI_ORDER_RMA_RAR | \
				 FI_ORDER_RMA_RAW | FI_ORDER_RMA_WAR | FI_ORDER_RMA_WAW)
#define WEFT_FI_ORDER_ATOMIC	(FI_ORDER_ATOMIC_RAR | FI_ORDER_ATOMIC_RAW | \
				 FI_ORDER_ATOMIC_WAR | FI_ORDER_ATOMIC_WAW)
#define WEFT_FI_ORDER_SIZE	4096

/**
 * weft_fi_caps_whole() - add the directions of capabilities that name none
 * @caps: capabilities of a program
 *
 * Return: the capabilities: messages have FI_SEND, FI_RECV or both. One-sided operations have at
 * least one of FI_READ, FI_WRITE, FI_REMOTE_READ and FI_REMOTE_WRITE. Without FI_RMA and FI_ATOMIC
 * there are none of these.
 */
uint64_t weft_fi_caps_whole(uint64_t caps)
{
	uint64_t rma = WEFT_FI_RMA_TX | WEFT_FI_RMA_RX;

	if (!(caps & WEFT_FI_ONESIDED))
		caps &= ~rma;
	else if (!(caps & rma))
		caps |= rma;
	if (!(caps & (FI_SEND | FI_RECV)) &&
	    (caps & (FI_MSG | FI_TAGGED) || !(caps & WEFT_FI_ONESIDED)))
		caps |= FI_SEND | FI_RECV;
	return caps;
}

/*
 * Endpoint types have the same capabilities, except that datagrams have no tags. With one peer,
 * directed receives and sources have no effect. But programs request the capabilities of one type
 * when they open another.
 */
static uint64_t weft_fi_caps(const struct weft_ioc_query *q, enum fi_ep_type type, uint64_t *mode)
{
	uint64_t caps = FI_MSG | FI_SEND | FI_RECV | FI_DIRECTED_RECV | FI_NAMED_RX_CTX |
			FI_SOURCE | FI_SHARED_AV | FI_LOCAL_COMM;

	if (q->caps & WEFT_CAP_RMA && type != FI_EP_DGRAM)
		caps |= WEFT_FI_ONESIDED | WEFT_FI_RMA_TX | WEFT_FI_RMA_RX | FI_RMA_EVENT;
	if (q->caps & WEFT_CAP_TAGGED && type != FI_EP_DGRAM)
		caps |= FI_TAGGED;
	if (q->caps & WEFT_CAP_FENCE)
		caps |= FI_FENCE;
	if (q->caps & WEFT_CAP_MULTI)
		caps |= FI_MULTI_RECV;
	if (q->caps & WEFT_CAP_TRIGGER)
		caps |= FI_TRIGGER;
	if (q->caps & WEFT_CAP_ANNOUNCE && type != FI_EP_DGRAM) {
		caps |= FI_VARIABLE_MSG;
		*mode |= WEFT_FI_BUFFERED_RECV;
	}
	if (q->caps & WEFT_CAP_SOURCE && type != FI_EP_MSG)
		caps |= FI_SOURCE_ERR;
	if (q->caps & WEFT_CAP_GROUP && type == FI_EP_DGRAM)
		caps |= FI_MULTICAST;
	if (strcmp(q->driver, "loop"))
		caps |= FI_REMOTE_COMM;
	return caps;
}

/* Describe the maximum of one-sided operations. */
static void weft_fi_info_rma(struct fi_info *fi, uint32_t segments)
{
	fi->tx_attr->msg_order |= WEFT_FI_ORDER_RMA | WEFT_FI_ORDER_ATOMIC | FI_ORDER_SAW;
	fi->rx_attr->msg_order |= WEFT_FI_ORDER_RMA | WEFT_FI_ORDER_ATOMIC | FI_ORDER_SAW;
	fi->tx_attr->rma_iov_limit = segments;
	fi->ep_attr->max_order_raw_size = WEFT_FI_ORDER_SIZE;
	fi->ep_attr->max_order_war_size = WEFT_FI_ORDER_SIZE;
	fi->ep_attr->max_order_waw_size = WEFT_FI_ORDER_SIZE;
}

/**
 * weft_fi_info_new() - describe the maximum that a port offers
 * @q: the port
 * @type: FI_EP_RDM, FI_EP_MSG or FI_EP_DGRAM
 * @info: out: sizes are maxima; has no addresses
 *
 * Return: 0, -FI_ENOMEM.
 */
int weft_fi_info_new(const struct weft_ioc_query *q, enum fi_ep_type type, struct fi_info **info)
{
	struct fi_info *fi = fi_allocinfo();

	if (!fi)
		return -FI_ENOMEM;
	fi->fabric_attr->name = strdup(WEFT_FI_FABRIC);
	fi->domain_attr->name = strdup(q->name);
	if (!fi->fabric_attr->name || !fi->domain_attr->name) {
		fi_freeinfo(fi);
		return -FI_ENOMEM;
	}
	fi->fabric_attr->prov_version = WEFT_FI_VERSION;
	fi->caps = weft_fi_caps(q, type, &fi->mode);

	fi->tx_attr->caps = fi->caps & WEFT_FI_TX_CAPS;
	fi->tx_attr->op_flags = WEFT_FI_TX_OP_FLAGS;
	fi->tx_attr->msg_order = FI_ORDER_SAS;
	if (type == FI_EP_DGRAM) {
		fi->tx_attr->op_flags &= ~WEFT_FI_ANSWERED;
		fi->tx_attr->op_flags |= fi->caps & FI_MULTICAST;
		fi->tx_attr->msg_order = 0;	/* none: libfabric 2 deprecates the name */
	}
	fi->tx_attr->inject_size = q->max_inline;
	fi->tx_attr->size = q->max_ring / WEFT_FI_SQ_RATIO;
	fi->tx_attr->iov_limit = q->max_iov;

	fi->rx_attr->caps = fi->caps & WEFT_FI_RX_CAPS;
	fi->rx_attr->op_flags = WEFT_FI_RX_OP_FLAGS;
	fi->rx_attr->msg_order = fi->tx_attr->msg_order;
	fi->rx_attr->size = q->max_ring;
	fi->rx_attr->iov_limit = q->max_iov;

	fi->ep_attr->type = type;
	fi->ep_attr->protocol = WEFT_FI_PROTO;
	fi->ep_attr->protocol_version = WEFT_FI_PROTO_VERSION;
	fi->ep_attr->max_msg_size = type == FI_EP_DGRAM ? q->max_dgram : q->max_msg;
	fi->ep_attr->mem_tag_format = WEFT_FI_TAG_FORMAT;
	fi->ep_attr->tx_ctx_cnt = 1;
	fi->ep_attr->rx_ctx_cnt = 1;

	if (fi->caps & WEFT_FI_ONESIDED)
		weft_fi_info_rma(fi, q->max_iov);

	fi->domain_attr->caps = fi->caps & WEFT_FI_DOMAIN_CAPS;
	fi->domain_attr->threading = FI_THREAD_SAFE;
	fi->domain_attr->control_progress = FI_PROGRESS_AUTO;
	fi->domain_attr->data_progress = FI_PROGRESS_AUTO;
	fi->domain_attr->resource_mgmt = FI_RM_ENABLED;
	fi->domain_attr->av_type = FI_AV_UNSPEC;
	fi->domain_attr->mr_key_size = sizeof(uint64_t);
	fi->domain_attr->mr_iov_limit = q->max_iov;
	fi->domain_attr->mr_cnt = q->max_objs;
	fi->domain_attr->max_err_data = q->cm_data;
	fi->domain_attr->cq_data_size = sizeof(uint64_t);
	fi->domain_attr->cq_cnt = q->max_objs;
	fi->domain_attr->cntr_cnt = q->caps & WEFT_CAP_COUNT ? q->max_objs : 0;
	fi->domain_attr->ep_cnt = q->max_objs;
	fi->domain_attr->tx_ctx_cnt = q->max_objs;
	fi->domain_attr->max_ep_stx_ctx = q->max_objs;
	fi->domain_attr->max_ep_srx_ctx = q->max_objs;
	fi->domain_attr->rx_ctx_cnt = q->max_objs;
	fi->domain_attr->max_ep_tx_ctx = type == FI_EP_RDM ? WEFT_FI_CTX_MAX : 1;
	fi->domain_attr->max_ep_rx_ctx = type == FI_EP_RDM ? WEFT_FI_CTX_MAX : 1;
	*info = fi;
	return 0;
}

static const char *weft_fi_type_name(const struct fi_info *info)
{
	switch (info->ep_attr->type) {
	case FI_EP_RDM:
		return "rdm";
	case FI_EP_DGRAM:
		return "dgram";
	default:
		return "msg";
	}
}

/* Log a hint that conflicts with the offer: its name, the requested and the offered value. */
static void weft_fi_differs(const struct fi_info *info, const char *hint, const char *asked,
			    const char *offered)
{
	weft_fi_reason("%s %s: hints->%s asks for %s, weft offers %s", info->domain_attr->name,
		       weft_fi_type_name(info), hint, asked, offered);
}

/* Return: true if bits are requested that are not offered. */
static bool weft_fi_lacks(const struct fi_info *info, const char *hint, uint64_t asked,
			  uint64_t have, enum fi_type type)
{
	char bits[WEFT_FI_TEXT], text[WEFT_FI_TEXT + 32], offer[WEFT_FI_TEXT];
	uint64_t missing = asked & ~have;

	if (!missing)
		return false;
	if (!weft_fi_explains())
		return true;
	fi_tostr_r(bits, sizeof(bits), &missing, type);
	snprintf(text, sizeof(text), bits[0] ? "%s (bits %#llx)" : "%sbits %#llx", bits,
		 (unsigned long long)missing);
	fi_tostr_r(offer, sizeof(offer), &have, type);
	weft_fi_differs(info, hint, text, have ? offer : "none of that kind");
	return true;
}

/* Return: true if more is requested than offered. */
static bool weft_fi_exceeds(const struct fi_info *info, const char *hint, uint64_t asked,
			    uint64_t have)
{
	char text[24], offer[32];

	if (asked <= have)
		return false;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)asked);
	snprintf(offer, sizeof(offer), "%llu at most", (unsigned long long)have);
	weft_fi_differs(info, hint, text, offer);
	return true;
}

/* Return: true if no header of libfabric defines the value. */
static bool weft_fi_strange(const struct fi_info *info, const char *hint, unsigned int asked,
			    unsigned int last)
{
	char text[24], offer[32];

	if (asked <= last)
		return false;
	snprintf(text, sizeof(text), "%u", asked);
	snprintf(offer, sizeof(offer), "values up to %u", last);
	weft_fi_differs(info, hint, text, offer);
	return true;
}

/* Return: true if another name is requested. */
static bool weft_fi_renames(const struct fi_info *info, const char *hint, const char *asked,
			    const char *have, int (*compare)(const char *a, const char *b))
{
	char text[WEFT_FI_TEXT], offer[WEFT_FI_TEXT];

	if (!asked || !compare(asked, have))
		return false;
	snprintf(text, sizeof(text), "'%s'", asked);
	snprintf(offer, sizeof(offer), "'%s'", have);
	weft_fi_differs(info, hint, text, offer);
	return true;
}

static bool weft_fi_refuses(const struct fi_info *info, bool refused, const char *hint,
			    const char *asked, const char *offered)
{
	if (refused)
		weft_fi_differs(info, hint, asked, offered);
	return refused;
}

/* Return: true if receives are not buffered: a shared context, or very many receives. */
static bool weft_fi_plain_rx(const struct fi_info *info, const struct fi_info *hints)
{
	return (hints->ep_attr && hints->ep_attr->rx_ctx_cnt == FI_SHARED_CONTEXT) ||
	       (hints->rx_attr && hints->rx_attr->size > info->rx_attr->size / 4);
}

static int weft_fi_check_fabric(const struct fi_info *info, const struct fi_fabric_attr *hint)
{
	if (weft_fi_renames(info, "fabric_attr->name", hint->name, info->fabric_attr->name,
			    strcmp) ||
	    weft_fi_exceeds(info, "fabric_attr->prov_version", hint->prov_version,
			    WEFT_FI_VERSION) ||
	    weft_fi_refuses(info, hint->fabric && !weft_fi_is_open(hint->fabric),
			    "fabric_attr->fabric", "one that is closed, or another provider's",
			    "those that it has opened"))
		return -FI_ENODATA;
	return 0;
}

/* Check the number of objects: a context limits the sum of all kinds. */
static int weft_fi_check_counts(const struct fi_info *info, const struct fi_domain_attr *hint)
{
	const struct fi_domain_attr *have = info->domain_attr;

	if (weft_fi_exceeds(info, "domain_attr->cq_cnt", hint->cq_cnt, have->cq_cnt) ||
	    weft_fi_exceeds(info, "domain_attr->ep_cnt", hint->ep_cnt, have->ep_cnt) ||
	    weft_fi_exceeds(info, "domain_attr->tx_ctx_cnt", hint->tx_ctx_cnt,
			    have->tx_ctx_cnt) ||
	    weft_fi_exceeds(info, "domain_attr->rx_ctx_cnt", hint->rx_ctx_cnt,
			    have->rx_ctx_cnt) ||
	    weft_fi_exceeds(info, "domain_attr->max_ep_tx_ctx", hint->max_ep_tx_ctx,
			    have->max_ep_tx_ctx) ||
	    weft_fi_exceeds(info, "domain_attr->max_ep_rx_ctx", hint->max_ep_rx_ctx,
			    have->max_ep_rx_ctx) ||
	    weft_fi_exceeds(info, "domain_attr->max_ep_stx_ctx", hint->max_ep_stx_ctx,
			    have->max_ep_stx_ctx) ||
	    weft_fi_exceeds(info, "domain_attr->max_ep_srx_ctx", hint->max_ep_srx_ctx,
			    have->max_ep_srx_ctx))
		return -FI_ENODATA;
	return 0;
}

/* Check values that are returned as requested. */
static int weft_fi_check_models(const struct fi_info *info, const struct fi_domain_attr *hint)
{
	if (weft_fi_strange(info, "domain_attr->threading", hint->threading,
			    WEFT_FI_THREAD_LAST) ||
	    weft_fi_strange(info, "domain_attr->control_progress", hint->control_progress,
			    WEFT_FI_PROGRESS_LAST) ||
	    weft_fi_strange(info, "domain_attr->data_progress", hint->data_progress,
			    WEFT_FI_PROGRESS_LAST) ||
	    weft_fi_strange(info, "domain_attr->resource_mgmt", hint->resource_mgmt,
			    FI_RM_ENABLED) ||
	    weft_fi_strange(info, "domain_attr->av_type", hint->av_type, FI_AV_TABLE))
		return -FI_ENODATA;
	return 0;
}

static int weft_fi_check_domain(const struct fi_info *info, const struct fi_domain_attr *hint,
				uint32_t version)
{
	const struct fi_domain_attr *have = info->domain_attr;

	if (weft_fi_renames(info, "domain_attr->name", hint->name, have->name, strcasecmp) ||
	    weft_fi_refuses(info, hint->domain && !weft_fi_is_domain(hint->domain, have->name),
			    "domain_attr->domain", "one that is closed, or of another port",
			    "those that are open on this one") ||
	    weft_fi_check_models(info, hint) || weft_fi_check_counts(info, hint))
		return -FI_ENODATA;
	if (weft_fi_exceeds(info, "domain_attr->cq_data_size", hint->cq_data_size,
			    have->cq_data_size) ||
	    weft_fi_exceeds(info, "domain_attr->mr_key_size", hint->mr_key_size,
			    have->mr_key_size))
		return -FI_ENODATA;
	/* version 1.5 added the fields below: older programs do not set them */
	if (FI_VERSION_LT(version, FI_VERSION(1, 5)))
		return 0;
	if (weft_fi_lacks(info, "domain_attr->caps", hint->caps, have->caps, FI_TYPE_CAPS) ||
	    weft_fi_exceeds(info, "domain_attr->cntr_cnt", hint->cntr_cnt, have->cntr_cnt) ||
	    weft_fi_exceeds(info, "domain_attr->mr_iov_limit", hint->mr_iov_limit,
			    have->mr_iov_limit) ||
	    weft_fi_exceeds(info, "domain_attr->mr_cnt", hint->mr_cnt, have->mr_cnt) ||
	    weft_fi_exceeds(info, "domain_attr->max_err_data", hint->max_err_data,
			    have->max_err_data))
		return -FI_ENODATA;
	return 0;
}

static int weft_fi_check_ep(const struct fi_info *info, const struct fi_ep_attr *hint)
{
	const struct fi_ep_attr *have = info->ep_attr;

	if (weft_fi_refuses(info, hint->protocol && hint->protocol != have->protocol,
			    "ep_attr->protocol", "that of another provider", "its own") ||
	    weft_fi_exceeds(info, "ep_attr->msg_prefix_size", hint->msg_prefix_size,
			    WEFT_FI_PREFIX_MAX) ||
	    weft_fi_exceeds(info, "ep_attr->protocol_version", hint->protocol_version,
			    have->protocol_version) ||
	    weft_fi_exceeds(info, "ep_attr->max_msg_size", hint->max_msg_size,
			    have->max_msg_size) ||
	    weft_fi_exceeds(info, "ep_attr->max_order_raw_size", hint->max_order_raw_size,
			    have->max_order_raw_size) ||
	    weft_fi_exceeds(info, "ep_attr->max_order_war_size", hint->max_order_war_size,
			    have->max_order_war_size) ||
	    weft_fi_exceeds(info, "ep_attr->max_order_waw_size", hint->max_order_waw_size,
			    have->max_order_waw_size) ||
	    (hint->tx_ctx_cnt != FI_SHARED_CONTEXT &&
	     weft_fi_exceeds(info, "ep_attr->tx_ctx_cnt", hint->tx_ctx_cnt,
			     info->domain_attr->max_ep_tx_ctx)) ||
	    (hint->rx_ctx_cnt != FI_SHARED_CONTEXT &&
	     weft_fi_exceeds(info, "ep_attr->rx_ctx_cnt", hint->rx_ctx_cnt,
			     info->domain_attr->max_ep_rx_ctx)))
		return -FI_ENODATA;
	return 0;
}

static int weft_fi_check_tx(const struct fi_info *info, const struct fi_tx_attr *hint)
{
	const struct fi_tx_attr *have = info->tx_attr;

	if (weft_fi_lacks(info, "tx_attr->caps", hint->caps & ~WEFT_FI_TX_IGNORED, have->caps,
			  FI_TYPE_CAPS) ||
	    weft_fi_lacks(info, "tx_attr->op_flags", hint->op_flags, have->op_flags,
			  FI_TYPE_OP_FLAGS) ||
	    weft_fi_lacks(info, "tx_attr->msg_order", hint->msg_order, have->msg_order,
			  FI_TYPE_MSG_ORDER) ||
	    weft_fi_lacks(info, "tx_attr->comp_order", hint->comp_order, have->comp_order,
			  FI_TYPE_MSG_ORDER) ||
	    weft_fi_exceeds(info, "tx_attr->inject_size", hint->inject_size,
			    have->inject_size) ||
	    weft_fi_exceeds(info, "tx_attr->size", hint->size, have->size) ||
	    weft_fi_exceeds(info, "tx_attr->iov_limit", hint->iov_limit, have->iov_limit) ||
	    weft_fi_exceeds(info, "tx_attr->rma_iov_limit", hint->rma_iov_limit,
			    have->rma_iov_limit))
		return -FI_ENODATA;
	return 0;
}

static int weft_fi_check_rx(const struct fi_info *info, const struct fi_rx_attr *hint)
{
	const struct fi_rx_attr *have = info->rx_attr;

	if (weft_fi_lacks(info, "rx_attr->caps", hint->caps & ~WEFT_FI_RX_IGNORED, have->caps,
			  FI_TYPE_CAPS) ||
	    weft_fi_lacks(info, "rx_attr->op_flags", hint->op_flags, have->op_flags,
			  FI_TYPE_OP_FLAGS) ||
	    weft_fi_lacks(info, "rx_attr->msg_order", hint->msg_order, have->msg_order,
			  FI_TYPE_MSG_ORDER) ||
	    weft_fi_lacks(info, "rx_attr->comp_order", hint->comp_order, have->comp_order,
			  FI_TYPE_MSG_ORDER) ||
	    weft_fi_exceeds(info, "rx_attr->size", hint->size, have->size) ||
	    weft_fi_exceeds(info, "rx_attr->iov_limit", hint->iov_limit, have->iov_limit))
		return -FI_ENODATA;
	return 0;
}

/**
 * weft_fi_info_check() - check an offer against a program's hints
 * @info: from weft_fi_info_new()
 * @hints: hints of the program
 * @version: version of its API
 *
 * The address format is checked elsewhere. No mode is required, so any hints->mode and memory
 * registration mode match.
 *
 * Return: 0, -FI_ENODATA: mismatch, and the reason is in the log.
 */
int weft_fi_info_check(const struct fi_info *info, const struct fi_info *hints, uint32_t version)
{
	bool variable = hints->caps & FI_VARIABLE_MSG, source = hints->caps & FI_SOURCE_ERR;
	int ret = 0;

	if (weft_fi_lacks(info, "caps", hints->caps, info->caps, FI_TYPE_CAPS) ||
	    weft_fi_refuses(info, variable && hints->caps & FI_MULTI_RECV, "caps",
			    "FI_VARIABLE_MSG with FI_MULTI_RECV", "either of them") ||
	    weft_fi_refuses(info, source && !(hints->caps & FI_SOURCE), "caps",
			    "FI_SOURCE_ERR without FI_SOURCE", "both together") ||
	    weft_fi_refuses(info, source && variable, "caps", "FI_SOURCE_ERR with FI_VARIABLE_MSG",
			    "either of them") ||
	    weft_fi_refuses(info, variable && weft_fi_plain_rx(info, hints), "caps",
			    "FI_VARIABLE_MSG, and a shared context or a large rx_attr->size",
			    "it with a quarter of that size, not shared"))
		return -FI_ENODATA;
	if (hints->fabric_attr)
		ret = weft_fi_check_fabric(info, hints->fabric_attr);
	if (!ret && hints->domain_attr)
		ret = weft_fi_check_domain(info, hints->domain_attr, version);
	if (!ret && hints->ep_attr)
		ret = weft_fi_check_ep(info, hints->ep_attr);
	if (!ret && hints->tx_attr)
		ret = weft_fi_check_tx(info, hints->tx_attr);
	if (!ret && hints->rx_attr)
		ret = weft_fi_check_rx(info, hints->rx_attr);
	return ret ? ret : weft_fi_key_check(info, hints, version);
}

/* Reduce the capabilities of a direction to those that its modifiers @msg and @rma permit. */
static uint64_t weft_fi_half_caps(uint64_t caps, uint64_t msg, uint64_t rma)
{
	if (!(caps & (msg | rma)))
		return 0;
	if (!(caps & msg))
		caps &= ~(FI_MSG | FI_TAGGED);
	if (!(caps & rma))
		caps &= ~WEFT_FI_ONESIDED;
	return caps;
}

/* Return: the hints for a direction with the modifiers that they do not name. */
static uint64_t weft_fi_half_hint(uint64_t caps, uint64_t msg, uint64_t rma)
{
	if (caps & (FI_MSG | FI_TAGGED) || !(caps & WEFT_FI_ONESIDED))
		caps |= msg;
	if (caps & WEFT_FI_ONESIDED && !(caps & rma))
		caps |= rma;
	return caps;
}

static void weft_fi_narrow_caps(struct fi_info *info, const struct fi_info *hints)
{
	uint64_t caps = info->caps & ~WEFT_FI_COSTLY;

	if (hints && hints->caps)
		caps = (hints->caps & (WEFT_FI_PRIMARY | WEFT_FI_COSTLY | WEFT_FI_MODIFIERS)) |
		       (info->caps & WEFT_FI_SECONDARY);
	caps = weft_fi_caps_whole(caps);
	if (!(caps & (FI_RECV | FI_REMOTE_WRITE)))
		caps &= ~FI_SOURCE;
	if (!(caps & FI_RECV))
		caps &= ~FI_SOURCE_ERR;
	info->caps = caps;

	info->tx_attr->caps = weft_fi_half_caps(caps & WEFT_FI_TX_CAPS, FI_SEND, WEFT_FI_RMA_TX);
	info->rx_attr->caps = weft_fi_half_caps(caps & WEFT_FI_RX_CAPS, FI_RECV, WEFT_FI_RMA_RX);
	if (hints && hints->tx_attr && hints->tx_attr->caps)
		info->tx_attr->caps &= weft_fi_half_hint(hints->tx_attr->caps, FI_SEND,
							 WEFT_FI_RMA_TX);
	if (hints && hints->rx_attr && hints->rx_attr->caps)
		info->rx_attr->caps &= weft_fi_half_hint(hints->rx_attr->caps, FI_RECV,
							 WEFT_FI_RMA_RX) | FI_SOURCE;
}

/*
 * What concerns one-sided operations comes with FI_RMA and FI_ATOMIC. Orders also come if they are
 * requested.
 */
static void weft_fi_narrow_rma(struct fi_info *info, const struct fi_info *hints)
{
	uint64_t order = FI_ORDER_SAS;

	if (info->caps & WEFT_FI_ONESIDED)
		order |= WEFT_FI_ORDER_RMA;
	if (info->caps & FI_ATOMIC)
		order |= WEFT_FI_ORDER_ATOMIC;

	info->tx_attr->msg_order &= order | (hints && hints->tx_attr ?
					     hints->tx_attr->msg_order : 0);
	info->rx_attr->msg_order &= order | (hints && hints->rx_attr ?
					     hints->rx_attr->msg_order : 0);
	if (info->caps & WEFT_FI_ONESIDED)
		return;
	info->tx_attr->rma_iov_limit = 0;
	info->ep_attr->max_order_raw_size = 0;
	info->ep_attr->max_order_war_size = 0;
	info->ep_attr->max_order_waw_size = 0;
}

static void weft_fi_narrow_domain(struct fi_domain_attr *attr, const struct fi_domain_attr *hint,
				  uint32_t version)
{
	int old_mr = hint ? hint->mr_mode & (WEFT_FI_MR_BASIC | WEFT_FI_MR_SCALABLE) : 0;

	/* no registration is required; before 1.5 that was called scalable, and 0 was invalid */
	if (old_mr && old_mr != (WEFT_FI_MR_BASIC | WEFT_FI_MR_SCALABLE))
		attr->mr_mode = old_mr;
	else if (old_mr || FI_VERSION_LT(version, FI_VERSION(1, 5)))
		attr->mr_mode = WEFT_FI_MR_SCALABLE;
	else if (hint && weft_fi_mr_keys)
		attr->mr_mode = hint->mr_mode & (FI_MR_PROV_KEY | FI_MR_VIRT_ADDR);
	if (!hint)
		return;
	if (hint->threading)
		attr->threading = hint->threading;
	if (hint->control_progress)
		attr->control_progress = hint->control_progress;
	if (hint->data_progress)
		attr->data_progress = hint->data_progress;
	if (hint->av_type)
		attr->av_type = hint->av_type;
}

/*
 * No mode is required. The hints list the modes that the program supports. They count as a request,
 * unless all bits are set: such a program queries the offer. Buffered receives exclude prefixes:
 * prefixes are for receives with a buffer of their own.
 */
static void weft_fi_narrow_mode(struct fi_info *info, const struct fi_info *hints)
{
	const struct fi_ep_attr *ep = hints ? hints->ep_attr : NULL;
	uint64_t wish = hints && hints->mode != ~0ULL ? hints->mode : 0;
	uint64_t mode = wish & info->mode & WEFT_FI_BUFFERED_RECV;
	size_t size = ep ? ep->msg_prefix_size : 0;

	if (info->caps & FI_SOURCE_ERR ||
	    (hints && (info->caps & FI_MULTI_RECV || weft_fi_plain_rx(info, hints))))
		mode = 0;
	info->mode = mode;
	info->rx_attr->mode = mode;
	if (mode || info->caps & FI_VARIABLE_MSG || !(wish & FI_MSG_PREFIX) ||
	    info->caps & FI_MULTI_RECV || (ep && ep->rx_ctx_cnt == FI_SHARED_CONTEXT))
		return;
	info->mode |= FI_MSG_PREFIX;
	info->tx_attr->mode |= FI_MSG_PREFIX;
	info->rx_attr->mode |= FI_MSG_PREFIX;
	size = (size + WEFT_FI_PREFIX - 1) / WEFT_FI_PREFIX * WEFT_FI_PREFIX;
	info->ep_attr->msg_prefix_size = size ? size : WEFT_FI_PREFIX;
}

static size_t weft_fi_default_size(size_t asked, size_t most)
{
	if (asked)
		return asked;
	return most < WEFT_FI_SIZE ? most : WEFT_FI_SIZE;
}

/**
 * weft_fi_info_narrow() - turn an offer into the result for the program
 * @info: matching offer
 * @hints: hints of the program, or NULL
 * @version: version of its API
 */
void weft_fi_info_narrow(struct fi_info *info, const struct fi_info *hints, uint32_t version)
{
	const struct fi_tx_attr *tx = hints ? hints->tx_attr : NULL;
	const struct fi_rx_attr *rx = hints ? hints->rx_attr : NULL;

	weft_fi_narrow_caps(info, hints);
	weft_fi_narrow_rma(info, hints);
	weft_fi_narrow_mode(info, hints);
	weft_fi_narrow_domain(info->domain_attr, hints ? hints->domain_attr : NULL, version);

	info->tx_attr->size = weft_fi_default_size(tx ? tx->size : 0, info->tx_attr->size);
	info->rx_attr->size = weft_fi_default_size(rx ? rx->size : 0, info->rx_attr->size);
	info->tx_attr->op_flags = tx ? tx->op_flags : 0;
	if (!(info->tx_attr->op_flags & WEFT_FI_LEVELS))
		info->tx_attr->op_flags |=
			weft_fi_level_default(info->ep_attr->type == FI_EP_DGRAM, info->caps);
	info->rx_attr->op_flags = rx ? rx->op_flags : 0;
	/* no message is lost for lack of buffering, whatever the program requests */
	info->rx_attr->total_buffered_recv = rx ? rx->total_buffered_recv : 0;

	if (hints && hints->ep_attr && hints->ep_attr->tx_ctx_cnt)
		info->ep_attr->tx_ctx_cnt = hints->ep_attr->tx_ctx_cnt;
	if (hints && hints->ep_attr && hints->ep_attr->rx_ctx_cnt)
		info->ep_attr->rx_ctx_cnt = hints->ep_attr->rx_ctx_cnt;
	/* all 64 bits of a tag are matched: any division into fields is valid */
	if (hints && hints->ep_attr && hints->ep_attr->mem_tag_format)
		info->ep_attr->mem_tag_format = hints->ep_attr->mem_tag_format;
}
