#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The kernel's own netlink client reads Documentation/netlink/weft.yaml, and shows each kind of
# object by that. CHECK: all
# TIMEOUT: 300

. "$VM_REPO/selftests/vm/lib.sh"

client=$VM_DIR/ynl/tools/net/ynl/cli.py
spec=$VM_REPO/Documentation/netlink/weft.yaml

if [ ! -e "$client" ]; then
	tap_skip "ynl" "selftests/vm/ynl could not fetch it"
	tap_done
fi

# COMMAND: a dump succeeds; each of its objects has no attribute that the specification lacks
dump()
{
	node 0 python3 "$client" --spec "$spec" --no-schema --dump "$1" --output-json \
		>/run/weft/ynl 2>/run/weft/said || {
		cat /run/weft/ynl /run/weft/said
		return 1
	}
	! grep -n 'UnknownAttr' /run/weft/ynl
}

ports()
{
	dump port-get && cat /run/weft/ynl &&
		grep -q '"port-name": "weft0"' /run/weft/ynl &&
		grep -q '"port-driver": "netdev"' /run/weft/ynl
}

# what ynl shows of the counters is what weftctl shows
counters()
{
	dump stats-get || return 1
	node 0 weftctl -j stats show >/run/weft/json
	python3 - <<'EOF'
import json
stats = {s["stat-name"] for s in json.load(open("/run/weft/ynl"))}
shown = set(json.load(open("/run/weft/json"))[0]) - {"port"}
print(len(stats), "counters", stats ^ shown)
raise SystemExit(stats != shown)
EOF
}

# A probe: a request whose answer names it, and one for its result
probe()
{
	addr=$(node 0 python3 -c 'import socket, struct
print((struct.pack("=HHI", socket.AF_INET, 0, 0) + bytes([10, 77, 0, 2]) + bytes(12)).hex())')
	do_json probe-add "{\"port-name\": \"weft0\", \"path-addr\": \"$addr\"}" || return 1
	no=$(sed -n 's/.*"probe-no": \([0-9]*\).*/\1/p' /run/weft/ynl)
	vm_wait 30 over && grep '"probe-back": 100' /run/weft/ynl &&
		do_json probe-del "{\"port-name\": \"weft0\", \"probe-no\": $no}"
}

# addr_hex NODE: the address of an endpoint of a node, as the attribute has it
addr_hex()
{
	node $1 weftctl -j ep show | python3 -c 'import json, socket, struct, sys
host, service = json.load(sys.stdin)[0]["ep"].rsplit(":", 1)
print((struct.pack("=H", socket.AF_INET) + struct.pack(">H", int(service)) + bytes(4) +
       socket.inet_aton(host) + bytes(12)).hex())' 2>/dev/null
}

# Both nodes have endpoints.
both()
{
	near=$(addr_hex 0) && far=$(addr_hex 1) && [ "$near" ] && [ "$far" ]
}

# A question to the other node, whose answer has nested attributes
question()
{
	node 1 weftctl port set weft1 questions on || return 1
	node 1 fi_pingpong -p weft -e rdm -I 10000000 >/run/weft/pp1 2>&1 &
	server=$!
	vm_wait 20 vm_listening $server 47592 || return 1
	node 0 fi_pingpong -p weft -e rdm -I 10000000 10.77.0.2 >/run/weft/pp0 2>&1 &
	pair=$!
	vm_wait 20 both && vm_wait 20 asked_while_posted
	status=$?
	cat /run/weft/ynl
	kill $server $pair
	wait $server $pair 2>/dev/null
	[ $status = 0 ] && grep -q '"answer-status": "answered"' /run/weft/ynl &&
		grep -q '"comm": "fi_pingpong"' /run/weft/ynl
}

# The answer finds a posted receive, which is taken and posted anew all the time.
asked_while_posted()
{
	do_json question-add \
		"{\"port-name\": \"weft0\", \"ep-addr\": \"$near\", \"ep-peer\": \"$far\"}" ||
		return
	no=$(sed -n 's/.*"probe-no": \([0-9]*\).*/\1/p' /run/weft/ynl)
	vm_wait 20 told && grep -q '"answer-wait": {"answer-count": [1-9]' /run/weft/ynl
}

told()
{
	do_json question-get "{\"port-name\": \"weft0\", \"probe-no\": $no}" &&
		grep -q '"probe-state": "over"' /run/weft/ynl
}

over()
{
	do_json probe-get "{\"port-name\": \"weft0\", \"probe-no\": $no}" &&
		grep -q '"probe-state": "over"' /run/weft/ynl
}

do_json()	# COMMAND JSON
{
	node 0 python3 "$client" --spec "$spec" --no-schema --do "$1" --json "$2" --output-json \
		>/run/weft/ynl 2>/run/weft/said || { cat /run/weft/said; return 1; }
	! grep -n 'UnknownAttr' /run/weft/ynl
}

change()
{
	node 0 python3 "$client" --spec "$spec" --no-schema --do limit-set \
		--json '{"port-name": "weft0", "limit-name": "jobs", "limit-value": 77}' &&
		node 0 weftctl limit show weft0 | grep 'limit jobs value 77 '
}

tap_run "ports" ports
tap_run "counters, as weftctl has them" counters
for command in $(sed -n 's/^      name: \([a-z]*-get\)$/\1/p' "$spec"); do
	case $command in
	probe-get | question-get) ;;
	*)	tap_run "$command" dump "$command" ;;
	esac
done
tap_run "a probe" probe
tap_run "a question" question
tap_run "a change" change
tap_done
