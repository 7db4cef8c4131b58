#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What the administrator sets and sees of one-sided operations: the setting that opens regions to
# programs of any user, whose effect uapi_rma.c tests, and the reports of refused operations.
# TIMEOUT: 120

. "$VM_REPO/selftests/vm/lib.sh"

tracing=/sys/kernel/tracing

shows()	# SETTING
{
	[ "$(node 0 cat /sys/class/weft/weft0/rma_users)" = "$1" ] &&
		node 0 weftctl port show weft0 | grep -q " rma_users $1 " &&
		node 0 weftctl -j port show weft0 | grep -q "\"rma_users\":\"$1\""
}

set_to()	# SETTING
{
	node 0 weftctl port set weft0 rma-users "$1" && shows "$1"
}

refused()
{
	node 0 weftctl port set weft0 rma-users all 2>&1 | grep "it must be same or any"
}

denied()	# prints the counter of the target's node
{
	node 1 cat /sys/class/weft/weft1/counters/rma_denied
}

# each of 1000 refused operations of node 0 is counted, and traced with the address of node 0
traced()
{
	before=$(denied)
	echo >$tracing/trace
	echo 1 >$tracing/events/weft/weft_rma_denied/enable || return 1
	"$VM_BUILD/selftests/uapi_rma" "guessed keys"
	status=$?
	echo 0 >$tracing/events/weft/weft_rma_denied/enable
	[ $status = 0 ] && [ $(($(denied) - before)) = 1000 ] || return 1
	told="weft_rma_denied: weft1 peer $1 uid 0 service [1-9][0-9]*"
	seen=$(grep -c "$told key 0x63 addr 0x0 err 13 why key" $tracing/trace)
	[ "$seen" = 1000 ] || { echo "$seen of 1000"; tail -n 5 $tracing/trace; return 1; }
}

# a module that has told nothing yet: another test may have been told less than a minute ago
anew()
{
	vm_teardown && vm_setup
}

# the kernel log names the node, once in a while
logged()
{
	line="weft1: node $1: [0-9]* one-sided operations refused, the last one of user 0"
	line="$line with key 0x63 on service"
	dmesg | grep "$line [1-9][0-9]*: no region has the key" || return 1
	[ "$(dmesg | grep -c "$line")" -lt 5 ] || return 1
	node 1 weftctl event show weft1 event rma-denied
	node 1 weftctl event show weft1 event rma-denied |
		grep -q "rma-denied peer $1 uid 0 to [1-9][0-9]* "
}

tap_run "a port begins with same" shows same
tap_run "any" set_to any
tap_run "another word" refused
tap_run "a refused word changes nothing" shows any
tap_run "same" set_to same
if [ "$LINK" = veth ]; then
	tap_run "the module is loaded anew" anew
	tap_run "a trace point shows refused operations" traced '10\.77\.0\.1'
	tap_run "the kernel log names their node" logged '10\.77\.0\.1'
fi
tap_done
