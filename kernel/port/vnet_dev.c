// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft port - driver "vnet": the virtio device
 *
 * The registered driver matches no device. Only weft_vnet_take() binds it, to the device that the
 * administrator has named. The bus negotiates features before it asks a driver for a match. So
 * unsuitable devices must be rejected before that. A worker takes and returns the device, so that
 * signals to the caller do not interrupt it.
 *
 * Taking the device from virtio_net removes its network interface. Returning it lets the kernel
 * find a driver for it: virtio_net creates an interface again.
 *
 * weft_ports_lock protects weft_vnet_taking. vn->lock protects the rest (vnet.h). The functions run
 * in process context unless they say otherwise.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/virtio_ring.h>

#include "history.h"
#include "vnet.h"

#define WEFT_VNET_CTRL_MS	1000	/* maximum duration of a command */

/* The port that takes a device now. probe accepts only its device. */
static struct weft_vnet *weft_vnet_taking;

static struct virtio_driver weft_vnet_driver;

/* ---- Control queue --------------------------------------------------------------------------- */

/* vn->lock is held. Return: 0, -EOPNOTSUPP: no control queue, -EIO, -ETIMEDOUT, -EINVAL. */
static int weft_vnet_command(struct weft_vnet *vn, u8 class, u8 cmd, u32 len)
{
	struct scatterlist hdr, data, status, *sgs[3] = { &hdr };
	struct weft_vnet_ctrl *c = vn->ctrl;
	u32 n = 1, i, got;

	lockdep_assert_held(&vn->lock);
	if (!vn->cvq)
		return -EOPNOTSUPP;
	c->hdr.class = class;
	c->hdr.cmd = cmd;
	c->status = VIRTIO_NET_ERR;
	sg_init_one(&hdr, &c->hdr, sizeof(c->hdr));
	sg_init_one(&data, c->data, len);
	sg_init_one(&status, &c->status, sizeof(c->status));
	if (len)
		sgs[n++] = &data;
	sgs[n] = &status;
	if (virtqueue_add_sgs(vn->cvq, sgs, n, 1, c, GFP_KERNEL) || !virtqueue_kick(vn->cvq))
		return -EIO;
	for (i = 0; i < WEFT_VNET_CTRL_MS * 10; i++) {
		if (virtqueue_get_buf(vn->cvq, &got))
			return c->status == VIRTIO_NET_OK ? 0 : -EINVAL;
		if (virtqueue_is_broken(vn->cvq))
			break;
		usleep_range(100, 200);
	}
	/* The device may still write to the memory: send no more commands. */
	vn->cvq = NULL;
	return -ETIMEDOUT;
}

static int weft_vnet_rx_mode(struct weft_vnet *vn, u8 cmd, bool on)
{
	vn->ctrl->data[0] = on;
	return weft_vnet_command(vn, VIRTIO_NET_CTRL_RX, cmd, 1);
}

/*
 * Receive own addresses, the addresses of solicitations for IPv6 addresses, and groups. If that
 * fails, receive everything. vn->lock is held.
 */
static void weft_vnet_filter(struct weft_vnet *vn)
{
	const struct weft_neigh_place *place = &vn->neighs.place;
	__le32 *entries = (__le32 *)vn->ctrl->data;
	u8 *mac = vn->ctrl->data + 2 * sizeof(*entries);
	u32 i, n = 0;

	lockdep_assert_held(&vn->lock);
	if (!virtio_has_feature(vn->vdev, VIRTIO_NET_F_CTRL_RX))
		return;
	for (i = 0; i < place->naddr; i++)
		n += weft_neigh_group(&place->addr[i], mac + n * ETH_ALEN);
	for (i = 0; i < vn->ngroups; i++)
		weft_neigh_group_mac(&vn->group[i], mac + n++ * ETH_ALEN);
	entries[0] = 0;
	entries[1] = cpu_to_le32(n);
	if (!weft_vnet_command(vn, VIRTIO_NET_CTRL_MAC, VIRTIO_NET_CTRL_MAC_TABLE_SET,
			       2 * sizeof(*entries) + n * ETH_ALEN)) {
		weft_vnet_rx_mode(vn, VIRTIO_NET_CTRL_RX_PROMISC, false);
		weft_vnet_rx_mode(vn, VIRTIO_NET_CTRL_RX_ALLMULTI, false);
	} else if (weft_vnet_rx_mode(vn, VIRTIO_NET_CTRL_RX_ALLMULTI, true)) {
		weft_vnet_rx_mode(vn, VIRTIO_NET_CTRL_RX_PROMISC, true);
	}
}

