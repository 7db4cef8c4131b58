#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A link that loses 2 %, doubles 1 % and reorders 10 % of the packets changes
# no result.
# TIMEOUT: 600

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"

[ "$LINK" = veth ] || { tap_skip "a bad link" "there is no veth link"; tap_done; }

bad_link()
{
	for n in 0 1; do
		node $n tc qdisc add dev veth$n root netem limit 10000 \
			delay 500us loss 2% duplicate 1% reorder 90% || return 1
	done
}

good_link()
{
	node 0 tc qdisc del dev veth0 root && node 1 tc qdisc del dev veth1 root
}

retransmits()
{
	node 0 cat /sys/class/weft/weft0/counters/retransmits
}

# The data tests between the nodes, unchanged.
data_tests()
{
	"$VM_BUILD/selftests/fi_data" apart >/run/weft/fi_data || {
		grep -E '^(not ok|#)' /run/weft/fi_data
		return 1
	}
}

tap_run "netem on both ends" bad_link
before=$(retransmits)
for type in rdm msg; do
	tap_run "fi_pingpong -e $type -S all over a bad link" \
		pingpong 1 10.77.0.2 -e $type -S all -I 5
done
tap_run "fi_data over a bad link" data_tests
after=$(retransmits)
tap_run "packets were sent again ($((after - before)))" [ "$after" -gt "$before" ]
tap_run "the link is well again" good_link
tap_run "fi_pingpong afterwards" pingpong 1 10.77.0.2 -e rdm -I 10
tap_done
