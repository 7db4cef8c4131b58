# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Prints records and targets as JSON. (After records.awk, targets.awk and
# ../page.awk)

function results(    r)
{
	for (r = 1; r <= nrecords; r++)
		printf "    {\"row\": %s, \"form\": %s, \"measure\": %s, \"parameter\": %s, " \
			"\"unit\": %s, \"median\": %.6g, \"least\": %.6g, \"most\": %.6g, " \
			"\"samples\": [%s]}%s\n", quoted(peer[r]), quoted(form[r]),
			quoted(what[r]), param[r], quoted(unit[r]), mid[r], low[r], high[r],
			samples[r], r < nrecords ? "," : ""
}

function reasons(    i, f)
{
	for (i = 1; i <= nmissing; i++) {
		split(missing[i], f, "\t")
		printf "    {\"row\": %s, \"form\": %s, \"measure\": %s, \"parameter\": %s, " \
			"\"reason\": %s}%s\n", quoted(f[2]), quoted(f[3]), quoted(f[4]), f[5] + 0,
			quoted(f[6]), i < nmissing ? "," : ""
	}
}

function verdicts(    t)
{
	for (t = 1; t <= ntargets; t++)
		printf "    {\"target\": %s, \"value\": %.6g, \"against\": %.6g, \"ratio\": %.4g, " \
			"\"bar\": %.4g, \"goal\": %.4g, \"verdict\": %s}%s\n", quoted(ttext[t]),
			tx[t], ty[t], tratio[t], tbar[t], tgoal[t], quoted(tverdict[t]),
			t < ntargets ? "," : ""
}

END {
	print "{"
	for (i = 1; i <= nheads; i++)
		printf "  %s: %s,\n", quoted(heads[i]), quoted(head[heads[i]])
	printf "  \"calibration\": {\"short\": %s, \"long\": %s, \"sleeps\": %s},\n", least + 0,
		whole + 0, idle + 0
	print "  \"results\": ["
	results()
	print "  ],\n  \"missing\": ["
	reasons()
	print "  ],\n  \"targets\": ["
	verdicts()
	print "  ]\n}"
}
