#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Packets carry the DSCP of their class
#
# That holds for both ways out of a netdev port, and for a vnet port. The vnet port sets the
# priority in its VLAN tag, and a header with a valid checksum. With priorities off all values are
# 0. Rules at the receiving device count packets. Each class is a flow of its own for queueing
# disciplines.
# TIMEOUT: 300 NEEDS: nics

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"

[ "$LINK" = veth ] || { tap_skip "priorities" "there is no veth link"; tap_done; }
. "$VM_REPO/selftests/vm/tests/lib/vnet.sh"

# count NODE DEVICE IP|IP6: rules that count weft's packets
count()
{
	at=$1
	node "$1" nft -f - <<-EOT
		table netdev weft_test {
			counter first {}
			counter rest {}
			counter data {}
			counter other {}
			counter tag4 {}
			counter tag2 {}
			chain c {
				type filter hook ingress device "$2" priority 0;
				vlan pcp 4 counter name tag4
				vlan pcp 2 counter name tag2
				udp dport 9471 $3 dscp af41 counter name first
				udp dport 9471 $3 dscp af21 counter name rest
				udp dport 9471 $3 dscp cs0 counter name data
				udp dport 9471 $3 dscp != { af41, af21, cs0 } counter name other
			}
		}
	EOT
}

no_count()
{
	node $at nft delete table netdev weft_test
}

packets()	# COUNTER
{
	node $at nft list counter netdev weft_test "$1" | sed -n 's/.*packets \([0-9]*\).*/\1/p'
}

marks()
{
	echo "$(packets first) $(packets rest) $(packets data) $(packets other)"
}

# saw FIRST REST DATA: at least so many more of each than before; none where 0 is given, any where -
# is.
#
# (Packets of a run count as one. A busy machine announces more messages: they are DATA.)
saw()
{
	now=$(marks)
	echo "before: $was; after: $now"
	echo "$was $now $*" | awk '{
		for (i = 1; i <= 3; i++) {
			n = $(i + 4) - $i
			if ($(i + 8) == "0" ? n : n < $(i + 8) + 0)
				exit 1
		}
		exit $8 != $4
	}'
}

talk()	# ARGUMENTS...
{
	was=$(marks)
	pingpong "$peer" "$addr" $six "$@"
}

# Messages of one packet, of several, and announced ones
classes()
{
	talk -e rdm -S 64 -I 50 && saw 50 0 0 &&
		talk -e rdm -S 8192 -I 20 && saw 20 1 - &&
		talk -e rdm -S 1048576 -I 3 && saw 3 - 1
}

none()
{
	talk -e rdm -S 64 -I 50 && saw 0 0 50 && talk -e rdm -S 8192 -I 20 && saw 0 0 20 &&
		talk -e rdm -S 1048576 -I 3 && saw 0 0 3
}

set_to()	# NODE PORT on|off
{
	node "$1" weftctl port set "$2" priorities "$3" &&
		[ "$(node "$1" cat /sys/class/weft/"$2"/priorities)" = "$3" ] &&
		node "$1" weftctl port show "$2" | grep -q " priorities $3 " &&
		node "$1" weftctl -j port show "$2" | grep -q "\"priorities\":\"$3\""
}

refused()
{
	node 0 weftctl port set weft0 priorities maybe 2>&1 | grep "it must be on or off"
}

# Both ends have VLAN 7, whose tag has the priority as well
tagged()
{
	vnet_del 0 1 && ip -n e1 -batch - <<-EOT || return 1
		link add link wire name wire.7 type vlan id 7
		addr del 10.79.0.2/24 dev wire
		addr add 10.79.0.2/24 dev wire.7
		link set wire.7 up
		route replace 10.79.0.1/32 dev wire.7
	EOT
	node 3 weftctl port add ev1 netdev wire.7 addr 10.79.0.2 && vnet_port 0 vlan 7 &&
		talk -e rdm -S 8192 -I 20
}

