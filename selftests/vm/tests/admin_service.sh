#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The commands of weft.service, in a network namespace of their own: start, reload of a changed
# file, a stop that is refused because a program has a port open, a stop.
# TIMEOUT: 120

. "$VM_REPO/selftests/vm/lib.sh"

conf=/run/weft/service.conf state=/run/weft/service.state

# does WHAT: the commands of weftctl that the service has for it
does()
{
	sed -n "s,^Exec$1=@PREFIX@/bin/weftctl,weftctl,p" "$VM_REPO/weft.service" |
		sed "s,/etc/weft.conf,$conf,;s,/run/weft.state,$state," >/run/weft/commands
	[ "$(wc -l </run/weft/commands)" = 1 ] || { echo "no command for $1"; return 1; }
	ip netns exec svc sh /run/weft/commands >/run/weft/said 2>&1
	status=$?
	cat /run/weft/said
	return $status
}

ports()
{
	ip netns exec svc weftctl port show | sed 's/:.*//' | tr '\n' ' '
}

start()
{
	printf 'port add sv0 loop addr 10.78.0.1\nport add sv1 loop addr 10.78.0.2\n' >$conf
	echo "limit set sv0 paths 77" >>$conf
	does Start && [ "$(ports)" = "sv0 sv1 " ] && [ "$(grep -c '^+ ' /run/weft/said)" = 3 ]
}

again()
{
	does Reload && [ ! -s /run/weft/said ] && [ "$(ports)" = "sv0 sv1 " ]
}

changed()
{
	printf 'port add sv0 loop addr 10.78.0.1\nport add sv2 loop addr 10.78.0.2\n' >$conf
	echo "limit set sv0 paths 78" >>$conf
	does Reload && [ "$(ports)" = "sv0 sv2 " ] && grep -q '^- port del sv1$' /run/weft/said &&
		ip netns exec svc weftctl limit show sv0 | grep -q 'limit paths value 78 '
}

in_use()
{
	ip netns exec svc sh -c 'exec 3<>/dev/weft/sv2; echo >/run/weft/holder
		while :; do sleep 0.1; done' &
	holder=$!
	vm_wait 10 [ -e /run/weft/holder ] || return 1
	! does Stop && [ "$(ports)" = "sv0 sv2 " ] &&
		grep -q "process $holder (.*) of user 0 has port sv2 open" /run/weft/said &&
		grep -q "no port is deleted" /run/weft/said
}

stop()
{
	kill $holder
	wait $holder
	does Stop && [ -z "$(ports)" ]
}

trap 'ip netns del svc' EXIT
ip netns add svc && ip -n svc link set lo up && ip -n svc addr add 10.78.0.1/32 dev lo &&
	ip -n svc addr add 10.78.0.2/32 dev lo || exit 1
tap_run "start" start
tap_run "reload without a change" again
tap_run "reload of a changed file" changed
tap_run "a stop is refused while a program has a port open" in_use
tap_run "stop" stop
tap_done
