#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A NIC is taken from virtio_net and given back, 25 times, under traffic, five of them in the middle
# of a transfer. Programs end with errors. The interface comes back and works. The module can be
# removed while it has a NIC.
# TIMEOUT: 1200 NEEDS: nics reload

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"
. "$VM_REPO/selftests/vm/tests/lib/vnet.sh"

# The NICs' interfaces reach each other
works()
{
	d0=$(vnet_interface 0) && d1=$(vnet_interface 1) && ip link set "$d1" netns e1 &&
		ip addr add 10.81.0.1/24 dev "$d0" && ip link set "$d0" up &&
		ip -n e1 addr add 10.81.0.2/24 dev "$d1" && ip -n e1 link set "$d1" up || return 1
	vm_wait 10 arrives
	ok=$?
	ip addr flush dev "$d0"
	ip link set "$d0" down
	ip -n e1 link set "$d1" netns 1
	return $ok
}

arrives()
{
	echo x >/dev/udp/10.81.0.2/9
	ip neigh show dev "$d0" | grep -q '10.81.0.2 lladdr 52:54:00:77:00:02'
}

no_interface()
{
	! ls /sys/bus/pci/devices/$(vm_nic 0)/virtio*/net 2>/dev/null
}

# Packets of strangers, to an existing address and to a missing one
noise()
{
	while :; do
		echo x >/dev/udp/10.79.0.1/9471
	done 2>/dev/null
}

# cycle NUMBER: every fifth in the middle of a transfer
cycle()
{
	vnet_port 0 && no_interface || return 1
	if [ $(($1 % 5)) = 0 ]; then
		vnet_pair rdm 10.80.0.2 && vnet_del 0 && vnet_ends $a /run/weft/a
		ok=$?
		vnet_over
	else
		vm_wait 10 heard && vnet_del 0
		ok=$?
	fi
	[ $ok = 0 ] && vnet_interface 0
}

heard()
{
	[ "$(vnet_stat 0 rx_bad)" -gt 0 ]
}

cycles()	# NUMBER
{
	vnet_other_end 1500 && ip -n e1 neigh replace 10.79.0.1 lladdr 52:54:00:77:00:01 \
		dev wire nud permanent || return 1
	ip netns exec e1 bash -c "$(declare -f noise); noise" &
	loud=$!
	for n in $(seq "$1"); do
		cycle "$n" >/run/weft/cycle 2>&1 || { echo "cycle $n"; cat /run/weft/cycle; break; }
	done
	kill $loud
	wait $loud 2>/dev/null
	ip netns exec e1 weftctl port del ev1 && ip -n e1 link set wire netns 1 &&
		ip -n e1 addr add 10.79.0.2/24 dev vv1 && [ "$n" = "$1" ]
}

# Taken without a driver before, and given back to none
no_driver()
{
	rmmod virtio_net && vnet_port 0 && vnet_port 1 && pingpong 3 10.79.0.2 -e rdm -I 5 &&
		vnet_del 0 1 && modprobe virtio_net && vnet_interface 0
}

rmmod_returns()
{
	vnet_port 0 && vnet_port 1 && no_interface && rmmod weft && vnet_interface 0 &&
		vnet_interface 1
}

vnet_nodes && modprobe virtio_net || { tap_not_ok "nodes"; tap_done; }
tap_run "the interfaces work" works
tap_run "25 times under traffic" cycles 25
tap_run "the interfaces work again" works
tap_run "without virtio_net" no_driver
for i in 0 1; do
	[ ! -e /run/weft/node$i ] || node $i weftctl port del weft$i 2>/dev/null
done
tap_run "the module goes and gives back" rmmod_returns
tap_run "the interfaces work once more" works
vm_load
case $LINK in
veth) vm_port 0 weft0 netdev veth0 && vm_port 1 weft1 netdev veth1 ;;
loop) vm_port 0 weft0 loop addr 10.77.0.1 ;;
esac
tap_run "nodes go with their ports" vnet_end
rmmod virtio_net
tap_done
