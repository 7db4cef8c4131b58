#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Packet memory comes in pages of 64 KiB. Where they are not to be had, smaller ones serve: every
# byte arrives, and each packet is sent. A message that comes before its receive is kept in single
# pages then: limits.rst.
#
# The kernel must support fault injection (make check-debug).
# TIMEOUT: 400 NEEDS: reload CHECK: all

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"

faults=/sys/kernel/debug/fail_page_alloc
if [ ! -d $faults ]; then
	echo "1..0 # SKIP this kernel does not fail on demand"
	exit 4
fi

ports()	# the module is loaded anew: no CPU has packet memory yet
{
	rmmod weft && vm_load && vm_port 0 weft0 netdev veth0 && vm_port 1 weft1 netdev veth1
}

fail()	# PROBABILITY: allocations of 16 pages or more fail
{
	echo 4 >$faults/min-order
	echo N >$faults/ignore-gfp-wait
	echo 0 >$faults/verbose
	echo 1000000 >$faults/times
	echo "$1" >$faults/probability
}

failed()
{
	left=$(cat $faults/times)
	echo "$((1000000 - left)) allocations have failed"
	[ "$left" -lt 1000000 ]
}

arrives()	# messages in one packet, and in many; the port has sent each packet
{
	pingpong 1 10.77.0.2 -e rdm -I 10 -S 1024 && pingpong 1 10.77.0.2 -e rdm -I 10 -S 16384 &&
		pingpong 1 10.77.0.2 -e rdm -I 10 -S 65536 &&
		pingpong 1 10.77.0.2 -e rdm -I 10 -S 1048576 || return
	for i in 0 1; do
		lost=$(node $i cat /sys/class/weft/weft$i/counters/tx_dropped)
		[ "$lost" = 0 ] || {
			echo "weft$i has not sent $lost packets"
			return 1
		}
	done
}

# no later test of this machine gets these faults
trap 'fail 0' EXIT
trap 'exit 1' TERM INT
fail 0
tap_run "ports without packet memory" ports
fail 100
tap_run "messages with small pages" arrives
tap_run "large pages were refused" failed
fail 0
tap_run "ports with large pages again" ports
tap_run "messages with large pages" arrives
tap_done
