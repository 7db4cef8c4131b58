#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# weftctl top: what processes, paths and endpoints do, while two programs send to each other
# TIMEOUT: 180

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/rates.sh"

# Two blocks, each with the line of the client ("node" has become it), and a rate that is not 0
by_process()
{
	node 0 weftctl top -n 2 -i 3 >/run/weft/top || return 1
	cat /run/weft/top
	[ "$(grep -c '^weftctl top ' /run/weft/top)" = 2 ] &&
		[ "$(awk -v pid="${client:?}" '$2 == pid && $4 != "-" && $4 + 0 > 0 &&
			$5 + 0 > 0 && $6 + 0 > 0 && $7 + 0 > 0' /run/weft/top | grep -c ' fi_pingpong$')" = 2 ] &&
		[ "$(grep -c '^weft0: per second: sent [1-9]' /run/weft/top)" = 2 ]
}

by_path()
{
	node 0 weftctl top -n 1 -i 0.5 --by path weft0 >/run/weft/top || return 1
	cat /run/weft/top
	awk '$2 == "10.77.0.2" && $3 + 0 > 0 && $4 + 0 > 0 && $5 + 0 > 0 && $6 + 0 > 0 &&
			$13 == "up" { n++ }
		END { exit n != 1 }' /run/weft/top
}

by_endpoint()
{
	node 0 weftctl top -n 1 -i 0.5 --by endpoint >/run/weft/top || return 1
	cat /run/weft/top
	awk -v pid="${client:?}" '$2 ~ /^10\.77\.0\.1:/ && $3 == pid && $4 + 0 > 0 { n++ }
		END { exit n < 1 }' /run/weft/top
}

as_json()
{
	for by in process path endpoint; do
		node 0 weftctl -j top -n 2 -i 0.5 --by $by >/run/weft/top &&
			json </run/weft/top && [ "$(grep -c "\"by\":\"$by\"" /run/weft/top)" = 2 ] &&
			[ "$(grep -c '"rows":\[{"port":"weft0",.*"sent_per_s":[1-9].*"received_bytes_per_s":[1-9]' \
				/run/weft/top)" = 2 ] ||
			return 1
	done
	node 0 weftctl -p top -n 1 -i 0.1 | tr -d '\n' | json
}

# Messages within the node have no path and no flow between nodes, and are counted all the same.
within()	# TYPE: of endpoints
{
	node 0 fi_pingpong -p weft -e "$1" -I 100000000 >/run/weft/pp.near 2>&1 &
	near=$!
	vm_wait 30 vm_listening $near 47592 || return 1
	node 0 fi_pingpong -p weft -e "$1" -I 100000000 10.77.0.1 >/run/weft/pp.nearer 2>&1 &
	nearer=$!
	vm_wait 30 counted $near && counted $nearer
	status=$?
	cat /run/weft/top
	kill $near $nearer
	wait $near $nearer 2>/dev/null
	return $status
}

counted()	# PID
{
	node 0 weftctl top -n 1 -i 0.5 >/run/weft/top || return 1
	awk -v pid="$1" '$2 == pid && $4 + 0 > 0 && $5 + 0 > 0 && $6 + 0 > 0 && $7 + 0 > 0 { n++ }
		END { exit n != 1 }' /run/weft/top
}

# A user sees own programs only, and all ports.
for_a_user()
{
	user weftctl top -n 1 -i 0.1 >/run/weft/top || return 1
	cat /run/weft/top
	grep -q '^weft0: per second: ' /run/weft/top && ! grep fi_pingpong /run/weft/top
}

wrong()
{
	refused "it must be" top --by name && refused "number of seconds" top -i x &&
		refused "needs a value" top -n && refused "no option" top --all &&
		refused "no such port" top -n 1 nonesuch
}

# terminal KEYS COMMAND: with a terminal, on which these keys are pressed when top has begun.
# What the terminal shows is in /run/weft/screen, its settings before and behind in stty.*
terminal()
{
	mkfifo /run/weft/keys
	cat >/run/weft/in_terminal <<-EOT
		stty cols 70 rows 10
		stty -g >/run/weft/stty.before
		$2
		status=\$?
		stty -g >/run/weft/stty.behind
		echo "status \$status"
	EOT
	: >/run/weft/screen
	node 0 script -q -f -c 'sh /run/weft/in_terminal' /run/weft/screen \
		</run/weft/keys >/dev/null 2>&1 &
	terminal=$!
	exec 8>/run/weft/keys
	for word in $1; do
		vm_wait 30 grep -q "${word#*:}" /run/weft/screen || break
		[ -z "${word%%:*}" ] || printf %s "${word%%:*}" >&8
	done
	vm_wait 30 grep -q '^status ' /run/weft/screen
	status=$?
	exec 8>&-
	kill $terminal 2>/dev/null
	wait $terminal 2>/dev/null
	rm /run/weft/keys
	cat -v /run/weft/screen | tail -30
	[ $status = 0 ] && cmp /run/weft/stty.before /run/weft/stty.behind
}

# Keys choose what is shown; lines are not wider than the terminal; q ends.
keys()
{
	terminal "e:by.process n:by.endpoint p:by.path q:by.process" "weftctl top -i 0.5" &&
		grep -q '^status 0' /run/weft/screen &&
		grep -q "$(printf '\033')\[?25h" /run/weft/screen &&
		! sed "s/$(printf '\033')\[[?0-9]*[A-Za-z]//g" /run/weft/screen | tr -d '\r' |
			sed 1d | grep -v '^Script' | grep -E '.{71}'
}

# A signal ends it, and the terminal is as before.
signalled()
{
	terminal ":by.process" '(while ! grep -q by.process /run/weft/screen; do sleep 0.1; done
		kill -TERM $(cat /run/weft/top_pid)) &
		sh -c "echo \$\$ >/run/weft/top_pid; exec weftctl top"' &&
		grep -q '^status 143' /run/weft/screen &&
		grep -q "$(printf '\033')\[?25h" /run/weft/screen
}

tap_run "programs send to each other" start
tap_run "by process" by_process
tap_run "by path" by_path
tap_run "by endpoint" by_endpoint
tap_run "within the node" within rdm
tap_run "datagrams within the node" within dgram
tap_run "as JSON" as_json
tap_run "for a user" for_a_user
tap_run "on a terminal" keys
tap_run "a signal ends it" signalled
tap_run "wrong options are refused" wrong
stop
tap_done
