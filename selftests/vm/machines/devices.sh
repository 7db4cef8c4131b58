#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Ports of the driver netdev over the devices of real nodes: an emulated e1000e, a VLAN, a bond, a
# bridge, a macvlan, with MTU 1500 and 9000
#
# Messages of all lengths, over both families and all types of endpoints, arrive with all bytes, and
# no path dies. A bond fails over under load. Run on the host; the part "inside" runs in the
# machine.
# CHECK: all

inside()
{
	. "$VM_REPO/selftests/vm/lib.sh"
	. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"
	vm_quick_start
	for module in e1000e 8021q bonding bridge macvlan; do
		modprobe $module || exit 1
	done
	for mtu in 1500 9000; do
		for kind in nic nic_vlan vlan bond bridge macvlan; do
			tap_run "$kind, MTU $mtu" over $kind $mtu
		done
	done
	tap_run "a bond fails over under load" over bond 1500 failover
	tap_run "a bond of VLANs fails over under load" over vlan_bond 1500 failover
	tap_done
}

# ---- Devices: each function makes weft0 and weft1 of nodes 0 and 1 ----------------------------

# nics: the two emulated NICs, named nic0 and nic1; they come back when their namespaces go
nics()
{
	for i in 0 1; do
		dev=$(dirname "$(grep -l 52:54:00:78:00:0$((i + 1)) /sys/class/net/*/address)")
		ip link set "$(basename "$dev")" netns n$i name nic$i || return 1
	done
}

# pair NAME: veth devices NAME0 and NAME1
pair()
{
	ip link add $1"0" netns n0 type veth peer name $1"1" netns n1
}

# up NODE DEVICE MTU
up()
{
	ip -n n$1 link set $2 mtu $3 up
}

nic()	# MTU
{
	nics && for i in 0 1; do
		ip -n n$i link set nic$i name dev$i || return 1
	done
}

nic_vlan()
{
	nics && for i in 0 1; do
		up $i nic$i $1 && ip -n n$i link add dev$i link nic$i type vlan id 7 || return 1
	done
}

vlan()
{
	pair v && for i in 0 1; do
		up $i v$i $1 && ip -n n$i link add dev$i link v$i type vlan id 7 || return 1
	done
}

# join NODE BOND DEVICE...
join()
{
	at=$1 to=$2
	shift 2
	ip -n n$at link add $to type bond mode active-backup miimon 50 || return 1
	for dev; do
		ip -n n$at link set $dev down && ip -n n$at link set $dev master $to || return 1
	done
}

bond()
{
	pair a && pair b && for i in 0 1; do
		join $i dev$i a$i b$i || return 1
	done
}

vlan_bond()
{
	pair a && pair b && for i in 0 1; do
		for d in a b; do
			up $i $d$i $1 && ip -n n$i link add $d$i.7 link $d$i type vlan id 7 ||
				return 1
		done
		join $i dev$i a$i.7 b$i.7 || return 1
	done
}

# the address of node 0 is the bridge's, as on a node with virtual machines
bridge()
{
	pair v && ip -n n0 link add dev0 type bridge && ip -n n0 link set v0 master dev0 &&
		up 0 v0 $1 && ip -n n1 link set v1 name dev1
}

macvlan()
{
	pair v && up 0 v0 $1 && ip -n n0 link add dev0 link v0 type macvlan mode bridge &&
		ip -n n1 link set v1 name dev1
}

# ---- Traffic -----------------------------------------------------------------------------------

# over KIND MTU [COMMAND]: nodes with these devices and their ports; the command, or messages
over()
{
	kind=$1 mtu=$2
	shift 2
	for i in 0 1; do
		ip netns add n$i && echo n$i >/run/weft/node$i || return 1
	done
	LINK_MTU=$mtu
	$kind $mtu && vm_addr n0 dev0 1 && vm_addr n1 dev1 2 && vm_wait 20 running &&
		${@:-messages} $mtu
	status=$?
	for i in 0 1; do
		[ $status = 0 ] || node $i weftctl port show
		node $i weftctl port del weft$i force
		# a NIC returns to the first namespace, with the name that it has
		ip netns del n$i
		rm -f /run/weft/node$i
	done
	vm_wait 20 returned
	return $status
}

