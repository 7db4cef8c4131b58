#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# weftctl stats: what each counter counts, and the form for Prometheus
# TIMEOUT: 120

. "$VM_REPO/selftests/vm/lib.sh"

details()
{
	node 0 weftctl stats >/run/weft/plain && node 0 weftctl stats -d >/run/weft/details ||
		return 1
	# each counter has a line of its own, and one that describes it
	sed -n 's/ [0-9]*$//p' /run/weft/plain >/run/weft/names
	sed -n '/^weft/s/ [0-9]* unit [a-z]*\( settings [a-z -]*\)\?$//p' /run/weft/details |
		cmp - /run/weft/names &&
		[ "$(grep -c '^    [a-z]' /run/weft/details)" = "$(grep -c . /run/weft/names)" ] &&
		grep -A1 '^weft0: retransmits ' /run/weft/details |
			grep -x '    packets sent again' &&
		grep '^weft0: limit_paths [0-9]* unit nodes settings paths$' /run/weft/details
}

json()
{
	node 0 weftctl -j -d stats | grep -o '{[^}]*}' >/run/weft/objects || return 1
	[ "$(grep -c . /run/weft/objects)" = "$(grep -c . /run/weft/names)" ] &&
		! grep -v '^{"port":"weft[0-9]","name":"[a-z_]*","value":[0-9]*,"unit":"[a-z]*","settings":"[a-z -]*","text":"[a-z].*"}$' \
			/run/weft/objects
}

# Each metric: its HELP and TYPE once, then all its samples, then another metric.
metrics()
{
	node 0 weftctl port add extra loop addr 10.79.0.1 &&
		node 0 weftctl port set weft0 histograms on &&
		node 0 weftctl stats --prometheus >/run/weft/metrics
	status=$?
	node 0 weftctl port del extra
	node 0 weftctl port set weft0 histograms off
	[ $status = 0 ] && awk '
		/^# HELP / { if (seen[$3]++ || NF < 4) bad("HELP"); name = $3; kind = ""; next }
		/^# TYPE / { if ($3 != name || $4 !~ /^(counter|gauge|histogram)$/) bad("TYPE"); kind = $4; next }
		{
			if (!match($0, /^[a-z_]+\{port="[a-z0-9]+"(,limit="[a-z-]+")?(,le="[0-9.]+"|,le="\+Inf")?\} [0-9.]+$/))
				bad("form")
			sub(/\{.*/, "")
			if (kind == "histogram")
				sub(/_(bucket|sum|count)$/, "")
			if ($0 != name || !kind || (kind == "counter") != ($0 ~ /_total$/)) bad("name")
			n++
		}
		function bad(what) { print what ": " NR ": " $0; failed = 1 }
		END { exit failed || n < 100 }
	' /run/weft/metrics || return 1
	# all counters, of both ports
	sed -n 's/^weft0: //p' /run/weft/names | while read -r name; do
		[ "$(grep -c "^weft_${name}_total{port=\"\(weft0\|extra\)\"} " /run/weft/metrics)" = 2 ] ||
			{ echo "no $name"; exit 1; }
	done && grep '^weft_endpoints{port="extra"} 0$' /run/weft/metrics &&
		grep '^weft_limit{port="weft0",limit="paths"} ' /run/weft/metrics &&
		grep '^weft_send_seconds_bucket{port="weft0",le="+Inf"} 0$' /run/weft/metrics &&
		! grep '^weft_send_seconds_.*"extra"' /run/weft/metrics
}

# It also knows what names, units and types ought to be like, and says so.
promtool()
{
	"$VM_DIR/promtool" check metrics </run/weft/metrics >/run/weft/promtool 2>&1
	status=$?
	cat /run/weft/promtool
	[ $status = 0 ] && [ ! -s /run/weft/promtool ]
}

alone()
{
	! node 0 weftctl --prometheus port show && node 0 weftctl --prometheus stats show weft0 |
		grep -q '^weft_tx_packets_total{port="weft0"} '
}

tap_run "descriptions of counters" details
tap_run "the same as JSON" json
tap_run "the form for Prometheus" metrics
tap_run "that form is for counters alone" alone
# ("make check-all" fetches it)
if [ -x "$VM_DIR/promtool" ]; then
	tap_run "promtool accepts that form" promtool
else
	tap_skip "promtool accepts that form" "promtool has not been fetched (selftests/vm/promtool)"
fi
tap_done
