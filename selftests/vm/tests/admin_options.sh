#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# weftctl's options and words, those of ip(8): -n, -o, -br, -c, -s and -d, help at each level, and
# messages that name what is wrong, with the word that may have been meant
# TIMEOUT: 240

. "$VM_REPO/selftests/vm/lib.sh"

objects="port ep ctx path stats neigh user recv msg send flow conn cq srq mr hang histogram limit
	job"
esc=$(printf '\033')

# A program of a user that holds an endpoint, talks to the other node, and has posted receives
talkers_start()
{
	node 0 fi_pingpong -p weft -e rdm -I 10000000 >/run/weft/pp 2>&1 &
	server=$!
	vm_wait 20 vm_listening $server 47592 || return 1
	node 1 fi_pingpong -p weft -e rdm -I 10000000 10.77.0.1 >/run/weft/pp 2>&1 &
	client=$!
	vm_wait 20 has_flow
}

has_flow()
{
	node 0 weftctl flow show state open | grep -q . &&
		node 0 weftctl path show | grep -q ' state up '
}

talkers_end()
{
	kill $server $client
	wait $server $client 2>/dev/null
	return 0
}

# says STATUS "WORDS" WORD...: the command fails with that status, prints nothing on stdout and one
# line on stderr that has each WORD
says()
{
	want=$1 words=$2
	shift 2
	node 0 weftctl $words >/run/weft/out 2>/run/weft/err
	status=$?
	for w; do
		grep -qF -e "$w" /run/weft/err || { echo "$words: no \"$w\""; status=-1; }
	done
	[ $status = "$want" ] && [ ! -s /run/weft/out ] && [ "$(wc -l </run/weft/err)" = 1 ] &&
		return
	echo "$words: $status"
	cat /run/weft/out /run/weft/err
	return 1
}

wrong_ports()
{
	for o in $objects; do
		case $o in hang) what=hang ;; *) what="$o show" ;; esac
		says 2 "$o show weftX" "weftctl: $what weftX: no such port" 'mean "weft0"?' ||
			return 1
	done
	says 2 "port del weftX" "port del weftX: no such port" 'mean "weft0"?' &&
		says 2 "port set wef0 engine poll" "port set wef0: no such port" 'mean "weft0"?' &&
		says 2 "limit set weftX paths 5" "limit set weftX: no such port" 'mean "weft0"?' &&
		says 2 "limit set weft pahts 5" "limit set weft: no such port" 'mean "weft0"?' &&
		says 2 "job add lab key /run/weft/key port weftX" "port weftX: no such port" \
			'mean "weft0"?' &&
		says 2 "job set lab user 7 port weftX" "port weftX: no such port" 'mean "weft0"?' &&
		says 2 "job del lab port weftX" "port weftX: no such port" 'mean "weft0"?' &&
		says 2 "port show nonesuch" "nonesuch: no such port" &&
		! grep "did you mean" /run/weft/err
}

wrong_values()
{
	says 2 "limit set weft0 pahts 5" "limit set weft0 limit pahts: no such limit" \
			'mean "paths"?' &&
		says 2 "limit set weft0 unexp 5" "limit unexp: no such limit" '"unexpected-node", ' \
			'"unexpected-endpoint" or "unexpected-user"?' &&
		says 2 "limit set weft0 paths 0" "limit set weft0 paths 0: too small" &&
		says 1 "limit set weft0 paths many" '"many" is no value' &&
		says 2 "port set weft0 cpu 9999" "port set weft0 cpu 9999: there is no such CPU" &&
		says 1 "port set weft0 enigne poll" '"enigne"' 'mean "engine"?' &&
		says 2 "port add bad netdev veht0" "port add bad netdev veht0: no such device" \
			'mean "veth0"?' &&
		says 2 "port add bad loop addr 224.0.0.1" "port add bad addr 224.0.0.1: " &&
		says 2 "port add weft0 loop addr 10.1.1.1" "port add weft0: " "taken" &&
		says 1 "prot show" 'no object "prot"' 'mean "port"?' &&
		says 1 "port shwo" "port shwo: no such command" 'mean "show"?' &&
		says 1 "send show fro credit" '"fro"' 'mean "for"?' &&
		says 1 "recv show from 10.77" '"10.77" is no IPv4 or IPv6 address' &&
		says 1 "recv show from fd77:::1" '"fd77:::1" is no IPv4 or IPv6 address' &&
		says 1 "flow show ep [fd77::1]:x" 'ep "[fd77::1]:x": it must be an address' &&
		says 1 "hang peer weft0" '"weft0" is no IPv4 or IPv6 address' || return 1
	# a keyword without its value
	for o in $objects; do
		case $o in stats) continue ;; esac
		says 1 "$o show port" 'a name is missing after "port"' || return 1
	done
	says 1 "recv show from" 'a value is missing after "from"' &&
		says 1 "hang pid" 'a value is missing after "pid"'
}

