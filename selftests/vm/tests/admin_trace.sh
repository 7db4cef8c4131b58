#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The tracepoints are there, and tell of packets.

. "$VM_REPO/selftests/vm/lib.sh"

tracing=/sys/kernel/tracing
events=$tracing/events/weft

there()
{
	for e in weft_post weft_tx weft_rx weft_match weft_complete; do
		[ -d $events/$e ] || { echo "no $e"; return 1; }
	done
}

packets()
{
	echo >$tracing/trace
	echo 1 >$events/enable || return 1
	"$VM_BUILD/selftests/port_wire" "hello$1"
	status=$?
	echo 0 >$events/enable
	grep weft_ $tracing/trace
	[ $status = 0 ] &&
		grep -q "weft_rx: weft1 from $2:9471 type 0x11 .*len 88" $tracing/trace &&
		grep -q "weft_tx: weft1 to $2:9471 .*len 88 packets 1" $tracing/trace
}

tap_run "all are there" there
if [ "$LINK" = veth ]; then
	tap_run "packets, IPv4" packets 4 '10\.77\.0\.1'
	tap_run "packets, IPv6" packets 6 '\[fd77::1\]'
fi
tap_done
