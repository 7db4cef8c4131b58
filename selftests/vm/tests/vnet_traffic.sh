#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Two vnet ports back to back: unmodified fi_pingpong with every MTU from the usual one to the
# largest
#
# With a large MTU packets arrive in several buffers and leave from pinned pages. Both families,
# VLANs. Neighbours are found and shown. Impossible settings are refused with a reason.
# TIMEOUT: 400 NEEDS: nics KERNELS: each

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"
. "$VM_REPO/selftests/vm/tests/lib/vnet.sh"

ports()	# ARGUMENTS...
{
	vnet_port 0 "$@" && vnet_port 1 "$@"
}

# neighbours ADDRESS ADDRESS: each port has found the other, at the emulator's Ethernet address
neighbours()
{
	node 2 weftctl neigh show ev0
	node 3 weftctl neigh
	node 2 weftctl -j neigh | grep -q "\"neigh\":\"$2\",\"mac\":\"52:54:00:77:00:02\"" &&
		node 3 weftctl neigh show ev1 | grep -q "neigh $1 mac 52:54:00:77:00:01 state [rsp]"
}

shown()
{
	node 2 weftctl -j port show ev0 >/run/weft/show
	cat /run/weft/show
	grep -q "\"driver\":\"vnet\",\"device\":\"$(vm_nic 0)\",\"state\":\"up\",\"mtu\":9000" \
		/run/weft/show && grep -q '"vlan":7,"queues":1' /run/weft/show
}

# refused REASON ARGUMENTS...
refused()
{
	reason=$1
	shift
	node 2 weftctl port add bad "$@" >/run/weft/refused 2>&1 && return 1
	cat /run/weft/refused
	grep -q "$reason" /run/weft/refused
}

# Packets of a run were received as one unit
runs()
{
	node 2 weftctl stats show ev0
	[ "$(vnet_stat 0 rx_runs)" -gt 0 ] && [ "$(vnet_stat 1 rx_runs)" -gt 0 ]
}

# Long payload left from the programs' own memory
direct()
{
	node 2 weftctl stats show ev0
	[ "$(vnet_stat 0 tx_direct)" -gt 0 ] && [ "$(vnet_stat 1 tx_direct)" -gt 0 ]
}

vnet_nodes || { tap_not_ok "nodes"; tap_done; }
nic=$(vm_nic 0)

tap_run "no such device" refused "no such virtio device" vnet virtio99 addr 10.0.0.1/24
tap_run "another kind of device" refused "not a virtio network device" vnet virtio0 addr 10.0.0.1/24
tap_run "no address" refused "needs an address" vnet "$nic"
tap_run "link-local address" refused "link-local" vnet "$nic" addr fe80::1/64
tap_run "gateway elsewhere" refused "not on the link" vnet "$nic" addr 10.0.0.1/24 gw 10.0.1.1
tap_run "prefix length without vnet" refused "owns its device" loop addr 10.0.0.1/24

ports
tap_run "taken twice" refused "another port has this device" vnet "$nic" addr 10.0.0.1/24
tap_run "fi_pingpong -e rdm, MTU 1500" pingpong 3 10.79.0.2 -e rdm -I 3
tap_run "packets are taken in runs" runs
tap_run "neighbours" neighbours 10.79.0.1 10.79.0.2
tap_run "nothing damaged" vnet_clean
vnet_del 0 1

ports mtu 9000 vlan 7
tap_run "what is shown" shown
tap_run "fi_pingpong -e rdm -m tagged, MTU 9000, VLAN" pingpong 3 10.79.0.2 -e rdm -m tagged -I 3
tap_run "fi_pingpong -e msg, MTU 9000, VLAN" pingpong 3 10.79.0.2 -e msg -I 3
tap_run "nothing damaged" vnet_clean
vnet_del 0 1

v6=1
for mtu in 1500 65535; do
	ports mtu $mtu
	tap_run "fi_pingpong -e rdm, IPv6, MTU $mtu" pingpong 3 fd79::2 -6 -e rdm -I 3
	tap_run "neighbours, IPv6" neighbours fd79::1 fd79::2
	[ $mtu = 1500 ] || tap_run "sent without a copy" direct
	tap_run "nothing damaged" vnet_clean
	vnet_del 0 1
done
v6=

vnet_port 0 mtu 9000 && vnet_port 1 mtu 1500
tap_run "fi_pingpong -e rdm, MTU 9000 and 1500" pingpong 3 10.79.0.2 -e rdm -I 1

tap_run "nodes go with their ports" vnet_end
tap_done