wrong_jobs()
{
	node 0 weftctl job add lab key /run/weft/key || return 1
	says 2 "job del labb" "job del labb port weft0: no such job" 'mean "lab"?' &&
		says 2 "job set la all" "job set la port weft0: no such job" 'mean "lab"?' &&
		says 2 "job add lab key /run/weft/key" "job add lab port weft0: there is a job"
	status=$?
	node 0 weftctl job del lab
	return $status
}

# What is empty because of a filter is told, and is no error.
nothing()
{
	says 0 "job show weft0" "job show weft0: nothing matches" &&
		says 0 "recv show pid 1" "recv show: nothing matches" &&
		says 0 "send show for credti" "nothing matches" 'mean "credit"?' &&
		says 0 "flow show state opne" "nothing matches" 'mean "open"?' &&
		says 0 "hang age 86400" "nothing has waited" || return 1
	said=$(node 0 weftctl job show 2>&1) && [ -z "$said" ]
}

helps_with()	# WORDS WORD
{
	said=$(weftctl $1 $2 2>/run/weft/err) && [ ! -s /run/weft/err ] || return 1
	case $said in
	"Usage: weftctl ${1%% *}"*"See weftctl${1:+-}${1%% *}(8)"[.,]*) ;;
	*) echo "$*: $said"; return 1 ;;
	esac
}

helps()
{
	for words in "" "port add" "port del" "port set" "port flush" "path del" "path probe" \
		"ep kill" "limit set" "job add" "job set" "job del" "job list" $objects event \
		monitor top report; do
		for word in help -h --help; do
			helps_with "$words" $word || return 1
		done
	done
	for o in $objects; do
		helps_with "$o show" help || return 1
	done
	weftctl port set help | grep -q "\[rma-users" && ! weftctl port set help | grep "port add"
}

netns()
{
	inside=$(node 0 weftctl -br port) && [ "$inside" ] || return 1
	ns=$(cat /run/weft/node0)
	node 0 sleep 1000 &
	sleeper=$!
	vm_wait 10 in_netns || return 1
	for name in "$ns" "/run/netns/$ns" $sleeper; do
		[ "$(weftctl -n "$name" -br port)" = "$inside" ] || { echo "$name"; return 1; }
	done
	kill $sleeper
	weftctl --netns "$ns" -br port show weft0 >/dev/null &&
		[ -z "$(weftctl -br port)" ] &&
		[ "$(echo "port show" | weftctl -br -n "$ns" -b -)" = "$inside" ]
}

in_netns()
{
	[ "$(readlink /proc/$sleeper/ns/net)" = "$(node 0 readlink /proc/self/ns/net)" ]
}

# exits STATUS WORDS COMMAND...
exits()
{
	want=$1 words=$2
	shift 2
	said=$("$@" 2>&1)
	status=$?
	echo "$said"
	[ $status = "$want" ] && echo "$said" | grep -qF -e "$words"
}

no_netns()
{
	exits 2 "no network namespace \"$ns$ns\"" weftctl -n "$ns$ns" port &&
		exits 2 "did you mean \"$ns\"" weftctl -n "${ns}x" port &&
		exits 2 "/etc/passwd is no network namespace" weftctl -n /etc/passwd port &&
		exits 2 "not permitted" setpriv --reuid 1990 --regid 1990 --clear-groups \
			weftctl -n "$ns" port
}

# Each table has the rows of the list, and the same columns everywhere.
brief()
{
	for o in $objects; do
		case $o in
		hang) args="age 0" min=6 max=6 ;;
		stats) args="" min=3 max=3 ;;
		*) args="" min=4 max=6 ;;
		esac
		node 0 weftctl -br $o show $args >/run/weft/table 2>/dev/null || return 1
		awk -v o=$o -v min=$min -v max=$max '
			{ n[NF]++; if (NF < min || NF > max) bad = 1 }
			END { for (i in n) kinds++; exit bad || kinds > 1 }
		' /run/weft/table || { echo "$o:"; cat /run/weft/table; return 1; }
		# there are some of these, at least
		case $o in
		port | ep | ctx | path | stats | user | flow | limit)
			[ -s /run/weft/table ] || { echo "no $o"; return 1; } ;;
		esac
		node 0 weftctl -br -d $o show $args 2>/dev/null | sed -n 1p |
			grep -q '^\(name\|port\) ' || { echo "$o has no head"; return 1; }
	done
	node 0 weftctl -br port | grep '^weft0  up  [a-z]*  .*10.77.0.1,fd77::1$' &&
		node 0 weftctl -br limit | grep '^weft0  paths  *[0-9]*  *paths ' &&
		node 0 weftctl -br -j limit | grep '^\[{"port":"weft0","limit":"[a-z-]*","value":[0-9]*,"unit":"[a-z]*"'
}

