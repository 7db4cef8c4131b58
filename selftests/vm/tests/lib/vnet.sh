# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A test's own nodes for the machine's two virtio NICs: namespaces e0 and e1, "node 2" and "node 3".
# A pair of devices joins their IP stacks; these have the addresses that the ports get. Sourced
# after ../lib.sh and pingpong.sh.

if [ "$LINK" = vnet ]; then
	tap_skip vnet "the NICs are the link"
	tap_done
fi
pp_from=2 v6=

vnet_nodes()
{
	ip netns add e0 && ip netns add e1 &&
		ip link add vv0 netns e0 type veth peer name vv1 netns e1 || return 1
	for i in 0 1; do
		ip -n e$i -batch - <<-EOT || return 1
			link set lo up
			addr add 10.79.0.$((i + 1))/24 dev vv$i
			addr add fd79::$((i + 1))/64 dev vv$i nodad
			link set vv$i up
		EOT
		echo e$i >/run/weft/node$((i + 2))
	done
}

# vnet_port 0|1 ARGUMENTS...: port ev0 or ev1, with an IPv4 address; $v6: with an IPv6 address
vnet_port()
{
	port_i=$1 port_addr=10.79.0.$(($1 + 1))/24
	[ -z "$v6" ] || port_addr=fd79::$(($1 + 1))/64
	shift
	node $((port_i + 2)) weftctl port add ev$port_i vnet "$(vm_nic $port_i)" \
		addr $port_addr "$@"
}

vnet_del()	# 0|1...
{
	for port_i; do
		node $((port_i + 2)) weftctl port del ev$port_i force || return 1
	done
}

# vnet_used 0|1: the NIC's interface has been up, and is down
vnet_used()
{
	modprobe virtio_net && dev=$(vnet_interface $1) && ip link set "$dev" up &&
		ip link set "$dev" down
}

# vnet_interface 0|1: waits for the NIC's network interface, prints its name
vnet_interface()
{
	vm_wait 10 ls /sys/bus/pci/devices/$(vm_nic $1)/virtio*/net/ || return 1
	basename /sys/bus/pci/devices/$(vm_nic $1)/virtio*/net/*
}

# vnet_other_end MTU: the IP stack of e1 has its own NIC, and a netdev port ev1 on it; programs talk
# by TCP at 10.80.0.2
vnet_other_end()
{
	modprobe virtio_net && dev=$(vnet_interface 1) &&
		ip link set "$dev" netns e1 && ip -n e1 -batch - <<-EOT || return 1
			link set $dev name wire
			addr flush dev vv1
			addr add 10.80.0.2/24 dev vv1
			addr add 10.79.0.2/24 dev wire
			addr add fd79::2/64 dev wire nodad
			link set wire mtu $1 up
			route add 10.79.0.1/32 dev wire
		EOT
	ip -n e0 addr add 10.80.0.1/24 dev vv0
	node 3 weftctl port add ev1 netdev wire addr 10.79.0.2
}

# vnet_stat 0|1 COUNTER
vnet_stat()
{
	node $(($1 + 2)) cat /sys/class/weft/ev$1/counters/$2
}

# No packet was damaged, from a stranger, refused, or without a buffer. (A slow answer of a
# neighbour may cost one.)
vnet_clean()
{
	for i in 0 1; do
		set -- /sys/class/weft/ev$i/counters
		set -- $(node $((i + 2)) cat $1/rx_bad $1/rx_unknown $1/tx_errors $1/tx_dropped)
		[ "$*" = "0 0 0 0" ] || {
			node $((i + 2)) weftctl stats show ev$i
			return 1
		}
	done
}

# vnet_sent 0|1 NUMBER: at least so many packets
vnet_sent()
{
	[ "$(vnet_stat "$1" tx_packets)" -ge "$2" ]
}

# vnet_pair TYPE [ADDRESS]: two programs that never end by themselves, $a at e0 and $b at e1
vnet_pair()
{
	before=$(vnet_stat 0 tx_packets)
	node 3 fi_pingpong -p weft -e "$1" -S 65536 -I 10000000 >/run/weft/b 2>&1 &
	b=$!
	vm_wait 20 vm_listening $b 47592 || return 1
	node 2 fi_pingpong -p weft -e "$1" -S 65536 -I 10000000 "${2:-10.79.0.2}" \
		>/run/weft/a 2>&1 &
	a=$!
	vm_wait 60 vnet_sent 0 $((before + 100)) || { cat /run/weft/a /run/weft/b; return 1; }
}

vnet_gone()	# PID
{
	! kill -0 "$1" 2>/dev/null
}

# vnet_ends PID FILE: the program ends with an error that it prints
vnet_ends()
{
	vm_wait 60 vnet_gone "$1" || { echo "it did not end"; kill -9 "$1"; return 1; }
	wait "$1" && { echo "no error"; return 1; }
	cat "$2"
	grep -q error "$2"
}

vnet_over()
{
	kill -9 $a $b 2>/dev/null
	wait $a $b 2>/dev/null
	return 0
}

# No port, context or pinned memory is left: remove the nodes
vnet_end()
{
	ip -n e1 link set wire netns 1 2>/dev/null
	for i in 0 1; do
		ip netns del e$i
		rm -f /run/weft/node$((i + 2))
	done
	vm_wait 10 [ ! -e /dev/weft/ev0 ] && vm_wait 10 [ ! -e /dev/weft/ev1 ]
}
