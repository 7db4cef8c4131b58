#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# weftctl histogram: the setting, and what real traffic leaves in each histogram. The host's
# test_measure has the meaning of each value.
# TIMEOUT: 180

. "$VM_REPO/selftests/vm/lib.sh"

shows()	# SETTING
{
	[ "$(node 0 cat /sys/class/weft/weft0/histograms)" = "$1" ] &&
		node 0 weftctl port show weft0 | grep " histograms $1 " &&
		node 0 weftctl -j port show weft0 | grep -q "\"histograms\":\"$1\""
}

set_to()	# SETTING
{
	node 0 weftctl port set weft0 histograms "$1" && shows "$1"
}

refused()
{
	node 0 weftctl port set weft0 histograms yes 2>&1 | grep "it must be on or off" || return 1
	! node 0 setpriv --reuid 7 --clear-groups --bounding-set=-all weftctl port set weft0 \
		histograms off && shows on
}

# All four histograms, without a value, and without a line for a bucket
empty()	# SETTING
{
	node 0 weftctl histogram >/run/weft/text && cat /run/weft/text &&
		[ "$(grep -cx "weft0: name [a-z_]* histograms $1 unit [a-z]* values 0" \
			/run/weft/text)" = 4 ] && [ "$(grep -c . /run/weft/text)" = 4 ]
}

values()	# NAME
{
	node 0 weftctl histogram | sed -n "s/^weft0: name $1 .* values \([0-9]*\).*/\1/p"
}

counted()	# COUNTER
{
	node 0 cat /sys/class/weft/weft0/counters/"$1"
}

exchange()
{
	node 0 fi_pingpong -p weft -e rdm -I 500 -S 64 >/run/weft/pp 2>&1 &
	server=$!
	vm_wait 20 vm_listening $server 47592 || return 1
	node 1 fi_pingpong -p weft -e rdm -I 500 -S 64 10.77.0.1 && wait $server
}

# Each message of this node counts once on each side: none failed, and none was left over.
measured()
{
	sent=$(counted msgs_sent) received=$(counted msgs_received)
	exchange || return 1
	sent=$(($(counted msgs_sent) - sent)) received=$(($(counted msgs_received) - received))
	node 0 weftctl histogram
	[ "$sent" -ge 500 ] && [ "$received" -ge 500 ] &&
		[ "$(values send)" = "$sent" ] && [ "$(values receive_wait)" = "$received" ] &&
		[ "$(values message_wait)" = "$received" ] && [ "$(values search)" -ge "$received" ]
}

# The lines of the buckets, and JSON, add up to the number of values.
adds_up()
{
	node 0 weftctl histogram | awk '
		/^weft/ { check(); values = $(NF); for (i = 1; i < NF; i++)
			if ($i == "values") values = $(i + 1); name = $3; sum = 0; next }
		{ for (i = 1; $i != "%"; i++); sum += $(i - 2) }
		function check() { if (name && sum != values) { print name, sum, values; bad = 1 } }
		END { check(); exit bad || !name }' &&
		node 0 weftctl -j histogram show weft0 | python3 -c '
import json, sys
all = json.load(sys.stdin)
assert len(all) == 4
for h in all:
    assert h["port"] == "weft0" and h["values"] == sum(b["count"] for b in h["buckets"])
    assert h["values"] and h["mean"] == h["sum"] // h["values"]
    assert h["p50"] <= h["p90"] <= h["p99"]
    assert h["buckets"][0]["count"] and h["buckets"][-1]["count"]
'
}

keeps()
{
	before=$(values send)
	set_to off && exchange && [ "$(values send)" = "$before" ]
}

tap_run "they begin off" shows off
tap_run "nothing is measured" empty off
tap_run "on" set_to on
tap_run "refused settings change nothing" refused
tap_run "nothing has been measured" empty on
tap_run "each message is measured once" measured
tap_run "buckets add up" adds_up
tap_run "on again changes nothing" set_to on
tap_run "the values stay" adds_up
tap_run "off keeps the values" keeps
tap_run "they begin empty again" set_to on
tap_run "no value is left" empty on
tap_run "off" set_to off
tap_done
