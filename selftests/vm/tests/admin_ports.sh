#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Ports are made, shown and deleted. Every wrong request is refused with a message and changes
# nothing. sysfs and weftctl show the same.
# TIMEOUT: 200

. "$VM_REPO/selftests/vm/lib.sh"

ports()
{
	ls /dev/weft 2>/dev/null
}

# refuses WORDS COMMAND...: the command fails, prints the words, changes nothing
refuses()
{
	words=$1
	shift
	before=$(ports)
	if said=$("$@" 2>&1); then
		echo "it was accepted: $said"
		return 1
	fi
	echo "$said"
	echo "$said" | grep -qF "$words" && [ "$(ports)" = "$before" ]
}

add()
{
	node 0 weftctl port add "$@"
}

attr()	# PORT ATTRIBUTE
{
	node 0 cat "/sys/class/weft/$1/$2"
}

same_counters()
{
	# rx and tx may change meanwhile: compare the names
	node 0 weftctl stats show weft0 | awk '{ print $2 }' | sort >/run/weft/a
	node 0 ls /sys/class/weft/weft0/counters | sort >/run/weft/b
	diff /run/weft/a /run/weft/b && [ -s /run/weft/a ]
}

same_port()
{
	shown=$(node 0 weftctl port show weft0)
	echo "$shown"
	for a in driver mtu state udp_port; do
		echo "$shown" | grep -qw "$(attr weft0 $a)" || { echo "$a differs"; return 1; }
	done
	for a in $(attr weft0 addresses); do
		echo "$shown" | grep -qw "addr $a" || { echo "$a is missing"; return 1; }
	done
	# KEY:ATTRIBUTE, use and settings; what the driver does not have is empty, or not shown
	for a in engine:engine idle_us:engine_idle_us hot:engine_hot priorities:priorities \
		bypass:bypass bypass_state:bypass_state doorbell:doorbell rma_users:rma_users \
		ctx:contexts ep:endpoints path:paths pinned:pinned_bytes; do
		value=$(attr weft0 "${a#*:}")
		case "$shown " in
		*" ${a%%:*} ${value:-nothing} "*) ;;
		*" ${a%%:*} "*) echo "${a#*:} differs: $value"; return 1 ;;
		*) [ -z "$value" ] || { echo "${a%%:*} is missing"; return 1; } ;;
		esac
	done
}

other_namespace()
{
	ip netns add a0
	ip netns exec a0 ls /sys/class/weft | grep . && return 1
	ip netns exec a0 weftctl port show | grep . && return 1
	refuses "no such port" ip netns exec a0 weftctl port show weft0 &&
		refuses "no such port" ip netns exec a0 weftctl port del weft0 &&
		refuses "taken" ip netns exec a0 weftctl port add weft0 loop addr 10.1.1.1 &&
		! ip netns exec a0 sh -c 'exec 5<>/dev/weft/weft0'
}

user_refused()
{
	refuses "not permitted" node 0 setpriv --reuid 1990 --regid 1990 --clear-groups \
		weftctl port add bad loop addr 10.1.1.1 &&
		refuses "not permitted" node 0 setpriv --reuid 1990 --regid 1990 --clear-groups \
		weftctl port del weft0
}

# root of a user namespace has no rights here
userns_refused()
{
	refuses "not permitted" node 0 setpriv --reuid 1990 --regid 1990 --clear-groups \
		unshare -Urn weftctl port add bad loop addr 10.1.1.1
}

user_looks()
{
	node 0 setpriv --reuid 1990 --regid 1990 --clear-groups weftctl port show | grep -q weft0
}

loop_port()
{
	add l0 loop addr 10.1.1.1 addr fd01::1 udp 4000 || return 1
	attr l0 addresses
	[ "$(attr l0 driver)" = loop ] && [ "$(attr l0 state)" = up ] &&
		[ "$(attr l0 netdev)" = "" ] && [ "$(attr l0 udp_port)" = 4000 ] &&
		[ "$(attr l0 addresses | tr '\n' ' ')" = "10.1.1.1 fd01::1 " ] &&
		[ -c /dev/weft/l0 ] && node 0 weftctl port del l0 && [ ! -e /dev/weft/l0 ]
}

# Ports are made and deleted at the same time by several processes.
race()
{
	for i in 1 2 3 4; do
		(
			for j in 1 2 3 4 5; do
				add r0 loop addr 10.1.1.1
				node 0 weftctl port del r0
			done
		) >/dev/null 2>&1 &
		pids="$pids $!"
	done
	wait $pids
	node 0 weftctl port del r0 2>/dev/null
	[ ! -e /dev/weft/r0 ]
}

many()
{
	node 0 sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 \
		21 22 23 24 25 26 27 28 29 30; do
		weftctl port add m$i loop addr 10.1.1.$i || exit 1; done' || return 1
	[ "$(node 0 weftctl stats show | grep -c tx_packets)" -ge 30 ] &&
		[ "$(node 0 weftctl port show | grep -c '^m')" = 30 ] || return 1
	node 0 sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 \
		21 22 23 24 25 26 27 28 29 30; do
		weftctl port del m$i || exit 1; done'
}

