#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shared receives and RDMA on a loop port: the programs that need no second node, in a namespace
# with nothing else.
# TIMEOUT: 200 NEEDS: dat

. "$VM_REPO/selftests/vm/lib.sh"

gone()
{
	for n in 0 1; do
		echo "n$n" >/run/weft/node$n
	done
	ip netns del alone
}

if [ "$LINK" = loop ]; then
	tap_skip "a loop port" "all tests have one"
	tap_done
fi
ip netns add alone && ip -n alone link set lo up &&
	ip -n alone addr add 10.78.0.1/32 dev lo &&
	ip -n alone addr add fd78::1/128 dev lo nodad || exit 1
trap gone EXIT
for n in 0 1; do
	echo alone >/run/weft/node$n
done
tap_run "its port" vm_port 0 alone loop addr 10.78.0.1 addr fd78::1
tap_run "shared receive contexts" "$VM_BUILD/selftests/srx"
tap_run "buffers, counts, marks, resize" "$VM_BUILD/selftests/srq_dat"
tap_run "ends of connections" "$VM_BUILD/selftests/srq_life"
tap_run "RDMA that fails" "$VM_BUILD/selftests/rdma_errors"
tap_run "remote memory" "$VM_BUILD/selftests/rdma_rmr"
tap_done
