#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# weftctl event and monitor: what has happened to a port is told once, with its cause, afterwards
# and while it happens
# TIMEOUT: 300

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"

events()	# ARGUMENTS...: without times
{
	node 0 weftctl event show "$@" >/run/weft/timed || return 1
	sed 's/^[-0-9T:.+]* //; s/ last [-0-9T:.+]* / /' /run/weft/timed >/run/weft/events
	cat /run/weft/events
}

life()
{
	node 0 weftctl port add extra loop addr 10.79.0.1 && node 0 weftctl port del extra &&
		events extra && printf 'extra: port-added\nextra: port-deleted\n' |
		cmp - /run/weft/events || return 1
	# a port of this name goes on with the same history; one that never worked has none
	! node 0 weftctl port add extra netdev nosuch0 &&
		node 0 weftctl port add extra loop addr 10.79.0.1 && events extra &&
		printf 'extra: port-added\nextra: port-deleted\nextra: port-added\n' |
		cmp - /run/weft/events && node 0 weftctl port del extra || return 1
	! node 0 weftctl port add worthless netdev nosuch0 && ! events worthless
}

# 20 ports that are gone: the history of the last 16 stays
forgotten()
{
	for i in $(seq 20); do
		node 0 weftctl port add old$i loop addr 10.79.0.1 && node 0 weftctl port del old$i ||
			return 1
	done
	events && [ "$(grep -c '^old[0-9]*: port-deleted' /run/weft/events)" = 16 ] &&
		grep -q '^old20: ' /run/weft/events && ! grep -q '^old4: ' /run/weft/events &&
		grep -q '^weft0: port-added' /run/weft/events
}

paths()
{
	pingpong 1 10.77.0.2 -e rdm -S 64 -I 2 && events weft0 peer 10.77.0.2 event path-up &&
		grep '^weft0: path-up peer 10.77.0.2 .*why the node has answered' /run/weft/events &&
		node 0 weftctl path show weft0 | tee /run/weft/paths &&
		sed 's/ [0-9]* / N /g' /run/weft/paths |
		grep '^weft0: path 10.77.0.2 state [a-z]* age_ms N heard_ms N srtt_ns N rttvar_ns N '
}

restarted()
{
	node 1 weftctl port del weft1 force || return 1
	vm_node_port 1 && pingpong 1 10.77.0.2 -e rdm -S 64 -I 2 && events weft0 peer 10.77.0.2 &&
		grep -E '^weft0: (path-down peer 10.77.0.2 errno 104|peer-restarted peer)' \
			/run/weft/events
}

as_user()	# COMMAND...: of a user that may open ports
{
	node 0 setpriv --reuid 1990 --regid 1990 --groups "$(getent group weft | cut -d: -f3)" "$@"
}

limits()
{
	node 0 weftctl limit set weft0 contexts-user 1 || return 1
	! as_user sh -c 'exec 3<>/dev/weft/weft0 && exec 4<>/dev/weft/weft0'
	status=$?
	node 0 weftctl limit set weft0 contexts-user 1024
	[ $status = 0 ] && events weft0 event limit-reached &&
		grep '^weft0: limit-reached limit limit_contexts uid 1990 ' /run/weft/events &&
		dmesg | grep 'weft0: limit-reached limit_contexts by user 1990: '
}

# Set the device down and up. IPv6 addresses are lost by that, so this one is added again.
toggle()
{
	node 0 ip link set veth0 down && node 0 ip link set veth0 up &&
		node 0 ip addr add fd77::1/64 dev veth0 nodad
}

is_up()
{
	node 0 weftctl port show weft0 | grep -q 'state up'
}

links()
{
	toggle && vm_wait 10 is_up && events weft0 &&
		sed -n '/link-down/,$p' /run/weft/events | grep -A1 'link-down' |
		tail -n 1 | grep -q '^weft0: link-up'
}

json()
{
	node 0 weftctl -j event show weft0 >/run/weft/json && cat /run/weft/json &&
		grep -E '^\[\{"time":"20[-0-9T:.+]*","port":"weft0","event":"port-added"\},' \
			/run/weft/json
}

wrong()
{
	! node 0 weftctl event show nosuch 2>/run/weft/said &&
		grep 'no port of this name has events' /run/weft/said &&
		! node 0 weftctl event show peer 2>/run/weft/said &&
		grep 'a value is missing after "peer"' /run/weft/said &&
		! node 0 weftctl event show weft0 last never 2>/run/weft/said &&
		grep '"last never" is not understood' /run/weft/said &&
		node 0 weftctl event show weft0 event device-gone 2>/run/weft/said &&
		grep 'nothing matches' /run/weft/said
}

