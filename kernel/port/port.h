/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft port - a core with its network driver and its character device
 *
 * Life of a port (port->state, written under weft_ports_lock; read anywhere):
 *
 *	NEW -----> DOWN <------> UP	link, by weft_port_link()
 *	 |           \          /
 *	 |          (delete, device or namespace gone)
 *	 |                 |
 *	 |               GOING	not in the list, cannot be opened, receives nothing; the
 *	 |                 |	core fails its endpoints and reports that to peers
 *	 +------------> GONE	sends nothing, no timer runs; open contexts keep the memory
 *
 * port->ref counts the list, open contexts and temporary users. The last weft_port_put() ends the
 * core. The memory stays for one more RCU grace period.
 *
 * weft_ports_lock protects the list, names and states. Readers of the list use RCU and
 * weft_port_tryget(). Functions run in process context unless they say otherwise. Order:
 * Documentation/locking.rst.
 */
#ifndef WEFT_PORT_H
#define WEFT_PORT_H

#include <linux/hrtimer.h>
#include <linux/if_ether.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>

#include "../core/api/api.h"

struct netlink_ext_ack;
struct weft_dev;
struct weft_history;
struct weft_ioc_query;
struct weft_neigh_info;
struct weft_port;

#define WEFT_PORT_NEW		0
#define WEFT_PORT_UP		1
#define WEFT_PORT_DOWN		2
#define WEFT_PORT_GOING		3
#define WEFT_PORT_GONE		4

#define WEFT_UDP_PORT		9471	/* default */
#define WEFT_MTU_MIN		1280	/* minimum MTU of a link */

/* Whether a port bypasses the IP stack; AUTO: on kernels with which that was tested */
#define WEFT_BYPASS_AUTO	0
#define WEFT_BYPASS_ON		1
#define WEFT_BYPASS_OFF		2

/**
 * struct weft_port_conf - settings of a new port
 * @name: its name
 * @netdev: name of the network device, empty: not set
 * @device: name of the device that the driver takes over, empty: not set
 * @addr: addresses, service 0
 * @prefix: length of each address's prefix on the link, 0: not set
 * @naddr: number of addresses; 0: the driver chooses
 * @gw: gateways to other links, IPv4 and IPv6; family 0: not set
 * @udp_port: UDP port, host order
 * @vlan: VLAN tag, 0: none
 * @mtu: bytes of the largest IP packet, 0: the driver chooses
 * @queues: queue pairs to use, 0: the driver chooses
 */
struct weft_port_conf {
	char name[WEFT_NAME_MAX];
	char netdev[WEFT_NAME_MAX];
	char device[WEFT_NAME_MAX];
	struct weft_sockaddr addr[WEFT_CORE_ADDRS];
	u8 prefix[WEFT_CORE_ADDRS];
	u32 naddr;
	struct weft_sockaddr gw[2];
	u16 udp_port;
	u16 vlan;
	u32 mtu;
	u32 queues;
};

/**
 * struct weft_port_flags - changes of settings that are on or off; -1: no change
 * @priorities: 1: packets have the priority of their class, from the next one on; 0: they have not
 * @same_user: 1: in the default job programs of a region's user access it; 0: those of any user;
 *	from the next operation on
 * @histograms: 1: messages are measured; 0: they are not
 * @questions: 1: questions of other nodes are answered; 0: they are not
 */
struct weft_port_flags {
	int priorities;
	int same_user;
	int histograms;
	int questions;
};

/**
 * struct weft_port_look - state of a port's link
 * @netdev: name of the network device, empty: none
 * @device: name of the device that the driver has taken over, empty: none
 * @mac: Ethernet address of that device
 * @vlan: VLAN tag, 0: none
 * @queues: queue pairs, 0: the device's own driver decides
 * @mtu: bytes of the largest IP packet
 * @speed: Mbit/s, 0: unknown
 * @link_up: packets can be sent and received
 * @bypass: setting of the stack bypass, NULL: the driver has no IP stack to bypass
 * @bypass_state: "on", "off"; "untested": off, as the kernel is not a tested one
 */
struct weft_port_look {
	char netdev[WEFT_NAME_MAX];
	char device[WEFT_NAME_MAX];
	u8 mac[ETH_ALEN];
	u16 vlan;
	u32 queues;
	u32 mtu;
	u32 speed;
	bool link_up;
	const char *bypass;
	const char *bypass_state;
};