# A file like /etc/weft.conf: -f runs all commands that succeed
batch()
{
	file=/run/weft/batch
	cat >$file <<-'EOF'
		# two ports, and an impossible one
		port add b0 loop addr 10.1.2.1
		port add b1 netdev nonesuch0
		port add b2 loop \
			addr 10.1.2.2	# of two lines
		limit set b2 paths 100
	EOF
	said=$(node 0 weftctl -b $file 2>&1) && return 1
	echo "$said"
	echo "$said" | grep -qF "$file:3: " && [ "$(ports | grep '^b')" = b0 ] &&
		node 0 weftctl port del b0 || return 1
	node 0 weftctl -f -b $file
	[ $? = 2 ] && [ "$(ports | grep '^b')" = "b0
b2" ] && node 0 weftctl limit show b2 | grep -q "paths value 100 " || return 1
	printf 'port del b0\nport del b2\n' | node 0 weftctl -b - && ! ports | grep '^b'
}

# Each command's array is complete, whatever was shown before
batch_json()
{
	printf 'stats show weft0\nstats show weft0\nport show weft0\n' >/run/weft/batch
	said=$(node 0 weftctl -j -b /run/weft/batch) || return 1
	[ "$(echo "$said" | grep -c '^\[{"[^{}]*}\]$')" = 3 ] &&
		[ "$(echo "$said" | grep -c '^\[{"port":"weft0",')" = 2 ] ||
		{ echo "$said"; return 1; }
}

# exits STATUS COMMAND...
exits()
{
	want=$1
	shift
	"$@"
	status=$?
	[ $status = "$want" ] || { echo "$* exits with $status"; return 1; }
}

# as weftctl(8) lists them
statuses()
{
	head -c 32 /dev/urandom >/run/weft/key
	exits 0 node 0 weftctl port show >/dev/null &&
		exits 1 node 0 weftctl nonesuch && exits 1 node 0 weftctl port add &&
		exits 1 node 0 weftctl -b /nonesuch &&
		exits 1 node 0 weftctl job add lab key /nonesuch &&
		exits 1 node 0 sh -c 'exec weftctl port show >/dev/full' &&
		echo "port show" >/run/weft/batch &&
		exits 1 node 0 weftctl -b /run/weft/batch -S /nonesuch/state &&
		exits 2 node 0 weftctl port del nonesuch &&
		exits 2 unshare -n weftctl job add lab key /run/weft/key
}

tap_run "weftctl and sysfs tell the same of the port" same_port
tap_run "weftctl and sysfs have the same counters" same_counters
tap_run "a loop port" loop_port
tap_run "thirty ports" many
tap_run "made and deleted at the same time" race
tap_run "exit status" statuses
tap_run "commands from a file" batch
tap_run "JSON of commands from a file" batch_json
tap_run "seen only in its namespace" other_namespace
ip netns del a0
tap_run "a user may not change" user_refused
tap_run "root of a user namespace may not change" userns_refused
tap_run "a user may look" user_looks

tap_run "name taken" refuses "taken" add weft0 loop addr 10.1.1.1
tap_run "name with a slash" refuses "letters" add a/b loop addr 10.1.1.1
tap_run "name of dots" refuses "letters" add .. loop addr 10.1.1.1
tap_run "unknown driver" refuses "nonesuch" add bad nonesuch addr 10.1.1.1
tap_run "loop without address" refuses "needs an address" add bad loop
tap_run "netdev without device" refuses "device" add bad netdev nonesuch0
tap_run "the loopback device" refuses "loop" add bad netdev lo
tap_run "group address" refuses "one node" add bad loop addr 224.0.0.1
tap_run "address 0" refuses "one node" add bad loop addr 0.0.0.0
tap_run "IPv6 group address" refuses "one node" add bad loop addr ff02::1
tap_run "address twice" refuses "twice" add bad loop addr 10.1.1.1 addr 10.1.1.1
tap_run "five addresses" refuses "at most 4" add bad loop addr 10.1.1.1 addr 10.1.1.2 \
	addr 10.1.1.3 addr 10.1.1.4 addr 10.1.1.5
tap_run "delete what is not there" refuses "no such port" node 0 weftctl port del nonesuch
tap_run "show what is not there" refuses "no such port" node 0 weftctl port show nonesuch
if [ "$LINK" = veth ]; then
	tap_run "address that the device does not have" refuses "does not have" \
		add bad netdev veth0 addr 10.99.0.1
	tap_run "address of another port" refuses "another port" add bad netdev veth0
	node 0 ip link add dummy0 type dummy && node 0 ip link set dummy0 up mtu 1000 &&
		node 0 ip addr add 10.98.0.1/24 dev dummy0
	tap_run "small MTU" refuses "1280" add bad netdev dummy0
	node 0 ip addr flush dev dummy0
	node 0 ip link set dummy0 mtu 1500
	node 0 sysctl -qw net.ipv6.conf.dummy0.disable_ipv6=1
	tap_run "device without address" refuses "no global address" add bad netdev dummy0
	node 0 ip link del dummy0
fi
tap_done
