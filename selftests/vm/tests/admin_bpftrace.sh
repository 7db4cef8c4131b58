#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The scripts for bpftrace report what programs do: latency by size, packets sent again, waits of
# receives.
# TIMEOUT: 400
# CHECK: all

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"

if ! command -v bpftrace >/dev/null; then
	tap_skip "scripts for bpftrace" "bpftrace is not packaged for this system"
	tap_done
fi
# Debian's kernels do; those for debugging are built without
if [ ! -e /sys/kernel/btf/vmlinux ]; then
	tap_skip "scripts for bpftrace" "this kernel does not describe its types (BTF)"
	tap_done
fi

out=/run/weft/bpftrace

# the first line is that of a script whose probes are in place
placed() { grep -q 'Ctrl-C ends' $out; }
settled() { placed || ! kill -0 $bt_pid; }

# traced SCRIPT[ ARGUMENT] COMMAND...: the output of the script is in $out, of the time while the
# command runs
traced()
{
	script=$VM_REPO/lib/bpftrace/$1
	shift
	bpftrace -B none $script >$out 2>&1 &
	bt_pid=$!
	vm_wait 200 settled
	placed || { cat $out; kill $bt_pid; return 1; }
	"$@"
	status=$?
	kill -INT $bt_pid
	wait $bt_pid
	cat $out
	return $status
}

latency()
{
	traced weft-latency.bt pingpong 1 10.77.0.2 -e rdm -m tagged -S 64 -I 20 || return 1
	grep -q '^@us\[64\]' $out && ! grep -q '^@failed' $out || return 1
	traced weft-latency.bt pingpong 1 10.77.0.2 -e rdm -m tagged -S 262144 -I 20 || return 1
	grep -q '^@us\[262144\]' $out && ! grep -q '^@posted' $out
}

# one packet in twenty is lost
again()
{
	for n in 0 1; do
		node $n tc qdisc add dev veth$n root netem loss 5% || return 1
	done
	traced weft-retransmits.bt pingpong 1 10.77.0.2 -e rdm -m tagged -S 65536 -I 50
	ok=$?
	for n in 0 1; do
		node $n tc qdisc del dev veth$n root
	done
	[ $ok = 0 ] && grep -q '^@retransmits\[weft0, 10\.77\.0\.2\]: [1-9]' $out &&
		grep -q '^@packets\[weft0, 10\.77\.0\.2\]: [1-9]' $out
}

waits()
{
	traced weft-waits.bt pingpong 1 10.77.0.2 -e rdm -m tagged -S 64 -I 20 || return 1
	grep -q '^@longest_us\[[1-9][0-9]*, 10\.77\.0\.[12]:[1-9][0-9]*, [0-9]*\]: [0-9]' $out &&
		grep -q '^@waits_us\[10\.77\.0\.2:[1-9][0-9]*\]' $out
}

# process 1 has no endpoint
other()
{
	traced "weft-waits.bt 1" pingpong 1 10.77.0.2 -e rdm -m tagged -S 64 -I 20 &&
		! grep '^@' $out
}

tap_run "latency by size" latency
tap_run "who sends again" again
tap_run "which receives wait longest" waits
tap_run "those of one process" other
tap_done
