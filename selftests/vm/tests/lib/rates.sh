# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Programs that send to each other, and checks of weftctl. Sourced after ../lib.sh.

# Starts $server on node 1 and $client on node 0.
start()
{
	sent=$(node 0 cat /sys/class/weft/weft0/counters/msgs_sent)
	node 1 fi_pingpong -p weft -e rdm -I 100000000 >/run/weft/pp.server 2>&1 &
	server=$!
	vm_wait 30 vm_listening $server 47592 || return 1
	node 0 fi_pingpong -p weft -e rdm -I 100000000 10.77.0.2 >/run/weft/pp.client 2>&1 &
	client=$!
	vm_wait 30 sends_much
}

sends_much()
{
	[ "$(node 0 cat /sys/class/weft/weft0/counters/msgs_sent)" -gt $((sent + 100)) ]
}

stop()
{
	kill $server $client
	wait $server $client 2>/dev/null
	return 0
}

refused()	# WORDS ARGUMENTS...
{
	words=$1
	shift
	if said=$(node 0 weftctl "$@" 2>&1); then
		echo "it was accepted: $said"
		return 1
	fi
	echo "$said"
	echo "$said" | grep -qF -- "$words"
}

user()
{
	node 0 setpriv --reuid 1990 --regid 1990 --clear-groups "$@"
}

# Return 0: standard input has lines, and each is JSON
json()
{
	perl -MJSON::PP -ne 'decode_json($_); END { exit !$. }'
}
