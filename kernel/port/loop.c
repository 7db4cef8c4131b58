// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft port - driver "loop": a port without a wire, for programs of one node
 *
 * The core delivers messages to the port's own addresses without packets. No other node is
 * reachable. The driver has no locks and no state beyond the port's. It needs no network device:
 * its addresses are only names, which the administrator assigns.
 */
#include <linux/netlink.h>

#include "port.h"

static int weft_loop_start(struct weft_port *port, struct weft_port_conf *conf,
			   struct netlink_ext_ack *extack)
{
	if (conf->netdev[0]) {
		NL_SET_ERR_MSG(extack,
			       "a loop port has no network device; use the driver netdev for one");
		return -EINVAL;
	}
	if (!conf->naddr) {
		NL_SET_ERR_MSG(extack, "a loop port needs an address, for example: addr 127.0.0.1");
		return -EDESTADDRREQ;
	}
	return 0;
}

static int weft_loop_attach(struct weft_port *port, struct netlink_ext_ack *extack)
{
	weft_port_link(port, true);
	return 0;
}

static void weft_loop_detach(struct weft_port *port)
{
}

static void weft_loop_stop(struct weft_port *port)
{
}

/*
 * Packets to unknown senders cannot occur, as no packet is received. A packet sent all the same is
 * lost.
 */
static void weft_loop_tx(struct weft_port *port, struct weft_tx *tx, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (!tx[i].path || !weft_addr_is_group(weft_path_addr(tx[i].path)))
			weft_count(&port->core, tx_errors);
}

static int weft_loop_path_open(struct weft_port *port, struct weft_path *path, void *priv,
			       u32 *max_payload)
{
	/* the core delivers to the members on this node; there are no others */
	if (weft_addr_is_group(weft_path_addr(path))) {
		*max_payload = port->core.conf.max_payload;
		return 0;
	}
	return -ENETUNREACH;
}

static void weft_loop_path_close(void *priv)
{
}

static void weft_loop_look(struct weft_port *port, struct weft_port_look *look)
{
	look->mtu = 65535;
	look->link_up = true;
}

const struct weft_port_ops weft_loop_ops = {
	.name = "loop",
	.start = weft_loop_start,
	.attach = weft_loop_attach,
	.detach = weft_loop_detach,
	.stop = weft_loop_stop,
	.tx = weft_loop_tx,
	.path_open = weft_loop_path_open,
	.path_close = weft_loop_path_close,
	.look = weft_loop_look,
};
