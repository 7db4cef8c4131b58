#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# An installed module is loaded when weftctl needs it. An update leaves the loaded module, with its
# ports, and "weftctl -V" says so until the new one is loaded.
# TIMEOUT: 200 NEEDS: reload install

. "$VM_REPO/selftests/vm/lib.sh"

dir=/lib/modules/$(uname -r)
small=/run/weft/small		# a tree with this module alone: depmod takes an emulator long

# put MODULE: installs it; modules that weft needs are loaded already
put()
{
	mkdir -p "$dir/updates" "$small$dir/updates" && cp "$1" "$dir/updates/weft.ko" &&
		cp "$1" "$small$dir/updates/weft.ko" && depmod -b "$small" &&
		cp "$small$dir"/modules.* "$dir"
}

absent()
{
	rmmod weft && ! weftctl port show && [ ! -d /sys/module/weft ] && weftctl -V >/run/weft/said &&
		grep -qx "module not loaded" /run/weft/said
}

on_demand()
{
	put "$VM_MODULE" && weftctl port add am0 loop addr 127.0.0.1 && [ -e /dev/weft/am0 ]
}

# the same module under another digest
update()
{
	digest=$(modinfo -F srcversion "$VM_MODULE")
	other=$(echo "$digest" | tr 0-9A-F 1-9A-F0)
	sed "s/srcversion=$digest/srcversion=$other/" "$VM_MODULE" >/run/weft/other.ko &&
		[ "$(modinfo -F srcversion /run/weft/other.ko)" = "$other" ] &&
		put /run/weft/other.ko
}

said()
{
	weftctl -V | tee /run/weft/said
	grep -qx "module $(cat /sys/module/weft/version)" /run/weft/said &&
		grep "another module is installed" /run/weft/said
}

told()
{
	! said && update && said && [ -e /dev/weft/am0 ]
}

loaded_again()
{
	rmmod weft && modprobe weft && ! said
}

mkdir -p /run/weft/lists && cp "$dir"/modules.* /run/weft/lists
trap 'rmmod weft; rm -r "$dir/updates"; cp /run/weft/lists/* "$dir"; vm_load
	vm_port 0 weft0 netdev veth0; vm_port 1 weft1 netdev veth1' EXIT
tap_run "weftctl without a module fails" absent
tap_run "weftctl loads an installed module" on_demand
tap_run "an update leaves the module and its port, and is told" told
tap_run "the new module is loaded" loaded_again
tap_done