# as many lines as objects, also with what has lines of its own otherwise
oneline()
{
	node 0 weftctl -o -d stats >/run/weft/lines &&
		[ "$(wc -l </run/weft/lines)" = "$(node 0 weftctl stats | wc -l)" ] &&
		grep '^weft0: retransmits [0-9]* unit packets\\    packets sent again$' /run/weft/lines &&
		! grep -v '^weft0: [a-z_]* [0-9]* unit [a-z]*\( settings [a-z -]*\)\?\\    [a-z]' \
			/run/weft/lines || return 1
	for o in port ep ctx path user flow limit; do
		# an object may end meanwhile: until nothing does
		while
			before=$(node 0 weftctl $o | wc -l)
			node 0 weftctl -o -d $o >/run/weft/lines
			[ "$before" != "$(node 0 weftctl $o | wc -l)" ]
		do :; done
		[ "$(grep -c '^weft0: ' /run/weft/lines)" = "$before" ] &&
			[ "$(wc -l </run/weft/lines)" = "$before" ] ||
			{ echo "$o differs"; cat /run/weft/lines; return 1; }
	done
	# a line for each program
	node 0 weftctl -o hang age 0 >/run/weft/lines
	cat /run/weft/lines
	[ "$(wc -l </run/weft/lines)" = "$(grep -c '^weft0: process [0-9]* .*\\    ' \
		/run/weft/lines)" ]
}

details()
{
	# each limit is explained
	node 0 weftctl -d limit >/run/weft/lines &&
		[ "$(grep -c '^    [a-z]' /run/weft/lines)" = "$(grep -c '^weft0: limit ' \
			/run/weft/lines)" ] &&
		node 0 weftctl -d path | grep -A1 ' state up ' | grep '^    packets can be sent' &&
		node 0 weftctl -d ep | grep ' uid 0 user root pid ' &&
		node 0 weftctl -j -d port show weft0 | grep '"text":"packets can leave and arrive"' &&
		counters ep sent sent_bytes received received_bytes &&
		counters path spurious timeouts tx_packets tx_bytes rx_packets rx_bytes
}

# counters OBJECT NAME...: these, and the sums over flows, are explained.
counters()
{
	object=$1
	shift
	node 0 weftctl -s -d $object >/run/weft/lines &&
		node 0 weftctl -j -s -d $object >/run/weft/said || return
	for name in "$@" flows_out flows_in waiting unacked oldest_ms unmatched gaps; do
		grep -q " $name [0-9]" /run/weft/lines &&
			grep -q "^    $name: [a-z]" /run/weft/lines &&
			grep -q "\"${name}_text\":\"[a-z]" /run/weft/said || return
	done
}

# Any form of an address finds the same objects.
addresses()
{
	for words in "ep 10.77.0.1" "ep 10.77.0.1:$(ep_of)" "peer 10.77.0.2"; do
		[ "$(node 0 weftctl flow show $words 2>&1 | grep -c '^weft0: ')" -ge 1 ] ||
			{ echo "no $words"; return 1; }
	done
	node 0 weftctl path probe weft0 fd77::2 count 1 >/run/weft/out || return 1
	for addr in fd77::2 FD77::2 fd77:0:0::2 [fd77::2]; do
		[ "$(node 0 weftctl path show peer $addr | grep -c ' path fd77::2 state up ')" = 1 ] ||
			{ echo "no $addr"; return 1; }
	done
	says 0 "path show peer fd77::77" "nothing matches"
}

# ep, path and ctx by owner, endpoint, peer, state and age
filters()
{
	pid=$(node 0 weftctl -br ep show state enabled | awk '$6 ~ /fi_pingpong/ { print $5 }' |
		head -n 1)
	[ "$pid" ] && [ "$(node 0 weftctl ep show pid $pid | grep -c " pid $pid ")" -ge 1 ] &&
		[ "$(node 0 weftctl ctx show pid $pid | grep -c " pid $pid ")" = 1 ] &&
		node 0 weftctl ep show ep "10.77.0.1:$(ep_of)" | grep " pid $pid " &&
		node 0 weftctl path show weft0 peer 10.77.0.2 state up age 0 | grep ' state up ' &&
		says 0 "ep show state new pid 1" "nothing matches" &&
		says 0 "path show age 86400" "nothing matches" &&
		says 0 "path show state pu" "nothing matches" 'mean "up"?' &&
		says 0 "ctx show pid 1" "nothing matches" &&
		says 1 "path show pid 1" '"pid"' && says 1 "ctx show age 1" '"age"' || return 1
	# the oldest path first
	node 0 weftctl path show | sed 's/.* age_ms \([0-9]*\) .*/\1/' >/run/weft/lines
	cat /run/weft/lines
	[ "$(wc -l </run/weft/lines)" -ge 2 ] && sort -c -n -r /run/weft/lines
}

