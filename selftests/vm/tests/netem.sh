#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A link that loses 2 %, doubles 1 % and reorders 10 % of the packets changes
# no result.

. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"

[ "$LINK" = loop ] && { echo "1..0 # SKIP there is no link"; exit 0; }

bad_link()	# NODE DEVICE
{
	node "$1" tc qdisc add dev "$2" root netem limit 10000 \
		delay 500us loss 2% duplicate 1% reorder 90%
}

bad_link 0 veth0 && bad_link 1 veth1
tap $? "netem on both ends"
before=$(node 0 cat /sys/class/weft/weft0/counters/retransmits)
for type in rdm msg; do
	pingpong 1 10.77.0.2 -e $type -S all -I 10
	tap $? "fi_pingpong -e $type -S all over a bad link"
done
# The data tests between the nodes, as they are.
"$VM_BUILD/selftests/fi_data" apart >/tmp/fi_data.out
st=$?
grep -E '^(not ok|#)' /tmp/fi_data.out | sed 's/^/# /'
tap $st "fi_data over a bad link"
after=$(node 0 cat /sys/class/weft/weft0/counters/retransmits)
[ "$after" -gt "$before" ]
tap $? "packets were sent again ($((after - before)))"
node 0 tc qdisc del dev veth0 root && node 1 tc qdisc del dev veth1 root
tap $? "the link is well again"
pingpong 1 10.77.0.2 -e rdm -I 10
tap $? "fi_pingpong afterwards"
tap_end
