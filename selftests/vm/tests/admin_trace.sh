#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The tracepoints exist, and report packets and the steps of messages.
# TIMEOUT: 120

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"

tracing=/sys/kernel/tracing
events=$tracing/events/weft

there()
{
	for e in weft_post weft_tx weft_rx weft_match weft_complete weft_rma_denied; do
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
		grep -q "weft_rx: weft1 from $2:9471 type 0x41 .*len 88" $tracing/trace &&
		grep -q "weft_tx: weft1 to $2:9471 .*len 88 packets 1" $tracing/trace
}

# 64 bytes: a send and a receive of each, posted, matched, completed
messages()
{
	echo >$tracing/trace
	echo 1 >$events/enable || return 1
	pingpong 0 10.77.0.1 -e rdm -m tagged -S 64 -I 2
	status=$?
	echo 0 >$events/enable
	for e in 'weft_post: .* len 64 what 2$' 'weft_post: .* what 258$' \
		 'weft_match: .* len 64 what [01]$' 'weft_complete: .* len 64 what 0$'; do
		grep -q "$e" $tracing/trace || { echo "nothing like: $e"; status=1; }
	done
	[ $status = 0 ] || grep weft_ $tracing/trace | tail -n 40
	return $status
}

tap_run "all are there" there
tap_run "messages" messages
if [ "$LINK" = veth ]; then
	tap_run "packets, IPv4" packets 4 '10\.77\.0\.1'
	tap_run "packets, IPv6" packets 6 '\[fd77::1\]'
fi
tap_done
