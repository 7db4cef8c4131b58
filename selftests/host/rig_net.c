// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rig: the network
 *
 * Each rack has a switch. One more switch joins the racks:
 *
 *	node - up_link - [rack - rack_up - core - rack_down - rack] - down_link - node
 *
 * Each link is a queue that is served at its rate (struct rig_link). A packet that finds the queue
 * full is lost. A node's own queue has no limit, because the device stops the sender. Events carry
 * a packet from link to link, so that each queue sees packets in the order of arrival. Without a
 * rate a packet takes conf.delay and a jitter, and no queue.
 *
 * With priorities a link sends the waiting packet of the highest class first. conf.net.levels sets
 * them for all queues, conf.net.bands for the nodes' own. Waiting packets are in lists. An event
 * says that a link has sent a packet. All classes share the space of a port. A packet that finds it
 * full is lost, whatever its class.
 *
 * rig->lock covers events and random numbers; one thread uses the links.
 */
#include "core/queue/queue.h"
#include "core/wire/wire.h"
#include "rig.h"

#define OVERHEAD	66	/* UDP, IPv4 and Ethernet headers, with the gap between frames */

struct rig_node *rig_find_node(struct rig *rig, const struct weft_sockaddr *addr)
{
	const u8 *low = addr->addr + (addr->family == AF_INET ? 2 : 14);
	u32 i = (low[0] << 8 | low[1]) - 1;
	struct weft_sockaddr a;

	if (i >= rig->conf.nodes)
		return NULL;
	rig_node_addr(&rig->conf, i, 0, &a);
	if (a.family != addr->family || memcmp(a.addr, addr->addr, sizeof(a.addr)))
		return NULL;
	return &rig->node[i];
}

void rig_cut(struct rig *rig, u32 a, u32 b, bool cut)
{
	rig->cut[a * rig->conf.nodes + b] = cut;
	rig->cut[b * rig->conf.nodes + a] = cut;
}

void rig_cut_one(struct rig *rig, u32 from, u32 to, bool cut)
{
	rig->cut[from * rig->conf.nodes + to] = cut;
}

bool rig_is_cut(struct rig *rig, u32 a, u32 b)
{
	return rig->cut[a * rig->conf.nodes + b];
}

void rig_mend(struct rig *rig)
{
	memset(rig->cut, 0, sizeof(*rig->cut) * rig->conf.nodes * rig->conf.nodes);
}

/* ---- Links ----------------------------------------------------------------------- */

/**
 * struct rig_wait - a packet that waits for a link with priorities
 * @next: the next one of its class; after the last one: the first
 * @ev: the packet
 */
struct rig_wait {
	struct rig_wait *next;
	struct rig_event ev;
};

void rig_net_init(struct rig *rig)
{
	const struct rig_net *net = &rig->conf.net;
	u32 i, racks = net->rack ? DIV_ROUND_UP(rig->conf.nodes, net->rack) : 1;
	struct rig_link host = { .bps = net->bps }, port = host;
	struct rig_link trunk = { .bps = net->rack_bps, .limit = net->queue };

	if (!rig->conf.nodes || rig->conf.nodes > RIG_NODES)
		weft_host_die(__FILE__, __LINE__, "%u nodes", rig->conf.nodes);
	port.limit = net->queue;
	rig->node = calloc(rig->conf.nodes, sizeof(*rig->node));
	rig->cut = calloc((size_t)rig->conf.nodes * rig->conf.nodes, sizeof(*rig->cut));
	rig->rack_up = calloc(racks, sizeof(*rig->rack_up));
	rig->rack_down = calloc(racks, sizeof(*rig->rack_down));
	for (i = 0; i < rig->conf.nodes; i++) {
		rig->node[i].rig = rig;
		rig->node[i].index = i;
		rig->node[i].up_link = host;
		rig->node[i].down_link = port;
	}
	for (i = 0; i < racks; i++) {
		rig->rack_up[i] = trunk;
		rig->rack_down[i] = trunk;
	}
}

static struct rig_wait *take_waiting(struct rig_link *link, u32 class)
{
	struct rig_wait *last = link->waits[class], *first = last ? last->next : NULL;

	if (first == last)
		link->waits[class] = NULL;
	else
		last->next = first->next;
	return first;
}

static void forget_waiting(struct rig_link *link)
{
	struct rig_wait *w;
	u32 i;

	for (i = 0; i < WEFT_CLASSES; i++) {
		while ((w = take_waiting(link, i))) {
			free(w->ev.data);
			free(w);
		}
	}
}

