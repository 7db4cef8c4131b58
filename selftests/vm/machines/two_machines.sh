#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Two virtual machines, joined by sockets: a vnet port in each, and beside it a plain NIC for the
# programs' side channel. Run on the host; the part "inside" runs in the machines.
# CHECK: all

runs="rdm:10.77.0.2: msg:10.77.0.2: rdm:fd77::2:-6"

# fi_pingpong of this machine's node, one after the other; a client waits until its server is there
inside()
{
	. "$VM_REPO/selftests/vm/lib.sh"
	for how in $runs; do
		type=${how%%:*} rest=${how#*:}
		six=${rest##*:} addr=${rest%:*}
		set -- timeout 100 fi_pingpong -p weft -c -e "$type" -I 5 $six
		[ "$1$NODE" = timeout1 ] || set -- "$@" "$addr"
		tries=0
		until node "$NODE" "$@" >/run/weft/out 2>&1; do
			cat /run/weft/out
			grep -q "Connection refused\|No route" /run/weft/out || return 1
			[ $((tries += 1)) -lt 300 ] || return 1
			sleep 0.1
		done
		cat /run/weft/out
		[ "$(grep -c '^[0-9]' /run/weft/out)" -ge 6 ] || return 1
	done
	node "$NODE" weftctl neigh show
	node "$NODE" weftctl neigh show | grep -q "state reachable\|state stale\|state probing"
}

if [ "${1-}" = inside ]; then
	NODE=$2
	inside
	exit
fi

here=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'kill $other 2>/dev/null; rm -rf "$dir"' EXIT
export VM_CPUS=1 VM_MEM=1G
VM_NET=listen:$dir/wire LINK=pair:1 "$here/run" \
	'bash selftests/vm/machines/two_machines.sh inside 1' \
	>"$dir/out1" 2>&1 &
other=$!
for ((i = 0; i < 600; i++)); do
	[ -S "$dir/wire" ] && [ -S "$dir/wire.ip" ] && break
	sleep 0.1
done
VM_NET=connect:$dir/wire LINK=pair:0 "$here/run" \
	'bash selftests/vm/machines/two_machines.sh inside 0' \
	>"$dir/out0" 2>&1
status0=$?
wait $other
status1=$?
other=
if [ $status0 = 0 ] && [ $status1 = 0 ]; then
	echo "ok 1 - fi_pingpong between two machines"
else
	sed 's/^/# /' "$dir/out0" "$dir/out1"
	echo "not ok 1 - fi_pingpong between two machines (status $status0, $status1)"
fi
echo 1..1
