#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Debian's unmodified uDAPL test programs through its libdat2: shared receive
# queues, connection management. They return 0 after some failures: both sides
# have to say that they are complete.
# TIMEOUT: 400

. "$VM_REPO/selftests/vm/lib.sh"

listening()
{
	node 1 weftctl ep show | grep -qi listen
}

# both NAME SERVER-ARGS CLIENT-ARGS WORD: WORD is said by both
both()
{
	prog=$1 server=$2 client=$3 word=$4
	node 1 $prog $server >/run/weft/server 2>&1 &
	pid=$!
	vm_wait 30 listening || { kill $pid; cat /run/weft/server; return 1; }
	timeout $((120 * VM_SLOW)) node 0 $prog $client >/run/weft/client 2>&1
	status=$?
	wait $pid || status=$?
	cat /run/weft/server /run/weft/client
	[ "$status" = 0 ] && grep -q "$word" /run/weft/server &&
		grep -q "$word" /run/weft/client
}

srq()
{
	both "timeout $((150 * VM_SLOW)) dtestsrq -P weft" "-s $*" "-h 10.77.0.2 $*" \
		"DAPL RC SRQ Test Complete"
}

cm()
{
	both "timeout $((150 * VM_SLOW)) dtestcm -P weft" "-s $*" "-h 10.77.0.2 $*" \
		"DAPL Connection Test Complete"
}

if [ "$LINK" = loop ]; then
	tap_skip "dtestsrq" "two nodes are needed"
	tap_done
fi
tap_run "dtestsrq" srq
tap_run "dtestsrq, without -b" srq -v
tap_run "dtestsrq, 50 endpoints, 20 bursts of 20" srq -c 50 -B 20 -t 20
tap_run "dtestsrq, 100 endpoints" srq -c 100
tap_run "dtestcm, 200 connections" cm -c 200 -b 50
tap_run "dtestcm, several service points" cm -m -c 40 -b 8
tap_done
