// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - devices by their number: shared by dev.c and other files
 *
 * xa_alloc_cyclic() and xa_erase() take the table's own lock. Readers need none, as the device that
 * they look up is not freed meanwhile.
 */
#include <linux/xarray.h>

#include "ctx.h"

static DEFINE_XARRAY_ALLOC1(weft_devs);		/* by number, until they are freed */
static u32 weft_devs_next = 1;

/**
 * weft_dev_enter - give a device its number
 * @dev: the device; dev->id is set on success
 *
 * Context: process.
 * Return: 0, -ENOMEM, -EBUSY: no number is left.
 */
int weft_dev_enter(struct weft_dev *dev)
{
	int err = xa_alloc_cyclic(&weft_devs, &dev->id, dev, XA_LIMIT(1, INT_MAX), &weft_devs_next,
				  GFP_KERNEL);

	return err < 0 ? err : 0;
}

/**
 * weft_dev_leave - remove a device from the table
 * @dev: the device
 *
 * Context: process.
 */
void weft_dev_leave(struct weft_dev *dev)
{
	xa_erase(&weft_devs, dev->id);
}

/**
 * weft_dev_by_id - find a device
 * @id: number of a device that is not freed
 *
 * Context: any.
 * Return: the device.
 */
struct weft_dev *weft_dev_by_id(u32 id)
{
	return xa_load(&weft_devs, id);
}
