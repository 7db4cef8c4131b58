// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_ep_opt.c - options and control of active endpoints: aliases, flags, cancellation, space
 *
 * An alias is another handle of the endpoint. Only the default flags of calls differ.
 *
 * Calls read the flags of a handle without a lock, as the program serialises fi_control(3).
 */
#include "weft_fi.h"

/**
 * weft_fi_level_default() - the completion level of operations without one
 * @dgram: of a datagram endpoint
 * @caps: capabilities of the endpoint
 *
 * One-sided operations complete when the peer has executed them. So that is the level of an
 * endpoint without messages.
 *
 * Return: the level.
 */
uint64_t weft_fi_level_default(bool dgram, uint64_t caps)
{
	if (dgram)
		return FI_TRANSMIT_COMPLETE;
	return caps & (FI_MSG | FI_TAGGED) ? FI_INJECT_COMPLETE : FI_DELIVERY_COMPLETE;
}

/* Add the default completion level if the flags have none. */
uint64_t weft_fi_tx_flags(const struct weft_fi_ep *ep, uint64_t flags)
{
	if (flags & WEFT_FI_LEVELS)
		return flags;
	return flags | weft_fi_level_default(ep->dgram, ep->caps);
}

/* FI_TRANSMIT or FI_RECV in the flags selects the half. */
static int weft_fi_opsflag(struct weft_fi_face *face, uint64_t *flags, bool set)
{
	uint64_t dir = *flags & (FI_TRANSMIT | FI_RECV);
	uint64_t *own = dir == FI_TRANSMIT ? &face->tx_flags : &face->rx_flags;
	uint64_t tx = face->ep->send_flags & (WEFT_FI_TX_OP_FLAGS | FI_MULTICAST);
	/* flag and capability are the same bit */
	uint64_t known = (dir == FI_TRANSMIT ? tx : WEFT_FI_RX_OP_FLAGS) |
			 (face->ep->caps & FI_TRIGGER);
	uint64_t odd;

	if (dir != FI_TRANSMIT && dir != FI_RECV)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "the flags must hold FI_TRANSMIT or FI_RECV, and not both");
	if (!set) {
		*flags = *own;
		return 0;
	}
	odd = *flags & ~(known | dir);
	if (odd)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EBADFLAGS,
				    "not offered as flags of operations: %s; clear them",
				    fi_tostr(&odd, FI_TYPE_OP_FLAGS));
	*own = *flags & ~dir;
	if (dir == FI_TRANSMIT)
		*own = weft_fi_tx_flags(face->ep, *own);
	return 0;
}

static int weft_fi_alias_close(struct fid *fid)
{
	struct weft_fi_face *face = weft_container(fid, struct weft_fi_face, fid.fid);

	atomic_fetch_sub(&face->ep->aliases, 1);
	free(face);
	return 0;
}

static int weft_fi_alias_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
			    "nothing is bound to an alias: bind it to the endpoint");
}

static struct fi_ops weft_fi_alias_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_alias_close,
	.bind = weft_fi_alias_bind,
	.control = weft_fi_ep_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

static int weft_fi_alias(struct weft_fi_face *of, const struct fi_alias *arg)
{
	struct weft_fi_face *face;
	uint64_t flags = arg->flags;
	int ret = 0;

	if (!arg->fid)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL, "no room for the alias");
	face = calloc(1, sizeof(*face));
	if (!face)
		return -FI_ENOMEM;
	*face = *of;
	if (flags)
		ret = weft_fi_opsflag(face, &flags, true);
	if (ret) {
		free(face);
		return ret;
	}
	face->fid.fid.ops = &weft_fi_alias_fid_ops;
	atomic_fetch_add(&of->ep->aliases, 1);
	*arg->fid = &face->fid.fid;
	return 0;
}

/**
 * weft_fi_ep_control() - see fi_control(3)
 * @fid: an endpoint or an alias
 * @command: FI_ENABLE, FI_GETOPSFLAG, FI_SETOPSFLAG, FI_ALIAS
 * @arg: of the command
 *
 * Return: 0, -FI_ENOSYS (another command), -FI_EINVAL, -FI_EBADFLAGS, -errno.
 */
int weft_fi_ep_control(struct fid *fid, int command, void *arg)
{
	struct weft_fi_face *face = weft_container(fid, struct weft_fi_face, fid.fid);

	if (command == FI_ENABLE)
		return weft_fi_ep_enable(face->ep);
	if (command != FI_GETOPSFLAG && command != FI_SETOPSFLAG && command != FI_ALIAS)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_ENOSYS,
				    "fi_control: command %d is not offered by endpoints", command);
	if (!arg)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "fi_control: command %d needs an argument", command);
	if (command == FI_ALIAS)
		return weft_fi_alias(face, arg);
	return weft_fi_opsflag(face, arg, command == FI_SETOPSFLAG);
}

