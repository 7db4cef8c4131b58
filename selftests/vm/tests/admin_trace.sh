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
	for e in weft_post_send weft_post_recv weft_arrive weft_match weft_complete \
		 weft_retransmit weft_tx weft_rx weft_rma_denied; do
		[ -d $events/$e ] || { echo "no $e"; return 1; }
		grep -q "^\`\`$e\`\`" "$VM_REPO/Documentation/trace.rst" || {
			echo "trace.rst does not describe $e"
			return 1
		}
	done
	[ "$(ls -d $events/*/ | wc -l)" = 9 ] || { ls $events; return 1; }
}

# each field that the kernel shows is a row of the event's table in the page
fields()
{
	bad=0
	for e in "$events"/*/; do
		e=$(basename "$e")
		words=$(awk -v e="\`\`$e\`\`" '$1 == e { on = 1; print; next }
			on && /^(\`\`weft_|=)/ { exit } on' "$VM_REPO/Documentation/trace.rst")
		for f in $(sed -n 's/.*field:.* \([a-z]*\)\(\[.*\)*;.offset.*/\1/p' \
				"$events/$e/format"); do
			echo "$words" | grep -q "\`\`$f\`\`" || {
				echo "trace.rst: $e has $f"
				bad=1
			}
		done
	done
	return $bad
}

# enabled COMMAND...: what happens meanwhile is in the trace
enabled()
{
	echo >$tracing/trace
	echo 1 >$events/enable || return 1
	"$@"
	status=$?
	echo 0 >$events/enable
	return $status
}

# traced PATTERN...: the trace has a line like each of them
traced()
{
	status=0
	for e; do
		grep -q "$e" $tracing/trace || { echo "nothing like: $e"; status=1; }
	done
	[ $status = 0 ] || grep weft_ $tracing/trace | tail -n 40
	return $status
}

packets()
{
	enabled "$VM_BUILD/selftests/port_wire" "hello$1" || return 1
	traced "weft_rx: weft1 peer $2 type 0x41 .*len 88" \
		"weft_tx: weft1 peer $2 psn .*len 88 packets 1"
}

# 64 bytes: a send and a receive of each, posted, matched, completed
within()
{
	enabled pingpong 0 10.77.0.1 -e rdm -m tagged -S 64 -I 2 || return 1
	of='weft0 ep 10\.77\.0\.1:[1-9][0-9]*'
	traced "weft_post_send: $of pid [1-9][0-9]* op tsend .* len 64 peer 10\.77\.0\.1:[1-9]" \
		"weft_post_recv: $of srq 0 pid [1-9][0-9]* op trecv .* mask 0x[0-9a-f]* len " \
		"weft_arrive: $of pid [1-9][0-9]* seq 0 .* len 64 peer 10\.77\.0\.1:[1-9]" \
		"weft_match: $of .* len 64 waited [01] peer " \
		"weft_complete: $of .* len [0-9]* flags send|tagged err 0$" \
		"weft_complete: $of .* len 64 flags tagged.* err 0$"
}

# the sender of node 0 has the same name on node 1, which numbers its messages from 1 on
between()
{
	enabled pingpong 1 10.77.0.2 -e rdm -m tagged -S 64 -I 2 || return 1
	from='10\.77\.0\.1:[1-9][0-9]*' to='10\.77\.0\.2:[1-9][0-9]*'
	traced "weft_post_send: weft0 ep $from .* op tsend .* len 64 peer $to$" \
		"weft_arrive: weft1 ep $to .* seq 1 tag .* peer $from$" \
		"weft_arrive: weft1 ep $to .* seq 2 tag .* len 64 peer $from$" \
		"weft_match: weft1 ep $to .* len 64 waited [01] peer $from$" || return 1
	# the process is that of the program, also where a softirq traces
	for pid in $(sed -n 's/.*weft_match: weft1 .* pid \([0-9]*\) .*/\1/p' $tracing/trace |
		sort -u); do
		[ "$pid" != "$pp_pid" ] || return 0
		grep -q "weft_post_recv: weft1 .* pid $pid " $tracing/trace && return 0
	done
	echo "no pid of the server"
	return 1
}

# operations have names, also those that return a former value
atomic()
{
	enabled "$VM_BUILD/selftests/conf_atomic" >/dev/null || return 1
	traced 'weft_post_send: .* op atomic ' && ! grep -m 5 'op 0x' $tracing/trace
}

# a filter compares the texts that weftctl prints (a pattern must not begin with a digit)
filtered()
{
	echo 'port == "weft1" && peer ~ "*10.77.0.1:*"' >$events/weft_match/filter || return 1
	enabled pingpong 1 10.77.0.2 -e rdm -m tagged -S 64 -I 2
	ok=$?
	echo 0 >$events/weft_match/filter
	[ $ok = 0 ] && traced "weft_match: weft1 .* peer 10\.77\.0\.1:" || return 1
	! grep "weft_match: weft0" $tracing/trace
}

tap_run "all are there, and the page has them" there
tap_run "the page has their fields" fields
tap_run "messages within the node" within
tap_run "messages between nodes" between
tap_run "a filter by port and peer" filtered
tap_run "atomic operations" atomic
if [ "$LINK" = veth ]; then
	tap_run "packets, IPv4" packets 4 '10\.77\.0\.1'
	tap_run "packets, IPv6" packets 6 'fd77::1'
fi
tap_done