/**
 * weft_vnet_group - start or stop reception for a multicast group; see struct weft_port_ops
 * @port: the port
 * @addr: the group
 * @join: true: start
 *
 * Context: process.
 * Return: 0, -ENODEV: the device has gone; -ENOSPC.
 */
int weft_vnet_group(struct weft_port *port, const struct weft_sockaddr *addr, bool join)
{
	struct weft_vnet *vn = port->priv;
	int err = 0;
	u32 i;

	mutex_lock(&vn->lock);
	for (i = 0; i < vn->ngroups; i++)
		if (vn->group[i].family == addr->family &&
		    !memcmp(vn->group[i].addr, addr->addr, sizeof(addr->addr)))
			break;
	if (!join && i < vn->ngroups) {
		vn->group[i] = vn->group[vn->ngroups - 1];
		WRITE_ONCE(vn->ngroups, vn->ngroups - 1);
	} else if (join && !vn->vdev) {
		err = -ENODEV;
	} else if (join && vn->ngroups == WEFT_VNET_GROUPS) {
		err = -ENOSPC;
	} else if (join) {
		vn->group[vn->ngroups] = *addr;
		WRITE_ONCE(vn->ngroups, vn->ngroups + 1);
	}
	if (!err && vn->vdev && vn->live)
		weft_vnet_filter(vn);
	mutex_unlock(&vn->lock);
	return err;
}

static int weft_vnet_setup(struct weft_vnet *vn)
{
	__le16 *data = (__le16 *)vn->ctrl->data;
	int err = 0;

	weft_vnet_filter(vn);
	if (vn->neighs.place.vlan && virtio_has_feature(vn->vdev, VIRTIO_NET_F_CTRL_VLAN)) {
		*data = cpu_to_le16(vn->neighs.place.vlan);
		err = weft_vnet_command(vn, VIRTIO_NET_CTRL_VLAN, VIRTIO_NET_CTRL_VLAN_ADD,
					sizeof(*data));
	}
	if (!err && virtio_has_feature(vn->vdev, VIRTIO_NET_F_MQ)) {
		*data = cpu_to_le16(vn->npairs);
		err = weft_vnet_command(vn, VIRTIO_NET_CTRL_MQ, VIRTIO_NET_CTRL_MQ_VQ_PAIRS_SET,
					sizeof(*data));
	}
	return err;
}

/* ---- Queues ---------------------------------------------------------------------------------- */

static void weft_vnet_vqs_del(struct weft_vnet *vn)
{
	struct virtio_device *vdev = vn->vdev;
	struct virtqueue *vq;

	virtio_reset_device(vdev);
	virtio_device_for_each_vq(vdev, vq)
		while (virtqueue_detach_unused_buf(vq))
			;
	vdev->config->del_vqs(vdev);
	vn->cvq = NULL;
	vn->made = false;
}

/* Create queue pairs, then the control queue. vdev->priv is set. */
static int weft_vnet_vqs_make(struct weft_vnet *vn)
{
	bool ctrl = virtio_has_feature(vn->vdev, VIRTIO_NET_F_CTRL_VQ);
	u32 i, n = 2 * vn->max_pairs + ctrl;
	struct virtqueue_info *info;
	struct virtqueue **vqs;
	int err = -ENOMEM;

	info = kcalloc(n, sizeof(*info), GFP_KERNEL);
	vqs = kcalloc(n, sizeof(*vqs), GFP_KERNEL);
	if (!info || !vqs)
		goto free;
	for (i = 0; i < 2 * vn->max_pairs; i++) {
		/* unused queues have no callback, even if the device fills them */
		info[i].callback = i < 2 * vn->npairs ? weft_vnet_callback : NULL;
		info[i].name = i % 2 ? "weft-tx" : "weft-rx";
	}
	if (ctrl)
		info[i].name = "weft-ctrl";
	err = weft_virtio_find_vqs(vn->vdev, n, vqs, info);
	if (err)
		goto free;
	for (i = 0; i < vn->npairs; i++) {
		vn->q[i].rxq = vqs[2 * i];
		vn->q[i].txq = vqs[2 * i + 1];
	}
	for (i = 0; i < 2 * vn->max_pairs; i++)
		virtqueue_disable_cb(vqs[i]);
	if (vn->npairs > 1)
		for (i = 0; i < vn->npairs; i++)
			virtqueue_set_affinity(vn->q[i].rxq, cpumask_of(i % nr_cpu_ids));
	vn->cvq = ctrl ? vqs[2 * vn->max_pairs] : NULL;
	vn->made = true;
free:
	kfree(vqs);
	kfree(info);
	return err;
}

