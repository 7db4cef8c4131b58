// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzing: requests of generic netlink
 *
 * The target is kernel/admin/netlink.c, behind a check of its policies like the kernel's
 * (selftests/fuzz/kernel). The input is requests: a command, the number of attributes, and
 * attributes. An attribute has a kind, a length and bytes. The stand-ins check that what reaches
 * the ports is valid. Each refusal has a message.
 */
#include "kernel/stand_in.h"
#include "kernel/netlink_in.h"
#include "core/queue/queue.h"
#include "core/transport/transport.h"
#include "dev/dev.h"
#include "dev/engine.h"
#include "port/port.h"
#include "admin/netlink.h"
#include "fuzz.h"
#include <linux/weft_netlink.h>

#define ATTRS	40

static struct weft_port port;
static u32 gets;

/* ---- Functions behind the requests ----------------------------------------------------------- */

/* The sanitizer finds reads behind an attribute. */
static void name_is_one(const char *s)
{
	WARN_ON(strlen(s) >= WEFT_NAME_MAX);
}

static void addr_is_one(const struct weft_sockaddr *a)
{
	WARN_ON((a->family != AF_INET && a->family != AF_INET6) || a->port);
	WARN_ON(weft_addr_is_group(a));
	WARN_ON(!memchr_inv(a->addr, 0, sizeof(a->addr)));
}

int weft_port_add(struct net *net, const char *driver, struct weft_port_conf *conf,
		  struct netlink_ext_ack *extack)
{
	u32 i, k;

	name_is_one(conf->name);
	name_is_one(driver);
	name_is_one(conf->netdev);
	name_is_one(conf->device);
	WARN_ON(conf->naddr > WEFT_CORE_ADDRS || conf->vlan > 4094);
	WARN_ON(conf->mtu && conf->mtu < WEFT_MTU_MIN);
	for (i = 0; i < conf->naddr; i++) {
		addr_is_one(&conf->addr[i]);
		WARN_ON(conf->prefix[i] > 128);
		for (k = 0; k < i; k++)
			WARN_ON(weft_addr_same_node(&conf->addr[i], &conf->addr[k]));
	}
	for (i = 0; i < 2; i++) {
		if (!conf->gw[i].family)
			continue;
		addr_is_one(&conf->gw[i]);
		WARN_ON((conf->gw[i].family == AF_INET6) != i);
	}
	return 0;
}

int weft_port_del(struct net *net, const char *name, bool force, struct netlink_ext_ack *extack)
{
	name_is_one(name);
	return 0;
}

int weft_port_set_engine(struct net *net, const char *name, const struct weft_engine_conf *conf,
			 struct netlink_ext_ack *extack)
{
	name_is_one(name);
	WARN_ON(conf->mode != WEFT_ENGINE_SAME && conf->mode > 3);
	return 0;
}

static bool is_flag(int flag)
{
	return flag >= -1 && flag <= 1;
}

int weft_port_set_flags(struct net *net, const char *name, const struct weft_port_flags *flags,
			struct netlink_ext_ack *extack)
{
	name_is_one(name);
	WARN_ON(!is_flag(flags->priorities) || !is_flag(flags->same_user) ||
		!is_flag(flags->histograms));
	if (flags->histograms >= 0)
		weft_core_measure(&port.core, flags->histograms);
	return 0;
}

int weft_port_set_bypass(struct net *net, const char *name, u32 mode,
			 struct netlink_ext_ack *extack)
{
	name_is_one(name);
	WARN_ON(mode > WEFT_BYPASS_OFF);
	return 0;
}

int weft_port_set_doorbell(struct net *net, const char *name, bool seek,
			   struct netlink_ext_ack *extack)
{
	name_is_one(name);
	return 0;
}

int weft_bypass_by_name(const char *name)
{
	name_is_one(name);
	return strcmp(name, "auto") ? -EINVAL : WEFT_BYPASS_AUTO;
}