void rig_net_free(struct rig *rig)
{
	u32 i, racks = rig->conf.net.rack ? DIV_ROUND_UP(rig->conf.nodes, rig->conf.net.rack) : 1;

	for (i = 0; i < rig->conf.nodes; i++) {
		forget_waiting(&rig->node[i].up_link);
		forget_waiting(&rig->node[i].down_link);
	}
	for (i = 0; i < racks; i++) {
		forget_waiting(&rig->rack_up[i]);
		forget_waiting(&rig->rack_down[i]);
	}
	free(rig->node);
	free(rig->cut);
	free(rig->rack_up);
	free(rig->rack_down);
}

/* Link number @hop of the route from @from to @to, and the number of links. */
static struct rig_link *link_of(struct rig *rig, u32 from, u32 to, u32 hop, u32 *hops)
{
	u32 rack = rig->conf.net.rack;
	bool far = rack && from / rack != to / rack;

	*hops = far ? 4 : 2;
	if (!hop)
		return &rig->node[from].up_link;
	if (hop + 1 == *hops)
		return &rig->node[to].down_link;
	return hop == 1 ? &rig->rack_up[from / rack] : &rig->rack_down[to / rack];
}

static weft_ns on_wire(const struct rig_link *link, u64 bytes)
{
	return bytes * 8 * NSEC_PER_SEC / link->bps;
}

/* Put a packet into the queue now. Return: when its last bit has left, 0: lost. */
static weft_ns stand_in_line(struct rig_link *link, weft_ns now, u32 len)
{
	u64 waiting = 0;

	len += OVERHEAD;
	if (link->free_at > now)
		waiting = (link->free_at - now) * (link->bps / 1000) / (8 * NSEC_PER_SEC / 1000);
	if (link->limit && waiting + len > link->limit) {
		link->lost++;
		return 0;
	}
	link->deepest = max(link->deepest, waiting + len);
	link->sent += len;
	link->free_at = max(link->free_at, now) + on_wire(link, len);
	return link->free_at;
}

static bool in_burst(struct rig *rig, struct rig_node *to)
{
	const struct rig_net *net = &rig->conf.net;

	if (to->burst_end <= rig->now && rig_chance(rig, net->burst))
		to->burst_end = rig->now + rig_below(rig, 2 * (u32)net->burst_for);
	return to->burst_end > rig->now && rig_below(rig, 2);
}

static bool is_lost(struct rig *rig, struct rig_node *to)
{
	return rig_chance(rig, rig->conf.loss) || in_burst(rig, to);
}

static weft_ns stray(struct rig *rig)
{
	weft_ns t = rig_below(rig, rig->conf.jitter);

	if (rig_chance(rig, rig->conf.late))
		t += rig_below(rig, rig->conf.late_by);
	return t;
}

static void lose(struct rig *rig, struct rig_event *ev)
{
	__atomic_add_fetch(&rig->nlost, 1, __ATOMIC_RELAXED);
	free(ev->data);
}

/* The packet leaves link number @ev->hop of @hops at time @through. */
static void go_on(struct rig *rig, struct rig_event *ev, u32 hops, weft_ns through)
{
	ev->at = through + rig->conf.delay / 2;
	if (++ev->hop == hops) {
		/* lost on the last link, after it has used the link's time */
		if (is_lost(rig, ev->node)) {
			lose(rig, ev);
			return;
		}
		ev->kind = RIG_EV_PACKET;
		ev->at += stray(rig);
	}
	rig_push(rig, ev);
}

/* Send the next packet of a link with priorities that is idle. */
static void serve(struct rig *rig, struct rig_link *link)
{
	struct rig_event done = { .kind = RIG_EV_LINK, .data = link };
	struct rig_wait *w = NULL;
	u32 i, hops;

	for (i = 0; i < WEFT_CLASSES && !w; i++)
		w = take_waiting(link, i);
	if (!w)
		return;
	link_of(rig, w->ev.from, w->ev.node->index, w->ev.hop, &hops);
	link->sending = w->ev.len + OVERHEAD;
	done.node = w->ev.node;
	done.at = rig->now + on_wire(link, link->sending);
	go_on(rig, &w->ev, hops, done.at);
	rig_push(rig, &done);
	free(w);
}

static bool wait_for(struct rig_link *link, const struct rig_event *ev)
{
	struct rig_wait **last = &link->waits[ev->class], *w;
	u32 len = ev->len + OVERHEAD;

	if (link->limit && link->waiting + len > link->limit) {
		link->lost++;
		return false;
	}
	w = malloc(sizeof(*w));
	w->ev = *ev;
	w->next = *last ? (*last)->next : w;
	if (*last)
		(*last)->next = w;
	*last = w;
	link->waiting += len;
	link->deepest = max(link->deepest, link->waiting);
	link->sent += len;
	return true;
}