/* Close the device. When it returns the device is unused, see vnet.h. vn->lock is held. */
static void weft_vnet_close(struct weft_vnet *vn)
{
	u32 i;

	lockdep_assert_held(&vn->lock);
	if (!vn->made)
		return;
	WRITE_ONCE(vn->live, false);
	for (i = 0; i < vn->npairs; i++) {
		virtqueue_disable_cb(vn->q[i].rxq);
		virtqueue_disable_cb(vn->q[i].txq);
	}
	synchronize_net();
	for (i = 0; i < vn->npairs; i++)
		tasklet_kill(&vn->q[i].tasklet);
	weft_vnet_vqs_del(vn);
	for (i = 0; i < vn->npairs; i++)
		weft_vnet_tx_drop(&vn->q[i]);
}

/* Post buffers and enable interrupts. vn->lock is held; the device is ready. */
static int weft_vnet_go(struct weft_vnet *vn)
{
	u32 i;
	int err;

	lockdep_assert_held(&vn->lock);
	for (i = 0; i < vn->npairs; i++) {
		err = weft_vnet_rx_fill(&vn->q[i]);
		if (err)
			return err;
	}
	err = weft_vnet_setup(vn);
	if (err)
		return err;
	WRITE_ONCE(vn->live, true);
	WRITE_ONCE(vn->rx_on, true);
	for (i = 0; i < vn->npairs; i++)
		if (!virtqueue_enable_cb(vn->q[i].rxq))
			tasklet_schedule(&vn->q[i].tasklet);
	return 0;
}

/**
 * weft_vnet_open - start transmission and reception
 * @vn: the port, with its device taken
 *
 * Context: process, weft_ports_lock held.
 * Return: 0, -ENODEV: the device has gone meanwhile, -ENOMEM, -EIO, -EINVAL: the device refuses a
 * setting, -ETIMEDOUT.
 */
int weft_vnet_open(struct weft_vnet *vn)
{
	int err = -ENODEV;
	u32 i;

	lockdep_assert_held(&weft_ports_lock);
	mutex_lock(&vn->lock);
	if (!vn->vdev)
		goto unlock;
	for (i = 0; i < vn->npairs; i++) {
		err = weft_vnet_rx_alloc(&vn->q[i]);
		if (!err)
			err = weft_vnet_tx_alloc(&vn->q[i]);
		if (err)
			goto unlock;
	}
	vn->want_open = true;
	err = weft_vnet_go(vn);
unlock:
	mutex_unlock(&vn->lock);
	return err;
}

/**
 * weft_vnet_broken - report that the device misbehaves, and delete the port
 * @vn: the port
 *
 * Context: any.
 */
void weft_vnet_broken(struct weft_vnet *vn)
{
	if (xchg(&vn->broken, true))
		return;
	weft_history_plain(vn->port->history, WEFT_NOTE_BROKEN);
	pr_err("%s: the device %s is broken; the port is given up\n", vn->port->name, vn->name);
	weft_port_lost(vn->port);
}

/* ---- The driver ------------------------------------------------------------------------------ */

/* Runs before features are final. Rejects features of unused queues. */
static int weft_vnet_validate(struct virtio_device *vdev)
{
	struct weft_vnet *vn = weft_vnet_taking;
	u16 pairs = 1;
	u32 want, max;

	if (!vn || vn->dev != &vdev->dev)
		return -ENODEV;
	/* The virtio core would allocate a table for each packet in several pieces. */
	__virtio_clear_bit(vdev, VIRTIO_RING_F_INDIRECT_DESC);
	want = vn->want_pairs ?: num_online_cpus();
	if (__virtio_test_bit(vdev, VIRTIO_NET_F_MQ) &&
	    __virtio_test_bit(vdev, VIRTIO_NET_F_CTRL_VQ))
		virtio_cread(vdev, struct virtio_net_config, max_virtqueue_pairs, &pairs);
	max = max_t(u32, pairs, 1);
	vn->npairs = min3(want, max, (u32)WEFT_VNET_PAIRS);
	if (vn->npairs <= 1 || max > VIRTIO_NET_CTRL_MQ_VQ_PAIRS_MAX) {
		vn->npairs = 1;
		max = 1;
		__virtio_clear_bit(vdev, VIRTIO_NET_F_MQ);
	}
	vn->max_pairs = max;
	return 0;
}

