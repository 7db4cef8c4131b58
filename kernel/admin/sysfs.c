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

static ssize_t driver_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct weft_port *port = weft_dev_port(dev_get_drvdata(dev));

	return sysfs_emit(buf, "%s\n", port->ops->name);
}

static ssize_t state_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", weft_port_state_name(weft_dev_port(dev_get_drvdata(dev))));
}

static ssize_t netdev_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct weft_port_look look;

	weft_port_look(weft_dev_port(dev_get_drvdata(dev)), &look);
	return sysfs_emit(buf, "%s\n", look.netdev);
}

static ssize_t mtu_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct weft_port_look look;

	weft_port_look(weft_dev_port(dev_get_drvdata(dev)), &look);
	return sysfs_emit(buf, "%u\n", look.mtu);
}

static ssize_t udp_port_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct weft_port *port = weft_dev_port(dev_get_drvdata(dev));

	return sysfs_emit(buf, "%u\n", port->core.conf.udp_port);
}

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

static ssize_t contexts_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct weft_dev_stat stat;

	weft_dev_stat(dev_get_drvdata(dev), &stat);
	return sysfs_emit(buf, "%u\n", stat.contexts);
}

static ssize_t endpoints_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct weft_port *port = weft_dev_port(dev_get_drvdata(dev));

	return sysfs_emit(buf, "%u\n", READ_ONCE(port->core.neps));
}

static ssize_t paths_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct weft_port *port = weft_dev_port(dev_get_drvdata(dev));

	return sysfs_emit(buf, "%u\n", READ_ONCE(port->core.npaths));
}

static ssize_t pinned_bytes_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct weft_dev_stat stat;

	weft_dev_stat(dev_get_drvdata(dev), &stat);
	return sysfs_emit(buf, "%llu\n", stat.pinned);
}

static ssize_t engine_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct weft_engine_conf conf;

	weft_engine_look(dev_get_drvdata(dev), &conf);
	return sysfs_emit(buf, "%s\n", weft_engine_name(conf.mode));
}

static ssize_t engine_cpu_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct weft_engine_conf conf;

	weft_engine_look(dev_get_drvdata(dev), &conf);
	if (conf.cpu == WEFT_ENGINE_ANY_CPU)
		return sysfs_emit(buf, "any\n");
	return sysfs_emit(buf, "%u\n", conf.cpu);
}

static ssize_t engine_idle_us_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct weft_engine_conf conf;

	weft_engine_look(dev_get_drvdata(dev), &conf);
	return sysfs_emit(buf, "%u\n", conf.idle_us);
}

static ssize_t engine_hot_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", weft_engine_hot(dev_get_drvdata(dev)));
}

static ssize_t priorities_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct weft_port *port = weft_dev_port(dev_get_drvdata(dev));

	return sysfs_emit(buf, "%s\n", READ_ONCE(port->core.conf.priorities) ? "on" : "off");
}

static ssize_t bypass_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct weft_port_look look;

	weft_port_look(weft_dev_port(dev_get_drvdata(dev)), &look);
	return sysfs_emit(buf, "%s\n", look.bypass ?: "");
}

static ssize_t bypass_state_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct weft_port_look look;

	weft_port_look(weft_dev_port(dev_get_drvdata(dev)), &look);
	return sysfs_emit(buf, "%s\n", look.bypass_state ?: "");
}

static ssize_t doorbell_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct weft_dev_stat stat;

	weft_dev_stat(dev_get_drvdata(dev), &stat);
	return sysfs_emit(buf, "%s\n", stat.seek ? "lseek" : "ioctl");
}

static DEVICE_ATTR_RO(driver);
static DEVICE_ATTR_RO(state);
static DEVICE_ATTR_RO(netdev);
static DEVICE_ATTR_RO(mtu);
static DEVICE_ATTR_RO(udp_port);
static DEVICE_ATTR_RO(addresses);
static DEVICE_ATTR_RO(contexts);
static DEVICE_ATTR_RO(endpoints);
static DEVICE_ATTR_RO(paths);
static DEVICE_ATTR_RO(pinned_bytes);
static DEVICE_ATTR_RO(engine);
static DEVICE_ATTR_RO(engine_cpu);
static DEVICE_ATTR_RO(engine_idle_us);
static DEVICE_ATTR_RO(engine_hot);
static DEVICE_ATTR_RO(priorities);
static DEVICE_ATTR_RO(bypass);
static DEVICE_ATTR_RO(bypass_state);
static DEVICE_ATTR_RO(doorbell);

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

#define WEFT_COUNTER_ATTR(name, text)					\
static struct weft_counter_attr weft_counter_##name = {			\
	.attr = __ATTR(name, 0444, weft_counter_show, NULL),		\
	.counter = WEFT_CNT_##name,					\
};

WEFT_COUNTERS(WEFT_COUNTER_ATTR)

#define WEFT_COUNTER_PTR(name, text)	&weft_counter_##name.attr.attr,

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