running()
{
	ip -n n0 link show dev0 | grep -q LOWER_UP && ip -n n1 link show dev1 | grep -q LOWER_UP
}

returned()
{
	[ "$(cat /sys/class/net/*/address | grep -c '^52:54:00:78')" = 2 ]
}

# ports ADDRESS: of this family, without the last digit; fi_pingpong takes a port's first address
ports()
{
	for i in 0 1; do
		node $i weftctl port del weft$i force 2>/dev/null
		vm_port $i weft$i netdev dev$i addr $1$((i + 1)) || return 1
	done
}

messages()	# MTU
{
	ports 10.77.0. && pingpong 1 10.77.0.2 -e rdm -S all -I 2 &&
		pingpong 1 10.77.0.2 -e dgram -S 1000 -I 5 && whole $(($1 - 28)) && alive &&
		ports fd77:: && pingpong 1 fd77::2 -6 -e msg -S all -I 2 && whole $(($1 - 48)) &&
		alive
}

# whole BYTES: the paths use the whole MTU
whole()
{
	vm_wait 10 payload 0 $1 && vm_wait 10 payload 1 $1
}

payload()	# NODE BYTES
{
	node $1 weftctl path show weft$1 | grep -q "max_payload $2\$"
}

alive()
{
	for i in 0 1; do
		[ "$(node $i cat /sys/class/weft/weft$i/counters/paths_dead)" = 0 ] || return 1
	done
}

received()
{
	node 0 cat /sys/class/weft/weft0/counters/msgs_received
}

more_than()
{
	[ "$(received)" -ge $(($1 + 50)) ]
}

goes_on()
{
	count=$(received)
	vm_wait 20 more_than "$count"
}

# The active link goes down, and comes back, several times.
failover()
{
	ports 10.77.0. || return 1
	node 1 fi_pingpong -p weft -e rdm -S 65536 -I 100000000 >/run/weft/b 2>&1 &
	b=$!
	vm_wait 20 vm_listening $b 47592 || return 1
	node 0 fi_pingpong -p weft -e rdm -S 65536 -I 100000000 10.77.0.2 >/run/weft/a 2>&1 &
	a=$!
	vm_wait 20 goes_on || return 1
	for n in 1 2 3; do
		for d in a b; do
			active $d || ip -n n0 link set dev0 type bond active_slave "$(slave $d)"
			goes_on && ip -n n0 link set ${d}0 down && goes_on &&
				ip -n n0 link set ${d}0 up && vm_wait 20 carrier $d || return 1
		done
	done
	goes_on || return 1
	kill -9 $a $b
	wait $a $b 2>/dev/null
	alive
}

slave()
{
	ip -n n0 -o link show master dev0 | sed -n "s/^[0-9]*: \($1[^@:]*\).*/\1/p"
}

active()
{
	[ "$(node 0 cat /sys/class/net/dev0/bonding/active_slave)" = "$(slave $1)" ]
}

carrier()
{
	ip -n n0 link show ${1}0 | grep -q LOWER_UP
}

# emulated NUMBER: words for the emulator
emulated()
{
	echo "-netdev hubport,hubid=7,id=e$1" \
		"-device e1000e,netdev=e$1,romfile=,mac=52:54:00:78:00:0$1"
}

if [ "${1-}" = inside ]; then
	inside
	exit
fi
here=$(cd "$(dirname "$0")/.." && pwd)
LINK=none VM_TIMEOUT=${VM_TIMEOUT:-1200} VM_QEMU="$(emulated 1) $(emulated 2)" \
	"$here/run" 'bash selftests/vm/machines/devices.sh inside'