static u32 weft_vnet_device_mtu(struct virtio_device *vdev)
{
	u16 mtu = 0;

	if (virtio_has_feature(vdev, VIRTIO_NET_F_MTU))
		virtio_cread(vdev, struct virtio_net_config, mtu, &mtu);
	return mtu;
}

/* Return: 0, -ERANGE: the requested MTU is too large. */
static int weft_vnet_features(struct weft_vnet *vn)
{
	struct virtio_device *vdev = vn->vdev;
	u32 max = weft_vnet_device_mtu(vdev), speed = 0;

	vn->csum = virtio_has_feature(vdev, VIRTIO_NET_F_CSUM);
	vn->guest_csum = virtio_has_feature(vdev, VIRTIO_NET_F_GUEST_CSUM);
	vn->mrg = virtio_has_feature(vdev, VIRTIO_NET_F_MRG_RXBUF);
	if (virtio_has_feature(vdev, VIRTIO_NET_F_SPEED_DUPLEX))
		virtio_cread_le(vdev, struct virtio_net_config, speed, &speed);
	vn->speed = speed <= INT_MAX ? speed : 0;
	vn->mtu = vn->want_mtu ?: max ?: ETH_DATA_LEN;
	max = max ?: U16_MAX;
	if (!vn->mrg)
		max = min_t(u32, max, WEFT_VNET_BUF_MAX - WEFT_VNET_LINK);
	return vn->mtu > max || vn->mtu < WEFT_MTU_MIN ? -ERANGE : 0;
}

static int weft_vnet_probe(struct virtio_device *vdev)
{
	struct weft_vnet *vn = weft_vnet_taking;
	u8 *mac = vn->neighs.place.mac;
	int err;
	u32 i;

	vn->vdev = vdev;
	vdev->priv = vn;
	if (virtio_has_feature(vdev, VIRTIO_NET_F_MAC))
		virtio_cread_bytes(vdev, offsetof(struct virtio_net_config, mac), mac, ETH_ALEN);
	if (!is_valid_ether_addr(mac))
		eth_random_addr(mac);
	err = weft_vnet_features(vn);
	if (err)
		goto out;
	err = -ENOMEM;
	vn->ctrl = kzalloc(sizeof(*vn->ctrl), GFP_KERNEL);
	vn->q = kvcalloc(vn->npairs, sizeof(*vn->q), GFP_KERNEL);
	if (!vn->ctrl || !vn->q)
		goto out;
	for (i = 0; i < vn->npairs; i++) {
		vn->q[i].vn = vn;
		vn->q[i].no = i;
		spin_lock_init(&vn->q[i].tx_lock);
		tasklet_setup(&vn->q[i].tasklet, weft_vnet_tasklet);
	}
	err = weft_vnet_vqs_make(vn);
	if (err)
		goto out;
	virtio_device_ready(vdev);
	weft_virtio_config_enable(vdev);
	return 0;
out:
	vn->vdev = NULL;
	vdev->priv = NULL;
	return err;
}

/* Called by weft_vnet_give(), or after unplugging. */
static void weft_vnet_remove(struct virtio_device *vdev)
{
	struct weft_vnet *vn = vdev->priv;

	mutex_lock(&vn->lock);
	weft_vnet_close(vn);
	vn->vdev = NULL;
	vdev->priv = NULL;
	mutex_unlock(&vn->lock);
	if (!vn->releasing) {
		weft_history_plain(vn->port->history, WEFT_NOTE_DEVICE);
		pr_info("%s: the device %s has gone\n", vn->port->name, vn->name);
		weft_vnet_event(vn);
		weft_port_lost(vn->port);
	}
}

static void weft_vnet_changed(struct virtio_device *vdev)
{
	weft_vnet_event(vdev->priv);
}