void rig_net_next(struct rig *rig, struct rig_event *ev)
{
	struct rig_link *link = ev->data;

	link->waiting -= link->sending;
	link->sending = 0;
	serve(rig, link);
}

void rig_net_hop(struct rig *rig, struct rig_event *ev)
{
	u32 hops;
	struct rig_link *link = link_of(rig, ev->from, ev->node->index, ev->hop, &hops);
	weft_ns through = 0;

	if (rig->conf.net.levels > 1 || (rig->conf.net.bands && !ev->hop)) {
		if (wait_for(link, ev)) {
			if (!link->sending)
				serve(rig, link);
			return;
		}
	} else {
		through = stand_in_line(link, rig->now, ev->len);
	}
	if (through)
		go_on(rig, ev, hops, through);
	else
		lose(rig, ev);
}

/* ---- What happens to packets in the network -------------------------- */

/* The sum that UDP's checksum is made of; addresses and ports do not change. */
static u16 checksum(const u8 *p, u32 len)
{
	u32 i, sum = 0;

	for (i = 0; i < len; i++)
		sum += i & 1 ? p[i] : p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* Change bits that are close to each other. Return: the checksum does not detect it. */
static bool corrupt(struct rig *rig, u8 *p, u32 len)
{
	u16 before = checksum(p, len);
	u32 at = rig_below(rig, len * 8 - 8), n = 1 + rig_below(rig, 8);

	for (; n; n--, at++)
		if (rig_below(rig, 2) || n == 1)
			p[at / 8] ^= 1 << at % 8;
	return checksum(p, len) == before;
}

static void set_out(struct rig_node *node, struct rig_node *to, const struct weft_sockaddr *src,
		    const struct weft_sockaddr *group, u8 class, const void *data, u32 len)
{
	struct rig *rig = node->rig;
	struct rig_event ev = {
		.kind = RIG_EV_PACKET, .node = to, .life = to->life, .len = len, .src = *src,
		.from = node->index, .class = class
	};

	if (group)
		ev.group = *group;

	ev.data = malloc(len);
	memcpy(ev.data, data, len);
	if (unlikely(rig->conf.net.corrupt) && rig_chance(rig, rig->conf.net.corrupt) &&
	    !corrupt(rig, ev.data, len)) {
		lose(rig, &ev);
		return;
	}
	if (rig->conf.net.bps) {
		ev.kind = RIG_EV_HOP;
		rig_net_hop(rig, &ev);
		return;
	}
	ev.at = rig_now(rig) + rig->conf.delay + stray(rig);
	rig_push(rig, &ev);
}

/* A packet leaves a node. */
static void leave(struct rig_node *node, struct rig_node *to, const struct weft_sockaddr *src,
		  const struct weft_sockaddr *group, u8 class, const void *data, u32 len)
{
	struct rig *rig = node->rig;

	__atomic_add_fetch(&rig->npackets, 1, __ATOMIC_RELAXED);
	if (!to || !to->up || node->crashed || to->crashed ||
	    rig_is_cut(rig, node->index, to->index) ||
	    (unlikely(rig->conf.net.narrow) && len > rig->conf.net.narrow) || len > to->fit ||
	    (!rig->conf.net.bps && is_lost(rig, to))) {
		__atomic_add_fetch(&rig->nlost, 1, __ATOMIC_RELAXED);
		return;
	}
	set_out(node, to, src, group, class, data, len);
	if (rig_chance(rig, rig->conf.dup))
		set_out(node, to, src, group, class, data, len);
}

/*
 * A packet to a multicast address leaves a node. All members receive it, also on the node itself.
 */
static void spread(struct rig_node *node, const struct weft_sockaddr *src,
		   const struct weft_sockaddr *group, u8 class, const void *data, u32 len)
{
	struct rig *rig = node->rig;
	u32 i, k;

	for (i = 0; i < rig->conf.nodes; i++)
		for (k = 0; k < rig->node[i].ngroups; k++)
			if (weft_addr_same_node(&rig->node[i].groups[k], group))
				leave(node, &rig->node[i], src, group, class, data, len);
}

void rig_carry(struct rig_node *node, u32 to, const void *data, u32 len)
{
	struct weft_sockaddr src = node->core.addr[0];

	src.port = cpu_to_be16(node->rig->conf.core.udp_port);
	rig_capture(node, &src, &node->rig->node[to].core.addr[0], WEFT_CLASS_FIRST, data, len,
		    NULL);
	rig_capture_end();
	leave(node, &node->rig->node[to], &src, NULL, WEFT_CLASS_FIRST, data, len);
}

/* ---- What the core sends --------------------------------------------------------- */

/* Memory for a packet, filled with a pattern. */
static u8 *new_packet(u32 len)
{
	u8 *p = malloc(len);

	memset(p, 0xdb, len);
	return p;
}

/* The bytes behind the chunks must be zero: otherwise the peer would read old memory. */
static void check_padding(const u8 *p, u32 len)
{
	struct weft_chunks rest;
	struct weft_chunk c;
	struct weft_hdr h;

	if (weft_wire_hdr_get(p, len, &h, &rest) || h.type != WEFT_PKT_DATA)
		return;
	while (weft_wire_next(&rest, &c)) {
		const u8 *end = (const u8 *)c.body + c.len;

		for (; end < (const u8 *)rest.at; end++)
			if (*end)
				weft_host_die(__FILE__, __LINE__, "0x%02x behind a chunk of type %u",
					      *end, c.type);
	}
}

/* Packet @i of @tx. */
static void transmit(struct rig_node *node, const struct weft_tx *tx, u32 i)
{
	u32 len = weft_tx_len(tx, i), pay = weft_tx_paylen(tx, i);
	struct rig *rig = node->rig;
	const struct weft_sockaddr *dst = tx->path ? weft_path_addr(tx->path) : &tx->to;
	struct weft_sockaddr src = node->core.addr[tx->path ? weft_path_src(tx->path) : tx->src];
	u32 one = 1;
	const void *image = weft_tx_image(tx, i, &one);
	u8 *p;

	src.port = cpu_to_be16(node->core.conf.udp_port);
	if (pay > len || pay > tx->pay || !pay != !tx->pay ||
	    (tx->path && len > node->fit))
		weft_host_die(__FILE__, __LINE__, "packet of %u bytes, %u of them payload", len,
			      pay);
	if (len < 32)
		weft_host_die(__FILE__, __LINE__, "packet of %u bytes", len);
	p = new_packet(len);
	if (image)
		memcpy(p, image, len);
	else
		weft_tx_header(tx, i, p);
	if (!image && weft_tx_payload(tx, i, p + len - pay)) {
		__atomic_add_fetch(&rig->npackets, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&rig->nlost, 1, __ATOMIC_RELAXED);
		free(p);
		return;
	}
	check_padding(p, len);
	if (!node->crashed)
		rig_capture(node, &src, dst, tx->class, p, len,
			    tx->rec && tx->rec->again ? "again" : NULL);
	if (weft_addr_is_group(dst))
		spread(node, &src, dst, tx->class, p, len);
	else
		leave(node, rig_find_node(rig, dst), &src, NULL, tx->class, p, len);
	free(p);
}

void weft_env_tx(struct weft_core *core, struct weft_tx *tx, u32 n)
{
	u32 i, k;

	weft_host_no_locks(__FILE__, __LINE__);
	for (i = 0; i < n; i++) {
		if (!tx[i].nseg || (tx[i].nseg > 1 && weft_tx_size(&tx[i]) > WEFT_RUN_BYTES))
			weft_host_die(__FILE__, __LINE__, "run of %u packets", tx[i].nseg);
		for (k = 0; k < tx[i].nseg; k++)
			transmit(core->port, &tx[i], k);
		rig_capture_end();
	}
}

/* One packet in rig_conf.resv takes the slow path, so that both ways are tested. */
bool weft_env_tx_resv(struct weft_core *core, struct weft_path *path, struct weft_tx_resv *b)
{
	struct rig_node *node = core->port;

	if (node->rig->conf.resv && __atomic_add_fetch(&node->nresv, 1, __ATOMIC_RELAXED) %
				     node->rig->conf.resv == 0)
		return false;
	if (b->len > node->fit)
		weft_host_die(__FILE__, __LINE__, "packet of %u bytes", b->len);
	b->data = new_packet(b->len);
	b->port = path;
	return true;
}

void weft_env_send(struct weft_core *core, struct weft_path *path, struct weft_tx_resv *b)
{
	struct rig_node *node = core->port;
	struct weft_sockaddr src = core->addr[weft_path_src(path)];

	weft_host_no_locks(__FILE__, __LINE__);
	if (b->port != path)
		weft_host_die(__FILE__, __LINE__, "packet of another path");
	if (((struct weft_w_hdr *)b->data)->lane != b->lane)
		weft_host_die(__FILE__, __LINE__, "packet of another lane");
	check_padding(b->data, b->len);
	src.port = cpu_to_be16(core->conf.udp_port);
	if (!node->crashed) {
		rig_capture(node, &src, weft_path_addr(path), WEFT_CLASS_FIRST, b->data, b->len,
			    NULL);
		rig_capture_end();
	}
	leave(node, rig_find_node(node->rig, weft_path_addr(path)), &src, NULL,
	      WEFT_CLASS_FIRST, b->data, b->len);
	free(b->data);
}
