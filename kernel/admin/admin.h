/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft admin - its interface to the rest of the module
 */
#ifndef WEFT_ADMIN_H
#define WEFT_ADMIN_H

struct attribute_group;
struct net;
struct netlink_ext_ack;
struct weft_engine_conf;

/* Attributes of a port's class device, whose driver data is the struct weft_port. */
extern const struct attribute_group *weft_sysfs_groups[];

int weft_port_set_engine(struct net *net, const char *name, const struct weft_engine_conf *conf,
			 struct netlink_ext_ack *extack);
int weft_port_set_doorbell(struct net *net, const char *name, bool seek,
			   struct netlink_ext_ack *extack);

int weft_netlink_init(void);
void weft_netlink_exit(void);

#endif
