#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A NIC is unplugged in the middle of transfers. Its port is removed, and its program ends with an
# error at once. The other end's program ends after its time limit. A port can take a NIC that is
# plugged in later. The link goes down and comes back.
# TIMEOUT: 400 NEEDS: nics

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"
. "$VM_REPO/selftests/vm/tests/lib/vnet.sh"

unplugged()	# TYPE
{
	vnet_pair "$1" && vm_monitor device_del nic0 && vnet_ends $a /run/weft/a &&
		vm_wait 20 [ ! -e /dev/weft/ev0 ] && ! node 2 weftctl port show ev0 &&
		vnet_ends $b /run/weft/b &&
		node 2 weftctl event show ev0 event device-gone | grep "ev0: device-gone why"
	ok=$?
	vnet_over
	return $ok
}

nic_there()
{
	[ "$(vm_nic 0)" = "$nic" ] && ls /sys/bus/pci/devices/$nic/virtio*
}

plugged()
{
	vm_monitor device_add \
		virtio-net-pci,id=nic0,bus=port0,netdev=net0,romfile=,mac=52:54:00:77:00:01,rx_queue_size=1024
	vm_wait 20 nic_there && vnet_port 0 && pingpong 3 10.79.0.2 -e rdm -I 5
}

state_is()	# STATE
{
	[ "$(node 2 cat /sys/class/weft/ev0/state)" = "$1" ]
}

more_or_over()
{
	vnet_sent 0 "$1" || vnet_gone $a || vnet_gone $b
}

link_down()
{
	# a slow machine needs longer than the default to set the link up again
	for i in 0 1; do
		node $((i + 2)) weftctl limit set ev$i dead-ms $((10000 * VM_SLOW)) || return 1
	done
	vnet_pair rdm || { echo "no traffic"; return 1; }
	vm_monitor set_link nic0 off && vm_wait 30 state_is down || { echo "not down"; return 1; }
	vm_monitor set_link nic0 on && vm_wait 30 state_is up || { echo "not up"; return 1; }
	more=$(($(vnet_stat 0 tx_packets) + 50))
	vm_wait 60 more_or_over $more
	vnet_sent 0 $more && kill -0 $a && kill -0 $b && return
	cat /run/weft/a /run/weft/b
	return 1
}

vnet_nodes && vnet_used 0 && vnet_port 0 && vnet_port 1 || { tap_not_ok "nodes"; tap_done; }
nic=$(vm_nic 0)
tap_run "a link that goes down and comes back" link_down
vnet_over
tap_run "unplugged" unplugged msg
tap_run "plugged in again" plugged
tap_run "nodes go with their ports" vnet_end
rmmod virtio_net
tap_done