static int __maybe_unused weft_vnet_freeze(struct virtio_device *vdev)
{
	struct weft_vnet *vn = vdev->priv;

	mutex_lock(&vn->lock);
	weft_vnet_close(vn);
	mutex_unlock(&vn->lock);
	return 0;
}

/* Time stood still. Packets in flight are retransmitted, or the peer reports a timeout. */
static int __maybe_unused weft_vnet_restore(struct virtio_device *vdev)
{
	struct weft_vnet *vn = vdev->priv;
	int err;

	mutex_lock(&vn->lock);
	err = weft_vnet_vqs_make(vn);
	if (!err) {
		virtio_device_ready(vdev);
		if (vn->want_open)
			err = weft_vnet_go(vn);
	}
	mutex_unlock(&vn->lock);
	if (err)
		weft_vnet_broken(vn);
	else
		weft_vnet_event(vn);
	return err;
}

static const struct virtio_device_id weft_vnet_ids[] = { { 0 } };

static const unsigned int weft_vnet_features_wanted[] = {
	VIRTIO_NET_F_CSUM, VIRTIO_NET_F_GUEST_CSUM, VIRTIO_NET_F_MTU, VIRTIO_NET_F_MAC,
	VIRTIO_NET_F_MRG_RXBUF, VIRTIO_NET_F_STATUS, VIRTIO_NET_F_CTRL_VQ, VIRTIO_NET_F_CTRL_RX,
	VIRTIO_NET_F_CTRL_VLAN, VIRTIO_NET_F_MQ, VIRTIO_NET_F_SPEED_DUPLEX,
};

static struct virtio_driver weft_vnet_driver = {
	.driver.name = "weft_vnet",
	.driver.owner = THIS_MODULE,
	.id_table = weft_vnet_ids,
	.feature_table = weft_vnet_features_wanted,
	.feature_table_size = ARRAY_SIZE(weft_vnet_features_wanted),
	.validate = weft_vnet_validate,
	.probe = weft_vnet_probe,
	.remove = weft_vnet_remove,
	.config_changed = weft_vnet_changed,
#ifdef CONFIG_PM_SLEEP
	.freeze = weft_vnet_freeze,
	.restore = weft_vnet_restore,
#endif
};

/* ---- Taking and returning -------------------------------------------------------------------- */

/**
 * struct weft_vnet_job - work of a worker that the caller waits for
 * @work: the work
 * @vn: the port
 * @err: out
 */
struct weft_vnet_job {
	struct work_struct work;
	struct weft_vnet *vn;
	int err;
};

static int weft_vnet_job(struct weft_vnet *vn, work_func_t fn)
{
	struct weft_vnet_job job = { .vn = vn };

	INIT_WORK_ONSTACK(&job.work, fn);
	queue_work(system_unbound_wq, &job.work);
	flush_work(&job.work);
	destroy_work_on_stack(&job.work);
	return job.err;
}

/* Let the kernel bind the device to its default driver. */
static void weft_vnet_return(struct device *dev)
{
	struct virtio_device *vdev = dev_to_virtio(dev);

	device_lock(dev);
	if (!dev->driver && device_is_registered(dev) &&
	    vdev->config->get_status(vdev) & VIRTIO_CONFIG_S_FAILED) {
		virtio_reset_device(vdev);
		virtio_add_status(vdev, VIRTIO_CONFIG_S_ACKNOWLEDGE);
	}
	device_unlock(dev);
	if (device_is_registered(dev) && device_attach(dev) < 0)
		pr_warn("no driver takes %s back\n", dev_name(dev));
}

static void weft_vnet_take_work(struct work_struct *work)
{
	struct weft_vnet_job *job = container_of(work, struct weft_vnet_job, work);
	struct device *dev = job->vn->dev;

	device_release_driver(dev);
	job->err = device_driver_attach(&weft_vnet_driver.driver, dev);
	if (job->err)
		weft_vnet_return(dev);
}

static void weft_vnet_give_work(struct work_struct *work)
{
	struct weft_vnet_job *job = container_of(work, struct weft_vnet_job, work);
	struct device *dev = job->vn->dev;

	/* An administrator may have unbound it, or even bound it to another driver. */
	if (READ_ONCE(job->vn->vdev)) {
		device_release_driver(dev);
		weft_vnet_return(dev);
	}
	/* Wait for an unplugging in progress. */
	device_lock(dev);
	device_unlock(dev);
}

