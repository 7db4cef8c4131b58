#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# All at once, at random, for long
#
# Programs check each of their messages (fi_random). Others are killed meanwhile. Ports are deleted
# under programs, engines are switched, and a link gets bad and good again. Only killed programs
# fail, none hangs, and no object is left.
#
# TIME=SECONDS (default 15), SEED=N: random numbers; "make soak" takes longer. Lines "#> figure"
# are for the page that it writes (selftests/figures).
# TIMEOUT: 2400

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
wrong() { echo "$*" >>"$log/bad"; }
figure() { local IFS=$'\t'; echo "#> figure $*"; }

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
			wrong "fi_random $type $apart $s 2 has failed"
			grep -v '^ok' "$log/out.$1" | tail -n 20 >>"$log/more"
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
			wrong "a port cannot be made"
			return
		}
		node 0 timeout $((100 * VM_SLOW)) fi_pingpong -p weft -d soak -e rdm -I 100000 >/dev/null 2>&1 &
		server=$!
		vm_wait 20 vm_listening $server 47592
		node 0 timeout $((100 * VM_SLOW)) fi_pingpong -p weft -d soak -e rdm -I 100000 127.0.0.1 \
			>/dev/null 2>&1 &
		client=$!
		pause 2
		node 0 weftctl port del soak force || wrong "a port cannot be deleted"
		for p in $client $server; do
			wait $p
			[ $? != 124 ] || wrong "a program does not end with its port"
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
			idle-us $((1 + RANDOM)) || wrong "an engine cannot be set"
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
	local n changes=0

	row "$1"
	while on; do
		for n in 0 1; do
			node $n tc qdisc replace dev veth$n root netem limit 10000 \
				delay $((1 + RANDOM % 3000))us loss $(below 4)% duplicate $(below 3)% \
				reorder $((80 + RANDOM % 20))% ||
				wrong "the link cannot be made bad"
		done
		changes=$((changes + 1))
		pause 5
	done
	for n in 0 1; do
		node $n tc qdisc del dev veth$n root
	done
	echo $changes >"$log/weather"
}

# About a hundred times: what goes on
observer()
{
	local begun=$SECONDS every=$((${TIME:-15} / 100)) n at now=0 took last=(0 0) again=(0 0) got

	[ $every -gt 0 ] || every=1
	while on; do
		sleep $every
		took=$((SECONDS - begun - now))
		[ $took -gt 0 ] || continue
		now=$((SECONDS - begun))
		for n in 0 1; do
			at=/sys/class/weft/weft$n
			got=($(node $n cat $at/counters/msgs_received $at/counters/retransmits \
				$at/endpoints $at/pinned_bytes))
			figure P "messages" "node $n" $now $(((got[0] - last[n]) / took))
			figure P "packets sent again" "node $n" $now \
				$(((got[1] - again[n]) / took))
			figure P "endpoints" "node $n" $now ${got[2]}
			figure P "memory" "pinned, node $n" $now $((got[3] >> 20))
			last[n]=${got[0]} again[n]=${got[1]}
		done
		figure P "memory" "kernel's slabs" $now \
			$(($(sed -n 's/^Slab: *\([0-9]*\) kB/\1/p' /proc/meminfo) >> 10))
	done
}

figures_begin()
{
	figure H seed $seed
	figure H duration "${TIME:-15} s"
	figure H kernel "$(uname -r)"
	figure C "messages" linear "time (s)" "messages received (1/s)"
	figure C "packets sent again" linear "time (s)" "retransmissions (1/s)"
	figure C "endpoints" linear "time (s)" "endpoints"
	figure C "memory" linear "time (s)" "memory (MiB)"
}

# count ROW FILE...: of a part of the work
count()
{
	local name=$1

	shift
	figure R work "$name" done $(($(cat "$@" | tr '\n' +)0))
}

figures_end()
{
	local n name value

	figure S work "what went on at random"
	figure U work done times "of all processes of this kind"
	count "programs that check their messages" $log/programs.*
	count "programs killed" $log/kills
	count "ports deleted under programs" $log/ports
	count "engines switched" $log/switches
	count "links changed" $log/weather
	figure S counters "counters of both ports at the end; weftctl stats -d says what they count"
	for n in 0 1; do
		figure U counters "weft$n" "" "the port of node $n"
		node $n grep -H . -r /sys/class/weft/weft$n/counters/ | sort |
			while IFS=: read -r name value; do
				[ "$value" = 0 ] ||
					figure R counters "${name##*/}" "weft$n" "$value"
			done
	done
}

# none NAME N: a target of the page
none() { figure T "$1" "$2" 0 $([ "$2" = 0 ] && echo met || echo MISSED); }

all_well()
{
	[ ! -e "$log/bad" ] || { cat "$log/bad" "$log/more"; return 1; }
	echo "programs: $(cat $log/programs.* | tr '\n' ' '), killed: $(cat $log/kills)," \
		"ports: $(cat $log/ports), switches: $(cat $log/switches)"
}

left()	# prints how much is left
{
	local n a all=0

	for n in 0 1; do
		for a in contexts endpoints pinned_bytes; do
			all=$((all + $(node $n cat /sys/class/weft/weft$n/$a)))
		done
	done
	echo $all
}
nothing_left() { [ "$(left)" = 0 ]; }

touch "$log/more"
figures_begin
observer &
weather 1 &
switcher 2 &
deleter 3 &
victim 4 &
program 5 &
program 6 &
wait
tap_run "programs at random, killed, without port, over a bad link" all_well
all_well | sed 's/^/# /'
tap_run "nothing is left" vm_wait 60 nothing_left
figures_end
none "failures of programs, ports, engines and links" $(cat $log/bad 2>/dev/null | wc -l)
none "contexts, endpoints and pinned bytes left" $(left)
# a long soak ends with all kinds of endpoints and faults, with many kills
[ "${TIME:-15}" -lt 600 ] ||
	tap_run "all kinds of endpoints" "$VM_BUILD/selftests/fi_breadth" 20 "$seed"
rm -rf $log
tap_done