struct weft_port *weft_port_find(struct net *net, const char *name, struct netlink_ext_ack *extack)
{
	name_is_one(name);
	if (strcmp(name, "weft0")) {
		NL_SET_ERR_MSG(extack, "no port has this name");
		return NULL;
	}
	gets++;
	return &port;
}

void weft_port_put(struct weft_port *p)
{
	gets--;
}

void weft_port_retime(struct weft_port *p)
{
	WARN_ON(p != &port || !gets);
}

void weft_port_look(struct weft_port *p, struct weft_port_look *look)
{
	*look = (struct weft_port_look){ .device = "virtio0", .vlan = 7, .mtu = 1500 };
}

void weft_dev_stat(struct weft_dev *dev, struct weft_dev_stat *stat)
{
	memset(stat, 0, sizeof(*stat));
}

void weft_engine_look(const struct weft_dev *dev, struct weft_engine_conf *conf)
{
	memset(conf, 0, sizeof(*conf));
}

const char *weft_engine_name(u32 mode)
{
	static const char *const names[] = { "inline", "poll", "auto" };

	return mode < ARRAY_SIZE(names) ? names[mode] : NULL;
}

u32 weft_engine_hot(const struct weft_dev *dev)
{
	return 0;
}

const char *weft_port_state_name(const struct weft_port *p)
{
	return "up";
}

struct net *genl_info_net(const struct genl_info *info)
{
	static struct net net;

	return &net;
}

/* Dumps only look for a port in the request. */
int weft_nl_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return 0;
}

const struct genl_multicast_group weft_event_groups[1] = { { "events", 0 } };

int weft_nl_events(struct sk_buff *skb, struct netlink_callback *cb)
{
	return 0;
}

/* No event is sent. */
void weft_events_switch(bool on)
{
}

const char *weft_nl_for(u8 waits)
{
	return "ack";
}

/* ---- Requests -------------------------------------------------------------------------------- */

static u32 put_addr(u8 *at, u8 what)
{
	struct weft_sockaddr a = { .family = what & 1 ? AF_INET6 : AF_INET };

	a.addr[0] = what & 1 ? 0xfd : 10;
	a.addr[3] = what >> 1;
	memcpy(at, &a, sizeof(a));
	return sizeof(a);
}

/* An attribute: a word with a meaning, an address, a number, or bytes. */
static u32 put_attr(u8 *at, const u8 **p, size_t *n)
{
	static const char *const words[] = {
		"weft0", "vnet", "auto", "paths", "connect-ms", "x", "", "unexpected-node",
		"the first key of a job", "the second key of a job",
	};
	struct nlattr a = { .nla_type = (*p)[0] };
	u8 how = (*p)[1], what = (*p)[2];
	u32 len = 0;

	*p += 3;
	*n -= 3;
	switch (how & 3) {
	case 0:
		len = strlen(words[what % ARRAY_SIZE(words)]) + 1;
		memcpy(at + NLA_HDRLEN, words[what % ARRAY_SIZE(words)], len);
		break;
	case 1:
		len = put_addr(at + NLA_HDRLEN, what);
		break;
	case 2:
		len = 1u << (how >> 2) % 4;
		memset(at + NLA_HDRLEN, 0, len);
		at[NLA_HDRLEN] = what;
		at[NLA_HDRLEN + (len > 1)] = how;
		break;
	case 3:
		len = min_t(size_t, what, *n);
		memcpy(at + NLA_HDRLEN, *p, len);
		*p += len;
		*n -= len;
		break;
	}
	a.nla_len = NLA_HDRLEN + len + (how >> 5 == 7 ? what : 0);
	if (how >> 4 == 13)
		a.nla_type |= NLA_F_NESTED;
	memcpy(at, &a, sizeof(a));
	memset(at + NLA_HDRLEN + len, 0, NLA_ALIGN(len) - len);
	return NLA_HDRLEN + NLA_ALIGN(len);
}