/**
 * struct weft_port_ops - a driver: transmission and reception of packets
 * @name: "loop", "netdev", "vnet"
 * @path_size: bytes that the driver keeps for each path, zeroed
 * @start: find the device and the addresses: the addresses go to @conf, the driver's data to
 *	port->priv. The core does not work yet. Sleeps, weft_ports_lock held. Explains errors in
 *	extack.
 * @attach: start reception: the driver calls weft_port_rx(), and reports the link by
 *	weft_port_link(). The core works. Sleeps, weft_ports_lock held.
 * @detach: stop reception; packets are still sent. Sleeps, weft_ports_lock held. Not called without
 *	@attach.
 * @stop: undo @start. No call of @tx, @path_open or @look is in progress. Sleeps, weft_ports_lock
 *	held.
 * @tx: send packets of weft_env_tx(), including runs (tx->nseg): bytes by weft_tx_write(), or by
 *	weft_tx_header() and weft_tx_payload() or weft_tx_pieces(). BH off, RCU read section.
 * @resv: weft_env_tx_resv(): fill in b->data and b->port. BH off, which serves as RCU read section;
 *	the path may be locked. NULL: all packets are sent by @tx
 * @send: weft_env_send(). BH off, which serves as RCU read section.
 * @path_open: open a path, see weft_env_path_open(). BH off, RCU read section, locks of the core
 *	may be held.
 * @path_fit: the payload of the largest packet that the device takes now, 0: no route. BH off, RCU
 *	read section, the path is locked. NULL: it does not change
 * @path_close: close a path; called once for each path, at the latest before @stop. BH off, a spin
 *	lock held.
 * @group: start or stop reception for a multicast address (rx->dst WEFT_RX_GROUP); not twice for
 *	one address. Between @attach and @detach, which stops all of it. Sleeps, port->group_lock
 *	held. Result: 0 or a negative errno. NULL: no remote members exist
 * @look: fill in the state of the link. RCU read section.
 * @queues: number of queue pairs for @poll; constant after @attach. NULL: 1
 * @poll: take received packets of a queue pair (weft_port_rx()), at most @budget, and free
 *	transmitted ones; the queue's interrupt is off afterwards. Called by one thread for each
 *	queue, between @attach and @detach; the driver serialises it with its own interrupt work. BH
 *	off. Result: number of packets. NULL: the port has no queues of its own
 * @arm: arm the queue's interrupt; if weft_up_irq() then returns false, the driver takes packets
 *	itself. Any context, not inside of @poll. Result: true if packets have come already: call
 *	@poll. NULL: as @poll
 * @neigh: read entry number n of the neighbour table, false: no more; NULL: the IP stack manages
 *	neighbours. RCU read section.
 * @bypass: change the setting of the stack bypass (WEFT_BYPASS_*). Between @attach and @detach.
 *	Sleeps, weft_ports_lock held. NULL: the driver has no IP stack to bypass
 * @owns: the driver owns the device: weft_port_conf.device, prefix, gw, vlan, mtu and queues are
 *	valid
 *
 * A driver that owns its queues uses packet memory of its own. This interface does not use skbs.
 */
struct weft_port_ops {
	const char *name;
	size_t path_size;
	int (*start)(struct weft_port *port, struct weft_port_conf *conf,
		     struct netlink_ext_ack *extack);
	int (*attach)(struct weft_port *port, struct netlink_ext_ack *extack);
	void (*detach)(struct weft_port *port);
	void (*stop)(struct weft_port *port);
	void (*tx)(struct weft_port *port, struct weft_tx *tx, u32 n);
	bool (*resv)(struct weft_port *port, struct weft_path *path, struct weft_tx_resv *b);
	void (*send)(struct weft_port *port, struct weft_path *path, struct weft_tx_resv *b);
	int (*path_open)(struct weft_port *port, struct weft_path *path, void *priv,
			 u32 *max_payload);
	u32 (*path_fit)(struct weft_port *port, struct weft_path *path);
	void (*path_close)(void *priv);
	int (*group)(struct weft_port *port, const struct weft_sockaddr *addr, bool join);
	void (*look)(struct weft_port *port, struct weft_port_look *look);
	u32 (*queues)(struct weft_port *port);
	u32 (*poll)(struct weft_port *port, u32 queue, u32 budget);
	bool (*arm)(struct weft_port *port, u32 queue);
	bool (*neigh)(struct weft_port *port, u32 n, struct weft_neigh_info *info);
	void (*bypass)(struct weft_port *port, u32 mode);
	bool owns;
};

extern const struct weft_port_ops weft_loop_ops;
extern const struct weft_port_ops weft_netdev_ops;
extern const struct weft_port_ops weft_vnet_ops;

