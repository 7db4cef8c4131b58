#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# weftctl shows what waits and what there is while a port with programs is deleted and added, again
# and again: each list ends well, or says that the named port does not exist
# TIMEOUT: 240

. "$VM_REPO/selftests/vm/lib.sh"

rounds=8	# of all lists, and at least so many changes of the port
lists="recv msg flow hang ep"

# A node with a port of its own, for programs within it
node_begin()
{
	ip netns add vanish && ip -n vanish -batch - <<-EOT || return 1
		link set lo up
		addr add 10.78.0.1/32 dev lo
	EOT
	echo vanish >/run/weft/node2
}

node_end()
{
	ip netns del vanish
	rm -f /run/weft/node2 /run/weft/changes /run/weft/stop
}

has_endpoints()
{
	[ "$(node 2 weftctl ep show gone | wc -l)" -ge 2 ]
}

# One life of the port: two programs send to each other on it
live()
{
	node 2 weftctl port add gone loop addr 10.78.0.1 || return 1
	node 2 fi_pingpong -p weft -e rdm -I 100000000 >/dev/null 2>&1 &
	server=$!
	vm_wait 20 vm_listening $server 47592
	node 2 fi_pingpong -p weft -e rdm -I 100000000 10.78.0.1 >/dev/null 2>&1 &
	client=$!
	vm_wait 20 has_endpoints
	talked=$?
	node 2 weftctl port del gone force
	status=$?
	kill $server $client 2>/dev/null
	wait $server $client 2>/dev/null
	[ $talked = 0 ] && [ $status = 0 ]
}

# A line for each life, until it is told to stop
change()
{
	while [ ! -e /run/weft/stop ]; do
		live || { echo failed; break; }
		echo lived
	done >/run/weft/changes 2>&1
}

# shows WORDS: the list ends as it may. A named port may be missing.
shows()
{
	node 2 weftctl "$@" >/run/weft/out 2>/run/weft/err
	status=$?
	shown=$((shown + $(grep -c 'gone: ' /run/weft/out)))
	case $status.$* in
	0.*)
		! grep -v ': nothing ' /run/weft/err && return ;;
	2.*" show gone"*)
		missing=$((missing + 1))
		grep -q ' gone: no such port' /run/weft/err && [ "$(wc -l </run/weft/err)" = 1 ] &&
			return ;;
	esac
	echo "weftctl $*: status $status"
	cat /run/weft/out /run/weft/err
	return 1
}

enough()
{
	[ $1 -ge $rounds ] && [ "$(grep -c lived /run/weft/changes)" -ge $rounds ] ||
		grep -q failed /run/weft/changes
}

all_lists()
{
	shown=0 missing=0 round=0 ok=0
	rm -f /run/weft/stop
	: >/run/weft/changes
	change &
	changer=$!
	until enough $round || [ $ok != 0 ]; do
		for list in $lists; do
			case $list in hang) filter="age 0" ;; *) filter="" ;; esac
			shows $list show $filter && shows $list show gone $filter ||
				{ ok=1; break; }
		done
		round=$((round + 1))
	done
	touch /run/weft/stop
	wait $changer
	lived=$(grep -c lived /run/weft/changes)
	echo "$round rounds, the port lived $lived times; objects shown: $shown, lists without" \
		"the port: $missing"
	grep -v lived /run/weft/changes
	[ $ok = 0 ] && [ "$lived" -ge $rounds ] && [ $shown -gt 0 ] && [ $missing -gt 0 ]
}

node_begin
tap_run "lists of a port that goes and comes" all_lists
node_end
tap_done
