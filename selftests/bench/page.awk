# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Prints curves, instructions per message over size, in double logarithmic scale: weft, its peers,
# the bars, and weft in the run before. as=svg: the main ones in one picture; as=html: a page
# with all of them, and with the numbers. (After records.awk, targets.awk and ../page.awk)

# All sizes that a curve may have, in order: xs[1..nx]
function all_sizes(    k, f, i, j, t, seen)
{
	for (k in medians) {
		split(k, f, SUBSEP)
		if (f[4] !~ /^(latency|burst)$/ || (f[5] in seen))
			continue
		xs[++nx] = f[5] + 0
		seen[f[5]]
	}
	for (i = 2; i <= nx; i++)
		for (j = i; j > 1 && xs[j - 1] > xs[j]; j--) {
			t = xs[j]; xs[j] = xs[j - 1]; xs[j - 1] = t
		}
}

# Return: how many sizes of a curve were measured. The scales are made for weft and the first peer.
function scales(c,    i, n, y, p, few, many, k)
{
	if (!nx)
		return 0
	few = many = n = 0
	split(c_row[c] " " c_peers[c], p, " ")
	for (i = 1; i <= nx; i++)
		for (k = 1; k <= 2; k++) {
			y = value(p[k], c_form[c], c_what[c], xs[i])
			if (!y)
				continue
			n += k == 1
			if (!few || y < few) few = y
			if (y > many) many = y
		}
	# room for a bar below the lowest value
	y_low = few ? log10(few) - 0.15 : 3
	y_high = few ? log10(many) + 0.1 : 6
	x_low = log(xs[1])
	x_high = log(xs[nx])
	return n
}

function grid(    size)
{
	grid_y()
	for (size = 8; size <= xs[nx]; size *= 8)
		if (size >= xs[1])
			tick_x(size, bytes(size))
}

# The line of a row in this run (@r: 1) or in the one before (2), with a mark at each size
function line(r, row, c, class,    i, y, points, marks)
{
	points = marks = ""
	for (i = 1; i <= nx; i++) {
		y = value_of(r, row, c_form[c], c_what[c], xs[i])
		if (!y || log10(y) < y_low || log10(y) > y_high)
			continue
		points = points sprintf("%.1f,%.1f ", px(xs[i]), py(y))
		marks = marks sprintf("<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\">" \
			"<title>%s, %s: %s</title></circle>\n", class, px(xs[i]), py(y), row,
			bytes(xs[i]), grouped(y))
	}
	if (points)
		polyline(class, points)
	if (r == 1)
		printf "%s", marks
}

# The bars: the best peer's line, times the bar of each band, and a little beyond the band's sizes
function bars(c,    b, i, x, y, last, points)
{
	for (b = 1; b <= nbands[c]; b++) {
		points = ""
		for (i = 1; i <= nx; i++) {
			y = b_bar[c, b] * best(1, c_peers[c], c_form[c], c_what[c], xs[i])
			if (!y || band_at(c, xs[i]) != b)
				continue
			if (!points)
				points = sprintf("%.1f,%.1f ", px(xs[i]) - 8, py(y))
			x = px(xs[i])
			last = py(y)
			points = points sprintf("%.1f,%.1f ", x, last)
		}
		if (points)
			polyline("bar", points sprintf("%.1f,%.1f", x + 8, last))
	}
}

# The curves of c, at a place of the picture
function panel(c, x, y,    p, n, i)
{
	printf "<g transform=\"translate(%d %d)\">\n", x, y
	printf "<text x=\"%d\" y=\"17\"><tspan class=\"name\">%s</tspan>%s</text>\n", left,
		html(c_name[c]), html(peers_measured(c))
	grid()
	n = split(c_peers[c], p, " ")
	for (i = n; i >= 1; i--)
		line(1, p[i], c, i == 1 ? "peer" : "other")
	bars(c)
	line(2, c_row[c], c, "before")
	line(1, c_row[c], c, "weft")
	print "</g>"
}

# Return: their names: "; peer: A; others: B, C"
function peers_measured(c,    p, n, i, k, list)
{
	n = split(c_peers[c], p, " ")
	for (i = 1; i <= n; i++)
		for (k = 1; k <= nx; k++)
			if (value(p[i], c_form[c], c_what[c], xs[k])) {
				if (i == 1)
					list = "; peer: " p[i]
				else
					list = list (list ~ /others/ ? ", " : "; others: ") p[i]
				break
			}
	return list
}

function classes()
{
	return "polyline.weft { stroke: #1b6ca8; stroke-width: 2.5 } circle.weft { fill: #1b6ca8 }\n" \
		"polyline.before { stroke: #7fb2d9; stroke-width: 1.5; stroke-dasharray: 2 3 }\n" \
		"polyline.peer { stroke: #d9701a } circle.peer { fill: #d9701a }\n" \
		"polyline.other { stroke: #b5b5b5; stroke-width: 1.2 } circle.other { fill: #b5b5b5 }\n" \
		"polyline.bar { stroke: #2f7d32; stroke-width: 1.5; stroke-dasharray: 6 3 }"
}

function legend(y)
{
	printf "<g class=\"legend\" transform=\"translate(%d %d)\">\n", left, y
	legend_part(0, "weft", "weft")
	legend_part(90, "before", "weft, the run before")
	legend_part(260, "peer", "the peer")
	legend_part(360, "other", "other providers")
	legend_part(500, "bar", "the bar: weft must be below")
	print "</g>"
}