static void ask(const struct genl_ops *op, const u8 *msg, u32 len)
{
	struct nlattr **attrs = malloc((op->maxattr + 1) * sizeof(*attrs));
	struct netlink_ext_ack ext = {};
	struct genl_info info = { .attrs = attrs, .extack = &ext };
	struct nlmsghdr *h = malloc(len);
	int err;

	memcpy(h, msg, len);
	h->nlmsg_len = len;
	if (!netlink_in_parse(h, op, &info) && op->doit) {
		err = op->doit(NULL, &info);
		WARN_ON(err > 0 || (err && err != -ENOMEM && !ext.msg));
	}
	free(h);
	free(attrs);
}

static void limits_hold(void)
{
	struct weft_limit_info i;
	u32 n;

	for (n = 0; weft_limit_look(&port.core, n, &i); n++)
		WARN_ON(i.value < i.min || i.value > i.max);
}

/* Each job has a name and its count of users; all jobs are deleted again. */
static void jobs_end(void)
{
	struct weft_job_info i;
	u64 pos = 0;
	u32 n;

	for (n = 0; weft_job_look(&port.core, &pos, &i); n++)
		WARN_ON(!i.name[0] || !memchr(i.name, 0, sizeof(i.name)) || i.users ||
			i.who.nuid > WEFT_JOB_WHO || i.who.ngid > WEFT_JOB_WHO);
	WARN_ON(n != port.core.njobs);
	for (pos = 0; weft_job_look(&port.core, &pos, &i);)
		WARN_ON(weft_job_del(&port.core, i.name));
}

/* Probes are bounded, and end; so do the paths that were made for them. */
static void probes_end(void)
{
	static struct weft_out out;
	struct weft_echo_info info;
	struct weft_path *path;
	u32 pos = 0;

	WARN_ON(port.core.nechoes > 64);
	if (port.core.nechoes) {
		WARN_ON(weft_echo_look(&port.core, port.core.next_echo, 0, &info));
		/* no peer answers; a request may have ended the path */
		WARN_ON(!info.count ||
			(info.state == WEFT_ECHOS_OVER ? info.err != ECONNABORTED :
							 info.state != WEFT_ECHOS_WAIT));
		WARN_ON(weft_echo_end(&port.core, port.core.next_echo));
	}
	weft_out_init(&out, &port.core);
	while ((path = weft_path_next(&port.core, &pos))) {
		addr_is_one(weft_path_addr(path));
		WARN_ON(weft_core_path_end(&port.core, weft_path_addr(path), false, ECONNABORTED,
					   weft_now(), &out));
		weft_path_put(path);
		weft_flush(&out);
	}
	weft_echo_forget(&port.core);
	weft_host_quiesce();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	static const struct weft_port_ops ops = { .name = "vnet" };
	struct weft_sockaddr addr = { .family = AF_INET, .addr = { 10, 77, 0, 1 } };
	static u8 msg[NLMSG_HDRLEN + GENL_HDRLEN + ATTRS * (NLA_HDRLEN + 256)];
	struct weft_conf conf;
	u32 at, n, cmd;
	long live;

	if (!port.ops) {
		port.ops = &ops;
		strscpy(port.name, "weft0", sizeof(port.name));
		weft_conf_default(&conf);
		WARN_ON(weft_core_init(&port.core, &conf, &addr, 1, &port));
	}
	live = weft_host_live();
	while (len >= 2) {
		cmd = data[0] % weft_family.n_ops;
		n = data[1] % ATTRS;
		weft_host_fail_nth(data[1] >> 6 == 3);
		data += 2;
		len -= 2;
		memset(msg, 0, NLMSG_HDRLEN + GENL_HDRLEN);
		for (at = NLMSG_HDRLEN + GENL_HDRLEN; n && len >= 3; n--)
			at += put_attr(msg + at, &data, &len);
		ask(&weft_family.ops[cmd], msg, at);
		weft_host_fail_nth(0);
		limits_hold();
		weft_host_balanced(__FILE__, __LINE__);
	}
	jobs_end();
	probes_end();
	if (weft_host_live() != live || gets)
		weft_host_die(__FILE__, __LINE__, "an answer or a port is left");
	return 0;
}
