// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - the module: its start and end, above all folders
 *
 * kernel/admin calls kernel/port, kernel/dev and kernel/core. kernel/port and kernel/dev call
 * kernel/core, which calls them through the functions of core/base/env.h. Their calls to each other
 * are declared in port/upcalls.h and dev/upcalls.h, and implemented by kernel/admin. Each folder
 * may call kernel/trace.
 */
#include <linux/module.h>
#include <linux/weft_netlink.h>
#include <net/genetlink.h>

#include "admin/admin.h"
#include "dev/dev.h"
#include "dev/mem.h"
#include "port/path.h"

static int __init weft_init(void)
{
	int err = weft_paths_init();

	if (err)
		return err;
	err = weft_mem_init();
	if (err)
		goto paths;
	err = weft_dev_init();
	if (err)
		goto mem;
	err = weft_ports_init();
	if (err)
		goto dev;
	err = weft_netlink_init();
	if (err)
		goto ports;
	return 0;
ports:
	weft_ports_exit();
dev:
	weft_dev_exit();
mem:
	weft_mem_exit();
paths:
	weft_paths_exit();
	return err;
}

/* No file is open, else the module could not be removed. */
static void __exit weft_exit(void)
{
	weft_netlink_exit();
	weft_ports_exit();
	weft_dev_exit();
	weft_mem_exit();
	weft_paths_exit();
	rcu_barrier();
}

module_init(weft_init);
module_exit(weft_exit);

MODULE_DESCRIPTION("weft: fabric endpoints on plain Ethernet");
MODULE_VERSION("0.2.0");
MODULE_LICENSE("GPL");
/* the kernel loads the module when a program, as weftctl, asks for its netlink family */
MODULE_ALIAS_GENL_FAMILY(WEFT_GENL_NAME);
