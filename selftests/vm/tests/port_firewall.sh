#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# weft obeys the node's firewall: a rule that drops incoming or outgoing packets stops weft, and no
# other rule does. The rule also works on paths that existed before. So do policies of IPsec.
# TIMEOUT: 200

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"

[ "$LINK" = veth ] || { tap_skip "firewall" "there is no veth link"; tap_done; }

hello()	# 4|6
{
	"$VM_BUILD/selftests/port_wire" "hello$1"
}

silent()	# 4|6
{
	! hello "$1"
}

rule()	# NODE HOOK RULE
{
	node "$1" nft -f - <<-EOT
		table inet weft_test {
			chain c {
				type filter hook $2 priority 0;
				$3
			}
		}
	EOT
}

errors()
{
	node 1 cat /sys/class/weft/weft1/counters/tx_errors
}

refused_out()
{
	before=$(errors)
	hello 4
	[ "$(errors)" -gt "$before" ]
}

talk()
{
	pingpong 1 10.77.0.2 -e rdm -S 64 -I 50
}

# A rule counts incoming (input) or outgoing (output) packets: all of them.
counted()
{
	rule 1 "$1" "udp dport 9471 counter" && talk &&
		[ "$(node 1 nft list ruleset | sed -n 's/.*packets \([0-9]*\).*/\1/p')" -ge 50 ]
}

# Packets from node 0 must come encrypted
policy()
{
	node 1 ip xfrm policy add src 10.77.0.1/32 dst 10.77.0.2/32 dir in \
		tmpl proto esp mode transport
}

tap_run "messages without rules" talk
tap_run "a rule sees what comes in on a known path" counted input
node 1 nft flush ruleset
tap_run "a rule sees what goes out on a known path" counted output
node 1 nft flush ruleset
tap_run "without rules, IPv4" hello 4
tap_run "without rules, IPv6" hello 6
tap_run "drop what comes in" rule 1 input "udp dport 9471 drop"
tap_run "nothing comes in, IPv4" silent 4
tap_run "nothing comes in, IPv6" silent 6
node 1 nft flush ruleset
tap_run "track connections" rule 1 input "ct state new counter"
tap_run "tracked, IPv4" hello 4
tap_run "tracked, IPv6" hello 6
node 1 nft flush ruleset
tap_run "drop what goes out" rule 1 output "udp dport 9471 drop"
tap_run "what cannot leave is counted" refused_out
node 1 nft flush ruleset
tap_run "and again without rules" hello 4
if policy 2>/dev/null; then
	tap_run "what is to come by IPsec does not come in plain" silent 4
	node 1 ip xfrm policy flush
	tap_run "and again without policies" hello 4
else
	tap_skip "IPsec" "the kernel has none"
fi
tap_done
