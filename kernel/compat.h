/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft - differences between the supported kernels: Linux 6.1 and later
 *
 * All #if on what a kernel has are here. The script "probe" finds it out when the module is built,
 * and defines WEFT_HAVE_*. Names are those of the newer kernel, if it has one.
 */
#ifndef WEFT_COMPAT_H
#define WEFT_COMPAT_H

#include <crypto/blake2s.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>

#include "compat_have.h"

/*
 * Kernels with which the stack bypass was tested (port/netdev_bypass.c). It reads private state of
 * netfilter and of traffic control, whose meaning another kernel may have changed.
 */
#define WEFT_BYPASS_KERNELS	"6.1,6.12,7.3"

#ifdef WEFT_HAVE_LINUX_UNALIGNED
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

/* Since 6.2 a class's callbacks receive a constant device. */
#ifndef WEFT_HAVE_CLASS_CONST
#define weft_class_const
#else
#define weft_class_const	const
#endif

/* Since 6.3 functions change the flags of a map. */
#ifndef WEFT_HAVE_VM_FLAGS_MOD
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
#ifndef WEFT_HAVE_PIN_WITHOUT_VMAS
	return pin_user_pages_remote(mm, start, n, flags, pages, NULL, NULL);
#else
	return pin_user_pages_remote(mm, start, n, flags, pages, NULL);
#endif
}

/* Since 6.6 another field reports the use of traffic control at a device's egress. */
static inline bool weft_egress_active(const struct net_device *dev)
{
#if defined(WEFT_HAVE_TCX_EGRESS)
	if (rcu_access_pointer(dev->tcx_egress))
		return true;
#elif defined(CONFIG_NET_CLS_ACT)
	if (rcu_access_pointer(dev->miniq_egress))
		return true;
#endif
#ifdef CONFIG_NETFILTER_EGRESS
	if (rcu_access_pointer(dev->nf_hooks_egress))
		return true;
#endif
	return false;
}

/* Since 6.7, and 6.1.68, groups of generic netlink have flags of their own. */
#ifndef GENL_MCAST_CAP_NET_ADMIN
#define GENL_MCAST_CAP_NET_ADMIN	GENL_UNS_ADMIN_PERM
#endif

/* Since 6.10 a tracepoint knows the source of its strings. */
#ifndef WEFT_HAVE_ASSIGN_STR_DST
#define weft_assign_str(dst, src)	__assign_str(dst, src)
#else
#define weft_assign_str(dst, src)	__assign_str(dst)
#endif

/* Since 6.11 one structure holds names and callbacks of queues. */
#ifndef WEFT_HAVE_VIRTQUEUE_INFO
struct virtqueue_info {
	const char *name;
	vq_callback_t *callback;
	bool ctx;
};
#endif

static inline int weft_virtio_find_vqs(struct virtio_device *vdev, unsigned int n,
				       struct virtqueue *vqs[], struct virtqueue_info info[])
{
#ifndef WEFT_HAVE_VIRTQUEUE_INFO
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
#ifdef WEFT_HAVE_VIRTIO_CONFIG_DRIVER
	virtio_config_driver_enable(vdev);
#endif
}

/* Since 6.17 a device may have more than 64 features, and another callback then. */
static inline u64 weft_virtio_features(struct virtio_device *vdev)
{
#ifdef WEFT_HAVE_VIRTIO_GET_FEATURES
	typeof(vdev->features_array) features;

	virtio_get_features(vdev, features);
	return features[0];
#else
	return vdev->config->get_features(vdev);
#endif
}

/* Since 6.7 the attributes of a dump are in the same structure as those of a request. */
#ifndef WEFT_HAVE_GENL_DUMP_INFO
#define weft_genl_dump_attrs(cb)	(genl_dumpit_info(cb)->attrs)
#else
#define weft_genl_dump_attrs(cb)	(genl_dumpit_info(cb)->info.attrs)
#endif

/* Since 6.7 shrinkers are allocated, and their registration does not fail. */
typedef unsigned long (*weft_shrink_fn)(struct shrinker *shrinker, struct shrink_control *sc);

static inline struct shrinker *weft_shrinker_new(const char *name, weft_shrink_fn count,
						 weft_shrink_fn scan)
{
	struct shrinker *s;

#ifdef WEFT_HAVE_SHRINKER_ALLOC
	s = shrinker_alloc(0, "%s", name);
#else
	s = kzalloc(sizeof(*s), GFP_KERNEL);
#endif
	if (!s)
		return NULL;
	s->count_objects = count;
	s->scan_objects = scan;
	s->seeks = DEFAULT_SEEKS;
#ifdef WEFT_HAVE_SHRINKER_ALLOC
	shrinker_register(s);
#else
	if (register_shrinker(s, "%s", name)) {
		kfree(s);
		return NULL;
	}
#endif
	return s;
}

static inline void weft_shrinker_free(struct shrinker *s)
{
#ifdef WEFT_HAVE_SHRINKER_ALLOC
	shrinker_free(s);
#else
	unregister_shrinker(s);
	kfree(s);
#endif
}

/* Since 6.13 one call sets the function of a timer, too. */
#ifndef WEFT_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* Since 6.19 the arguments stand in another order, and the wrong one only warns. */
static inline void weft_blake2s(const u8 *key, size_t key_len, const u8 *in, size_t in_len,
				u8 *out, size_t out_len)
{
#ifdef WEFT_HAVE_BLAKE2S_KEY_FIRST
	blake2s(key, key_len, in, in_len, out, out_len);
#else
	blake2s(out, in, key, out_len, in_len, key_len);
#endif
}

/* Since 7.1 a class's namespace has a type. */
#ifdef WEFT_HAVE_CLASS_NS_COMMON
#define weft_class_ns	const struct ns_common *
static inline weft_class_ns weft_class_ns_of(const struct net *net)
{
	return &net->ns;
}
#else
#define weft_class_ns	const void *
static inline weft_class_ns weft_class_ns_of(const struct net *net)
{
	return net;
}
#endif

#endif
