#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Locks with 1 to 16 pairs of programs on as many CPUs
#
# The kernel counts how often each lock is taken, and how often a CPU had to wait for it. Each pair
# is a stock fi_pingpong whose client is on node 0. Three ways:
#
#   paths   each server is on a node of its own: each pair has a path of its own
#   path    all servers are on node 1: all pairs share a path
#   node    all servers are on node 0
#
# Locks that belong to a whole port are not taken for messages on an established flow. Waits for
# locks do not become more with the pairs: 16 pairs wait for a message at most half as often again
# as four pairs do, and one time in twenty. (The emulator stops a CPU at any place, perhaps with a
# lock, so some waits are its own. Both ends of a path take its lock, so one pair waits, too.)
#
# Run on the host; the part "inside" runs in the machine.
# FLAVOUR: lockstat

pairs_max=16
rounds=500	# messages in each direction
fixed=200	# locks that a pair may take to set up and to end

# Locks of a path, an endpoint, a queue or a program; all others belong to a port
own='^(path|pp|ep|cq|ctx|rings|mc|deferred)->'

inside()
{
	. "$VM_REPO/selftests/vm/lib.sh"
	vm_quick_start
	mkdir -p /run/weft/out
	tap_run "17 nodes" nodes || tap_done
	for way in paths path node; do
		for pairs in 1 2 4 8 16; do
			tap_run "$way, $pairs pairs" measure $way $pairs
			sed 's/^/# /' /run/weft/out/table
		done
		tap_run "$way: no lock of a port for a message" no_wide $way
		tap_run "$way: waits for locks stay flat" flat $way
	done
	tap_done
}

nodes()
{
	ip netns add hub && ip -n hub link add br0 type bridge && ip -n hub link set br0 up || return 1
	for i in $(seq 0 $pairs_max); do
		ip netns add n$i &&
			ip link add veth$i netns n$i type veth peer name port$i netns hub &&
			ip -n hub link set port$i master br0 up &&
			vm_addr n$i veth$i $((i + 1)) && echo n$i >/run/weft/node$i &&
			vm_port $i weft$i netdev veth$i || return 1
	done
}

# to WAY PAIR: the node of its server
to()
{
	case $1 in paths) echo "$2" ;; path) echo 1 ;; node) echo 0 ;; esac
}

# measure WAY PAIRS: the class of each lock, how often it was taken for a message, and how often a
# CPU waited for it, in out/WAY.PAIRS
measure()
{
	pids=
	for i in $(seq 1 "$2"); do
		node $(to $1 $i) timeout 300 fi_pingpong -p weft -e rdm -S 8 -I $rounds -B $((7000 + i)) \
			>/run/weft/out/server$i 2>&1 &
		pids="$pids $!"
		vm_wait 30 vm_listening $! $((7000 + i)) || return 1
	done
	echo 1 >/proc/sys/kernel/lock_stat
	echo 0 >/proc/lock_stat
	for i in $(seq 1 "$2"); do
		node 0 timeout 300 fi_pingpong -p weft -e rdm -S 8 -I $rounds -P $((7000 + i)) \
			10.77.0.$(($(to $1 $i) + 1)) >/run/weft/out/client$i 2>&1 &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || { cat /run/weft/out/server* /run/weft/out/client*; return 1; }
	done
	echo 0 >/proc/sys/kernel/lock_stat
	awk -v messages=$((2 * rounds * $2)) '
		/:.*[0-9]/ && NF >= 13 {
			name = $0
			sub(/:[^:]*$/, "", name)
			gsub(/^[ \t]*|->spin|[()&]/, "", name)
			n = split(substr($0, match($0, /:[^:]*$/) + 1), v, " ")
			if (n >= 12)
				printf "%-30s %9.4f taken %9.4f waited\n", name,
					v[8] / messages, v[2] / messages
		}' /proc/lock_stat >/run/weft/out/all
	grep -E '^(core|path|ep|cq|eq|srq|grants|port|pp|poller|deferred|q|neighs|mc|ctx|rings)->' \
		/run/weft/out/all | tee /run/weft/out/$1.$2 >/run/weft/out/table
	[ -s /run/weft/out/table ]
}

# no_wide WAY: with most pairs, whose traffic has the smallest share of set-up
no_wide()
{
	awk -v own="$own" -v most=$fixed -v messages=$((2 * rounds)) '
		$1 !~ own { n++ }
		$1 !~ own && $2 * messages > most { print; bad = 1 }
		END { exit bad || !n }' /run/weft/out/$1.$pairs_max
}

# waits WAY PAIRS: for all locks of weft, for a message
waits()
{
	awk '{ s += $4 } END { printf "%.4f\n", s }' "/run/weft/out/$1.$2"
}

# flat WAY
flat()
{
	for n in 1 2 4 8 16; do
		echo "$n pairs: $(waits "$1" $n) waits"
	done
	awk -v few="$(waits "$1" 4)" -v many="$(waits "$1" 16)" \
		'BEGIN { exit many > 1.5 * few + 0.05 }'
}

if [ "${1-}" = inside ]; then
	inside
	exit
fi
here=$(cd "$(dirname "$0")/.." && pwd)
VM_CPUS=16 VM_MEM=4G LINK=none VM_TIMEOUT=1800 \
	"$here/run" 'bash selftests/vm/machines/many_cpus.sh inside'
