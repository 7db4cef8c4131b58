/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft - differences between the supported kernels: Linux 6.1 to 6.12
 *
 * All #if on the kernel's version are here. Names are those of the newer kernel, if it has one.
 */
#ifndef WEFT_COMPAT_H
#define WEFT_COMPAT_H

#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>

/*
 * Kernels with which the stack bypass was tested (port/netdev_bypass.c). It reads private state of
 * netfilter and of traffic control, whose meaning another kernel may have changed.
 */
#define WEFT_BYPASS_KERNELS	"6.1,6.12"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#include <asm/unaligned.h>
#else
#include <linux/unaligned.h>
#endif

/* Since 6.2 a class's callbacks receive a constant device. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define weft_class_const
#else
#define weft_class_const	const
#endif

/* Since 6.3 functions change the flags of a map. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void weft_vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				     unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#else
static inline void weft_vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				     unsigned long clear)
{
	vm_flags_mod(vma, set, clear);
}
#endif

/*
 * Since 6.5 the call has no list of mappings to fill in. This wrapper has no @locked: the call does
 * not wait for faults that a program must handle.
 */
static inline long weft_pin_user_pages_remote(struct mm_struct *mm, unsigned long start,
					      unsigned long n, unsigned int flags,
					      struct page **pages)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
	return pin_user_pages_remote(mm, start, n, flags, pages, NULL, NULL);
#else
	return pin_user_pages_remote(mm, start, n, flags, pages, NULL);
#endif
}

/* Since 6.6 another field reports the use of traffic control at a device's egress. */
static inline bool weft_egress_active(const struct net_device *dev)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#ifdef CONFIG_NET_CLS_ACT
	if (rcu_access_pointer(dev->miniq_egress))
		return true;
#endif
#elif defined(CONFIG_NET_XGRESS)
	if (rcu_access_pointer(dev->tcx_egress))
		return true;
#endif
#ifdef CONFIG_NETFILTER_EGRESS
	if (rcu_access_pointer(dev->nf_hooks_egress))
		return true;
#endif
	return false;
}

/* Since 6.10 a tracepoint knows the source of its strings. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define weft_assign_str(dst, src)	__assign_str(dst, src)
#else
#define weft_assign_str(dst, src)	__assign_str(dst)
#endif

/* Since 6.11 one structure holds names and callbacks of queues. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
struct virtqueue_info {
	const char *name;
	vq_callback_t *callback;
	bool ctx;
};
#endif

static inline int weft_virtio_find_vqs(struct virtio_device *vdev, unsigned int n,
				       struct virtqueue *vqs[], struct virtqueue_info info[])
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
	vq_callback_t **callbacks = kcalloc(n, sizeof(*callbacks), GFP_KERNEL);
	const char **names = kcalloc(n, sizeof(*names), GFP_KERNEL);
	unsigned int i;
	int err = -ENOMEM;

	if (callbacks && names) {
		for (i = 0; i < n; i++) {
			callbacks[i] = info[i].callback;
			names[i] = info[i].name;
		}
		err = virtio_find_vqs(vdev, n, vqs, callbacks, names, NULL);
	}
	kfree(names);
	kfree(callbacks);
	return err;
#else
	return virtio_find_vqs(vdev, n, vqs, info, NULL);
#endif
}

/*
 * Since 6.12 a driver may switch off reports of configuration changes. virtio_net does so while its
 * interface is down, and they stay off when another driver takes the device.
 */
static inline void weft_virtio_config_enable(struct virtio_device *vdev)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	virtio_config_driver_enable(vdev);
#endif
}

/* Since 6.7 the attributes of a dump are in the same structure as those of a request. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define weft_genl_dump_attrs(cb)	(genl_dumpit_info(cb)->attrs)
#else
#define weft_genl_dump_attrs(cb)	(genl_dumpit_info(cb)->info.attrs)
#endif

#endif
