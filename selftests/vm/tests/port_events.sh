#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A netdev port while a program has it open. Its device goes down and up, gets another MTU, name or
# addresses, moves to another namespace or is deleted; the namespace is deleted, too.
# TIMEOUT: 200

. "$VM_REPO/selftests/vm/lib.sh"

[ "$LINK" = veth ] || { tap_skip "events" "there is no veth link"; tap_done; }

# A pair of devices of the test's own, so that the nodes stay as they are.
make_pair()
{
	ip netns add e0 && ip netns add e1 &&
		ip link add ve0 netns e0 type veth peer name ve1 netns e1 &&
		for i in 0 1; do
			ip -n e$i link set lo up
			ip -n e$i addr add 10.78.0.$((i + 1))/24 dev ve$i
			ip -n e$i addr add fd78::$((i + 1))/64 dev ve$i nodad
			ip -n e$i link set ve$i up
		done
	for i in 0 1; do
		ip netns exec e$i weftctl port add ev$i netdev ve$i || return 1
	done
}

attr()	# ATTRIBUTE: of port ev0
{
	ip netns exec e0 cat "/sys/class/weft/ev0/$1"
}

is()	# ATTRIBUTE VALUE
{
	[ "$(attr "$1")" = "$2" ]
}

becomes()	# ATTRIBUTE VALUE
{
	vm_wait 10 is "$@" || { echo "$1 is $(attr "$1")"; return 1; }
}

no_port()	# NAME
{
	[ ! -e "/dev/weft/$1" ]
}

# hold NAMESPACE PORT: a program that has it open. (It must not become another one: the context of
# an address space that has ended is gone.)
hold()
{
	rm -f /run/weft/ev_held
	ip netns exec "$1" sh -c "exec 5<>/dev/weft/$2; echo >/run/weft/ev_held
		while :; do sleep 0.1; done" &
	pid=$!
	vm_wait 10 [ -e /run/weft/ev_held ]
}

let_go()
{
	kill $pid && { wait $pid; :; }
}

down_up()
{
	ip -n e0 link set ve0 down && becomes state down &&
		ip -n e0 link set ve0 up && becomes state up
}

carrier()
{
	ip -n e1 link set ve1 down && becomes state down &&
		ip -n e1 link set ve1 up && becomes state up
}

addresses()
{
	ip -n e0 addr flush dev ve0 scope global && becomes state down &&
		ip -n e0 addr add 10.78.0.1/24 dev ve0 && becomes state up &&
		ip -n e0 addr add fd78::1/64 dev ve0 nodad
}

mtu()
{
	ip -n e0 link set ve0 mtu 9000 && becomes mtu 9000 && is state up &&
		ip -n e0 link set ve0 mtu 1279 && becomes state down &&
		ip -n e0 link set ve0 mtu 1500 && becomes state up &&
		ip -n e0 addr replace fd78::1/64 dev ve0 nodad
}

rename_dev()
{
	ip -n e0 link set ve0 down && ip -n e0 link set ve0 name other &&
		ip -n e0 link set other up && becomes netdev other && becomes state up &&
		ip -n e0 link set other down && ip -n e0 link set other name ve0 &&
		ip -n e0 link set ve0 up && becomes netdev ve0 && becomes state up
}

move()
{
	hold e0 ev0 && ip -n e0 link set ve0 netns e1 && vm_wait 10 no_port ev0 && let_go &&
		ip -n e1 link set ve0 netns e0
}

device_deleted()
{
	hold e1 ev1 && ip -n e1 link del ve1 && vm_wait 10 no_port ev1 && let_go
}

netns_deleted()
{
	ip -n e0 link add ve0 type veth peer name ve1 netns e1 &&
		ip -n e0 addr add 10.78.0.1/24 dev ve0 && ip -n e0 link set ve0 up &&
		ip netns exec e0 weftctl port add ev0 netdev ve0 &&
		ip netns exec e0 weftctl port add ev2 loop addr 10.78.0.9 || return 1
	ip netns del e0 && vm_wait 10 no_port ev0 && vm_wait 10 no_port ev2
}

# The namespace lives as long as a process is in it.
netns_held()
{
	ip netns add e0 && ip netns exec e0 weftctl port add ev0 loop addr 10.78.0.1 &&
		hold e0 ev0 && ip netns del e0 && [ -e /dev/weft/ev0 ] && let_go &&
		vm_wait 20 no_port ev0
}

in_use()
{
	hold e1 ev3 || return 1
	said=$(ip netns exec e1 weftctl port del ev3 2>&1) && { echo "deleted"; return 1; }
	echo "$said"
	echo "$said" | grep -q "programs use the port; end them, or add the word force" &&
		echo "$said" | grep -q "process $pid (sh) of user 0 has port ev3 open, endpoints: 0" &&
		[ -e /dev/weft/ev3 ] && ip netns exec e1 weftctl port del ev3 force && no_port ev3 &&
		ip netns exec e1 weftctl port add ev3 loop addr 10.78.0.2 && let_go &&
		ip netns exec e1 weftctl port del ev3
}

tap_run "two namespaces of our own" make_pair
tap_run "device down and up" down_up
tap_run "carrier lost and back" carrier
tap_run "addresses removed and back" addresses
tap_run "other MTU" mtu
tap_run "other name" rename_dev
tap_run "device moves to another namespace, port open" move
tap_run "device deleted, port open" device_deleted
tap_run "namespace deleted" netns_deleted
tap_run "namespace deleted, port open" netns_held
ip netns exec e1 weftctl port add ev3 loop addr 10.78.0.2 || :
tap_run "port deleted while open, and made again" in_use
ip netns del e1
tap_done