# The service of an endpoint that has flows
ep_of()
{
	node 0 weftctl flow show ep 10.77.0.1 |
		sed -n "s/.* ep 10.77.0.1:\([0-9]*\) .*/\1/p" | head -n 1
}

# Sums that are not in the list without -s
sums()
{
	for o in ep path; do
		! node 0 weftctl $o | grep flows_out && node 0 weftctl -s $o >/run/weft/lines &&
			grep ' flows_out [1-9][0-9]* flows_in [1-9][0-9]* waiting [0-9]* unacked [0-9]* oldest_ms [0-9]* unmatched [0-9]* gaps [0-9]*$' \
				/run/weft/lines || { cat /run/weft/lines; return 1; }
	done
	node 0 weftctl -stats -j path | grep '"flows_in":[1-9]' || return 1
	! node 0 weftctl ep | grep sent_bytes && ! node 0 weftctl path | grep tx_bytes || return 1
	node 0 weftctl -s ep |
		grep ' sent [1-9][0-9]* sent_bytes [0-9]* received [0-9]* received_bytes [0-9]* ' &&
		node 0 weftctl -s path |
		grep ' timeouts [0-9]* tx_packets [1-9][0-9]* tx_bytes [1-9][0-9]* rx_packets [1-9]'
}

# has_color OPTIONS: weftctl's output has escapes
has_color()
{
	node 0 weftctl "$@" port show weft0 | grep -q "$esc\[36mweft0$esc\[0m"
}

# The same on a terminal
on_terminal()	# OPTIONS, ENVIRONMENT
{
	node 0 env $2 script -qec "weftctl $1 port show weft0" /dev/null </dev/null |
		grep -q "$esc\[36mweft0$esc\[0m"
}

colors()
{
	has_color -c && has_color -c=always && has_color --color=always &&
		! has_color && ! has_color -c=auto && ! has_color -c=never || return 1
	for o in port limit; do
		node 0 weftctl -c -br $o | grep -q "$esc" || { echo "$o has none"; return 1; }
	done
	# they are all that differs
	node 0 weftctl -c limit | sed "s/$esc\[[0-9;]*m//g" >/run/weft/lines
	node 0 weftctl limit | sed 's/ used .* min / min /' >/run/weft/plain
	sed -i 's/ used .* min / min /' /run/weft/lines
	cmp /run/weft/lines /run/weft/plain && ! node 0 weftctl -c -j port | grep "$esc" &&
		exits 1 'mean "always"?' weftctl -c=alway port || return 1
	if command -v script >/dev/null; then
		on_terminal "" && on_terminal -c=auto && ! on_terminal -c=never &&
			! on_terminal "" NO_COLOR=1 && on_terminal -c=always NO_COLOR=1
	fi
}

# completes WORDS... : what bash offers in the place of the last word
completes()
{
	node 0 bash -c '. "$0"; COMP_WORDS=(weftctl "$@"); COMP_CWORD=$#; _weftctl
		echo "${COMPREPLY[*]}"' "$VM_REPO/lib/weftctl/weftctl.bash-completion" "$@"
}

completion()
{
	[ "$(completes p s weft)" = weft0 ] && [ "$(completes l set weft0 unexpected-u)" = \
		unexpected-user ] && [ "$(completes -n "$ns" port set w)" = weft0 ] &&
		[ "$(completes recv show pid "" | tr ' ' '\n' | grep -c '^[0-9]*$')" -ge 1 ]
}

rm -f /run/weft/key
(umask 077 && head -c 32 /dev/urandom >/run/weft/key)
tap_run "unknown ports" wrong_ports
tap_run "other wrong words" wrong_values
tap_run "unknown jobs" wrong_jobs
tap_run "filters that match nothing" nothing
tap_run "help at each level" helps
tap_run "-n" netns
tap_run "-n with a wrong name, or without rights" no_netns
tap_run "colours" colors
tap_run "programs that talk" talkers_start
tap_run "-br" brief
tap_run "-o" oneline
tap_run "-d" details
tap_run "-s" sums
tap_run "addresses in filters" addresses
tap_run "filters of endpoints, paths and contexts" filters
tap_run "completion" completion
talkers_end
tap_done
