#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# "weftctl path probe": a new path and one that is there, loss in each direction, a node that does
# not answer, a second probe, and what ends a probe
# LINKS: vnet
# TIMEOUT: 180

. "$VM_REPO/selftests/vm/lib.sh"

[ "$LINK" != loop ] || { tap_skip "probes" "there is one node"; tap_done; }

# probe STATUS WORDS...: "weftctl [-j] path probe" on node 0, whose output is in $said then
probe()
{
	want=$1 json=
	shift
	[ "$1" != -j ] || { json=-j; shift; }
	said=$(node 0 weftctl $json path probe "$@" 2>&1)
	status=$?
	[ $status = "$want" ] && return
	echo "$*: $status"
	echo "$said"
	return 1
}

# told WORDS...: each is in the output
told()
{
	for w; do
		echo "$said" | grep -q -e "$w" && continue
		echo "no \"$w\" in:"
		echo "$said"
		return 1
	done
}

# member NAME: its number in the output, which is JSON
member()
{
	echo "$said" | sed -n "s/.*\"$1\":\([0-9][0-9]*\).*/\1/p"
}

answered()	# prints the counter of node 1
{
	node 1 cat /sys/class/weft/weft1/counters/probes_answered
}

forget()	# ADDRESS: without a path
{
	node 0 weftctl path show | grep -q "path $1 " || return 0
	node 0 weftctl path del weft0 "$1" force
}

ms="[0-9][0-9]*\.[0-9][0-9][0-9]"

# text, of a path that is made, and then is there
text()
{
	before=$(answered)
	forget "$1" && probe 0 weft0 "$1" || return 1
	told "^probing the path of weft0 to $1: 100 packets of 64 bytes, one each 10 ms; it touches" \
		"^handshake $ms ms$" "^100 packets sent, 100 came to the node, 100 answers came" \
		"^loss 0.0 % to the node, 0.0 % from the node$" \
		"^rtt min/avg/max/dev $ms/$ms/$ms/$ms ms$" "^max_payload [1-9][0-9]* bytes$" &&
		[ $(($(answered) - before)) = 100 ] || return 1
	probe 0 weft0 "$1" cou 20 int 1 si 1000 &&
		told "20 packets of 1000 bytes, one each 1 ms" "^no handshake: the path was there$" \
			"^20 packets sent, 20 came" &&
		[ $(($(answered) - before)) = 120 ]
}

# JSON: the times are in order, and the largest packet is that of the path
in_json()
{
	forget "$1" && probe 0 -j weft0 "$1" count 50 interval 2 || return 1
	told "^\[{\"port\":\"weft0\",\"path\":\"$1\",\"count\":50,\"interval_ms\":2,\"size\":64," &&
		[ "$(member sent) $(member answers) $(member lost)" = "50 50 0" ] &&
		[ "$(member lost_to) $(member lost_from) $(member unanswered)" = "0 0 0" ] &&
		[ "$(member handshake_ns)" -gt 0 ] && [ "$(member rtt_min_ns)" -gt 0 ] &&
		[ "$(member rtt_min_ns)" -le "$(member rtt_avg_ns)" ] &&
		[ "$(member rtt_avg_ns)" -le "$(member rtt_max_ns)" ] &&
		[ "$(member rtt_dev_ns)" -le "$(member rtt_max_ns)" ] || { echo "$said"; return 1; }
	node 0 weftctl -j path show | grep "\"path\":\"$1\".*\"max_payload\":$(member max_payload)" &&
		probe 0 -j weft0 "$1" count 1 && [ -z "$(member handshake_ns)" ] &&
		[ "$(member answers)" = 1 ]
}

sizes()
{
	probe 0 -j weft0 10.77.0.2 || return 1
	most=$(member max_payload)
	probe 0 weft0 10.77.0.2 size "$most" count 10 && told "^10 packets sent, 10 came" &&
		probe 2 weft0 10.77.0.2 size $((most + 1)) &&
		told "does not carry packets of this size" && ! told "packets sent" >/dev/null
}

# No node has the address: the handshake ends, at its limit.
nobody()
{
	node 0 weftctl limit set weft0 connect-ms 1000 || return 1
	probe 2 weft0 "$1" && told "^weftctl: path probe weft0 $1: no path: the handshake timed out"
	status=$?
	[ $status = 0 ] && probe 2 -j weft0 "$1" &&
		told "\"sent\":0,.*\"error\":\"no path: the handshake timed out"
	status=$?
	node 0 weftctl limit set weft0 connect-ms 5000 && return $status
}