static ssize_t weft_fi_ep_cancel(fid_t fid, void *context)
{
	struct weft_fi_ep *ep = weft_fi_ep_from(fid);
	ssize_t ret;

	if (!ep->enabled)
		return weft_fi_fail(FI_LOG_EP_DATA, -FI_EOPBADSTATE,
				    "fi_cancel: the endpoint is not enabled");
	if (!context)
		return 0;
	if (ep->caps & FI_TRIGGER) {
		ret = weft_fi_trigger_cancel(ep, context);
		if (ret != -FI_ENOENT)
			return ret;
	}
	if (!ep->rx.on)
		return 0;
	weft_fi_lock(&ep->rx.lock);
	ret = ep->pool ? weft_fi_buf_cancel(ep, context) :
	      weft_cancel(ep->cm.ep, (uintptr_t)context);
	weft_fi_unlock(&ep->rx.lock);
	return ret;
}

int weft_fi_no_option(int level, int optname)
{
	return weft_fi_fail(FI_LOG_EP_CTRL, -FI_ENOPROTOOPT,
			    "option %d of level %d is not offered, or not to be set", optname,
			    level);
}

static int weft_fi_ep_getopt(fid_t fid, int level, int optname, void *optval, size_t *optlen)
{
	struct weft_fi_ep *ep = weft_fi_ep_from(fid);

	if (level != FI_OPT_ENDPOINT)
		return weft_fi_no_option(level, optname);
	switch (optname) {
	case FI_OPT_CM_DATA_SIZE:
		return weft_fi_cm_getopt(optval, optlen, ep->cm.port->q.cm_data);
	case FI_OPT_MIN_MULTI_RECV:
		return weft_fi_cm_getopt(optval, optlen, ep->min_multi_recv);
	case FI_OPT_BUFFERED_LIMIT:
	case FI_OPT_BUFFERED_MIN:
		if (!ep->pool)
			break;
		return weft_fi_cm_getopt(optval, optlen, weft_fi_buf_getopt(ep, optname));
	}
	return weft_fi_no_option(level, optname);
}

/* Set FI_OPT_MIN_MULTI_RECV, which @optname must be. */
int weft_fi_min_multi(size_t *least, int level, int optname, const void *optval, size_t optlen)
{
	if (level != FI_OPT_ENDPOINT || optname != FI_OPT_MIN_MULTI_RECV)
		return weft_fi_no_option(level, optname);
	if (!optval || optlen < sizeof(*least))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "options of endpoints are of type size_t");
	memcpy(least, optval, sizeof(*least));
	return 0;
}

static int weft_fi_ep_setopt(fid_t fid, int level, int optname, const void *optval,
			     size_t optlen)
{
	struct weft_fi_ep *ep = weft_fi_ep_from(fid);
	bool buffered = optname == FI_OPT_BUFFERED_LIMIT || optname == FI_OPT_BUFFERED_MIN;
	size_t value;

	if (!buffered)
		return weft_fi_min_multi(&ep->min_multi_recv, level, optname, optval, optlen);
	if (level != FI_OPT_ENDPOINT || !ep->pool)
		return weft_fi_no_option(level, optname);
	if (!optval || optlen < sizeof(value))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "options of endpoints are of type size_t");
	memcpy(&value, optval, sizeof(value));
	return weft_fi_buf_setopt(ep, optname, value);
}

/* Refuse a query of the space in a half that is not enabled. */
static int weft_fi_half_off(void)
{
	return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EOPBADSTATE,
			    "the endpoint is not enabled, or was opened for the other direction only");
}

static ssize_t weft_fi_rx_size_left(struct fid_ep *fid)
{
	struct weft_fi_ep *ep = weft_fi_ep_of(fid);
	ssize_t room;

	if (!ep->rx.on)
		return weft_fi_half_off();
	weft_fi_lock(&ep->rx.lock);
	room = ep->pool ? weft_fi_buf_space(ep) : weft_recv_space(ep->cm.ep);
	weft_fi_unlock(&ep->rx.lock);
	return room;
}

static ssize_t weft_fi_tx_size_left(struct fid_ep *fid)
{
	struct weft_fi_ep *ep = weft_fi_ep_of(fid);
	ssize_t room;

	if (!ep->tx.on)
		return weft_fi_half_off();
	weft_fi_lock(&ep->tx.lock);
	room = weft_send_space(ep->cm.ep) / WEFT_FI_SQ_RATIO;
	weft_fi_unlock(&ep->tx.lock);
	return room;
}

struct fi_ops_ep weft_fi_ep_ops = {
	.size = sizeof(struct fi_ops_ep),
	.cancel = weft_fi_ep_cancel,
	.getopt = weft_fi_ep_getopt,
	.setopt = weft_fi_ep_setopt,
	.tx_ctx = weft_fi_no_tx_ctx,
	.rx_ctx = weft_fi_no_rx_ctx,
	.rx_size_left = weft_fi_rx_size_left,
	.tx_size_left = weft_fi_tx_size_left,
};
