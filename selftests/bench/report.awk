# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Prints the records and the targets as tables, and each bar that is missed. The status is 1 if one
# is. (After records.awk and targets.awk)

function title(u, f)
{
	if (f == "host")
		return "kernel/core alone, native: ns with the unit tests' locks and network," \
			" instructions without"
	if (f == "one")
		return "Guest instructions per message, both ends in one thread"
	if (f == "hosts")
		return "Guest instructions per message, not idle, of two machines back to back"
	if (u == "ns")
		return "Emulated time in ns, two processes that wait (shm: that poll): only ratios" \
			" count, and even those lie"
	return "Guest instructions per message, two processes that wait (shm: that poll)"
}

function record_line(r,    byte, spread)
{
	spread = mid[r] ? 100 * (high[r] - low[r]) / mid[r] : 0
	if (form[r] == "host") {
		printf "  %-30s %12s %-4s %7.1f%%\n", what[r], shown(mid[r]), unit[r], spread
		return
	}
	byte = ""
	if (param[r] >= 65536 && what[r] != "overlap")
		byte = sprintf("%.3f", mid[r] / param[r])
	printf "  %-18s %-11s %8s %12s %7.1f%% %10s\n", peer[r], what[r], param[r], shown(mid[r]),
		spread, byte
}

function is_count(r) { return unit[r] ~ /^(calls|packets|bytes)$/ || what[r] == "softirq" }

# A table for each title, in the order of the first records
function tables(    r, i, n, t, order, seen)
{
	for (r = 1; r <= nrecords; r++) {
		if (is_count(r))
			continue
		t = title(unit[r], form[r])
		if (!(t in seen))
			order[++n] = t
		seen[t]
	}
	for (i = 1; i <= n; i++) {
		printf "\n%s\n", order[i]
		if (order[i] !~ /^kernel/)
			printf "  %-18s %-11s %8s %12s %8s %10s\n", "row", "measure", "",
				"median", "spread", "per byte"
		for (r = 1; r <= nrecords; r++)
			if (!is_count(r) && title(unit[r], form[r]) == order[i])
				record_line(r)
	}
}

# What messages cost besides: a line for each row and size
function counts(    r, n)
{
	for (r = 1; r <= nrecords; r++) {
		if (what[r] != "calls")
			continue
		if (!(n++))
			printf "\nSystem calls, packets sent (one that is segmented later counts" \
				" once), instructions in softirq\nper message, both ends in one" \
				" thread; bytes stored per byte\n" \
				"  %-18s %8s %8s %8s %10s %10s %10s %8s\n", "row", "", "calls",
				"packets", "in bursts:", "packets", "softirq", "stored"
		printf "  %-18s %8s %8s %8s %10s %10s %10s %8s\n", peer[r], param[r],
			count_at(r, "calls"), count_at(r, "packets"), count_at(r, "burstcalls"),
			count_at(r, "burstpackets"), count_at(r, "softirq"), count_at(r, "stored")
	}
}

function missing_records(    i, f)
{
	if (nmissing)
		print "\nWhat did not run, and why"
	for (i = 1; i <= nmissing; i++) {
		split(missing[i], f, "\t")
		printf "  %-18s %-8s %-11s %8s  %s\n", f[2], f[3], f[4], f[5], f[6]
	}
}

function calibration()
{
	if (!least)
		return
	printf "\nCounting: of a loop of known length %.4f are counted; with timer interrupts" \
		" %.4f;\n  of loops between sleeps, without idle time, %.4f\n", least, whole, idle
}

function target_table(    t)
{
	printf "\nTargets\n  %-50s %10s %10s %7s %6s %6s\n", "", "weft", "against", "ratio", "bar",
		"goal"
	for (t = 1; t <= ntargets; t++)
		printf "  %-50s %10s %10s %7s %6.3f %6.3f  %s\n", ttext[t],
			tx[t] ? shown(tx[t]) : "-", ty[t] ? shown(ty[t]) : "-",
			tratio[t] ? sprintf("%.3f", tratio[t]) : "-", tbar[t], tgoal[t],
			tverdict[t]
}

function missed_bars(    t, n)
{
	for (t = 1; t <= ntargets; t++)
		n += tratio[t] > 0
	printf "\nBars: %d met, %d not measured, %d missed%s\n", n - nmissed, ntargets - n, nmissed,
		nmissed ? ":" : ""
	for (t = 1; t <= ntargets; t++)
		if (tverdict[t] == "MISSED")
			printf "  %s: %.3f, bar %.3f\n", ttext[t], tratio[t], tbar[t]
}

END {
	for (i = 1; i <= nheads; i++)
		printf "%s %s%s", heads[i], head[heads[i]], i < nheads ? ", " : "\n"
	tables()
	counts()
	missing_records()
	calibration()
	target_table()
	missed_bars()
	exit nmissed > 0
}