static int weft_vnet_is(struct device *dev, const void *name)
{
	return !strcmp(dev_name(dev), name) || !strcmp(dev_name(dev->parent), name);
}

/* Check whether the device may be taken. */
static int weft_vnet_check(struct device *dev, struct netlink_ext_ack *extack)
{
	struct virtio_device *vdev = dev_to_virtio(dev);
	u64 features = weft_virtio_features(vdev);
	int err = 0;

	if (vdev->id.device != VIRTIO_ID_NET) {
		NL_SET_ERR_MSG(extack, "this is not a virtio network device");
		return -EINVAL;
	}
	if (!(features & BIT_ULL(VIRTIO_F_VERSION_1))) {
		NL_SET_ERR_MSG(extack, "the device is a legacy one; virtio 1.0 is needed");
		return -EOPNOTSUPP;
	}
	if (features & BIT_ULL(VIRTIO_NET_F_STANDBY)) {
		NL_SET_ERR_MSG(extack, "the device stands by for another one");
		return -EOPNOTSUPP;
	}
	device_lock(dev);
	if (dev->driver && strcmp(dev->driver->name, "virtio_net")) {
		if (dev->driver == &weft_vnet_driver.driver)
			NL_SET_ERR_MSG(extack, "another port has this device; see 'port show'");
		else
			NL_SET_ERR_MSG(extack, "another driver than virtio_net has this device");
		err = -EBUSY;
	}
	device_unlock(dev);
	return err;
}

/**
 * weft_vnet_take - take a device from virtio_net
 * @vn: the port; mtu, want_pairs are set
 * @name: PCI address or name on the virtio bus
 * @extack: receives the reason of a failure
 *
 * On success vn->npairs, mtu and neighs.place.mac have the device's values.
 *
 * Context: process, weft_ports_lock held.
 * Return: 0, -ENODEV, -EBUSY, -EOPNOTSUPP, -ERANGE ...
 */
int weft_vnet_take(struct weft_vnet *vn, const char *name, struct netlink_ext_ack *extack)
{
	int err;

	lockdep_assert_held(&weft_ports_lock);
	vn->dev = bus_find_device(weft_vnet_driver.driver.bus, NULL, name, weft_vnet_is);
	if (!vn->dev) {
		NL_SET_ERR_MSG(extack,
			       "no such virtio device; see /sys/bus/virtio/devices and 'lspci'");
		return -ENODEV;
	}
	strscpy(vn->name, name, sizeof(vn->name));
	err = weft_vnet_check(vn->dev, extack);
	if (err)
		goto put;
	weft_vnet_taking = vn;
	err = weft_vnet_job(vn, weft_vnet_take_work);
	weft_vnet_taking = NULL;
	if (!err)
		return 0;
	if (err == -ERANGE)
		NL_SET_ERR_MSG(extack, "the MTU is less than 1280 or more than the device takes");
	else
		NL_SET_ERR_MSG(extack, "the device cannot be set up; see the kernel log");
	kfree(vn->ctrl);
	kvfree(vn->q);
put:
	put_device(vn->dev);
	return err;
}

/**
 * weft_vnet_give - return the device to virtio_net
 * @vn: the port, with its device taken; no more sends
 *
 * Context: process, weft_ports_lock held.
 */
void weft_vnet_give(struct weft_vnet *vn)
{
	u32 i;

	lockdep_assert_held(&weft_ports_lock);
	WRITE_ONCE(vn->releasing, true);
	weft_vnet_job(vn, weft_vnet_give_work);
	cancel_work_sync(&vn->link_work);
	cancel_delayed_work_sync(&vn->neigh_work);
	for (i = 0; i < vn->npairs; i++) {
		weft_vnet_rx_free(&vn->q[i]);
		weft_vnet_tx_free(&vn->q[i]);
	}
	kvfree(vn->q);
	kfree(vn->ctrl);
	put_device(vn->dev);
}

/**
 * weft_vnet_init - the driver's part of module_init()
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int weft_vnet_init(void)
{
	return register_virtio_driver(&weft_vnet_driver);
}

/**
 * weft_vnet_exit - the reverse of weft_vnet_init(), after all ports are gone, so no device is bound
 *
 * Context: process.
 */
void weft_vnet_exit(void)
{
	unregister_virtio_driver(&weft_vnet_driver);
}
