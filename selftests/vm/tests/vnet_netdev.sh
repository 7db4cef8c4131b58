#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A vnet port and a netdev port at the two ends of one link: the same wire format. The IP stack's
# neighbour discovery finds the vnet port, and the vnet port finds the IP stack.
# TIMEOUT: 300 NEEDS: nics

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"
. "$VM_REPO/selftests/vm/tests/lib/vnet.sh"

# The side channel uses veth: fi_pingpong's own connection is routed back the same way
ip_neighbour()
{
	ip -n e1 neigh show dev wire
	ip -n e1 neigh show dev wire | grep -qi '10.79.0.1 lladdr 52:54:00:77:00:01'
}

# The other end gets the vnet port's address, and asks for a neighbour with it
conflict()
{
	! node 2 weftctl event show ev0 | grep ' address-conflict' &&
		ip -n e1 addr add 10.79.0.1/32 dev wire &&
		ip -n e1 route add 10.79.0.77 dev wire src 10.79.0.1 &&
		node 3 bash -c 'echo >/dev/udp/10.79.0.77/9' &&
		vm_wait 20 has_conflict &&
		node 2 weftctl -j event show ev0 | grep -q ':"address-conflict"' &&
		dmesg | grep 'weft: ev0: another node on the link has an address of this port'
	found=$?
	ip -n e1 addr del 10.79.0.1/32 dev wire
	return $found
}

has_conflict()
{
	node 2 weftctl event show ev0 | grep ' address-conflict'
}

# A netdev port in use loses its NIC: the interface is removed, and the port with it
taken()
{
	timeout 60 "$VM_REPO/selftests/vm/bin/node" 3 weftctl port add ev2 vnet "$(vm_nic 1)" \
		addr 10.79.0.2/24 mtu 9000 && vm_wait 20 [ ! -e /dev/weft/ev1 ] &&
		node 3 weftctl port del ev2 && vnet_interface 1
}

vnet_nodes || { tap_not_ok "nodes"; tap_done; }
tap_run "an interface at the other end" vnet_other_end 9000
tap_run "a port that owns its NIC" vnet_port 0 mtu 9000
tap_run "fi_pingpong -e rdm, vnet to netdev" pingpong 3 10.80.0.2 -e rdm -I 3
pp_from=3
tap_run "fi_pingpong -e msg, netdev to vnet" pingpong 2 10.80.0.1 -e msg -I 3
tap_run "the IP stack found its neighbour" ip_neighbour
tap_run "nothing damaged" vnet_clean
tap_run "another node claims the port's address" conflict
tap_run "the NIC of a netdev port is taken" taken
vnet_del 0
tap_run "nodes go with their ports" vnet_end
rmmod virtio_net
tap_done