/**
 * struct weft_port - a port
 * @rcu: for the memory
 * @core: its core; core.port points back
 * @name: unique on the machine; constant
 * @ops: driver; constant
 * @priv: the driver's data, from ops->start() to ops->stop()
 * @net: namespace; not held: valid until the port is GOING
 * @net_cookie: the namespace's cookie; constant, for comparison at any time
 * @state: WEFT_PORT_*
 * @begun: the core is initialised
 * @ref: references, see above
 * @history: its events; open until the port is GONE
 * @node: in the list of ports, RCU
 * @dev: character device; managed by kernel/dev
 * @path_lock: protects @ppaths; BH
 * @ppaths: struct weft_ppath
 * @group_lock: serialises ops->group(); after it was taken once, a port that is GOING joins no
 *	group
 * @kill_work: deletes the port from a worker
 */
struct weft_port {
	struct rcu_head rcu;
	struct weft_core core;
	char name[WEFT_NAME_MAX];
	const struct weft_port_ops *ops;
	void *priv;
	struct net *net;
	u64 net_cookie;
	int state;
	bool begun;
	refcount_t ref;
	struct weft_history *history;
	struct list_head node;
	struct weft_dev *dev;
	spinlock_t path_lock;	/* ppaths */
	struct list_head ppaths;
	struct mutex group_lock;	/* ops->group() */
	struct work_struct kill_work;
};

/**
 * struct weft_ppath - a port's part of a path
 * @path: the path; referenced while the timer is armed or runs
 * @port: the port
 * @node: in port->ppaths
 * @timer: calls weft_core_timer()
 * @lock: @at, @armed, @closed
 * @at: the core's deadline, U64_MAX: none
 * @armed: expiry of the timer, never later than @at, U64_MAX: it is not running
 * @closed: the port is going: the timer is not started again
 * @released: ops->path_close() has been called; port->path_lock
 * @denied: operations that were refused since the last line of the kernel log about that; lock of
 *	the path
 * @denied_at: when that line was written, 0: never; likewise
 * @rcu: for the memory
 * @priv: the driver's ops->path_size bytes
 */
struct weft_ppath {
	struct weft_path *path;
	struct weft_port *port;
	struct list_head node;
	struct hrtimer timer;
	spinlock_t lock;	/* at, armed, closed */
	weft_ns at;
	weft_ns armed;
	bool closed;
	bool released;
	u32 denied;
	weft_ns denied_at;
	struct rcu_head rcu;
	u64 priv[];
};

static inline struct weft_port *weft_port_of(const struct weft_core *core)
{
	return core->port;
}

/* ---- For kernel/admin ------------------------------------------------------------------------ */

extern struct mutex weft_ports_lock;
extern struct list_head weft_ports;

int weft_ports_init(void);
void weft_ports_exit(void);

void weft_port_get(struct weft_port *port);
bool weft_port_tryget(struct weft_port *port);
void weft_port_put(struct weft_port *port);
void weft_port_look(struct weft_port *port, struct weft_port_look *look);
bool weft_port_neigh(struct weft_port *port, u32 n, struct weft_neigh_info *info);
void weft_port_query(struct weft_port *port, struct weft_ioc_query *q);
const char *weft_port_state_name(const struct weft_port *port);

struct weft_port *weft_port_find(struct net *net, const char *name, struct netlink_ext_ack *extack);

int weft_port_add(struct net *net, const char *driver, struct weft_port_conf *conf,
		  struct netlink_ext_ack *extack);
int weft_port_del(struct net *net, const char *name, bool force, struct netlink_ext_ack *extack);
int weft_port_set_flags(struct net *net, const char *name, const struct weft_port_flags *flags,
			struct netlink_ext_ack *extack);
int weft_port_set_bypass(struct net *net, const char *name, u32 mode,
			 struct netlink_ext_ack *extack);
void weft_port_retime(struct weft_port *port);
int weft_bypass_by_name(const char *name);

/* ---- For drivers ----------------------------------------------------------------------------- */

void weft_port_rx(struct weft_port *port, const struct weft_rx *rx, u32 n);
void weft_port_link(struct weft_port *port, bool up);
void weft_port_lost(struct weft_port *port);

/* ---- Between port.c and other files of this folder ------------------------------------------- */

extern struct workqueue_struct *weft_port_wq;

int weft_netdev_init(void);
void weft_netdev_exit(void);
int weft_vnet_init(void);
void weft_vnet_exit(void);

#endif
