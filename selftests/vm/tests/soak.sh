#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# All at once, at random, for long
#
# Programs check each of their messages (fi_random). Others are killed meanwhile. Ports are deleted
# under programs, engines are switched, and a link gets bad and good again. Only killed programs
# fail, none hangs, and no object is left.
#
# TIME=SECONDS (default 15), SEED=N: random numbers; "make soak" takes longer.
# TIMEOUT: 300

. "$VM_REPO/selftests/vm/lib.sh"

[ "$LINK" = veth ] || { tap_skip "soak" "there is no veth link"; tap_done; }

seed=${SEED:-$(date +%s)}
end=$((SECONDS + ${TIME:-15}))
log=/run/weft/soak
mkdir -p $log
echo "# SEED=$seed TIME=${TIME:-15}"

# Each of the following is a process of its own, with random numbers of its own.
row() { RANDOM=$((seed % 30000 + $1)); }
on() { [ $SECONDS -lt $end ]; }
below() { echo $((RANDOM % $1)); }
pause() { sleep "$(below "$1").$(below 10)"; }

program()	# NUMBER
{
	local type apart s n=0

	row "$1"
	while on; do
		type=$([ $((RANDOM & 1)) = 0 ] && echo rdm || echo msg)
		apart=$((RANDOM & 1))
		s=$RANDOM
		if ! timeout $((200 * VM_SLOW)) "$VM_BUILD/selftests/fi_random" $type $apart $s 2 \
				>"$log/out.$1" 2>&1; then
			echo "fi_random $type $apart $s 2 has failed" >>"$log/bad"
			grep -v '^ok' "$log/out.$1" | tail -n 20 >>"$log/bad"
		fi
		n=$((n + 2))
	done
	echo $n >"$log/programs.$1"
}

victim()	# NUMBER
{
	local pid n=0

	row "$1"
	while on; do
		"$VM_BUILD/selftests/fi_random" rdm $((RANDOM & 1)) $RANDOM 20 >/dev/null 2>&1 &
		pid=$!
		pause 3
		# the program may have ended
		kill -9 $pid 2>/dev/null
		wait $pid 2>/dev/null
		n=$((n + 1))
	done
	echo $n >"$log/kills"
}

deleter()	# NUMBER
{
	local n=0

	row "$1"
	while on; do
		node 0 weftctl port add soak loop addr 127.0.0.99 >/dev/null || {
			echo "a port cannot be made" >>"$log/bad"
			return
		}
		node 0 timeout $((100 * VM_SLOW)) fi_pingpong -p weft -d soak -e rdm -I 100000 >/dev/null 2>&1 &
		server=$!
		vm_wait 20 vm_listening $server 47592
		node 0 timeout $((100 * VM_SLOW)) fi_pingpong -p weft -d soak -e rdm -I 100000 127.0.0.1 \
			>/dev/null 2>&1 &
		client=$!
		pause 2
		node 0 weftctl port del soak force || echo "a port cannot be deleted" >>"$log/bad"
		for p in $client $server; do
			wait $p
			[ $? != 124 ] || echo "a program does not end with its port" >>"$log/bad"
		done
		n=$((n + 1))
	done
	echo $n >"$log/ports"
}

switcher()	# NUMBER
{
	local engines=(inline poll auto) n=0

	row "$1"
	while on; do
		node $((n & 1)) weftctl port set weft$((n & 1)) engine ${engines[RANDOM % 3]} \
			idle-us $((1 + RANDOM)) || echo "an engine cannot be set" >>"$log/bad"
		n=$((n + 1))
		pause 2
	done
	for i in 0 1; do
		node $i weftctl port set weft$i engine inline idle-us 100
	done
	echo $n >"$log/switches"
}

weather()	# NUMBER
{
	local n

	row "$1"
	while on; do
		for n in 0 1; do
			node $n tc qdisc replace dev veth$n root netem limit 10000 \
				delay $((1 + RANDOM % 3000))us loss $(below 4)% duplicate $(below 3)% \
				reorder $((80 + RANDOM % 20))% ||
				echo "the link cannot be made bad" >>"$log/bad"
		done
		pause 5
	done
	for n in 0 1; do
		node $n tc qdisc del dev veth$n root
	done
}

all_well()
{
	[ ! -e "$log/bad" ] || { cat "$log/bad"; return 1; }
	echo "programs: $(cat $log/programs.* | tr '\n' ' '), killed: $(cat $log/kills)," \
		"ports: $(cat $log/ports), switches: $(cat $log/switches)"
}

left()	# nothing, soon
{
	local n a

	for n in 0 1; do
		for a in contexts endpoints pinned_bytes; do
			[ "$(node $n cat /sys/class/weft/weft$n/$a)" = 0 ] || return 1
		done
	done
}

weather 1 &
switcher 2 &
deleter 3 &
victim 4 &
program 5 &
program 6 &
wait
tap_run "programs at random, killed, without port, over a bad link" all_well
all_well | sed 's/^/# /'
tap_run "nothing is left" vm_wait 60 left
# a long soak ends with all kinds of endpoints and faults, with many kills
[ "${TIME:-15}" -lt 600 ] ||
	tap_run "all kinds of endpoints" "$VM_BUILD/selftests/fi_breadth" 20 "$seed"
rm -rf $log
tap_done
