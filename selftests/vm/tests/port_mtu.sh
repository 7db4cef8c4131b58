#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The largest packet of a path. Two devices have different MTUs; one MTU changes under load; a
# router with a narrow link sends no ICMP. Messages of all lengths arrive, and no path dies.
# LINKS: vnet
# TIMEOUT: 900

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"

# stat NODE PORT COUNTER
stat()
{
	node "$1" cat "/sys/class/weft/$2/counters/$3"
}

# Messages of all lengths to a node, and long ones over a connection
talk()	# NODE ADDRESS
{
	pingpong "$1" "$2" $six -e rdm -S all -I 1 && pingpong "$1" "$2" $six -e msg -S 65536 -I 3
}

# fi_pingpong takes the first address of a port: ports with one family each.
family()	# 4|6: of the calls that follow
{
	six=
	bytes=28
	to=10.77.0.2
	far=10.78.1.1
	[ "$1" = 4 ] || { six=-6 bytes=48 to=fd77::2 far=fd78:1::1; }
}

# netdev_port NODE PORT DEVICE IPV4-ADDRESS IPV6-ADDRESS: anew, with the address of the family
netdev_port()
{
	node "$1" weftctl port del "$2" force 2>/dev/null
	[ "$six" ] && set -- "$1" "$2" "$3" "$5"
	vm_port "$1" "$2" netdev "$3" addr "$4"
}

both_ports()
{
	for i in 0 1; do
		netdev_port $i weft$i veth$i 10.77.0.$((i + 1)) fd77::$((i + 1)) || return 1
	done
}

# No path died: in the ports of nodes 0 and 1
alive()
{
	[ "$(stat 0 weft0 paths_dead)$(stat 1 weft1 paths_dead)" = 00 ] || {
		node 0 weftctl stats show weft0
		return 1
	}
}

# payload NODE PORT ADDRESS: of the largest packet to an address that begins like this
payload()
{
	node "$1" weftctl path show "$2" | grep "path $3" |
		sed -n 's/.*max_payload \([0-9]*\).*/\1/p'
}

# is NODE PORT ADDRESS BYTES: the path has found this size
is()
{
	[ "$(payload "$1" "$2" "$3")" = "$4" ]
}

unequal()	# MTU of node 0, MTU of node 1
{
	node 0 ip link set veth0 mtu "$1" && node 1 ip link set veth1 mtu "$2" && both_ports &&
		talk 1 $to && alive && vm_wait 10 is 0 weft0 "${to%2}" $((1500 - bytes)) &&
		vm_wait 10 is 1 weft1 "${to%2}" $((1500 - bytes))
}

# A device's MTU becomes 1400 and 1500 again while messages are under way, ten times.
changes()
{
	node 1 ip link set veth1 mtu 1500 || return 1
	node 1 fi_pingpong -p weft -e rdm -S 65536 -I 100000000 >/run/weft/b 2>&1 &
	b=$!
	vm_wait 20 vm_listening $b 47592 || return 1
	node 0 fi_pingpong -p weft -e rdm -S 65536 -I 100000000 10.77.0.2 >/run/weft/a 2>&1 &
	a=$!
	for i in 1 2 3 4 5; do
		for mtu in 1400 1500; do
			goes_on && node 1 ip link set veth1 mtu $mtu &&
				vm_wait 20 is 0 weft0 10.77 $((mtu - 28)) || return 1
		done
	done
	goes_on || return 1
	kill -9 $a $b
	wait $a $b 2>/dev/null
	alive && noted 1400 1500
}

# noted SMALL LARGE: the history has both changes of the path, the one after the other
noted()
{
	small=$(($1 - 28)) large=$(($2 - 28))
	node 0 weftctl event show weft0 | tail -n 20
	node 0 weftctl event show weft0 event mtu-reduced |
		grep -q "mtu-reduced peer 10.77.0.2 from $large to $small" &&
		node 0 weftctl event show weft0 event mtu-raised |
		grep -q "mtu-raised peer 10.77.0.2 from $small to $large"
}

goes_on()
{
	count=$(stat 0 weft0 msgs_received)
	vm_wait 20 more_than "$count"
}