refused()
{
	probe 2 weft0 10.77.0.1 && told "this is an address of the port itself" &&
		probe 2 nosuch 10.77.0.2 && told "no such port" &&
		probe 2 weft0 224.0.0.1 && told "name a unicast address" &&
		probe 1 weft0 10.77 && told "is no IPv4 or IPv6 address" &&
		probe 1 weft0 10.77.0.2 count 0 && told "no number of packets" &&
		probe 1 weft0 10.77.0.2 interval 60001 && told "from 1 to 60000" &&
		probe 1 weft0 10.77.0.2 sice 100 && told 'did you mean "size"' &&
		probe 1 weft0 10.77.0.2 size && told "size needs a value" &&
		probe 1 weft0 && told "needs a port and an address" || return 1
	said=$(node 0 setpriv --reuid 1990 --regid 1990 --clear-groups weftctl path probe weft0 \
		10.77.0.2 2>&1)
	[ $? = 2 ] && told "not permitted"
}

# long_probe: one that does not end soon, and runs
long_probe()
{
	before=$(answered)
	# (a shell starts programs in the background without SIGINT)
	node 0 env --default-signal=INT weftctl path probe weft0 10.77.0.2 count 60000 \
		interval 20 >/run/weft/long 2>&1 &
	long=$!
	vm_wait 20 answers $((before + 5))
}

answers()
{
	[ "$(answered)" -gt "$1" ]
}

# A path has one probe; an interrupt ends it, and prints what it has found.
one()
{
	long_probe && probe 2 weft0 10.77.0.2 && told "the path is being probed" &&
		pkill_long INT || return 1
	said=$(cat /run/weft/long)
	told "^[1-9][0-9]* packets sent, [1-9]" "^rtt min/avg/max/dev" &&
		probe 0 weft0 10.77.0.2 count 5
}

free()
{
	node 0 weftctl path probe weft0 10.77.0.2 count 1 >/dev/null 2>&1
}

# A killed weftctl: the kernel ends its probe.
killed()
{
	long_probe && pkill_long KILL || return 1
	! free && vm_wait 40 free
}

# The command that runs in the namespace of node 0
pkill_long()	# SIGNAL
{
	for pid in /proc/[0-9]*; do
		tr '\0' ' ' <$pid/cmdline 2>/dev/null | grep -q "^weftctl path probe.*60000" &&
			kill -$1 "${pid#/proc/}" && break
	done
	wait $long 2>/dev/null
	return 0
}

deleted()
{
	long_probe && node 0 weftctl path del weft0 10.77.0.2 force || return 1
	wait $long
	[ $? = 2 ] || return 1
	said=$(cat /run/weft/long)
	told "^[1-9][0-9]* packets sent" "the path was deleted here"
}

# The answers of node 1 are lost, some or all: packets to it are not.
one_way()
{
	probe 0 weft0 10.77.0.2 count 1 &&
		node 1 tc qdisc add dev veth1 root netem loss 30% || return 1
	probe 0 -j weft0 10.77.0.2 count 300 interval 1
	status=$?
	node 1 tc qdisc replace dev veth1 root netem loss 100%
	if [ -n "$(member lost_to)" ]; then
		[ "$(member lost_to)" = 0 ] && [ "$(member lost_from)" -gt 20 ] || status=1
	fi
	[ "$(member lost)" -gt 20 ] && [ "$(member lost)" -lt 200 ] || status=1
	echo "$said"
	[ $status = 0 ] && probe 2 weft0 10.77.0.2 count 10 &&
		told "10 packets sent, 0 answers" "no answer came: in which direction" \
			"weft0 10.77.0.2: the node is silent"
	status=$?
	node 1 tc qdisc del dev veth1 root && return $status
}

# Another pair of ports, which goes while its path is probed
port_gone()
{
	node 0 weftctl port add pa netdev veth0 udp 9999 &&
		node 1 weftctl port add pb netdev veth1 udp 9999 || return 1
	node 0 weftctl path probe pa 10.77.0.2 count 60000 interval 5 >/run/weft/long 2>&1 &
	long=$!
	vm_wait 20 counted && node 0 weftctl port del pa && wait $long
	status=$?
	said=$(cat /run/weft/long)
	node 1 weftctl port del pb && [ $status = 2 ] && told "no such port"
}

counted()
{
	[ "$(node 1 cat /sys/class/weft/pb/counters/probes_answered)" -gt 5 ]
}

tap_run "text" text 10.77.0.2
tap_run "text, IPv6" text fd77::2
tap_run "JSON" in_json 10.77.0.2
tap_run "JSON, IPv6" in_json fd77::2
tap_run "long packets" sizes
tap_run "an address that no node has" nobody 10.77.0.99
tap_run "an address that no node has, IPv6" nobody fd77::99
tap_run "what is refused" refused
tap_run "one probe of a path, and an interrupt" one
tap_run "weftctl is killed" killed
tap_run "the path is deleted" deleted
if [ "$LINK" = veth ]; then
	tap_run "loss in one direction" one_way
	tap_run "the port is deleted" port_gone
fi
tap_done
