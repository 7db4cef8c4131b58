# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Reads the records of fibench, "run" and core_bench (format: measure.h), for the other programs
# beside this one. The first file has this run, the second one, if there is one, the run before it.

BEGIN { FS = "\t" }

function median(n,    i, j, t)	# of v[1..n], which it sorts
{
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j - 1] > v[j]; j--) {
			t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
		}
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

function shown(x)
{
	return x >= 100 ? sprintf("%.0f", x) : sprintf("%.2f", x)
}

# 8 B, 1 KiB, 1 MiB
function bytes(n)
{
	if (n >= 1048576 && n % 1048576 == 0)
		return n / 1048576 " MiB"
	return n >= 1024 && n % 1024 == 0 ? n / 1024 " KiB" : n " B"
}

# A median, not of time, in this run (@r: 1) or in the one before (2); 0: not measured
function value_of(r, row, form, what, param)
{
	return (r, row, form, what, param) in medians ? medians[r, row, form, what, param] : 0
}

function value(row, form, what, param) { return value_of(1, row, form, what, param) }

# Another measure of the row and the size of record r, as text
function count_at(r, measure)
{
	if (!((1, peer[r], "one", measure, param[r]) in medians))
		return "-"
	return sprintf(measure == "softirq" ? "%.0f" : "%.2f", value(peer[r], "one", measure, param[r]))
}

FNR == 1 { run++ }
$1 == "R" && run == 2 {
	for (i = 7; i <= NF; i++)
		v[i - 6] = $i + 0
	if ($6 != "ns")
		medians[run, $2, $3, $4, $5] = median(NF - 6)
}
run == 2 {
	if ($1 == "H")
		before[$2] = $3
	next
}
$1 == "H" { head[$2] = $3; heads[++nheads] = $2 }
$1 == "S" {
	nsizes = split($2, sizes, " ")
	nsteps = split($3, steps, " ")
}
$1 == "C" {
	if ($2 > least) least = $2
	if ($3 > whole) whole = $3
	if ($4 > idle) idle = $4
}
$1 == "X" && !(($2, $3, $4, $5, $6) in failed) {
	failed[$2, $3, $4, $5, $6]
	missing[++nmissing] = $0
}
$1 == "R" {
	r = ++nrecords
	peer[r] = $2; form[r] = $3; what[r] = $4; param[r] = $5; unit[r] = $6
	samples[r] = ""
	for (i = 7; i <= NF; i++) {
		v[i - 6] = $i + 0
		samples[r] = samples[r] (i > 7 ? ", " : "") $i
	}
	mid[r] = median(NF - 6); low[r] = v[1]; high[r] = v[NF - 6]
	if ($6 != "ns")
		medians[run, $2, $3, $4, $5] = mid[r]
}