# The picture: single messages at the left, bursts at the right
function picture(    c, n, place, order, i)
{
	for (c = 1; c <= ncurves; c++)
		if (c_name[c] ~ /^(netdev|loop|vnet, two machines, MTU 1500), (single|bursts)$/ &&
		    scales(c) > 1)
			order[++n] = c
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\">\n",
		2 * width, 50 + height * int((n + 1) / 2), 2 * width
	style(classes())
	print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
	printf "<text x=\"%d\" y=\"16\" class=\"name\">Guest instructions per message, over its" \
		" size</text>\n", left
	legend(20)
	for (i = 1; i <= n; i++) {
		scales(order[i])
		panel(order[i], (i - 1) % 2 * width, 50 + int((i - 1) / 2) * height)
	}
	print "</svg>"
}

# --- page ------------------------------------------------------------------

function numbers(c,    i, x, y, z, b, size, missed)
{
	print "<table><tr><th>size<th>weft<th>best peer<th>ratio<th>bar<th>goal<th>weft, before" \
		"<th>change</tr>"
	for (i = 1; i <= nsizes; i++) {
		size = sizes[i]
		x = value(c_row[c], c_form[c], c_what[c], size)
		y = best(1, c_peers[c], c_form[c], c_what[c], size)
		z = value_of(2, c_row[c], c_form[c], c_what[c], size)
		b = band_at(c, size)
		if (!x && !y)
			continue
		missed = b && x && y && x / y > b_bar[c, b]
		printf "<tr%s>", missed ? " class=\"missed\"" : ""
		print cell(bytes(size)) cell(x ? grouped(x) : "") cell(y ? grouped(y) : "") \
			cell(x && y ? sprintf("%.2f", x / y) : "") cell(b ? b_bar[c, b] : "") \
			cell(b ? b_goal[c, b] : "") cell(z ? grouped(z) : "") \
			cell(x && z ? sprintf("%+.1f %%", 100 * (x / z - 1)) : "") "</tr>"
	}
	print "</table>"
}

function target_rows(    t)
{
	print "<table><tr><th>target<th>weft<th>against<th>ratio<th>bar<th>goal<th></tr>"
	for (t = 1; t <= ntargets; t++)
		print "<tr" (tverdict[t] == "MISSED" ? " class=\"missed\"" : "") ">" \
			cell(html(ttext[t])) cell(tx[t] ? shown(tx[t]) : "") \
			cell(ty[t] ? shown(ty[t]) : "") \
			cell(tratio[t] ? sprintf("%.3f", tratio[t]) : "") \
			cell(sprintf("%.3g", tbar[t])) cell(sprintf("%.3g", tgoal[t])) \
			cell(tverdict[t]) "</tr>"
	print "</table>"
}

# What messages cost besides: a line for each row and size
function counts(    r)
{
	print "<h2>System calls, packets, softirq, memory</h2>"
	print "<p>Per message, both ends in one thread. A packet that is segmented later counts once." \
		" Softirq: an estimate, in instructions. Stored: bytes stored for each byte" \
		" delivered, all copies included.</p>"
	print "<table><tr><th>row<th>size<th>calls<th>packets<th>calls in bursts" \
		"<th>packets in bursts<th>softirq<th>stored</tr>"
	for (r = 1; r <= nrecords; r++)
		if (what[r] == "calls")
			print "<tr>" cell(peer[r]) cell(bytes(param[r])) \
				cell(count_at(r, "calls")) cell(count_at(r, "packets")) \
				cell(count_at(r, "burstcalls")) cell(count_at(r, "burstpackets")) \
				cell(count_at(r, "softirq")) cell(count_at(r, "stored")) "</tr>"
	print "</table>"
}

function missed_list(    t)
{
	printf "<p>%s</p>\n", nmissed ? nmissed " bars are missed:" : "No bar is missed."
	if (!nmissed)
		return
	print "<ul>"
	for (t = 1; t <= ntargets; t++)
		if (tverdict[t] == "MISSED")
			printf "<li>%s: %.3f, bar %.3g</li>\n", html(ttext[t]), tratio[t], tbar[t]
	print "</ul>"
}

function page(    c)
{
	page_begin("make bench", classes())
	print "<h1>Guest instructions per message</h1>"
	printf "<p>Run of %s, commit %s, kernel %s%s.", html(head["date"]), html(head["commit"]),
		html(head["kernel"]), head["quick"] + 0 ? ", QUICK" : ""
	if (run > 1)
		printf " The run before: %s, commit %s.", html(before["date"]),
			html(before["commit"])
	print " Medians; lower is better.</p>"
	missed_list()
	printf "<svg viewBox=\"0 0 %d 30\" width=\"%d\">\n", 2 * width, 2 * width
	legend(0)
	print "</svg>"
	for (c = 1; c <= ncurves; c++) {
		if (!scales(c))
			continue
		printf "<h2>%s</h2>\n", html(c_name[c])
		if (scales(c) > 1) {
			printf "<svg viewBox=\"0 0 %d %d\" width=\"%d\">\n", width, height,
				1.8 * width
			panel(c, 0, 0)
			print "</svg>"
		}
		numbers(c)
	}
	print "<h2>All targets</h2>"
	target_rows()
	counts()
	page_end()
}

END {
	all_sizes()
	if (as == "svg")
		picture()
	else
		page()
}