more_than()	# MESSAGES
{
	[ "$(stat 0 weft0 msgs_received)" -ge $(($1 + 50)) ]
}

# Namespaces m0 and m1, "node 2" and "node 3", behind a router whose link to m1 carries 1300 bytes.
# The router sends no ICMP but neighbour discovery.
router()
{
	ip -batch - <<-EOT || return 1
		netns add m0
		netns add m1
		netns add mr
		link add mv0 netns m0 type veth peer name mr0 netns mr
		link add mv1 netns m1 type veth peer name mr1 netns mr
	EOT
	for i in 0 1; do
		ip -n mr -batch - <<-EOT && ip -n m$i -batch - <<-EOT2 || return 1
			addr add 10.78.$i.9/24 dev mr$i
			addr add fd78:$i::9/64 dev mr$i nodad
			link set mr$i up
		EOT
			link set lo up
			addr add 10.78.$i.1/24 dev mv$i
			addr add fd78:$i::1/64 dev mv$i nodad
			link set mv$i up
			route add default via 10.78.$i.9
			route add default via fd78:$i::9
		EOT2
		echo m$i >/run/weft/node$((i + 2))
	done
	ip -n mr link set mr1 mtu 1300
	ip netns exec mr sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 &&
		ip netns exec mr nft -f - <<-EOT || return 1
			table inet weft_test {
				chain c {
					type filter hook output priority 0;
					meta l4proto icmp drop
					icmpv6 type packet-too-big drop
				}
			}
		EOT
}

behind()
{
	for i in 0 1; do
		netdev_port $((i + 2)) mt$i mv$i 10.78.$i.1 fd78:$i::1 || return 1
	done
	pp_from=2
	talk 3 $far || return 1
	pp_from=0
	[ "$(stat 2 mt0 paths_dead)$(stat 3 mt1 paths_dead)" = 00 ]
}

# The size is found, within the exactness of the search: 16 bytes
found()
{
	size=$(payload 2 mt0 $far)
	[ "$size" -le $((1300 - bytes)) ] && [ "$size" -gt $((1300 - bytes - 16)) ]
}

no_router()
{
	for i in 0 1; do
		node $((i + 2)) weftctl port del mt$i force || return 1
		rm -f /run/weft/node$((i + 2))
	done
	ip netns del m0 && ip netns del m1 && ip netns del mr
}

# port NODE MTU: its vnet port anew
port()
{
	addr=10.77.0.$(($1 + 1))/24
	[ -z "$six" ] || addr=fd77::$(($1 + 1))/64
	node "$1" weftctl port del "weft$1" force &&
		vm_port "$1" "weft$1" vnet "$(vm_nic "$1")" addr $addr mtu "$2"
}

vnet_unequal()	# MTU of node 0, MTU of node 1
{
	port 0 "$1" && port 1 "$2" && talk 1 $to && alive
}

# The ports of nodes 0 and 1 have all addresses again.
as_before()
{
	for i in 0 1; do
		node $i weftctl port del weft$i force && vm_node_port $i || return 1
	done
}

case $LINK in
veth)
	for v in 4 6; do
		family $v
		tap_run "MTU 9000 and 1500, IPv$v" unequal 9000 1500
		tap_run "MTU 1500 and 9000, IPv$v" unequal 1500 9000
	done
	family 4
	node 0 ip link set veth0 mtu 1500
	both_ports
	tap_run "1500, 1400 and 1500 under load" changes
	tap_run "a router with a narrow link and no ICMP" router
	for v in 4 6; do
		family $v
		tap_run "messages pass it, IPv$v" behind
		tap_run "the path finds its size, IPv$v" vm_wait 30 found
	done
	tap_run "the router goes" no_router
	tap_run "as before" as_before
	;;
vnet)
	for v in 4 6; do
		family $v
		tap_run "MTU 1500 and 1300, IPv$v" vnet_unequal 1500 1300
		tap_run "MTU 1300 and 1500, IPv$v" vnet_unequal 1300 1500
	done
	tap_run "as before" as_before
	;;
*)
	tap_skip "MTU" "the link has none"
	;;
esac
tap_done
