#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Settings of an engine, valid and invalid. Ports, their namespace and the module go while the
# engine polls, with traffic and without.
# TIMEOUT: 200 NEEDS: reload

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"

attr()	# ATTRIBUTE
{
	node 0 cat "/sys/class/weft/weft0/$1"
}

is()	# ENGINE CPU IDLE: as sysfs and weftctl tell
{
	shown=$(node 0 weftctl port show weft0)
	echo "$shown"
	[ "$(attr engine) $(attr engine_cpu) $(attr engine_idle_us)" = "$1 $2 $3" ] || return 1
	case $shown in
	*" engine $1 cpu $2 idle_us $3 "*) ;;
	*" engine $1 idle_us $3 "*) [ "$2" = any ] ;;
	*) return 1 ;;
	esac
}

set_to()	# WORDS...
{
	node 0 weftctl port set weft0 "$@"
}

# what can be set of the port: numbers of its objects change by themselves
settings()
{
	node 0 weftctl port show weft0 | sed 's/ hot [0-9]*//;s/ ctx [0-9].*//'
}

refuses()	# WORDS COMMAND...
{
	before=$(settings)
	tap_refused "$@" && [ "$(settings)" = "$before" ]
}

wrong()
{
	refuses "is no engine" set_to engine fast &&
		refuses "no such CPU" set_to engine poll cpu 4000 &&
		refuses "from 1 to" set_to idle-us 0 &&
		refuses "no such port" node 0 weftctl port set other engine poll &&
		refuses "not permitted" node 0 setpriv --reuid 1990 --regid 1990 --clear-groups \
			weftctl port set weft0 engine poll
}

threads()	# number of polling engines
{
	cat /proc/[0-9]*/comm 2>/dev/null | grep -c '^weft/weft'
}

bound()	# CPU of weft0's thread
{
	for comm in /proc/[0-9]*/comm; do
		grep -qx 'weft/weft0:0' "$comm" 2>/dev/null || continue
		grep -q "^Cpus_allowed_list:[[:space:]]*$1\$" "${comm%comm}status"
		return
	done
	return 1
}

two_endpoints()
{
	[ "$(attr endpoints)" = 2 ]
}

deleted_under_traffic()
{
	node 0 fi_pingpong -p weft -e rdm -I 1000000 &
	server=$!
	vm_wait 20 vm_listening $server 47592 || return 1
	node 0 fi_pingpong -p weft -e rdm -I 1000000 "$addr" &
	client=$!
	vm_wait 20 two_endpoints || return 1
	node 0 weftctl port del weft0 force || return 1
	wait $client
	kill $server 2>/dev/null
	wait $server
	[ "$(threads)" = 0 ]
}

again()
{
	if [ "$LINK" = loop ]; then
		vm_port 0 weft0 loop addr 10.77.0.1
	else
		vm_port 0 weft0 netdev veth0
	fi
}

gone()
{
	rmmod weft && [ ! -e /sys/module/weft ] && [ "$(threads)" = 0 ]
}

loaded()
{
	vm_load && again || return 1
	[ "$LINK" = loop ] || vm_port 1 weft1 netdev veth1
}

namespace()
{
	ip netns add e0 && ip -n e0 link set lo up &&
		ip netns exec e0 weftctl port add weft9 loop addr 10.9.9.9 &&
		ip netns exec e0 weftctl port set weft9 engine poll || return 1
	[ "$(threads)" = 1 ] || return 1
	ip netns del e0
	vm_wait 10 [ ! -e /dev/weft/weft9 ] && [ "$(threads)" = 0 ]
}

addr=10.77.0.1
tap_run "a port begins inline" is inline any 100
tap_run "wrong settings are refused" wrong
tap_run "poll" set_to engine poll
tap_run "it is shown" is poll any 100
tap_run "a thread polls" [ "$(threads)" = 1 ]
tap_run "on a CPU" set_to cpu 1 idle-us 2000
tap_run "it is shown, too" is poll 1 2000
tap_run "the thread is there" bound 1
tap_run "traffic" pingpong 0 $addr -e rdm -I 10
tap_run "a port is deleted under traffic" deleted_under_traffic
tap_run "a new one is inline" again
tap_run "and says so" is inline any 100
tap_run "a namespace goes while its port polls" namespace
tap_run "poll again" set_to engine poll
tap_run "the module goes while a port polls" gone
tap_run "and comes back" loaded
tap_done