tags()
{
	echo "$(packets tag4) with priority 4, $(packets tag2) with 2"
	[ "$(packets tag4)" -ge 20 ] && [ "$(packets tag2)" -ge 1 ]
}

no_tags()
{
	four=$(packets tag4) two=$(packets tag2)
	set_to 2 ev0 off && talk -e rdm -S 8192 -I 20 && [ "$(packets tag4)" = "$four" ] &&
		[ "$(packets tag2)" = "$two" ]
}

# The arguments for each port
ports_anew()
{
	for n in 0 1; do
		node $n weftctl port del weft$n && node $n weftctl port add weft$n netdev veth$n $1 ||
			return 1
		shift
	done
}

# By the flow's hash: bands 1 to 4 belong to its two upper bits, the fifth to packets other than UDP
by_hash()
{
	node 0 tc qdisc add dev veth0 root handle 1: prio bands 5 \
		priomap 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 &&
		node 0 tc filter add dev veth0 parent 1: pref 1 protocol ip \
			u32 match ip protocol 6 0xff classid 1:5 &&
		node 0 tc filter add dev veth0 parent 1: pref 2 protocol ip handle 1 \
			flow map key rxhash rshift 30 divisor 4 baseclass 1:1
}

bands()	# N: that many bands have packets
{
	node 0 tc -s class show dev veth0 | awk -v want="$1" '
		$1 == "class" { band = $3 }
		$1 == "Sent" && band != "1:5" { print band, $4; n += $4 > 0 }
		END { exit n != want }'
}

# Messages of all classes
mixed()
{
	pingpong 1 10.77.0.2 -e rdm -S 8192 -I 20 && pingpong 1 10.77.0.2 -e rdm -S 1048576 -I 1
}

alike()
{
	node 0 tc qdisc del dev veth0 root && set_to 0 weft0 off && by_hash && mixed && bands 1
}

as_before()
{
	node 0 tc qdisc del dev veth0 root && set_to 0 weft0 on
}

no_bad_sums()	# NODE: of headers
{
	node "$1" awk '$1 == "Ip:" && $2 + 0 { exit $5 != 0 }' /proc/net/snmp
}

peer=1 pp_from=0
for family in ip ip6; do
	addr=10.77.0.2 six=
	if [ $family = ip6 ]; then
		addr=fd77::2 six=-6
		tap_run "ports that have IPv6 alone" ports_anew "addr fd77::1" "addr fd77::2"
	fi
	count 1 veth1 $family || { tap_not_ok "rules"; tap_done; }
	tap_run "$family: packets are of three classes" classes
	tap_run "$family: priorities off" set_to 0 weft0 off
	tap_run "$family: packets have no priority" none
	tap_run "$family: priorities on" set_to 0 weft0 on
	tap_run "$family: packets are of three classes again" classes
	no_count
done
tap_run "ports as before" ports_anew "" ""
tap_run "a discipline that tells flows apart" by_hash
tap_run "messages of all classes" mixed
tap_run "each class is a flow of its own" bands 3
tap_run "priorities off: one flow" alike
tap_run "as before" as_before
tap_run "neither on nor off" refused
tap_run "sums are right" no_bad_sums 1

# The vnet port's packets arrive at a device of the IP stack
peer=3 addr=10.80.0.2 six= pp_from=2
vnet_nodes || { tap_not_ok "nodes"; tap_done; }
tap_run "an interface at the other end" vnet_other_end 1500
tap_run "a port that owns its NIC" vnet_port 0
count 3 wire ip
tap_run "vnet: packets are of three classes" classes
tap_run "vnet: priorities off" set_to 2 ev0 off
tap_run "vnet: packets have no priority" none
tap_run "vnet: a VLAN" tagged
tap_run "vnet: priorities in its tags" tags
tap_run "vnet: no priorities in its tags" no_tags
no_count
tap_run "nothing damaged" vnet_clean
vnet_del 0
vnet_end
rmmod virtio_net
tap_done