# unknown KIND COMMAND...: it is refused with exit status 1, and link-down is proposed
unknown()
{
	kind=$1
	shift
	node 0 timeout 20 weftctl "$@" event "$kind" 2>/run/weft/said
	status=$?
	cat /run/weft/said
	[ $status = 1 ] && grep -q "no kind of event \"$kind\"" /run/weft/said &&
		{ [ "$kind" = nosuch ] || grep -q 'did you mean "link-down"?' /run/weft/said; }
}

kinds()
{
	unknown linkdown monitor && unknown linkdown monitor weft0 count 1 &&
		unknown linkdown event show weft0 && unknown nosuch event show &&
		unknown nosuch monitor
}

# A port that is not there may come.
later()
{
	monitor monitor wefto count 1 || return 1
	said='^weftctl: monitor: there is no port "wefto" now; .*"weft0"?$'
	vm_wait 20 grep -q "$said" /run/weft/monitor_said &&
		node 0 weftctl port add wefto loop addr 10.79.0.1 || return 1
	wait $monitor || return 1
	node 0 weftctl port del wefto
	grep -q ' wefto: port-added$' /run/weft/monitored || return 1
	# of one that is there nothing is said
	monitor monitor weft0 event link-down count 1 && toggle && wait $monitor &&
		cat /run/weft/monitor_said && ! grep . /run/weft/monitor_said
}

# A program listens to a group of generic netlink.
listening()
{
	node 0 cat /proc/net/netlink | awk '$2 == 16 && $4 != "00000000" { n++ } END { exit !n }'
}

# monitor ARGUMENTS...: in the background, as $monitor; its output is in /run/weft/monitored
monitor()
{
	node 0 weftctl "$@" >/run/weft/monitored 2>/run/weft/monitor_said &
	monitor=$!
	vm_wait 20 listening
}

monitored()
{
	monitor monitor count 2 || return 1
	node 0 weftctl port add extra loop addr 10.79.0.1 && node 0 weftctl port del extra
	wait $monitor || return 1
	cat /run/weft/monitored
	sed 's/^[-0-9T:.+]* //' /run/weft/monitored >/run/weft/events
	printf 'extra: port-added\nextra: port-deleted\n' | cmp - /run/weft/events
}

monitored_json()
{
	monitor -j monitor weft0 event link-down count 1 || return 1
	node 0 weftctl port add extra loop addr 10.79.0.1 && node 0 weftctl port del extra
	toggle
	wait $monitor || return 1
	cat /run/weft/monitored
	[ "$(grep -c . /run/weft/monitored)" = 1 ] &&
		grep '^{"time":"[^"]*","port":"weft0","event":"link-down",' /run/weft/monitored
}

# A listener that does not read loses events, and is told how many; the rest is right. Its buffer is
# small, so that few events suffice.
slow()
{
	room=$(sysctl -n net.core.rmem_max)
	sysctl -q net.core.rmem_max=2304
	monitor monitor slow
	status=$?
	sysctl -q net.core.rmem_max="$room"
	weftctl_pid=$(pgrep -n -x weftctl) && [ $status = 0 ] && kill -STOP "$weftctl_pid" || return 1
	for i in $(seq 10); do
		node 0 weftctl port add slow loop addr 10.79.0.1 && node 0 weftctl port del slow
	done
	kill -CONT "$weftctl_pid"
	# the next event tells
	node 0 weftctl port add slow loop addr 10.79.0.1
	vm_wait 30 grep -q '^slow: lost [0-9]*$' /run/weft/monitored
	status=$?
	kill "$weftctl_pid"
	wait $monitor 2>/dev/null
	node 0 weftctl port del slow
	cat /run/weft/monitored
	# none is missing: those that are shown and those that are lost
	[ $status = 0 ] && [ "$(awk '$2 == "lost" { n += $3 } $2 == "slow:" { n++ }
		END { print n }' /run/weft/monitored)" = 21 ]
}

unprivileged()
{
	! node 0 timeout 20 setpriv --reuid 1000 --regid 1000 --clear-groups weftctl monitor \
		2>/run/weft/said
	cat /run/weft/said
	grep -q 'not permitted' /run/weft/said &&
		node 0 setpriv --reuid 1000 --regid 1000 --clear-groups weftctl event show weft0 \
			>/run/weft/events &&
		grep 'path-up' /run/weft/events && ! grep ' uid 1990' /run/weft/events
}

tap_run "port added and deleted" life
tap_run "ports that are gone" forgotten
tap_run "paths" paths
tap_run "a peer that restarts" restarted
tap_run "limits, and by whom" limits
tap_run "the link" links
tap_run "JSON" json
tap_run "wrong arguments" wrong
tap_run "kinds that there are not" kinds
tap_run "monitor" monitored
tap_run "monitor for a port that comes later" later
tap_run "monitor, JSON and filters" monitored_json
tap_run "monitor that is too slow" slow
tap_run "without rights" unprivileged
tap_done
