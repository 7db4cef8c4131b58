#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shared receives and RDMA between two ports that own the machine's NICs: the programs that need two
# nodes.
# TIMEOUT: 300 NEEDS: dat nics

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/vnet.sh"

gone()
{
	cp /run/weft/kept0 /run/weft/node0
	cp /run/weft/kept1 /run/weft/node1
}

# between PROGRAM: all its cases, also those between the nodes, with packets on the NICs
between()
{
	before=$(vnet_stat 0 tx_packets)
	"$VM_BUILD/selftests/$1" >/run/weft/between || {
		grep -E '^(not ok|#)' /run/weft/between
		return 1
	}
	grep -q '^ok .*between nodes' /run/weft/between && vnet_sent 0 $((before + 20))
}

vnet_nodes || { tap_not_ok "nodes"; tap_done; }
for n in 0 1; do
	cp /run/weft/node$n /run/weft/kept$n
done
trap gone EXIT
tap_run "ports" eval "vnet_port 0 && vnet_port 1"
for n in 0 1; do
	echo e$n >/run/weft/node$n
done
tap_run "buffers, counts, marks, resize" between srq_dat
tap_run "ends of connections" between srq_life
tap_run "shared receive contexts" between srx
tap_run "RDMA that fails" between rdma_errors
tap_run "remote memory" between rdma_rmr
tap_run "nothing damaged" vnet_clean
gone
tap_run "no port is left" eval "vnet_del 0 1 && vnet_end"
tap_done
