#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The stack bypass of a netdev port. Packets take it (the stack's own counters stand still), unless
# a hook or a rule must see them. Prepared headers are dropped when the neighbour, the route or the
# device has changed.
# TIMEOUT: 300

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"

[ "$LINK" = veth ] || { tap_skip "short way" "there is no veth link"; tap_done; }

rounds=200
mac=$(node 1 cat /sys/class/net/veth1/address)

talk()
{
	pingpong 1 10.77.0.2 -e rdm -S 64 -I $rounds
}

# IPv4 packets that the stack of node 1 has received (4) or sent (11)
packets()
{
	node 1 awk '$1 == "Ip:" && $2 + 0 { print $'"$1"' }' /proc/net/snmp
}

# Return: more packets than the handshakes and the program's own connection pass the stack.
passes()	# COLUMN
{
	before=$(packets "$1")
	talk && [ $(($(packets "$1") - before)) -ge $rounds ]
}

short()
{
	before=$(packets 4) out=$(packets 11)
	talk || return 1
	set -- $(($(packets 4) - before)) $(($(packets 11) - out))
	[ "$1" -lt $rounds ] && [ "$2" -lt $rounds ] ||
		{ echo "$1 packets in, $2 out of the stack"; return 1; }
}

rule()	# HOOK
{
	node 1 nft add table inet weft_test &&
		node 1 nft add chain inet weft_test c "{ type filter hook $1 priority 0; }"
}

no_rule()
{
	node 1 nft delete table inet weft_test
}

seen_in()
{
	rule "$1" && passes 4 && no_rule && short
}

seen_out()
{
	rule "$1" && passes 11 && no_rule && short
}

# A node that now has the port's device gets its packets first.
bridged()
{
	node 1 ip link add br_test type bridge && node 1 ip link set br_test up &&
		node 1 ip link set veth1 master br_test || return 1
	node 1 ip link set veth1 nomaster && node 1 ip link del br_test && short
}

new_mac()	# ADDRESS
{
	node 1 ip link set veth1 address "$1" &&
		node 0 ip neigh replace 10.77.0.2 lladdr "$1" dev veth0 nud reachable && talk
}

# Packets do not take a route without a destination, and come back later.
other_route()
{
	node 0 ip route add 10.77.0.2/32 dev veth0 mtu 1300 && talk &&
		node 0 ip route del 10.77.0.2/32 && talk
}

smaller()
{
	node 0 ip link set veth0 mtu 1280 && talk && node 0 ip link set veth0 mtu 1500 && talk
}

is_up()
{
	[ "$(node 0 cat /sys/class/weft/weft0/state)" = up ]
}

down_up()
{
	node 0 ip link set veth0 down && node 0 ip link set veth0 up &&
		node 0 ip addr replace fd77::1/64 dev veth0 nodad && vm_wait 10 is_up && talk
}

tap_run "messages go the short way" short
for hook in prerouting input; do
	tap_run "$hook: the rule sees what comes in" seen_in $hook
done
for hook in output postrouting; do
	tap_run "$hook: the rule sees what goes out" seen_out $hook
done
tap_run "the device goes to a bridge and comes back" bridged
tap_run "the neighbour has another Ethernet address" new_mac 02:00:00:00:77:02
tap_run "and its old one again" new_mac "$mac"
tap_run "another route, and the old one" other_route
tap_run "a smaller MTU, and the old one" smaller
tap_run "the device down and up" down_up
tap_done
