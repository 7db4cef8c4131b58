#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# weftctl stats -i, stats reset: what is counted since a time, while two programs send to each other
# TIMEOUT: 180

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/rates.sh"

base=/run/weftctl/baseline

# --- intervals ---------------------------------------------------------------

# Both intervals have messages, and no counter that has not changed.
two_intervals()
{
	node 0 weftctl stats -i 0.5 -c 2 show weft0 >/run/weft/rates || return 1
	cat /run/weft/rates
	[ "$(grep -c '^weft0: msgs_sent [1-9][0-9]* per_s [0-9]*\.[0-9]$' /run/weft/rates)" = 2 ] &&
		[ "$(grep -c '^$' /run/weft/rates)" = 2 ] &&
		! grep -E ' 0 per_s|^weft1' /run/weft/rates &&
		! grep -v '^weft0: [a-z_]* [0-9]* per_s [0-9]*\.[0-9]$' /run/weft/rates | grep .
}

two_as_json()
{
	node 0 weftctl -j stats -i 0.5 -c 2 >/run/weft/rates && json </run/weft/rates &&
		[ "$(grep -c '^{"interval_ms":[0-9]*,"counters":\[' /run/weft/rates)" = 2 ] &&
		[ "$(grep -c '{"port":"weft0","name":"msgs_sent","count":[1-9][0-9]*,"per_s":' \
			/run/weft/rates)" = 2 ]
}

wrong()
{
	refused "number of seconds" stats -i 0 && refused "number from 1" stats -c 0 &&
		refused "needs a value" stats -i && refused "no option" stats -z &&
		refused "do not go together" stats -i 1 --since-reset &&
		refused "do not go together" stats --prometheus --since-reset &&
		refused "no such port" stats -i 1 show nonesuch
}

# --- the baseline ------------------------------------------------------------

value()	# ARGUMENTS...: the counter msgs_sent
{
	node 0 weftctl stats "$@" show weft0 | sed -n 's/^weft0: msgs_sent //p'
}

no_baseline()
{
	rm -rf /run/weftctl
	refused "stats reset" stats --since-reset
}

# The values are those since then; the kernel's own go on.
reset()
{
	before=$(value)
	node 0 weftctl stats reset && all=$(value) && vm_wait 20 moves && since=$(value --since-reset) &&
		now=$(node 0 cat /sys/class/weft/weft0/counters/msgs_sent) || return 1
	echo "before $before, then $all, since $since, now $now"
	[ "$before" -le "$all" ] && [ "$all" -lt "$now" ] && [ "$since" -gt 0 ] &&
		[ "$since" -le $((now - before)) ] &&
		[ "$(stat -c %a $base)" = 600 ] && [ "$(ls /run/weftctl)" = baseline ]
}

moves()
{
	[ "$(value --since-reset)" -gt 0 ]
}

since_json()
{
	node 0 weftctl -j stats --since-reset >/run/weft/rates && json </run/weft/rates &&
		node 0 weftctl -j -d stats --since-reset >/run/weft/rates && json </run/weft/rates
}

# Another port keeps its values when one is reset.
one_port()
{
	node 0 weftctl port add extra loop addr 10.79.0.1 && node 0 weftctl stats reset &&
		grep '^weft0 ' $base >/run/weft/old && node 0 weftctl stats reset port extra &&
		grep '^weft0 ' $base | cmp - /run/weft/old && grep -q '^extra msgs_sent 0$' $base
	status=$?
	node 0 weftctl port del extra
	return $status
}

# The baseline says that a port has counted more than it has.
anew()
{
	node 0 weftctl stats reset && sed -i 's/^weft0 rx_version .*/weft0 rx_version 99/' $base &&
		node 0 weftctl stats --since-reset >/run/weft/rates 2>/run/weft/said || return 1
	cat /run/weft/said
	grep -q 'weft0 was made anew: it is shown from zero' /run/weft/said &&
		grep -qx 'weft0: rx_version 0' /run/weft/rates &&
		[ "$(sed -n 's/^weft0: msgs_sent //p' /run/weft/rates)" -gt \
			"$(sed -n 's/^weft0 msgs_sent //p' $base)" ]
}

# After another start of the machine, too
restarted()
{
	node 0 weftctl stats reset && old=$(value) &&
		sed -i '2s/.*/boot 00000000-0000-0000-0000-000000000000/' $base &&
		[ "$(value --since-reset)" -ge "$old" ]
}

hostile()
{
	for text in '' 'weft0 a 1' "$(printf 'weftctl baseline 1\nboot x\nweft0 \033[2J 1')" \
		"$(printf 'weftctl baseline 1\nboot x\nweft0 a 99999999999999999999')"; do
		printf '%s\n' "$text" >$base
		refused "this is no baseline" stats --since-reset || return 1
	done
	head -c 100000 /dev/urandom >$base
	refused "this is no baseline" stats --since-reset &&
		refused "this is no baseline" stats reset weft0 &&
		node 0 weftctl stats reset && node 0 weftctl stats --since-reset
}

# A full disk leaves the old baseline, and nothing else.
full()
{
	rm -rf /run/weftctl && mkdir /run/weftctl && mount -t tmpfs -o size=16k none /run/weftctl &&
		node 0 weftctl stats reset && cp $base /run/weft/old
	status=$?
	cat /dev/zero >/run/weftctl/fill 2>/dev/null
	[ $status = 0 ] && refused "No space left on device" stats reset && cmp $base /run/weft/old &&
		[ "$(ls /run/weftctl | tr '\n' ' ')" = "baseline fill " ]
	status=$?
	umount /run/weftctl
	return $status
}

# Another user has another file, by the variables of the environment.
of_a_user()
{
	mkdir -p /run/weft/home && chown 1990 /run/weft/home || return 1
	for set in XDG_RUNTIME_DIR= XDG_CACHE_HOME= HOME=; do
		rm -rf /run/weft/home/* /run/weft/home/.cache
		user env -i PATH="$PATH" ${set}/run/weft/home weftctl stats reset &&
			user env -i PATH="$PATH" ${set}/run/weft/home weftctl stats --since-reset |
			grep -q '^weft0: msgs_sent ' || return 1
	done
	[ -e /run/weft/home/.cache/weftctl/baseline ] && ! user env -i PATH="$PATH" weftctl stats reset
}

tap_run "programs send to each other" start
tap_run "what is counted in each interval" two_intervals
tap_run "the same as JSON" two_as_json
tap_run "wrong options are refused" wrong
tap_run "without a baseline" no_baseline
tap_run "counters since a reset" reset
tap_run "the same as JSON" since_json
tap_run "one port is reset" one_port
tap_run "a port that was made anew" anew
tap_run "a baseline of another start" restarted
tap_run "a baseline of wrong content" hostile
tap_run "a full disk" full
tap_run "a user has a baseline" of_a_user
rm -rf /run/weftctl /run/weft/home
stop
tap_done
