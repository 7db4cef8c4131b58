#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A port is removed in the middle of transfers: deleted, or with its device, or moved to another
# namespace. Its program ends with an error at once, and so does the other end if it can be told.
# All objects can be made again.
# TIMEOUT: 300

. "$VM_REPO/selftests/vm/lib.sh"

[ "$LINK" = veth ] || { tap_skip "traffic" "there is no veth link"; tap_done; }

devices()
{
	ip link add ve0 netns e0 type veth peer name ve1 netns e1 || return 1
	for i in 0 1; do
		ip -n e$i link set lo up
		ip -n e$i addr add 10.78.0.$((i + 1))/24 dev ve$i
		ip -n e$i link set ve$i up || return 1
	done
}

ports()
{
	for i in 0 1; do
		ip netns exec e$i weftctl port add ev$i netdev ve$i || return 1
	done
}

packets()
{
	ip netns exec e0 cat /sys/class/weft/ev0/counters/tx_packets
}

sent()	# NUMBER: at least so many packets
{
	[ "$(packets)" -ge "$1" ]
}

pair()	# TYPE: two programs that never end by themselves
{
	before=$(packets)
	ip netns exec e1 fi_pingpong -p weft -e "$1" -S 131072 -I 10000000 >/run/weft/b 2>&1 &
	b=$!
	vm_wait 20 vm_listening $b 47592 || return 1
	ip netns exec e0 fi_pingpong -p weft -e "$1" -S 131072 -I 10000000 10.78.0.2 \
		>/run/weft/a 2>&1 &
	a=$!
	vm_wait 30 sent $((before + 200))
}

gone()	# PID
{
	! kill -0 "$1"
}

ends()	# PID FILE: with an error
{
	vm_wait 30 gone "$1" || { echo "it did not end"; kill -9 "$1"; return 1; }
	wait "$1" && { echo "no error"; return 1; }
	cat "$2"
	grep -q error "$2"
}

refused()	# NODE PID: its port is not deleted while this program uses it
{
	said=$(ip netns exec e$1 weftctl port del ev$1 2>&1) && return 1
	echo "$said"
	echo "$said" | grep -q "process $2 (fi_pingpong) of user 0 has port ev$1 open, endpoints: [1-9]"
}

notices()	# NODE: paths of which the other node has said that they are gone
{
	ip netns exec e$1 cat /sys/class/weft/ev$1/counters/peer_gone
}

told()	# NODE PID FILE: its program has been told of the other port's end, not timed out
{
	ends "$2" "$3" && [ "$(notices "$1")" = $((noticed + 1)) ] && ! grep -qi "timed out" "$3"
}

over()
{
	kill -9 $a $b 2>/dev/null
	wait $a $b 2>/dev/null
	return 0
}

own_deleted()	# TYPE
{
	pair "$1" && refused 0 $a && noticed=$(notices 1) &&
		ip netns exec e0 weftctl port del ev0 force && ends $a /run/weft/a &&
		told 1 $b /run/weft/b && ip netns exec e0 weftctl port add ev0 netdev ve0
}

peer_deleted()	# TYPE
{
	pair "$1" && refused 1 $b && noticed=$(notices 0) &&
		ip netns exec e1 weftctl port del ev1 force && ends $b /run/weft/b &&
		told 0 $a /run/weft/a && ip netns exec e1 weftctl port add ev1 netdev ve1
}

device_deleted()
{
	pair "$1" && ip -n e0 link del ve0 && ends $a /run/weft/a && ends $b /run/weft/b &&
		[ ! -e /dev/weft/ev0 ] && [ ! -e /dev/weft/ev1 ] && devices && ports
}

device_moved()
{
	pair "$1" && ip -n e0 link set ve0 netns e1 && ends $a /run/weft/a || return 1
	over
	ip -n e1 link del ve1 && vm_wait 10 [ ! -e /dev/weft/ev1 ] && devices && ports
}

nothing_left()
{
	left=$(for i in 0 1; do
		ip netns exec e$i cat /sys/class/weft/ev$i/contexts \
			/sys/class/weft/ev$i/endpoints /sys/class/weft/ev$i/pinned_bytes
	done | sort -u)
	echo "$left"
	[ "$left" = 0 ]
}

ip netns add e0 && ip netns add e1 && devices && ports
for type in rdm msg; do
	for what in own_deleted peer_deleted device_deleted device_moved; do
		tap_run "$what, $type" $what $type
		over
	done
done
tap_run "nothing is left" vm_wait 10 nothing_left
ip netns del e0
ip netns del e1
vm_wait 10 [ ! -e /dev/weft/ev0 ]
tap_done
