// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft admin - /sys/class/weft/<port>/
 *
 * The device and its class are kernel/dev's. Removing the device waits for the functions here. So
 * they take no lock that is held then: the data that they read are constant, atomic, per CPU or
 * under RCU.
 */
#include <linux/device.h>
#include <linux/sysfs.h>

#include "../dev/dev.h"
#include "../dev/engine.h"
#include "../port/port.h"
#include "admin.h"

static struct weft_port_look weft_sysfs_look(struct weft_port *port)
{
	struct weft_port_look look;

	weft_port_look(port, &look);
	return look;
}

static struct weft_dev_stat weft_sysfs_stat(struct weft_dev *dev)
{
	struct weft_dev_stat stat;

	weft_dev_stat(dev, &stat);
	return stat;
}

static struct weft_engine_conf weft_sysfs_engine(struct weft_dev *dev)
{
	struct weft_engine_conf conf;

	weft_engine_look(dev, &conf);
	return conf;
}

/* A file with one value, which may be made of @wdev, a struct weft_dev, and @port, its port. */
#define WEFT_ATTR(name, format, value)						\
static ssize_t name##_show(struct device *dev, struct device_attribute *attr,	\
			   char *buf)						\
{										\
	struct weft_dev *wdev = dev_get_drvdata(dev);				\
	struct weft_port __maybe_unused *port = weft_dev_port(wdev);		\
										\
	return sysfs_emit(buf, format "\n", value);				\
}										\
static DEVICE_ATTR_RO(name)

WEFT_ATTR(driver, "%s", port->ops->name);
WEFT_ATTR(state, "%s", weft_port_state_name(port));
WEFT_ATTR(netdev, "%s", weft_sysfs_look(port).netdev);
WEFT_ATTR(mtu, "%u", weft_sysfs_look(port).mtu);
WEFT_ATTR(udp_port, "%u", port->core.conf.udp_port);
WEFT_ATTR(contexts, "%u", weft_sysfs_stat(wdev).contexts);
WEFT_ATTR(endpoints, "%u", READ_ONCE(port->core.neps));
WEFT_ATTR(paths, "%u", READ_ONCE(port->core.npaths));
WEFT_ATTR(pinned_bytes, "%llu", weft_sysfs_stat(wdev).pinned);
WEFT_ATTR(engine, "%s", weft_engine_name(weft_sysfs_engine(wdev).mode));
WEFT_ATTR(engine_idle_us, "%u", weft_sysfs_engine(wdev).idle_us);
WEFT_ATTR(engine_hot, "%u", weft_engine_hot(wdev));
WEFT_ATTR(priorities, "%s", READ_ONCE(port->core.conf.priorities) ? "on" : "off");
WEFT_ATTR(bypass, "%s", weft_sysfs_look(port).bypass ?: "");
WEFT_ATTR(bypass_state, "%s", weft_sysfs_look(port).bypass_state ?: "");
WEFT_ATTR(rma_users, "%s", READ_ONCE(port->core.conf.rma_same_user) ? "same" : "any");
WEFT_ATTR(doorbell, "%s", weft_sysfs_stat(wdev).seek ? "lseek" : "ioctl");
WEFT_ATTR(histograms, "%s", READ_ONCE(port->core.conf.histograms) ? "on" : "off");
WEFT_ATTR(questions, "%s", READ_ONCE(port->core.conf.questions) ? "on" : "off");

/* One address per line. */
static ssize_t addresses_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct weft_port *port = weft_dev_port(dev_get_drvdata(dev));
	const struct weft_sockaddr *a;
	int at = 0;
	u32 i;

	for (i = 0; i < port->core.naddr; i++) {
		a = &port->core.addr[i];
		if (a->family == AF_INET)
			at += sysfs_emit_at(buf, at, "%pI4\n", a->addr);
		else if (a->scope)
			at += sysfs_emit_at(buf, at, "%pI6c%%%u\n", a->addr, a->scope);
		else
			at += sysfs_emit_at(buf, at, "%pI6c\n", a->addr);
	}
	return at;
}
static DEVICE_ATTR_RO(addresses);

static ssize_t engine_cpu_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct weft_engine_conf conf = weft_sysfs_engine(dev_get_drvdata(dev));

	if (conf.cpu == WEFT_ENGINE_ANY_CPU)
		return sysfs_emit(buf, "any\n");
	return sysfs_emit(buf, "%u\n", conf.cpu);
}
static DEVICE_ATTR_RO(engine_cpu);

static struct attribute *weft_attrs[] = {
	&dev_attr_driver.attr,
	&dev_attr_state.attr,
	&dev_attr_netdev.attr,
	&dev_attr_mtu.attr,
	&dev_attr_udp_port.attr,
	&dev_attr_addresses.attr,
	&dev_attr_contexts.attr,
	&dev_attr_endpoints.attr,
	&dev_attr_paths.attr,
	&dev_attr_pinned_bytes.attr,
	&dev_attr_engine.attr,
	&dev_attr_engine_cpu.attr,
	&dev_attr_engine_idle_us.attr,
	&dev_attr_engine_hot.attr,
	&dev_attr_priorities.attr,
	&dev_attr_bypass.attr,
	&dev_attr_bypass_state.attr,
	&dev_attr_doorbell.attr,
	&dev_attr_rma_users.attr,
	&dev_attr_histograms.attr,
	&dev_attr_questions.attr,
	NULL
};

static const struct attribute_group weft_group = {
	.attrs = weft_attrs,
};

/* ---- counters/ ------------------------------------------------------------------------------- */

/**
 * struct weft_counter_attr - file of a counter
 * @attr: the attribute
 * @counter: WEFT_CNT_*
 */
struct weft_counter_attr {
	struct device_attribute attr;
	u32 counter;
};

static ssize_t weft_counter_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct weft_counter_attr *c = container_of(attr, struct weft_counter_attr, attr);
	const struct weft_port *port = weft_dev_port(dev_get_drvdata(dev));

	return sysfs_emit(buf, "%llu\n", weft_counters_read(port->core.cnt, c->counter));
}

#define WEFT_COUNTER_ATTR(name, unit, settings, text)			\
static struct weft_counter_attr weft_counter_##name = {			\
	.attr = __ATTR(name, 0444, weft_counter_show, NULL),		\
	.counter = WEFT_CNT_##name,					\
};

WEFT_COUNTERS(WEFT_COUNTER_ATTR)

#define WEFT_COUNTER_PTR(name, unit, settings, text)	&weft_counter_##name.attr.attr,

static struct attribute *weft_counter_attrs[] = {
	WEFT_COUNTERS(WEFT_COUNTER_PTR)
	NULL
};

static const struct attribute_group weft_counter_group = {
	.name = "counters",
	.attrs = weft_counter_attrs,
};

const struct attribute_group *weft_sysfs_groups[] = {
	&weft_group,
	&weft_counter_group,
	NULL
};
